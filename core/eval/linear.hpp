// Linear evaluation: weights on the features of a set.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../game.hpp"
#include "../search/score.hpp"
#include "part_sums.hpp"

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
    /// `parts` remembers what parts of this term came to, where there is such a memory.
    explicit WeightedSum(const LinearTerm& term, PartSums* parts = nullptr) : term_(term), parts_(parts) {}

    void add(int index, int value) { sum_ += term_.whole[index] * value; }
    void add(int index, float value) { rest_ += term_.weights[index] * value; }
    void set_phase(int phase) { phase_ = phase; }
    void add_phased(int index, int value) { phased_ += term_.phased[index] * value; }
    /// Adds what `write` writes to a sink: phased features that depend on the key alone.
    template <class Write>
    void add_part(Key key, Write write) {
        if (!parts_) return write(*this);
        phased_ += parts_->find(key, [&] {
            WeightedSum part(term_);
            write(part);
            return part.phased_;
        });
    }
    /// A sum, whole or not, as a score.
    static Score rounded(float score) { return static_cast<Score>(std::clamp(std::nearbyint(score), -most, most)); }
    /// In score units.
    Score total() const {
        const auto middle = static_cast<std::int32_t>(phased_);  // the low half; the high half has its borrow
        const std::int64_t end = (phased_ - middle) >> 32;
        const std::int64_t blended = (std::int64_t{middle} * phase_ + end * (full_phase - phase_)) / full_phase;
        return rounded(static_cast<float>(sum_ + blended) / LinearTerm::fraction + rest_);
    }

  private:
    static constexpr float most = most_static;
    const LinearTerm& term_;
    PartSums* parts_;
    std::int64_t phased_ = 0;
    std::int32_t sum_ = 0;
    float rest_ = 0;
    int phase_ = 0;
};

}  // namespace plypilot
