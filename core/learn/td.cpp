#include "td.hpp"

namespace plypilot {

void NetworkGradient::add_to(std::span<double> trace, std::size_t t, double factor) const {
    const auto units = static_cast<std::size_t>(network_.units);
    std::vector<double> sums(network_.hidden_bias.begin(), network_.hidden_bias.end());
    for (auto i = rows_.starts[t]; i < rows_.starts[t + 1]; ++i) {
        const float* column = network_.hidden.data() + static_cast<std::size_t>(rows_.indices[i]) * units;
        for (std::size_t unit = 0; unit < units; ++unit) sums[unit] += double{column[unit]} * double{rows_.values[i]};
    }
    double total = network_.output_bias;
    for (std::size_t unit = 0; unit < units; ++unit) {
        sums[unit] = std::tanh(sums[unit]);
        total += double{network_.output[unit]} * sums[unit];
    }
    const double value = std::tanh(total);
    const double outer = factor * (1 - value * value);
    double* hidden_bias = trace.data() + network_.hidden.size();
    double* output = hidden_bias + units;
    output[units] += outer;
    std::vector<double> inner(units);
    for (std::size_t unit = 0; unit < units; ++unit) {
        output[unit] += outer * sums[unit];
        inner[unit] = outer * double{network_.output[unit]} * (1 - sums[unit] * sums[unit]);
        hidden_bias[unit] += inner[unit];
    }
    for (auto i = rows_.starts[t]; i < rows_.starts[t + 1]; ++i) {
        double* column = trace.data() + static_cast<std::size_t>(rows_.indices[i]) * units;
        for (std::size_t unit = 0; unit < units; ++unit) column[unit] += inner[unit] * double{rows_.values[i]};
    }
}

}  // namespace plypilot
