// Forward-pruning functions: whether to go on with the quiet moves of a node, asked behind so many of them, by what is
// known of the node (Kocsis 4.3 and 4.5.1). A weighted sum of inputs; below 0 the moves that are left are skipped.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "../move_encoding.hpp"
#include "exchange_order.hpp"
#include "node.hpp"
#include "settings.hpp"

namespace plypilot {

/// The inputs of a function that are not 0.
class FunctionInputs {
  public:
    FunctionInputs() = default;
    FunctionInputs(const FunctionInputs& other) { *this = other; }
    FunctionInputs& operator=(const FunctionInputs& other) {
        count_ = other.count_;
        std::copy_n(other.places_.begin(), count_, places_.begin());
        std::copy_n(other.values_.begin(), count_, values_.begin());
        return *this;
    }
    void add(int place, float value) {
        if (value == 0 || count_ == most) return;
        places_[count_] = static_cast<std::int16_t>(place);
        values_[count_++] = value;
    }
    /// Calls see(place, value) for each of them.
    template <class See>
    void each(See see) const {
        for (std::size_t i = 0; i < count_; ++i) see(static_cast<std::size_t>(places_[i]), values_[i]);
    }

  private:
    static constexpr std::size_t most = 512;  // far more than boards have pieces

    std::size_t count_ = 0;
    std::array<std::int16_t, most> places_;
    std::array<float, most> values_;
};

class PruningFunction {
  public:
    using Seen = FunctionSettings::Seen;
    using Decides = FunctionSettings::Decides;

    /// None is there where a pilot has none.
    explicit PruningFunction(const std::optional<FunctionSettings>& given) {
        places_.fill(-1);
        if (!given) return;
        const FunctionSettings& settings = *given;
        seen_ = settings.inputs;
        board_set_ = settings.board_set;
        board_size_ = settings.board_size;
        acts_ = settings.acts;
        decides_ = settings.decides;
        spares_line_ = settings.spares_line;
        pawn_ = std::max(settings.pawn, 1);
        wants_static_ = std::find(seen_.begin(), seen_.end(), Seen::gap) != seen_.end();
        checkpoints_ = settings.checkpoints.size();
        weights_ = settings.weights;
        all_features_ = std::find(seen_.begin(), seen_.end(), Seen::features) != seen_.end();
        for (std::size_t i = 0; i < settings.checkpoints.size(); ++i) {
            const int behind = settings.checkpoints[i];
            if (behind >= 0 && behind < most_checkpoint)
                places_[static_cast<std::size_t>(behind)] = static_cast<int>(i);
        }
        is_on_ = true;
    }

    /// How many inputs there are, where the board has so many; the first is always 1.
    static int inputs(const std::vector<Seen>& seen, int board_size) {
        int count = 1;
        for (const Seen own : seen) count += width(own, board_size);
        return count;
    }
    bool is_on() const { return is_on_; }
    /// Whether what it says is done.
    bool acts() const { return acts_; }
    /// Whether it is there and decides this.
    bool is_on(Decides what) const { return is_on_ && decides_ == what; }
    /// Whether it is asked at the root and on the principal line.
    bool spares_line() const { return spares_line_; }
    /// Whether it sees the static score.
    bool wants_static() const { return wants_static_; }
    /// The features of the next move that it sees.
    FeatureMask wanted() const { return all_features_ ? ~FeatureMask{0} : 0; }
    std::size_t checkpoints() const { return checkpoints_; }
    /// Which checkpoint stands behind so many quiet moves; -1: none.
    int checkpoint(int quiets) const {
        return quiets < most_checkpoint ? places_[static_cast<std::size_t>(quiets)] : -1;
    }

    /// What it sees where a move is next, after so many nodes of the search.
    template <Rules P>
    void read(const P& position, const Node& node, const Candidate& candidate, std::uint64_t nodes,
              FeatureMask features, FunctionInputs& inputs) const {
        inputs.add(0, 1);
        int base = 1;
        for (const Seen own : seen_) {
            if (own == Seen::board) {
                InputsFrom<FunctionInputs> behind{inputs, base};
                position.features(board_set_, behind);
            } else {
                read_one(own, node, candidate, nodes, features, base, inputs);
            }
            base += width(own, board_size_);
        }
    }
    /// The sum: below 0 the moves that are left are skipped.
    float value(int checkpoint, const FunctionInputs& inputs) const {
        float sum = 0;
        inputs.each([&](std::size_t place, float value) {
            sum += value * weights_[place * checkpoints_ + static_cast<std::size_t>(checkpoint)];
        });
        return sum;
    }

