// What a search is asked for at the root, and what it gives back.
#pragma once

#include <functional>
#include <vector>

#include "../fields.hpp"
#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// What a search spent, by the part that spent it.
struct NodeCounts {
    std::uint64_t all = 0;
    std::uint64_t quiescence = 0;
    std::uint64_t singular = 0;
    std::uint64_t recapture = 0;
    std::uint64_t judged = 0;
    std::uint64_t singular_quiescence = 0;
    std::uint64_t recapture_quiescence = 0;

    static constexpr auto fields() {
        return std::tuple(
            Field<&NodeCounts::all>{"Every move made, null moves included."},
            Field<&NodeCounts::quiescence>{"Within quiescence searches: positions of capture trees."},
            Field<&NodeCounts::singular>{"While testing whether a move is singular."},
            Field<&NodeCounts::recapture>{"While testing whether a capture is a recapture."},
            Field<&NodeCounts::judged>{"Nodes whose moves a network ordered."},
            Field<&NodeCounts::singular_quiescence>{"Of those of quiescence: while testing a singular move."},
            Field<&NodeCounts::recapture_quiescence>{"Of those of quiescence: while testing a recapture."});
    }
    NodeCounts& operator+=(const NodeCounts& more) {
        all += more.all;
        quiescence += more.quiescence;
        singular += more.singular;
        recapture += more.recapture;
        judged += more.judged;
        singular_quiescence += more.singular_quiescence;
        recapture_quiescence += more.recapture_quiescence;
        return *this;
    }
};

/// What is asked of the root besides the best of all moves.
struct RootRequest {
    std::vector<Move> moves;  // only these, which are legal; none: every move
    int lines = 1;            // the best so many, each from another move
    int threads = 1;          // searches on one table; with more than one no two runs are alike
    bool continues = false;   // lines go on behind their ends by the table: nobody looks at those of games in batches
};

/// A principal variation, from the root's move on, and what it is worth.
struct ScoredLine {
    Score score = 0;
    std::vector<Move> moves;
    std::vector<Move> continuation = {};  // behind its end, by the table: for people, who want to see how it goes on
};

/// One completed depth.
struct Iteration {
    int depth = 0;
    Score score = 0;
    std::vector<Move> line;          // the principal variation
    std::vector<Move> continuation;  // behind its end, by the table, where anybody listens to iterations
    std::vector<ScoredLine> others;  // the next best ones, where they were asked for
    NodeCounts nodes;                // since the search began
    double seconds = 0;
    int deepest = 0;  // plies below the root in this iteration, quiescence included
    int table_permill = 0;

    Move move() const { return line.empty() ? Move{} : line[0]; }
};

struct SearchResult {
    Move move;
    Score score = 0;
    std::vector<Move> line;
    std::vector<Move> continuation;  // behind its end, by the table
    NodeCounts nodes;
    double seconds = 0;
    bool stopped = false;               // by a limit, within an iteration
    std::vector<Iteration> iterations;  // the completed ones
    int table_permill = 0;
};

using OnIteration = std::function<void(const Iteration&)>;

}  // namespace plypilot
