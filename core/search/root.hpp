// The root of a search: lines over windows over iterations. Part of search.hpp.
#pragma once

#include "search.hpp"

namespace plypilot {

template <Rules P, class Events>
SearchResult Search<P, Events>::run(P position, const OnIteration& on_iteration, const RootRequest& request,
                                    int first_depth) {
    SearchResult result;
    path_[0] = position.key();
    root_side_ = position.side();
    const std::size_t wanted = open_root(position, request);
    const std::size_t choices = clock_.counts_moves() ? count_choices(position) : 0;
    int settled = 0;
    Spent before;
    std::vector<ScoredLine> lines;
    int searched = 0;  // the depth of the last iteration, completed or not
    for (int depth = first_depth; depth < most_plies && clock_.allows_iteration(depth); ++depth) {
        searched = depth;
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
        const bool is_first = result.iterations.empty();
        const double seconds = clock_.seconds();
        const bool is_new_move = !is_first && result.iterations.back().move() != result.move;
        settled = is_first || is_new_move ? 0 : settled + 1;
        clock_.after_iteration({.depth = depth,
                                .score = result.score,
                                .last_score = is_first ? result.score : result.iterations.back().score,
                                .move = result.move,
                                .is_new_move = is_new_move,
                                .settled = settled,
                                .choices = choices,
                                .spent = {nodes_.all, seconds},
                                .before = before,
                                .speed = 0,
                                .limits = {}});
        before = {nodes_.all, seconds};
        if (on_iteration && request.continues) {
            for (ScoredLine& line : lines) line.continuation = continuation(position, line.moves, depth);
        }
        result.iterations.push_back({.depth = depth,
                                     .score = result.score,
                                     .line = result.line,
                                     .continuation = lines.empty() ? std::vector<Move>{} : lines[0].continuation,
                                     .others = {lines.begin() + 1, lines.end()},
                                     .nodes = spent(),
                                     .seconds = seconds,
                                     .deepest = deepest_,
                                     .table_permill = on_iteration ? table_.permill() : 0});
        if constexpr (Events::is_on) events_.on_iteration(result.iterations.back());
        if (on_iteration) on_iteration(result.iterations.back());
        if (!result.move) break;  // the game has ended here
    }
    if (!result.move) {  // stopped before anything was searched: any move is better than none
        MoveList list;
        position.generate(list);
        const auto allowed = std::find_if(list.begin(), list.end(), [&](Move move) { return !is_barred(move); });
        if (allowed != list.end()) result.move = *allowed;
    }
    if (result.line.empty() || result.line[0] != result.move) {
        result.line.clear();
        if (result.move) result.line.push_back(result.move);
    }
    if (request.continues) result.continuation = continuation(position, result.line, searched);
    result.nodes = spent();
    result.seconds = clock_.seconds();
    result.table_permill = table_.permill();
    if constexpr (Events::is_on) events_.on_end();
    return result;
}

template <Rules P, class Events>
SearchResult Search<P, Events>::run_quiescence(P position) {
    SearchResult result;
    path_[0] = position.key();
    Line line;
    Node node{.in_check = in_check(position)};
    result.score = quiesce(position, node, line);
    result.line = line.copied();
    if (line.length) result.move = line.moves[0];
    result.nodes = spent();
    result.seconds = clock_.seconds();
    return result;
}

/// Bars the moves that were not asked for. Returns how many lines there will be.
template <Rules P, class Events>
std::size_t Search<P, Events>::open_root(const P& position, const RootRequest& request) {
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

/// The moves that the root may choose from.
template <Rules P, class Events>
std::size_t Search<P, Events>::count_choices(const P& position) const {
    MoveList list;
    position.generate(list);
    return list.size() - barred_.size();
}

template <Rules P, class Events>
void Search<P, Events>::bar(Move move) {
    barred_.push_back(move);
    barred_key_ ^= key_without(move);
}

/// The best lines of one depth, each found without the moves of those before it. Those that were finished, where the
/// clock ends it; elsewhere as many as wanted, the best first.
template <Rules P, class Events>
std::vector<ScoredLine> Search<P, Events>::search_lines(P& position, int depth, std::size_t wanted,
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
        lines.push_back({score, line.copied()});
        if (line.length) bar(line.moves[0]);
    }
    barred_.resize(barred);
    barred_key_ = barred_key;
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    return lines;
}

/// One line of one depth, by the windows that the kind of search asks for.
template <Rules P, class Events>
Score Search<P, Events>::iterate(P& position, int depth, Score guess, Line& line) {
    const auto ask_root = [&](Score alpha, Score beta) {
        root_best_ = -infinity;
        Node root{.depth = depth * ply_units,
                  .iteration = depth,
                  .alpha = alpha,
                  .beta = beta,
                  .is_principal = beta - alpha > 1};
        return search(position, root, line);
    };
    const WindowSettings& window = settings_.window;
    if (window.kind == Window::mtdf && depth > 1) {
        // MTD(f): null windows that close in on the value from the last one's (Plaat 1996).
        Score lower = -infinity, upper = infinity, value = guess;
        Line best;
        while (lower < upper && !clock_.is_over()) {
            const Score beta = value == lower ? value + 1 : value;
            value = ask_root(beta - 1, beta);
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
            const Score value = ask_root(alpha, beta);
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
    return ask_root(-infinity, infinity);
}

/// How a line goes on behind its end by the table, as far as a search of that depth reaches. The search ends a line
/// where the table knows enough, and a person wants to see the rest. Only positions whose value the table knows exactly
/// are followed: the moves of bounds are refutations and first tries, which the other side would not allow or nobody
/// chose.
template <Rules P, class Events>
std::vector<Move> Search<P, Events>::continuation(P position, const std::vector<Move>& line, int depth) const {
    std::vector<Move> moves;
    const auto length = [&] { return static_cast<int>(line.size() + moves.size()); };
    if (line.empty() || length() >= depth) return moves;
    std::vector<Key> passed;
    const auto play = [&](Move move) {  // whether it is legal, and the game goes on behind it without repeating itself
        if (!is_legal(position, move)) return false;
        passed.push_back(position.key());
        position.push(move);
        return !outcome(position) && std::find(passed.begin(), passed.end(), position.key()) == passed.end();
    };
    bool goes_on = std::all_of(line.begin(), line.end(), play);
    while (goes_on && length() < depth) {
        const auto entry = table_.find(position.key());
        if (!entry || entry->bound != Bound::exact || !is_legal(position, entry->move)) break;
        moves.push_back(entry->move);
        goes_on = play(entry->move);
    }
    return moves;
}

/// Noise on the scores of root moves, by the seed, so that play varies. Wins and losses are what they are.
template <Rules P, class Events>
Score Search<P, Events>::root_shift(const P& position, Move move) const {
    const int noise = settings_.root.noise;
    return noise ? static_cast<Score>(root_lot(position, move) % (2 * static_cast<unsigned>(noise) + 1)) - noise : 0;
}

/// A score with noise on it.
template <Rules P, class Events>
Score Search<P, Events>::shifted(Score score, Score shift) {
    if (is_win(score) || is_loss(score)) return score;
    return std::clamp(score + shift, -most_static, most_static);
}

/// The window for a score before noise that comes to lie in this one with it.
template <Rules P, class Events>
typename Search<P, Events>::Bounds Search<P, Events>::unshifted(Bounds window, Score shift) {
    const auto is_static = [](Score score) { return !is_win(score) && !is_loss(score); };
    if (is_static(window.alpha)) window.alpha = std::clamp(window.alpha - shift, -least_win, most_static);
    if (is_static(window.beta)) window.beta = std::clamp(window.beta - shift, -most_static, least_win);
    return window;
}

/// The lot of a root move in this search. It does not depend on the order of the moves, which changes from iteration to
/// iteration.
template <Rules P, class Events>
std::uint64_t Search<P, Events>::root_lot(const P& position, Move move) const {
    return splitmix64(ordering_.chance() ^ path_[0] ^ move_identity(position, move) << 24);
}

}  // namespace plypilot
