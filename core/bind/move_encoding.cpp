// Encodings of moves for networks, cases to learn from, and the networks that order moves in a search.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "evaluation.hpp"
#include "field_reader.hpp"
#include "learn/move_cases.hpp"
#include "moves.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

struct BoundEncoding {
    const MovePool* pool;
    MoveEncoding encoding;
};

BoundEncoding make_encoding(nb::handle game, const std::string& kind, const std::string& view,
                            const std::vector<std::string>& sets, Row<std::int32_t> moves) {
    const MovePool* pool = find_pool(game);
    std::vector<int> numbers;
    for (const std::string& name : sets) numbers.push_back(set_number(pool->info(), name));
    const auto codes = span_of(moves);
    return {pool, MoveEncoding(pool->info(), read_word<MoveEncoding::Kind>(kind, "encoding"),
                               read_word<MoveEncoding::View>(view, "view"), std::move(numbers),
                               {codes.begin(), codes.end()})};
}

/// Games as arrays, checked as far as sizes go.
struct GivenGames {
    const MovePool* pool;
    std::vector<std::optional<std::string>> starts;
    Row<std::int64_t> offsets;
    Row<std::uint16_t> moves, labels;

    LabelledGames games() const {
        if (offsets.size() != starts.size() + 1) throw nb::value_error("offsets: expected one more than starts");
        if (moves.size() != labels.size()) throw nb::value_error("labels: expected as many as moves");
        const auto ends = span_of(offsets);
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            if (ends[i] < 0 || ends[i] > ends[i + 1] || ends[i + 1] > static_cast<std::int64_t>(moves.size()))
                throw nb::value_error("offsets are out of order");
        }
        return {ends, span_of(moves), span_of(labels), [this](std::size_t game) {
                    const auto& fen = starts[game];
                    return pool->position(fen ? &*fen : nullptr);
                }};
    }
};

/// Runs what replays games; a game in Python needs the GIL for it.
template <class Work>
auto replayed(const MovePool* pool, Work work) {
    if (pool->calls_python()) return work();
    nb::gil_scoped_release release;
    return work();
}

nb::tuple move_cases(const BoundEncoding& self, std::vector<std::optional<std::string>> starts,
                     Row<std::int64_t> offsets, Row<std::uint16_t> moves, Row<std::uint16_t> labels) {
    const GivenGames given{self.pool, std::move(starts), offsets, moves, labels};
    const LabelledGames games = given.games();
    MoveCases cases = replayed(self.pool, [&] { return make_move_cases(games, self.encoding); });
    return nb::make_tuple(
        Array<std::int64_t>(std::move(cases.input_starts)), Array<std::int32_t>(std::move(cases.encoded.inputs)),
        Array<float>(std::move(cases.encoded.values)), Array<std::int64_t>(std::move(cases.move_starts)),
        Array<std::int32_t>(std::move(cases.encoded.keys)), Array<std::int32_t>(std::move(cases.best)));
}

Array<std::int64_t> move_codes(const BoundEncoding& self, std::vector<std::optional<std::string>> starts,
                               Row<std::int64_t> offsets, Row<std::uint16_t> moves, Row<std::uint16_t> labels) {
    const GivenGames given{self.pool, std::move(starts), offsets, moves, labels};
    const LabelledGames games = given.games();
    return Array<std::int64_t>(replayed(self.pool, [&] { return count_move_codes(games, self.encoding); }));
}

/// The inputs of one position, and the keys of its moves in the order in which they are generated.
nb::tuple encode(const BoundEncoding& self, const BoundPosition& position) {
    EncodedMoves encoded;
    position.position->encode(self.encoding, encoded);
    nb::list moves;
    for (Move move : encoded.moves) moves.append(self.pool->object(move));
    const std::size_t width = self.encoding.width();
    const std::size_t count = encoded.moves.size();
    return nb::make_tuple(Array<std::int32_t>(std::move(encoded.inputs)), Array<float>(std::move(encoded.values)),
                          moves, Array<std::int32_t, 2>(std::move(encoded.keys), {count, width}));
}

