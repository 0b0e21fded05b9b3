// What a search remembers of moves: those that were good elsewhere in the tree (killers, history and countermoves).
// A move has a slot of its own there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

template <Rules P>
class Memory {
  public:
    static constexpr int most_killers = 2;

    void clear() { std::construct_at(moves_.get()); }

    const std::array<Move, most_killers>& killers(int ply) const { return moves_->killers[ply]; }
    Move countermove(Side side, Move previous) const {
        return previous ? moves_->countermoves[side][slot(previous)] : Move{};
    }
    int history(Side side, Move move) const { return moves_->history[side][slot(move)]; }
    /// What lies between minus this and this.
    static constexpr int most_history = 1 << 14;

    /// A quiet move was sufficient: the moves after it were not searched.
    void reward(Side side, Move move, Move previous, int ply, Depth depth) {
        moves_->is_used = true;
        auto& killers = moves_->killers[ply];
        if (killers[0] != move) {
            killers[1] = killers[0];
            killers[0] = move;
        }
        if (previous) moves_->countermoves[side][slot(previous)] = move;
        raise(side, move, bonus(depth));
    }
    /// A quiet move was tried before the one that cut, which was rewarded.
    void punish(Side side, Move move, Depth depth) { raise(side, move, -bonus(depth)); }

    /// How many searches there were with it, so that what is left to chance falls anew in each.
    std::uint64_t searches() const { return moves_->searches; }

    /// Killers belong to a ply of one tree; history outlives the move, fading.
    void age() {
        ++moves_->searches;
        if (!moves_->is_used) return;  // small searches may have had no cut-off to remember
        moves_->is_used = false;
        moves_->killers = {};
        for (Side side : {first, second}) {
            for (std::size_t block = 0; block < blocks; ++block) {
                if (moves_->has_history[side][block]) fade(side, block);
            }
        }
    }

  private:
    static constexpr std::size_t slots = move_slots<P>;
    // History fades block by block, and only where there is any: a small search touches few moves.
    static constexpr std::size_t block_size = 64, blocks = (slots + block_size - 1) / block_size;

    static std::size_t slot(Move move) { return move_slot<P>(move); }
    static int bonus(Depth depth) {
        const int plies = depth / ply_units;
        return std::min(plies * plies + 1, 400);
    }
    /// The nearer a score is to its bound, the less it moves: it stays a running rate.
    void raise(Side side, Move move, int amount) {
        const std::size_t at = slot(move);
        moves_->has_history[side][at / block_size] = true;
        std::int16_t& value = moves_->history[side][at];
        const int raised = value + amount * 32 - value * std::abs(amount) / 512;
        value = static_cast<std::int16_t>(std::clamp(raised, -most_history, most_history));
    }

    void fade(Side side, std::size_t block) {
        std::int16_t* values = moves_->history[side].data() + block * block_size;
        std::int16_t left = 0;
        for (std::size_t i = 0; i < block_size; ++i) {
            values[i] /= 2;
            left |= values[i];
        }
        moves_->has_history[side][block] = left != 0;
    }

    struct Moves {
        std::array<std::array<Move, most_killers>, most_plies + 2> killers{};
        std::array<std::array<Move, slots>, 2> countermoves{};
        std::array<std::array<std::int16_t, blocks * block_size>, 2> history{};
        std::array<std::array<bool, blocks>, 2> has_history{};
        bool is_used = false;  // since it was last aged
        std::uint64_t searches = 0;
    };
    std::unique_ptr<Moves> moves_ = std::make_unique<Moves>();
};

/// History as a total (Kocsis 3.1): what cut or was best adds its depth squared, and nothing is taken away. The number
/// of updates, n_hhupdate, brings totals of any search into one range.
template <Rules P>
class HistoryTotals {
  public:
    float total(Side side, Move move) const { return totals_[side][move_slot<P>(move)]; }
    /// A total as a share of all updates.
    float share(Side side, Move move) const { return updates_ > 0 ? total(side, move) / updates_ : 0; }
    /// A total as a part of the largest.
    float rate(Side side, Move move) const { return largest_ > 0 ? total(side, move) / largest_ : 0; }

    void add(Side side, Move move, Depth depth) {
        const float plies = static_cast<float>(depth) / ply_units;
        float& total = totals_[side][move_slot<P>(move)];
        total += std::max(plies * plies, 1.0f);
        largest_ = std::max(largest_, total);
        updates_ += 1;
    }
    /// Outlives the move, fading.
    void age() {
        for (auto& totals : totals_) {
            for (float& total : totals) total /= 2;
        }
        updates_ /= 2;
        largest_ /= 2;
    }
    void clear() {
        for (auto& totals : totals_) std::fill(totals.begin(), totals.end(), 0.0f);
        updates_ = largest_ = 0;
    }

  private:
    std::array<std::vector<float>, 2> totals_{std::vector<float>(move_slots<P>), std::vector<float>(move_slots<P>)};
    float updates_ = 0, largest_ = 0;
};

}  // namespace plypilot
