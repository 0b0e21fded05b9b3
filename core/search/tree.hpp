// A node of the tree, in numbered steps. Part of search.hpp.
#pragma once

#include "search.hpp"

namespace plypilot {

/// Returns a bound on the value of a node: at most alpha, at least beta, or exact between them (fail soft).
template <Rules P, class Events>
Score Search<P, Events>::search(P& position, Node& node, Line& line) {
    assert(node.alpha < node.beta);
    line.length = 0;
    node.first_alpha = node.alpha;
    if constexpr (Events::is_on) events_.on_enter(node);

    // 1. Time.
    if (clock_.is_over(nodes_.all)) return leave(node, 0, Left::stopped);

    // 2. The end of the game, by the board or by the path.
    if (!node.excluded &&
        (node.depth > 0 || settings_.ends_at_horizon || (settings_.ends_at_first_ply && node.ply == 1))) {
        if (const auto score = ended(position, node)) return leave(node, *score, Left::ended);
    }
    if (node.ply >= most_plies) return leave(node, evaluate(position), Left::horizon);

    // 3. The horizon.
    node.in_check = in_check(position);
    if (node.depth <= 0 && !depth_.ignores_horizon(node)) {
        const bool sees_ends = settings_.quiescence.on ? settings_.quiescence.ends : settings_.ends_at_horizon;
        if ((sees_ends || (settings_.ends_at_first_ply && node.ply == 1)) && !has_move(position))
            return leave(node, score_of(position.stuck(), position.side(), node.ply), Left::ended);
        return judge(position, node, line);
    }

    // 4. The table. A search without some move has a place of its own, so that what refuted it is found again.
    const bool outer_path_dependent = path_dependent_;
    path_dependent_ = false;
    const Key key = position.key() ^ key_without(node.excluded) ^ (node.ply == 0 ? barred_key_ : 0);
    if (const auto entry = table_.find(key)) node.entry = *entry;
    const bool cuts = cuts_by_table(node);
    if constexpr (Events::is_on) events_.on_table(node, cuts);
    if (cuts) {
        path_dependent_ = outer_path_dependent;
        if (node.entry.move) {
            line.moves[0] = node.entry.move;
            line.length = 1;
        }
        return leave(node, from_table(node.entry.score, node.ply), Left::table);
    }

    // 5. What the board looks like without searching.
    if (pruning_.wants_static(node)) {
        node.static_score = evaluate(position);
        node.has_static = true;
        if (pruning_.holds_as_it_stands(node)) {
            path_dependent_ |= outer_path_dependent;
            return leave(node, node.static_score, Left::futile);
        }
    }

    // 6. Passing: if the opponent cannot profit from two moves in a row, one of ours will hold beta too.
    if constexpr (requires { position.push_null(); }) {
        if (pruning_.tries_passing(node) && may_pass(position, node)) {
            const Side mover = position.side();
            Depth cost = pruning_.passing_cost(node);
            const int checkpoint = pruning_.passing_checkpoint(node);
            if (checkpoint >= 0 && says_no(position, node, {}, checkpoint)) cost += ply_units;
            position.push_null();
            Node child = below(node, {}, node.depth - cost);
            child.may_pass = pruning_.passes_again();
            child.path_from = child.ply;  // what stood before is not repeated by moves alone
            enter(position, child.ply, child.depth);
            Line aside;
            const Score score = ask(position, mover, child, {node.beta - 1, node.beta}, aside);
            position.pop();
            if (clock_.is_over()) return leave(node, 0, Left::stopped);
            if (score >= node.beta) {
                path_dependent_ |= outer_path_dependent;
                return leave(node, is_win(score) ? node.beta : score, Left::passed);
            }
            node.mate_threat = is_loss(score);
        }
    }

    // 7. A first move: of the last iteration, of the table, or of a shallower search.
    Move first_move = ordering_.table_move(node);
    if (node.ply == 0 && !node.excluded && last_move_) first_move = last_move_;
    if (!first_move && ordering_.deepens_inside(node)) {
        Node inner{.ply = node.ply,
                   .depth = ordering_.inner_depth(node),
                   .iteration = node.iteration,
                   .alpha = node.alpha,
                   .beta = node.beta,
                   .previous = node.previous,
                   .may_pass = false,
                   .is_principal = node.is_principal,
                   .path_from = node.path_from};
        Line aside;
        search(position, inner, aside);
        if (clock_.is_over()) return leave(node, 0, Left::stopped);
        if (aside.length) first_move = aside.moves[0];
    }

    // 8. Whether the best move of a shallower search is the only good one.
    const Move singular = depth_.tests_singular(node) ? singular_move(position, node) : Move{};
    if (clock_.is_over()) return leave(node, 0, Left::stopped);

    if (!first_move && !node.entry.move) first_move = singular;

    // 9. The moves.
    const Score best = search_moves(position, node, first_move, singular, line);
    if (clock_.is_over()) return leave(node, 0, Left::stopped);

    // 10. No move: mate, stalemate, loss; or, without the excluded one, nothing to say for the others.
    if (best == -infinity) {
        path_dependent_ |= outer_path_dependent;
        if (node.excluded) return leave(node, node.alpha, Left::searched);
        return leave(node, score_of(position.stuck(), position.side(), node.ply), Left::ended);
    }

    // 11. Remember. A value that rests on the path is true for this path only.
    if (!(settings_.table.exact && path_dependent_)) {
        const Bound bound = best >= node.beta ? Bound::lower : best > node.first_alpha ? Bound::exact : Bound::upper;
        const Move move = bound == Bound::upper && node.entry.move ? node.entry.move : node.best_move;
        table_.store(key, {move, to_table(best, node.ply), node.depth, bound});
    }
    path_dependent_ |= outer_path_dependent;
    return leave(node, best, Left::searched);
}

/// Searches the moves of a node in turn, until one is sufficient. Returns the best value, -infinity where there is no
/// move.
template <Rules P, class Events>
Score Search<P, Events>::search_moves(P& position, Node& node, Move first_move, Move singular, Line& line) {
    constexpr std::size_t most_quiets = 64;
    MoveRoom<most_quiets> tried_quiets;
    std::size_t tried = 0;
    const bool is_root = node.ply == 0 && !node.excluded;
    bool has_skipped = false;
    bool skips_by_window = false;  // moves that another window might have shown
    const bool may_cost_less = depth_.shortens() || singular;
    typename DepthRules<P>::FeatureReader features(position, depth_.wanted());
    [[maybe_unused]] typename DepthRules<P>::FeatureReader told_features(position, depth_.wanted() | also_wanted_);
    Picker<P> picker = ordering_.moves(position, node, first_move);
    const bool is_limited = pruning_.limits_moves();
    const int width = is_limited ? pruning_.width(node) : Widths::all;
    int noes = 0;              // so often the pruning function has said no to the quiet moves from here on
    Move upcoming;             // whose table entry has been asked for while the move before it is searched
    Skip skipping = Skip::no;  // why quiet moves that cost a ply are skipped, until another move is searched
    Line below_line;
    // Whether a quiet move would be searched now. If not, nor will those after it be.
    const auto order_matters = [&] {
        if (may_cost_less) return true;
        Candidate quiet{.is_quiet = true, .rank = picker.picked(), .quiet_rank = node.quiets};
        depth_.weigh_by_node(node, quiet);
        if (is_limited &&
            (pruning_.is_beyond(node, width, quiet) || (pruning_.stops(noes) && pruning_.may_stop(node, quiet))))
            return false;
        return !pruning_.is_selective(node, quiet) || pruning_.skip(node, quiet) == Skip::no;
    };
    for (;;) {
        Candidate candidate = timed(events_, Part::picking, [&] { return picker.next(order_matters); });
        const Move move = candidate.move;
        if (!move) break;
        if (node.ply == 0 && is_barred(move)) continue;
        if (move != upcoming && !has_skipped) prefetch_after(position, node, move);
        candidate.quiet_rank = node.quiets;
        depth_.weigh(node, candidate, features, Events::is_on);
        if (move == singular) candidate.cost = std::min(candidate.cost, 0);
        if (skipping != Skip::no && candidate.is_quiet && candidate.cost >= ply_units) {
            skip(node, candidate, skipping);
            continue;
        }
        if (depth_.tests_recapture(node, candidate) && is_recapture(position, node, move)) candidate.cost = 0;
        if (clock_.is_over()) return 0;

        const bool is_selective = pruning_.is_selective(node, candidate);
        Skip why = is_limited ? limit(position, node, candidate, width, noes) : Skip::no;
        if (why == Skip::no && is_selective) why = pruning_.skip(node, candidate);
        if (why != Skip::no) {
            picker.stop_ordering();
            has_skipped = true;
            skips_by_window |= why != Skip::width && why != Skip::function;
            skip(node, candidate, why);
            if (candidate.is_quiet && candidate.cost >= ply_units) {
                // So are the quiet moves after it, but for those that cost less.
                skipping = why;
                if (!may_cost_less && !Events::reads_skipped)
                    for (int left = picker.pass_over_quiets(); left > 0; --left) skip(node, candidate, why);
            }
            continue;
        }
        if (is_selective)
            candidate.reduction +=
                depth_.reduction(node, candidate, features) * pruning_.strength(candidate) / ply_units;
        skipping = Skip::no;
        if constexpr (Events::is_on) {
            if (also_wanted_) candidate.features = told_features(move);
            events_.on_move(node, candidate);
        }

        upcoming = picker.upcoming_quiet();
        if (upcoming) prefetch_after(position, node, upcoming);

        const Score tie = is_root && settings_.root.random_ties && node.best > -infinity ? 1 : 0;  // see equals too
        const Bounds window{node.alpha - tie, node.beta};
        Score score = 0;
        if (const Score shift = is_root ? root_shift(position, move) : 0) {
            score = shifted(search_move(position, node, candidate, unshifted(window, shift), below_line), shift);
        } else {
            score = search_move(position, node, candidate, window, below_line);
        }
        if (clock_.is_over()) return 0;
        ++node.moves;
        node.quiets += candidate.is_quiet;
        const bool wins_tie =
            tie && score == node.best && root_lot(position, move) > root_lot(position, node.best_move);
        if (score > node.best || wins_tie) {
            node.best = score;
            ++node.changes;
            node.change_ranks += node.moves;
            if constexpr (requires { events_.on_best(node); }) events_.on_best(node);
            if (score > node.alpha || !node.best_move || wins_tie) {
                node.best_move = move;
                line.set(move, below_line);
                if (is_root) {
                    root_move_ = move;
                    root_best_ = score;
                }
            }
            node.alpha = std::max(node.alpha, score);
            if (node.alpha >= node.beta) {
                if constexpr (Events::is_on) events_.on_cut(node, candidate);
                if (candidate.is_quiet) ordering_.note_cut(position, node, move, tried_quiets.moves, tried);
                break;
            }
        }
        if (candidate.is_quiet && tried < most_quiets) tried_quiets[tried++] = move;
    }
    if (ordering_.wants_best() && node.alpha > node.first_alpha && node.alpha < node.beta)
        ordering_.note_best(position, node);
    // What was skipped for the window is only known to be no better than alpha was.
    if (skips_by_window && node.best > -infinity)
        node.best = std::max(node.best, std::min(node.first_alpha, node.alpha));
    return node.best;
}

/// Whether a move lies beyond the width of its node, or behind where the pruning function has said to stop. Where that
/// is to search less deep, the move is reduced.
template <Rules P, class Events>
Skip Search<P, Events>::limit(const P& position, const Node& node, Candidate& candidate, int width, int& noes) {
    if (pruning_.is_beyond(node, width, candidate)) return Skip::width;
    const int checkpoint = pruning_.stops(noes) ? -1 : pruning_.checkpoint(node, candidate);
    if (checkpoint >= 0) noes += says_no(position, node, candidate, checkpoint);
    if (!noes || !pruning_.may_stop(node, candidate)) return Skip::no;
    if (pruning_.stops(noes)) return Skip::function;
    candidate.reduction += std::clamp(node.depth - candidate.cost, 0, noes * ply_units);
    return Skip::no;
}

/// Asks the pruning function.
template <Rules P, class Events>
bool Search<P, Events>::says_no(const P& position, const Node& node, const Candidate& candidate, int checkpoint) {
    const PruningFunction& function = pruning_.function();
    FeatureMask having = 0;
    if (function.wanted() && candidate.move) {
        typename DepthRules<P>::FeatureReader read(position, function.wanted());
        having = read(candidate.move);
    }
    FunctionInputs inputs;
    function.read(position, node, candidate, nodes_.all, having, inputs);
    const float sum = function.value(checkpoint, inputs);
    if constexpr (requires { events_.on_ask(node, checkpoint, inputs, sum); })
        events_.on_ask(node, checkpoint, inputs, sum);
    return sum < 0 && function.acts();
}

/// Leaves a move out.
template <Rules P, class Events>
void Search<P, Events>::skip(Node& node, const Candidate& candidate, [[maybe_unused]] Skip why) {
    if constexpr (Events::is_on) events_.on_skip(node, candidate, why);
    ++node.moves;
    node.quiets += candidate.is_quiet;
}

/// Makes a move and searches it with the windows that the kind of search asks for.
template <Rules P, class Events>
Score Search<P, Events>::search_move(P& position, const Node& node, const Candidate& candidate, Bounds window,
                                     Line& line) {
    const Side us = position.side();
    make(position, candidate.move);
    Node child = below(node, candidate.move, node.depth - candidate.cost);
    enter(position, child.ply, child.depth);
    const Score alpha = window.alpha, beta = window.beta;
    Score score = alpha + 1;
    const bool is_first = node.best == -infinity;
    const bool scouts = settings_.window.kind != Window::alpha_beta && !is_first;
    if (candidate.reduction) {
        Node reduced = child;
        reduced.depth -= candidate.reduction;
        score = ask(position, us, reduced, {alpha, alpha + 1}, line);
        if (depth_.confirms_stepwise(candidate, score > alpha)) {
            reduced.depth += candidate.reduction / 2;
            score = ask(position, us, reduced, {alpha, alpha + 1}, line);
        }
    }
    if (score > alpha) {
        if (scouts && beta - alpha > 1) {
            score = ask(position, us, child, {alpha, alpha + 1}, line);
            if (score > alpha && score < beta) {
                child.is_principal = true;
                score = ask(position, us, child, window, line);
            }
        } else {
            // Where no null windows tell the principal line, the first moves make it.
            child.is_principal =
                beta - alpha > 1 && (settings_.window.kind != Window::alpha_beta || (node.is_principal && is_first));
            score = ask(position, us, child, window, line);
        }
    }
    position.pop();
    return score;
}

/// The node that a move leads to, before its window is known.
template <Rules P, class Events>
Node Search<P, Events>::below(const Node& node, Move move, Depth depth) const {
    return {.ply = node.ply + 1,
            .depth = depth,
            .iteration = node.iteration,
            .previous = move,
            .path_from = node.path_from};
}

/// The value of a child for the player who moved there, whose window is given. The sign follows the player to move.
template <Rules P, class Events>
Score Search<P, Events>::ask(P& position, Side mover, Node child, Bounds window, Line& line) {
    if (moves_again(mover, position)) {
        child.alpha = window.alpha;
        child.beta = window.beta;
        return search(position, child, line);
    }
    child.alpha = -window.beta;
    child.beta = -window.alpha;
    return -search(position, child, line);
}

/// The score of a game that has ended here, by the board or by a draw due to the path.
template <Rules P, class Events>
std::optional<Score> Search<P, Events>::ended(const P& position, const Node& node) {
    if (const auto decided = position.decided()) return score_of(*decided, position.side(), node.ply);
    if (node.ply == 0) return std::nullopt;  // the caller wants a move
    if (const auto by_history = position.by_history()) {
        if (!has_move(position)) return score_of(position.stuck(), position.side(), node.ply);
        path_dependent_ = true;
        return score_of(*by_history, position.side(), node.ply);
    }
    if (settings_.early_repetition) {
        constexpr int soonest = turns_alternate<P> ? 4 : 2, stride = turns_alternate<P> ? 2 : 1;
        for (int back = node.ply - soonest; back >= node.path_from; back -= stride) {
            if (path_[back] != position.key()) continue;
            path_dependent_ = true;
            return 0;
        }
    }
    return std::nullopt;
}

/// Whether the table knows enough of a node.
template <Rules P, class Events>
bool Search<P, Events>::cuts_by_table(const Node& node) const {
    const TableEntry& entry = node.entry;
    if (entry.bound == Bound::none || node.ply == 0) return false;
    const bool deep_enough = settings_.table.exact ? entry.depth == node.depth : entry.depth >= node.depth;
    if (!deep_enough) return false;
    const Score score = from_table(entry.score, node.ply);
    return entry.bound == Bound::exact || (entry.bound == Bound::lower && score >= node.beta) ||
           (entry.bound == Bound::upper && score <= node.alpha);
}

/// The value of a position at the horizon, which the table may keep as it keeps those above it.
template <Rules P, class Events>
Score Search<P, Events>::judge(P& position, Node& node, Line& line) {
    const bool is_kept = settings_.table.horizon && !node.excluded;
    if (is_kept) {
        if (const auto entry = table_.find(position.key())) node.entry = *entry;
        const bool cuts = cuts_by_table(node);
        if constexpr (Events::is_on) events_.on_table(node, cuts);
        if (cuts) return leave(node, from_table(node.entry.score, node.ply), Left::table);
    }
    if (!settings_.quiescence.on && !is_kept) return leave(node, evaluate(position), Left::horizon);
    const Score score =
        settings_.quiescence.on ? quiesce(position, node, line) : leave(node, evaluate(position), Left::horizon);
    if (is_kept && !clock_.is_over()) {
        const Bound bound = score >= node.beta ? Bound::lower : score > node.first_alpha ? Bound::exact : Bound::upper;
        table_.store(position.key(), {{}, to_table(score, node.ply), 0, bound});  // no move was searched to a depth
    }
    return score;
}

/// Smith 4.4.6.5: the best move of a search of r plies less, if all other moves stay below its value there. No move
/// where they do not.
template <Rules P, class Events>
Move Search<P, Events>::singular_move(P& position, const Node& node) {
    Node shallower{.ply = node.ply,
                   .depth = depth_.singular_depth(node),
                   .iteration = node.iteration,
                   .alpha = node.alpha,
                   .beta = node.beta,
                   .previous = node.previous,
                   .may_pass = false,
                   .path_from = node.path_from};
    Line aside;
    Move best = node.entry.move;
    Score value = from_table(node.entry.score, node.ply);
    ++singular_tests_;
    if (!depth_.knows_best(node)) {
        Node finding = shallower;
        value = search(position, finding, aside);
        best = aside.length && value > node.alpha ? aside.moves[0] : Move{};
    }
    value = depth_.singular_value(node, value);
    Score others = value;
    if (best && !is_win(value) && !is_loss(value) && !clock_.is_over()) {
        shallower.excluded = best;
        shallower.alpha = value - 1;
        shallower.beta = value;
        others = search(position, shallower, aside);
    }
    --singular_tests_;
    return !clock_.is_over() && others < value ? best : Move{};
}

/// Smith 4.4.6.3: a capture or promotion after which both the static value and a shallower search give what the root
/// was worth in the last iteration, or one of the other rules that were tried (4.4.6.4).
template <Rules P, class Events>
bool Search<P, Events>::is_recapture(P& position, const Node& node, Move move) {
    if (!is_tactical(position, move)) return false;
    const Side us = position.side();
    using Rule = DepthSettings::RecaptureRule;
    const Rule rule = depth_.recapture_rule();
    const Score expected = us == root_side_ ? root_score_ : -root_score_;
    position.push(move);
    const Score static_score = evaluate(position);
    bool restores = rule == Rule::search || (moves_again(us, position) ? static_score : -static_score) == expected;
    if (restores) {
        Line aside;
        ++recapture_tests_;
        Node child = below(node, move, rule == Rule::captures ? 0 : node.depth - 2 * ply_units);
        child.is_principal = true;  // its value is to be exact
        enter(position, child.ply, child.depth);
        const Bounds around{expected - 1, expected + 1}, own{node.alpha, node.beta};
        restores = ask(position, us, child, rule == Rule::window ? own : around, aside) == expected;
        --recapture_tests_;
    }
    position.pop();
    return restores;
}

/// Whether passing makes sense by the game's own word: elsewhere it may be better than any move.
template <Rules P, class Events>
bool Search<P, Events>::may_pass([[maybe_unused]] const P& position, const Node&) const {
    if constexpr (requires { position.may_pass(); }) return position.may_pass();
    return true;
}

}  // namespace plypilot
