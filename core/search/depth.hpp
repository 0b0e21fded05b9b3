// What a move costs in depth: the categories it is in, being in check, a threat of mate; and how much less late quiet
// moves get at first.
#pragma once

#include <bit>

#include "settings.hpp"

namespace plypilot {

/// What is known of the node where a move is about to be searched.
struct NodeFacts {
    bool in_check = false;
    bool mate_threat = false;
};

/// The features that some category asks for.
inline FeatureMask features_of(const std::vector<Category>& categories) {
    FeatureMask features = 0;
    for (const Category& category : categories) features |= category.features;
    return features;
}

/// Reads the features of moves of one position: those that are wanted and what they share once, where a game can.
template <Rules P>
auto feature_reader(const P& position, FeatureMask wanted) {
    if constexpr (requires { typename P::FeatureReader; }) {
        return typename P::FeatureReader(position, wanted);
    } else {
        return [&position](Move move) { return position.move_features(move); };
    }
}

/// The cost of a move by its categories alone.
template <class FeatureReader>
Depth category_units(const FeatureReader& features, Move move, const DepthSettings& settings) {
    if (settings.categories.empty()) return ply_units;
    const FeatureMask mask = features(move);
    Depth least = ply_units;
    bool found = false;
    for (const Category& category : settings.categories) {
        if ((mask & category.features) != category.features) continue;
        if (settings.rule == DepthSettings::Rule::first) return category.units;
        least = found ? std::min(least, category.units) : category.units;
        found = true;
    }
    return least;
}

template <class FeatureReader>
Depth move_units(const FeatureReader& features, Move move, const NodeFacts& node, const DepthSettings& settings) {
    Depth units = category_units(features, move, settings);
    if (node.in_check) units = std::min(units, settings.evasion_units);
    if (node.mate_threat) units = std::min(units, settings.mate_threat_units);
    return units;
}

/// log2 of n in sixteenths, without the library's logarithm, whose last bits may differ between machines.
constexpr int log2_sixteenths(unsigned n) {
    const int whole = std::bit_width(n) - 1;
    std::uint64_t rest = (std::uint64_t{n} << 32) >> whole;  // in [1, 2) * 2^32
    int result = whole;
    for (int bit = 0; bit < 4; ++bit) {
        rest = (rest >> 16) * (rest >> 16);
        result *= 2;
        if (rest >> 33) {
            rest >>= 1;
            ++result;
        }
    }
    return result;
}

/// How much less depth the move of an index gets at first, growing with both logarithms.
constexpr Depth late_reduction(Depth depth, int index) {
    const auto plies = static_cast<unsigned>(depth / ply_units);
    if (plies < 3 || index < 3) return 0;
    // 16 * 16 sixteenths make one; half of the product of the logarithms, less a quarter ply.
    const int product = log2_sixteenths(plies) * log2_sixteenths(static_cast<unsigned>(index));
    return std::max(0, product * ply_units / 256 / 3 - ply_units / 8);
}

}  // namespace plypilot
