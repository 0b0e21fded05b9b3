// The small objects that the search asks, and the signature of the whole.
#include <doctest/doctest.h>

#include <set>
#include <thread>

#include "registry.hpp"

using namespace plypilot;

TEST_CASE("table: an entry comes back as it was stored") {
    for (const TableSettings& settings : {TableSettings{14, 1, false, false}, TableSettings{14, 4, false, false},
                                          TableSettings{14, 16, false, false}, TableSettings{14, 1, true, false}}) {
        Table table(settings);
        for (Score score : {0, 1, -1, win_score, -win_score}) {
            for (Depth depth : {0, 1, ply_units, -ply_units, 200 * ply_units}) {
                const Key key = splitmix64(static_cast<std::uint64_t>(score * 1000 + depth));
                table.store(key, {Move{0xabcd}, score, depth, Bound::lower});
                const auto entry = table.find(key);
                REQUIRE(entry);
                CHECK(entry->move == Move{0xabcd});
                CHECK(entry->score == score);
                CHECK(entry->depth == depth);
                CHECK(entry->bound == Bound::lower);
                CHECK_FALSE(table.find(key ^ 1));
            }
        }
    }
}

TEST_CASE("table: a deeper entry is kept, an equal or shallower one gives way") {
    Table table({14, 1, false, false});
    const Key one = 5, two = 5 | Key{1} << 40;  // the same place
    table.store(one, {Move{1}, 0, 5 * ply_units, Bound::exact});
    table.store(two, {Move{2}, 0, 4 * ply_units, Bound::exact});
    CHECK(table.find(one));
    CHECK_FALSE(table.find(two));
    table.store(two, {Move{2}, 0, 5 * ply_units, Bound::exact});
    CHECK_FALSE(table.find(one));
    CHECK(table.find(two));
}

TEST_CASE("table: with several probes the shallowest gives way") {
    Table table({14, 4, false, false});
    const auto key = [](int n) { return Key{8} | Key(n) << 40; };
    for (int n = 0; n < 4; ++n) table.store(key(n), {Move{1}, 0, (n + 2) * ply_units, Bound::exact});
    table.store(key(9), {Move{1}, 0, 3 * ply_units, Bound::exact});
    CHECK_FALSE(table.find(key(0)));
    for (int n : {1, 2, 3, 9}) CHECK(table.find(key(n)));
}

TEST_CASE("table: of two levels one holds the deepest and one the newest") {
    Table table({14, 1, true, false});
    const auto key = [](int n) { return Key{8} | Key(n) << 40; };
    table.store(key(1), {Move{1}, 0, 6 * ply_units, Bound::exact});
    table.store(key(2), {Move{2}, 0, 2 * ply_units, Bound::exact});
    table.store(key(3), {Move{3}, 0, 1 * ply_units, Bound::exact});
    CHECK(table.find(key(1)));
    CHECK_FALSE(table.find(key(2)));
    CHECK(table.find(key(3)));
    table.store(key(4), {Move{4}, 0, 7 * ply_units, Bound::exact});  // pushes the deepest behind itself
    CHECK(table.find(key(4)));
    CHECK(table.find(key(1)));
    CHECK_FALSE(table.find(key(3)));
}

TEST_CASE("table: it is empty after it was cleared, small or large") {
    for (int log2_entries : {14, 17, 20}) {
        Table table({log2_entries, 4, false, false});
        for (Key key = 1; key <= 1000; ++key) table.store(splitmix64(key), {Move{7}, 1, ply_units, Bound::exact});
        CHECK(table.find(splitmix64(1)));
        table.clear();
        CHECK(table.permill() == 0);
        for (Key key = 1; key <= 1000; ++key) CHECK_FALSE(table.find(splitmix64(key)));
        table.store(splitmix64(5), {Move{9}, 1, ply_units, Bound::exact});
        CHECK(table.find(splitmix64(5))->move == Move{9});
    }
}

TEST_CASE("a win's distance is kept from the node, whatever the root") {
    CHECK(from_table(to_table(win_in(7), 3), 3) == win_in(7));
    CHECK(from_table(to_table(win_in(7), 3), 5) == win_in(9));
    CHECK(from_table(to_table(loss_in(7), 3), 5) == loss_in(9));
    CHECK(from_table(to_table(120, 3), 5) == 120);
}

TEST_CASE("logarithms are whole numbers of sixteenths") {
    CHECK(log2_sixteenths(1) == 0);
    CHECK(log2_sixteenths(2) == 16);
    CHECK(log2_sixteenths(3) == 25);   // 16 * 1.585
    CHECK(log2_sixteenths(10) == 53);  // 16 * 3.322
    CHECK(log2_sixteenths(64) == 96);
}

