// A memory of parts of a linear evaluation: what the features that depend on a few pieces, such as pawns and kings,
// came to. One a thread. It holds as long as the evaluation does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "../game.hpp"

namespace plypilot {

class PartSums {
  public:
    /// The sum of a part, computed where it is not remembered by its key.
    template <class Compute>
    std::int64_t find(Key key, Compute compute) {
        if (!slots_) slots_ = std::make_unique<std::array<Slot, count>>();  // few games have such parts
        Slot& slot = (*slots_)[key % count];
        if (slot.key != key) slot = {key, compute()};
        return slot.sum;
    }

  private:
    static constexpr std::size_t count = std::size_t{1} << 13;

    struct Slot {
        Key key = 0;
        std::int64_t sum = 0;
    };
    std::unique_ptr<std::array<Slot, count>> slots_;
};

}  // namespace plypilot
