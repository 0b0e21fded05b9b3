// How a position is judged at the leaves: nothing, a random number, weights on named features, or a network over them.
// Weights come in as data; scores go out as integers on the one scale of score.hpp, from the view of the side to move.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "../game.hpp"
#include "../search/score.hpp"
#include "../zobrist.hpp"

namespace plypilot {

/// The weights of one feature set.
struct LinearTerm {
    /// Whole weights are kept in this part of a score unit.
    static constexpr float fraction = 16;

    int set = 0;
    std::vector<float> weights;       // one a feature, in score units
    std::vector<std::int32_t> whole;  // the same in fractions, rounded
    std::vector<std::int64_t>
        phased;  // whole[i] and whole[i + 1] in one number, so that one multiplication serves both

    LinearTerm(int number, std::vector<float> values) : set(number), weights(std::move(values)) {
        for (float weight : weights) whole.push_back(static_cast<std::int32_t>(std::lround(weight * fraction)));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const std::int64_t next = i + 1 < whole.size() ? whole[i + 1] : 0;
            phased.push_back(next * (std::int64_t{1} << 32) + whole[i]);
        }
    }
};

/// A sink that weighs features as they come. Whole values add up exactly, as integers.
class WeightedSum {
  public:
    explicit WeightedSum(const LinearTerm& term) : term_(term) {}

    void add(int index, int value) { sum_ += term_.whole[index] * value; }
    void add(int index, float value) { rest_ += term_.weights[index] * value; }
    void set_phase(int phase) { phase_ = phase; }
    void add_phased(int index, int value) { phased_ += term_.phased[index] * value; }
    /// In score units.
    Score total() const {
        const auto middle = static_cast<std::int32_t>(phased_);  // the low half; the high half has its borrow
        const std::int64_t end = (phased_ - middle) >> 32;
        const std::int64_t blended = (std::int64_t{middle} * phase_ + end * (full_phase - phase_)) / full_phase;
        const float score = static_cast<float>(sum_ + blended) / LinearTerm::fraction + rest_;
        return static_cast<Score>(std::clamp(std::nearbyint(score), -most, most));
    }

  private:
    static constexpr float most = most_static;
    const LinearTerm& term_;
    std::int64_t phased_ = 0;
    std::int32_t sum_ = 0;
    float rest_ = 0;
    int phase_ = 0;
};

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
    /// In [-1, 1].
    float value() const {
        float sum = network_.output_bias;
        for (int unit = 0; unit < network_.units; ++unit) sum += network_.output[unit] * std::tanh(sums_[unit]);
        return std::tanh(sum);
    }

  private:
    const NetworkTerm& network_;
    std::array<float, most_units> sums_;  // as many as there are units
    int phase_ = 0;
};

struct EvaluationSettings {
    enum class Kind : std::uint8_t { zero, random, linear, network };

    Kind kind = Kind::zero;
    std::vector<LinearTerm> terms;
    NetworkTerm network;
    int random_size = 0;  // a random part in [-random_size, random_size] by position and seed: all there is of kind
                          // random, added to linear and network (Smith, E.3)
    std::uint64_t seed = 0;
};

template <Rules P>
class Evaluator {
  public:
    explicit Evaluator(EvaluationSettings settings) : settings_(std::move(settings)) {}

    Score operator()(const P& position) const {
        if (settings_.kind == EvaluationSettings::Kind::zero) return 0;
        const Score score = known_part(position) + (settings_.random_size ? random_part(position) : 0);
        return std::clamp(score, -most_static, most_static);
    }

  private:
    Score known_part(const P& position) const {
        if (settings_.kind == EvaluationSettings::Kind::network) {
            const NetworkTerm& network = settings_.network;
            HiddenSum sum(network);
            position.features(network.set, sum);
            const bool turned = network.first_player && position.side() == second;
            const auto score = static_cast<Score>(std::nearbyint(sum.value() * network.scale));
            return turned ? -score : score;
        }
        if (settings_.kind != EvaluationSettings::Kind::linear) return 0;
        Score score = 0;
        for (const LinearTerm& term : settings_.terms) {
            WeightedSum sum(term);
            position.features(term.set, sum);
            score += sum.total();
        }
        return score;
    }

    /// A hash of position and seed, so that a transposition has one value (Smith, appendix E).
    Score random_part(const P& position) const {
        const auto range = static_cast<std::uint64_t>(2 * settings_.random_size + 1);
        return static_cast<Score>(splitmix64(position.key() ^ settings_.seed) % range) - settings_.random_size;
    }

    EvaluationSettings settings_;
};

}  // namespace plypilot
