// When a search must end: depth, nodes, time, or a word from another thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "score.hpp"

namespace plypilot {

/// 0 is no limit. A search with none at all goes on until it is told to stop.
struct Limits {
    int depth = 0;            // iterations
    std::uint64_t nodes = 0;  // exact: the search ends at this node
    double seconds = 0;       // hard: the search ends
    double soft_seconds = 0;  // no new iteration is begun after this
};

/// Watches the limits of one search.
class Clock {
  public:
    /// `poll` is asked now and then whether to stop: a place to look for signals.
    Clock(const Limits& limits, const std::atomic<bool>& stop, std::function<bool()> poll = {})
        : limits_(limits), stop_(stop), poll_(std::move(poll)), started_(std::chrono::steady_clock::now()) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    /// Asked at every node; looks at the time every 512 nodes, which is well within a millisecond.
    bool is_over(std::uint64_t nodes) {
        if (limits_.nodes && nodes >= limits_.nodes) return over_ = true;
        if (nodes % 512 == 0) {
            if (stop_.load(std::memory_order_relaxed)) over_ = true;
            if (limits_.seconds > 0 && seconds() >= limits_.seconds) over_ = true;
            if (nodes % (1 << 16) == 0 && poll_ && poll_()) over_ = true;
        }
        return over_;
    }
    bool is_over() const { return over_; }
    bool allows_iteration(int depth) const {
        if (limits_.depth && depth > limits_.depth) return false;
        return !(limits_.soft_seconds > 0 && seconds() >= limits_.soft_seconds) &&
               !stop_.load(std::memory_order_relaxed);
    }

  private:
    Limits limits_;
    const std::atomic<bool>& stop_;
    std::function<bool()> poll_;
    std::chrono::steady_clock::time_point started_;
    bool over_ = false;
};

}  // namespace plypilot
