// The search: one negamax loop in numbered steps. It asks small objects: the picker for the next move, depth for what a
// move costs, pruning whether to go on, the clock whether to stop, the evaluator at the leaves, the trace what to note.
//
// Draws that depend on the path (repetition, counters) are scored by the rules of the game at the node where they are
// due; with early_repetition, a position that stood before in the line is a draw at once. Values that rest on such a
// draw are kept out of the table in exact mode, where the search equals minimax.
#pragma once

#include <functional>

#include "../eval/evaluator.hpp"
#include "depth.hpp"
#include "limits.hpp"
#include "memory.hpp"
#include "picker.hpp"
#include "pruning.hpp"
#include "settings.hpp"
#include "table.hpp"
#include "trace.hpp"

namespace plypilot {

/// What a search spent, by the part that spent it. `all` counts every move made, null moves included.
struct NodeCounts {
    std::uint64_t all = 0;
    std::uint64_t quiescence = 0;
    std::uint64_t singular = 0;   // while testing whether a move is singular
    std::uint64_t recapture = 0;  // while testing whether a capture is a recapture

    NodeCounts& operator+=(const NodeCounts& more) {
        all += more.all;
        quiescence += more.quiescence;
        singular += more.singular;
        recapture += more.recapture;
        return *this;
    }
};

/// What is asked of the root besides the best of all moves.
struct RootRequest {
    std::vector<Move> moves;  // only these, which are legal; none: every move
    int lines = 1;            // the best so many, each from another move
    int threads = 1;          // searches on one table; with more than one no two runs are alike
};

/// A principal variation, from the root's move on, and what it is worth.
struct ScoredLine {
    Score score = 0;
    std::vector<Move> moves;
};

/// One completed depth.
struct Iteration {
    int depth = 0;
    Score score = 0;
    std::vector<Move> line;          // the principal variation
    std::vector<ScoredLine> others;  // the next best ones, where they were asked for
    NodeCounts nodes;                // since the search began
    double seconds = 0;
    int deepest = 0;  // plies below the root in this iteration, quiescence included
    int table_permill = 0;
};

struct SearchResult {
    Move move;
    Score score = 0;
    std::vector<Move> line;
    NodeCounts nodes;
    double seconds = 0;
    bool stopped = false;               // by a limit, within an iteration
    std::vector<Iteration> iterations;  // the completed ones
    int table_permill = 0;
    Statistics statistics;  // filled where they were asked for
};

using OnIteration = std::function<void(const Iteration&)>;

template <Rules P, class Trace>
class Search {
  public:
    Search(const SearchSettings& settings, const Evaluator<P>& evaluate, Table& table, Memory& memory, Clock& clock,
           Trace trace)
        : settings_(settings), evaluate_(evaluate), table_(table), memory_(memory), clock_(clock), trace_(trace) {}

    /// Iterations from a depth on until the clock ends them.
    SearchResult run(P position, const OnIteration& on_iteration, const RootRequest& request = {}, int first_depth = 1);
    /// Quiescence search from the root on. No move and no line where standing still is best.
    SearchResult run_quiescence(P position);

  private:
    /// The line below a node, as found so far.
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
    };

    /// What a node is told by its parent.
    struct Call {
        Move previous;  // the move that led here, none after a null move
        Move excluded;  // not to be tried: the search asks what the others are worth
        bool may_pass = true;
    };

    std::size_t open_root(const P& position, const RootRequest& request);
    std::vector<ScoredLine> search_lines(P& position, int depth, std::size_t wanted,
                                         const std::vector<ScoredLine>& last);
    void bar(Move move);
    bool is_barred(Move move) const { return std::find(barred_.begin(), barred_.end(), move) != barred_.end(); }
    Score iterate(P& position, int depth, Score guess, Line& line);
    Score search(P& position, Score alpha, Score beta, Depth depth, int ply, Line& line, const Call& call);
    Score quiesce(P& position, Score alpha, Score beta, int ply, int depth, Line& line);
    Score search_move(P& position, Move move, Score alpha, Score beta, Depth depth, Depth reduced, int ply,
                      bool is_first, Line& line);

