// Searchers and their clocks: settings and positions in, results out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cmath>

#include "field_reader.hpp"
#include "results.hpp"
#include "search/function_gradient.hpp"
#include "search/ply_gradient.hpp"
#include "search/skip_sample.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

struct BoundSearcher {
    const MovePool* pool;
    std::unique_ptr<AnySearcher> searcher;
    std::size_t categories;        // of moves, which its pilot has
    std::size_t function_weights;  // of its pruning function
    std::size_t checkpoints;       // of the same
};

/// The clock of one search with the flag that ends it. Made before the search, so that no word to it comes too early.
struct BoundClock {
    std::atomic<bool> stop{false};
    bool failed = false;  // a Python error waits to be raised
    Timing timing;
    Clock clock;

    BoundClock(const Limits& fixed, const TimingSettings& settings, const std::optional<Funds>& funds, unsigned threads)
        : timing(settings),
          clock(
              shared_out(funds ? timing.limits(*funds, fixed) : fixed, threads), stop,
              [this] {
                  nb::gil_scoped_acquire acquire;
                  return failed = failed || PyErr_CheckSignals() != 0;
              },
              timing) {
        if (funds) clock.fund(shared_out(*funds, threads), shared_out(fixed, threads));
    }

    /// What each thread has: nodes are counted by thread, time passes for all of them.
    static Limits shared_out(Limits limits, unsigned threads) {
        limits.nodes = (limits.nodes + threads - 1) / threads;
        limits.soft_nodes = (limits.soft_nodes + threads - 1) / threads;
        return limits;
    }
    static Funds shared_out(Funds funds, unsigned threads) {
        if (funds.unit == Funds::Unit::seconds) return funds;
        funds.left /= threads;
        funds.increment /= threads;
        funds.byoyomi /= threads;
        return funds;
    }
};

/// What statistics tell of a search.
enum class Watched : std::uint8_t { nothing, counts, moves, time, plies };

/// The sink that is asked for, and what it counts.
class Watch {
  public:
    Statistics statistics;

    Watch(Watched watched, const BoundSearcher& searcher, double delta)
        : watched_(watched), counts_(statistics), profile_(statistics) {
        if (watched == Watched::moves)
            moves_.emplace(statistics, searcher.categories, every_feature(searcher.pool->info()));
        if (watched == Watched::plies) {
            const auto units = static_cast<Depth>(std::lround(delta * ply_units));
            if (units < 1 || units > 4 * ply_units)
                throw nb::value_error("delta: expected more than 0 plies, 4 at most");
            gradient_.emplace(statistics, searcher.categories, units);
        }
    }
    Sink sink() {
        switch (watched_) {
            case Watched::counts: return &counts_;
            case Watched::moves: return &*moves_;
            case Watched::time: return &profile_;
            case Watched::plies: return static_cast<EventSink*>(&*gradient_);
            case Watched::nothing: break;
        }
        return NoEvents{};
    }

  private:
    static FeatureMask every_feature(const GameInfo& info) {
        const std::size_t count = info.move_features.size();
        return count < 64 ? (FeatureMask{1} << count) - 1 : ~FeatureMask{0};
    }

    Watched watched_;
    Counts counts_;
    TimeProfile profile_;
    std::optional<PlyGradient> gradient_;
    std::optional<MoveCounts> moves_;  // only where it is asked for: it has a row for each category
};

ResultRecord run(BoundSearcher& self, const BoundPosition& position, BoundClock& clock, const RootRequest& request,
                 nb::object on_iteration, const Sink& sink) {
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
            PyObject* answer = PyObject_CallOneArg(on_iteration.ptr(), nb::cast(report(*self.pool, iteration)).ptr());
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
        result = self.searcher->run(*root, clock.clock, tell, request, sink);
    } else {
        nb::gil_scoped_release release;
        result = self.searcher->run(*root, clock.clock, tell, request, sink);
    }
    if (clock.failed) nb::raise_python_error();
    return report(*self.pool, result);
}

ResultRecord run_watched(BoundSearcher& self, const BoundPosition& position, BoundClock& clock,
                         const RootRequest& request, nb::object on_iteration, Watched watched, double delta) {
    Watch watch(watched, self, delta);
    ResultRecord record = run(self, position, clock, request, std::move(on_iteration), watch.sink());
    if (watched != Watched::nothing) record.statistics = nb::cast(report(watch.statistics));
    return record;
}

