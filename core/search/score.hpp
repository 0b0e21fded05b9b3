// Scores and depths in the tree. One documented scale for all games: integers from the view of the side to move, 100
// to a pawn or a piece; wins count down from the root so that shorter ones are better. Depth is fixed point.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plypilot {

using Score = int;

constexpr Score infinity = 32001;
constexpr Score win_score = 32000;  // at the root; n plies below it is win_score - n
constexpr int most_plies = 250;     // a line is never longer
constexpr Score least_win = win_score - most_plies;
constexpr Score most_static = least_win - 1;  // an evaluation never claims a win

constexpr bool is_win(Score score) { return score >= least_win; }
constexpr bool is_loss(Score score) { return score <= -least_win; }
constexpr Score loss_in(int ply) { return ply - win_score; }
constexpr Score win_in(int ply) { return win_score - ply; }

/// A table keeps the distance of a win from the node, not from the root.
constexpr Score to_table(Score score, int ply) {
    return is_win(score) ? score + ply : is_loss(score) ? score - ply : score;
}
constexpr Score from_table(Score score, int ply) {
    return is_win(score) ? score - ply : is_loss(score) ? score + ply : score;
}

using Depth = int;
constexpr Depth ply_units = 1024;

}  // namespace plypilot
