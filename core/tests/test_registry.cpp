// Promises of every registered game, played at random through the virtual interface; the sanitizers run this too.
#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "registry.hpp"

using namespace plypilot;

namespace {

std::unique_ptr<AnyPosition> start_of(const AnyGame& game) { return game.from_fen(*game.start_fen("")); }

/// Plays at random to the end or to a limit. Returns the position strings met, as a trace to compare.
std::string play(const AnyGame& game, unsigned seed, int plies) {
    std::mt19937 random(seed);
    auto position = start_of(game);
    std::string trace;
    for (int ply = 0; ply < plies && !position->outcome(); ++ply) {
        MoveList list;
        position->generate(list);
        position->try_push(list[random() % list.size()]);
        trace += position->fen() + '\n';
    }
    return trace;
}

}  // namespace

TEST_CASE("the registry is sorted and finds games and variants by name") {
    std::string names;
    for (const AnyGame* game : games()) names += std::string(game->info().name) + ' ';
    CHECK(names == "breakthrough chess loa shogi ");
    CHECK(find_game("breakthrough-6x5") == find_game("breakthrough"));
    CHECK(find_game("go") == nullptr);
    CHECK(find_game("breakthrough")->start_fen("6x5") == "pppppp/pppppp/6/PPPPPP/PPPPPP w");
    CHECK_FALSE(find_game("breakthrough")->start_fen("9x9"));
    CHECK_FALSE(find_game("loa")->start_fen("6x6"));
}

TEST_CASE("making and taking back restores every position, and its string gives the same hash") {
    for (const AnyGame* game : games()) {
        CAPTURE(game->info().name);
        for (unsigned seed = 0; seed < 4; ++seed) {
            std::mt19937 random(seed);
            auto position = start_of(*game);
            std::vector<std::string> strings;
            std::vector<Key> keys;
            while (strings.size() < 120 && !position->outcome()) {
                MoveList list;
                position->generate(list);
                REQUIRE(position->count_moves() == list.size());
                strings.push_back(position->fen());
                keys.push_back(position->key());
                const Move move = list[random() % list.size()];
                position->move_features(move);
                for (std::size_t set = 0; set < game->info().feature_sets.size(); ++set)
                    position->features(static_cast<int>(set));
                REQUIRE(position->parse_move(position->move_text(move)) == move);
                REQUIRE(position->try_push(move));
                REQUIRE(game->from_fen(position->fen())->key() == position->key());
            }
            for (; !strings.empty(); strings.pop_back(), keys.pop_back()) {
                position->pop();
                REQUIRE(position->fen() == strings.back());
                REQUIRE(position->key() == keys.back());
            }
        }
    }
}

TEST_CASE("counting in bulk equals counting move by move") {
    for (const AnyGame* game : games()) {
        CAPTURE(game->info().name);
        auto position = start_of(*game);
        CHECK(position->perft(3, Bulk::yes) == position->perft(3, Bulk::no));
        CHECK(position->perft(0, Bulk::yes) == 1);
    }
}

TEST_CASE("illegal moves are refused and change nothing") {
    for (const AnyGame* game : games()) {
        auto position = start_of(*game);
        const std::string before = position->fen();
        std::size_t legal = 0;
        for (unsigned bits = 0; bits < 1u << 16; ++bits) {
            const Move move{static_cast<std::uint16_t>(bits)};
            if (position->is_legal(move)) {
                ++legal;
            } else if (bits % 97 == 0) {
                REQUIRE_FALSE(position->try_push(move));
            }
        }
        CHECK(legal == position->count_moves());
        CHECK(position->fen() == before);
    }
}

TEST_CASE("games in several threads do not disturb each other") {
    for (const AnyGame* game : games()) {
        const std::string alone = play(*game, 1, 150);
        std::vector<std::string> traces(3);
        {
            std::vector<std::jthread> threads;
            for (std::string& trace : traces) threads.emplace_back([&] { trace = play(*game, 1, 150); });
        }
        for (const std::string& trace : traces) CHECK(trace == alone);
    }
}
