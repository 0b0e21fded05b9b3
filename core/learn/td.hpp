// Temporal differences: what a sequence of predictions recommends to change of each weight (Sutton 1988).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../eval/evaluator.hpp"

namespace plypilot {

struct TdSettings {
    double lambda = 0.95;
    double discount = 1;  // gamma of Kocsis A.2; 1: none
};

/// Features of the positions of a sequence, one after the other: those of position t lie between starts[t] and
/// starts[t + 1].
struct FeatureRows {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> indices;
    std::span<const float> values;

    SparseInputs operator[](std::size_t t) const {
        const auto from = static_cast<std::size_t>(starts[t]), count = static_cast<std::size_t>(starts[t + 1]) - from;
        return {indices.subspan(from, count), values.subspan(from, count)};
    }
};

/// The gradient of a linear evaluation is its features.
class LinearGradient {
  public:
    LinearGradient(const FeatureRows& rows, std::size_t weights) : rows_(rows), weights_(weights) {}
    std::size_t size() const { return weights_; }
    /// Adds a multiple of the gradient at position t.
    void add_to(std::span<double> trace, std::size_t t, double factor) const {
        for (auto i = rows_.starts[t]; i < rows_.starts[t + 1]; ++i)
            trace[rows_.indices[i]] += factor * static_cast<double>(rows_.values[i]);
    }

  private:
    FeatureRows rows_;
    std::size_t weights_;
};

/// The gradient of the value of a network with one output, by all its weights in the order of NetworkWeights.
class NetworkGradient {
  public:
    NetworkGradient(const FeatureRows& rows, const Network& network) : rows_(rows), network_(network), pass_(network) {}
    std::size_t size() const { return network_.weights().size(); }
    void add_to(std::span<double> trace, std::size_t t, double factor) {
        constexpr std::int32_t only_output = 0;
        pass_.run(rows_[t], {&only_output, 1});
        pass_.add_gradient(trace, {&factor, 1});
    }

  private:
    FeatureRows rows_;
    const Network& network_;
    NetworkPass pass_;
};

/// changes[t * weights + i] = (discount P_{t+1} - P_t) sum over k <= t of (discount lambda)^(t-k) slope_k dv_k/dw_i.
/// `predictions` has one entry more than there are positions: the outcome, which is not discounted. `slopes` are the
/// derivatives of the predictions by the values.
template <class Gradient>
std::vector<double> recommended_changes(Gradient gradient, std::span<const double> predictions,
                                        std::span<const double> slopes, const TdSettings& settings) {
    const std::size_t weights = gradient.size(), positions = slopes.size();
    std::vector<double> trace(weights), changes(positions * weights);
    const double fade = settings.discount * settings.lambda;
    for (std::size_t t = 0; t < positions; ++t) {
        for (double& each : trace) each *= fade;
        if (slopes[t] != 0) gradient.add_to(trace, t, slopes[t]);
        const double discount = t + 1 < positions ? settings.discount : 1;
        const double difference = discount * predictions[t + 1] - predictions[t];
        double* row = changes.data() + t * weights;
        for (std::size_t i = 0; i < weights; ++i) row[i] = difference * trace[i];
    }
    return changes;
}

}  // namespace plypilot