    std::optional<Score> ended(const P& position, int ply);
    bool is_singular(P& position, const TableEntry& entry, Depth depth, int ply, const Call& call);
    bool is_recapture(P& position, Move move, Depth depth, int ply);
    bool may_pass(const P& position, Score beta, Depth depth, int ply, Score static_score, const Call& call) const;
    Score root_shift(Move move) const;
    /// The lot of a root move in this search. It does not depend on the order of the moves, which changes from
    /// iteration to iteration.
    std::uint64_t root_lot(Move move) const {
        return splitmix64(splitmix64(settings_.seed + memory_.searches()) ^ path_[0] ^ std::uint64_t{move.bits} << 24);
    }
    bool in_check(const P& position) const {
        if constexpr (requires { position.in_check(); }) return position.in_check();
        return false;
    }
    Score evaluate(const P& position) {
        return timed(trace_, Part::evaluating, [&] {
            if (!remembers_scores_) return evaluate_(position, sums_);
            return memory_.static_score(position.key(), [&] { return evaluate_(position, sums_); });
        });
    }
    void make(P& position, Move move) const {
        timed(trace_, Part::moving, [&] {
            position.push(move);
            return true;
        });
    }
    Score score_of(const Outcome& outcome, Side side, int ply) const {
        if (!outcome.winner) return 0;
        return *outcome.winner == side ? win_in(ply) : loss_in(ply);
    }
    /// A move has been made: counts it, and asks for what will be looked up of the position.
    void enter(const P& position, int ply, Depth depth) {
        if (depth > 0) table_.prefetch(position.key());
        if (remembers_scores_) memory_.prefetch_score(position.key());
        ++nodes_.all;
        if (singular_tests_) ++nodes_.singular;
        if (recapture_tests_) ++nodes_.recapture;
        path_[ply] = position.key();
        deepest_ = std::max(deepest_, ply);
    }
    /// Turns the key of a position into that of the same position without one of its moves.
    static Key key_without(Move move) { return move ? splitmix64(move.bits) : 0; }

    const SearchSettings& settings_;
    const FeatureMask wanted_ = features_of(settings_.depth.categories);
    const Evaluator<P>& evaluate_;
    typename Evaluator<P>::Sums sums_ = evaluate_.new_sums();
    const bool remembers_scores_ = !evaluate_.is_quick();
    Table& table_;
    Memory& memory_;
    Clock& clock_;
    [[no_unique_address]] Trace trace_;

    NodeCounts nodes_;
    std::array<Key, most_plies + 2> path_{};
    bool path_dependent_ = false;  // a value below the present node rests on a draw by the path
    int singular_tests_ = 0, recapture_tests_ = 0;
    int deepest_ = 0;
    std::vector<Move> barred_;  // moves that the root leaves out
    Key barred_key_ = 0;        // what they change in its key
    Score root_score_ = 0;      // of the last iteration, from the root's side
    Move last_move_;            // of the last iteration: tried first, so that what is stopped is never worse
    Move root_move_;            // best so far in this iteration
    Score root_best_ = 0;
};

// The root: lines over windows over iterations.

