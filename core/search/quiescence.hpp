// Beyond the horizon: captures and the like until the position is quiet. Part of search.hpp.
#pragma once

#include "search.hpp"

namespace plypilot {

/// Standing pat is always allowed, as a lower bound, but in check where evasions are followed. Returns a bound as a
/// node of the tree does (fail soft): what the margin leaves out counts with all that it was given credit for.
template <Rules P, class Events>
Score Search<P, Events>::quiesce(P& position, Node& node, Line& line) {
    line.length = 0;
    const QuiescenceSettings& quiescence = settings_.quiescence;
    const bool evades = quiescence.evasions && node.in_check;

    const Score stood = evades ? -infinity : evaluate(position);
    Score best = stood;
    if (best >= node.beta || node.ply >= most_plies ||
        (quiescence.most_plies && node.quiescence_ply >= quiescence.most_plies))
        return leave(node, evades && best == -infinity ? evaluate(position) : best, Left::stood);
    // A node of the capture tree: the moves are generated (Smith 4.4.5 c).
    ++nodes_.quiescence;
    nodes_.singular_quiescence += singular_tests_ > 0;
    nodes_.recapture_quiescence += recapture_tests_ > 0;
    node.alpha = std::max(node.alpha, best);

    MoveList list;
    if (evades) {
        position.generate(list);
        if (list.empty()) return leave(node, score_of(position.stuck(), position.side(), node.ply), Left::ended);
    } else if constexpr (requires { position.generate_noisy(list); }) {
        position.generate_noisy(list);
    }
    std::array<int, MoveList::capacity> keys;
    for (std::size_t i = 0; i < list.size(); ++i) {
        keys[i] = !evades || is_tactical(position, list[i]) ? ExchangeOrder::key(position, list[i], 0)
                                                            : ExchangeOrder::exact_key(0, 0);
    }
    if (node.excluded) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (list[i] == node.excluded) keys[i] = ExchangeOrder::used;
        }
    }
    // What a capture must win to be followed: nothing lost, and not less than alpha is away beyond the margin.
    const bool has_margin = !evades && quiescence.margin;
    const int filter_key = !evades && quiescence.exchange_filter ? ExchangeOrder::even : ExchangeOrder::least;
    const auto least_key = [&] {
        if (!has_margin) return filter_key;
        return std::max(filter_key, ExchangeOrder::exact_key(node.alpha - best - quiescence.margin + 1, 0));
    };
    const Side us = position.side();
    Line below_line;
    for (;;) {
        const std::size_t at = ExchangeOrder::best(position, list, keys.data(), list.size(), least_key());
        if (at == list.size()) break;
        const Move move = list[at];
        keys[at] = ExchangeOrder::used;

        make(position, move);
        enter(position, node.ply + 1, 0);
        if (clock_.is_over(nodes_.all)) {
            position.pop();
            return leave(node, 0, Left::stopped);
        }
        Score score = 0;
        if (const auto decided = position.decided()) {
            score = score_of(*decided, us, node.ply + 1);
            below_line.length = 0;
        } else {
            const bool again = moves_again(us, position);
            Node child{.ply = node.ply + 1,
                       .iteration = node.iteration,
                       .alpha = again ? node.alpha : -node.beta,
                       .beta = again ? node.beta : -node.alpha,
                       .previous = move,
                       .quiescence_ply = node.quiescence_ply + 1,
                       .in_check = quiescence.evasions && in_check(position)};
            child.first_alpha = child.alpha;
            if constexpr (Events::is_on) events_.on_enter(child);
            score = quiesce(position, child, below_line);
            if (!again) score = -score;
        }
        position.pop();
        if (clock_.is_over()) return leave(node, 0, Left::stopped);
        if (score > best) {
            best = score;
            line.set(move, below_line);
            node.alpha = std::max(node.alpha, score);
            if (node.alpha >= node.beta) break;
        }
    }
    if (has_margin && best < node.alpha && !list.empty()) {
        const int most = *std::max_element(keys.begin(), keys.begin() + list.size());  // of the captures left out
        if (most >= filter_key)
            best = std::max(best, std::min(node.alpha, stood + ExchangeOrder::value(most) + quiescence.margin));
    }
    return leave(node, best, Left::quiesced);
}

}  // namespace plypilot
