// Searchers: a search, and its report out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "moves.hpp"
#include "settings.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

struct BoundSearcher {
    const MovePool* pool;
    std::unique_ptr<AnySearcher> searcher;
};

/// The clock of one search with the flag that ends it. Made before the search, so that no word to it comes too early.
struct BoundClock {
    std::atomic<bool> stop{false};
    bool failed = false;  // a Python error waits to be raised
    Clock clock;

    explicit BoundClock(const Limits& limits)
        : clock(limits, stop, [this] {
              nb::gil_scoped_acquire acquire;
              return failed = failed || PyErr_CheckSignals() != 0;
          }) {}
};

nb::dict report(const NodeCounts& nodes) {
    nb::dict counts;
    counts["all"] = nodes.all;
    counts["quiescence"] = nodes.quiescence;
    counts["singular"] = nodes.singular;
    counts["recapture"] = nodes.recapture;
    return counts;
}

nb::list report(const MovePool& pool, const std::vector<Move>& line) {
    nb::list moves;
    for (Move move : line) moves.append(pool.object(move));
    return moves;
}

nb::dict report(const MovePool& pool, const Iteration& iteration) {
    nb::dict found;
    found["depth"] = iteration.depth;
    found["score"] = iteration.score;
    found["pv"] = report(pool, iteration.line);
    nb::list others;
    for (const ScoredLine& line : iteration.others) others.append(nb::make_tuple(line.score, report(pool, line.moves)));
    found["others"] = others;
    found["nodes"] = report(iteration.nodes);
    found["seconds"] = iteration.seconds;
    found["deepest"] = iteration.deepest;
    found["table_permill"] = iteration.table_permill;
    return found;
}

nb::dict report(const Statistics& statistics) {
    nb::dict found;
    found["interior"] = statistics.interior;
    found["leaves"] = statistics.leaves;
    found["quiescence"] = statistics.quiescence;
    found["table_probes"] = statistics.table_probes;
    found["table_hits"] = statistics.table_hits;
    found["table_cuts"] = statistics.table_cuts;
    found["moves"] = statistics.moves;
    found["extended"] = statistics.extended;
    found["features"] = std::vector<std::uint64_t>(statistics.features.begin(), statistics.features.end());
    found["cutoffs"] = std::vector<std::uint64_t>(statistics.cutoffs.begin(), statistics.cutoffs.end());
    nb::dict seconds;
    for (const auto& [name, part] :
         {std::pair{"evaluating", Part::evaluating}, {"picking", Part::picking}, {"moving", Part::moving}})
        seconds[name] = statistics.seconds[static_cast<int>(part)];
    found["seconds"] = seconds;
    found["deepest"] = statistics.deepest;
    return found;
}

nb::dict run(BoundSearcher& self, const BoundPosition& position, BoundClock& clock, const RootRequest& request,
             nb::object on_iteration, bool with_statistics) {
    if (position.pool != self.pool)
        throw nb::value_error(("the position is of the game " + std::string(position.pool->game_name()) +
                               ", the pilot of " + std::string(self.pool->game_name()))
                                  .c_str());
    const auto root = position.position->clone();
    OnIteration tell;
    if (!on_iteration.is_none()) {
        tell = [&](const Iteration& iteration) {
            nb::gil_scoped_acquire acquire;
            if (clock.failed) return;
            PyObject* answer = PyObject_CallOneArg(on_iteration.ptr(), report(*self.pool, iteration).ptr());
            if (answer) {
                Py_DECREF(answer);
            } else {
                clock.failed = true;
                clock.stop = true;
            }
        };
    }
    SearchResult result;
    if (self.pool->calls_python()) {
        if (request.threads > 1) throw nb::value_error("a game in Python is searched by one thread");
        result = self.searcher->run(*root, clock.clock, tell, with_statistics, request);
    } else {
        nb::gil_scoped_release release;
        result = self.searcher->run(*root, clock.clock, tell, with_statistics, request);
    }
    if (clock.failed) nb::raise_python_error();
    nb::dict found;
    found["move"] = result.move ? self.pool->object(result.move) : nb::none();
    found["score"] = result.score;
    found["pv"] = report(*self.pool, result.line);
    found["nodes"] = report(result.nodes);
    found["seconds"] = result.seconds;
    found["stopped"] = result.stopped;
    nb::list iterations;
    for (const Iteration& iteration : result.iterations) iterations.append(report(*self.pool, iteration));
    found["iterations"] = iterations;
    found["table_permill"] = result.table_permill;
    if (with_statistics) found["statistics"] = report(result.statistics);
    return found;
}

}  // namespace