template <Rules P, class Trace>
SearchResult Search<P, Trace>::run(P position, const OnIteration& on_iteration, const RootRequest& request,
                                   int first_depth) {
    SearchResult result;
    path_[0] = position.key();
    const std::size_t wanted = open_root(position, request);
    std::vector<ScoredLine> lines;
    for (int depth = first_depth; depth < most_plies && clock_.allows_iteration(depth); ++depth) {
        deepest_ = 0;
        lines = search_lines(position, depth, wanted, lines);
        if (!lines.empty()) {
            result.score = lines[0].score;
            result.line = lines[0].moves;
            if (!result.line.empty()) result.move = result.line[0];
        }
        if (clock_.is_over()) {
            result.stopped = true;
            if (lines.empty() && root_move_) {  // better than the last iteration's, or the same
                result.move = root_move_;
                if (root_best_ > -infinity) result.score = root_best_;  // else a wider window had just begun
            }
            break;
        }
        result.iterations.push_back({.depth = depth,
                                     .score = result.score,
                                     .line = result.line,
                                     .others = {lines.begin() + 1, lines.end()},
                                     .nodes = nodes_,
                                     .seconds = clock_.seconds(),
                                     .deepest = deepest_,
                                     .table_permill = on_iteration ? table_.permill() : 0});
        if (on_iteration) on_iteration(result.iterations.back());
        if (!result.move) break;  // the game has ended here
    }
    if (!result.move) {  // stopped before anything was searched: any move is better than none
        MoveList list;
        position.generate(list);
        const auto found = std::find_if(list.begin(), list.end(), [&](Move move) { return !is_barred(move); });
        if (found != list.end()) result.move = *found;
    }
    if (result.line.empty() || result.line[0] != result.move) {
        result.line.clear();
        if (result.move) result.line.push_back(result.move);
    }
    result.nodes = nodes_;
    result.seconds = clock_.seconds();
    result.table_permill = table_.permill();
    return result;
}

template <Rules P, class Trace>
SearchResult Search<P, Trace>::run_quiescence(P position) {
    SearchResult result;
    path_[0] = position.key();
    Line line;
    result.score = quiesce(position, -infinity, infinity, 0, 0, line);
    result.line.assign(line.moves.moves, line.moves.moves + line.length);
    if (line.length) result.move = line.moves[0];
    result.nodes = nodes_;
    result.seconds = clock_.seconds();
    return result;
}

/// Bars the moves that were not asked for. Returns how many lines there will be.
template <Rules P, class Trace>
std::size_t Search<P, Trace>::open_root(const P& position, const RootRequest& request) {
    if (request.moves.empty() && request.lines == 1) return 1;
    MoveList list;
    position.generate(list);
    if (!request.moves.empty()) {
        for (Move move : list) {
            if (std::find(request.moves.begin(), request.moves.end(), move) == request.moves.end()) bar(move);
        }
    }
    return std::clamp<std::size_t>(list.size() - barred_.size(), 1, std::max(request.lines, 1));
}

template <Rules P, class Trace>
void Search<P, Trace>::bar(Move move) {
    barred_.push_back(move);
    barred_key_ ^= key_without(move);
}

/// The best lines of one depth, each found without the moves of those before it. Those that were finished, where the
/// clock ends it; elsewhere as many as wanted, the best first.
template <Rules P, class Trace>
std::vector<ScoredLine> Search<P, Trace>::search_lines(P& position, int depth, std::size_t wanted,
                                                       const std::vector<ScoredLine>& last) {
    const std::size_t barred = barred_.size();
    const Key barred_key = barred_key_;
    std::vector<ScoredLine> lines;
    while (lines.size() < wanted) {
        root_move_ = {};
        root_score_ = last.empty() ? 0 : last[lines.size()].score;
        last_move_ = {};
        for (std::size_t i = 0; i < last.size() && !last_move_; ++i) {
            if (!last[i].moves.empty() && !is_barred(last[i].moves[0])) last_move_ = last[i].moves[0];
        }
        Line line;
        const Score score = iterate(position, depth, root_score_, line);
        if (clock_.is_over()) break;
        lines.push_back({score, {line.moves.moves, line.moves.moves + line.length}});
        if (line.length) bar(line.moves[0]);
    }
    barred_.resize(barred);
    barred_key_ = barred_key;
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    return lines;
}

