// A network that tells how likely each move of a position is the best one (the Neural MoveMap, Kocsis ch. 3), as a
// search asks it.
#pragma once

#include <memory>

#include "../move_encoding.hpp"
#include "network.hpp"

namespace plypilot {

/// The network of a pilot made ready: its encoding, its weights, and a copy of the direct links in whole numbers that
/// is laid out by output, so that what one move needs lies together. Shared by all searchers, and never changed.
class MoveMap {
  public:
    /// Weights of direct links in whole numbers, [output * inputs + input].
    using Rows = std::vector<std::int16_t>;

    /// Throws std::invalid_argument where encoding and network do not fit each other.
    MoveMap(MoveEncoding encoding, Network network) : encoding_(std::move(encoding)), network_(std::move(network)) {
        const NetworkWeights& weights = network_.weights();
        if (weights.inputs != static_cast<std::size_t>(encoding_.inputs()) ||
            weights.outputs != static_cast<std::size_t>(encoding_.outputs()))
            throw std::invalid_argument("network: expected " + std::to_string(encoding_.inputs()) + " inputs and " +
                                        std::to_string(encoding_.outputs()) + " outputs, there are " +
                                        std::to_string(weights.inputs) + " and " + std::to_string(weights.outputs));
        float largest = 0;
        for (float weight : weights.direct) largest = std::max(largest, std::abs(weight));
        unit_ = largest > 0 ? largest / most_weight : 1;
        rows_.resize(weights.direct.size());
        for (std::size_t input = 0; input < weights.inputs && !rows_.empty(); ++input) {
            for (std::size_t output = 0; output < weights.outputs; ++output)
                rows_[output * weights.inputs + input] =
                    static_cast<std::int16_t>(std::lround(weights.direct[input * weights.outputs + output] / unit_));
        }
    }

    const MoveEncoding& encoding() const { return encoding_; }
    const Network& network() const { return network_; }
    const Rows& rows() const { return rows_; }
    /// What 1 in a row is worth. A sum over inputs is off by at most half of it for each input, times the input.
    float unit() const { return unit_; }
    /// Scores lie between minus this and this; where the outputs are not bounded, larger ones are cut off.
    float most_score() const { return network_.is_bounded() ? 1.0f : 16.0f; }

  private:
    static constexpr float most_weight = 32767;

    MoveEncoding encoding_;
    Network network_;
    Rows rows_;
    float unit_ = 1;
};

/// The inputs of a position: those that are whole numbers, which nearly all are, and the others.
class MapInputs {
  public:
    void clear() {
        whole_ = fractional_ = 0;
        all_ones_ = true;
    }
    void add(int index, float value) {
        if (value == 0) return;
        const int rounded = static_cast<int>(value);
        if (static_cast<float>(rounded) == value && std::abs(rounded) < 1 << 10) {
            if (whole_ == places_.size()) grow();
            places_[whole_] = index;
            factors_[whole_++] = rounded;
            all_ones_ &= rounded == 1;
        } else {
            if (fractional_ == other_places_.size()) grow_others();
            other_places_[fractional_] = index;
            other_factors_[fractional_++] = value;
        }
    }
    /// The sum over the inputs of a row of weights, in units of the row.
    float dot(const std::int16_t* row) const {
        std::int32_t sum = 0;
        const std::int32_t* const places = places_.data();
        if (all_ones_) {
            for (std::size_t i = 0; i < whole_; ++i) sum += row[places[i]];
        } else {
            for (std::size_t i = 0; i < whole_; ++i) sum += row[places[i]] * factors_[i];
        }
        float total = static_cast<float>(sum);
        for (std::size_t i = 0; i < fractional_; ++i)
            total += static_cast<float>(row[other_places_[i]]) * other_factors_[i];
        return total;
    }
    /// Calls see(index, value) for each input.
    template <class See>
    void each(See see) const {
        for (std::size_t i = 0; i < whole_; ++i) see(places_[i], static_cast<float>(factors_[i]));
        for (std::size_t i = 0; i < fractional_; ++i) see(other_places_[i], other_factors_[i]);
    }

  private:
    void grow() {
        places_.resize(2 * places_.size());
        factors_.resize(places_.size());
    }
    void grow_others() {
        other_places_.resize(2 * other_places_.size() + 16);
        other_factors_.resize(other_places_.size());
    }

    std::size_t whole_ = 0, fractional_ = 0;
    bool all_ones_ = true;
    std::vector<std::int32_t> places_ = std::vector<std::int32_t>(64), factors_ = std::vector<std::int32_t>(64);
    std::vector<std::int32_t> other_places_;
    std::vector<float> other_factors_;
};

/// Asks a map for the scores of moves. For one thread, which may use it again and again.
class MoveScorer {
  public:
    explicit MoveScorer(std::shared_ptr<const MoveMap> map) : map_(std::move(map)) {}

    const MoveMap& map() const { return *map_; }

