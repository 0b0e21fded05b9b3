// The forward pass of a network is its formula, its gradient is the numeric derivative of the formula, for every shape;
// and the copy in whole numbers keeps its bound.
#include <doctest/doctest.h>

#include <random>

#include "eval/network.hpp"

using namespace plypilot;

namespace {

using Function = NetworkWeights::Function;

struct Shape {
    std::size_t units;
    bool has_direct;
    bool has_bias;
    std::size_t outputs;
    Function function;
};

std::vector<Shape> all_shapes() {
    std::vector<Shape> shapes;
    for (const std::size_t units : {0u, 1u, 6u, 9u}) {
        for (const bool has_direct : {false, true}) {
            if (!units && !has_direct) continue;
            for (const bool has_bias : {false, true}) {
                for (const std::size_t outputs : {1u, 5u}) {
                    for (const Function function : {Function::tanh, Function::linear})
                        shapes.push_back({units, has_direct, has_bias, outputs, function});
                }
            }
        }
    }
    return shapes;
}

std::vector<float> random_weights(std::size_t size, float most, std::mt19937& random) {
    std::uniform_real_distribution<float> distribution(-most, most);
    std::vector<float> weights(size);
    for (float& weight : weights) weight = distribution(random);
    return weights;
}

NetworkWeights random_network(const Shape& shape, std::size_t inputs, float most, std::mt19937& random) {
    return {.inputs = inputs,
            .units = shape.units,
            .outputs = shape.outputs,
            .hidden = random_weights(inputs * shape.units, most, random),
            .hidden_bias = random_weights(shape.has_bias ? shape.units : 0, most, random),
            .output = random_weights(shape.units * shape.outputs, most, random),
            .direct = random_weights(shape.has_direct ? inputs * shape.outputs : 0, most, random),
            .output_bias = random_weights(shape.has_bias ? shape.outputs : 0, most, random),
            .function = shape.function};
}

/// All weights as one vector of the order that NetworkWeights has.
std::vector<double> to_vector(const NetworkWeights& w) {
    std::vector<double> vector;
    for (const auto* part : {&w.hidden, &w.hidden_bias, &w.output, &w.direct, &w.output_bias})
        vector.insert(vector.end(), part->begin(), part->end());
    return vector;
}

/// An output by its formula, in double precision, of weights that are given as one vector.
double by_formula(const NetworkWeights& w, const std::vector<double>& vector, SparseInputs inputs, std::size_t output) {
    const double* hidden = vector.data();
    const double* hidden_bias = hidden + w.hidden.size();
    const double* outputs = hidden_bias + w.hidden_bias.size();
    const double* direct = outputs + w.output.size();
    const double* output_bias = direct + w.direct.size();
    double total = w.output_bias.empty() ? 0 : output_bias[output];
    for (std::size_t unit = 0; unit < w.units; ++unit) {
        double sum = w.hidden_bias.empty() ? 0 : hidden_bias[unit];
        for (std::size_t i = 0; i < inputs.indices.size(); ++i)
            sum += double{inputs.values[i]} * hidden[static_cast<std::size_t>(inputs.indices[i]) * w.units + unit];
        total += outputs[unit * w.outputs + output] * std::tanh(sum);
    }
    for (std::size_t i = 0; i < inputs.indices.size() && !w.direct.empty(); ++i)
        total += double{inputs.values[i]} * direct[static_cast<std::size_t>(inputs.indices[i]) * w.outputs + output];
    return w.function == Function::tanh ? std::tanh(total) : total;
}

constexpr std::array<std::int32_t, 4> indices{1, 4, 5, 10};
constexpr std::array<float, 4> values{1, -1, 0.5f, 2};
const SparseInputs some_inputs{indices, values};

}  // namespace

TEST_CASE("the forward pass of a network of any shape is its formula") {
    std::mt19937 random(1);
    for (const Shape& shape : all_shapes()) {
        const NetworkWeights weights = random_network(shape, 11, 0.7f, random);
        const Network network(weights);
        NetworkPass pass(network);
        std::vector<std::int32_t> all(shape.outputs);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
        const auto found = pass.run(some_inputs, all);
        for (std::size_t i = 0; i < all.size(); ++i)
            CHECK(std::abs(double{found[i]} - by_formula(weights, to_vector(weights), some_inputs, i)) < 2e-6);
    }
}

TEST_CASE("a pass for some outputs gives those of the whole pass, in the order they are asked for") {
    std::mt19937 random(2);
    for (const Shape& shape : all_shapes()) {
        if (shape.outputs < 5) continue;
        const Network network(random_network(shape, 11, 0.7f, random));
        NetworkPass whole(network), part(network);
        const std::vector<std::int32_t> all{0, 1, 2, 3, 4}, some{3, 0, 3};
        const auto expected = whole.run(some_inputs, all);
        const auto found = part.run(some_inputs, some);
        REQUIRE(found.size() == 3);
        for (std::size_t i = 0; i < some.size(); ++i) CHECK(found[i] == expected[static_cast<std::size_t>(some[i])]);
        CHECK(part.run({}, {}).empty());
    }
}

