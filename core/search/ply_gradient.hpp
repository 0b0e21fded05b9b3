// The gradient of a search's size by the costs of move categories, from the search itself (Björnsson and Marsland 4.2):
// beside the tree that is searched, one altered tree for each category is kept in mind, in which moves of that category
// cost more. A node is missing from it where the lines above have used up their depth before.
#pragma once

#include "events.hpp"

namespace plypilot {

/// Counts, at the end of each iteration, the nodes of every altered tree so far. Quiescence searches below a node that
/// is missing are missing too; a node that becomes a leaf has one of the mean size instead of its moves.
class PlyGradient final : public EventSink {
  public:
    /// The costs are raised by `delta`, more than 0, one category at a time.
    PlyGradient(Statistics& statistics, std::size_t categories, Depth delta)
        : statistics_(statistics),
          delta_(delta),
          path_(most_plies + 2),
          told_(most_plies + 2),
          counts_(categories),
          lost_(categories),
          turned_(categories) {}

    void on_move(const Node& node, const Candidate& candidate) override {
        told_[static_cast<std::size_t>(node.ply) + 1] = {candidate.move, candidate.category};
    }
    void on_enter(const Node& node) override {
        if (node.quiescence_ply) {
            ++entered_;
            ++quiescence_;
            for (std::size_t category : missing_) ++lost_[category];
            return;
        }
        const Step& step = take(node);
        missing_.clear();
        if (node.ply == 0) return;
        ++entered_;
        horizon_ += node.depth <= 0;
        const Step& parent = path_[static_cast<std::size_t>(node.ply) - 1];
        const bool may_turn = node.depth > 0 && step.most * delta_ >= node.depth;
        if (may_turn || parent.most * delta_ >= parent.depth) compare(node, step, parent, may_turn);
    }
    void on_iteration(const Iteration& iteration) override {
        const double all = static_cast<double>(iteration.nodes.all);
        const double leaf = horizon_ ? static_cast<double>(quiescence_) / static_cast<double>(horizon_) : 0;
        const double share = entered_ ? all / static_cast<double>(entered_) : 0;
        std::vector<double> nodes;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const double less = static_cast<double>(lost_[i]) - leaf * static_cast<double>(turned_[i]);
            nodes.push_back(std::clamp(all - share * less, std::min(1.0, all), all));
        }
        statistics_.altered_nodes.push_back(std::move(nodes));
    }

  private:
    /// One ply of the present line.
    struct Step {
        int category = -1;
        int count = 0;    // moves of the category so far
        int most = 0;     // of any category so far
        Depth depth = 0;  // left
    };
    struct Told {
        Move move{};
        int category = -1;
    };

    /// Puts a node at the end of the line, in the place of whatever lines went before.
    const Step& take(const Node& node) {
        const auto ply = static_cast<std::size_t>(node.ply);
        while (length_ > ply) {
            const int category = path_[--length_].category;
            if (category >= 0) --counts_[static_cast<std::size_t>(category)];
        }
        Step& step = path_[ply];
        step = {.depth = node.depth};
        if (ply > 0) {
            step.most = path_[ply - 1].most;
            if (node.previous && node.previous == told_[ply].move) step.category = told_[ply].category;
        }
        if (step.category >= 0) {
            step.count = ++counts_[static_cast<std::size_t>(step.category)];
            step.most = std::max(step.most, step.count);
        }
        length_ = ply + 1;
        return step;
    }
    /// Finds the altered trees that lack the node, or have it as a leaf: of the categories that occur in the line.
    void compare(const Node& node, const Step& step, const Step& parent, bool may_turn) {
        for (std::size_t ply = length_; ply-- > 1;) {
            if (path_[ply].category < 0) continue;
            const auto category = static_cast<std::size_t>(path_[ply].category);
            const int count = counts_[category];
            if (path_[ply].count != count) continue;  // looked at where it occurred last
            const int above = count - (path_[ply].category == step.category);
            if (above > 0 && above * delta_ >= parent.depth) {
                ++lost_[category];
                missing_.push_back(category);
            } else if (may_turn && count * delta_ >= node.depth) {
                ++turned_[category];
            }
        }
    }

    Statistics& statistics_;
    const Depth delta_;
    std::vector<Step> path_;
    std::vector<Told> told_;            // the move that leads to each ply, as it was decided
    std::size_t length_ = 0;            // of the path, the root counted
    std::vector<int> counts_;           // moves in the line, by category
    std::vector<std::size_t> missing_;  // categories whose trees lack the last node
    std::uint64_t entered_ = 0, quiescence_ = 0, horizon_ = 0;
    std::vector<std::uint64_t> lost_, turned_;
};

}  // namespace plypilot
