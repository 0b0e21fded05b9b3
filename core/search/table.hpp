// The transposition table: 16 bytes an entry, two relaxed 64-bit atomics (key xor data, data), so that a torn entry
// never matches. Replacement by depth over 1 to 16 consecutive entries, which may overlap with those of other keys, or
// the two-level scheme (Smith 4.2.5).
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "settings.hpp"

namespace plypilot {

enum class Bound : std::uint8_t { none, upper, lower, exact };

struct TableEntry {
    Move move;
    Score score = 0;  // as the table keeps it: see to_table
    Depth depth = 0;
    Bound bound = Bound::none;
};

class Table {
  public:
    explicit Table(const TableSettings& settings)
        : settings_(settings),
          size_(settings.log2_entries ? std::size_t{1} << settings.log2_entries : 0),
          mask_(size_ ? size_ - 1 : 0) {
        if (!size_) return;
        slots_.reset(static_cast<Slot*>(std::aligned_alloc(bytes() >= huge_page ? huge_page : 64, bytes())));
        if (!slots_) throw std::bad_alloc();
#if defined(__linux__)
        if (bytes() >= huge_page) madvise(slots_.get(), bytes(), MADV_HUGEPAGE);
#endif
        wipe();
    }

    bool is_on() const { return size_ != 0; }
    std::size_t size() const { return size_; }

    /// Empties it at once: entries of other generations count as empty places. Small searches are so short that wiping
    /// the table before each game would take a share of the time.
    void clear() {
        if (size_ && ++generation_ == generations) wipe();
    }

    /// As made anew by these settings, in the memory that it has where that is of their size.
    void renew(const TableSettings& settings) {
        if (settings.log2_entries != settings_.log2_entries) {
            *this = Table(settings);
        } else {
            settings_ = settings;
            clear();
        }
    }

    /// Asks for the memory of an entry ahead of its use. Always inline: a call that only prefetches is dropped by g++,
    /// which takes it for a function without effect.
    [[gnu::always_inline]] void prefetch(Key key) const {
        if (size_) __builtin_prefetch(&slots_[index(key)]);
    }

    std::optional<TableEntry> find(Key key) const {
        if (!size_) return std::nullopt;
        const std::size_t start = index(key);
        for (int probe = 0; probe < places(); ++probe) {
            const Slot& slot = slots_[(start + probe) & mask_];
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if ((slot.lock.load(std::memory_order_relaxed) ^ data) == key && is_used(data)) return unpack(data);
        }
        return std::nullopt;
    }

    void store(Key key, const TableEntry& entry) {
        if (!size_) return;
        const std::size_t start = index(key);
        if (settings_.two_level) {
            // The deeper of the two in front, pushing the other behind it; a shallower one goes behind.
            Slot& front = slots_[start];
            Slot& back = slots_[start + 1];
            const std::uint64_t old = front.data.load(std::memory_order_relaxed);
            const Key old_key = front.lock.load(std::memory_order_relaxed) ^ old;
            const bool is_free = !is_used(old);
            if (is_free || old_key == key || entry.depth >= unpack(old).depth) {
                if (!is_free && old_key != key) write(back, old_key, old);
                write(front, key, pack(entry));
            } else {
                write(back, key, pack(entry));
            }
            return;
        }
        Slot* victim = nullptr;
        Depth least = 0;
        for (int probe = 0; probe < places(); ++probe) {
            Slot& slot = slots_[(start + probe) & mask_];
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if (!is_used(data) || (slot.lock.load(std::memory_order_relaxed) ^ data) == key) {
                // Its own place, or a free one. A shallower result of the same position is the newer one.
                write(slot, key, pack(entry));
                return;
            }
            const Depth depth = unpack(data).depth;
            if (!victim || depth < least) {
                victim = &slot;
                least = depth;
            }
        }
        if (entry.depth >= least) write(*victim, key, pack(entry));
    }

    /// Entries in use, in thousandths, from a sample of the first: few, as every search asks, and small ones are many.
    int permill() const {
        if (!size_) return 0;
        const std::size_t sample = std::min<std::size_t>(size_, 256);
        std::size_t used = 0;
        for (std::size_t i = 0; i < sample; ++i) used += is_used(slots_[i].data.load(std::memory_order_relaxed));
        return static_cast<int>(used * 1000 / sample);
    }

  private:
    struct Slot {
        std::atomic<std::uint64_t> lock{0};  // key xor data
        std::atomic<std::uint64_t> data{0};  // of another generation: empty
    };
    static_assert(sizeof(Slot) == 16);

    static constexpr std::size_t huge_page = std::size_t{1} << 21;
    static constexpr std::uint64_t generations = 64;
    static constexpr std::size_t quick_bytes = std::size_t{1} << 28;  // zeroed in well under 100 ms

    struct Free {
        void operator()(Slot* slots) const { std::free(slots); }
    };

    /// Gives every place to no generation.
    void wipe() {
        generation_ = 1;
#if defined(__linux__)
        // The pages are given back and come again as zeros: at once where that is quick, so that no search waits for
        // them, else when they are touched, so that a table of any size is empty within a moment.
        if (bytes() >= huge_page && madvise(slots_.get(), bytes(), MADV_DONTNEED) == 0) {
#if defined(MADV_POPULATE_WRITE)
            if (bytes() <= quick_bytes) madvise(slots_.get(), bytes(), MADV_POPULATE_WRITE);
#endif
            return;
        }
#endif
        for (std::size_t i = 0; i < size_; ++i) new (&slots_[i]) Slot{};
    }

    // data: move 16, score 16, depth 24 (signed), bound 2, generation 6 bits.
    bool is_used(std::uint64_t data) const { return data >> 58 == generation_; }
    std::uint64_t pack(const TableEntry& entry) const {
        return std::uint64_t{entry.move.bits} | std::uint64_t{static_cast<std::uint16_t>(entry.score)} << 16 |
               (static_cast<std::uint64_t>(entry.depth) & 0xffffff) << 32 |
               static_cast<std::uint64_t>(entry.bound) << 56 | generation_ << 58;
    }
    static TableEntry unpack(std::uint64_t data) {
        const auto depth = static_cast<std::int32_t>(static_cast<std::uint32_t>(data >> 32) << 8) >> 8;
        return {Move{static_cast<std::uint16_t>(data)}, static_cast<std::int16_t>(data >> 16), depth,
                Bound(data >> 56 & 3)};
    }
    static void write(Slot& slot, Key key, std::uint64_t data) {
        slot.lock.store(key ^ data, std::memory_order_relaxed);
        slot.data.store(data, std::memory_order_relaxed);
    }

    std::size_t bytes() const { return size_ * sizeof(Slot); }
    int places() const { return settings_.two_level ? 2 : settings_.probes; }
    /// The first of the entries that a key may take. Where they are aligned they lie side by side on the cache lines
    /// they fill.
    std::size_t index(Key key) const {
        const bool aligned = settings_.aligned || settings_.two_level;
        return key & mask_ & ~(static_cast<std::size_t>(aligned ? places() : 1) - 1);
    }

    TableSettings settings_;
    std::size_t size_, mask_;
    std::uint64_t generation_ = 1;  // below `generations`; that of a wiped place is 0
    std::unique_ptr<Slot[], Free> slots_;
};

}  // namespace plypilot
