// A set of keys in one block of memory: tens of millions of positions are remembered at 12 to 24 bytes each.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "game.hpp"

namespace plypilot {

class KeySet {
  public:
    std::size_t size() const { return size_ + has_zero_; }

    bool contains(Key key) const { return key ? slots_[place(key)] == key : has_zero_; }

    /// Whether the key was not there before.
    bool add(Key key) {
        if (!key) return !std::exchange(has_zero_, true);
        Key& slot = slots_[place(key)];
        if (slot == key) return false;
        slot = key;
        if (++size_ * 3 > slots_.size() * 2) grow();
        return true;
    }

  private:
    /// Where a key is, or the free slot where it belongs. Zero marks a free slot.
    std::size_t place(Key key) const {
        // The highest bits of a product depend on all bits of the key, whatever made it.
        const int shift = 64 - std::countr_zero(slots_.size());
        std::size_t at = (key * 0x9e3779b97f4a7c15) >> shift;
        while (slots_[at] && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    void grow() {
        std::vector<Key> before(slots_.size() * 2);
        before.swap(slots_);
        for (Key key : before) {
            if (key) slots_[place(key)] = key;
        }
    }

    std::vector<Key> slots_ = std::vector<Key>(1024);  // a power of two
    std::size_t size_ = 0;                             // without the key zero
    bool has_zero_ = false;
};

}  // namespace plypilot