  private:
    static constexpr int most_checkpoint = 64;
    static constexpr int plies = 32, changes = 8, node_digits = 8, depth_digits = 3, rank_digits = 3, features = 64;
    static constexpr int order_digits = 3;
    static constexpr int gaps = 17, gaps_per_pawn = 2;  // half pawns from four below alpha to four above
    static constexpr float most_node_bits = 32, most_depth = 32 * ply_units;

    static int width(Seen seen, int board_size) {
        switch (seen) {
            case Seen::iteration:
            case Seen::ply:
            case Seen::distance: return plies;
            case Seen::nodes: return node_digits;
            case Seen::depth: return depth_digits;
            case Seen::changes: return changes;
            case Seen::change_ranks: return rank_digits;
            case Seen::order:
            case Seen::nodes_unit:
            case Seen::depth_unit: return 1;
            case Seen::order_digits: return order_digits;
            case Seen::table: return 2;
            case Seen::features: return features;
            case Seen::board: return board_size;
            case Seen::gap: return gaps;
            case Seen::line: return 2;
        }
        return 0;
    }
    static int floor_of(int number, int divisor) { return number / divisor - (number % divisor < 0); }
    /// One input for each value of a small number.
    static void add_binary(int base, int count, int number, FunctionInputs& inputs) {
        inputs.add(base + std::clamp(number, 0, count - 1), 1);
    }
    /// One input for each decimal digit, the last digit first, in tenths.
    static void add_digits(int base, int count, std::uint64_t number, FunctionInputs& inputs) {
        for (int i = 0; i < count; ++i, number /= 10) inputs.add(base + i, static_cast<float>(number % 10) / 10);
    }
    void read_one(Seen seen, const Node& node, const Candidate& candidate, std::uint64_t nodes, FeatureMask having,
                  int base, FunctionInputs& inputs) const {
        const Depth depth = std::max(node.depth, 0);
        switch (seen) {
            case Seen::iteration: return add_binary(base, plies, node.iteration, inputs);
            case Seen::ply: return add_binary(base, plies, node.ply, inputs);
            case Seen::distance: return add_binary(base, plies, (depth + ply_units - 1) / ply_units, inputs);
            case Seen::nodes: return add_digits(base, node_digits, nodes, inputs);
            case Seen::depth:
                return add_digits(base, depth_digits, static_cast<std::uint64_t>(depth) * 10 / ply_units, inputs);
            case Seen::changes: return add_binary(base, changes, node.changes, inputs);
            case Seen::change_ranks:
                return add_digits(base, rank_digits, static_cast<std::uint64_t>(node.change_ranks), inputs);
            case Seen::order: return inputs.add(base, static_cast<float>(candidate.order) / most_order);
            case Seen::table:
                if (!node.entry.move) return;
                inputs.add(base, 1);
                return inputs.add(base + 1, node.best_move == node.entry.move ? 1.0f : 0.0f);
            case Seen::features:
                for (FeatureMask rest = having; rest; rest &= rest - 1) inputs.add(base + std::countr_zero(rest), 1);
                return;
            // Their size in bits: from one move to the next a plain count would hardly change.
            case Seen::nodes_unit: return inputs.add(base, static_cast<float>(std::bit_width(nodes)) / most_node_bits);
            case Seen::depth_unit: return inputs.add(base, static_cast<float>(depth) / most_depth);
            case Seen::order_digits: {
                const float share = std::clamp(static_cast<float>(candidate.order) / most_order, -1.0f, 1.0f);
                return add_digits(base, order_digits, static_cast<std::uint64_t>((share + 1) / 2 * 999), inputs);
            }
            case Seen::board: return;  // of the position, not of the node
            case Seen::gap: {
                if (!node.has_static) return;
                const int span = (gaps / 2 + 1) * pawn_;  // beyond the last, so that windows without an end fit too
                const int gap = std::clamp(node.static_score - node.alpha, -span, span);
                return add_binary(base, gaps, gaps / 2 + floor_of(gap * gaps_per_pawn, pawn_), inputs);
            }
            case Seen::line:
                inputs.add(base, node.ply == 0 ? 1.0f : 0.0f);
                return inputs.add(base + 1, node.is_principal ? 1.0f : 0.0f);
        }
    }

    std::vector<Seen> seen_;
    int board_set_ = 0, board_size_ = 0;
    bool acts_ = true;
    Decides decides_ = Decides::skipping;
    bool spares_line_ = false, wants_static_ = false;
    int pawn_ = 100;
    std::size_t checkpoints_ = 0;
    std::vector<float> weights_;
    bool all_features_ = false;
    bool is_on_ = false;
    std::array<int, most_checkpoint> places_{};  // of the checkpoints, by the quiet moves before them
};

}  // namespace plypilot
