#include "descent.hpp"

#include <cmath>

namespace plypilot {

namespace {

float sign_of(float number) { return (number > 0 ? 1.0f : 0.0f) - (number < 0 ? 1.0f : 0.0f); }

}  // namespace

void rprop_step(std::span<float> weights, std::span<const float> gradient, std::span<float> steps,
                std::span<float> slopes, const RpropSettings& settings) {
    const float rise = settings.rise, fall = settings.fall, least = settings.least_step, most = settings.most_step;
    const float turned = settings.forgets_turns ? 0.0f : 1.0f;
    float* __restrict weight = weights.data();
    float* __restrict step = steps.data();
    float* __restrict before = slopes.data();
    const float* __restrict now = gradient.data();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        // Signs, not the slopes: the product of two small ones could be 0.
        const float sign = sign_of(now[i]), agreement = sign * sign_of(before[i]);
        const float factor = agreement > 0 ? rise : agreement < 0 ? fall : 1.0f;
        float size = step[i] * factor;
        size = size < least ? least : size;
        size = size > most ? most : size;
        const float kept = agreement < 0 ? turned : 1.0f;
        step[i] = size;
        weight[i] -= sign * kept * size;
        before[i] = now[i] * kept;
    }
}

namespace {

void adagrad(const DescentSettings& settings, float* __restrict weights, float* __restrict squares,
             std::span<const float> slopes) {
    const float rate = settings.rate, floor = settings.floor;
    const float* __restrict slope = slopes.data();
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const float square = squares[i] + slope[i] * slope[i];
        squares[i] = square;
        weights[i] -= rate * slope[i] / (std::sqrt(square) + floor);
    }
}

void adam(const DescentSettings& settings, std::int64_t steps, float* __restrict weights, float* __restrict squares,
          float* __restrict means, std::span<const float> slopes) {
    const auto lack = [steps](float decay) { return 1 - std::pow(double{decay}, static_cast<double>(steps)); };
    const float rate = static_cast<float>(settings.rate / lack(settings.mean_decay));
    const float scale = static_cast<float>(1 / lack(settings.square_decay));
    const float mean_share = 1 - settings.mean_decay, square_share = 1 - settings.square_decay;
    const float floor = settings.floor;
    const float* __restrict slope = slopes.data();
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const float touched = slope[i] != 0 ? 1.0f : 0.0f;
        const float mean = means[i] + touched * mean_share * (slope[i] - means[i]);
        const float square = squares[i] + touched * square_share * (slope[i] * slope[i] - squares[i]);
        means[i] = mean;
        squares[i] = square;
        weights[i] -= touched * rate * mean / (std::sqrt(square * scale) + floor);
    }
}

}  // namespace

void descend(const DescentSettings& settings, const DescentMemory& memory, std::span<float> weights, std::size_t at,
             std::span<const float> slopes) {
    if (settings.kind == DescentSettings::Kind::adagrad)
        adagrad(settings, weights.data() + at, memory.squares.data() + at, slopes);
    else
        adam(settings, memory.steps, weights.data() + at, memory.squares.data() + at, memory.means.data() + at, slopes);
}

}  // namespace plypilot
