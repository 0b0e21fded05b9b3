// Forward-pruning vectors: how many moves of a node are searched at most, by where the node is in the tree (Kocsis 4.2
// and 4.4.1).
#pragma once

#include <algorithm>
#include <limits>

#include "node.hpp"
#include "settings.hpp"

namespace plypilot {

class Widths {
  public:
    static constexpr int all = std::numeric_limits<int>::max();

    explicit Widths(const PruningSettings& settings) : by_(settings.widths_by) {
        for (const int width : settings.widths) widths_.push_back(width > 0 ? width : all);
    }

    bool is_on() const { return !widths_.empty(); }
    /// The width of a node; beyond the vector every move is searched.
    int at(const Node& node) const {
        if (widths_.empty()) return all;
        const int place = place_of(node);
        return place < static_cast<int>(widths_.size()) ? widths_[static_cast<std::size_t>(place)] : all;
    }

  private:
    using By = PruningSettings::WidthsBy;

    int place_of(const Node& node) const {
        switch (by_) {
            case By::ply: return node.ply;
            case By::iteration: return std::max(node.iteration, 1) - 1;
            case By::distance: return std::max((node.depth + ply_units - 1) / ply_units, 1) - 1;
            case By::both: break;
        }
        // A triangle, row by row. Lines that extensions make longer than the iteration belong to its last ply.
        const int iteration = std::max(node.iteration, 1);
        return iteration * (iteration - 1) / 2 + std::min(node.ply, iteration - 1);
    }

    By by_;
    std::vector<int> widths_;
};

}  // namespace plypilot
