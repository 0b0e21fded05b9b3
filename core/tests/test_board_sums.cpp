// Sums that are kept while pieces move equal those of a board that was never seen before, and both what features and
// weights say.
#include <doctest/doctest.h>

#include <random>
#include <utility>

#include "eval/evaluator.hpp"
#include "games/breakthrough.hpp"
#include "games/chess.hpp"
#include "games/loa.hpp"
#include "games/shogi.hpp"

using namespace plypilot;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int visits = 1000;  // a sanitizer looks for faults of memory, and takes its time
#else
constexpr int visits = 20000;
#endif

/// Visits positions as a search does: forward, back, with null moves, and now and then somewhere else.
template <class P, class Visit>
void wander(const std::vector<std::string>& starts, unsigned seed, Visit visit) {
    std::mt19937 random(seed);
    const auto any_start = [&] { return P::from_fen(starts[random() % starts.size()]); };
    P position = any_start();
    for (int i = 0; i < visits; ++i) {
        const unsigned choice = random() % 100;
        MoveList list;
        position.generate(list);
        bool in_check = false;
        if constexpr (requires { position.in_check(); }) in_check = position.in_check();
        if (choice < 2 || list.empty()) {
            position = any_start();
        } else if (choice < 35 && position.ply() > 0) {
            position.pop();
        } else if (choice < 40 && !in_check) {
            position.push_null();
        } else {
            position.push(list[random() % list.size()]);
        }
        visit(std::as_const(position));
    }
}

std::vector<float> random_weights(std::size_t size, float most, std::mt19937& random) {
    std::uniform_real_distribution<float> distribution(-most, most);
    std::vector<float> weights(size);
    for (float& weight : weights) weight = distribution(random);
    return weights;
}

template <class P>
std::size_t features_of_set(int set) {
    return P::info().feature_sets[static_cast<std::size_t>(set)].features.size();
}

/// All sets at once, so that kept and computed ones stand side by side.
template <class P>
EvaluationSettings linear_over_all(unsigned seed) {
    std::mt19937 random(seed);
    EvaluationSettings settings;
    settings.kind = EvaluationSettings::Kind::linear;
    for (int set = 0; set < static_cast<int>(P::info().feature_sets.size()); ++set)
        settings.terms.emplace_back(set, random_weights(features_of_set<P>(set), 100, random));
    return settings;
}

/// Networks of one output, with a hidden layer where there are units, with direct links where these are asked for.
template <class P>
EvaluationSettings network_over(int set, std::size_t units, float most, bool has_direct, unsigned seed) {
    std::mt19937 random(seed);
    const std::size_t inputs = features_of_set<P>(set);
    EvaluationSettings settings;
    settings.kind = EvaluationSettings::Kind::network;
    settings.network = {.set = set,
                        .network = Network({.inputs = inputs,
                                            .units = units,
                                            .outputs = 1,
                                            .hidden = random_weights(inputs * units, most, random),
                                            .hidden_bias = random_weights(units, most, random),
                                            .output = random_weights(units, 0.5f, random),
                                            .direct = random_weights(has_direct ? inputs : 0, most, random),
                                            .output_bias = {0.1f}}),
                        .scale = 10'000,
                        .first_player = has_direct};
    return settings;
}

template <class P>
Score weighed(const P& position, const EvaluationSettings& settings) {
    Score score = 0;
    for (const LinearTerm& term : settings.terms) {
        WeightedSum sum(term);
        position.features(term.set, sum);
        score += sum.total();
    }
    return std::clamp(score, -most_static, most_static);
}

/// The value of a network in double precision, in score units.
template <class P>
double network_score(const P& position, const NetworkTerm& term) {
    const NetworkWeights& weights = term.network.weights();
    FeatureVector features(weights.inputs);
    position.features(term.set, features);
    double total = double{weights.output_bias[0]};
    for (std::size_t unit = 0; unit < weights.units; ++unit) {
        double sum = double{weights.hidden_bias[unit]};
        for (std::size_t i = 0; i < weights.inputs; ++i)
            sum += double{features.values()[i]} * double{weights.hidden[i * weights.units + unit]};
        total += double{weights.output[unit]} * std::tanh(sum);
    }
    for (std::size_t i = 0; i < weights.direct.size(); ++i)
        total += double{features.values()[i]} * double{weights.direct[i]};
    const double value = std::tanh(total) * double{term.scale};
    return term.first_player && position.side() == second ? -value : value;
}

