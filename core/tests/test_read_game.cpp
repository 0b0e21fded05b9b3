#include <doctest/doctest.h>

#include "key_set.hpp"
#include "read_game.hpp"
#include "registry.hpp"
#include "zobrist.hpp"

using namespace plypilot;

namespace {

ReadGame read(std::string_view game, std::string_view words, std::string_view labels = "",
              const BoardQuestions& questions = {}) {
    const AnyGame* rules = find_game(game);
    return read_game(*rules->from_fen(*rules->start_fen("")), words, labels, questions);
}

}  // namespace

TEST_CASE("a game is read with the keys of the positions before its moves") {
    const ReadGame game = read("chess", "  e4 e7e5  Nf3 ");
    CHECK(game.text == "e2e4 e7e5 g1f3");
    CHECK_FALSE(game.refused);
    CHECK(game.labels.empty());
    const auto position = find_game("chess")->from_fen(*find_game("chess")->start_fen(""));
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
        CHECK(game.keys[i] == position->key());
        REQUIRE(position->try_push(game.moves[i]));
    }
}

TEST_CASE("reading stops at the first word that is no legal move") {
    const ReadGame game = read("chess", "e4 e5 Ke3 Nf3");
    CHECK(game.refused == 2);
    CHECK(game.moves.size() == 2);
    CHECK(game.reason.starts_with("move \"Ke3\" is not legal in "));
    CHECK(read("loa", "").moves.empty());
}

TEST_CASE("labels are read where they are, and their absence is told") {
    const ReadGame game = read("chess", "e4 e5 Nf3", "d4 * Bc4");
    REQUIRE(game.labels.size() == 3);
    CHECK(game.labels[0] == read("chess", "d4").moves[0]);
    CHECK_FALSE(game.labels[1]);
    CHECK(game.labels[2]);
    CHECK(read("chess", "e4 e5", "e4").reason.starts_with("label \"\" is not legal"));
    CHECK(read("chess", "e4 e5", "e4 e4").refused == 1);
}

TEST_CASE("boards are the same whatever stands in the fields behind them") {
    BoardQuestions questions;
    questions.board_fields = 2;
    const ReadGame there_and_back = read("chess", "Nf3 Nf6 Rg1 Rg8 Rh1 Rh8 e4", "", questions);
    CHECK(there_and_back.boards[2] == there_and_back.boards[6]);
    CHECK(there_and_back.keys[2] != there_and_back.keys[6]);  // no more castling
    CHECK(there_and_back.boards[2] != there_and_back.boards[3]);
}

TEST_CASE("letters on the board are weighed") {
    BoardQuestions questions;
    questions.letter_weights['q'] = questions.letter_weights['Q'] = 9;
    questions.letter_weights['w'] = 1000;  // the side to move is not on the board
    const ReadGame game = read("chess", "e4 d5 exd5 Qxd5 Nc3 Qxg2 Bxg2 a6", "", questions);
    CHECK(game.board_weights == std::vector<std::int32_t>{18, 18, 18, 18, 18, 18, 18, 9});
}

TEST_CASE("a set of keys knows each key once, zero too") {
    KeySet keys;
    for (int round = 0; round < 2; ++round) {
        for (Key i = 0; i < 5000; ++i) CHECK(keys.add(i) == (round == 0));
        for (Key i = 0; i < 5000; ++i) CHECK(keys.add(splitmix64(i)) == (round == 0));
    }
    CHECK(keys.size() == 10000);
    CHECK(keys.contains(0));
    CHECK(keys.contains(splitmix64(4999)));
    CHECK_FALSE(keys.contains(5000));
    CHECK_FALSE(KeySet().contains(0));
}