void bind_searches(nb::module_& module) {
    nb::class_<BoundClock>(module, "Clock", "When one search must end. It runs from the moment it is made.")
        .def(
            "__init__",
            [](BoundClock* self, int depth, std::uint64_t nodes, double seconds, double soft_seconds) {
                new (self) BoundClock({depth, nodes, seconds, soft_seconds});
            },
            nb::kw_only(), "depth"_a, "nodes"_a, "seconds"_a, "soft_seconds"_a)
        .def(
            "stop", [](BoundClock& self) { self.stop = true; }, "Ends its search, from any thread.")
        .def(
            "set_time",
            [](BoundClock& self, double seconds, double soft_seconds) { self.clock.set_time(seconds, soft_seconds); },
            "seconds"_a, "soft_seconds"_a, "Limits the time anew, counted from now, from any thread.");

    nb::class_<BoundSearcher>(module, "Searcher", "A search of one game with its table and its memory of moves.")
        .def(
            "__init__",
            [](BoundSearcher* self, nb::object game, nb::dict settings, nb::dict evaluation) {
                const MovePool* pool = nb::isinstance<nb::str>(game) ? native_pool(nb::cast<std::string>(game))
                                                                     : nb::cast<const MovePool*>(game);
                if (!pool) throw nb::key_error(nb::cast<std::string>(game).c_str());
                auto searcher = pool->searcher(read_settings(settings), read_evaluation(pool->info(), evaluation));
                new (self) BoundSearcher{pool, std::move(searcher)};
            },
            "game"_a, "settings"_a, "evaluation"_a,
            nb::sig("def __init__(self, game: str | AnyGame, settings: dict[str, typing.Any], "
                    "evaluation: dict[str, typing.Any]) -> None"))
        .def(
            "run",
            [](BoundSearcher& self, const BoundPosition& position, BoundClock& clock,
               const nb::typed<nb::sequence, BoundMove>& moves, int lines, int threads, nb::object on_iteration,
               bool statistics) {
                RootRequest request{{}, lines, threads};
                for (nb::handle move : moves) request.moves.push_back(nb::cast<const BoundMove&>(move).move);
                return run(self, position, clock, request, std::move(on_iteration), statistics);
            },
            "position"_a, "clock"_a, nb::kw_only(), "moves"_a, "lines"_a, "threads"_a,
            "on_iteration"_a.none() = nb::none(), "statistics"_a = false,
            nb::sig(
                "def run(self, position: Position, clock: Clock, *, moves: collections.abc.Sequence[Move], lines: int, "
                "threads: int, on_iteration: collections.abc.Callable[[dict[str, typing.Any]], object] | None = None, "
                "statistics: bool = False) -> dict[str, typing.Any]"))
        .def(
            "evaluate",
            [](const BoundSearcher& self, const BoundPosition& position) {
                if (position.pool != self.pool) throw nb::value_error("the position is of another game");
                return self.searcher->evaluate(*position.position);
            },
            "position"_a, "The static value of a position for the side to move, in score units.")
        .def("clear", [](BoundSearcher& self) { self.searcher->clear(); }, "Forgets the searches before.");
}

}  // namespace plypilot::bind
