// With every selective decision off and in exact mode, the search must equal a plain minimax, written apart here.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "games/breakthrough.hpp"
#include "games/chess.hpp"
#include "games/loa.hpp"
#include "games/shogi.hpp"
#include "search/searcher.hpp"

using namespace plypilot;

namespace {

const bool soak = std::getenv("PLYPILOT_SOAK") != nullptr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned positions = 50;  // a sanitizer looks for faults of memory, and takes its time
#else
constexpr unsigned positions = 1000;
#endif

template <class P>
Score plain_minimax(P& position, int depth, int ply, const Evaluator<P>& evaluate) {
    if (ply > 0) {
        if (const auto end = outcome(position))
            return !end->winner ? 0 : *end->winner == position.side() ? win_score - ply : ply - win_score;
    }
    if (depth == 0) return evaluate(position);
    Score best = -infinity;
    MoveList list;
    position.generate(list);
    for (Move move : list) {
        position.push(move);
        best = std::max(best, -plain_minimax(position, depth - 1, ply + 1, evaluate));
        position.pop();
    }
    return best;
}

/// A position of random play in which the game goes on.
template <class P>
P random_position(unsigned seed) {
    std::mt19937 random(seed);
    for (;;) {
        P position = P::from_fen(P::info().start_fen);
        const unsigned plies = random() % 80;
        for (unsigned ply = 0; ply < plies && !outcome(position); ++ply) {
            MoveList list;
            position.generate(list);
            position.push(list[random() % list.size()]);
        }
        if (!outcome(position)) return position;
    }
}

EvaluationSettings random_evaluation() {
    EvaluationSettings evaluation;
    evaluation.kind = EvaluationSettings::Kind::random;
    evaluation.random_size = 50;  // small, so that there are ties
    return evaluation;
}

SearchResult run(AnySearcher& searcher, const AnyPosition& position, const Limits& limits,
                 const RootRequest& request = {}) {
    const std::atomic<bool> stop{false};
    Clock clock(limits, stop);
    return searcher.run(position, clock, {}, request);
}

/// What a search needs to equal minimax, with order and table in use.
SearchSettings exact_settings(Window window, int log2_entries) {
    SearchSettings settings;
    settings.window.kind = window;
    settings.table.log2_entries = log2_entries;
    settings.table.probes = 4;
    settings.table.exact = true;
    settings.ordering = {true, true, true, 2, true, true, false, 0};  // order must not matter
    return settings;
}

template <class P>
void check_against_minimax(int deepest) {
    const Evaluator<P> evaluate(random_evaluation());
    std::vector<Searcher<P>> searchers;
    for (Window window : {Window::alpha_beta, Window::pvs, Window::mtdf}) {
        for (int log2_entries : {0, 14})
            searchers.emplace_back(exact_settings(window, log2_entries), random_evaluation());
    }
    for (unsigned seed = 0; seed < positions; ++seed) {
        P position = random_position<P>(seed);
        const ErasedPosition<P> root(position);
        for (int depth = 1; depth <= deepest; ++depth) {
            const Score value = plain_minimax(position, depth, 0, evaluate);
            for (auto& searcher : searchers) {
                searcher.clear();
                const SearchResult result = run(searcher, root, {.depth = depth});
                CAPTURE(position.fen());
                CAPTURE(depth);
                REQUIRE(result.score == value);
                REQUIRE(is_legal(position, result.move));
            }
        }
    }
}

/// The value of each root move by minimax.
template <class P>
std::vector<ScoredLine> minimax_moves(P& position, int depth, const Evaluator<P>& evaluate) {
    std::vector<ScoredLine> moves;
    MoveList list;
    position.generate(list);
    for (Move move : list) {
        position.push(move);
        moves.push_back({-plain_minimax(position, depth - 1, 1, evaluate), {move}});
        position.pop();
    }
    std::stable_sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    return moves;
}

/// The best lines are those of the best moves, and a search of some moves finds the best of these.
template <class P>
void check_root_against_minimax(int depth) {
    const Evaluator<P> evaluate(random_evaluation());
    for (Window window : {Window::alpha_beta, Window::pvs, Window::mtdf}) {
        Searcher<P> searcher(exact_settings(window, 14), random_evaluation());
        for (unsigned seed = 0; seed < positions / 10; ++seed) {
            P position = random_position<P>(seed);
            const ErasedPosition<P> root(position);
            const auto moves = minimax_moves(position, depth, evaluate);
            CAPTURE(position.fen());

            const SearchResult best = run(searcher, root, {.depth = depth}, {.lines = 4});
            std::vector<ScoredLine> lines = best.iterations.back().others;
            lines.insert(lines.begin(), {best.score, best.line});
            REQUIRE(lines.size() == std::min<std::size_t>(moves.size(), 4));
            for (std::size_t i = 0; i < lines.size(); ++i) {
                CHECK(lines[i].score == moves[i].score);
                for (std::size_t j = 0; j < i; ++j) CHECK(lines[i].moves[0] != lines[j].moves[0]);
            }

            // The worse half of the moves, from the table that the search of all of them has left.
            RootRequest some;
            for (std::size_t i = moves.size() / 2; i < moves.size(); ++i) some.moves.push_back(moves[i].moves[0]);
            const SearchResult restricted = run(searcher, root, {.depth = depth}, some);
            CHECK(restricted.score == moves[moves.size() / 2].score);
            CHECK(std::find(some.moves.begin(), some.moves.end(), restricted.move) != some.moves.end());
        }
    }
}

/// Threads on one table find what one finds.
template <class P>
void check_threads_against_minimax(int depth) {
    const Evaluator<P> evaluate(random_evaluation());
    Searcher<P> searcher(exact_settings(Window::pvs, 14), random_evaluation());
    for (unsigned seed = 0; seed < positions / 10; ++seed) {
        P position = random_position<P>(seed);
        const SearchResult result = run(searcher, ErasedPosition<P>(position), {.depth = depth},
                                        {.lines = 2, .threads = 2 + static_cast<int>(seed % 2)});
        CAPTURE(position.fen());
        CHECK(result.score == plain_minimax(position, depth, 0, evaluate));
        CHECK(result.nodes.all >= result.iterations.back().nodes.all);
        CHECK(result.iterations.size() == static_cast<std::size_t>(depth));
    }
}

}  // namespace

