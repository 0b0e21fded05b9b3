#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "moves.hpp"
#include "notation.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

[[noreturn]] void refuse(const BoundPosition& self, const std::string& text) {
    throw MoveError("move " + quoted(text) + " is not legal in " + self.position->fen());
}

/// The move itself if it is of this game; whether it is legal is asked later.
Move own_move(const BoundPosition& self, const BoundMove& move) {
    if (move.pool != self.pool)
        throw MoveError("move \"" + move.pool->text(move.move) + "\" is of the game " +
                        std::string(move.pool->game_name()) + ", the position of " +
                        std::string(self.pool->game_name()));
    return move.move;
}

Move legal_move(const BoundPosition& self, const BoundMove& move) {
    const Move own = own_move(self, move);
    if (!self.position->is_legal(own)) refuse(self, move.pool->text(own));
    return own;
}

Move parse(const BoundPosition& self, std::string_view text) {
    const auto move = self.position->parse_move(text);
    if (!move) refuse(self, std::string(text));
    return *move;
}

void push(BoundPosition& self, const BoundMove& move) {
    const Move own = own_move(self, move);
    if (!self.position->try_push(own)) refuse(self, move.pool->text(own));
    self.played.push_back(own);
}

void push_text(BoundPosition& self, std::string_view text) {
    const Move move = parse(self, text);
    self.position->try_push(move);
    self.played.push_back(move);
}

nb::object pop(BoundPosition& self) {
    if (self.played.empty()) throw nb::index_error("no move to take back");
    self.position->pop();
    const Move move = self.played.back();
    self.played.pop_back();
    return self.pool->object(move);
}

template <class Moves>
nb::object list_moves(const BoundPosition& self, const Moves& moves) {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(moves.size())));
    Py_ssize_t at = 0;
    for (Move move : moves) PyList_SET_ITEM(list.ptr(), at++, self.pool->object(move).release().ptr());
    return list;
}

int set_number(const BoundPosition& self, std::string_view name) {
    const auto& sets = self.position->info().feature_sets;
    std::string known;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i].name == name) return static_cast<int>(i);
        known += (i ? ", " : "") + std::string(sets[i].name);
    }
    throw nb::key_error(("no feature set \"" + std::string(name) + "\"; there are: " + known).c_str());
}

std::uint64_t perft_of(const BoundPosition& self, int depth, bool bulk) {
    const auto position = self.position->clone();  // another thread may move on with the original
    const Bulk how = bulk ? Bulk::yes : Bulk::no;
    if (self.pool->calls_python()) return position->perft(depth, how);
    nb::gil_scoped_release release;
    return position->perft(depth, how);
}

struct BoundOutcome {
    std::optional<int> winner;
    std::string reason;
    bool operator==(const BoundOutcome&) const = default;
};

}  // namespace