template <Rules P, class Trace>
Score Search<P, Trace>::iterate(P& position, int depth, Score guess, Line& line) {
    const auto ask = [&](Score alpha, Score beta) {
        root_best_ = -infinity;
        return search(position, alpha, beta, depth * ply_units, 0, line, {});
    };
    const WindowSettings& window = settings_.window;
    if (window.kind == Window::mtdf && depth > 1) {
        // MTD(f): null windows that close in on the value from the last one's (Plaat 1996).
        Score lower = -infinity, upper = infinity, value = guess;
        Line best;
        while (lower < upper && !clock_.is_over()) {
            const Score beta = value == lower ? value + 1 : value;
            value = ask(beta - 1, beta);
            if (value < beta) {
                upper = value;
            } else {
                lower = value;
                best = line;  // a line that fails low proves nothing about its moves
            }
        }
        if (best.length) line = best;
        return value;
    }
    if (window.aspiration && depth > 1 && !is_win(guess) && !is_loss(guess)) {
        int low = window.aspiration, high = window.aspiration;
        while (!clock_.is_over()) {
            const Score alpha = std::max(guess - low, -infinity), beta = std::min(guess + high, infinity);
            const Score value = ask(alpha, beta);
            if (value <= alpha && alpha > -infinity) {
                low = low > 500 ? infinity * 2 : low * 4;
            } else if (value >= beta && beta < infinity) {
                high = high > 500 ? infinity * 2 : high * 4;
            } else {
                return value;
            }
        }
        return 0;
    }
    return ask(-infinity, infinity);
}

// The tree. Returns a bound on the value: at most alpha, at least beta, or exact between them (fail soft).