    /// The scores of moves of a position, by the weights of the map or by `rows` in the place of its direct links.
    template <Rules P>
    void score(const P& position, const Move* moves, std::size_t count, float* scores, const MoveMap::Rows& rows) {
        const MoveEncoding& encoding = map_->encoding();
        read_inputs(position);
        if (encoding.kind == MoveEncoding::Kind::mei) {
            for (std::size_t i = 0; i < count; ++i) scores[i] = value_with(keys_of(position, moves[i]), rows);
            return;
        }
        const bool has_units = map_->network().height() > 0;
        if (!has_units && encoding.kind == MoveEncoding::Kind::meos)
            return score_rows(position, moves, count, scores, rows);
        if (has_units) activate(hidden_sums_, activations_);
        for (std::size_t i = 0; i < count; ++i) {
            const auto keys = keys_of(position, moves[i]);
            float sum = 0;
            for (std::size_t k = 0; k < encoding.width(); ++k)
                sum += keys[k] < 0 ? -map_->most_score() : output(static_cast<std::size_t>(keys[k]), rows);
            scores[i] = sum / static_cast<float>(encoding.width());
        }
    }
    template <Rules P>
    void score(const P& position, const Move* moves, std::size_t count, float* scores) {
        score(position, moves, count, scores, map_->rows());
    }

    /// The inputs of a position.
    template <Rules P>
    const MapInputs& read_inputs(const P& position) {
        inputs_.clear();
        write_inputs(position, map_->encoding(), inputs_);
        const NetworkWeights& weights = map_->network().weights();
        if (weights.units) {
            std::fill_n(hidden_sums_.begin(), map_->network().height() * lane_count, 0.0f);
            std::copy(weights.hidden_bias.begin(), weights.hidden_bias.end(), hidden_sums_.begin());
            inputs_.each([&](int index, float value) { add_hidden(index, value, hidden_sums_); });
        }
        return inputs_;
    }
    template <Rules P>
    std::array<std::int32_t, MoveEncoding::most_keys> keys_of(const P& position, Move move) const {
        return map_->encoding().keys(seen_index(position, map_->encoding().view, move));
    }

  private:
    static constexpr float tanh_limit = 20;  // whose tanh is 1

    using Sums = std::array<float, Network::most_units>;
    using Activations = std::array<FloatLanes, Network::most_units / lane_count>;

    /// The case that must be fast: one row of direct links for each move, and nothing else.
    template <Rules P>
    void score_rows(const P& position, const Move* moves, std::size_t count, float* scores,
                    const MoveMap::Rows& rows) const {
        const MoveEncoding& encoding = map_->encoding();
        const Network& network = map_->network();
        const std::size_t inputs = network.weights().inputs;
        const float unit = map_->unit(), lowest = network.is_bounded() ? -tanh_limit : -map_->most_score();
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t output = encoding.output(encoding.code(seen_index(position, encoding.view, moves[i])));
            const auto row = static_cast<std::size_t>(output);
            scores[i] = output < 0 ? lowest : network.bias(row) + unit * inputs_.dot(rows.data() + row * inputs);
        }
        if (!network.is_bounded()) return;
        for (std::size_t i = 0; i < count; i += lane_count) {
            FloatLanes sums{};
            const std::size_t lanes = std::min(lane_count, count - i);
            for (std::size_t k = 0; k < lanes; ++k) sums[k] = scores[i + k];
            sums = tanh_of(sums);
            for (std::size_t k = 0; k < lanes; ++k) scores[i + k] = sums[k];
        }
    }

    float output(std::size_t number, const MoveMap::Rows& rows) const {
        const Network& network = map_->network();
        const std::size_t inputs = network.weights().inputs;
        const float direct = rows.empty() ? 0 : map_->unit() * inputs_.dot(rows.data() + number * inputs);
        return network.value(number, [this](std::size_t i) { return activations_[i]; }, direct);
    }

    /// The one output, with the keys of a move as further inputs.
    float value_with(const std::array<std::int32_t, MoveEncoding::most_keys>& keys, const MoveMap::Rows& rows) {
        const Network& network = map_->network();
        float direct = rows.empty() ? 0 : inputs_.dot(rows.data());
        Sums sums = hidden_sums_;
        for (const std::int32_t key : keys) {
            if (key < 0) continue;
            if (!rows.empty()) direct += static_cast<float>(rows[static_cast<std::size_t>(key)]);
            add_hidden(key, 1, sums);
        }
        activate(sums, activations_);
        return network.value(0, [this](std::size_t i) { return activations_[i]; }, map_->unit() * direct);
    }

    void add_hidden(int index, float value, Sums& sums) const {
        const NetworkWeights& weights = map_->network().weights();
        const float* column = weights.hidden.data() + static_cast<std::size_t>(index) * weights.units;
        for (std::size_t unit = 0; unit < weights.units; ++unit) sums[unit] += column[unit] * value;
    }
    void activate(const Sums& sums, Activations& activations) const {
        for (std::size_t i = 0; i < map_->network().height(); ++i)
            activations[i] = tanh_of(FloatLanes{sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]});
    }

    std::shared_ptr<const MoveMap> map_;
    MapInputs inputs_;
    Sums hidden_sums_{};
    Activations activations_{};
};

}  // namespace plypilot