nb::tuple move_categories(nb::handle game, std::vector<std::optional<std::string>> starts, Row<std::int64_t> offsets,
                          Row<std::uint16_t> moves, Row<std::uint16_t> labels, FeatureMask wanted,
                          const std::vector<FeatureMask>& categories) {
    const MovePool* pool = find_pool(game);
    const GivenGames given{pool, std::move(starts), offsets, moves, labels};
    const LabelledGames games = given.games();
    const auto counts = replayed(pool, [&] { return count_categories(games, wanted, categories); });
    std::vector<std::uint64_t> masks;
    std::vector<std::int64_t> possible, played;
    for (const auto& [mask, count] : counts) {
        masks.push_back(mask);
        possible.push_back(count.possible);
        played.push_back(count.played);
    }
    return nb::make_tuple(Array<std::uint64_t>(std::move(masks)), Array<std::int64_t>(std::move(possible)),
                          Array<std::int64_t>(std::move(played)));
}

constexpr const char* games_signature =
    "starts: list[str | None], offsets: NDArray[numpy.int64], moves: NDArray[numpy.uint16], labels: "
    "NDArray[numpy.uint16]";

}  // namespace

void bind_move_encoding(nb::module_& module) {
    nb::class_<BoundEncoding>(module, "MoveEncoding",
                              "How positions and moves are told to a network that orders moves.")
        .def(
            "__init__",
            [](BoundEncoding* place, nb::object game, const std::string& encoding, const std::string& view,
               const std::vector<std::string>& sets, Row<std::int32_t> moves) {
                new (place) BoundEncoding(make_encoding(game, encoding, view, sets, moves));
            },
            "game"_a, nb::kw_only(), "encoding"_a, "view"_a, "sets"_a, "moves"_a,
            nb::sig("def __init__(self, game: str | AnyGame, *, encoding: str, view: str, sets: list[str], moves: "
                    "NDArray[numpy.int32]) -> None"))
        .def_prop_ro("inputs", [](const BoundEncoding& self) { return self.encoding.inputs(); })
        .def_prop_ro("outputs", [](const BoundEncoding& self) { return self.encoding.outputs(); })
        .def_prop_ro(
            "width", [](const BoundEncoding& self) { return self.encoding.width(); }, "How many keys a move has.")
        .def(
            "cases", &move_cases, "starts"_a, "offsets"_a, "moves"_a, "labels"_a,
            nb::sig((std::string("def cases(self, ") + games_signature +
                     ") -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], "
                     "NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32]]")
                        .c_str()),
            "Replays games and gives the cases of their labelled plies: starts of inputs, inputs, their values, starts "
            "of moves, keys, and which move is the best.")
        .def("codes", &move_codes, "starts"_a, "offsets"_a, "moves"_a, "labels"_a,
             nb::sig((std::string("def codes(self, ") + games_signature + ") -> NDArray[numpy.int64]").c_str()),
             "How often each code of a move is legal at the labelled plies.")
        .def("encode", &encode, "position"_a,
             nb::sig("def encode(self, position: Position) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32], "
                     "list[Move], NDArray[numpy.int32]]"),
             "The inputs of a position, their values, its legal moves and their keys.");
    module.def("count_categories", &move_categories, "game"_a, "starts"_a, "offsets"_a, "moves"_a, "labels"_a,
               nb::kw_only(), "wanted"_a, "categories"_a,
               nb::sig((std::string("def count_categories(game: str | AnyGame, ") + games_signature +
                        ", *, wanted: int, categories: list[int]) -> tuple[NDArray[numpy.uint64], "
                        "NDArray[numpy.int64], NDArray[numpy.int64]]")
                           .c_str()),
               "The features of move categories, in how many labelled positions each is possible, and in how many it "
               "is played. Where no category is named, each combination of wanted features that occurs is one.");
    nb::class_<SharedMap>(module, "MoveMap", "A network that orders moves, made ready for searches.")
        .def(
            "__init__",
            [](SharedMap* place, const BoundEncoding& encoding, nb::dict layers) {
                new (place) SharedMap{std::make_shared<const MoveMap>(encoding.encoding, read_network(layers))};
            },
            "encoding"_a, "layers"_a,
            nb::sig("def __init__(self, encoding: MoveEncoding, layers: dict[str, typing.Any]) -> None"))
        .def(
            "scores",
            [](const SharedMap& self, const BoundPosition& position) {
                return position.pool->pairs(position.position->judge_moves(self.map));
            },
            "position"_a, nb::sig("def scores(self, position: Position) -> list[tuple[Move, float]]"),
            "What a search is told of the legal moves of a position, by the weights in whole numbers.");
}

}  // namespace plypilot::bind
