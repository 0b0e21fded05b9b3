// A search of one game with its table and memory, behind a virtual interface for callers that learn the game at run
// time.
#pragma once

#include "../any_position.hpp"
#include "search.hpp"

namespace plypilot {

class AnySearcher {
  public:
    virtual ~AnySearcher() = default;
    /// Searches a position of the searcher's game. One call at a time.
    virtual SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration,
                             bool with_statistics) = 0;
    virtual Score evaluate(const AnyPosition& position) const = 0;
    /// Forgets all of the searches before.
    virtual void clear() = 0;
};

template <Rules P>
class Searcher final : public AnySearcher {
  public:
    Searcher(SearchSettings settings, EvaluationSettings evaluation)
        : settings_(std::move(settings)), evaluate_(std::move(evaluation)), table_(settings_.table) {}

    SearchResult run(const AnyPosition& position, Clock& clock, const OnIteration& on_iteration,
                     bool with_statistics) override {
        memory_.age();
        const P& root = static_cast<const ErasedPosition<P>&>(position).position();
        if (!with_statistics)
            return Search<P, NoTrace>(settings_, evaluate_, table_, memory_, clock, {}).run(root, on_iteration);
        Statistics statistics;
        auto result =
            Search<P, WithTrace>(settings_, evaluate_, table_, memory_, clock, {&statistics}).run(root, on_iteration);
        result.statistics = statistics;
        return result;
    }
    Score evaluate(const AnyPosition& position) const override {
        return evaluate_(static_cast<const ErasedPosition<P>&>(position).position());
    }
    void clear() override {
        table_.clear();
        memory_.clear();
    }

  private:
    SearchSettings settings_;
    Evaluator<P> evaluate_;
    Table table_;
    Memory memory_;
};

}  // namespace plypilot
