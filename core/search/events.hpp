// What a search tells of itself: a stream of events, handed to a sink that the caller brings. No event changes the
// tree.
//
// A hot sink is a template argument of the search and is compiled into it; there are few, because each compiles every
// game's search once more. EventSink is the one that dispatches at run time, for whatever is rich and slow. A sink has
//   on_enter(node)               a node of the tree or of a quiescence search begins
//   on_table(node, cuts)         its position was looked up; node.entry says what was there
//   on_move(node, candidate)     a move is about to be searched, as it was decided
//   on_skip(node, candidate, why)  a move is not searched
//   on_ask(node, checkpoint, inputs, sum)  the pruning function was asked whether to go on, and said no below 0
//   on_best(node)                a move has become the best one of its node
//   on_cut(node, candidate)      a move was sufficient: the others are not looked at
//   on_leave(node, score, left)  the node is done
//   on_iteration(iteration)      a depth is completed
//   on_end()                     the search is over
//   wanted_features()            the move features that candidates must tell when they are searched, besides those that
//                                depth needs; a skipped one tells the latter only
//   reads_skipped                whether on_skip looks at a candidate: else its cost and category may not be known
// Only the sink that dispatches at run time hears of on_ask and on_best.
// Moves of a quiescence search are not decided one by one and come without move events.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <variant>

#include "node.hpp"
#include "pruning_function.hpp"
#include "result.hpp"

namespace plypilot {

/// Why a move is not searched.
enum class Skip : std::uint8_t { no, futile, late, width, function };
constexpr std::size_t skips = word_count<Skip>;

/// How a node ended.
enum class Left : std::uint8_t {
    stopped,   // the search was over
    ended,     // the game has ended here
    horizon,   // judged by the evaluation, with no quiescence search
    stood,     // a quiescence search was content with the position as it stands
    quiesced,  // it followed captures
    table,     // the table knew enough
    futile,    // the static value is above the window by more than depth can take away
    passed,    // even passing holds beta
    searched,  // moves were searched
};
constexpr std::size_t lefts = word_count<Left>;

/// What a search spends its time on; the rest is the loop itself and the table.
enum class Part : std::uint8_t { evaluating, picking, moving };
constexpr std::size_t parts = word_count<Part>;

struct NoEvents {
    static constexpr bool is_on = false;
    static constexpr bool is_timed = false;
    static constexpr bool reads_skipped = false;
};

/// All that sinks of this file count: the statistics of a search.
struct Statistics {
    static constexpr int ranks = 32;  // later moves are counted with the last

    struct Count {
        std::uint64_t searched = 0, cut = 0;
    };

    std::array<std::uint64_t, lefts> left{};  // nodes by how they ended
    std::uint64_t table_probes = 0, table_hits = 0;
    std::uint64_t moves = 0;                            // searched in interior nodes
    std::uint64_t extended = 0, reduced = 0;            // of these: cost less than a ply; were tried at less depth
    std::array<std::uint64_t, skips> skipped{};         // moves by why
    std::array<std::uint64_t, ranks> cutoffs{};         // by the rank of the move that cut
    std::array<std::uint64_t, stages> stage_cutoffs{};  // by its stage
    int deepest = 0;                                    // plies below the root, quiescence included
    // Where moves are watched one by one.
    std::array<std::uint64_t, 64> features{};          // moves searched that had each feature
    std::vector<std::array<Count, ranks>> categories;  // by category and rank; the last row: in no category
    // Where the gradient by the costs of categories is: the nodes of each altered tree, by iteration and category.
    std::vector<std::vector<double>> altered_nodes;
    // Where time is watched.
    std::array<double, parts> seconds{};  // by part; reading the clock costs some itself

    std::uint64_t ended_by(Left how) const { return left[static_cast<std::size_t>(how)]; }
    std::uint64_t interior() const {
        return ended_by(Left::table) + ended_by(Left::futile) + ended_by(Left::passed) + ended_by(Left::searched);
    }
    static std::size_t rank_of(const Candidate& candidate) {
        return static_cast<std::size_t>(std::min(candidate.rank, ranks - 1));
    }
};

/// Counts what is decided, compiled into the search.
class Counts {
  public:
    static constexpr bool is_on = true;
    static constexpr bool is_timed = false;
    static constexpr bool reads_skipped = false;

    explicit Counts(Statistics& statistics) : statistics_(statistics) {}

    static constexpr FeatureMask wanted_features() { return 0; }
    void on_enter(const Node& node) { statistics_.deepest = std::max(statistics_.deepest, node.ply); }
    void on_table(const Node& node, bool) {
        ++statistics_.table_probes;
        statistics_.table_hits += node.entry.bound != Bound::none;
    }
    void on_move(const Node&, const Candidate& candidate) {
        ++statistics_.moves;
        statistics_.extended += candidate.cost < ply_units;
        statistics_.reduced += candidate.reduction > 0;
    }
    void on_skip(const Node&, const Candidate&, Skip why) { ++statistics_.skipped[static_cast<std::size_t>(why)]; }
    void on_cut(const Node&, const Candidate& candidate) {
        ++statistics_.cutoffs[Statistics::rank_of(candidate)];
        ++statistics_.stage_cutoffs[static_cast<std::size_t>(candidate.stage)];
    }
    void on_leave(const Node&, Score, Left how) { ++statistics_.left[static_cast<std::size_t>(how)]; }
    void on_iteration(const Iteration&) {}
    void on_end() {}

