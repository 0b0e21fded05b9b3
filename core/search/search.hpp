// The search: one negamax loop that asks small objects, the decisions of a pilot. Ordering has the next move, depth
// what it costs, pruning whether to leave it out, the clock whether to stop, the evaluator what a leaf is worth; events
// tell of it. This file declares the parts: root.hpp has iterations, windows and lines, tree.hpp the numbered steps of
// a node, quiescence.hpp what lies beyond the horizon.
//
// Draws that depend on the path (repetition, counters) are scored by the rules of the game at the node where they are
// due; with early_repetition, a position that stood before in the line is a draw at once. Values that rest on such a
// draw are kept out of the table in exact mode, where the search equals minimax.
#pragma once

#include "../eval/evaluator.hpp"
#include "depth.hpp"
#include "events.hpp"
#include "limits.hpp"
#include "ordering.hpp"
#include "pruning.hpp"
#include "result.hpp"
#include "settings.hpp"
#include "static_scores.hpp"
#include "table.hpp"

namespace plypilot {

/// What one thread asks while it searches, made once a searcher and kept from search to search.
template <Rules P>
struct Decisions {
    Ordering<P> ordering;
    DepthRules<P> depth;
    Pruning pruning;
    StaticScores scores;
    PartSums parts;  // of evaluations

    explicit Decisions(const SearchSettings& settings, StaticScores empty = {})
        : ordering(settings.ordering, settings.seed),
          depth(settings.depth),
          pruning(settings.pruning),
          scores(std::move(empty)) {}
};

template <Rules P, class Events>
class Search {
  public:
    Search(const SearchSettings& settings, const Evaluator<P>& evaluate, Table& table, Decisions<P>& decisions,
           Clock& clock, Events& events)
        : settings_(settings),
          evaluate_(evaluate),
          sums_(evaluate.new_sums(&decisions.parts)),
          table_(table),
          ordering_(decisions.ordering),
          depth_(decisions.depth),
          pruning_(decisions.pruning),
          scores_(decisions.scores),
          clock_(clock),
          events_(events) {
        if constexpr (Events::is_on) also_wanted_ = events.wanted_features();
    }

    /// Iterations from a depth on until the clock ends them.
    SearchResult run(P position, const OnIteration& on_iteration, const RootRequest& request = {}, int first_depth = 1);
    /// Quiescence search from the root on. No move and no line where standing still is best.
    SearchResult run_quiescence(P position);

  private:
    /// The line below a node, as far as it is known.
    struct Line {
        MoveRoom<most_plies + 2> moves;
        int length = 0;

        Line() = default;
        Line(const Line& other) { *this = other; }
        Line& operator=(const Line& other) {
            std::copy_n(other.moves.moves, other.length, moves.moves);
            length = other.length;
            return *this;
        }
        void set(Move move, const Line& rest) {
            moves[0] = move;
            std::copy_n(rest.moves.moves, rest.length, moves.moves + 1);
            length = std::min(rest.length + 1, most_plies);
        }
        std::vector<Move> copied() const { return {moves.moves, moves.moves + length}; }
    };

    /// A window from the view of one player.
    struct Bounds {
        Score alpha, beta;
    };

    // root.hpp
    std::size_t open_root(const P& position, const RootRequest& request);
    std::vector<ScoredLine> search_lines(P& position, int depth, std::size_t wanted,
                                         const std::vector<ScoredLine>& last);
    std::size_t count_choices(const P& position) const;
    void bar(Move move);
    bool is_barred(Move move) const { return std::find(barred_.begin(), barred_.end(), move) != barred_.end(); }
    Score iterate(P& position, int depth, Score guess, Line& line);
    std::vector<Move> continuation(P position, const std::vector<Move>& line, int depth) const;
    Score root_shift(const P& position, Move move) const;
    static Score shifted(Score score, Score shift);
    static Bounds unshifted(Bounds window, Score shift);
    std::uint64_t root_lot(const P& position, Move move) const;

