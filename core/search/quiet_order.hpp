// What quiet moves are ordered by where no killer or countermove comes first: history, a network, or both (Kocsis
// 3.2.3).
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "exchange_order.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "settings.hpp"

namespace plypilot {

/// For one thread. It learns while it is asked.
template <Rules P>
class QuietOrder {
  public:
    static constexpr int most_score = most_order;
    static constexpr int history_scale = most_score / Memory<P>::most_history;

    explicit QuietOrder(const OrderingSettings& settings) : settings_(settings), weight_(settings.history_weight) {
        if (settings.history_rule != OrderingSettings::HistoryRule::running) totals_.emplace();
        if (settings.network.map) {
            scorer_.emplace(settings.network.map);
            to_units_ = static_cast<float>(most_score) / scorer_->map().most_score();
            least_depth_ = settings.network_plies * ply_units;
        }
        history_below_ = totals_ ? std::numeric_limits<Depth>::min() : least_depth_;
        clear();
    }

    /// Whether a move is one of those that it orders, which all are where captures do not come first.
    bool orders(const P& position, Move move) const { return !settings_.captures || !is_tactical(position, move); }
    /// Whether it learns nothing but the running history, which the memory has.
    bool is_plain() const { return !scorer_ && !totals_; }
    /// Whether a move's running history is all that there is to ask at a node.
    bool goes_by_history(const Node& node) const { return node.depth < history_below_; }
    /// Whether the network is asked at a node.
    bool asks_network(const Node& node) const { return node.depth >= least_depth_; }
    bool takes_first_choice(const Node& node) const {
        return settings_.network_use == OrderingSettings::NetworkUse::straightforward && asks_network(node);
    }

    /// What the network says of moves, as scores.
    void judge(const P& position, const Move* moves, std::size_t count, int* scores) {
        ++nodes_;
        ask(position, moves, count);
        for (std::size_t i = 0; i < count; ++i) scores[i] = in_units(judged_[i]);
    }
    /// A score for each of some moves of a node.
    void score(const P& position, const Node& node, const Memory<P>& memory, const Move* moves, std::size_t count,
               int* scores) {
        const Side side = position.side();
        const bool asks = asks_network(node) && !takes_first_choice(node);
        if (!asks) {
            for (std::size_t i = 0; i < count; ++i) scores[i] = history_score(memory, side, moves[i]);
            return;
        }
        ++nodes_;
        ask(position, moves, count);
        const bool is_pure = settings_.network_use == OrderingSettings::NetworkUse::pure || !settings_.history;
        const float factor = is_pure ? 0 : 1 / (static_cast<float>(weight_) * history_unit(memory, side, moves, count));
        for (std::size_t i = 0; i < count; ++i) {
            const float history = is_pure ? 0 : history_share(memory, side, moves[i]) * factor;
            scores[i] = in_units(judged_[i] + history);
        }
    }

    /// What history says of some moves, before it is divided by its weight: about 1 at most by its usual rules.
    void tell_history(const P& position, const Memory<P>& memory, const Move* moves, std::size_t count,
                      float* shares) const {
        const Side side = position.side();
        const float unit = history_unit(memory, side, moves, count);
        for (std::size_t i = 0; i < count; ++i) shares[i] = history_share(memory, side, moves[i]) / unit;
    }
    /// What history is divided by, which a search may change.
    double weight() const { return weight_; }

    /// A quiet move was sufficient; `first` is the quiet move that was tried before all others, if another one. Called
    /// before the memory is told.
    void note_cut(const P& position, const Node& node, const Memory<P>& memory, Move move, Move first) {
        if (first && (settings_.history_adaptation > 0 || settings_.network_refinement > 0) && asks_network(node))
            learn(position, memory, move, first);
        if (totals_) totals_->add(position.side(), move, node.depth);
    }
    /// A quiet move was the best, though not sufficient.
    void note_best(const Node& node, Side side, Move move) {
        if (totals_) totals_->add(side, move, node.depth);
    }
    bool wants_best() const { return totals_.has_value(); }

