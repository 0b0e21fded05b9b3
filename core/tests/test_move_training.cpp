// The training passes of move maps give the scores and the gradient of the network that they train (eval/network.hpp),
// the numeric derivative of their loss, and the same bits on any number of threads.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "learn/move_map.hpp"

using namespace plypilot;

namespace {

using Encoding = MoveMapShape::Encoding;
using Function = MoveMapShape::Function;
using Loss = MoveMapShape::Loss;

constexpr std::size_t board_inputs = 11, move_inputs = 8;

std::vector<MoveMapShape> all_shapes() {
    std::vector<MoveMapShape> shapes;
    for (const Encoding encoding : {Encoding::meos, Encoding::meoc, Encoding::shared, Encoding::mei}) {
        const bool is_mei = encoding == Encoding::mei;
        for (const std::size_t units : {0u, 1u, 6u, 9u}) {
            for (const bool has_direct : {false, true}) {
                if (!units && !has_direct) continue;
                for (const Function function : {Function::tanh, Function::linear}) {
                    for (const Loss loss : {Loss::square, Loss::sigmoid, Loss::softmax})
                        shapes.push_back({encoding,
                                          is_mei                         ? 4u
                                          : encoding == Encoding::shared ? 3u
                                          : encoding == Encoding::meoc   ? 2u
                                                                         : 1u,
                                          board_inputs + (is_mei ? move_inputs : 0), is_mei ? 1u : 13u, units,
                                          has_direct, function, loss});
                }
            }
        }
    }
    return shapes;
}

std::vector<float> random_weights(std::size_t size, std::mt19937& random) {
    std::uniform_real_distribution<float> distribution(-0.7f, 0.7f);
    std::vector<float> weights(size);
    for (float& weight : weights) weight = distribution(random);
    return weights;
}

/// Cases with the arrays that they are made of.
struct HeldCases {
    std::vector<std::int64_t> input_starts{0}, move_starts{0};
    std::vector<std::int32_t> inputs, keys, best;
    std::vector<float> values;
    std::size_t width;

    HeldCases(const MoveMapShape& shape, std::size_t count, bool is_plain, std::mt19937& random) : width(shape.width) {
        const auto below = [&random](std::size_t most) { return static_cast<std::int32_t>(random() % most); };
        std::vector<std::int32_t> all(board_inputs);
        std::iota(all.begin(), all.end(), 0);
        for (std::size_t c = 0; c < count; ++c) {
            std::shuffle(all.begin(), all.end(), random);
            inputs.insert(inputs.end(), all.begin(), all.begin() + below(board_inputs + 1));
            while (!is_plain && values.size() < inputs.size()) values.push_back(static_cast<float>(below(9)) / 4 - 1);
            input_starts.push_back(static_cast<std::int64_t>(inputs.size()));
            const std::int32_t moves = 1 + below(6);
            for (std::size_t key = 0; key < static_cast<std::size_t>(moves) * width; ++key)
                keys.push_back(shape.encoding == Encoding::mei ? move_input(below(move_inputs + 1))
                                                               : below(shape.outputs));
            move_starts.push_back(static_cast<std::int64_t>(keys.size() / width));
            best.push_back(below(static_cast<std::size_t>(moves)));
        }
    }
    MoveCaseView view() const { return {width, input_starts, inputs, values, move_starts, keys, best}; }
    /// One in so many is none: a piece that is dropped comes from no rank.
    static std::int32_t move_input(std::int32_t number) {
        return number == static_cast<std::int32_t>(move_inputs) ? -1 : static_cast<std::int32_t>(board_inputs) + number;
    }
    std::span<const std::int32_t> keys_of(std::size_t move) const {
        return std::span(keys).subspan(move * width, width);
    }
};

/// The same network as the search has it.
Network network_of(const MoveMapShape& shape, std::span<const float> weights) {
    NetworkWeights made;
    made.inputs = shape.inputs;
    made.units = shape.units;
    made.outputs = shape.outputs;
    made.function = shape.function;
    const auto part = [&](std::size_t at, std::size_t size) {
        return std::vector<float>(weights.begin() + static_cast<std::ptrdiff_t>(at),
                                  weights.begin() + static_cast<std::ptrdiff_t>(at + size));
    };
    made.hidden = part(shape.hidden(), shape.inputs * shape.units);
    made.hidden_bias = part(shape.hidden_bias(), shape.units);
    made.output_bias = part(shape.output_bias(), shape.outputs);
    made.output.resize(shape.units * shape.outputs);
    made.direct.resize(shape.has_direct ? shape.inputs * shape.outputs : 0);
    for (std::size_t output = 0; output < shape.outputs; ++output) {
        for (std::size_t unit = 0; unit < shape.units; ++unit)
            made.output[unit * shape.outputs + output] = weights[shape.output() + output * shape.units + unit];
        for (std::size_t input = 0; input < shape.inputs && shape.has_direct; ++input)
            made.direct[input * shape.outputs + output] = weights[shape.direct() + output * shape.inputs + input];
    }
    return Network(std::move(made));
}

/// Turns a gradient in the order of NetworkWeights to that of a move map.
std::vector<double> reordered(const MoveMapShape& shape, const std::vector<double>& gradient) {
    std::vector<double> made(shape.size());
    const double* hidden = gradient.data();
    const double* hidden_bias = hidden + shape.inputs * shape.units;
    const double* output = hidden_bias + shape.units;
    const double* direct = output + shape.units * shape.outputs;
    const double* output_bias = direct + (shape.has_direct ? shape.inputs * shape.outputs : 0);
    std::copy_n(hidden, shape.inputs * shape.units, made.begin() + static_cast<std::ptrdiff_t>(shape.hidden()));
    std::copy_n(hidden_bias, shape.units, made.begin() + static_cast<std::ptrdiff_t>(shape.hidden_bias()));
    std::copy_n(output_bias, shape.outputs, made.begin() + static_cast<std::ptrdiff_t>(shape.output_bias()));
    for (std::size_t o = 0; o < shape.outputs; ++o) {
        for (std::size_t unit = 0; unit < shape.units; ++unit)
            made[shape.output() + o * shape.units + unit] = output[unit * shape.outputs + o];
        for (std::size_t input = 0; input < shape.inputs && shape.has_direct; ++input)
            made[shape.direct() + o * shape.inputs + input] = direct[input * shape.outputs + o];
    }
    return made;
}

/// What the network of the search says of each case: scores of all moves, and the gradient of the summed loss.
struct ByNetwork {
    std::vector<float> scores;
    std::vector<double> gradient;
    double loss = 0;