  private:
    Statistics& statistics_;
};

/// Notes how long each part takes, and nothing else: reading the clock disturbs what it measures.
class TimeProfile {
  public:
    static constexpr bool is_on = false;
    static constexpr bool is_timed = true;
    static constexpr bool reads_skipped = false;

    explicit TimeProfile(Statistics& statistics) : statistics_(statistics) {}
    void on_time(Part part, double seconds) { statistics_.seconds[static_cast<std::size_t>(part)] += seconds; }

  private:
    Statistics& statistics_;
};

/// Counts as Counts does, and besides each move by its category, its rank and its features, compiled into the search.
class MoveCounts {
  public:
    static constexpr bool is_on = true;
    static constexpr bool is_timed = false;
    static constexpr bool reads_skipped = false;

    MoveCounts(Statistics& statistics, std::size_t categories, FeatureMask wanted)
        : statistics_(statistics), counts_(statistics), wanted_(wanted) {
        statistics_.categories.resize(categories + 1);
    }
    FeatureMask wanted_features() const { return wanted_; }
    void on_enter(const Node& node) { counts_.on_enter(node); }
    void on_table(const Node& node, bool cuts) { counts_.on_table(node, cuts); }
    void on_move(const Node& node, const Candidate& candidate) {
        counts_.on_move(node, candidate);
        ++count_of(candidate).searched;
        count_features(candidate.features);
    }
    void on_skip(const Node& node, const Candidate& candidate, Skip why) { counts_.on_skip(node, candidate, why); }
    void on_cut(const Node& node, const Candidate& candidate) {
        counts_.on_cut(node, candidate);
        ++count_of(candidate).cut;
    }
    void on_leave(const Node& node, Score score, Left how) { counts_.on_leave(node, score, how); }
    void on_iteration(const Iteration&) {}
    void on_end() {
        for (Kind& kind : kinds_) share_out(kind);
    }

  private:
    static constexpr int kind_bits = 10;

    /// Moves with the same features: they are counted together and shared out among their features later.
    struct Kind {
        FeatureMask features = 0;
        std::uint64_t moves = 0;
    };

    Statistics::Count& count_of(const Candidate& candidate) {
        const auto row =
            candidate.category < 0 ? statistics_.categories.size() - 1 : static_cast<std::size_t>(candidate.category);
        return statistics_.categories[row][Statistics::rank_of(candidate)];
    }
    void count_features(FeatureMask features) {
        Kind& kind = kinds_[features * 0x9e3779b97f4a7c15u >> (64 - kind_bits)];
        if (kind.features != features) [[unlikely]] {
            share_out(kind);
            kind.features = features;
        }
        ++kind.moves;
    }
    [[gnu::noinline]] void share_out(Kind& kind) {
        for (FeatureMask rest = kind.features; rest; rest &= rest - 1)
            statistics_.features[std::countr_zero(rest)] += kind.moves;
        kind.moves = 0;
    }

    Statistics& statistics_;
    Counts counts_;
    FeatureMask wanted_;
    std::array<Kind, std::size_t{1} << kind_bits> kinds_{};
};

/// The sink that is chosen at run time. Each event does nothing until a class overrides it.
class EventSink {
  public:
    static constexpr bool is_on = true;
    static constexpr bool is_timed = false;
    static constexpr bool reads_skipped = true;

    virtual ~EventSink() = default;
    virtual FeatureMask wanted_features() const { return 0; }
    virtual void on_enter(const Node&) {}
    virtual void on_table(const Node&, bool) {}
    virtual void on_move(const Node&, const Candidate&) {}
    virtual void on_skip(const Node&, const Candidate&, Skip) {}
    virtual void on_ask(const Node&, int, const FunctionInputs&, float) {}
    virtual void on_best(const Node&) {}
    virtual void on_cut(const Node&, const Candidate&) {}
    virtual void on_leave(const Node&, Score, Left) {}
    virtual void on_iteration(const Iteration&) {}
    virtual void on_end() {}
};

/// What a caller may hand in.
using Sink = std::variant<NoEvents, Counts*, MoveCounts*, TimeProfile*, EventSink*>;

/// Does something and, where time is watched, notes how long it took.
template <class Events, class Work>
auto timed([[maybe_unused]] Events& events, [[maybe_unused]] Part part, Work work) {
    if constexpr (Events::is_timed) {
        const auto started = std::chrono::steady_clock::now();
        const auto result = work();
        events.on_time(part, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
        return result;
    } else {
        return work();
    }
}

}  // namespace plypilot
