// What is left to chance in a game: the same wherever it is played.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../zobrist.hpp"

namespace plypilot {

/// The seed of a player (0 or 1) in the game that has this seed.
constexpr std::uint64_t player_seed(std::uint64_t game_seed, int player) {
    return splitmix64(game_seed * 2 + static_cast<unsigned>(player));
}

/// Choices, each as likely as any other.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : seed_(seed), last_(splitmix64(seed)) {}

    /// A number from 0 on below a count.
    std::size_t choose(std::size_t count) {
        last_ = splitmix64(last_ + seed_);
        return last_ % count;
    }

  private:
    std::uint64_t seed_, last_;
};

}  // namespace plypilot