    ByNetwork(const MoveMapShape& shape, std::span<const float> weights, const HeldCases& cases) {
        const Network network = network_of(shape, weights);
        gradient.resize(network.weights().size());
        for (std::size_t c = 0; c < cases.best.size(); ++c) add_case(shape, network, cases, c);
        gradient = reordered(shape, gradient);
    }

    void add_case(const MoveMapShape& shape, const Network& network, const HeldCases& cases, std::size_t c) {
        const auto first = static_cast<std::size_t>(cases.move_starts[c]);
        const std::size_t moves = static_cast<std::size_t>(cases.move_starts[c + 1]) - first;
        const auto from = cases.inputs.begin() + cases.input_starts[c],
                   to = cases.inputs.begin() + cases.input_starts[c + 1];
        const std::vector<std::int32_t> board(from, to);
        std::vector<float> values(board.size(), 1.0f);
        if (!cases.values.empty())
            std::copy_n(cases.values.begin() + cases.input_starts[c], board.size(), values.begin());
        std::vector<float> own;
        for (std::size_t m = 0; m < moves; ++m) {
            NetworkPass pass(network);
            const MoveInputs given(shape, board, values, cases.keys_of(first + m));
            float score = 0;
            for (const float value : pass.run(given.sparse(), given.outputs))
                score += value / static_cast<float>(given.outputs.size());
            own.push_back(score);
        }
        const std::vector<double> slopes = slopes_of(shape, own, static_cast<std::size_t>(cases.best[c]));
        for (std::size_t m = 0; m < moves; ++m) {
            NetworkPass pass(network);
            const MoveInputs given(shape, board, values, cases.keys_of(first + m));
            pass.run(given.sparse(), given.outputs);
            const std::vector<double> factors(given.outputs.size(),
                                              slopes[m] / static_cast<double>(given.outputs.size()));
            pass.add_gradient(std::span(gradient), std::span<const double>(factors));
        }
        scores.insert(scores.end(), own.begin(), own.end());
    }

    struct MoveInputs {
        std::vector<std::int32_t> indices;
        std::vector<float> values;
        std::vector<std::int32_t> outputs;

        MoveInputs(const MoveMapShape& shape, const std::vector<std::int32_t>& board,
                   const std::vector<float>& board_values, std::span<const std::int32_t> keys)
            : indices(board), values(board_values) {
            if (shape.encoding == Encoding::mei) {
                std::ranges::copy_if(keys, std::back_inserter(indices), [](std::int32_t key) { return key >= 0; });
                values.resize(indices.size(), 1.0f);
                outputs = {0};
            } else {
                outputs.assign(keys.begin(), keys.end());
            }
        }
        SparseInputs sparse() const { return {indices, values}; }
    };

