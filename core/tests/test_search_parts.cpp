// The small objects that the search asks, and the signature of the whole.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <thread>

#include "games/breakthrough.hpp"
#include "games/chess.hpp"
#include "games/loa.hpp"
#include "games/shogi.hpp"
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

TEST_CASE("table: probes that are not aligned reach from the own entry over those behind it") {
    Table table({14, 4, false, false, false});
    const auto key = [](int place, int n) { return Key(place) | Key(n) << 40; };
    const auto store = [&](Key own, int plies) { table.store(own, {Move{1}, 0, plies * ply_units, Bound::exact}); };
    for (int n = 0; n < 4; ++n) store(key(9, n), 5);  // places 9 to 12
    store(key(11, 0), 5);                             // place 13, behind those
    store(key(13, 1), 5);                             // place 14: 13 is taken
    for (int n = 0; n < 4; ++n) CHECK(table.find(key(9, n)));
    CHECK(table.find(key(11, 0)));
    CHECK(table.find(key(13, 1)));
    store(key(10, 0), 4);  // 10 to 13 are full of deeper ones
    CHECK_FALSE(table.find(key(10, 0)));
    const int last = (1 << 14) - 1;
    for (int n = 0; n < 3; ++n) store(key(last, n), 5);  // the last place, and on from the first
    for (int n = 0; n < 3; ++n) CHECK(table.find(key(last, n)));
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

TEST_CASE("table: one that was cleared, however often, keeps and replaces as a new one") {
    for (const TableSettings& settings :
         {TableSettings{4, 1, false, false}, TableSettings{4, 4, false, false}, TableSettings{4, 1, true, false}}) {
        Table used(settings);
        for (int game = 0; game < 200; ++game) {
            Table fresh(settings);
            for (Key number = 0; number < 60; ++number) {
                const Key key = splitmix64(static_cast<Key>(game % 7) * 16 + number % 40);  // many as in games before
                const Depth depth = static_cast<Depth>(splitmix64(key + number + game) % 9) * ply_units;
                for (Table* table : {&used, &fresh}) table->store(key, {Move{1}, game, depth, Bound::exact});
            }
            REQUIRE(used.permill() == fresh.permill());
            for (Key number = 0; number < 160; ++number) {
                const auto kept = used.find(splitmix64(number)), expected = fresh.find(splitmix64(number));
                REQUIRE(kept.has_value() == expected.has_value());
                if (kept) REQUIRE((kept->score == expected->score && kept->depth == expected->depth));
            }
            used.clear();
        }
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

TEST_CASE("history shifts late reductions both ways, within the depth that is left") {
    DepthSettings settings;
    settings.reduce_late = true;
    settings.late_history_units = 3 * ply_units;
    DepthRules<Chess> rules(settings);
    const Chess position = Chess::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    DepthRules<Chess>::FeatureReader features(position, rules.wanted());
    const auto reduced = [&](int plies, int order) {
        const Node node{.depth = plies * ply_units};
        Candidate candidate{.is_quiet = true, .rank = 20, .order = order};
        return rules.reduction(node, candidate, features);
    };
    const Depth usual = late_reduction(10 * ply_units, 20);
    CHECK(reduced(10, 0) == usual);
    CHECK(reduced(10, most_order / 2) == usual - 3 * ply_units / 2);
    CHECK(reduced(10, -most_order / 2) == usual + 3 * ply_units / 2);
    CHECK(reduced(10, 4 * most_order) == reduced(10, most_order));
    CHECK(reduced(3, most_order) == 0);
    CHECK(reduced(3, -most_order) < 3 * ply_units);
}

TEST_CASE("the history of a move stays within its bounds and fades") {
    Memory<Chess> memory;
    const Move move{77};
    for (int i = 0; i < 100000; ++i) memory.reward(first, move, Move{5}, 3, 20 * ply_units);
    CHECK(memory.history(first, move) > 1000);
    CHECK(memory.history(second, move) == 0);
    CHECK(memory.countermove(first, Move{5}) == move);
    CHECK(memory.killers(3)[0] == move);
    const int before = memory.history(first, move);
    memory.age();
    CHECK(memory.history(first, move) == before / 2);
    CHECK(memory.killers(3)[0] == Move{});
}

TEST_CASE("a capture that comes first counts as quiet where captures are ordered as quiet moves are") {
    const Chess position = Chess::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    MoveList captures;
    position.generate_tactical(captures);
    REQUIRE(captures.size() == 1);
    for (const bool come_first : {true, false}) {
        OrderingSettings settings;
        settings.captures = come_first;
        Ordering<Chess> ordering(settings, 1);
        const Node node{.depth = 4 * ply_units};
        Picker<Chess> picker = ordering.moves(position, node, captures[0]);
        const Candidate candidate = picker.next([] { return true; });
        CHECK(candidate.move == captures[0]);
        CHECK(candidate.stage == Stage::first);
        CHECK(candidate.is_quiet == !come_first);
    }
}

namespace {

/// Plays at random from some positions and notes which move of each side has which slot.
template <class P>
void check_slots(const std::vector<std::string>& starts, int games) {
    std::array<std::vector<Move>, 2> moves{std::vector<Move>(move_slots<P>), std::vector<Move>(move_slots<P>)};
    std::mt19937 random(11);
    std::size_t seen = 0;
    for (int game = 0; game < games; ++game) {
        P position = P::from_fen(starts[static_cast<std::size_t>(game) % starts.size()]);
        for (int ply = 0; ply < 150 && !outcome(position); ++ply) {
            MoveList list;
            position.generate(list);
            for (Move move : list) {
                REQUIRE(move_slot<P>(move) < move_slots<P>);
                Move& other = moves[position.side()][move_slot<P>(move)];
                CAPTURE(P::move_text(move));
                CAPTURE(P::move_text(other));
                REQUIRE((!other || other == move));
                seen += !other;
                other = move;
            }
            position.push(list[random() % list.size()]);
        }
    }
    CHECK(seen >= 400);
}

}  // namespace

TEST_CASE("no two moves of a side share a slot of the memory, whatever the game") {
    check_slots<Breakthrough>({std::string(Breakthrough::info().start_fen)}, 100);
    check_slots<LinesOfAction>({std::string(LinesOfAction::info().start_fen)}, 100);
    check_slots<Shogi>({std::string(Shogi::info().start_fen)}, 200);
    // Pawns about to promote beside queens and rooks; kings who step and castle on one square, as in Chess960.
    check_slots<Chess>({std::string(Chess::info().start_fen), "1qr5/PPPPPP2/7k/8/8/7K/pppppp2/1QR5 w - - 0 1",
                        "2rk1r2/pppppppp/2q5/8/8/2Q5/PPPPPPPP/2RK1R2 w KQkq - 0 1",
                        "1rkr4/8/2q5/8/8/2Q5/8/1RKR4 w KQkq - 0 1", "r3k2r/8/2q5/8/8/2Q5/8/R3K2R w KQkq - 0 1"},
                       500);
}

TEST_CASE(
    "memory: what is learned of a queen's move says nothing about a pawn's step or castling on the same squares") {
    const auto move = [](std::string_view fen, std::string_view text) {
        const AnyGame& game = *find_game("chess");
        return *game.from_fen(std::string(fen))->parse_move(text);
    };
    const Move queen = move("k7/8/8/8/8/8/4Q3/4K3 w - - 0 1", "e2e3");
    const Move pawn = move("k7/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e3");
    const Move rank = move("k7/8/8/8/8/8/8/4Q1KR w - - 0 1", "e1f1");
    const Move castling = move("k7/8/8/8/8/8/8/4KR2 w K - 0 1", "e1f1");
    REQUIRE(Chess::to(castling) == Chess::to(rank));
    Memory<Chess> memory;
    memory.reward(first, queen, {}, 0, 5 * ply_units);
    memory.reward(first, rank, queen, 0, 5 * ply_units);
    CHECK(memory.history(first, queen) > 0);
    CHECK(memory.history(first, pawn) == 0);
    CHECK(memory.history(first, castling) == 0);
    CHECK(memory.countermove(first, queen) == rank);
    CHECK(memory.countermove(first, pawn) == Move{});
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

namespace {

/// Notes the nodes in which a quiescence search found no move that reaches alpha, with the line that leads there.
class FailLows final : public EventSink {
  public:
    struct FailLow {
        std::vector<Move> line;
        Score alpha, score;
    };
    std::vector<FailLow> nodes;

    void on_enter(const Node& node) override {
        line_.resize(static_cast<std::size_t>(node.ply));
        if (node.ply) line_.back() = node.previous;
    }
    void on_leave(const Node& node, Score score, Left how) override {
        if (how != Left::quiesced || score > node.first_alpha) return;
        nodes.push_back({{line_.begin(), line_.begin() + node.ply}, node.first_alpha, score});
    }

  private:
    std::vector<Move> line_;
};

/// Each piece is worth what it counts in exchanges, and nothing else matters.
EvaluationSettings count_of_pieces() {
    EvaluationSettings evaluation;
    evaluation.kind = EvaluationSettings::Kind::linear;
    const auto& sets = LinesOfAction::info().feature_sets;
    for (std::size_t set = 0; set < sets.size(); ++set) {
        if (sets[set].name == "material") evaluation.terms.emplace_back(static_cast<int>(set), std::vector<float>{100});
    }
    return evaluation;
}

}  // namespace

TEST_CASE("quiescence: what the margin leaves out is no less than the bound that is given for the node") {
    SearchSettings settings;
    settings.window.kind = Window::pvs;
    settings.quiescence.on = true;
    settings.quiescence.most_plies = 1;  // one capture, whose value is then known
    settings.quiescence.margin = 30;
    const AnyGame& game = *find_game("loa");
    const auto searcher = game.searcher(settings, count_of_pieces());
    std::mt19937 random(3);
    int skipped = 0;
    for (int number = 0; number < 20; ++number) {
        auto position = game.from_fen(*game.start_fen(""));
        for (int ply = 0; ply < 40 && !position->outcome(); ++ply) {
            MoveList list;
            position->generate(list);
            position->try_push(list[random() % list.size()]);
        }
        if (position->outcome()) continue;
        FailLows sink;
        const std::atomic<bool> stop{false};
        Clock clock({.depth = 2}, stop);
        searcher->run(*position, clock, {}, {}, &sink);
        for (const auto& node : sink.nodes) {
            const auto below = position->clone();
            for (Move move : node.line) REQUIRE(below->try_push(move));
            const Score stood = searcher->evaluate(*below);
            const LinesOfAction& board = static_cast<const ErasedPosition<LinesOfAction>&>(*below).position();
            MoveList list;
            board.generate_noisy(list);
            const bool captures = std::any_of(list.begin(), list.end(), [&](Move move) {
                LinesOfAction after = board;
                after.push(move);
                return !after.decided();
            });
            const Score value = captures ? stood + LinesOfAction::piece_value : stood;
            skipped += value > stood && value <= node.alpha;
            CAPTURE(below->fen());
            REQUIRE(node.score >= std::min(value, node.alpha));
        }
    }
    CHECK(skipped > 100);
}

TEST_CASE("each selective technique selects, in every window and game") {
    struct Technique {
        std::string_view name;
        std::function<void(SearchSettings&)> switch_on;
        std::function<std::uint64_t(const Statistics&)> uses;
    };
    const std::vector<Technique> techniques = {
        {"null move", [](auto& s) { s.pruning.null_reduction = 2; }, [](auto& n) { return n.ended_by(Left::passed); }},
        {"futile positions", [](auto& s) { s.pruning.futility_margin = 50; },
         [](auto& n) { return n.ended_by(Left::futile); }},
        {"futile moves", [](auto& s) { s.pruning.futility_margin = 50; },
         [](auto& n) { return n.skipped[static_cast<std::size_t>(Skip::futile)]; }},
        {"late moves", [](auto& s) { s.pruning.late_moves = 4; },
         [](auto& n) { return n.skipped[static_cast<std::size_t>(Skip::late)]; }},
        {"late reductions", [](auto& s) { s.depth.reduce_late = true; }, [](auto& n) { return n.reduced; }},
        {"categories", [](auto& s) { s.depth.categories = {{1, ply_units / 2}}; }, [](auto& n) { return n.extended; }},
    };
    const auto uses_in = [](const AnyGame& game, Window window, const Technique& technique, bool is_on) {
        SearchSettings settings;
        settings.window.kind = window;
        settings.table.log2_entries = 14;
        settings.quiescence.on = true;
        settings.ordering = {true, true, true, 2, true, true, false, 0};
        if (is_on) technique.switch_on(settings);
        EvaluationSettings evaluation;
        evaluation.kind = EvaluationSettings::Kind::random;
        evaluation.random_size = 300;
        const auto position = game.from_fen(*game.start_fen(""));
        Statistics statistics;
        Counts counts(statistics);
        const std::atomic<bool> stop{false};
        Clock clock({.depth = 4, .nodes = 50000}, stop);
        game.searcher(settings, evaluation)->run(*position, clock, {}, {}, &counts);
        return technique.uses(statistics);
    };
    for (const std::string_view name : {"breakthrough", "chess", "loa", "shogi"}) {
        for (const Window window : {Window::alpha_beta, Window::pvs, Window::mtdf}) {
            for (const Technique& technique : techniques) {
                CAPTURE(name);
                CAPTURE(static_cast<int>(window));
                CAPTURE(technique.name);
                CHECK(uses_in(*find_game(name), window, technique, true) > 0);
                CHECK(uses_in(*find_game(name), window, technique, false) == 0);
            }
        }
    }
}

TEST_CASE("a search without limits ends soon after another thread limits its time or stops it") {
    const AnyGame& game = *find_game("chess");
    const auto position = game.from_fen(*game.start_fen(""));
    const auto searcher = game.searcher(everything_on(), {});
    for (int threads : {1, 2}) {
        for (bool by_time : {true, false}) {
            std::atomic<bool> stop{false};
            Clock clock({}, stop);
            SearchResult result;
            std::thread thread([&] { result = searcher->run(*position, clock, {}, {.threads = threads}); });
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
    const SearchResult result = searcher->run(*position, clock, {}, request);
    CHECK(result.nodes.all > 0);
    CHECK(result.nodes.all <= 512);
    CHECK(result.iterations.size() == 1);
    CHECK(result.move == list[5]);
}

TEST_CASE("a move that costs less than a ply is selected against the less the cheaper it is, without a cliff") {
    const auto strength = [](Depth cost, int fade_units) {
        PruningSettings settings;
        settings.fade_units = fade_units;
        Candidate candidate;
        candidate.cost = cost;
        return Pruning(settings).strength(candidate);
    };
    Depth last = ply_units;
    for (Depth cost = 2 * ply_units; cost >= 0; --cost) {
        const Depth now = strength(cost, ply_units / 2);
        CHECK(now <= last);
        CHECK(last - now <= 2);
        last = now;
    }
    CHECK(strength(ply_units, ply_units / 2) == ply_units);
    CHECK(strength(ply_units / 2, ply_units / 2) == 0);
    CHECK(strength(3 * ply_units / 4, ply_units / 2) == ply_units / 2);
    CHECK(strength(ply_units / 2, ply_units) == ply_units / 2);
    CHECK(strength(ply_units - 1, 0) == 0);

    // A late move is skipped later, and one that misses is given more, as much as its strength is less.
    PruningSettings settings;
    settings.late_moves = 4;
    settings.futility_margin = 100;
    const Pruning pruning(settings);
    Node node{.ply = 3, .depth = ply_units, .alpha = 1000, .beta = 1001};
    node.best = 0;
    Candidate candidate{.is_quiet = true, .rank = 9, .quiet_rank = 9};
    CHECK(pruning.skip(node, candidate) == Skip::late);
    candidate.cost = 3 * ply_units / 4;
    CHECK(pruning.skip(node, candidate) == Skip::no);
    candidate.quiet_rank = 10;
    CHECK(pruning.skip(node, candidate) == Skip::late);
    candidate.quiet_rank = 0;
    node.has_static = true;
    node.static_score = 700;
    CHECK(pruning.skip(node, candidate) == Skip::no);
    node.static_score = 600;
    CHECK(pruning.skip(node, candidate) == Skip::futile);
}