void bind_positions(nb::module_& module) {
    nb::class_<BoundOutcome>(module, "Outcome", "How a game ended.")
        .def(
            "__init__",
            [](BoundOutcome* self, std::optional<int> winner, std::string reason) {
                new (self) BoundOutcome{winner, std::move(reason)};
            },
            "winner"_a.none(), "reason"_a)
        .def_ro("winner", &BoundOutcome::winner, "0 for the first player, 1 for the second, None for a draw.")
        .def_ro("reason", &BoundOutcome::reason, "What ended the game, in a word or two.")
        .def(
            "__eq__", [](const BoundOutcome& a, const BoundOutcome& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const BoundOutcome& o) { return std::hash<std::string>{}(o.reason) + o.winner.value_or(2); })
        .def("__repr__", [](const BoundOutcome& o) {
            return "Outcome(winner=" + (o.winner ? std::to_string(*o.winner) : "None") + ", reason='" + o.reason + "')";
        });

    nb::class_<BoundPosition>(module, "Position")
        .def(
            "__init__",
            [](BoundPosition* self, std::string_view game, std::optional<std::string> fen) {
                const MovePool* pool = native_pool(game);
                if (!pool) throw nb::key_error(std::string(game).c_str());
                new (self) BoundPosition(pool, std::move(fen));
            },
            "game"_a, "fen"_a = nb::none())
        .def(
            "__init__",
            [](BoundPosition* self, const MovePool& pool, std::optional<std::string> fen) {
                new (self) BoundPosition(&pool, std::move(fen));
            },
            "game"_a, "fen"_a = nb::none())
        .def(
            "__init__", [](BoundPosition* self, const BoundPosition& from) { new (self) BoundPosition(from); },
            "position"_a)
        .def_prop_ro(
            "game", [](const BoundPosition& self) { return self.pool->game_name(); }, "Name of the game.")
        .def_prop_ro(
            "turn", [](const BoundPosition& self) { return int(self.position->side()); },
            "Who is to move: 0 for the first player, 1 for the second.")
        .def_prop_ro(
            "key", [](const BoundPosition& self) { return self.position->key(); },
            "64-bit hash, equal for positions that repeat each other.")
        .def_prop_ro(
            "ply", [](const BoundPosition& self) { return self.played.size(); }, "How many moves can be taken back.")
        .def_prop_ro(
            "root", [](const BoundPosition& self) { return self.root; },
            "The position string this position was made from, None for the start.")
        .def_prop_ro(
            "played", [](const BoundPosition& self) { return list_moves(self, self.played); },
            nb::sig("def played(self) -> list[Move]"), "The moves made since the root.")
        .def(
            "moves",
            [](const BoundPosition& self) {
                MoveList list;
                self.position->generate(list);
                return list_moves(self, list);
            },
            nb::sig("def moves(self) -> list[Move]"), "All legal moves.")
        .def(
            "count_moves", [](const BoundPosition& self) { return self.position->count_moves(); },
            "The number of legal moves, counted without making them.")
        .def(
            "is_legal",
            [](const BoundPosition& self, const BoundMove& move) {
                return self.position->is_legal(own_move(self, move));
            },
            "move"_a, "Whether a move of this game is legal here.")
        .def(
            "parse",
            [](const BoundPosition& self, std::string_view text) { return self.pool->object(parse(self, text)); },
            nb::sig("def parse(self, text: str) -> Move"), "text"_a,
            "The legal move that a text names. Raises IllegalMove.")
        .def("push", &push, "move"_a, "Makes a move, given as a Move or in the game's notation. Raises IllegalMove.")
        .def("push", &push_text, "move"_a)
        .def("pop", &pop, nb::sig("def pop(self) -> Move"), "Takes the last move back and returns it.")
        .def(
            "fen", [](const BoundPosition& self) { return self.position->fen(); }, "The position string.")
        .def(
            "outcome",
            [](const BoundPosition& self) -> std::optional<BoundOutcome> {
                const auto outcome = self.position->outcome();
                if (!outcome) return std::nullopt;
                const auto winner = outcome->winner;
                return BoundOutcome{winner ? std::optional<int>(*winner) : std::nullopt, std::string(outcome->reason)};
            },
            "How the game ended, or None while it goes on.")
        .def(
            "san",
            [](const BoundPosition& self, const BoundMove& move) {
                const Move legal = legal_move(self, move);
                return self.position->short_text(legal).value_or(self.position->move_text(legal));
            },
            "move"_a, "A legal move in the short notation of the game where it has one (SAN in chess).")
        .def(
            "move_features",
            [](const BoundPosition& self, const BoundMove& move) {
                return self.position->move_features(legal_move(self, move));
            },
            "move"_a, "The atomic features of a legal move as a 64-bit mask.")
        .def(
            "features",
            [](const BoundPosition& self, std::string_view set) {
                const int number = set_number(self, set);
                const auto& names = self.position->info().feature_sets[number].features;
                const FeatureVector vector = self.position->features(number);
                nb::dict found;
                for (std::size_t i = 0; i < names.size(); ++i) {
                    if (vector.values()[i] != 0) found[names[i].c_str()] = vector.values()[i];
                }
                return found;
            },
            nb::sig("def features(self, set: str) -> dict[str, float]"), "set"_a,
            "The evaluation features of a set that are not zero, by name, from the view of the side to move.")
        .def(
            "feature_values",
            [](const BoundPosition& self, std::string_view set) {
                auto* values = new std::vector<float>(self.position->features(set_number(self, set)).values());
                nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
                return nb::ndarray<nb::numpy, float, nb::ndim<1>>(values->data(), {values->size()}, owner);
            },
            "set"_a, "All evaluation features of a set as a float32 array, shape (number of features,).")
        .def(
            "draw", [](const BoundPosition& self) { return self.position->draw(); }, "The board as text.")
        .def(
            "square_text",
            [](const BoundPosition& self, int side, int file, int rank) {
                if (side != first && side != second) throw nb::value_error("side: expected 0 or 1");
                return self.position->square_text(Side(side), file, rank);
            },
            "side"_a, "file"_a, "rank"_a,
            "How the board names a square that a side counts from its own corner of it, as features such as "
            "half_board.pawn_c4 do; empty where there is no such square.")
        .def("perft", &perft_of, "depth"_a, "bulk"_a = true)
        .def("__str__", [](const BoundPosition& self) { return self.position->draw(); })
        .def(
            "__eq__",
            [](const BoundPosition& a, const BoundPosition& b) {
                return a.pool == b.pool && a.position->fen() == b.position->fen();
            },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
}

}  // namespace plypilot::bind
