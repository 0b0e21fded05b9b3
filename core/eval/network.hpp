// A network over sparse inputs: one forward pass and one gradient, for the search and for learners alike.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../game.hpp"
#include "lanes.hpp"

namespace plypilot {

/// The inputs of one case that are not 0.
struct SparseInputs {
    std::span<const std::int32_t> indices;
    std::span<const float> values;
};

/// The weights as they are stored and learned, each array empty where a network has none of them. In this order they
/// are also one vector: that of the gradient.
struct NetworkWeights {
    enum class Function : std::uint8_t { tanh, linear };

    std::size_t inputs = 0;
    std::size_t units = 0;  // of the hidden layer; 0: none
    std::size_t outputs = 0;
    std::vector<float> hidden;       // [input * units + unit]
    std::vector<float> hidden_bias;  // [unit]
    std::vector<float> output;       // [unit * outputs + output]
    std::vector<float> direct;       // [input * outputs + output], past the hidden layer
    std::vector<float> output_bias;  // [output]
    Function function = Function::tanh;

    std::size_t size() const {
        return hidden.size() + hidden_bias.size() + output.size() + direct.size() + output_bias.size();
    }
};

/// value = function(direct * inputs + output * tanh(hidden * inputs + hidden_bias) + output_bias), in single precision
/// and in a fixed order. The sums over the inputs come from outside: fresh ones (InputSums) or kept ones in whole
/// numbers (WholeInputs). What follows from them is here, once.
class Network {
  public:
    using Function = NetworkWeights::Function;
    static constexpr std::size_t most_units = 256;

    Network() = default;
    /// Throws std::invalid_argument where the sizes do not fit each other.
    explicit Network(NetworkWeights weights) : weights_(std::move(weights)) {
        check_sizes();
        height_ = vectors_for(weights_.units);
        biases_ = weights_.output_bias;
        biases_.resize(weights_.outputs);
        // By output, so that those that are asked for lie together; units that only fill a vector weigh 0.
        output_rows_.resize(weights_.outputs * height_);
        for (std::size_t unit = 0; unit < weights_.units; ++unit) {
            for (std::size_t output = 0; output < weights_.outputs; ++output)
                output_rows_[output * height_ + unit / lane_count][unit % lane_count] =
                    weights_.output[unit * weights_.outputs + output];
        }
    }

    const NetworkWeights& weights() const { return weights_; }
    bool has_direct() const { return !weights_.direct.empty(); }
    /// Whether values lie between -1 and 1.
    bool is_bounded() const { return weights_.function == Function::tanh; }
    float bias(std::size_t output) const { return biases_[output]; }
    /// Vectors of the hidden layer.
    std::size_t height() const { return height_; }

    /// The value of an output: `activation(i)` are the activations of the i-th four hidden units, `direct` is the sum
    /// of the direct links.
    template <class Activation>
    float value(std::size_t output, Activation activation, float direct) const {
        const FloatLanes* row = output_rows_.data() + output * height_;
        FloatLanes total{};
        for (std::size_t i = 0; i < height_; ++i) total += row[i] * activation(i);
        const float sum = biases_[output] + ((total[0] + total[1]) + (total[2] + total[3])) + direct;
        return weights_.function == Function::tanh ? tanh_of(sum) : sum;
    }
    float output_weight(std::size_t output, std::size_t unit) const {
        return output_rows_[output * height_ + unit / lane_count][unit % lane_count];
    }

  private:
    void check_sizes() const {
        const NetworkWeights& w = weights_;
        if (w.units > most_units)
            throw std::invalid_argument("network: " + std::to_string(w.units) + " hidden units, expected at most " +
                                        std::to_string(most_units));
        if (!w.inputs || !w.outputs) throw std::invalid_argument("network: expected an input and an output at least");
        const auto check = [](const char* name, std::size_t size, std::size_t expected, bool may_lack) {
            if (size != expected && !(may_lack && size == 0))
                throw std::invalid_argument(std::string("network: ") + name + " has " + std::to_string(size) +
                                            " weights, expected " + std::to_string(expected));
        };
        check("hidden", w.hidden.size(), w.inputs * w.units, false);
        check("hidden_bias", w.hidden_bias.size(), w.units, true);
        check("output", w.output.size(), w.units * w.outputs, false);
        check("direct", w.direct.size(), w.inputs * w.outputs, w.units > 0);
        check("output_bias", w.output_bias.size(), w.outputs, true);
    }

