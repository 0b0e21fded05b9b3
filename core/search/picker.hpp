// Which move to try next. Lazy and staged: each stage is prepared only when the one before has been used up without a
// cut-off, so that whatever orders the quiet moves is asked only where it can matter. The search knows none of this.
#pragma once

#include "../zobrist.hpp"
#include "memory.hpp"
#include "settings.hpp"

namespace plypilot {

/// Whether a move captures, promotes or the like; in a game without the notion every move is quiet.
template <Rules P>
bool is_tactical(const P& position, Move move) {
    if constexpr (requires { position.is_tactical(move); }) {
        return position.is_tactical(move);
    } else {
        return false;
    }
}

/// What a tactical move wins by static exchange.
template <Rules P>
Score exchange_value(const P& position, Move move) {
    if constexpr (requires { position.exchange(move); }) {
        return position.exchange(move);
    } else {
        return 0;
    }
}

template <Rules P>
class Picker {
  public:
    /// `first` is tried first of all: the move of the table, or of the last iteration. `excluded` is never tried.
    Picker(const P& position, const SearchSettings& settings, const Memory& memory, Move first, Move previous,
           Move excluded, int ply)
        : position_(position),
          settings_(settings),
          memory_(memory),
          first_(first == excluded ? Move{} : first),
          previous_(previous),
          excluded_(excluded),
          ply_(ply) {}

    /// The next move, or none. index() then tells how many came before it, is_quiet() what kind it is.
    Move next() {
        for (;;) {
            switch (stage_) {
                case Stage::first:
                    stage_ = Stage::generate;
                    if (first_) {
                        quiet_ = !is_tactical(position_, first_);
                        return count(first_);
                    }
                    break;
                case Stage::generate:
                    prepare_moves();
                    stage_ = Stage::captures;
                    break;
                case Stage::captures:
                    if (const Move move = take_best(0, captures_, 0)) {
                        quiet_ = false;
                        return count(move);
                    }
                    stage_ = Stage::score_quiets;
                    break;
                case Stage::score_quiets:
                    stage_ = Stage::quiets;
                    if (orders_quiets_) score_quiets();
                    next_quiet_ = captures_;
                    break;
                case Stage::quiets:
                    if (const Move move =
                            orders_quiets_ ? take_best(captures_, list_.size(), lowest_score) : take_next_quiet()) {
                        quiet_ = true;
                        return count(move);
                    }
                    stage_ = Stage::losing;
                    break;
                case Stage::losing:
                    if (const Move move = take_best(0, captures_, lowest_score)) {
                        quiet_ = false;
                        return count(move);
                    }
                    return {};
            }
        }
    }
    /// The order of the quiet moves that are left does not matter any more.
    void stop_ordering() { orders_quiets_ = false; }
    int index() const { return picked_ - 1; }
    bool is_quiet() const { return quiet_; }

  private:
    enum class Stage { first, generate, captures, score_quiets, quiets, losing };

    static constexpr int lowest_score = -(1 << 30);
    static constexpr int used = lowest_score - 1;
    static constexpr int killer_score = 1 << 26;
    static constexpr int countermove_score = 1 << 25;
    static constexpr int tie_steps = 1 << 10;

    Move count(Move move) {
        ++picked_;
        return move;
    }

    /// Captures and promotions to the front, with their exchange values.
    void prepare_moves() {
        position_.generate(list_);
        captures_ = 0;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const Move move = list_[i];
            if (!settings_.ordering.captures || !is_tactical(position_, move)) {
                scores_[i] = 0;
                continue;
            }
            std::swap(list_[i], list_[captures_]);
            scores_[i] = scores_[captures_];
            scores_[captures_++] = with_tie(settings_.ordering.exchange ? exchange_value(position_, move) : 0, move);
        }
        if (!first_ && !excluded_) return;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            if (list_[i] == first_ || list_[i] == excluded_) scores_[i] = used;
        }
    }

    void score_quiets() {
        // All that the loop needs at hand: what it writes could be any of it, for all that a compiler knows.
        const OrderingSettings ordering = settings_.ordering;
        const Side side = position_.side();
        const Move counter = ordering.countermove ? memory_.countermove(side, previous_) : Move{};
        const Move killer = ordering.killers > 0 ? memory_.killers(ply_)[0] : Move{};
        const Move second_killer = ordering.killers > 1 ? memory_.killers(ply_)[1] : Move{};
        const std::size_t end = list_.size();
        for (std::size_t i = captures_; i < end; ++i) {
            if (scores_[i] == used) continue;
            const Move move = list_[i];
            int score = ordering.history ? memory_.history(side, move) : 0;
            if (move == counter) score = countermove_score / tie_steps;
            if (move == second_killer) score = killer_score / tie_steps - 1;
            if (move == killer) score = killer_score / tie_steps;
            scores_[i] = with_tie(score, move);
        }
    }

    /// Scores apart by a random step where ties are to be shuffled.
    int with_tie(int score, Move move) const {
        if (!settings_.ordering.shuffle) return score * tie_steps;
        const std::uint64_t chance = splitmix64(settings_.seed + memory_.searches());
        const auto random = splitmix64(position_.key() ^ chance ^ std::uint64_t{move.bits} << 40);
        return score * tie_steps + static_cast<int>(random % tie_steps);
    }

    /// Takes the first of the best moves of a range whose score is at least `least`. Two passes, because the first is
    /// one that compilers turn into vector instructions.
    Move take_best(std::size_t begin, std::size_t end, int least) {
        int best = used;
        for (std::size_t i = begin; i < end; ++i) best = std::max(best, scores_[i]);
        if (best < least || best == used) return {};
        std::size_t at = begin;
        while (scores_[at] != best) ++at;
        scores_[at] = used;
        return list_[at];
    }

    Move take_next_quiet() {
        for (; next_quiet_ < list_.size(); ++next_quiet_) {
            if (scores_[next_quiet_] != used) return list_[next_quiet_++];
        }
        return {};
    }

    const P& position_;
    const SearchSettings& settings_;
    const Memory& memory_;
    Move first_, previous_, excluded_;
    int ply_;
    Stage stage_ = Stage::first;
    int picked_ = 0;
    bool quiet_ = false;
    bool orders_quiets_ = true;
    std::size_t next_quiet_ = 0;  // once they are not ordered
    MoveList list_;
    std::size_t captures_ = 0;
    std::array<int, MoveList::capacity> scores_;  // filled as far as the list
};

}  // namespace plypilot
