// A network that takes a decision which comes up a few times a move (Kocsis ch. 5): it chooses among numbers, asked
// before a search, or says whether another iteration follows, asked after each. What it sees are shares of the bank, so
// that one that has learned with nodes serves on a clock too, and features of the position.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../eval/network.hpp"
#include "../zobrist.hpp"
#include "funds.hpp"
#include "settings.hpp"

namespace plypilot {

/// One decision of a policy: what it saw, and which of its choices it took.
struct PolicyDecision {
    std::vector<std::int32_t> indices;
    std::vector<float> values;
    int chosen = 0;  // before: the output; after: 1 to go on, 0 to stop
};

/// What one search is given of a bank, and what its policies keep in mind until its end.
struct Thought {
    std::optional<Funds> funds;                   // none: there is no bank, and the timing has no say
    Limits fixed;                                 // that the search has anyway
    std::vector<PolicyDecision>* told = nullptr;  // where policies note what they decide, if anywhere
    std::uint64_t chance = 0;                     // the seed of decisions that are left to chance
    std::vector<std::int32_t> indices;            // of the position's features that a policy sees
    std::vector<float> values;
    int depth = 0;  // that a policy has chosen for this search; 0: none as yet
};

class Policy {
  public:
    using Asked = PolicySettings::Asked;
    using Seen = PolicySettings::Seen;

    /// Throws std::invalid_argument, which names the place in a pilot, where sizes do not fit each other or a weight is
    /// no number.
    Policy(const PolicySettings& settings, const char* place) : settings_(settings), place_(place) {
        const NetworkWeights& weights = settings.network.weights();
        const auto refuse = [&](const std::string& text) { throw std::invalid_argument(place_ + ": " + text); };
        for (const auto* layer :
             {&weights.hidden, &weights.hidden_bias, &weights.output, &weights.direct, &weights.output_bias}) {
            if (!std::all_of(layer->begin(), layer->end(), [](float weight) { return std::isfinite(weight); }))
                refuse("a weight is not a finite number");
        }
        if (settings.asked == Asked::after && weights.outputs != 1)
            refuse("has " + std::to_string(weights.outputs) + " outputs, expected one: whether to go on");
        if (settings.set.empty()) check_inputs(0);
    }

    Asked asked() const { return settings_.asked; }

    /// Reads the features of the position to search.
    template <class Position>
    void begin(const Position& position, Thought& thought) const {
        if (settings_.set.empty()) return;
        const auto& sets = position.info().feature_sets;
        const auto own =
            std::find_if(sets.begin(), sets.end(), [&](const auto& set) { return set.name == settings_.set; });
        if (own == sets.end()) throw std::invalid_argument(place_ + ": this game has no feature set " + settings_.set);
        check_inputs(own->features.size());
        const auto features = position.features(static_cast<int>(own - sets.begin()));
        const auto seen = static_cast<std::int32_t>(settings_.seen.size());
        for (std::size_t i = 0; i < features.values().size(); ++i) {
            if (features.values()[i] == 0) continue;
            thought.indices.push_back(seen + static_cast<std::int32_t>(i));
            thought.values.push_back(features.values()[i]);
        }
    }
    /// Before a search: chooses a number.
    int choose(Thought& thought) const { return settings_.first + decide(thought, {}); }
    /// The same for the depth of the search.
    void choose_depth(Thought& thought) const { thought.depth = choose(thought); }
    /// After an iteration: whether another one follows.
    bool goes_on(Thought& thought, const IterationFacts& facts) const {
        const int more = static_cast<int>(std::lround(shift(*thought.funds, facts)));
        if (settings_.asked == Asked::before) {
            if (!thought.depth) choose_depth(thought);  // the bank was not known before
            return facts.depth < thought.depth + more;
        }
        if (facts.depth < settings_.least_depth) return true;
        if (settings_.most_depth && facts.depth >= settings_.most_depth + more) return false;
        return decide(thought, facts) == 1;
    }

    /// What a move adds to a bank, and where that is little or nothing a share of the bank: what a policy measures
    /// banks and efforts by. 0 where nothing is left.
    static double unit_of(const Funds& funds) {
        return std::max(funds.increment + funds.byoyomi, funds.left / longest_bank);
    }

  private:
    static constexpr double longest_bank = 30;  // units: a larger bank is seen as one of so many
    static constexpr double bank_unit = 10, depth_unit = 10, settled_unit = 8;  // what is seen as 1
    static constexpr double most_shift = 64;                                    // plies

