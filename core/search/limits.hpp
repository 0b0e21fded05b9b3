// When a search must end: depth, nodes, time, its pilot's timing, or a word from another thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "timing.hpp"

namespace plypilot {

/// Seconds since some moment in the past.
using Now = double (*)();

inline double steady_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Watches the limits of one search, from the moment it is made.
class Clock {
  public:
    /// `poll` is asked now and then whether to stop: a place to look for signals. `timing` outlives the clock. `now` is
    /// the time; a test may bring its own.
    Clock(const Limits& limits, const std::atomic<bool>& stop, std::function<bool()> poll = {},
          const Timing& timing = fixed_timing(), Now now = steady_now)
        : depth_(limits.depth),
          nodes_(limits.nodes),
          soft_nodes_(limits.soft_nodes),
          hard_(limits.seconds),
          soft_(limits.soft_seconds),
          stop_(stop),
          poll_(std::move(poll)),
          timing_(timing),
          now_(now),
          started_(now()) {
        plan_look(0, limits.seconds > 0 ? first_look : untimed_look);
    }

    double seconds() const { return now_() - started_; }
    /// What the limits are a share of, and those that the search would have without it. The timing is asked from now
    /// on.
    void fund(const Funds& funds, const Limits& fixed) {
        const std::scoped_lock lock(thinking_);
        thought_.funds = funds;
        thought_.fixed = fixed;
    }
    /// The chance that policies have, and where they note what they decide, which outlives the search.
    void listen(std::uint64_t chance, std::vector<PolicyDecision>* told) {
        const std::scoped_lock lock(thinking_);
        thought_.chance = chance;
        thought_.told = told;
    }
    /// Limits the time anew, counted from now; 0 is no limit. From any thread: it may turn a search without end into
    /// a timed one.
    void set_time(double seconds, double soft_seconds) {
        const std::scoped_lock lock(thinking_);
        counted_from_ = this->seconds();
        hard_.store(seconds > 0 ? counted_from_ + seconds : 0, std::memory_order_relaxed);
        soft_.store(soft_seconds > 0 ? counted_from_ + soft_seconds : 0, std::memory_order_relaxed);
    }
    /// The search begins, of this position.
    template <class Position>
    void begin(const Position& position) {
        const std::scoped_lock lock(thinking_);
        if (timing_.looks()) timing_.begin(position, thought_);
    }
    /// What a policy that is not the timing's chooses for this search.
    template <class Position>
    int ask(const Policy& policy, const Position& position) {
        const std::scoped_lock lock(thinking_);
        Thought own{.funds = thought_.funds, .told = thought_.told, .chance = splitmix64(~thought_.chance)};
        policy.begin(position, own);
        return policy.choose(own);
    }
    /// Whether the timing looks at the legal moves of the search.
    bool counts_moves() const { return timing_.looks(); }
    /// Asked at every node, which costs one comparison.
    bool is_over(std::uint64_t nodes) { return nodes < next_look_ ? over_ : look(nodes); }
    bool is_over() const { return over_; }
    bool allows_iteration(int depth) const {
        if (depth_ && depth > depth_) return false;
        return depth == 1 || !(is_settled_ || has_passed(hard_) || stop_.load(std::memory_order_relaxed));
    }
    /// Asks the timing whether another iteration may follow the one that has been completed.
    void after_iteration(IterationFacts facts) {
        const std::scoped_lock lock(thinking_);
        facts.speed = static_cast<double>(facts.spent.nodes) / std::max(facts.spent.seconds, 1e-9);
        facts.limits = limits();
        const auto counted = [this](double& time) {
            if (time > 0) time = std::max(time - counted_from_, 1e-9);
        };
        for (double* time :
             {&facts.limits.seconds, &facts.limits.soft_seconds, &facts.spent.seconds, &facts.before.seconds})
            counted(*time);
        const Verdict verdict = timing_.after_iteration(thought_, facts);
        is_settled_ = !verdict.goes_on;
        if (verdict.limits.seconds != facts.limits.seconds)
            hard_.store(counted_from_ + verdict.limits.seconds, std::memory_order_relaxed);
        if (verdict.limits.nodes != facts.limits.nodes) {
            nodes_.store(verdict.limits.nodes, std::memory_order_relaxed);
            next_look_ = std::min(next_look_, verdict.limits.nodes);
        }
    }
    /// Those in force. From any thread.
    Limits limits() const {
        return {depth_, node_limit(), soft_nodes_, hard_.load(std::memory_order_relaxed),
                soft_.load(std::memory_order_relaxed)};
    }
    /// The nodes of the search when it last looked at the time. From any thread.
    std::uint64_t nodes_seen() const { return seen_.load(std::memory_order_relaxed); }
    std::uint64_t node_limit() const { return nodes_.load(std::memory_order_relaxed); }

