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

SearchResult run(AnySearcher& searcher, const AnyPosition& position, const Limits& limits, bool statistics = false) {
    const std::atomic<bool> stop{false};
    Clock clock(limits, stop);
    return searcher.run(position, clock, {}, statistics);
}

template <class P>
void check_against_minimax(int deepest) {
    const Evaluator<P> evaluate(random_evaluation());
    std::vector<Searcher<P>> searchers;
    for (Window window : {Window::alpha_beta, Window::pvs, Window::mtdf}) {
        for (int log2_entries : {0, 14}) {
            SearchSettings settings;
            settings.window.kind = window;
            settings.table.log2_entries = log2_entries;
            settings.table.probes = 4;
            settings.table.exact = true;
            settings.ordering = {true, true, true, 2, true, true, false, 0};  // order must not matter
            searchers.emplace_back(settings, random_evaluation());
        }
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

}  // namespace

TEST_CASE("search without selectivity equals minimax: breakthrough") {
    check_against_minimax<Breakthrough>(soak ? 4 : 3);
}
TEST_CASE("search without selectivity equals minimax: chess") { check_against_minimax<Chess>(soak ? 4 : 3); }
TEST_CASE("search without selectivity equals minimax: loa") { check_against_minimax<LinesOfAction>(soak ? 4 : 3); }
TEST_CASE("search without selectivity equals minimax: shogi") { check_against_minimax<Shogi>(soak ? 3 : 2); }