    std::vector<double> slopes_of(const MoveMapShape& shape, const std::vector<float>& own, std::size_t best) {
        std::vector<double> slopes;
        double total = 0;
        for (const float score : own) total += std::exp(double{score});
        for (std::size_t m = 0; m < own.size(); ++m) {
            const double target = m == best ? 1 : 0, score = own[m];
            if (shape.loss == Loss::square) {
                loss += (score - target) * (score - target);
                slopes.push_back(2 * (score - target));
            } else if (shape.loss == Loss::sigmoid) {
                const double value = (1 + score) / 2;
                loss += (value - target) * (value - target);
                slopes.push_back(value - target);
            } else {
                if (m == best) loss += std::log(total) - score;
                slopes.push_back(std::exp(score) / total - target);
            }
        }
        return slopes;
    }
};

}  // namespace

TEST_CASE("a pass over cases gives the scores, the loss and the gradient of the network") {
    std::mt19937 random(3);
    for (const MoveMapShape& shape : all_shapes()) {
        for (const bool is_plain : {true, false}) {
            const HeldCases cases(shape, 40, is_plain, random);
            const MoveCaseView view = cases.view();
            view.check();
            const MoveMapTrainer map(shape);
            const std::vector<float> weights = random_weights(shape.size(), random);
            std::vector<float> gradient(shape.size()), scores(cases.keys.size() / cases.width);
            const MoveMapMeasures measures = map.pass(weights, view, 0, view.size(), 1, gradient, scores);
            const ByNetwork expected(shape, weights, cases);
            REQUIRE(measures.loss == doctest::Approx(expected.loss).epsilon(1e-5));
            REQUIRE(measures.moves == static_cast<std::int64_t>(scores.size()));
            for (std::size_t m = 0; m < scores.size(); ++m)
                REQUIRE(scores[m] == doctest::Approx(expected.scores[m]).epsilon(1e-4));
            for (std::size_t i = 0; i < shape.size(); ++i)
                REQUIRE(std::abs(double{gradient[i]} - expected.gradient[i]) < 1e-4);
        }
    }
}

TEST_CASE("the gradient of a pass is the numeric derivative of its loss") {
    std::mt19937 random(4);
    for (const MoveMapShape& shape : all_shapes()) {
        const HeldCases cases(shape, 12, false, random);
        const MoveMapTrainer map(shape);
        std::vector<float> weights = random_weights(shape.size(), random), gradient(shape.size());
        map.pass(weights, cases.view(), 0, 12, 1, gradient);
        for (std::size_t i = 0; i < shape.size(); i += 7) {
            constexpr float step = 0.004f;
            const float kept = weights[i];
            weights[i] = kept + step;
            const double above = map.pass(weights, cases.view(), 0, 12, 1).loss;
            weights[i] = kept - step;
            const double below = map.pass(weights, cases.view(), 0, 12, 1).loss;
            weights[i] = kept;
            REQUIRE(std::abs((above - below) / (2 * double{step}) - double{gradient[i]}) < 2e-3);
        }
    }
}

TEST_CASE("any number of threads gives the same bits, and passes over parts add up") {
    std::mt19937 random(5);
    for (const MoveMapShape& shape : all_shapes()) {
        if (shape.units == 1) continue;
        const HeldCases cases(shape, 5000, true, random);
        const MoveCaseView view = cases.view();
        const MoveMapTrainer map(shape);
        const std::vector<float> weights = random_weights(shape.size(), random);
        std::vector<float> one(shape.size());
        const MoveMapMeasures measures = map.pass(weights, view, 0, view.size(), 1, one);
        for (const std::size_t threads : {2u, 5u}) {
            std::vector<float> many(shape.size());
            const MoveMapMeasures same = map.pass(weights, view, 0, view.size(), threads, many);
            REQUIRE(one == many);
            REQUIRE(measures.loss == same.loss);
            REQUIRE(measures.ranks == same.ranks);
        }
        const MoveMapMeasures first = map.pass(weights, view, 0, 1234, 2);
        const MoveMapMeasures rest = map.pass(weights, view, 1234, view.size(), 2);
        REQUIRE(first.cases + rest.cases == measures.cases);
        REQUIRE(first.loss + rest.loss == doctest::Approx(measures.loss).epsilon(1e-12));
        REQUIRE(first.ranks[0] + rest.ranks[0] == doctest::Approx(measures.ranks[0]).epsilon(1e-12));
    }
}

