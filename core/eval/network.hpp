// Evaluation by a network with one hidden layer, over the features of a set.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "../game.hpp"
#include "lanes.hpp"

namespace plypilot {

/// One hidden layer over the features of one set (Kocsis 2.1.2): value = tanh(output * tanh(hidden * features + bias) +
/// output_bias), in score units times `scale`.
struct NetworkTerm {
    int set = 0;
    int units = 0;                   // of the hidden layer
    std::vector<float> hidden;       // [feature * units + unit]
    std::vector<float> hidden_bias;  // [unit]
    std::vector<float> output;       // [unit]
    float output_bias = 0;
    float scale = 0;
    bool first_player = false;  // the value is that of the first player, whoever is to move
};

/// A sink that adds up the columns of the hidden layer, one for each feature that is there.
class HiddenSum {
  public:
    static constexpr int most_units = 256;

    explicit HiddenSum(const NetworkTerm& network) : network_(network) {
        std::copy(network.hidden_bias.begin(), network.hidden_bias.end(), sums_.begin());
    }
    void add(int index, float value) {
        const float* column = network_.hidden.data() + static_cast<std::size_t>(index) * network_.units;
        for (int unit = 0; unit < network_.units; ++unit) sums_[unit] += column[unit] * value;
    }
    void set_phase(int phase) { phase_ = phase; }
    void add_phased(int index, int value) {
        add(index, static_cast<float>(value * phase_) / full_phase);
        add(index + 1, static_cast<float>(value * (full_phase - phase_)) / full_phase);
    }
    FloatLanes operator[](std::size_t vector) const {
        return *reinterpret_cast<const FloatLanes*>(sums_.data() + vector * lane_count);
    }

  private:
    const NetworkTerm& network_;
    alignas(FloatLanes) std::array<float, most_units> sums_{};
    int phase_ = 0;
};

/// From the sums of the hidden units to the value.
class OutputLayer {
  public:
    OutputLayer() = default;
    explicit OutputLayer(const NetworkTerm& network)
        : weights_(vectors_for(network.output.size())), bias_(network.output_bias) {
        for (std::size_t unit = 0; unit < network.output.size(); ++unit)
            weights_[unit / lane_count][unit % lane_count] = network.output[unit];
    }
    /// In [-1, 1]. `hidden(i)` are the sums of the i-th four units.
    template <class Hidden>
    float value(Hidden hidden) const {
        FloatLanes total{};
        for (std::size_t i = 0; i < weights_.size(); ++i) total += weights_[i] * tanh_of(hidden(i));
        return tanh_of(bias_ + ((total[0] + total[1]) + (total[2] + total[3])));
    }

  private:
    std::vector<FloatLanes> weights_;  // of units that are not there: 0
    float bias_ = 0;
};

/// Hidden weights as whole numbers, in a fraction of 1 that is as fine as sums over all pieces allow: 2^24 or the power
/// of two with which the largest sum there can be stays below 2^31. The sums of a hidden unit are then off by at most
/// half a fraction a piece, which is what single precision loses too.
struct WholeHidden {
    static constexpr float most_pieces = 128;  // of any game

    std::vector<std::int32_t> weights;  // as NetworkTerm has them
    std::vector<std::int32_t> bias;
    float fraction = 1;

    WholeHidden() = default;
    explicit WholeHidden(const NetworkTerm& network) {
        float largest = 1;  // sum
        const auto largest_of = [](const std::vector<float>& values) {
            float most = 0;
            for (float value : values) most = std::max(most, std::abs(value));
            return most;
        };
        largest += largest_of(network.hidden) * most_pieces + largest_of(network.hidden_bias);
        fraction = std::ldexp(1.0f, std::min(24, 30 - std::ilogb(largest)));
        const auto whole = [this](const std::vector<float>& values) {
            std::vector<std::int32_t> result;
            for (float value : values) result.push_back(static_cast<std::int32_t>(std::lround(value * fraction)));
            return result;
        };
        weights = whole(network.hidden);
        bias = whole(network.hidden_bias);
    }
};

}  // namespace plypilot