  private:
    static constexpr double look_seconds = 20e-6;
    // Nodes before the first look at the time: a search that begins too late still finds a move that is better than
    // one by chance.
    static constexpr std::uint64_t first_look = 32;
    static constexpr std::uint64_t longest_look = 4096;
    static constexpr std::uint64_t untimed_look = 512;  // where there is no limit of time: looks for the stop flag
    static constexpr std::uint64_t poll_nodes = 1 << 16;

    static const Timing& fixed_timing() {
        static const Timing timing;
        return timing;
    }

    /// Looks at all that may end the search. The time is looked at every 20 microseconds, by the speed of the search
    /// since the last look, and more often as the limit comes near: so a slow search gets no more time than a quick
    /// one.
    [[gnu::noinline]] bool look(std::uint64_t nodes) {
        seen_.store(nodes, std::memory_order_relaxed);
        const std::uint64_t most = node_limit();
        if ((most && nodes >= most) || stop_.load(std::memory_order_relaxed)) over_ = true;
        std::uint64_t ahead = untimed_look;
        if (const double hard = hard_.load(std::memory_order_relaxed); hard > 0) {
            const double now = seconds();
            if (now >= hard) over_ = true;
            ahead = nodes_within(std::min(look_seconds, hard - now), nodes, now);
        }
        if (nodes >= next_poll_) {
            next_poll_ = nodes + poll_nodes;
            if (poll_ && poll_()) over_ = true;
        }
        plan_look(nodes, ahead);
        return over_;
    }
    /// How many nodes the next so many seconds will take. It grows slowly, for a pause of the machine is over at once.
    std::uint64_t nodes_within(double ahead, std::uint64_t nodes, double now) {
        const double passed = std::max(now - looked_at_, 1e-9);
        const double expected = static_cast<double>(nodes - looked_nodes_) * ahead / passed;
        const auto most = static_cast<double>(std::min(2 * (next_look_ - looked_nodes_), longest_look));
        looked_at_ = now;
        return static_cast<std::uint64_t>(std::clamp(expected, 1.0, std::max(most, 1.0)));
    }
    void plan_look(std::uint64_t nodes, std::uint64_t ahead) {
        looked_nodes_ = nodes;
        next_look_ = nodes + ahead;
        if (const std::uint64_t most = node_limit()) next_look_ = std::min(next_look_, most);
    }
    bool has_passed(const std::atomic<double>& limit) const {
        const double time = limit.load(std::memory_order_relaxed);
        return time > 0 && seconds() >= time;
    }

    int depth_;
    std::atomic<std::uint64_t> nodes_;
    std::uint64_t soft_nodes_;
    std::atomic<double> hard_, soft_;  // in seconds()
    std::mutex thinking_;              // guards what the timing is asked with: another thread may set the time
    Thought thought_;
    double counted_from_ = 0;  // in seconds(): when the time was set
    const std::atomic<bool>& stop_;
    std::function<bool()> poll_;
    const Timing& timing_;
    Now now_;
    double started_;
    std::uint64_t next_look_ = 0, next_poll_ = poll_nodes;
    std::uint64_t looked_nodes_ = 0;
    double looked_at_ = 0;
    std::atomic<std::uint64_t> seen_{0};
    bool over_ = false;
    bool is_settled_ = false;  // the timing wants no further iteration
};

}  // namespace plypilot