TEST_CASE("learning by batches follows the mean gradient of each, on any number of threads") {
    std::mt19937 random(6);
    for (const MoveMapShape& shape : all_shapes()) {
        if (shape.units == 1) continue;
        const HeldCases cases(shape, 600, true, random);
        const MoveMapTrainer map(shape);
        const std::vector<float> start = random_weights(shape.size(), random);
        std::vector<std::int32_t> order(600);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (const auto kind : {DescentSettings::Kind::adagrad, DescentSettings::Kind::adam}) {
            const DescentSettings rule{.kind = kind, .rate = 0.05f};
            std::vector<std::vector<float>> results;
            for (const std::size_t threads : {1u, 3u}) {
                std::vector<float> weights = start, squares(shape.size()), means(shape.size());
                DescentMemory memory{squares, means};
                map.learn(weights, rule, memory, cases.view(), order, 128, threads);
                REQUIRE(memory.steps == 5);
                results.push_back(weights);
            }
            REQUIRE(results[0] == results[1]);
            // A single batch is a step by the gradient of a pass.
            std::vector<float> weights = start, squares(shape.size()), means(shape.size());
            DescentMemory memory{squares, means};
            const double loss = map.learn(weights, rule, memory, cases.view(), order, 600, 2).loss;
            std::vector<float> gradient(shape.size()), other = start, other_squares(shape.size()),
                                                       other_means(shape.size());
            REQUIRE(loss == doctest::Approx(map.pass(start, cases.view(), 0, 600, 1, gradient).loss).epsilon(1e-9));
            for (float& slope : gradient) slope /= 600;
            descend(rule, {other_squares, other_means, 1}, other, 0, gradient);
            for (std::size_t i = 0; i < shape.size(); ++i) {
                if (std::abs(gradient[i]) > 1e-5f) REQUIRE(weights[i] == doctest::Approx(other[i]).epsilon(1e-3));
            }
        }
    }
}

TEST_CASE("moves with equal scores share their ranks, and a move that is not known scores as the lowest") {
    const MoveMapShape shape{.inputs = 1, .outputs = 4, .function = Function::linear};
    const MoveMapTrainer map(shape);
    std::vector<float> weights(shape.size());
    for (std::size_t output = 0; output < 4; ++output)
        weights[shape.output_bias() + output] = std::array{3.0f, 1.0f, 1.0f, 1.0f}[output];
    const std::vector<std::int64_t> input_starts{0, 0, 0}, move_starts{0, 4, 7};
    const std::vector<std::int32_t> keys{0, 1, 2, 3, -1, 0, 1}, best{2, 0};
    const MoveCaseView cases{1, input_starts, {}, {}, move_starts, keys, best};
    cases.check();
    std::vector<float> scores(7);
    const MoveMapMeasures measures = map.pass(weights, cases, 0, 2, 1, {}, scores);
    CHECK(scores == std::vector<float>{3, 1, 1, 1, 1, 3, 1});
    CHECK(measures.ranks[0] == 0);
    CHECK(measures.ranks[1] == doctest::Approx(1.0 / 3 + 1.0 / 2));
    CHECK(measures.ranks[2] == doctest::Approx(1.0 / 3 + 1.0 / 2));
    CHECK(measures.ranks[3] == doctest::Approx(1.0 / 3));
}

TEST_CASE("cases whose arrays do not fit each other are refused") {
    const std::vector<std::int64_t> starts{0, 1}, wrong{0, 2};
    const std::vector<std::int32_t> one{0}, beyond{1}, negative{-1};
    const MoveCaseView good{1, starts, one, {}, starts, one, one};
    CHECK_NOTHROW(good.check());
    CHECK_THROWS_AS((MoveCaseView{1, wrong, one, {}, starts, one, one}.check()), std::invalid_argument);
    CHECK_THROWS_AS((MoveCaseView{1, starts, one, {}, wrong, one, one}.check()), std::invalid_argument);
    CHECK_THROWS_AS((MoveCaseView{1, starts, negative, {}, starts, one, one}.check()), std::invalid_argument);
    CHECK_THROWS_AS((MoveCaseView{1, starts, one, {}, starts, one, beyond}.check()), std::invalid_argument);
    CHECK_THROWS_AS((MoveCaseView{2, starts, one, {}, starts, one, one}.check()), std::invalid_argument);
    CHECK_THROWS_AS(MoveMapTrainer({.inputs = 1, .outputs = 1, .has_direct = false}), std::invalid_argument);
    CHECK_THROWS_AS(MoveMapTrainer({.encoding = Encoding::mei, .width = 4, .inputs = 1, .outputs = 2}),
                    std::invalid_argument);
}
