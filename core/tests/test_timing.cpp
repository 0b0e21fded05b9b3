// Timing, and the clock that keeps to it.
#include <doctest/doctest.h>

#include "play/bank.hpp"
#include "registry.hpp"

using namespace plypilot;

namespace {

/// A clock that stands still but for what a test adds, and that counts how often it is looked at.
double simulated_seconds = 0;
int looks = 0;

double simulated_now() {
    ++looks;
    return simulated_seconds;
}

/// What a search uses of a limit if each of its nodes takes so long.
double used(double node_seconds, double limit) {
    const std::atomic<bool> stop{false};
    const double started = simulated_seconds;
    const Timing timing;
    Clock clock({.seconds = limit}, stop, {}, timing, simulated_now);
    for (std::uint64_t nodes = 0; !clock.is_over(nodes); ++nodes) simulated_seconds += node_seconds;
    return simulated_seconds - started;
}

constexpr std::array<double, 4> node_speeds = {0.2e-6, 2e-6, 20e-6, 50e-6};  // seconds a node

}  // namespace

TEST_CASE("clock: quick and slow searches end within a node of their time") {
    for (const double node_seconds : node_speeds) {
        CAPTURE(node_seconds);
        for (const double limit : {2e-3, 10e-3, 0.1}) {
            const double over = used(node_seconds, limit) - limit;
            CHECK(over > -1e-9);
            CHECK(over < node_seconds + 1e-9);
        }
    }
}

TEST_CASE("clock: it is looked at every 20 microseconds, whatever the speed") {
    for (const double node_seconds : {0.2e-6, 2e-6}) {
        looks = 0;
        used(node_seconds, 0.1);
        CAPTURE(node_seconds);
        CHECK(looks > 0.9 * 0.1 / 20e-6);
        CHECK(looks < 1.1 * 0.1 / 20e-6);
    }
}

TEST_CASE("equal time is equal: at 2 ms a move a slow search uses what a quick one uses, to a hundredth") {
    std::array<double, node_speeds.size()> totals{};
    for (std::size_t i = 0; i < node_speeds.size(); ++i) {
        FixedTime time(2e-3);
        for (int move = 0; move < 100; ++move) {
            const double spent = used(node_speeds[i], time.limit());
            time.spend(spent);
            totals[i] += spent;
        }
    }
    for (const double total : totals) CHECK(total == doctest::Approx(100 * 2e-3).epsilon(0.01));
}

TEST_CASE("clock: a node limit is exact, with and without a limit of time") {
    const std::atomic<bool> stop{false};
    for (const double seconds : {0.0, 1000.0}) {
        for (const std::uint64_t limit : {1u, 31u, 33u, 511u, 512u, 513u, 5000u}) {
            Clock clock({.nodes = limit, .seconds = seconds}, stop);
            std::uint64_t nodes = 0;
            while (!clock.is_over(nodes)) ++nodes;
            CHECK(nodes == limit);
            CHECK(clock.is_over());
        }
    }
}

TEST_CASE("clock: a search that begins too late still searches some nodes") {
    const std::atomic<bool> stop{false};
    Clock clock({.seconds = 1e-9}, stop);
    std::uint64_t nodes = 0;
    while (!clock.is_over(nodes)) ++nodes;
    CHECK(nodes == 32);
    CHECK(clock.allows_iteration(1));
    CHECK_FALSE(clock.allows_iteration(2));
}

TEST_CASE("clock: the timing is asked after each iteration, and no other follows where it says so") {
    const std::atomic<bool> stop{false};
    Clock clock({.seconds = 1000, .soft_seconds = 5}, stop);
    CHECK(clock.allows_iteration(2));
    clock.after_iteration({.depth = 2, .spent = {0, 4.9}});
    CHECK(clock.allows_iteration(3));
    clock.after_iteration({.depth = 3, .spent = {0, 5}});
    CHECK_FALSE(clock.allows_iteration(4));
    CHECK_FALSE(clock.is_over());
    clock.set_time(1000, 0);  // there is no soft limit any more
    clock.after_iteration({.depth = 3, .spent = {0, 5}});
    CHECK(clock.allows_iteration(4));
}

TEST_CASE("search: it ends between two iterations where the timing says so") {
    const AnyGame& game = *find_game("chess");
    const auto position = game.from_fen(*game.start_fen(""));
    const auto searcher = game.searcher({}, {});
    const std::atomic<bool> stop{false};
    Clock clock({.depth = 4, .soft_seconds = 1e-9}, stop);
    const SearchResult result = searcher->run(*position, clock);
    CHECK(result.iterations.size() == 1);
    CHECK_FALSE(result.stopped);
}

TEST_CASE("timing: nodes are shared out whole, and never more than there are") {
    const Timing timing;
    const auto nodes = [&](Funds funds, std::uint64_t fixed = 0) {
        funds.unit = Funds::Unit::nodes;
        return timing.limits(funds, {.nodes = fixed}).nodes;
    };
    CHECK(nodes({.left = 3000}) == 100);
    CHECK(nodes({.left = 3000, .increment = 100}) == 175);
    CHECK(nodes({.left = 3000, .moves_to_go = 2}) == 1500);
    CHECK(nodes({.left = 50, .increment = 1000}) == 50);
    CHECK(nodes({.left = 0, .byoyomi = 70}) == 70);
    CHECK(nodes({.left = 0.5}) == 1);
    CHECK(nodes({.left = 3000}, 40) == 40);
    CHECK(nodes({.left = 3000}, 400) == 100);
    CHECK(timing.limits({.unit = Funds::Unit::nodes, .left = 9}, {.depth = 3, .seconds = 2}).seconds == 2);
}

TEST_CASE("timing: the parts of a share are settings") {
    const Timing timing({.moves_to_go = 10, .margin_ms = 0, .soft_share = 0.5, .hard_share = 2});
    const Limits limits = timing.limits({.left = 20}, {});
    CHECK(limits.soft_seconds == doctest::Approx(1));
    CHECK(limits.seconds == doctest::Approx(4));
    CHECK(timing.limits({.left = 20}, {.seconds = 3}).seconds == doctest::Approx(3));
}
