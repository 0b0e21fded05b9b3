// What a move costs of the depth that is left: its category, being in check, a threat of mate; and how much less late
// quiet moves and moves of improbable categories get at first.
#pragma once

#include <bit>

#include "categories.hpp"
#include "node.hpp"

namespace plypilot {

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

/// How much less depth the move of a rank gets at first: at the usual strength of a ply, a third of the product of both
/// logarithms, less an eighth of a ply. It never takes all.
constexpr Depth late_reduction(Depth depth, int rank, int strength_units = ply_units) {
    const auto plies = static_cast<unsigned>(depth / ply_units);
    if (plies < 3 || rank < 3) return 0;
    const int product = log2_sixteenths(plies) * log2_sixteenths(static_cast<unsigned>(rank));  // 16 * 16 make one
    return std::clamp(product * strength_units / 256 / 3 - ply_units / 8, 0, depth - 1);
}

/// Reads the features of moves of one position, of a game that has no reader of its own.
template <Rules P>
class PlainFeatureReader {
  public:
    PlainFeatureReader(const P& position, FeatureMask wanted) : position_(position), wanted_(wanted) {}
    FeatureMask operator()(Move move) const { return position_.move_features(move) & wanted_; }

  private:
    const P& position_;
    FeatureMask wanted_;
};

template <Rules P>
struct FeatureReaders {
    using Reader = PlainFeatureReader<P>;
};
template <Rules P>
    requires requires { typename P::FeatureReader; }
struct FeatureReaders<P> {
    using Reader = typename P::FeatureReader;
};

/// The decision how deep each line is followed, made ready from a pilot's numbers. It remembers what it has looked up,
/// so each thread has its own.
template <Rules P>
class DepthRules {
  public:
    using FeatureReader = typename FeatureReaders<P>::Reader;

    explicit DepthRules(const DepthSettings& settings)
        : settings_(settings),
          categories_(settings),
          prices_(settings.floor_units != ply_units || settings.threshold_units != ply_units ||
                  settings.excess == DepthSettings::Excess::every) {}

    /// The features that it asks for.
    FeatureMask wanted() const { return categories_.wanted(); }

    /// Whether a move may cost less than others of its node.
    bool shortens() const { return categories_.shortens() && settings_.floor_units < ply_units; }
    /// Sets the cost of a move and the category it comes from. `features` reads what is wanted, which takes time: not
    /// here, unless somebody is told, where categories change nothing but how much less late moves get.
    void weigh(const Node& node, Candidate& candidate, FeatureReader& features, bool is_told) {
        if (!categories_.empty() && (prices_ || is_told)) look_up(candidate, features);
        weigh_by_node(node, candidate);
        // Nothing is tried at less depth before a move has shown that there is no mate.
        if (settings_.excess == DepthSettings::Excess::every && candidate.excess > 0 && node.best > -least_win &&
            node.depth > candidate.cost)
            candidate.reduction = candidate.excess;
    }
    /// As far as it does not depend on the move.
    void weigh_by_node(const Node& node, Candidate& candidate) const {
        if (node.in_check) candidate.cost = std::min(candidate.cost, settings_.evasion_units);
        if (node.mate_threat) candidate.cost = std::min(candidate.cost, settings_.mate_threat_units);
    }
    /// How much less a late move is searched at first, where it is selected against with all strength.
    Depth reduction(const Node& node, Candidate& candidate, FeatureReader& features) {
        if (!settings_.reduce_late) return 0;
        Depth less = late_reduction(node.depth, candidate.rank, settings_.late_units);
        if (settings_.late_history_units && less > 0)
            less = std::clamp(less - by_history(candidate.order), 0, node.depth - 1);
        if (settings_.excess == DepthSettings::Excess::late && !categories_.empty() && node.depth > candidate.cost) {
            if (!prices_ && candidate.category < 0) look_up(candidate, features);
            less += candidate.excess;
        }
        return std::max(less, 0);
    }
    /// Whether a move that was searched at less depth is tried again with half of what was taken away: one that did
    /// well, or one that failed low where much was taken away.
    bool confirms_stepwise(const Candidate& candidate, bool did_well) const {
        return settings_.confirmation == DepthSettings::Confirmation::stepwise &&
               candidate.reduction >= (did_well ? ply_units : 2 * ply_units);
    }
    /// Whether a line goes on in check, whatever depth is left.
    bool ignores_horizon(const Node& node) const { return node.in_check && settings_.evasion_units == 0; }

    /// Whether to find out if the best move of a shallower search is the only good one, and at which depth (Smith
    /// 4.4.6.5). What is known to fail low has no good move.
    bool tests_singular(const Node& node) const {
        if (!settings_.singular || node.excluded) return false;
        if (!settings_.singular_search) return singular_depth(node) >= ply_units && knows_best(node);
        return singular_depth(node) >= 0 && !(is_known(node) && node.entry.bound == Bound::upper);
    }
    /// Whether the table knows the best move at that depth; if not, a search may find it.
    bool knows_best(const Node& node) const {
        return is_known(node) && node.entry.bound != Bound::upper && node.entry.move;
    }
    Depth singular_depth(const Node& node) const { return node.depth - settings_.singular * ply_units; }
    /// What the other moves must stay below: an old value may lie beyond a window of now.
    Score singular_value(const Node& node, Score value) const {
        return settings_.singular_search ? std::min(value, node.beta) : value;
    }
    /// Whether to find out if a capture restores the balance, and how (Smith 4.4.6.3).
    DepthSettings::RecaptureRule recapture_rule() const { return settings_.recapture_rule; }
    bool tests_recapture(const Node& node, const Candidate& candidate) const {
        return settings_.recapture && candidate.cost > 0 && node.depth >= 2 * ply_units;
    }

  private:
    /// How much less or more a late move is reduced for the score by which it was ordered.
    Depth by_history(int order) const {
        const std::int64_t shown = std::clamp(order, -most_order, most_order);
        return static_cast<Depth>(shown * settings_.late_history_units / most_order);
    }
    /// Whether the table knows the value at the depth of the test.
    bool is_known(const Node& node) const {
        return node.entry.bound != Bound::none && node.entry.depth >= singular_depth(node);
    }
    /// Finds the category of a move, what it costs at once, and how much more or less than that the category says.
    void look_up(Candidate& candidate, FeatureReader& features) {
        candidate.features = features(candidate.move);
        const auto match = categories_.find(candidate.features);
        candidate.category = match.category;
        candidate.cost = std::min(std::max(match.cost, settings_.floor_units), settings_.threshold_units);
        candidate.excess = match.cost - candidate.cost;
    }

    DepthSettings settings_;
    Categories categories_;
    bool prices_;  // whether what a move costs at once may depend on its category
};

}  // namespace plypilot
