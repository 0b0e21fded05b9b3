// What games are played with: banks, fixed times, adjudication, chance.
#include <doctest/doctest.h>

#include <set>

#include "play/adjudicator.hpp"
#include "play/bank.hpp"
#include "play/chance.hpp"
#include "registry.hpp"

using namespace plypilot;

TEST_CASE("bank: a move takes what it spent and adds its increment") {
    Bank bank({.left = 10, .increment = 2});
    CHECK_FALSE(bank.spend(1000000, 3));
    CHECK(bank.funds().left == doctest::Approx(9));
    CHECK(*bank.spend(0, 9.5) == "overstepped the clock by 0.500 seconds");
    Bank nodes({.unit = Funds::Unit::nodes, .left = 10});
    CHECK_FALSE(nodes.spend(10, 1e9));
    CHECK(nodes.funds().left == 0);
    CHECK(*nodes.spend(1, 0) == "overstepped the clock by 1.000 nodes");
}

TEST_CASE("bank: it is filled anew after its moves") {
    Bank bank({.left = 10, .moves_to_go = 2});
    CHECK_FALSE(bank.spend(0, 6));
    CHECK(bank.funds().moves_to_go == 1);
    CHECK_FALSE(bank.spend(0, 1));
    CHECK(bank.funds().moves_to_go == 2);
    CHECK(bank.funds().left == doctest::Approx(13));
}

TEST_CASE("bank: byoyomi is there for each move") {
    Bank bank({.left = 1, .byoyomi = 5});
    CHECK_FALSE(bank.spend(0, 6));
    CHECK(bank.funds().left == 0);
    CHECK_FALSE(bank.spend(0, 5));
    CHECK_FALSE(bank.spend(0, 5));
    CHECK(bank.spend(0, 5.1));
}

TEST_CASE("fixed time: what a move oversteps is taken off the next, within bounds") {
    FixedTime time(1.0);
    CHECK(time.limit() == 1.0);
    double used = 0;
    for (int move = 0; move < 100; ++move) {  // each search ends a hundredth of a second after its limit
        const double spent = time.limit() + 0.01;
        used += spent;
        time.spend(spent);
    }
    CHECK(used == doctest::Approx(100.01));
    time.spend(50);  // a pause
    CHECK(time.limit() == doctest::Approx(0.95));
    time.spend(0.2);
    CHECK(time.limit() == 1.0);
}

namespace {

constexpr auto no_judge = [](Side) -> std::optional<Score> { return std::nullopt; };

std::unique_ptr<AnyPosition> chess_start() {
    const AnyGame& game = *find_game("chess");
    return game.from_fen(*game.start_fen(""));
}

}  // namespace

TEST_CASE("adjudicator: one side's moves in a row are no agreement, and silence ends one") {
    const auto position = chess_start();
    Adjudication rule;
    rule.win_score = 100;
    rule.win_plies = 3;
    Adjudicator game(rule, nullptr);
    for (int ply = 0; ply < 5; ++ply) game.note(first, 200);
    CHECK_FALSE(game.ending(*position, no_judge));
    game.note(second, std::nullopt);
    game.note(first, 200);
    game.note(second, -200);
    CHECK_FALSE(game.ending(*position, no_judge));
    game.note(first, 200);
    CHECK(game.ending(*position, no_judge) == Outcome::win(first, "agreed score"));
}

TEST_CASE("adjudicator: at length both must say who is ahead, by evaluation or by their last scores") {
    const auto position = chess_start();
    Adjudication rule;
    rule.most_plies = 2;
    rule.at_length = Adjudication::AtLength::agreed;
    const auto ending = [&](std::optional<Score> one, std::optional<Score> two, const Adjudicator::Judge& judge) {
        Adjudicator game(rule, nullptr);
        game.note(first, one);
        game.note(second, two);
        return game.ending(*position, judge);
    };
    const auto ahead = Outcome::win(first, "ahead at the length limit");
    const auto level = Outcome::draw("length limit");
    CHECK(ending(5, -5, no_judge) == ahead);
    CHECK(ending(5, 5, no_judge) == level);
    CHECK(ending(5, std::nullopt, no_judge) == level);
    CHECK(ending(std::nullopt, std::nullopt, no_judge) == level);
    CHECK(ending(0, 0, no_judge) == level);
    // White is to move: what a judge says is from White's view.
    CHECK(ending(-5, 5, [](Side) { return std::optional(7); }) == ahead);
    CHECK(ending(-5, -5, [](Side side) { return side == first ? std::optional(7) : std::nullopt; }) == ahead);
    CHECK(ending(5, -5, [](Side side) { return std::optional(side == first ? 7 : -7); }) == level);
}

TEST_CASE("chance: every choice is as likely, and players have their own") {
    std::array<int, 5> counts{};
    Chance chance(7);
    for (int i = 0; i < 10000; ++i) ++counts[chance.choose(5)];
    for (int count : counts) CHECK(std::abs(count - 2000) < 200);
    std::set<std::uint64_t> seeds;
    for (std::uint64_t game = 0; game < 100; ++game) seeds.insert({player_seed(game, 0), player_seed(game, 1)});
    CHECK(seeds.size() == 200);
}
