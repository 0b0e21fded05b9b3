// What a search has to think with, and what is known of it after each of its iterations: the words in which clock and
// timing speak to each other.
#pragma once

#include <cstdint>

#include "../fields.hpp"
#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// When one search must end. 0 is no limit. A search with none at all goes on until it is told to stop.
struct Limits {
    int depth = 0;                 // iterations
    std::uint64_t nodes = 0;       // exact: the search ends at this node
    std::uint64_t soft_nodes = 0;  // no new iteration is begun after this
    double seconds = 0;            // hard: the search ends
    double soft_seconds = 0;       // no new iteration is begun after this

    static constexpr auto fields() {
        return field_list<&Limits::depth, &Limits::nodes, &Limits::soft_nodes, &Limits::seconds,
                          &Limits::soft_seconds>();
    }
};

/// What a player has for its next move and those to come.
struct Funds {
    enum class Unit : std::uint8_t { seconds, nodes };

    Unit unit = Unit::seconds;
    double left = 0;
    double increment = 0;  // that each move adds
    int moves_to_go = 0;   // until the bank is filled anew; 0: it is not
    double byoyomi = 0;    // that each move has when nothing else is left

    static constexpr auto fields() {
        return field_list<&Funds::unit, &Funds::left, &Funds::increment, &Funds::moves_to_go, &Funds::byoyomi>();
    }
};

/// What a search has spent, in both units.
struct Spent {
    std::uint64_t nodes = 0;
    double seconds = 0;

    double in(Funds::Unit unit) const { return unit == Funds::Unit::nodes ? static_cast<double>(nodes) : seconds; }
};

/// All that is known where the search asks whether to go on: an iteration has been completed.
struct IterationFacts {
    int depth = 0;
    Score score = 0;
    Score last_score = 0;      // of the iteration before; that of this one at the first
    Move move;                 // the best one
    bool is_new_move = false;  // the iteration before had another one
    int settled = 0;           // iterations before this one that had the same, without a break
    std::size_t choices = 0;   // legal moves at the root; 0: they were not counted
    Spent spent;               // since the search began
    Spent before;              // the same when the iteration before was completed
    double speed = 0;          // nodes a second
    Limits limits;             // of this search; those of time count from the same moment as what is spent
};

}  // namespace plypilot
