// Whole games read at once, and sets of keys.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "key_set.hpp"
#include "moves.hpp"
#include "read_game.hpp"
#include "record.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

using Bits = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct ReadGamesRecord {
    Array<std::int64_t> offsets;
    Array<std::uint16_t> moves, labels;
    Array<std::uint64_t> keys, boards;
    Array<std::int32_t> board_weights;
    nb::typed<nb::list, nb::str> texts;
    nb::typed<nb::list, std::optional<std::pair<int, std::string>>> refused;

    static constexpr auto fields() {
        using Self = ReadGamesRecord;
        return std::tuple(
            Field<&Self::offsets>{"(games + 1,) Where the plies of each game begin."},
            Field<&Self::moves>{"(plies,) The bits of each move."},
            Field<&Self::labels>{"(plies,) The bits of each label, 0 for none; empty where none were given."},
            Field<&Self::keys>{"(plies,) The key of the position before each move."},
            Field<&Self::boards>{"(plies,) Equal for equal boards; empty where they were not asked for."},
            Field<&Self::board_weights>{
                "(plies,) What the letters on the board weigh; empty where they weigh nothing."},
            Field<&Self::texts>{"The moves of each game in its notation, with spaces between."},
            Field<&Self::refused>{
                "The number of the word that is no legal move, -1 for the start, and the reason; None "
                "where all of a game was read."});
    }
};

std::string described(const ReadGamesRecord& games, const char* name) {
    return std::string(name) + "(games=" + std::to_string(games.texts.size()) +
           ", plies=" + std::to_string(games.moves.view().size()) + ")";
}

BoardQuestions read_questions(const std::map<std::string, int>& letter_weights, int board_fields) {
    BoardQuestions questions;
    questions.board_fields = board_fields;
    for (const auto& [letter, weight] : letter_weights) {
        if (letter.size() != 1 || static_cast<unsigned char>(letter[0]) > 127)
            throw nb::value_error(("letter_weights: \"" + letter + "\" is not a letter").c_str());
        questions.letter_weights[static_cast<unsigned char>(letter[0])] = weight;
    }
    return questions;
}

ReadGame read_from(const MovePool& pool, const std::optional<std::string>& start, const std::string& words,
                   const std::string& labels, const BoardQuestions& questions) {
    try {
        return read_game(*pool.position(start ? &*start : nullptr), words, labels, questions);
    } catch (const PositionError& error) {
        ReadGame game;
        game.reason = error.what();
        return game;
    }
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

ReadGamesRecord read_games(nb::object game, const std::vector<std::optional<std::string>>& starts,
                           const std::vector<std::string>& words, const std::vector<std::string>& labels,
                           const std::map<std::string, int>& letter_weights, int board_fields) {
    const MovePool* pool = find_pool(game);
    if (starts.size() != words.size()) throw nb::value_error("expected as many starts as games");
    if (!labels.empty() && labels.size() != words.size()) throw nb::value_error("expected as many labels as games");
    const BoardQuestions questions = read_questions(letter_weights, board_fields);
    std::vector<ReadGame> games;
    const auto read_all = [&] {
        static const std::string none;
        for (std::size_t i = 0; i < words.size(); ++i)
            games.push_back(read_from(*pool, starts[i], words[i], labels.empty() ? none : labels[i], questions));
    };
    if (pool->calls_python()) {
        read_all();
    } else {
        nb::gil_scoped_release release;
        read_all();
    }

    ReadGamesRecord record;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint16_t> moves, label_bits;
    std::vector<std::uint64_t> keys, boards;
    std::vector<std::int32_t> board_weights;
    for (const ReadGame& read : games) {
        for (Move move : read.moves) moves.push_back(move.bits);
        for (Move label : read.labels) label_bits.push_back(label.bits);
        append(keys, read.keys);
        append(boards, read.boards);
        append(board_weights, read.board_weights);
        offsets.push_back(static_cast<std::int64_t>(moves.size()));
        record.texts.append(read.text);
        if (read.reason.empty()) {
            record.refused.append(nb::none());
        } else {
            record.refused.append(nb::make_tuple(read.refused ? static_cast<int>(*read.refused) : -1, read.reason));
        }
    }
    record.offsets = Array(std::move(offsets));
    record.moves = Array(std::move(moves));
    record.labels = Array(std::move(label_bits));
    record.keys = Array(std::move(keys));
    record.boards = Array(std::move(boards));
    record.board_weights = Array(std::move(board_weights));
    return record;
}

/// Asks one question about each of some keys.
template <class Ask>
Array<std::uint8_t> ask_each(const Keys& keys, Ask ask) {
    std::vector<std::uint8_t> answers(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = ask(keys.data()[i]);
    return Array(std::move(answers));
}

}  // namespace

void bind_records(nb::module_& module) {
    bind_record<ReadGamesRecord>(module, "ReadGames",
                                 "Games that were read whole. The plies of game i are ``offsets[i]`` to ``offsets[i + "
                                 "1]``; a game that is refused "
                                 "has those before the word at fault.",
                                 &described);
    module.def(
        "read_games", &read_games, "game"_a, "starts"_a, "words"_a, "labels"_a = std::vector<std::string>{},
        "letter_weights"_a = std::map<std::string, int>{}, "board_fields"_a = 0,
        nb::sig("def read_games(game: str | AnyGame, starts: collections.abc.Sequence[str | None], "
                "words: collections.abc.Sequence[str], labels: collections.abc.Sequence[str] = ..., "
                "letter_weights: collections.abc.Mapping[str, int] = ..., board_fields: int = 0) -> ReadGames"),
        "Reads games from their starts (None: the usual one) and the words of their moves. Labels are one word for "
        "each move, * for none.");
    module.def(
        "move_texts",
        [](nb::object game, const Bits& moves) {
            const MovePool* pool = find_pool(game);
            nb::typed<nb::list, nb::str> texts;
            for (std::size_t i = 0; i < moves.size(); ++i) texts.append(pool->text({moves.data()[i]}));
            return texts;
        },
        "game"_a, "moves"_a, nb::sig("def move_texts(game: str | AnyGame, moves: NDArray[numpy.uint16]) -> list[str]"),
        "Moves in the game's notation. Their bits must have come from this process.");
    nb::class_<KeySet>(module, "KeySet", "A set of 64-bit keys.")
        .def(nb::init<>())
        .def("__len__", &KeySet::size)
        .def(
            "add",
            [](KeySet& self, const Keys& keys) { return ask_each(keys, [&](Key key) { return self.add(key); }); },
            "keys"_a, "Adds keys one after the other. (keys,) 1 where a key was not there before.")
        .def(
            "contains",
            [](const KeySet& self, const Keys& keys) {
                return ask_each(keys, [&](Key key) { return self.contains(key); });
            },
            "keys"_a, "(keys,) 1 where a key is there.");
}

}  // namespace plypilot::bind
