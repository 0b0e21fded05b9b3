// Four numbers at once: the vectors that sums and networks are computed in. Only additions, multiplications and
// divisions, in a fixed order: the same bits on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace plypilot {

typedef std::int32_t Lanes __attribute__((vector_size(16)));
typedef float FloatLanes __attribute__((vector_size(16)));

constexpr std::size_t lane_count = 4;

/// How many vectors hold so many numbers.
constexpr std::size_t vectors_for(std::size_t numbers) { return (numbers + lane_count - 1) / lane_count; }

/// The numbers with their signs changed where the mask is -1, as they are where it is 0.
inline Lanes signed_by(Lanes numbers, Lanes mask) { return (numbers ^ mask) - mask; }

/// 2^x for |x| <= 125: 2^n 2^f for a whole n and |f| <= 1/2. Within 2e-7 of the true value, relatively.
inline FloatLanes power_of_two(FloatLanes x) {
    constexpr float to_whole = 12582912;  // 1.5 * 2^23: what is added to it is rounded to a whole number
    const FloatLanes rounded = x + to_whole;
    const FloatLanes f = x - (rounded - to_whole);
    // (ln 2)^k / k! by falling k
    FloatLanes power = f * 1.540353039e-4f + 1.333355815e-3f;
    power = power * f + 9.618129108e-3f;
    power = power * f + 5.550410866e-2f;
    power = power * f + 2.402265070e-1f;
    power = power * f + 6.931471806e-1f;
    power = power * f + 1;
    // The whole part goes into the exponent of the result.
    return std::bit_cast<FloatLanes>(std::bit_cast<Lanes>(power) + (std::bit_cast<Lanes>(rounded) << 23));
}

/// e^x for x <= 0, as shares of a softmax need it; below -80, where it is nothing beside 1, e^-80.
inline FloatLanes exp_of(FloatLanes x) {
    const FloatLanes lower = FloatLanes{} - 80.0f;
    x = x < lower ? lower : x;
    return power_of_two(x * 1.442695041f);  // 1 / ln 2
}

/// tanh(x) = 1 - 2 / (e^2x + 1). Within 3e-7 of the true value.
inline FloatLanes tanh_of(FloatLanes x) {
    constexpr float most = 10;  // where tanh is 1 in single precision
    constexpr FloatLanes zero{};
    const FloatLanes upper = zero + most, lower = zero - most;
    x = x < lower ? lower : x > upper ? upper : x;
    return 1 - 2 / (power_of_two(x * 2.885390082f) + 1);  // 2 / ln 2
}

inline float tanh_of(float x) { return tanh_of(FloatLanes{x})[0]; }

}  // namespace plypilot
