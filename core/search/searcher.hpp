// A search of one game with its table and memory, behind a virtual interface for callers that learn the game at run
// time.
#pragma once

#include "../any_position.hpp"
#include "team.hpp"

namespace plypilot {

class AnySearcher {
  public:
    virtual ~AnySearcher() = default;
    /// Searches a position of the searcher's game. One call at a time.
    virtual SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration,
                             bool with_statistics, const RootRequest& request = {}) = 0;
    /// The same by quiescence search alone. No move and no line where standing still is best.
    virtual SearchResult quiesce(const AnyPosition& position, Clock& clock) = 0;
    virtual Score evaluate(const AnyPosition& position) const = 0;
    /// Forgets all of the searches before.
    virtual void clear() = 0;
    /// As new, with another seed.
    virtual void restart(std::uint64_t seed) = 0;
};

template <Rules P>
class Searcher final : public AnySearcher {
  public:
    Searcher(SearchSettings settings, EvaluationSettings evaluation)
        : settings_(std::move(settings)), evaluate_(std::move(evaluation)), table_(settings_.table) {}

    SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration, bool with_statistics,
                     const RootRequest& request = {}) override {
        const P& root = static_cast<const ErasedPosition<P>&>(position).position();
        const auto threads = static_cast<std::size_t>(std::max(request.threads, 1));
        if (memories_.size() < threads) memories_.resize(threads);
        for (Memory& memory : memories_) memory.age();

        const auto lead = [&](const OnIteration& tell) {
            if (!with_statistics)
                return Search<P, NoTrace>(settings_, evaluate_, table_, memories_[0], clock, {})
                    .run(root, tell, request);
            Statistics statistics;
            auto result = Search<P, WithTrace>(settings_, evaluate_, table_, memories_[0], clock, {&statistics})
                              .run(root, tell, request);
            result.statistics = statistics;
            return result;
        };
        if (threads == 1) return lead(on_iteration);

        Team team;
        for (std::size_t number = 1; number < threads; ++number) {
            team.add(clock.node_limit(), [&, number](Clock& own) {
                // Every second one starts a ply deeper, so that they do not all do the same.
                return Search<P, NoTrace>(settings_, evaluate_, table_, memories_[number], own, {})
                    .run(root, {}, request, 1 + static_cast<int>(number % 2))
                    .nodes;
            });
        }
        std::vector<Iteration> told;
        SearchResult result = lead([&](const Iteration& iteration) {
            told.push_back(iteration);
            told.back().nodes.all += team.nodes_seen();
            if (on_iteration) on_iteration(told.back());
        });
        result.nodes += team.end();
        result.iterations = std::move(told);
        return result;
    }
    SearchResult quiesce(const AnyPosition& position, Clock& clock) override {
        memories_[0].age();
        return Search<P, NoTrace>(settings_, evaluate_, table_, memories_[0], clock, {})
            .run_quiescence(static_cast<const ErasedPosition<P>&>(position).position());
    }
    Score evaluate(const AnyPosition& position) const override {
        return evaluate_(static_cast<const ErasedPosition<P>&>(position).position());
    }
    void clear() override {
        table_.clear();
        for (Memory& memory : memories_) memory.clear();
    }
    void restart(std::uint64_t seed) override {
        clear();
        settings_.seed = seed;
        if (!evaluate_.set_seed(seed)) return;
        for (Memory& memory : memories_) memory.forget_scores();
    }

  private:
    SearchSettings settings_;
    Evaluator<P> evaluate_;
    Table table_;
    std::vector<Memory> memories_ = std::vector<Memory>(1);  // one a thread
};

}  // namespace plypilot