template <Rules P, class Trace>
Score Search<P, Trace>::search(P& position, Score alpha, Score beta, Depth depth, int ply, Line& line,
                               const Call& call) {
    assert(alpha < beta);
    line.length = 0;

    // 1. Time.
    if (clock_.is_over(nodes_.all)) return 0;

    // 2. The end of the game, by the board or by the path.
    if (!call.excluded && (depth > 0 || settings_.ends_at_horizon)) {
        if (const auto score = ended(position, ply)) return *score;
    }
    if (ply >= most_plies) return evaluate(position);

    // 3. The horizon.
    NodeFacts node{in_check(position), false};
    const bool extend_check = node.in_check && settings_.depth.evasion_units == 0;
    if (depth <= 0 && !extend_check) {
        const bool sees_ends = settings_.quiescence.on ? settings_.quiescence.ends : settings_.ends_at_horizon;
        if constexpr (Trace::is_on) {
            if (!settings_.quiescence.on) trace_.sink->on_leaf(ply);
        }
        if (sees_ends && !has_move(position)) return score_of(position.stuck(), position.side(), ply);
        return settings_.quiescence.on ? quiesce(position, alpha, beta, ply, 0, line) : evaluate(position);
    }
    if constexpr (Trace::is_on) trace_.sink->on_interior(ply, depth);

    // 4. The table. A search without some move has a place of its own, so that what refuted it is found again.
    const bool outer_path_dependent = path_dependent_;
    path_dependent_ = false;
    const Key key = position.key() ^ key_without(call.excluded) ^ (ply == 0 ? barred_key_ : 0);
    const std::optional<TableEntry> entry = table_.find(key);
    if (entry && ply > 0) {
        const Score score = from_table(entry->score, ply);
        const bool deep_enough = settings_.table.exact ? entry->depth == depth : entry->depth >= depth;
        const bool cuts =
            deep_enough && (entry->bound == Bound::exact || (entry->bound == Bound::lower && score >= beta) ||
                            (entry->bound == Bound::upper && score <= alpha));
        if constexpr (Trace::is_on) trace_.sink->on_table(true, cuts);
        if (cuts) {
            path_dependent_ = outer_path_dependent;
            if (entry->move) {
                line.moves[0] = entry->move;
                line.length = 1;
            }
            return score;
        }
    } else if constexpr (Trace::is_on) {
        trace_.sink->on_table(false, false);
    }

    // 5. What the board looks like without searching.
    const bool is_zero_window = beta - alpha == 1;
    const PruningSettings& pruning = settings_.pruning;
    const bool wants_static =
        !node.in_check && ((pruning.null_reduction && pruning.null_if_above) || is_futile_depth(depth, pruning));
    const Score static_score = wants_static ? evaluate(position) : 0;
    Line below;
    if (wants_static && is_zero_window && ply > 0 && is_futile_depth(depth, pruning) && !is_win(beta) &&
        !is_loss(beta) && !call.excluded && static_score - futility_slack(depth, pruning) >= beta) {
        path_dependent_ |= outer_path_dependent;
        return static_score;
    }

    // 6. Passing: if the opponent cannot profit from two moves in a row, one of ours will hold beta too.
    if constexpr (requires { position.push_null(); }) {
        if (may_pass(position, beta, depth, ply, static_score, call)) {
            position.push_null();
            const Depth left = depth - null_units(depth, pruning);
            enter(position, ply + 1, left);
            const Score score =
                -search(position, -beta, -beta + 1, left, ply + 1, below, {{}, {}, pruning.null_recursive});
            position.pop();
            if (clock_.is_over()) return 0;
            if (score >= beta) {
                path_dependent_ |= outer_path_dependent;
                return is_win(score) ? beta : score;
            }
            node.mate_threat = is_loss(score);
        }
    }

    // 7. A first move from a shallower search, where the table has none.
    Move first_move = settings_.ordering.table_move && entry ? entry->move : Move{};
    if (ply == 0 && !call.excluded && last_move_) first_move = last_move_;
    const int internal = settings_.ordering.internal_deepening;
    if (!first_move && internal && !is_zero_window && !call.excluded && depth >= (internal + 1) * ply_units &&
        ply > 0) {
        search(position, alpha, beta, depth - internal * ply_units, ply, below, {call.previous, {}, false});
        if (clock_.is_over()) return 0;
        if (below.length) first_move = below.moves[0];
    }

    // 8. Whether the move of the table is the only good one.
    const bool singular = entry && settings_.depth.singular && is_singular(position, *entry, depth, ply, call);

    // 9. The moves.
    const auto features = feature_reader(position, wanted_);
    Picker<P> picker(position, settings_, memory_, first_move, call.previous, call.excluded, ply);
    Score best = -infinity;
    Move best_move;
    const Score first_alpha = alpha;
    constexpr std::size_t most_quiets = 64;
    MoveRoom<most_quiets> tried_quiets;
    std::size_t quiets = 0;
    const Side us = position.side();
    bool skipped = false;
    while (const Move move = timed(trace_, Part::picking, [&] { return picker.next(); })) {
        if (ply == 0 && is_barred(move)) continue;
        if constexpr (requires { position.key_after(move); }) {
            if (depth > ply_units && !skipped) table_.prefetch(position.key_after(move));
        }
        Depth units = move_units(features, move, node, settings_.depth);
        if (singular && move == entry->move) units = std::min(units, 0);
        if (settings_.depth.recapture && units > 0 && is_recapture(position, move, depth, ply)) units = 0;
        if (clock_.is_over()) return 0;

        // Pruning and reduction look at quiet moves that cost a ply, once one move has shown that there is no mate.
        Depth reduced = 0;
        if (picker.is_quiet() && picker.index() > 0 && !node.in_check && best > -least_win && units >= ply_units) {
            const bool is_futile =
                is_futile_depth(depth, pruning) && static_score + futility_slack(depth, pruning) <= alpha;
            if (ply > 0 && is_zero_window && (is_futile || is_too_late(depth, picker.index(), pruning))) {
                picker.stop_ordering();
                skipped = true;
                continue;
            }
            if (settings_.depth.reduce_late) reduced = late_reduction(depth, picker.index());
        }
        if constexpr (Trace::is_on)
            trace_.sink->on_move({picker.index(), ply, depth, units, position.move_features(move)});

        const bool is_root = ply == 0 && !call.excluded;
        const Score shift = is_root ? root_shift(move) : 0;
        const Score tie = is_root && settings_.root.random_ties && best > -infinity ? 1 : 0;  // see equal moves too
        const Score score = search_move(position, move, alpha - shift - tie, beta - shift, depth - units, reduced, ply,
                                        best == -infinity, below) +
                            shift;
        if (clock_.is_over()) return 0;
        const bool wins_tie = tie && score == best && root_lot(move) > root_lot(best_move);
        if (score > best || wins_tie) {
            best = score;
            if (score > alpha || !best_move || wins_tie) {
                best_move = move;
                line.set(move, below);
                if (is_root) {
                    root_move_ = move;
                    root_best_ = score;
                }
            }
            alpha = std::max(alpha, score);
            if (alpha >= beta) {
                if constexpr (Trace::is_on) trace_.sink->on_cutoff(picker.index());
                if (picker.is_quiet()) {
                    memory_.reward(us, move, call.previous, ply, depth);
                    for (std::size_t i = 0; i < quiets; ++i) memory_.punish(us, tried_quiets[i], depth);
                }
                break;
            }
        }
        if (picker.is_quiet() && quiets < most_quiets) tried_quiets[quiets++] = move;
    }

    // 10. No move: mate, stalemate, loss; or, without the excluded one, nothing to say for the others.
    if (best == -infinity) {
        path_dependent_ |= outer_path_dependent;
        if (call.excluded) return alpha;
        return score_of(position.stuck(), us, ply);
    }
    if (skipped) best = std::max(best, std::min(first_alpha, alpha));  // what was skipped is only known to be no better

    // 11. Remember. A value that rests on the path is true for this path only.
    if (!(settings_.table.exact && path_dependent_)) {
        const Bound bound = best >= beta ? Bound::lower : best > first_alpha ? Bound::exact : Bound::upper;
        table_.store(key, {bound == Bound::upper && entry && entry->move ? entry->move : best_move, to_table(best, ply),
                           depth, bound});
    }
    path_dependent_ |= outer_path_dependent;
    return best;
}

