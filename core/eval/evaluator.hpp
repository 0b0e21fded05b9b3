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
    std::uint64_t seed = 0;
};

template <Rules P>
class Evaluator {
  public:
    using Kind = EvaluationSettings::Kind;
    using Sums = BoardSums<P>;

    explicit Evaluator(EvaluationSettings settings) : settings_(std::move(settings)) {
        if (settings_.kind == Kind::linear) prepare_linear();
        if (settings_.kind == Kind::network) prepare_network();
    }

    /// The value of a position, given the sums that were kept from the last one it was asked for. They change nothing
    /// but the time it takes.
    Score operator()(const P& position, Sums& sums) const {
        if (settings_.kind == Kind::zero) return 0;
        const Score score = known_part(position, sums) + (settings_.random_size ? random_part(position) : 0);
        return std::clamp(score, -most_static, most_static);
    }
    Score operator()(const P& position) const {
        Sums sums(columns_);
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
    /// Sums for one thread to keep.
    Sums new_sums() const { return Sums(columns_); }

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
        const NetworkTerm& network = settings_.network;
        output_ = OutputLayer(network);
        auto map = place_map(network.set);
        if (!map) return;
        const WholeHidden whole(network);
        hidden_unit_ = 1 / whole.fraction;
        columns_ = Columns({{std::move(*map), 0, static_cast<std::size_t>(network.units), whole.weights, whole.bias}});
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
            WeightedSum sum(term);
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
        const NetworkTerm& network = settings_.network;
        const bool turned = network.first_player && position.side() == second;
        const auto score = static_cast<Score>(std::nearbyint(network_value(position, sums) * network.scale));
        return turned ? -score : score;
    }

    float network_value(const P& position, Sums& sums) const {
        if constexpr (HasBoard<P>) {
            if (columns_.height()) {
                sums.turn_to(position);
                return output_.value(
                    [&](std::size_t i) { return __builtin_convertvector(sums[i], FloatLanes) * hidden_unit_; });
            }
        }
        HiddenSum sum(settings_.network);
        position.features(settings_.network.set, sum);
        return output_.value([&](std::size_t i) { return sum[i]; });
    }

    /// A hash of position and seed, so that a transposition has one value (Smith, appendix E).
    Score random_part(const P& position) const {
        const auto range = static_cast<std::uint64_t>(2 * settings_.random_size + 1);
        return static_cast<Score>(splitmix64(position.key() ^ settings_.seed) % range) - settings_.random_size;
    }

    EvaluationSettings settings_;
    Columns columns_;                       // of what is kept while pieces move
    std::size_t kept_terms_ = 0;            // of the linear ones, each a sum
    std::vector<std::ptrdiff_t> computed_;  // the other terms, by number
    OutputLayer output_;
    float hidden_unit_ = 1;  // what 1 in a sum of a hidden unit is worth
};

}  // namespace plypilot
