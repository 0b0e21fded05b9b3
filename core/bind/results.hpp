// What a search found, as Python sees it. Moves are the shared objects of their game, which live as long as the
// process.
#pragma once

#include "moves.hpp"
#include "record.hpp"
#include "search/events.hpp"

namespace plypilot::bind {

using MoveObject = nb::typed<nb::object, BoundMove>;
using MoveObjects = nb::typed<nb::list, BoundMove>;
using CountsByWord = nb::typed<nb::dict, nb::str, nb::int_>;

constexpr const char* continuation_text =
    "What follows the pv by the table, where the search had left it: for people. Learners read the pv alone.";

struct LineRecord {
    Score score;
    MoveObjects pv;
    MoveObjects continuation;

    static constexpr auto fields() {
        return std::tuple(Field<&LineRecord::score>{"From the view of the side to move."},
                          Field<&LineRecord::pv>{"The principal variation."},
                          Field<&LineRecord::continuation>{continuation_text});
    }
};

struct IterationRecord {
    int depth;
    Score score;
    MoveObjects pv;
    NodeCounts nodes;
    double seconds;
    nb::typed<nb::list, LineRecord> others;
    int deepest;
    int table_permill;
    MoveObjects continuation;

    static constexpr auto fields() {
        return std::tuple(
            Field<&IterationRecord::depth>{"In plies at the root."},
            Field<&IterationRecord::score>{"From the view of the side to move, 100 to a pawn or a piece."},
            Field<&IterationRecord::pv>{"The principal variation."},
            Field<&IterationRecord::nodes>{"Since the search began."},
            Field<&IterationRecord::seconds>{"Since the clock of the search was made."},
            Field<&IterationRecord::others>{
                "The next best lines, where they were asked for; each begins with another move."},
            Field<&IterationRecord::deepest>{"Plies below the root, quiescence included."},
            Field<&IterationRecord::table_permill>{"How full the table is; 0 where nobody listens to iterations."},
            Field<&IterationRecord::continuation>{continuation_text});
    }
};

struct StatisticsRecord {
    CountsByWord endings;
    std::uint64_t table_probes, table_hits;
    std::uint64_t moves, extended, reduced;
    CountsByWord skipped;
    nb::typed<nb::list, nb::int_> cutoffs;
    CountsByWord stage_cutoffs;
    nb::typed<nb::list, nb::int_> features;
    Array<std::uint64_t, 2> category_moves, category_cutoffs;
    Array<double, 2> altered_nodes;
    nb::typed<nb::dict, nb::str, nb::float_> seconds;
    int deepest;

    static constexpr auto fields() {
        using Self = StatisticsRecord;
        return std::tuple(
            Field<&Self::endings>{"Nodes by how they ended: stopped (the search was over), ended (the game was), "
                                  "horizon (judged, with no "
                                  "quiescence search), stood and quiesced (a quiescence search was content with the "
                                  "position, or followed "
                                  "captures), table (it knew enough), futile (too good for the window), passed (even "
                                  "passing holds beta), "
                                  "searched (moves were)."},
            Field<&Self::table_probes>{"Positions looked up in the table."},
            Field<&Self::table_hits>{"Of these: those that were there."},
            Field<&Self::moves>{"Moves searched in interior nodes."},
            Field<&Self::extended>{"Of these: those that cost less than a ply."},
            Field<&Self::reduced>{"Of these: those that were tried at less depth first."},
            Field<&Self::skipped>{"Moves not searched, by the reason: futile, late, width or function."},
            Field<&Self::cutoffs>{
                "Cut-offs by the rank of the move that cut, the first is 0; the last entry holds all later ranks."},
            Field<&Self::stage_cutoffs>{"Cut-offs by the stage of the picker that the move came from: first (the "
                                        "table's, or found by a smaller "
                                        "search), captures, quiets, losing (captures that lose material)."},
            Field<&Self::features>{"Moves searched that had each feature, by bit, where moves are watched."},
            Field<&Self::category_moves>{"(categories + 1, ranks) Moves searched by the category that set their cost "
                                         "and by rank, where moves are "
                                         "watched; the last row counts those in no category."},
            Field<&Self::category_cutoffs>{"(categories + 1, ranks) Of these: those that cut."},
            Field<&Self::altered_nodes>{"(iterations, categories) Nodes up to the end of each iteration in the tree "
                                        "where the moves of one category cost more by delta, where plies are watched."},
            Field<&Self::seconds>{
                "By part, where time is watched: evaluating, picking (generating and ordering moves), "
                "moving. Reading the clock costs some itself."},
            Field<&Self::deepest>{"Plies below the root, quiescence included."});
    }
};

struct ResultRecord {
    std::optional<MoveObject> move;
    Score score;
    MoveObjects pv;
    NodeCounts nodes;
    double seconds;
    bool stopped;
    nb::typed<nb::list, IterationRecord> iterations;
    int table_permill;
    std::optional<nb::typed<nb::object, StatisticsRecord>> statistics;
    MoveObjects continuation;

    static constexpr auto fields() {
        return std::tuple(Field<&ResultRecord::move>{"The best move, None where the game has ended."},
                          Field<&ResultRecord::score>{"From the view of the side to move, 100 to a pawn or a piece."},
                          Field<&ResultRecord::pv>{"The principal variation, from the move on."},
                          Field<&ResultRecord::nodes>{"What the search spent, in moves made."},
                          Field<&ResultRecord::seconds>{"Since the clock of the search was made."},
                          Field<&ResultRecord::stopped>{"A limit fell within an iteration."},
                          Field<&ResultRecord::iterations>{"The completed ones."},
                          Field<&ResultRecord::table_permill>{"How full the table is."},
                          Field<&ResultRecord::statistics>{"What the search decided, where that was watched."},
                          Field<&ResultRecord::continuation>{continuation_text});
    }
};

IterationRecord report(const MovePool& pool, const Iteration& iteration);
StatisticsRecord report(const Statistics& statistics);
/// Without statistics.
ResultRecord report(const MovePool& pool, const SearchResult& result);

}  // namespace plypilot::bind