TEST_CASE("reductions grow with depth and with the number of moves before") {
    CHECK(late_reduction(2 * ply_units, 20) == 0);
    CHECK(late_reduction(10 * ply_units, 2) == 0);
    for (int depth = 3; depth < 30; ++depth) {
        for (int index = 3; index < 60; ++index) {
            CHECK(late_reduction(depth * ply_units, index) <= late_reduction((depth + 1) * ply_units, index));
            CHECK(late_reduction(depth * ply_units, index) <= late_reduction(depth * ply_units, index + 1));
            CHECK(late_reduction(depth * ply_units, index) < depth * ply_units);
        }
    }
}

TEST_CASE("the history of a move stays within its bounds and fades") {
    Memory memory;
    const Move move{77};
    for (int i = 0; i < 100000; ++i) memory.reward(first, move, Move{5}, 3, 20 * ply_units);
    CHECK(memory.history(first, move) > 1000);
    CHECK(memory.history(second, move) == 0);
    CHECK(memory.history_updates() == 100000);
    CHECK(memory.countermove(first, Move{5}) == move);
    CHECK(memory.killers(3)[0] == move);
    const int before = memory.history(first, move);
    memory.age();
    CHECK(memory.history(first, move) == before / 2);
    CHECK(memory.killers(3)[0] == Move{});
}

namespace {

SearchSettings everything_on() {
    SearchSettings settings;
    settings.window = {Window::pvs, 30};
    settings.table = {16, 4, false, false};
    settings.quiescence = {true, 6, true, 150, true};
    settings.ordering = {true, true, true, 2, true, true, false, 2};
    settings.depth.reduce_late = true;
    settings.depth.singular = 2;
    settings.depth.recapture = true;
    settings.depth.mate_threat_units = ply_units / 2;
    settings.pruning = {2, true, true, true, 100, 4};
    settings.early_repetition = true;
    return settings;
}

}  // namespace

TEST_CASE("a search without limits ends soon after another thread limits its time or stops it") {
    const AnyGame& game = *find_game("chess");
    const auto position = game.from_fen(*game.start_fen(""));
    const auto searcher = game.searcher(everything_on(), {});
    for (int threads : {1, 2}) {
        for (bool by_time : {true, false}) {
            std::atomic<bool> stop{false};
            Clock clock({}, stop);
            SearchResult result;
            std::thread thread([&] { result = searcher->run(*position, clock, {}, false, {.threads = threads}); });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (by_time) {
                clock.set_time(0.02, 0.01);
            } else {
                stop = true;
            }
            thread.join();
            CHECK(result.seconds >= (by_time ? 0.03 : 0.02));
            CHECK(result.seconds < 5);  // far more than it takes, for machines that are busy
            CHECK(position->is_legal(result.move));
        }
    }
}

TEST_CASE("a search whose clock was stopped before it begins ends soon, with a move that it has searched") {
    const AnyGame& game = *find_game("loa");
    const auto position = game.from_fen(*game.start_fen(""));
    const auto searcher = game.searcher(everything_on(), {});
    const std::atomic<bool> stop{true};
    Clock clock({}, stop);
    RootRequest request;
    MoveList list;
    position->generate(list);
    request.moves = {list[5]};
    const SearchResult result = searcher->run(*position, clock, {}, false, request);
    CHECK(result.nodes.all > 0);
    CHECK(result.nodes.all <= 512);
    CHECK(result.iterations.size() == 1);
    CHECK(result.move == list[5]);
}

TEST_CASE("the signature of the search is the same under every compiler") {
    // Nodes of fixed searches with every technique on. A change of behaviour changes them: then look why, and renew.
    const std::vector<std::pair<std::string_view, std::uint64_t>> signature = {
        {"breakthrough", 10064}, {"chess", 23586}, {"loa", 41193}, {"shogi", 23912}};
    for (const auto& [name, nodes] : signature) {
        const AnyGame& game = *find_game(name);
        EvaluationSettings evaluation;
        evaluation.kind = EvaluationSettings::Kind::linear;
        for (std::size_t set = 0; set < game.info().feature_sets.size(); ++set) {
            const std::string_view set_name = game.info().feature_sets[set].name;
            if (set_name != "material" && set_name != "half_board") continue;
            std::vector<float> weights;
            for (std::size_t i = 0; i < game.info().feature_sets[set].features.size(); ++i)
                weights.push_back(static_cast<float>(set_name == "material" ? 100 + 100 * i : i * 7 % 31));
            evaluation.terms.emplace_back(static_cast<int>(set), weights);
        }
        const auto searcher = game.searcher(everything_on(), evaluation);
        std::uint64_t counted = 0;
        auto position = game.from_fen(*game.start_fen(""));
        for (int number = 0; number < 6; ++number) {
            const std::atomic<bool> stop{false};
            Clock clock({.depth = 6}, stop);
            const SearchResult result = searcher->run(*position, clock, {}, false);
            counted += result.nodes.all;
            position->try_push(result.move);
        }
        CAPTURE(name);
        CHECK(counted == nodes);
    }
}
