// What is skipped without being searched: null moves that already hold beta, and near the leaves quiet moves that come
// late or cannot reach alpha.
#pragma once

#include "settings.hpp"

namespace plypilot {

constexpr Depth futility_reach = 3 * ply_units;

/// How much depth a null move and its reduction take.
inline Depth null_units(Depth depth, const PruningSettings& settings) {
    const int reduction = settings.null_reduction + (settings.null_adaptive && depth > 6 * ply_units);
    return (1 + reduction) * ply_units;
}

/// How far a value can be expected to move in the depth that is left.
inline Score futility_slack(Depth depth, const PruningSettings& settings) {
    return settings.futility_margin * (depth / ply_units + 1);
}

inline bool is_futile_depth(Depth depth, const PruningSettings& settings) {
    return settings.futility_margin > 0 && depth < futility_reach;
}

/// Whether a quiet move comes so late that it is not worth a look at this depth.
inline bool is_too_late(Depth depth, int index, const PruningSettings& settings) {
    if (!settings.late_moves || depth >= 5 * ply_units) return false;
    const int plies = depth / ply_units;
    return index >= settings.late_moves + plies * plies;
}

}  // namespace plypilot
