// A node of the tree and a move about to be searched there: all that is known where a decision is taken. Decisions
// (ordering, depth, pruning) are asked with these two, and events carry them out.
#pragma once

#include "../fields.hpp"
#include "../game.hpp"
#include "score.hpp"
#include "table.hpp"

namespace plypilot {

struct Node {
    // What the parent says.
    int ply = 0;                               // moves below the root
    Depth depth = 0;                           // left, in units
    int iteration = 0;                         // the depth at the root, in plies
    Score alpha = -infinity, beta = infinity;  // the window; alpha rises with the moves that are searched
    Move previous{};                           // the move that led here; none at the root and after a null move
    Move excluded{};                           // not to be tried: the search asks what the others are worth
    bool may_pass = true;
    bool is_principal = false;  // on the line that is best so far: nothing is pruned there
    int path_from = 0;          // the first ply of the line that leads here by moves alone, without a null move
    int quiescence_ply = 0;     // plies of quiescence search above

    // What was found out here.
    bool in_check = false;
    bool mate_threat = false;  // if the side to move passed, it would be mated
    bool has_static = false;
    Score static_score = 0;  // where has_static
    TableEntry entry{};      // of the table; its bound is none where there was none

    // How far the moves have come.
    Score first_alpha = -infinity;  // alpha before any move
    int moves = 0;                  // tried or skipped
    int quiets = 0;                 // of these the quiet ones
    Score best = -infinity;
    Move best_move{};
    int changes = 0;       // how often a move became the best
    int change_ranks = 0;  // the ranks of these moves, from 1, added up

    bool has_null_window() const { return beta - first_alpha == 1; }
};

/// Where in the order of moves a move came up.
enum class Stage : std::uint8_t { first, captures, quiets, losing };
constexpr std::size_t stages = word_count<Stage>;

/// Scores by which quiet moves are ordered lie between minus this and this, but for killers and countermoves, which
/// have more.
constexpr int most_order = 1 << 17;

/// A move that is about to be searched, and what was decided about it.
struct Candidate {
    Move move{};
    Stage stage = Stage::first;
    bool is_quiet = false;
    int rank = 0;              // moves of the node that came before it
    int quiet_rank = 0;        // quiet moves that came before it
    int order = 0;             // of a quiet move: the score by which it was ordered, where it was
    int category = -1;         // the number of the category that set its cost; -1: none did
    Depth cost = ply_units;    // of the depth left
    Depth excess = 0;          // what its category says beyond that, or below it
    Depth reduction = 0;       // how much less it is searched at first
    FeatureMask features = 0;  // those that someone wants to know
};

}  // namespace plypilot
