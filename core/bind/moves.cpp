#include "moves.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <map>

namespace plypilot::bind {

namespace {

class NativePool final : public MovePool {
  public:
    NativePool(const AnyGame* game, std::string name, std::string start)
        : game_(game), name_(std::move(name)), start_(std::move(start)) {}

    std::string_view game_name() const override { return name_; }
    std::string text(Move move) const override { return game_->move_text(move); }
    MoveIndex index(Move move) const override { return game_->move_index(move); }
    nb::object value(Move move) const override { return nb::int_(move.bits); }
    Move from_value(nb::handle value) const override { return {nb::cast<std::uint16_t>(value)}; }
    std::unique_ptr<AnyPosition> position(const std::string* fen) const override {
        return game_->from_fen(fen ? *fen : start_);
    }
    std::unique_ptr<AnySearcher> searcher(SearchSettings settings, EvaluationSettings evaluation) const override {
        return game_->searcher(std::move(settings), std::move(evaluation));
    }
    const GameInfo& info() const override { return game_->info(); }
    bool calls_python() const override { return false; }

  private:
    const AnyGame* game_;
    std::string name_, start_;
};

}  // namespace

const MovePool* native_pool(std::string_view name) {
    static std::map<std::string, const NativePool*, std::less<>> pools;
    if (const auto known = pools.find(name); known != pools.end()) return known->second;
    const AnyGame* game = find_game(name);
    if (!game) return nullptr;
    const auto hyphen = name.find('-');
    if (hyphen != name.npos && hyphen + 1 == name.size()) return nullptr;
    const auto start = game->start_fen(hyphen == name.npos ? "" : name.substr(hyphen + 1));
    if (!start) return nullptr;
    return pools.emplace(name, new NativePool(game, std::string(name), *start)).first->second;
}

const MovePool* find_pool(nb::handle game) {
    const MovePool* pool =
        nb::isinstance<nb::str>(game) ? native_pool(nb::cast<std::string>(game)) : nb::cast<const MovePool*>(game);
    if (!pool) throw nb::key_error(nb::cast<std::string>(game).c_str());
    return pool;
}

void bind_moves(nb::module_& module) {
    nb::class_<BoundMove>(module, "Move", "A move of a game; str() is the game's notation.")
        .def_prop_ro(
            "game", [](const BoundMove& m) { return m.pool->game_name(); }, "Name of the game.")
        .def_prop_ro(
            "value", [](const BoundMove& m) { return m.pool->value(m.move); }, nb::sig("def value(self) -> typing.Any"),
            "The move of a Python game as the game made it; the bits of a native one.")
        .def_prop_ro(
            "index",
            [](const BoundMove& m) {
                const MoveIndex index = m.pool->index(m.move);
                return nb::make_tuple(index.from, index.to, index.promotion);
            },
            nb::sig("def index(self) -> tuple[int, int, int]"),
            "(from, to, promotion) as small integers for networks; a drop's from follows the squares.")
        .def("__str__", [](const BoundMove& m) { return m.pool->text(m.move); })
        .def("__repr__", [](const BoundMove& m) { return "Move('" + m.pool->text(m.move) + "')"; });
    module.def(
        "move_of", [](const MovePool& pool, nb::handle value) { return pool.object(pool.from_value(value)); },
        nb::sig("def move_of(game: AnyGame, value: typing.Any) -> Move"));
    module.def(
        "move_of",
        [](std::string_view game, nb::handle value) {
            const MovePool* pool = native_pool(game);
            if (!pool) throw nb::key_error(std::string(game).c_str());
            return pool->object(pool->from_value(value));
        },
        nb::sig("def move_of(game: str, value: typing.Any) -> Move"));
}

}  // namespace plypilot::bind
