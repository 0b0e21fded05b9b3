// A search of one game with its table and memory, behind a virtual interface for callers that learn the game at run
// time.
#pragma once

#include "../any_position.hpp"
#include "search.hpp"
#include "team.hpp"

namespace plypilot {

class AnySearcher {
  public:
    virtual ~AnySearcher() = default;
    /// Searches a position of the searcher's game, and tells a sink what it decides; of several threads, the first
    /// one does. One call at a time.
    virtual SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration = {},
                             const RootRequest& request = {}, const Sink& sink = {}) = 0;
    /// The same by quiescence search alone. No move and no line where standing still is best.
    virtual SearchResult quiesce(const AnyPosition& position, Clock& clock) = 0;
    virtual Score evaluate(const AnyPosition& position) const = 0;
    /// What the searches before say of the legal moves of a position, as history is added to a network's scores, but
    /// for its weight; and that weight, which a search may change. Those of the first thread.
    virtual std::vector<std::pair<Move, float>> history(const AnyPosition& position) const = 0;
    virtual double history_weight() const = 0;
    /// Forgets all of the searches before.
    virtual void clear() = 0;
    /// As new, with another seed.
    virtual void restart(std::uint64_t seed) = 0;
    /// As one that is made of these, but in the memory of this one: large memory takes long to come from the system.
    virtual void renew(SearchSettings settings, EvaluationSettings evaluation) = 0;
};

template <Rules P>
class Searcher final : public AnySearcher {
  public:
    Searcher(SearchSettings settings, EvaluationSettings evaluation)
        : settings_(std::move(settings)), evaluate_(std::move(evaluation)), table_(settings_.table) {
        decisions_.emplace_back(settings_);
    }

    SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration,
                     const RootRequest& request, const Sink& sink) override {
        const P& root = position_of(position);
        const auto threads = static_cast<std::size_t>(std::max(request.threads, 1));
        while (decisions_.size() < threads) decisions_.emplace_back(settings_);
        for (Decisions<P>& decisions : decisions_) decisions.ordering.begin_search();
        clock.begin(position);
        if (const auto& policy = decisions_[0].pruning.null_policy()) {
            const int reduction = clock.ask(*policy, position);
            for (Decisions<P>& decisions : decisions_) decisions.pruning.set_null_reduction(reduction);
        }

        const auto lead = [&](const OnIteration& tell) {
            return std::visit(
                [&](auto events) {
                    if constexpr (std::is_pointer_v<decltype(events)>) {
                        return search(0, clock, *events).run(root, tell, request);
                    } else {
                        return search(0, clock, events).run(root, tell, request);
                    }
                },
                sink);
        };
        if (threads == 1) return lead(on_iteration);

        Team team;
        for (std::size_t number = 1; number < threads; ++number) {
            team.add(clock.node_limit(), [&, number](Clock& own) {
                // Every second one starts a ply deeper, so that they do not all do the same.
                NoEvents silent;
                return search(number, own, silent).run(root, {}, request, 1 + static_cast<int>(number % 2)).nodes;
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
        decisions_[0].ordering.begin_search();
        NoEvents silent;
        return search(0, clock, silent).run_quiescence(position_of(position));
    }
    Score evaluate(const AnyPosition& position) const override { return evaluate_(position_of(position)); }
    std::vector<std::pair<Move, float>> history(const AnyPosition& position) const override {
        const P& here = position_of(position);
        MoveList list;
        here.generate(list);
        std::vector<float> shares(list.size());
        decisions_[0].ordering.tell_history(here, list.begin(), list.size(), shares.data());
        std::vector<std::pair<Move, float>> told;
        for (std::size_t i = 0; i < list.size(); ++i) told.emplace_back(list[i], shares[i]);
        return told;
    }
    double history_weight() const override { return decisions_[0].ordering.history_weight(); }
    void clear() override {
        table_.clear();
        for (Decisions<P>& decisions : decisions_) decisions.ordering.clear();
    }
    void restart(std::uint64_t seed) override {
        clear();
        settings_.seed = seed;
        const bool changes_scores = evaluate_.set_seed(seed);
        for (Decisions<P>& decisions : decisions_) {
            decisions.ordering.set_seed(seed);
            if (changes_scores) decisions.scores.clear();
        }
    }
    void renew(SearchSettings settings, EvaluationSettings evaluation) override {
        settings_ = std::move(settings);
        evaluate_ = Evaluator<P>(std::move(evaluation));
        table_.renew(settings_.table);
        for (Decisions<P>& decisions : decisions_) {
            decisions.scores.clear();
            decisions = Decisions<P>(settings_, std::move(decisions.scores));
        }
    }

  private:
    static const P& position_of(const AnyPosition& position) {
        return static_cast<const ErasedPosition<P>&>(position).position();
    }
    /// A search by one thread's decisions.
    template <class Events>
    Search<P, Events> search(std::size_t thread, Clock& clock, Events& events) {
        return Search<P, Events>(settings_, evaluate_, table_, decisions_[thread], clock, events);
    }

    SearchSettings settings_;
    Evaluator<P> evaluate_;
    Table table_;
    std::vector<Decisions<P>> decisions_;  // one a thread
};

}  // namespace plypilot