TEST_CASE("the best lines are those of the best moves by minimax, and only the moves asked for are searched") {
    check_root_against_minimax<Breakthrough>(3);
    check_root_against_minimax<Chess>(2);
    check_root_against_minimax<LinesOfAction>(2);
    check_root_against_minimax<Shogi>(2);
}

TEST_CASE("what a search of some moves leaves in the table is not taken for the value of the position") {
    const SearchSettings settings = exact_settings(Window::pvs, 14);
    const Evaluator<Breakthrough> evaluate(random_evaluation());
    const std::atomic<bool> stop{false};
    for (unsigned seed = 0; seed < positions / 10; ++seed) {
        Breakthrough position = random_position<Breakthrough>(seed);
        if (position.ply() == 0) continue;
        Table table(settings.table);
        Decisions<Breakthrough> decisions(settings);
        NoEvents silent;
        const auto search = [&](int depth, const RootRequest& request) {
            Clock clock({.depth = depth}, stop);
            return Search<Breakthrough, NoEvents>(settings, evaluate, table, decisions, clock, silent)
                .run(position, {}, request, depth);
        };
        search(2, {.moves = minimax_moves(position, 2, evaluate).back().moves});
        position.pop();  // to the position before, which finds it at equal depth
        CHECK(search(3, {}).score == plain_minimax(position, 3, 0, evaluate));
    }
}

TEST_CASE("several threads on one table equal minimax") {
    check_threads_against_minimax<Breakthrough>(3);
    check_threads_against_minimax<Chess>(3);
    check_threads_against_minimax<LinesOfAction>(2);
    check_threads_against_minimax<Shogi>(2);
}

TEST_CASE("search without selectivity equals minimax: breakthrough") {
    check_against_minimax<Breakthrough>(soak ? 4 : 3);
}
TEST_CASE("search without selectivity equals minimax: chess") { check_against_minimax<Chess>(soak ? 4 : 3); }
TEST_CASE("search without selectivity equals minimax: loa") { check_against_minimax<LinesOfAction>(soak ? 4 : 3); }
TEST_CASE("search without selectivity equals minimax: shogi") { check_against_minimax<Shogi>(soak ? 3 : 2); }