    // tree.hpp
    Score search(P& position, Node& node, Line& line);
    Score search_moves(P& position, Node& node, Move first_move, Move singular, Line& line);
    [[gnu::noinline]] Skip limit(const P& position, const Node& node, Candidate& candidate, int width, int& noes);
    bool says_no(const P& position, const Node& node, const Candidate& candidate, int checkpoint);
    void skip(Node& node, const Candidate& candidate, Skip why);
    Score search_move(P& position, const Node& node, const Candidate& candidate, Bounds window, Line& line);
    std::optional<Score> ended(const P& position, const Node& node);
    bool cuts_by_table(const Node& node) const;
    Score judge(P& position, Node& node, Line& line);
    Move singular_move(P& position, const Node& node);
    bool is_recapture(P& position, const Node& node, Move move);
    bool may_pass(const P& position, const Node& node) const;
    Node below(const Node& node, Move move, Depth depth) const;
    Score ask(P& position, Side mover, Node child, Bounds window, Line& line);

    // quiescence.hpp
    Score quiesce(P& position, Node& node, Line& line);

    bool in_check(const P& position) const {
        if constexpr (requires { position.in_check(); }) return position.in_check();
        return false;
    }
    Score evaluate(const P& position) {
        return timed(events_, Part::evaluating, [&] {
            if (!remembers_scores_) return evaluate_(position, sums_);
            return scores_.find(position.key(), [&] { return evaluate_(position, sums_); });
        });
    }
    void make(P& position, Move move) const {
        timed(events_, Part::moving, [&] {
            position.push(move);
            return true;
        });
    }
    /// Whether the side that has just moved is to move again.
    static bool moves_again(Side mover, const P& position) {
        if constexpr (turns_alternate<P>) return false;
        return position.side() == mover;
    }
    Score score_of(const Outcome& outcome, Side side, int ply) const {
        if (!outcome.winner) return 0;
        return *outcome.winner == side ? win_in(ply) : loss_in(ply);
    }
    /// A move has been made: counts it, and asks for what will be looked up of the position.
    void enter(const P& position, int ply, Depth depth) {
        if (depth > 0 || settings_.table.horizon) table_.prefetch(position.key());
        if (remembers_scores_) scores_.prefetch(position.key());
        ++nodes_.all;
        if (singular_tests_) ++nodes_.singular;
        if (recapture_tests_) ++nodes_.recapture;
        path_[ply] = position.key();
        deepest_ = std::max(deepest_, ply);
    }
    /// Asks for the table entry of the position after a move, where it will be looked up. Always inline: see the table.
    [[gnu::always_inline]] void prefetch_after([[maybe_unused]] const P& position, [[maybe_unused]] const Node& node,
                                               [[maybe_unused]] Move move) const {
        if constexpr (requires { position.key_after(move); }) {
            if (node.depth > ply_units) table_.prefetch(position.key_after(move));
        }
    }
    /// Tells how a node ended, and passes its score on.
    Score leave([[maybe_unused]] const Node& node, Score score, [[maybe_unused]] Left how) {
        if constexpr (Events::is_on) events_.on_leave(node, score, how);
        return score;
    }
    NodeCounts spent() const {
        NodeCounts nodes = nodes_;
        nodes.judged = ordering_.judged() - judged_before_;
        return nodes;
    }
    /// Turns the key of a position into that of the same position without one of its moves.
    static Key key_without(Move move) { return move ? splitmix64(move.bits) : 0; }

    const SearchSettings& settings_;
    const Evaluator<P>& evaluate_;
    typename Evaluator<P>::Sums sums_;
    const bool remembers_scores_ = !evaluate_.is_quick();
    Table& table_;
    Ordering<P>& ordering_;
    DepthRules<P>& depth_;
    const Pruning& pruning_;
    StaticScores& scores_;
    Clock& clock_;
    Events& events_;
    FeatureMask also_wanted_ = 0;  // by the events, besides what depth wants

    NodeCounts nodes_;  // but for those that were judged
    const std::uint64_t judged_before_ = ordering_.judged();
    std::array<Key, most_plies + 2> path_{};
    bool path_dependent_ = false;  // a value below the present node rests on a draw by the path
    int singular_tests_ = 0, recapture_tests_ = 0;
    int deepest_ = 0;
    int iteration_ = 0;         // its depth in plies
    std::vector<Move> barred_;  // moves that the root leaves out
    Key barred_key_ = 0;        // what they change in its key
    Side root_side_ = first;    // who is to move at the root
    Score root_score_ = 0;      // of the last iteration, from the root's side
    Move last_move_;            // of the last iteration: tried first, so that what is stopped is never worse
    Move root_move_;            // best so far in this iteration
    Score root_best_ = 0;
};

}  // namespace plypilot

#include "quiescence.hpp"
#include "root.hpp"
#include "tree.hpp"
