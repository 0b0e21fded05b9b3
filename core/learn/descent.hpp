// How weights follow their gradient: rules that change each weight by its own slope and its own memory, in single
// precision and in the order of the weights, so that the same bits come out everywhere.
#pragma once

#include <cstdint>
#include <span>

namespace plypilot {

/// Batch RPROP (Kocsis A.3): only the sign of a slope counts.
struct RpropSettings {
    float rise = 1.2f;          // eta+: of a step whose slope keeps its sign
    float fall = 0.5f;          // eta-: of one whose slope changes it
    float least_step = 1e-6f;   // delta min
    float most_step = 50;       // delta max
    bool forgets_turns = true;  // the slope of a weight that turned counts as 0, now and in the next step (iRPROP-)
};

/// Moves the weights by the slopes of now. `steps` and `slopes` are what the rule remembers of each weight; all four
/// have one size.
void rprop_step(std::span<float> weights, std::span<const float> gradient, std::span<float> steps,
                std::span<float> slopes, const RpropSettings& settings);

/// Rules for small batches whose gradients are 0 for most weights: a weight whose slope is 0 keeps its place and its
/// memory. So the cost of a step is that of the rows that the batch touches.
struct DescentSettings {
    enum class Kind : std::uint8_t { adagrad, adam };

    Kind kind = Kind::adagrad;
    float rate = 0.1f;
    float mean_decay = 0.9f;      // Adam's beta 1
    float square_decay = 0.999f;  // Adam's beta 2
    float floor = 1e-8f;          // epsilon, added to the root of the squares
};

/// What a rule remembers: of each weight the sum (AdaGrad) or the running mean (Adam) of its squared slopes, and
/// for Adam the running mean of its slopes; `steps` counts the batches.
struct DescentMemory {
    std::span<float> squares;
    std::span<float> means;
    std::int64_t steps = 0;
};

/// Changes weights `at`, `at` + 1, ... by their slopes. Adam divides its means by what they lack after `memory.steps`.
void descend(const DescentSettings& settings, const DescentMemory& memory, std::span<float> weights, std::size_t at,
             std::span<const float> slopes);

}  // namespace plypilot
