// A memory of static scores, one a thread: the same position is judged often, by way of transpositions and of
// iterations.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

class StaticScores {
  public:
    /// Scores hold as long as the evaluation does.
    void clear() { slots_->fill(0); }
    /// Asks for the memory of a score ahead of its use.
    void prefetch(Key key) const { __builtin_prefetch(&(*slots_)[key % count]); }
    /// The static score of a position, computed where it is not remembered.
    template <class Evaluate>
    Score find(Key key, Evaluate evaluate) {
        std::uint64_t& slot = (*slots_)[key % count];
        constexpr std::uint64_t low = 0xffff;
        if ((slot ^ key) >> 16 == 0) return static_cast<std::int16_t>(slot & low);
        const Score score = evaluate();
        slot = (key & ~low) | static_cast<std::uint16_t>(score);
        return score;
    }

  private:
    static constexpr std::size_t count = std::size_t{1} << 16;  // the low bits of a key, which a slot leaves out

    // 48 bits of the key, 16 of the score.
    std::unique_ptr<std::array<std::uint64_t, count>> slots_ = std::make_unique<std::array<std::uint64_t, count>>();
};

}  // namespace plypilot