    NetworkWeights weights_;
    std::size_t height_ = 0;
    std::vector<FloatLanes> output_rows_;  // [output * height + vector]
    std::vector<float> biases_;            // [output], 0 where there are none
};

/// A sink that adds up what inputs give to the hidden units and, by direct links, to some outputs.
class InputSums {
  public:
    /// `direct` has one number for each of the outputs, or none where the network has no direct links.
    InputSums(const Network& network, std::span<const std::int32_t> outputs, std::span<float> direct)
        : weights_(network.weights()), outputs_(outputs), direct_(direct) {
        std::fill_n(sums_.begin(), network.height() * lane_count, 0.0f);
        std::copy(weights_.hidden_bias.begin(), weights_.hidden_bias.end(), sums_.begin());
        std::fill(direct_.begin(), direct_.end(), 0.0f);
    }
    void add(int index, float value) {
        const auto input = static_cast<std::size_t>(index);
        const float* column = weights_.hidden.data() + input * weights_.units;
        for (std::size_t unit = 0; unit < weights_.units; ++unit) sums_[unit] += column[unit] * value;
        for (std::size_t i = 0; i < direct_.size(); ++i)
            direct_[i] += weights_.direct[input * weights_.outputs + static_cast<std::size_t>(outputs_[i])] * value;
    }
    void set_phase(int phase) { phase_ = phase; }
    void add_phased(int index, int value) {
        add(index, static_cast<float>(value * phase_) / full_phase);
        add(index + 1, static_cast<float>(value * (full_phase - phase_)) / full_phase);
    }
    /// The sums of four hidden units.
    FloatLanes operator[](std::size_t vector) const {
        return *reinterpret_cast<const FloatLanes*>(sums_.data() + vector * lane_count);
    }

  private:
    const NetworkWeights& weights_;
    std::span<const std::int32_t> outputs_;
    std::span<float> direct_;
    alignas(FloatLanes) std::array<float, Network::most_units> sums_;
    int phase_ = 0;
};

/// A forward pass over the inputs of a case, and the gradient there. For one thread, which may use it again and again.
class NetworkPass {
  public:
    explicit NetworkPass(const Network& network) : network_(network) {}

