#include "python_game.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nanobind/typing.h>

namespace plypilot::bind {

namespace {

using namespace nb::literals;

constexpr Key side_key = zobrist_keys<1>(0)[0];

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

/// Tells in Python what went wrong in a method of the user's class, with its file and line and the position: what the
/// method raised, or a text that says what is wrong with what it gave.
[[noreturn]] void blame(const PythonGame& game, const char* method, const std::string& place, nb::handle fault) {
    const nb::object tell = nb::module_::import_("plypilot.own_code").attr("blame");
    tell(std::string(game.game_name()), method, place, fault);
    throw nb::value_error("unreachable: blame() raises");
}

/// Asks a method of the user's class. ``where`` gives the position in words, and is asked only where the method fails.
template <class Where, class Ask>
auto asked(const PythonGame& game, const char* method, const Where& where, const Ask& ask) -> decltype(ask()) {
    try {
        return ask();
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;  // such as Ctrl-C
        blame(game, method, where(), error.value());
    } catch (const nb::cast_error&) {
        blame(game, method, where(), nb::str("gave a value of another type than it should"));
    }
}

/// A state in words, for messages; empty where it cannot even be written.
std::string words_of(nb::handle state) {
    try {
        return nb::cast<std::string>(nb::repr(state));
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

PythonGame::PythonGame(std::string name, std::string title, std::array<std::string, 2> sides, GameCalls calls,
                       const std::vector<std::string>& feature_names, const std::vector<std::string>& board_names,
                       nb::list move_features, MoveIndex index_sizes, int repetition)
    : calls_(std::move(calls)), repetition_(repetition) {
    info_.name = keep(std::move(name));
    info_.title = keep(std::move(title));
    info_.sides = {keep(std::move(sides[0])), keep(std::move(sides[1]))};
    info_.notation = "the game's own";
    info_.index_sizes = index_sizes;
    if (!feature_names.empty()) info_.feature_sets.push_back({"features", "the game's own", feature_names});
    if (!board_names.empty()) info_.feature_sets.push_back({"board", "the raw board", board_names});
    for (nb::handle feature : move_features) {
        const auto part = [&](const char* field) { return keep(nb::cast<std::string>(feature.attr(field))); };
        feature_bits_[nb::cast<std::string>(feature.attr("name"))] = static_cast<int>(info_.move_features.size());
        info_.move_features.push_back({part("symbol"), part("name"), part("group"), part("parent"), part("text")});
    }
    if (info_.move_features.size() > 64) throw nb::value_error("a game has at most 64 move features");
}

Move PythonGame::intern(nb::handle move) const {
    if (PyObject* number = PyDict_GetItemWithError(numbers_.ptr(), move.ptr()))
        return {static_cast<std::uint16_t>(PyLong_AsLong(number))};
    if (PyErr_Occurred()) nb::raise_python_error();
    if (objects_.size() > 0xffff) throw MoveError(std::string(info_.name) + ": more than 65535 different moves");
    const Move made{static_cast<std::uint16_t>(objects_.size())};
    numbers_[move] = int(made.bits);
    objects_.push_back(nb::borrow(move));
    hashes_.push_back(stable_hash(nb::str(text(made).c_str())));
    return made;
}

std::string PythonGame::text(Move move) const {
    const nb::handle object = move_object(move);
    const auto where = [&] { return "the move " + words_of(object); };
    return asked(*this, "text", where, [&] { return nb::cast<std::string>(calls_.text(object)); });
}

MoveIndex PythonGame::index(Move move) const {
    if (calls_.index.is_none()) return {};
    const auto where = [&] { return "the move " + text(move); };
    nb::object parts;
    const MoveIndex index = asked(*this, "index", where, [&]() -> MoveIndex {
        parts = calls_.index(move_object(move));
        return {nb::cast<int>(parts[0]), nb::cast<int>(parts[1]), nb::cast<int>(parts[2])};
    });
    const MoveIndex& sizes = info_.index_sizes;
    const auto is_within = [](int part, int size) { return part >= 0 && part < size; };
    if (!is_within(index.from, sizes.from) || !is_within(index.to, sizes.to) ||
        !is_within(index.promotion, sizes.promotion))
        blame(*this, "index", where(),
              nb::str(("gave " + words_of(parts) + ", outside index_sizes (" + std::to_string(sizes.from) + ", " +
                       std::to_string(sizes.to) + ", " + std::to_string(sizes.promotion) + ")")
                          .c_str()));
    return index;
}

int PythonGame::feature_bit(nb::handle name) const {
    const auto found = feature_bits_.find(nb::cast<std::string>(name));
    if (found == feature_bits_.end())
        throw nb::key_error(
            ("move_features gave a name that move_feature_list lacks: " + nb::cast<std::string>(name)).c_str());
    return found->second;
}

std::unique_ptr<AnyPosition> PythonGame::position(const std::string* fen) const {
    if (fen && !calls_.from_fen.is_none())
        return std::make_unique<ErasedPosition<PythonPosition>>(PythonPosition(this, read(*fen)));
    const auto start = [&] { return calls_.start(); };
    PythonPosition position(this, asked(*this, "start", [] { return std::string("the start"); }, start));
    const std::string text = fen ? *fen : "start";
    const auto parts = words(text);
    if (parts.empty() || parts[0] != "start")
        throw PositionError("fen: begins with \"" + std::string(parts.empty() ? "" : parts[0]) +
                            "\", expected \"start\" and the moves played since");
    auto erased = std::make_unique<ErasedPosition<PythonPosition>>(std::move(position));
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto move = erased->parse_move(parts[i]);
        if (!move)
            throw PositionError("fen: move " + std::to_string(i) + " is not legal: \"" + std::string(parts[i]) + "\"");
        erased->try_push(*move);
    }
    return erased;
}

nb::object PythonGame::read(const std::string& fen) const {
    return asked(*this, "from_fen", [&] { return fen; }, [&] { return calls_.from_fen(fen); });
}

std::unique_ptr<AnySearcher> PythonGame::searcher(SearchSettings settings, EvaluationSettings evaluation) const {
    return std::make_unique<Searcher<PythonPosition>>(std::move(settings), std::move(evaluation));
}

PythonPosition::PythonPosition(const PythonGame* game, nb::object state)
    : game_(game), trail_(enter(std::move(state), first, {})) {}

PythonPosition::State PythonPosition::enter(nb::object state, Side side, Move last) const {
    const GameCalls& calls = game_->calls();
    const auto where = [&] { return words_of(state); };
    if (!calls.player.is_none()) {
        const int player = asked(*game_, "player", where, [&] { return nb::cast<int>(calls.player(state)); });
        if (player != 0 && player != 1)
            blame(*game_, "player", where(), nb::str(("gave " + std::to_string(player) + ", expected 0 or 1").c_str()));
        side = Side(player);
    }
    const Key hashed =
        asked(*game_, "hash", where, [&] { return stable_hash(calls.hash.is_none() ? state : calls.hash(state)); });
    const Key key = hashed ^ (side == second ? side_key : 0);
    return {std::move(state), key, side, last};
}

std::string PythonPosition::fen() const {
    if (!game_->calls().fen.is_none()) {
        const auto where = [&] { return words_of(now().state); };
        return asked(*game_, "fen", where, [&] { return nb::cast<std::string>(game_->calls().fen(now().state)); });
    }
    std::string text = "start";
    for (std::size_t ago = trail_.plies(); ago-- > 0;) text += ' ' + move_text(trail_.before(ago).last);
    return text;
}

const std::vector<Move>& PythonPosition::moves() const {
    if (!moves_) {
        std::vector<Move> found;
        if (!decided()) {
            ask("moves", [&] {
                for (nb::handle move : game_->calls().moves(now().state)) found.push_back(game_->intern(move));
            });
        }
        moves_ = std::move(found);
    }
    return *moves_;
}

void PythonPosition::push(Move move) {
    const auto where = [&] { return place() + ", the move " + game_->text(move); };
    const auto play = [&] { return game_->calls().play(now().state, game_->move_object(move)); };
    State next = enter(asked(*game_, "play", where, play), other(side()), move);
    trail_.push() = std::move(next);
    moves_.reset();
}

void PythonPosition::pop() {
    trail_.pop();
    moves_.reset();
}

std::optional<Outcome> PythonPosition::decided() const {
    const nb::object value = ask("outcome", [&] { return nb::object(game_->calls().outcome(now().state)); });
    if (value.is_none()) return std::nullopt;
    double result = 0;
    if (!nb::try_cast(value, result) || (result != 0 && result != 1 && result != -1))
        refuse("outcome", "gave " + words_of(value) + ", expected None, 1, 0 or -1");
    if (result == 0) return Outcome::draw("draw by the rules");
    return Outcome::win(result > 0 ? side() : other(side()), "win by the rules");
}

Outcome PythonPosition::stuck() const { refuse("moves", "gave no move, but outcome() is None"); }

std::optional<Outcome> PythonPosition::by_history() const {
    const int drawn = game_->repetition();
    if (!drawn) return std::nullopt;
    constexpr int stride = 1;  // the player may have moved more than once in between
    if (trail_.repetitions(static_cast<int>(trail_.plies()), stride) + 1 >= drawn) return Outcome::draw("repetition");
    return std::nullopt;
}

FeatureMask PythonPosition::move_features(Move move) const {
    if (game_->calls().move_features.is_none()) return 0;
    FeatureMask mask = 0;
    ask("move_features", [&] {
        for (nb::handle name : game_->calls().move_features(now().state, game_->move_object(move)))
            mask |= FeatureMask{1} << game_->feature_bit(name);
    });
    return mask;
}

nb::list PythonPosition::feature_list(std::size_t set) const {
    const std::string_view name = info().feature_sets[set].name;
    const auto& features = info().feature_sets[set].features;
    const bool is_board = name == "board";
    const nb::list values = ask(is_board ? "board" : "features", [&] {
        return nb::list((is_board ? game_->calls().board : game_->calls().features)(now().state));
    });
    if (values.size() != features.size())
        refuse(is_board ? "board" : "features", "gave " + std::to_string(values.size()) + " values for " +
                                                    std::to_string(features.size()) +
                                                    (is_board ? " board_names" : " feature_names"));
    return values;
}

std::string PythonPosition::draw() const {
    const nb::object& draw = game_->calls().draw;
    return ask("draw", [&] {
        return nb::cast<std::string>(draw.is_none() ? nb::object(nb::str(now().state)) : draw(now().state));
    });
}

std::string PythonPosition::place() const {
    try {
        return fen();
    } catch (const std::exception&) {  // what writes positions is at fault itself
        return words_of(now().state);
    }
}

void PythonPosition::refuse(const char* method, const std::string& what) const {
    blame(*game_, method, place(), nb::str(what.c_str()));
}

template <class Ask>
auto PythonPosition::ask(const char* method, const Ask& ask) const -> decltype(ask()) {
    return asked(*game_, method, [this] { return place(); }, ask);
}

void bind_python_games(nb::module_& module) {
    nb::class_<MovePool>(module, "AnyGame");
    nb::class_<PythonGame, MovePool>(module, "PythonGame", "A game written in Python, as the core sees it.")
        .def(
            "__init__",
            [](PythonGame* self, std::string name, std::string title, std::array<std::string, 2> sides,
               nb::object start, nb::object moves, nb::object play, nb::object outcome, nb::object player,
               nb::object text, nb::object index, nb::object fen, nb::object from_fen, nb::object hash,
               nb::object features, nb::object board, nb::object move_features, nb::object draw,
               const std::vector<std::string>& feature_names, const std::vector<std::string>& board_names,
               nb::typed<nb::list, nb::object> move_feature_list, std::array<int, 3> index_sizes, int repetition) {
                new (self) PythonGame(std::move(name), std::move(title), std::move(sides),
                                      {start, moves, play, outcome, player, text, index, fen, from_fen, hash, features,
                                       board, move_features, draw},
                                      feature_names, board_names, move_feature_list,
                                      {index_sizes[0], index_sizes[1], index_sizes[2]}, repetition);
            },
            nb::kw_only(), "name"_a, "title"_a, "sides"_a, "start"_a, "moves"_a, "play"_a, "outcome"_a,
            "player"_a.none(), "text"_a, "index"_a.none(), "fen"_a.none(), "from_fen"_a.none(), "hash"_a.none(),
            "features"_a.none(), "board"_a.none(), "move_features"_a.none(), "draw"_a.none(), "feature_names"_a,
            "board_names"_a, "move_feature_list"_a, "index_sizes"_a, "repetition"_a)
        .def(
            "describe", [](const PythonGame& self) { return describe(self.info()); },
            nb::sig("def describe(self) -> dict[str, typing.Any]"), "The static facts of the game.");
}

}  // namespace plypilot::bind