    void age() {
        if (totals_) totals_->age();
    }
    void clear() {
        if (totals_) totals_->clear();
        weight_ = settings_.history_weight;
        if (scorer_ && settings_.network_refinement > 0) refined_ = scorer_->map().rows();
    }
    /// How many nodes' moves the network has ordered.
    std::uint64_t judged() const { return nodes_; }

  private:
    const MoveMap::Rows& rows() const { return refined_.empty() ? scorer_->map().rows() : refined_; }

    void ask(const P& position, const Move* moves, std::size_t count) {
        if (judged_.size() < count) judged_.resize(count);
        scorer_->score(position, moves, count, judged_.data(), rows());
    }
    int in_units(float score) const {
        const float units = score * to_units_;
        return static_cast<int>(std::clamp(units, -static_cast<float>(most_score), static_cast<float>(most_score)));
    }
    /// History as a number of about 1 at most: a rate, or a share of all updates (3.1).
    float history_share(const Memory<P>& memory, Side side, Move move) const {
        if (totals_) return totals_->share(side, move);
        return static_cast<float>(memory.history(side, move)) / Memory<P>::most_history;
    }
    /// What these numbers are divided by in a position: 1, or their deviation among its moves, where they differ.
    float history_unit(const Memory<P>& memory, Side side, const Move* moves, std::size_t count) const {
        if (settings_.history_rule != OrderingSettings::HistoryRule::deviation) return 1;
        float sum = 0, squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const float share = history_share(memory, side, moves[i]);
            sum += share;
            squares += share * share;
        }
        const float mean = sum / static_cast<float>(count),
                    variance = squares / static_cast<float>(count) - mean * mean;
        return variance > 0 ? std::sqrt(variance) : 1;
    }
    int history_score(const Memory<P>& memory, Side side, Move move) const {
        if (!settings_.history) return 0;
        if (totals_) return static_cast<int>(totals_->rate(side, move) * most_score);
        return memory.history(side, move) * history_scale;
    }

    /// A move cut that was tried behind another: one of the two judges may have known better (3.2).
    void learn(const P& position, const Memory<P>& memory, Move move, Move first) {
        const Move moves[] = {move, first};
        ask(position, moves, 2);
        const float network_lead = judged_[0] - judged_[1];
        if (settings_.history_adaptation > 0) {
            const Side side = position.side();
            const float history_lead = history_share(memory, side, move) - history_share(memory, side, first);
            const double step = 1 + settings_.history_adaptation;
            if (network_lead > 0 && history_lead <= 0) weight_ = std::min(weight_ * step, most_weight);
            if (history_lead > 0 && network_lead <= 0) weight_ = std::max(weight_ / step, least_weight);
        }
        if (settings_.network_refinement > 0 && network_lead <= 0) refine(position, move, first);
    }
    /// Moves the weights of two moves apart, at the inputs of this position.
    void refine(const P& position, Move move, Move first) {
        const float step = static_cast<float>(settings_.network_refinement) / scorer_->map().unit();
        const std::size_t inputs = scorer_->map().network().weights().inputs;
        const MapInputs& active = scorer_->read_inputs(position);
        const auto shift = [&](Move which, float by) {
            for (const std::int32_t key : scorer_->keys_of(position, which)) {
                if (key < 0) continue;
                std::int16_t* const row = refined_.data() + static_cast<std::size_t>(key) * inputs;
                active.each([&](int index, float value) {
                    const float changed = static_cast<float>(row[index]) + by * value;
                    row[index] = static_cast<std::int16_t>(std::clamp(changed, -32767.0f, 32767.0f));
                });
            }
        };
        shift(move, step);
        shift(first, -step);
    }

    static constexpr double least_weight = 1e-6, most_weight = 1e6;

    OrderingSettings settings_;
    std::optional<HistoryTotals<P>> totals_;
    std::optional<MoveScorer> scorer_;
    MoveMap::Rows refined_;  // direct links that change during the search; none where they do not
    static constexpr Depth never = std::numeric_limits<Depth>::max();
    Depth least_depth_ = never;    // from which on the network is asked
    Depth history_below_ = never;  // below which running history is all
    float to_units_ = 1;
    double weight_;
    std::uint64_t nodes_ = 0;
    std::vector<float> judged_;
};

}  // namespace plypilot
