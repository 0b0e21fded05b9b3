// How a forward-pruning function would have to change, from the search that asked it: the actions that RL-FPF takes at
// the events of a search (Kocsis 4.3.2), but for the rewards, which are known later.
#pragma once

#include "../eval/lanes.hpp"
#include "events.hpp"
#include "pruning_function.hpp"

namespace plypilot {

/// Sums of descent directions over the decisions of a search, one number for each weight. f = tanh(sum) is pulled
/// toward F_np = 1, not to prune, or toward F_p = -1.
class FunctionGradient final : public EventSink {
  public:
    using Sums = std::vector<double>;

    Sums keep, prune;  // over all decisions: toward F_np, and toward F_p
    Sums changed,
        unchanged;  // of decisions behind which the best value changed, toward F_np; of the others, toward F_p
    std::uint64_t asked = 0, pruned = 0;

    FunctionGradient(std::size_t weights, std::size_t checkpoints)
        : keep(weights),
          prune(weights),
          changed(weights),
          unchanged(weights),
          checkpoints_(checkpoints),
          waiting_(most_plies + 2) {}

    void on_enter(const Node& node) override {
        if (!node.quiescence_ply) waiting_[static_cast<std::size_t>(node.ply)].clear();
    }
    void on_ask(const Node& node, int checkpoint, const FunctionInputs& inputs, float sum) override {
        const float f = tanh_of(sum);
        const double slope = 1 - static_cast<double>(f) * f;
        add(keep, {checkpoint, inputs, f}, slope * (1 - f));
        add(prune, {checkpoint, inputs, f}, slope * (-1 - f));
        ++asked;
        pruned += sum < 0;
        waiting_[static_cast<std::size_t>(node.ply)].push_back({checkpoint, inputs, f});
    }
    /// A value that stays at or below alpha is a bound, and changes nothing.
    void on_best(const Node& node) override {
        if (node.best <= node.alpha) return;
        auto& waiting = waiting_[static_cast<std::size_t>(node.ply)];
        for (const Decision& own : waiting) add(changed, own, (1 - double{own.f} * own.f) * (1 - own.f));
        waiting.clear();
    }
    void on_leave(const Node& node, Score, Left) override {
        if (node.quiescence_ply) return;
        auto& waiting = waiting_[static_cast<std::size_t>(node.ply)];
        for (const Decision& own : waiting) add(unchanged, own, (1 - double{own.f} * own.f) * (-1 - own.f));
        waiting.clear();
    }

  private:
    struct Decision {
        int checkpoint;
        FunctionInputs inputs;
        float f;
    };

    void add(Sums& sums, const Decision& decision, double factor) const {
        decision.inputs.each([&](std::size_t place, float value) {
            sums[place * checkpoints_ + static_cast<std::size_t>(decision.checkpoint)] += factor * value;
        });
    }

    std::size_t checkpoints_;
    std::vector<std::vector<Decision>> waiting_;  // by ply: since the best value changed last
};

}  // namespace plypilot