template <class P>
void check_linear(const std::vector<std::string>& starts) {
    const EvaluationSettings settings = linear_over_all<P>(1);
    const Evaluator<P> evaluate(settings);
    auto sums = evaluate.new_sums();
    int different = 0;
    wander<P>(starts, 2, [&](const P& position) {
        const Score kept = evaluate(position, sums);
        different += kept != evaluate(position) || kept != weighed(position, settings);
    });
    CHECK(different == 0);
}

template <class P>
void check_network(const std::vector<std::string>& starts) {
    for (int set = 0; set < static_cast<int>(P::info().feature_sets.size()); ++set) {
        const bool has_direct = set % 2 == 1;
        const std::size_t units = set % 4 == 3 ? 0 : static_cast<std::size_t>(2 + 3 * set);
        const EvaluationSettings settings = network_over<P>(set, units, 0.5f, has_direct, 3);
        const Evaluator<P> evaluate(settings);
        auto sums = evaluate.new_sums();
        // Half a unit by rounding, and less than a hundredth by sums of whole numbers and single precision; a tenth
        // where features count more than pieces on squares, in larger numbers.
        const double most = P::place_map(set) ? 0.51 : 0.6;
        int different = 0, wrong = 0;
        wander<P>(starts, 4, [&](const P& position) {
            const Score kept = evaluate(position, sums);
            different += kept != evaluate(position);
            wrong += std::abs(kept - network_score(position, settings.network)) > most;
        });
        CAPTURE(P::info().feature_sets[static_cast<std::size_t>(set)].name);
        CHECK(different == 0);
        CHECK(wrong == 0);
    }
}

template <class P>
void check_game(std::vector<std::string> starts = {}) {
    starts.emplace_back(P::info().start_fen);
    CAPTURE(P::info().name);
    check_linear<P>(starts);
    check_network<P>(starts);
}

}  // namespace

TEST_CASE("evaluations kept while pieces move equal fresh ones, and those by features and weights: breakthrough") {
    check_game<Breakthrough>({*Breakthrough::start_fen("6x5"), *Breakthrough::start_fen("4x4"),
                              *Breakthrough::start_fen("5x8"), "8/PP4PP/8/8/8/8/pppp4/8 b"});
}
TEST_CASE("evaluations kept while pieces move equal fresh ones, and those by features and weights: chess") {
    check_game<Chess>({"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                       "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "8/8/8/4k3/8/8/8/4K3 b - - 0 1"});
}
TEST_CASE("evaluations kept while pieces move equal fresh ones, and those by features and weights: loa") {
    check_game<LinesOfAction>({"8/8/1b4w1/8/8/w4b2/8/3b1w2 w"});
}
TEST_CASE("evaluations kept while pieces move equal fresh ones, and those by features and weights: shogi") {
    check_game<Shogi>({"ln1g3nl/1r1sk1gb1/p1pppp1pp/1p4p2/9/2P3P2/PP1PPPN1P/1BG1KS1R1/LNS2G2L b - 1",
                       "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124"});
}

TEST_CASE("a network with large weights is as exact as they allow") {
    const EvaluationSettings settings = network_over<LinesOfAction>(2, 40, 1000, false, 5);
    const Evaluator<LinesOfAction> evaluate(settings);
    auto sums = evaluate.new_sums();
    int wrong = 0;
    wander<LinesOfAction>({std::string(LinesOfAction::info().start_fen)}, 6, [&](const LinesOfAction& position) {
        wrong += std::abs(evaluate(position, sums) - network_score(position, settings.network)) > 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("tanh by four is right to seven digits, odd but for the last of them, and 1 at the ends") {
    double worst = 0;
    for (int i = -120'000; i <= 120'000; ++i) {
        const float x = static_cast<float>(i) / 10'000;
        const float value = tanh_of(x);
        worst = std::max(worst, std::abs(double{value} - std::tanh(double{x})));
        CHECK(std::abs(value + tanh_of(-x)) < 3e-7f);
    }
    CHECK(worst < 3e-7);
    for (float x : {20.0f, 1e10f, 1e38f}) {
        CHECK(tanh_of(x) == doctest::Approx(1).epsilon(1e-6));
        CHECK(tanh_of(-x) == doctest::Approx(-1).epsilon(1e-6));
    }
    CHECK(tanh_of(0.0f) == 0);
    const FloatLanes four = tanh_of(FloatLanes{0, 0.5f, -2, 30});
    for (std::size_t i = 0; i < lane_count; ++i) CHECK(four[i] == tanh_of(FloatLanes{0, 0.5f, -2, 30}[i]));
}
