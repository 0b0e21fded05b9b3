// What a search remembers besides its table: moves that were good elsewhere in the tree (killers, history and
// countermoves), and static scores.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

class Memory {
  public:
    static constexpr int most_killers = 2;

    /// Forgets the moves. Static scores hold as long as the evaluation does.
    void clear() { std::construct_at(&tables_->moves); }
    void forget_scores() { tables_->scores.fill(0); }

    const std::array<Move, most_killers>& killers(int ply) const { return tables_->moves.killers[ply]; }
    Move countermove(Side side, Move previous) const {
        return previous ? tables_->moves.countermoves[side][slot(previous)] : Move{};
    }
    int history(Side side, Move move) const { return tables_->moves.history[side][slot(move)]; }
    /// How often a history score was raised: n_hhupdate of Kocsis (3.1).
    std::uint64_t history_updates() const { return tables_->moves.history_updates; }

    /// A quiet move was sufficient: it cut, or was best.
    void reward(Side side, Move move, Move previous, int ply, Depth depth) {
        auto& killers = tables_->moves.killers[ply];
        if (killers[0] != move) {
            killers[1] = killers[0];
            killers[0] = move;
        }
        if (previous) tables_->moves.countermoves[side][slot(previous)] = move;
        raise(side, move, bonus(depth));
        ++tables_->moves.history_updates;
    }
    /// A quiet move was tried before the one that cut.
    void punish(Side side, Move move, Depth depth) { raise(side, move, -bonus(depth)); }

    /// How many searches there were with it, so that what is left to chance falls anew in each.
    std::uint64_t searches() const { return tables_->moves.searches; }

    /// Asks for the memory of a static score ahead of its use.
    void prefetch_score(Key key) const { __builtin_prefetch(&tables_->scores[key % score_slots]); }
    /// The static score of a position, computed where it is not remembered.
    template <class Evaluate>
    Score static_score(Key key, Evaluate evaluate) {
        std::uint64_t& slot = tables_->scores[key % score_slots];
        constexpr std::uint64_t low = 0xffff;
        if ((slot ^ key) >> 16 == 0) return static_cast<std::int16_t>(slot & low);
        const Score score = evaluate();
        slot = (key & ~low) | static_cast<std::uint16_t>(score);
        return score;
    }

    /// Killers belong to a ply of one tree; history outlives the move, fading.
    void age() {
        ++tables_->moves.searches;
        if (!tables_->moves.is_used) return;  // small searches may have had no cut-off to remember
        tables_->moves.is_used = false;
        tables_->moves.killers = {};
        for (auto& side : tables_->moves.history) {
            for (std::int16_t& value : side) value /= 2;
        }
    }

  private:
    static constexpr std::size_t slots = std::size_t{1} << 14;  // from and to of every game
    static constexpr int most_history = 1 << 14;
    static constexpr std::size_t score_slots = std::size_t{1} << 16;  // the low bits of a key, which a slot leaves out

    static std::size_t slot(Move move) { return move.bits & (slots - 1); }
    static int bonus(Depth depth) {
        const int plies = depth / ply_units;
        return std::min(plies * plies + 1, 400);
    }
    /// The nearer a score is to its bound, the less it moves: it stays a running rate.
    void raise(Side side, Move move, int amount) {
        tables_->moves.is_used = true;
        std::int16_t& value = tables_->moves.history[side][slot(move)];
        const int raised = value + amount * 32 - value * std::abs(amount) / 512;
        value = static_cast<std::int16_t>(std::clamp(raised, -most_history, most_history));
    }

    struct Moves {
        std::array<std::array<Move, most_killers>, most_plies + 2> killers{};
        std::array<std::array<Move, slots>, 2> countermoves{};
        std::array<std::array<std::int16_t, slots>, 2> history{};
        std::uint64_t history_updates = 0;
        bool is_used = false;  // since it was last aged
        std::uint64_t searches = 0;
    };
    struct Tables {
        Moves moves;
        std::array<std::uint64_t, score_slots> scores{};  // 48 bits of the key, 16 of the score
    };
    std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
};

}  // namespace plypilot
