// Perft: the number of move sequences of a length, the standard proof of a move generator.
#pragma once

#include "game.hpp"

namespace plypilot {

/// Whether the last ply is counted in bulk (the moves of a set at once) or move by move.
enum class Bulk { yes, no };

template <Rules P>
std::uint64_t perft(P& position, int depth, Bulk bulk = Bulk::yes) {
    if (depth <= 0) return 1;
    if (depth == 1 && bulk == Bulk::yes) {
        MoveCounter counter;
        position.generate(counter);
        return counter.size();
    }
    MoveList list;
    position.generate(list);
    std::uint64_t nodes = 0;
    for (Move move : list) {
        position.push(move);
        nodes += depth > 1 ? perft(position, depth - 1, bulk) : 1;
        position.pop();
    }
    return nodes;
}

}  // namespace plypilot
