// Prediction decay: how well predictions foretold later ones, by the distance between them (Smith 8.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace plypilot {

/// Adds the qualities of all pairs of a sequence to sums[distance] and counts them. `zeros` has for each prediction,
/// taken as the later one, how far an earlier one may lie off before its quality is negative.
inline void add_qualities(std::span<const double> predictions, std::span<const double> zeros, std::span<double> sums,
                          std::span<double> counts) {
    for (std::size_t later = 0; later < predictions.size(); ++later) {
        // Predictions below 1/2 are those of the other side.
        const double p = std::max(predictions[later], 1 - predictions[later]), zero = zeros[later];
        for (std::size_t distance = 0; distance <= later && distance < sums.size(); ++distance) {
            const double apart = std::abs(predictions[later] - predictions[later - distance]);
            double quality = 1;
            if (apart > zero) {
                quality = -p * (apart - zero) / (p - zero);
            } else if (apart > 0) {
                quality = 1 - apart / zero;
            }
            sums[distance] += quality;
            counts[distance] += 1;
        }
    }
}

}  // namespace plypilot
