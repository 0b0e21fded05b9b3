// What a search can report of its decisions. Whether there is a trace is chosen when the search is compiled, so that
// plain play pays nothing; what it records is a virtual sink. A trace never changes the tree.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// A move that was searched, as it was decided.
struct MoveEvent {
    int index;    // how many moves of the node came before it
    int ply;      // of the node
    Depth depth;  // left at the node
    Depth units;  // what the move cost
    FeatureMask features;
};

/// What a search spends its time on; the rest is the loop itself and the table.
enum class Part : std::uint8_t { evaluating, picking, moving };
constexpr int parts = 3;

class TraceSink {
  public:
    virtual ~TraceSink() = default;
    virtual void on_time(Part part, double seconds) = 0;
    virtual void on_interior(int ply, Depth depth) = 0;
    virtual void on_leaf(int ply) = 0;
    virtual void on_quiescence(int ply) = 0;
    virtual void on_table(bool found, bool cut) = 0;
    virtual void on_move(const MoveEvent& event) = 0;
    virtual void on_cutoff(int index) = 0;
};

struct NoTrace {
    static constexpr bool is_on = false;
};

struct WithTrace {
    static constexpr bool is_on = true;
    TraceSink* sink;
};

/// Does something and, where there is a trace, notes the time it took.
template <class Trace, class Work>
auto timed([[maybe_unused]] const Trace& trace, [[maybe_unused]] Part part, Work work) {
    if constexpr (Trace::is_on) {
        const auto started = std::chrono::steady_clock::now();
        const auto result = work();
        trace.sink->on_time(part, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
        return result;
    } else {
        return work();
    }
}

/// Counts for reports: the statistics of a search.
class Statistics final : public TraceSink {
  public:
    static constexpr int ranks = 32;  // cut-offs by a later move are counted with the last

    void on_time(Part part, double spent) override { seconds[static_cast<int>(part)] += spent; }
    void on_interior(int ply, Depth) override {
        ++interior;
        deepest = std::max(deepest, ply);
    }
    void on_leaf(int ply) override {
        ++leaves;
        deepest = std::max(deepest, ply);
    }
    void on_quiescence(int ply) override {
        ++quiescence;
        deepest = std::max(deepest, ply);
    }
    void on_table(bool found, bool cut) override {
        ++table_probes;
        table_hits += found;
        table_cuts += cut;
    }
    void on_move(const MoveEvent& event) override {
        ++moves;
        for (FeatureMask rest = event.features; rest; rest &= rest - 1) ++features[std::countr_zero(rest)];
        extended += event.units < ply_units;
    }
    void on_cutoff(int index) override { ++cutoffs[std::min(index, ranks - 1)]; }

    std::uint64_t interior = 0, leaves = 0, quiescence = 0;
    std::uint64_t table_probes = 0, table_hits = 0, table_cuts = 0;
    std::uint64_t moves = 0, extended = 0;
    std::array<std::uint64_t, 64> features{};    // moves searched that had each feature
    std::array<std::uint64_t, ranks> cutoffs{};  // by the index of the move that cut
    std::array<double, parts> seconds{};         // by part; reading the clock costs some itself
    int deepest = 0;                             // plies below the root, quiescence included
};

}  // namespace plypilot
