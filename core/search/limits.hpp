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

/// Watches the limits of one search, from the moment it is made.
class Clock {
  public:
    /// `poll` is asked now and then whether to stop: a place to look for signals.
    Clock(const Limits& limits, const std::atomic<bool>& stop, std::function<bool()> poll = {})
        : depth_(limits.depth),
          nodes_(limits.nodes),
          hard_(limits.seconds),
          soft_(limits.soft_seconds),
          stop_(stop),
          poll_(std::move(poll)),
          started_(std::chrono::steady_clock::now()) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    /// Limits the time anew, counted from now; 0 is no limit. From any thread: it may turn a search without end into
    /// a timed one.
    void set_time(double seconds, double soft_seconds) {
        const double now = this->seconds();
        hard_.store(seconds > 0 ? now + seconds : 0, std::memory_order_relaxed);
        soft_.store(soft_seconds > 0 ? now + soft_seconds : 0, std::memory_order_relaxed);
    }
    /// Asked at every node; looks at the time every 512 nodes, which is well within a millisecond. Not before: a search
    /// that begins too late still finds a move that is better than any.
    bool is_over(std::uint64_t nodes) {
        if (nodes_ && nodes >= nodes_) return over_ = true;
        if (nodes && nodes % 512 == 0) {
            seen_.store(nodes, std::memory_order_relaxed);
            if (stop_.load(std::memory_order_relaxed) || has_passed(hard_)) over_ = true;
            if (nodes % (1 << 16) == 0 && poll_ && poll_()) over_ = true;
        }
        return over_;
    }
    bool is_over() const { return over_; }
    bool allows_iteration(int depth) const {
        if (depth_ && depth > depth_) return false;
        return depth == 1 || (!has_passed(soft_) && !stop_.load(std::memory_order_relaxed));
    }
    /// The nodes of the search when it last looked at the time. From any thread.
    std::uint64_t nodes_seen() const { return seen_.load(std::memory_order_relaxed); }
    std::uint64_t node_limit() const { return nodes_; }

  private:
    bool has_passed(const std::atomic<double>& limit) const {
        const double time = limit.load(std::memory_order_relaxed);
        return time > 0 && seconds() >= time;
    }

    int depth_;
    std::uint64_t nodes_;
    std::atomic<double> hard_, soft_;  // in seconds()
    const std::atomic<bool>& stop_;
    std::function<bool()> poll_;
    std::chrono::steady_clock::time_point started_;
    std::atomic<std::uint64_t> seen_{0};
    bool over_ = false;
};

}  // namespace plypilot