/// A search, how many moves it has skipped by reason and depth, and a sample of them.
nb::tuple run_sampled(BoundSearcher& self, const BoundPosition& position, BoundClock& clock, std::size_t most,
                      std::uint64_t seed) {
    SkipSample sample(most, seed);
    ResultRecord record = run(self, position, clock, {}, nb::none(), static_cast<EventSink*>(&sample));
    nb::list counts, moves;
    for (const auto& [key, group] : sample.groups()) {
        const auto& [why, plies] = key;
        const nb::object word = nb::cast(words<Skip>[static_cast<std::size_t>(why)]);
        counts.append(nb::make_tuple(word, plies, group.seen));
        for (const SkippedMove& skipped : group.chosen) {
            nb::list line;
            for (Move move : skipped.line) line.append(self.pool->object(move));
            moves.append(nb::make_tuple(line, self.pool->object(skipped.move), word, skipped.iteration,
                                        static_cast<double>(skipped.depth) / ply_units, skipped.rank, skipped.alpha,
                                        skipped.score));
        }
    }
    return nb::make_tuple(std::move(record), counts, moves);
}

/// A search, and how the pruning function would have to change by it.
nb::tuple run_pruned(BoundSearcher& self, const BoundPosition& position, BoundClock& clock) {
    if (!self.checkpoints) throw nb::value_error("the pilot has no pruning function");
    FunctionGradient gradient(self.function_weights, self.checkpoints);
    ResultRecord record = run(self, position, clock, {}, nb::none(), static_cast<EventSink*>(&gradient));
    const auto array = [](FunctionGradient::Sums& sums) { return nb::object(Array<double>(std::move(sums))); };
    return nb::make_tuple(std::move(record), array(gradient.keep), array(gradient.prune), array(gradient.changed),
                          array(gradient.unchanged), gradient.asked, gradient.pruned);
}

}  // namespace