/// Makes a move and searches it with the windows that the kind of search asks for.
template <Rules P, class Trace>
Score Search<P, Trace>::search_move(P& position, Move move, Score alpha, Score beta, Depth depth, Depth reduced,
                                    int ply, bool is_first, Line& line) {
    make(position, move);
    enter(position, ply + 1, depth);
    const auto ask = [&](Score low, Score high, Depth left) {
        return -search(position, -high, -low, left, ply + 1, line, {move, {}, true});
    };
    Score score = alpha + 1;
    const bool scouts = settings_.window.kind != Window::alpha_beta && !is_first;
    if (reduced) score = ask(alpha, alpha + 1, depth - reduced);
    if (score > alpha) {
        if (scouts && beta - alpha > 1) {
            score = ask(alpha, alpha + 1, depth);
            if (score > alpha && score < beta) score = ask(alpha, beta, depth);
        } else {
            score = ask(alpha, beta, depth);
        }
    }
    position.pop();
    return score;
}

/// Captures and the like until the position is quiet; standing pat is always allowed, as a lower bound.
template <Rules P, class Trace>
Score Search<P, Trace>::quiesce(P& position, Score alpha, Score beta, int ply, int depth, Line& line) {
    line.length = 0;
    const QuiescenceSettings& quiescence = settings_.quiescence;
    const bool evades = quiescence.evasions && in_check(position);

    Score best = evades ? -infinity : evaluate(position);
    if (best >= beta || ply >= most_plies || (quiescence.most_plies && depth >= quiescence.most_plies))
        return evades && best == -infinity ? evaluate(position) : best;
    // A node of the capture tree: the moves are generated (Smith 4.4.5 c).
    ++nodes_.quiescence;
    if constexpr (Trace::is_on) trace_.sink->on_quiescence(ply);
    alpha = std::max(alpha, best);

    MoveList list;
    if (evades) {
        position.generate(list);
        if (list.empty()) return score_of(position.stuck(), position.side(), ply);
    } else if constexpr (requires { position.generate_noisy(list); }) {
        position.generate_noisy(list);
    }
    std::array<int, MoveList::capacity> scores;
    for (std::size_t i = 0; i < list.size(); ++i)
        scores[i] = is_tactical(position, list[i]) ? exchange_value(position, list[i]) : 0;

    Line below;
    for (std::size_t i = 0; i < list.size(); ++i) {
        // The most profitable of those left.
        std::size_t pick = i;
        for (std::size_t j = i + 1; j < list.size(); ++j) {
            if (scores[j] > scores[pick]) pick = j;
        }
        std::swap(list[i], list[pick]);
        std::swap(scores[i], scores[pick]);
        if (!evades && quiescence.exchange_filter && scores[i] < 0) break;
        if (!evades && quiescence.margin && best + scores[i] + quiescence.margin <= alpha) break;

        make(position, list[i]);
        enter(position, ply + 1, 0);
        Score score = 0;
        if (clock_.is_over(nodes_.all)) {
            position.pop();
            return 0;
        }
        if (const auto decided = position.decided()) {
            score = -score_of(*decided, position.side(), ply + 1);
            below.length = 0;
        } else {
            score = -quiesce(position, -beta, -alpha, ply + 1, depth + 1, below);
        }
        position.pop();
        if (clock_.is_over()) return 0;
        if (score > best) {
            best = score;
            line.set(list[i], below);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
    }
    return best;
}

/// The score of a game that has ended here, by the board or by a draw due to the path.
template <Rules P, class Trace>
std::optional<Score> Search<P, Trace>::ended(const P& position, int ply) {
    if (const auto decided = position.decided()) return score_of(*decided, position.side(), ply);
    if (ply == 0) return std::nullopt;  // the caller wants a move
    if (const auto by_history = position.by_history()) {
        if (!has_move(position)) return score_of(position.stuck(), position.side(), ply);
        path_dependent_ = true;
        return score_of(*by_history, position.side(), ply);
    }
    if (settings_.early_repetition) {
        for (int back = ply - 4; back >= 0; back -= 2) {
            if (path_[back] != position.key()) continue;
            path_dependent_ = true;
            return 0;
        }
    }
    return std::nullopt;
}

/// Smith 4.4.6.5: whether all other moves stay below the value that the table's move had at r plies less.
template <Rules P, class Trace>
bool Search<P, Trace>::is_singular(P& position, const TableEntry& entry, Depth depth, int ply, const Call& call) {
    const Depth reduced = depth - settings_.depth.singular * ply_units;
    if (!entry.move || entry.bound == Bound::upper || call.excluded || reduced < ply_units || entry.depth < reduced)
        return false;
    const Score value = from_table(entry.score, ply);
    if (is_win(value) || is_loss(value)) return false;
    Line aside;
    ++singular_tests_;
    const Score score = search(position, value - 1, value, reduced, ply, aside, {call.previous, entry.move, false});
    --singular_tests_;
    return !clock_.is_over() && score < value;
}

/// Smith 4.4.6.3: a capture or promotion after which both the static value and a shallower search give what the root
/// was worth in the last iteration.
template <Rules P, class Trace>
bool Search<P, Trace>::is_recapture(P& position, Move move, Depth depth, int ply) {
    if (depth < 2 * ply_units || !is_tactical(position, move)) return false;
    const Score expected = ply % 2 == 0 ? root_score_ : -root_score_;
    position.push(move);
    bool found = -evaluate(position) == expected;
    if (found) {
        Line aside;
        ++recapture_tests_;
        enter(position, ply + 1, depth - 2 * ply_units);
        found = -search(position, -expected - 1, -expected + 1, depth - 2 * ply_units, ply + 1, aside,
                        {move, {}, true}) == expected;
        --recapture_tests_;
    }
    position.pop();
    return found;
}

template <Rules P, class Trace>
bool Search<P, Trace>::may_pass(const P& position, Score beta, Depth depth, int ply, Score static_score,
                                const Call& call) const {
    const PruningSettings& pruning = settings_.pruning;
    if (!pruning.null_reduction || !call.may_pass || call.excluded || ply == 0 || depth < 2 * ply_units) return false;
    if (is_win(beta) || is_loss(beta) || in_check(position)) return false;
    if constexpr (requires { position.may_pass(); }) {
        if (!position.may_pass()) return false;
    }
    return !pruning.null_if_above || static_score >= beta;
}

/// Noise on the scores of root moves, by the seed, so that play varies.
template <Rules P, class Trace>
Score Search<P, Trace>::root_shift(Move move) const {
    const int noise = settings_.root.noise;
    return noise ? static_cast<Score>(root_lot(move) % (2 * static_cast<unsigned>(noise) + 1)) - noise : 0;
}

}  // namespace plypilot