    void check_inputs(std::size_t features) const {
        const std::size_t given = settings_.network.weights().inputs, expected = settings_.seen.size() + features;
        if (given != expected)
            throw std::invalid_argument(place_ + ": the network has " + std::to_string(given) + " inputs, expected " +
                                        std::to_string(expected));
    }
    /// By how many plies searches are deeper with this bank than where the policy was learned.
    double shift(const Funds& funds, const IterationFacts& facts) const {
        if (settings_.increment <= 0 || settings_.growth <= 1) return 0;
        const double nodes = unit_of(funds) * (funds.unit == Funds::Unit::nodes ? 1 : facts.speed);
        if (!(nodes > 0)) return 0;
        const double plies = std::log(nodes / settings_.increment) / std::log(settings_.growth);
        return std::clamp(plies, -most_shift, most_shift);
    }
    double value_of(Score score) const { return std::tanh(score * settings_.steepness / 2); }

    /// Takes a decision, and notes it where somebody listens.
    int decide(Thought& thought, const IterationFacts& facts) const {
        PolicyDecision decision;
        const Funds funds = thought.funds.value_or(Funds{});
        for (std::size_t i = 0; i < settings_.seen.size(); ++i) {
            const auto value = static_cast<float>(read(settings_.seen[i], funds, facts));
            if (value == 0) continue;
            decision.indices.push_back(static_cast<std::int32_t>(i));
            decision.values.push_back(value);
        }
        decision.indices.insert(decision.indices.end(), thought.indices.begin(), thought.indices.end());
        decision.values.insert(decision.values.end(), thought.values.begin(), thought.values.end());
        std::vector<std::int32_t> outputs(settings_.network.weights().outputs);
        std::iota(outputs.begin(), outputs.end(), 0);
        NetworkPass pass(settings_.network);
        const auto values = pass.run({decision.indices, decision.values}, outputs);
        // Whether to go on is a choice between 0, to stop, and the one output.
        std::vector<double> scores(values.begin(), values.end());
        if (settings_.asked == Asked::after) scores.insert(scores.begin(), 0.0);
        decision.chosen = draw(scores, thought.chance);
        const int chosen = decision.chosen;
        if (thought.told) thought.told->push_back(std::move(decision));
        return chosen;
    }
    double read(Seen seen, const Funds& funds, const IterationFacts& facts) const {
        const double unit = unit_of(funds);
        const auto share = [unit](double amount) {
            return unit > 0 ? std::clamp(amount / unit, 0.0, longest_bank) : 0;
        };
        const double spent = facts.spent.in(funds.unit);
        switch (seen) {
            case Seen::bank: return share(funds.left) / bank_unit;
            case Seen::iteration: return (facts.depth - shift(funds, facts)) / depth_unit;
            case Seen::value: return value_of(facts.score);
            case Seen::last_value: return value_of(facts.last_score);
            case Seen::drop: return std::max(value_of(facts.last_score) - value_of(facts.score), 0.0);
            case Seen::spent: return share(spent);
            case Seen::latest: return share(spent - facts.before.in(funds.unit));
            case Seen::new_move: return facts.is_new_move;
            case Seen::settled: return std::min(facts.settled / settled_unit, 1.0);
        }
        return 0;
    }
    /// The highest score, the last of equal ones, so that 0 goes on; or one by chance, if the settings say so.
    int draw(const std::vector<double>& scores, std::uint64_t& chance) const {
        const auto lot = [&chance] {
            chance = splitmix64(chance);
            return static_cast<double>(chance >> 11) * 0x1p-53;
        };
        if (settings_.random > 0 && lot() < settings_.random)
            return static_cast<int>(lot() * static_cast<double>(scores.size()));
        const double highest = *std::max_element(scores.begin(), scores.end());
        if (settings_.temperature > 0) {
            double total = 0;
            const auto weight = [&](double score) { return std::exp((score - highest) / settings_.temperature); };
            for (const double score : scores) total += weight(score);
            double rest = lot() * total;
            for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
                if ((rest -= weight(scores[i])) < 0) return static_cast<int>(i);
            }
            return static_cast<int>(scores.size()) - 1;
        }
        const auto last = std::find(scores.rbegin(), scores.rend(), highest);
        return static_cast<int>(scores.rend() - last) - 1;
    }

    PolicySettings settings_;
    std::string place_;
};

}  // namespace plypilot
