// Move categories by one lookup: which category sets the cost of a move, remembered by the features that the move has
// of those that some category asks for. However many categories there are, a kind of move that was seen before costs
// one comparison.
#pragma once

#include <vector>

#include "settings.hpp"

namespace plypilot {

class Categories {
  public:
    struct Match {
        Depth cost = ply_units;
        int category = -1;  // -1: the move is in none
    };

    explicit Categories(const DepthSettings& settings) : categories_(settings.categories), rule_(settings.rule) {
        for (const Category& category : categories_) {
            wanted_ |= category.features;
            shortens_ |= category.units < ply_units;
        }
        if (!categories_.empty()) memory_.assign(slots, {~FeatureMask{0}, scan(~FeatureMask{0})});
    }

    /// The features that some category asks for.
    FeatureMask wanted() const { return wanted_; }
    bool empty() const { return categories_.empty(); }
    /// Whether some move costs less than a ply.
    bool shortens() const { return shortens_; }

    /// What the features of a move amount to; features that nobody asks for are to be left out.
    Match find(FeatureMask features) {
        Slot& slot = memory_[features * 0x9e3779b97f4a7c15u >> (64 - slot_bits)];
        if (slot.features != features) [[unlikely]]
            slot = {features, scan(features)};
        return slot.match;
    }

  private:
    static constexpr int slot_bits = 12;
    static constexpr std::size_t slots = std::size_t{1} << slot_bits;

    struct Slot {
        FeatureMask features;
        Match match;
    };

    [[gnu::noinline]] Match scan(FeatureMask features) const {
        Match match;
        for (std::size_t i = 0; i < categories_.size(); ++i) {
            const Category& category = categories_[i];
            if ((features & category.features) != category.features) continue;
            if (match.category >= 0 && category.units >= match.cost) continue;
            match = {category.units, static_cast<int>(i)};
            if (rule_ == DepthSettings::Rule::first) break;
        }
        return match;
    }

    std::vector<Category> categories_;
    DepthSettings::Rule rule_;
    FeatureMask wanted_ = 0;
    bool shortens_ = false;
    std::vector<Slot> memory_;
};

}  // namespace plypilot
