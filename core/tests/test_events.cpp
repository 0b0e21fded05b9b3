// What a search tells of itself: sinks that are compiled in and the one that dispatches at run time hear the same, and
// none of them changes the tree.
#include <doctest/doctest.h>

#include "registry.hpp"

using namespace plypilot;

namespace {

/// Writes down each event as MoveCounts counts them, by the plainest means.
class Recorder final : public EventSink {
  public:
    Statistics statistics;

    explicit Recorder(std::size_t categories) { statistics.categories.resize(categories + 1); }
    FeatureMask wanted_features() const override { return ~FeatureMask{0}; }
    void on_enter(const Node& node) override { statistics.deepest = std::max(statistics.deepest, node.ply); }
    void on_table(const Node& node, bool cuts) override {
        ++statistics.table_probes;
        if (node.entry.bound != Bound::none) ++statistics.table_hits;
        CHECK((!cuts || node.entry.bound != Bound::none));
    }
    void on_move(const Node&, const Candidate& candidate) override {
        ++statistics.moves;
        if (candidate.cost < ply_units) ++statistics.extended;
        if (candidate.reduction > 0) ++statistics.reduced;
        ++row(candidate)[Statistics::rank_of(candidate)].searched;
        for (std::size_t bit = 0; bit < 64; ++bit) statistics.features[bit] += candidate.features >> bit & 1;
    }
    void on_skip(const Node&, const Candidate& candidate, Skip why) override {
        CHECK(candidate.move);
        ++statistics.skipped[static_cast<std::size_t>(why)];
    }
    void on_cut(const Node&, const Candidate& candidate) override {
        ++statistics.cutoffs[Statistics::rank_of(candidate)];
        ++statistics.stage_cutoffs[static_cast<std::size_t>(candidate.stage)];
        ++row(candidate)[Statistics::rank_of(candidate)].cut;
    }
    void on_leave(const Node&, Score, Left how) override { ++statistics.left[static_cast<std::size_t>(how)]; }

  private:
    std::array<Statistics::Count, Statistics::ranks>& row(const Candidate& candidate) {
        if (candidate.category < 0) return statistics.categories.back();
        return statistics.categories[static_cast<std::size_t>(candidate.category)];
    }
};

SearchSettings selective_settings(const GameInfo& info) {
    SearchSettings settings;
    settings.window = {Window::pvs, 25};
    settings.table.log2_entries = 14;
    settings.quiescence.on = true;
    settings.quiescence.most_plies = 4;
    settings.ordering = {.table_move = true, .captures = true, .killers = 2, .history = true};
    settings.depth.reduce_late = true;
    for (std::size_t bit = 0; bit < info.move_features.size(); bit += 3)
        settings.depth.categories.push_back({FeatureMask{1} << bit, bit % 2 ? ply_units * 5 / 4 : ply_units * 3 / 4});
    settings.pruning.null_reduction = 2;
    settings.pruning.futility_margin = 100;
    settings.pruning.late_moves = 4;
    return settings;
}

SearchResult searched(const AnyGame& game, const SearchSettings& settings, const Sink& sink) {
    EvaluationSettings evaluation;
    evaluation.kind = EvaluationSettings::Kind::random;
    evaluation.random_size = 50;
    const auto searcher = game.searcher(settings, evaluation);
    const auto position = game.from_fen(game.info().start_fen);
    std::atomic<bool> stop{false};
    Clock clock({.depth = 5, .nodes = 50'000}, stop);
    return searcher->run(*position, clock, {}, {}, sink);
}

bool is_same(const Statistics::Count& a, const Statistics::Count& b) {
    return a.searched == b.searched && a.cut == b.cut;
}

void check_counts(const Statistics& a, const Statistics& b) {
    CHECK(a.left == b.left);
    CHECK(a.table_probes == b.table_probes);
    CHECK(a.table_hits == b.table_hits);
    CHECK(a.moves == b.moves);
    CHECK(a.extended == b.extended);
    CHECK(a.reduced == b.reduced);
    CHECK(a.skipped == b.skipped);
    CHECK(a.cutoffs == b.cutoffs);
    CHECK(a.stage_cutoffs == b.stage_cutoffs);
    CHECK(a.deepest == b.deepest);
}

}  // namespace

TEST_CASE("every sink hears the same of the same tree, in every game") {
    for (const AnyGame* game : games()) {
        CAPTURE(game->info().name);
        const SearchSettings settings = selective_settings(game->info());
        const std::size_t categories = settings.depth.categories.size();
        Statistics counted, counted_by_move;
        Counts counts(counted);
        MoveCounts move_counts(counted_by_move, categories, ~FeatureMask{0});
        Recorder recorder(categories);
        const SearchResult plain = searched(*game, settings, {});
        for (const Sink& sink : {Sink(&counts), Sink(&move_counts), Sink(static_cast<EventSink*>(&recorder))}) {
            const SearchResult told = searched(*game, settings, sink);
            CHECK(told.nodes.all == plain.nodes.all);
            CHECK(told.score == plain.score);
            CHECK(told.line == plain.line);
        }
        check_counts(counted, recorder.statistics);
        check_counts(counted_by_move, recorder.statistics);
        CHECK(counted.skipped[static_cast<std::size_t>(Skip::late)] > 0);
        CHECK(counted_by_move.features == recorder.statistics.features);
        for (std::size_t row = 0; row <= categories; ++row) {
            const auto &ours = counted_by_move.categories[row], &recorded = recorder.statistics.categories[row];
            CHECK(std::equal(ours.begin(), ours.end(), recorded.begin(), is_same));
        }
    }
}
