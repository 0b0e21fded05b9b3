// Tactical moves in the order of what they win by static exchange. An exchange is counted only when no other move can
// win more: most nodes are done after the first one, and the most that a move can win is known at once.
#pragma once

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// Whether a move captures, promotes or the like; in a game without the notion every move is quiet.
template <Rules P>
bool is_tactical(const P& position, Move move) {
    if constexpr (requires { position.is_tactical(move); }) {
        return position.is_tactical(move);
    } else {
        return false;
    }
}

/// What a tactical move wins by static exchange.
template <Rules P>
Score exchange_value(const P& position, Move move) {
    if constexpr (requires { position.exchange(move); }) {
        return position.exchange(move);
    } else {
        return 0;
    }
}

/// Keys that order moves: what a move wins, then its lot among equals, then whether that is only the most it can win.
/// A bound comes before an equal exact value, so that a move is taken only when its value is sure.
class ExchangeOrder {
  public:
    static constexpr int lot_bits = 10;
    static constexpr int lots = 1 << lot_bits;
    static constexpr int used = -(1 << 30);  // of a move that was taken
    static constexpr int least = used + 1;
    static constexpr int even = 0;  // of a move that loses nothing: its key is at least this

    template <Rules P>
    static int key(const P& position, Move move, int lot) {
        if constexpr (requires { position.exchange_bound(move); }) {
            return (position.exchange_bound(move) * lots + lot) * 2 + 1;
        } else {
            return exact_key(exchange_value(position, move), lot);
        }
    }
    static constexpr int exact_key(Score value, int lot) { return (value * lots + lot) * 2; }
    /// The value in a key: exact, or the most that it can be.
    static constexpr Score value(int key) { return key >> (1 + lot_bits); }

    /// The first of the best moves, by keys of at least `least_key`; `count` where there is none. Counts exchanges on
    /// the way, and notes them in the keys.
    template <Rules P>
    static std::size_t best(const P& position, const MoveList& list, int* keys, std::size_t count, int least_key) {
        for (;;) {
            // Two passes, because the first is one that compilers turn into vector instructions.
            int most = used;
            for (std::size_t i = 0; i < count; ++i) most = std::max(most, keys[i]);
            if (most < least_key || most == used) return count;
            std::size_t at = 0;
            while (keys[at] != most) ++at;
            if (!(most & 1)) return at;
            keys[at] = exact_key(exchange_value(position, list[at]), (most >> 1) & (lots - 1));
        }
    }
};

}  // namespace plypilot