TEST_CASE("the gradient of a network of any shape is the numeric derivative of its formula") {
    std::mt19937 random(3);
    for (const Shape& shape : all_shapes()) {
        const NetworkWeights weights = random_network(shape, 11, 0.7f, random);
        const Network network(weights);
        NetworkPass pass(network);
        std::vector<std::int32_t> outputs{0};
        std::vector<double> factors{-1.5};
        if (shape.outputs == 5) outputs = {4, 2}, factors = {0.5, 2};
        pass.run(some_inputs, outputs);
        std::vector<double> gradient(weights.size(), 1);  // it is added to what is there
        std::vector<float> in_single(weights.size(), 1);
        pass.add_gradient<double>(gradient, factors);
        pass.add_gradient<float>(in_single, factors);

        std::vector<double> vector = to_vector(weights);
        const auto sum = [&] {
            double total = 0;
            for (std::size_t i = 0; i < outputs.size(); ++i)
                total += factors[i] * by_formula(weights, vector, some_inputs, static_cast<std::size_t>(outputs[i]));
            return total;
        };
        double worst = 0;
        for (std::size_t i = 0; i < vector.size(); ++i) {
            const double kept = vector[i], step = 1e-5;
            vector[i] = kept + step;
            const double above = sum();
            vector[i] = kept - step;
            const double below = sum();
            vector[i] = kept;
            const double expected = 1 + (above - below) / (2 * step);
            worst = std::max({worst, std::abs(gradient[i] - expected), std::abs(double{in_single[i]} - expected)});
        }
        CHECK(worst < 1e-5);
    }
}

TEST_CASE("sums in whole numbers are those of single precision within half a fraction a weight") {
    std::mt19937 random(4);
    for (const Shape& shape : all_shapes()) {
        for (const float most : {0.3f, 50.0f, 3000.0f}) {
            const NetworkWeights weights = random_network(shape, 90, most, random);
            const Network network(weights);
            const WholeInputs whole(weights);
            // Pieces as inputs: each there with 1 or -1.
            std::vector<std::int32_t> pieces;
            std::vector<float> signs;
            for (std::int32_t i = 0; i < 90; i += 1 + static_cast<std::int32_t>(random() % 3)) {
                pieces.push_back(i);
                signs.push_back(random() % 2 ? 1.0f : -1.0f);
            }
            const auto sum_of = [&](const std::vector<std::int32_t>& column, std::size_t width, std::size_t at) {
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < pieces.size(); ++i)
                    sum += column[static_cast<std::size_t>(pieces[i]) * width + at] * static_cast<int>(signs[i]);
                REQUIRE(std::abs(sum) < std::int64_t{1} << 31);
                return static_cast<std::int32_t>(sum);
            };
            const auto unit_sum = [&](std::size_t unit) {
                return unit < weights.units ? sum_of(whole.hidden, weights.units, unit) + whole.hidden_bias[unit] : 0;
            };
            const auto activation = [&](std::size_t i) {
                Lanes sums{};
                for (std::size_t lane = 0; lane < lane_count; ++lane) sums[lane] = unit_sum(i * lane_count + lane);
                return tanh_of(__builtin_convertvector(sums, FloatLanes) * (1 / whole.fraction));
            };
            NetworkPass pass(network);
            const double off = 0.5 * static_cast<double>(pieces.size() + 1) / double{whole.fraction};
            for (std::int32_t number = 0; number < static_cast<std::int32_t>(shape.outputs); ++number) {
                const auto output = static_cast<std::size_t>(number);
                float direct = 0;
                if (network.has_direct())
                    direct = static_cast<float>(sum_of(whole.direct, shape.outputs, output)) / whole.fraction;
                const double found = network.value(output, activation, direct);
                const double expected = pass.run({pieces, signs}, {&number, 1})[0];
                double sizes = network.has_direct() ? 1 : 0, largest = double{std::abs(direct)};
                for (std::size_t unit = 0; unit < weights.units; ++unit)
                    sizes += double{std::abs(network.output_weight(output, unit))};
                largest += sizes + 1;
                // The bound, and what single precision loses in sums of this size, on both sides.
                const double rounding = 1e-6 * (1 + sizes) * (1 + double{most}) + 1e-6 * largest;
                CHECK(std::abs(found - expected) <= off * sizes + rounding);
            }
        }
    }
}

TEST_CASE("weights whose sizes do not fit each other are refused by name") {
    NetworkWeights weights{.inputs = 2, .units = 1, .outputs = 1, .hidden = {1, 2}, .output = {1}};
    CHECK_NOTHROW(Network{weights});
    weights.output_bias = {1, 2};
    CHECK_THROWS_WITH(Network{weights}, "network: output_bias has 2 weights, expected 1");
    weights.output_bias = {};
    weights.hidden = {1};
    CHECK_THROWS_WITH(Network{weights}, "network: hidden has 1 weights, expected 2");
    weights = {.inputs = 2, .units = 0, .outputs = 1};
    CHECK_THROWS_WITH(Network{weights}, "network: direct has 0 weights, expected 2");
    weights = {.inputs = 2, .units = 257, .outputs = 1};
    CHECK_THROWS_WITH(Network{weights}, "network: 257 hidden units, expected at most 256");
}