    /// The values of the outputs that are asked for, until the next pass.
    std::span<const float> run(SparseInputs inputs, std::span<const std::int32_t> outputs) {
        inputs_ = inputs;
        outputs_ = outputs;
        direct_.assign(network_.has_direct() ? outputs.size() : 0, 0.0f);
        InputSums sums(network_, outputs, direct_);
        for (std::size_t i = 0; i < inputs.indices.size(); ++i) sums.add(inputs.indices[i], inputs.values[i]);
        for (std::size_t i = 0; i < network_.height(); ++i) activations_[i] = tanh_of(sums[i]);
        const auto activation = [this](std::size_t i) { return activations_[i]; };
        values_.resize(outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i)
            values_[i] =
                network_.value(static_cast<std::size_t>(outputs[i]), activation, direct_.empty() ? 0 : direct_[i]);
        return values_;
    }
    /// Adds the gradient of the sum of factors[i] times the i-th value of the last pass, by all weights.
    template <class Real>
    void add_gradient(std::span<Real> gradient, std::span<const double> factors) const {
        const NetworkWeights& w = network_.weights();
        Real* const hidden = gradient.data();
        Real* const hidden_bias = hidden + w.hidden.size();
        Real* const output = hidden_bias + w.hidden_bias.size();
        Real* const direct = output + w.output.size();
        Real* const output_bias = direct + w.direct.size();
        const auto add = [](Real& sum, double change) { sum = static_cast<Real>(static_cast<double>(sum) + change); };

        std::array<double, Network::most_units> inner{};  // by the sums of the hidden units
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            const auto number = static_cast<std::size_t>(outputs_[i]);
            const double value = values_[i];
            const double outer = w.function == Network::Function::tanh ? factors[i] * (1 - value * value) : factors[i];
            if (outer == 0) continue;
            for (std::size_t unit = 0; unit < w.units; ++unit) {
                add(output[unit * w.outputs + number], outer * activation(unit));
                inner[unit] += outer * double{network_.output_weight(number, unit)};
            }
            for (std::size_t k = 0; k < inputs_.indices.size() && network_.has_direct(); ++k)
                add(direct[static_cast<std::size_t>(inputs_.indices[k]) * w.outputs + number],
                    outer * double{inputs_.values[k]});
            if (!w.output_bias.empty()) add(output_bias[number], outer);
        }
        for (std::size_t unit = 0; unit < w.units; ++unit) inner[unit] *= 1 - activation(unit) * activation(unit);
        for (std::size_t unit = 0; unit < w.hidden_bias.size(); ++unit) add(hidden_bias[unit], inner[unit]);
        for (std::size_t k = 0; k < inputs_.indices.size(); ++k) {
            Real* const column = hidden + static_cast<std::size_t>(inputs_.indices[k]) * w.units;
            for (std::size_t unit = 0; unit < w.units; ++unit)
                add(column[unit], inner[unit] * double{inputs_.values[k]});
        }
    }

  private:
    double activation(std::size_t unit) const { return activations_[unit / lane_count][unit % lane_count]; }

    const Network& network_;
    SparseInputs inputs_;
    std::span<const std::int32_t> outputs_;
    std::vector<float> direct_;
    std::vector<float> values_;
    std::array<FloatLanes, Network::most_units / lane_count> activations_{};
};

/// The weights on the inputs as whole numbers, for sums that are kept: in a fraction of 1 that is as fine as sums over
/// all pieces allow, 2^24 or the power of two with which the largest sum there can be stays below 2^31. A sum over n
/// pieces is off by at most (n + 1) / 2 fractions, half of one for each rounded weight and for the bias, which is what
/// single precision loses too; an output, before its function, by at most that times the sum of the sizes of its
/// weights, that of its direct sum counted as 1.
struct WholeInputs {
    static constexpr float most_pieces = 128;  // of any game

    std::vector<std::int32_t> hidden;  // as NetworkWeights has them
    std::vector<std::int32_t> hidden_bias;
    std::vector<std::int32_t> direct;
    float fraction = 1;

    explicit WholeInputs(const NetworkWeights& weights) {
        const auto largest_of = [](const std::vector<float>& values) {
            float most = 0;
            for (float value : values) most = std::max(most, std::abs(value));
            return most;
        };
        const float largest_weight = std::max(largest_of(weights.hidden), largest_of(weights.direct));
        const float largest_sum = 1 + largest_weight * most_pieces + largest_of(weights.hidden_bias);
        fraction = std::ldexp(1.0f, std::min(24, 30 - std::ilogb(largest_sum)));
        const auto whole = [this](const std::vector<float>& values) {
            std::vector<std::int32_t> result;
            for (float value : values) result.push_back(static_cast<std::int32_t>(std::lround(value * fraction)));
            return result;
        };
        hidden = whole(weights.hidden);
        hidden_bias = whole(weights.hidden_bias);
        hidden_bias.resize(weights.units);
        direct = whole(weights.direct);
    }
};

/// A network with one output that judges positions by the features of one set (Kocsis 2.1.2): the value times `scale`,
/// in score units.
struct NetworkTerm {
    int set = 0;
    Network network;
    float scale = 0;
    bool first_player = false;  // the value is that of the first player, whoever is to move
};

}  // namespace plypilot
