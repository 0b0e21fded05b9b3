// How a position is judged at the leaves: nothing, a random number, weights on named features, or a network over them.
// Weights come in as data; scores go out as integers on the one scale of score.hpp, from the view of the side to move.
#pragma once

#include "../zobrist.hpp"
#include "board_sums.hpp"
#include "linear.hpp"
#include "network.hpp"

namespace plypilot {

struct EvaluationSettings {
    enum class Kind : std::uint8_t { zero, random, linear, network };

    Kind kind = Kind::zero;
    std::vector<LinearTerm> terms;
    NetworkTerm network;
    int random_size = 0;  // a random part in [-random_size, random_size] by position and seed: all there is of kind
                          // random, added to linear and network (Smith, E.3)
    bool random_from_zero = false;  // in [0, random_size] instead, for the side to move (Smith, E.3)
    std::uint64_t seed = 0;
};

template <Rules P>
class Evaluator {
  public:
    using Kind = EvaluationSettings::Kind;

    /// What one thread keeps from one position to the next. It changes nothing but the time an evaluation takes.
    struct Sums : BoardSums<P> {
        PartSums* parts;  // none: they are computed each time
    };

    explicit Evaluator(EvaluationSettings settings) : settings_(std::move(settings)) {
        if (settings_.kind == Kind::linear) prepare_linear();
        if (settings_.kind == Kind::network) prepare_network();
    }

    /// The value of a position, given the sums that were kept from the last one it was asked for.
    Score operator()(const P& position, Sums& sums) const {
        if (settings_.kind == Kind::zero) return 0;
        const Score score = known_part(position, sums) + (settings_.random_size ? random_part(position) : 0);
        return std::clamp(score, -most_static, most_static);
    }
    Score operator()(const P& position) const {
        Sums sums = new_sums();
        return (*this)(position, sums);
    }
    /// Whether a position is judged as quickly as its score is looked up in memory.
    bool is_quick() const {
        if constexpr (requires { P::has_quick_features; }) {
            if (settings_.kind == Kind::linear) return P::has_quick_features;
        }
        return settings_.kind == Kind::zero || settings_.kind == Kind::random;
    }
    /// Another seed. Returns whether values change by it.
    bool set_seed(std::uint64_t seed) {
        settings_.seed = seed;
        return settings_.random_size != 0;
    }
    /// Sums for one thread to keep, with its memory of parts if it has one.
    Sums new_sums(PartSums* parts = nullptr) const { return {BoardSums<P>(columns_), parts}; }

  private:
    void prepare_linear() {
        std::vector<ColumnPart> parts;
        for (const LinearTerm& term : settings_.terms) {
            if (auto map = place_map(term.set)) {
                parts.push_back({std::move(*map), parts.size(), 1, term.whole, {0}});
            } else {
                computed_.push_back(&term - settings_.terms.data());
            }
        }
        columns_ = Columns(parts);
        kept_terms_ = parts.size();
    }

    void prepare_network() {
        const auto map = place_map(settings_.network.set);
        if (!map) return;
        const Network& network = settings_.network.network;
        const WholeInputs whole(network.weights());
        whole_unit_ = 1 / whole.fraction;
        std::vector<ColumnPart> parts;
        if (network.height()) parts.push_back({*map, 0, network.weights().units, whole.hidden, whole.hidden_bias});
        if (network.has_direct()) parts.push_back({*map, network.height() * lane_count, 1, whole.direct, {0}});
        columns_ = Columns(parts);
    }

    static std::optional<PlaceMap> place_map(int set) {
        if constexpr (HasBoard<P>) return P::place_map(set);
        return std::nullopt;
    }

    Score known_part(const P& position, Sums& sums) const {
        if (settings_.kind == Kind::linear) return linear_part(position, sums);
        if (settings_.kind == Kind::network) return network_part(position, sums);
        return 0;
    }

    Score linear_part(const P& position, Sums& sums) const {
        Score score = kept_terms_ ? kept_part(position, sums) : 0;
        for (const std::ptrdiff_t number : computed_) {
            const LinearTerm& term = settings_.terms[number];
            WeightedSum sum(term, sums.parts);
            position.features(term.set, sum);
            score += sum.total();
        }
        return score;
    }

    // Not inline, so that the caller stays small for evaluations that keep nothing.
    [[gnu::noinline]] Score kept_part(const P& position, Sums& sums) const {
        Score score = 0;
        if constexpr (HasBoard<P>) {
            sums.turn_to(position);
            for (std::size_t i = 0; i < kept_terms_; ++i)
                score += WeightedSum::rounded(static_cast<float>(sums[i / lane_count][i % lane_count]) /
                                              LinearTerm::fraction);
        }
        return score;
    }

    [[gnu::noinline]] Score network_part(const P& position, Sums& sums) const {
        const NetworkTerm& term = settings_.network;
        const bool turned = term.first_player && position.side() == second;
        const Score score = WeightedSum::rounded(network_value(position, sums) * term.scale);
        return turned ? -score : score;
    }

    float network_value(const P& position, Sums& sums) const {
        const Network& network = settings_.network.network;
        if constexpr (HasBoard<P>) {
            if (columns_.height()) {
                sums.turn_to(position);
                const auto kept = [&](std::size_t i) {
                    return __builtin_convertvector(sums[i], FloatLanes) * whole_unit_;
                };
                const float direct = network.has_direct() ? kept(network.height())[0] : 0;
                return network.value(0, [&](std::size_t i) { return tanh_of(kept(i)); }, direct);
            }
        }
        constexpr std::int32_t only_output = 0;
        float direct = 0;
        InputSums fresh(network, {&only_output, 1}, {&direct, network.has_direct() ? 1u : 0u});
        position.features(settings_.network.set, fresh);
        return network.value(0, [&](std::size_t i) { return tanh_of(fresh[i]); }, direct);
    }

    /// A hash of position and seed, so that a transposition has one value (Smith, appendix E).
    Score random_part(const P& position) const {
        const int least = settings_.random_from_zero ? 0 : -settings_.random_size;
        const auto range = static_cast<std::uint64_t>(settings_.random_size - least + 1);
        return static_cast<Score>(splitmix64(position.key() ^ settings_.seed) % range) + least;
    }

    EvaluationSettings settings_;
    Columns columns_;                       // of what is kept while pieces move
    std::size_t kept_terms_ = 0;            // of the linear ones, each a sum
    std::vector<std::ptrdiff_t> computed_;  // the other terms, by number
    float whole_unit_ = 1;                  // what 1 in a kept sum of a network is worth
};

}  // namespace plypilot