void bind_searches(nb::module_& module) {
    nb::class_<BoundClock>(module, "Clock", "When one search must end. It runs from the moment it is made.")
        .def(
            "__init__",
            [](BoundClock* self, nb::dict limits, nb::dict timing, nb::object funds, unsigned threads) {
                const FieldReader reader;
                new (self)
                    BoundClock(reader.read<Limits>(limits, "limits"), reader.read<TimingSettings>(timing, "timing"),
                               reader.read<std::optional<Funds>>(funds, "funds"), std::max(threads, 1u));
            },
            nb::kw_only(), "limits"_a, "timing"_a, "funds"_a.none(), "threads"_a,
            nb::sig("def __init__(self, *, limits: dict[str, typing.Any], timing: dict[str, typing.Any], "
                    "funds: dict[str, typing.Any] | None, threads: int) -> None"))
        .def(
            "stop", [](BoundClock& self) { self.stop = true; }, "Ends its search, from any thread.")
        .def(
            "set_time",
            [](BoundClock& self, double seconds, nb::object funds) {
                Limits limits{.seconds = seconds};
                if (const auto given = FieldReader().read<std::optional<Funds>>(funds, "funds")) {
                    self.clock.fund(*given, limits);
                    limits = self.timing.limits(*given, limits);
                }
                self.clock.set_time(limits.seconds, limits.soft_seconds);
            },
            "seconds"_a, "funds"_a.none(),
            nb::sig("def set_time(self, seconds: float, funds: dict[str, typing.Any] | None) -> None"),
            "Limits the time anew, counted from now, from any thread.")
        .def_prop_ro("nodes", [](const BoundClock& self) { return self.clock.limits().nodes; })
        .def_prop_ro("seconds", [](const BoundClock& self) { return self.clock.limits().seconds; })
        .def_prop_ro("soft_seconds", [](const BoundClock& self) { return self.clock.limits().soft_seconds; });

    nb::class_<BoundSearcher>(module, "Searcher", "A search of one game with its table and its memory of moves.")
        .def(
            "__init__",
            [](BoundSearcher* self, nb::object game, nb::dict settings, nb::dict evaluation) {
                const MovePool* pool = find_pool(game);
                auto read = FieldReader(&pool->info()).read<SearchSettings>(settings, "settings");
                const std::size_t categories = read.depth.categories.size();
                std::size_t weights = 0, checkpoints = 0;
                if (const auto& function = read.pruning.function) {
                    weights = function->weights.size();
                    checkpoints = function->checkpoints.size();
                    const int inputs = PruningFunction::inputs(function->inputs, function->board_size);
                    if (weights != checkpoints * static_cast<std::size_t>(inputs))
                        throw nb::value_error("pruning.function: weights do not fit inputs and checkpoints");
                }
                auto searcher = pool->searcher(std::move(read), read_evaluation(pool->info(), evaluation));
                new (self) BoundSearcher{pool, std::move(searcher), categories, weights, checkpoints};
            },
            "game"_a, "settings"_a, "evaluation"_a,
            nb::sig("def __init__(self, game: str | AnyGame, settings: dict[str, typing.Any], "
                    "evaluation: dict[str, typing.Any]) -> None"))
        .def(
            "run",
            [](BoundSearcher& self, const BoundPosition& position, BoundClock& clock,
               const nb::typed<nb::sequence, BoundMove>& moves, int lines, int threads, nb::object on_iteration,
               std::string_view statistics, double delta) {
                RootRequest request{.lines = lines, .threads = threads, .continues = true};
                for (nb::handle move : moves) request.moves.push_back(nb::cast<const BoundMove&>(move).move);
                return run_watched(self, position, clock, request, std::move(on_iteration),
                                   read_word<Watched>(statistics, "statistics"), delta);
            },
            "position"_a, "clock"_a, nb::kw_only(), "moves"_a, "lines"_a, "threads"_a,
            "on_iteration"_a.none() = nb::none(), "statistics"_a = "nothing", "delta"_a = 0.5,
            nb::sig(
                "def run(self, position: Position, clock: Clock, *, moves: collections.abc.Sequence[Move], lines: int, "
                "threads: int, on_iteration: collections.abc.Callable[[Iteration], object] | None = None, "
                "statistics: str = 'nothing', delta: float = 0.5) -> Result"))
        .def(
            "run_sampled",
            [](BoundSearcher& self, const BoundPosition& position, BoundClock& clock, std::size_t most,
               std::uint64_t seed) { return run_sampled(self, position, clock, most, seed); },
            "position"_a, "clock"_a, nb::kw_only(), "most"_a, "seed"_a,
            nb::sig("def run_sampled(self, position: Position, clock: Clock, *, most: int, seed: int) -> tuple[Result, "
                    "list[tuple[str, int, int]], list[tuple[list[Move], Move, str, int, float, int, int, int]]]"))
        .def(
            "run_pruned",
            [](BoundSearcher& self, const BoundPosition& position, BoundClock& clock) {
                return run_pruned(self, position, clock);
            },
            "position"_a, "clock"_a,
            nb::sig("def run_pruned(self, position: Position, clock: Clock) -> tuple[Result, NDArray[numpy.float64], "
                    "NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], int, int]"))
        .def_static(
            "function_inputs",
            [](const nb::typed<nb::sequence, nb::str>& inputs, int board_size) {
                std::vector<FunctionSettings::Seen> seen;
                for (nb::handle word : inputs)
                    seen.push_back(read_word<FunctionSettings::Seen>(nb::cast<std::string>(word), "inputs"));
                return PruningFunction::inputs(seen, board_size);
            },
            "inputs"_a, "board_size"_a = 0,
            "How many inputs a pruning function has that sees these, where the board has so many features.")
        .def(
            "evaluate",
            [](const BoundSearcher& self, const BoundPosition& position) {
                if (position.pool != self.pool) throw nb::value_error("the position is of another game");
                return self.searcher->evaluate(*position.position);
            },
            "position"_a, "The static value of a position for the side to move, in score units.")
        .def(
            "history",
            [](const BoundSearcher& self, const BoundPosition& position) {
                if (position.pool != self.pool) throw nb::value_error("the position is of another game");
                return position.pool->pairs(self.searcher->history(*position.position));
            },
            "position"_a, nb::sig("def history(self, position: Position) -> list[tuple[Move, float]]"),
            "What the searches before say of the legal moves of a position.")
        .def_prop_ro(
            "history_weight", [](const BoundSearcher& self) { return self.searcher->history_weight(); },
            "What history is divided by, as the last search left it.")
        .def("clear", [](BoundSearcher& self) { self.searcher->clear(); }, "Forgets the searches before.");
}

}  // namespace plypilot::bind
