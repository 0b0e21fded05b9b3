// A pilot's settings in, a search, its report out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "moves.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

/// Reads the keys of one group of settings, and in the end refuses those that nobody asked for.
class Reader {
  public:
    Reader(nb::handle group, std::string name) : group_(nb::cast<nb::dict>(group)), name_(std::move(name)) {}

    template <class T>
    void read(const char* key, T& into) {
        if (!group_.contains(key)) throw nb::key_error((name_ + " lacks " + key).c_str());
        into = nb::cast<T>(group_[key]);
        ++read_;
    }
    template <class Enum>
    void read(const char* key, Enum& into, std::initializer_list<std::pair<std::string_view, Enum>> names) {
        std::string word;
        read(key, word);
        for (const auto& [name, value] : names) {
            if (name == word) {
                into = value;
                return;
            }
        }
        throw nb::value_error((name_ + "." + key + " is \"" + word + "\"").c_str());
    }
    Reader group(const char* key) {
        if (!group_.contains(key)) throw nb::key_error((name_ + " lacks " + key).c_str());
        ++read_;
        return Reader(group_[key], name_ + "." + key);
    }
    nb::object object(const char* key) {
        if (!group_.contains(key)) throw nb::key_error((name_ + " lacks " + key).c_str());
        ++read_;
        return nb::borrow(group_[key]);
    }
    void finish() const {
        if (read_ != group_.size()) throw nb::key_error((name_ + " has keys that the core does not know").c_str());
    }

  private:
    nb::dict group_;
    std::string name_;
    std::size_t read_ = 0;
};

SearchSettings read_settings(nb::dict settings) {
    SearchSettings made;
    Reader all(settings, "settings");
    all.read("early_repetition", made.early_repetition);
    all.read("seed", made.seed);

    Reader window = all.group("window");
    window.read("kind", made.window.kind,
                {{"alpha_beta", Window::alpha_beta}, {"pvs", Window::pvs}, {"mtdf", Window::mtdf}});
    window.read("aspiration", made.window.aspiration);
    window.finish();

    Reader table = all.group("table");
    table.read("log2_entries", made.table.log2_entries);
    table.read("probes", made.table.probes);
    table.read("two_level", made.table.two_level);
    table.read("exact", made.table.exact);
    table.finish();

    Reader quiescence = all.group("quiescence");
    quiescence.read("on", made.quiescence.on);
    quiescence.read("most_plies", made.quiescence.most_plies);
    quiescence.read("exchange_filter", made.quiescence.exchange_filter);
    quiescence.read("margin", made.quiescence.margin);
    quiescence.read("evasions", made.quiescence.evasions);
    quiescence.finish();

    Reader ordering = all.group("ordering");
    ordering.read("table_move", made.ordering.table_move);
    ordering.read("captures", made.ordering.captures);
    ordering.read("exchange", made.ordering.exchange);
    ordering.read("killers", made.ordering.killers);
    ordering.read("history", made.ordering.history);
    ordering.read("countermove", made.ordering.countermove);
    ordering.read("shuffle", made.ordering.shuffle);
    ordering.read("internal_deepening", made.ordering.internal_deepening);
    ordering.finish();

    Reader depth = all.group("depth");
    for (nb::handle category : depth.object("categories"))
        made.depth.categories.push_back({nb::cast<FeatureMask>(category[0]), nb::cast<int>(category[1])});
    depth.read("rule", made.depth.rule,
               {{"lowest", DepthSettings::Rule::lowest}, {"first", DepthSettings::Rule::first}});
    depth.read("evasion_units", made.depth.evasion_units);
    depth.read("mate_threat_units", made.depth.mate_threat_units);
    depth.read("singular", made.depth.singular);
    depth.read("recapture", made.depth.recapture);
    depth.read("reduce_late", made.depth.reduce_late);
    depth.finish();

    Reader pruning = all.group("pruning");
    pruning.read("null_reduction", made.pruning.null_reduction);
    pruning.read("null_adaptive", made.pruning.null_adaptive);
    pruning.read("null_recursive", made.pruning.null_recursive);
    pruning.read("null_if_above", made.pruning.null_if_above);
    pruning.read("futility_margin", made.pruning.futility_margin);
    pruning.read("late_moves", made.pruning.late_moves);
    pruning.finish();

    Reader root = all.group("root");
    root.read("random_ties", made.root.random_ties);
    root.read("noise", made.root.noise);
    root.finish();
    all.finish();
    return made;
}

int set_number(const GameInfo& info, const std::string& name) {
    for (std::size_t i = 0; i < info.feature_sets.size(); ++i) {
        if (info.feature_sets[i].name == name) return static_cast<int>(i);
    }
    throw nb::key_error(("no feature set " + name).c_str());
}

/// An array of a known size, in C order whatever its shape.
std::vector<float> floats(nb::handle given, std::size_t size) {
    const auto array = nb::cast<nb::ndarray<const float, nb::c_contig>>(given);
    if (array.size() != size) throw nb::value_error(("expected " + std::to_string(size) + " weights").c_str());
    return {array.data(), array.data() + size};
}

EvaluationSettings read_evaluation(const GameInfo& info, nb::dict evaluation) {
    using Kind = EvaluationSettings::Kind;
    EvaluationSettings made;
    Reader all(evaluation, "evaluation");
    all.read("kind", made.kind,
             {{"zero", Kind::zero}, {"random", Kind::random}, {"linear", Kind::linear}, {"network", Kind::network}});
    all.read("random_size", made.random_size);
    all.read("seed", made.seed);
    for (nb::handle term : all.object("terms")) {
        const int set = set_number(info, nb::cast<std::string>(term[0]));
        made.terms.emplace_back(set, floats(term[1], info.feature_sets[set].features.size()));
    }
    const nb::object network = all.object("network");
    if (!network.is_none()) {
        Reader parts(network, "evaluation.network");
        std::string set;
        parts.read("set", set);
        made.network.set = set_number(info, set);
        parts.read("units", made.network.units);
        if (made.network.units < 1 || made.network.units > HiddenSum::most_units)
            throw nb::value_error("a network has 1 to 256 hidden units");
        const auto units = static_cast<std::size_t>(made.network.units);
        made.network.hidden =
            floats(parts.object("hidden"), info.feature_sets[made.network.set].features.size() * units);
        made.network.hidden_bias = floats(parts.object("hidden_bias"), units);
        made.network.output = floats(parts.object("output"), units);
        parts.read("output_bias", made.network.output_bias);
        parts.read("scale", made.network.scale);
        parts.read("first_player", made.network.first_player);
        parts.finish();
    } else if (made.kind == Kind::network) {
        throw nb::value_error("evaluation.network is missing");
    }
    all.finish();
    return made;
}

/// A searcher with the flag that ends its present search.
struct BoundSearcher {
    const MovePool* pool;
    std::unique_ptr<AnySearcher> searcher;
    std::atomic<bool> stop{false};
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
    found["nodes"] = report(iteration.nodes);
    found["seconds"] = iteration.seconds;
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

nb::dict run(BoundSearcher& self, const BoundPosition& position, const Limits& limits, nb::object on_iteration,
             bool with_statistics) {
    if (position.pool != self.pool)
        throw nb::value_error(("the position is of the game " + std::string(position.pool->game_name()) +
                               ", the pilot of " + std::string(self.pool->game_name()))
                                  .c_str());
    self.stop = false;
    const auto root = position.position->clone();
    bool failed = false;  // a Python error waits to be raised
    const auto poll = [&failed] {
        nb::gil_scoped_acquire acquire;
        return failed = failed || PyErr_CheckSignals() != 0;
    };
    Clock clock(limits, self.stop, poll);
    OnIteration tell;
    if (!on_iteration.is_none()) {
        tell = [&](const Iteration& iteration) {
            nb::gil_scoped_acquire acquire;
            if (failed) return;
            PyObject* answer = PyObject_CallOneArg(on_iteration.ptr(), report(*self.pool, iteration).ptr());
            if (answer) {
                Py_DECREF(answer);
            } else {
                failed = true;
                self.stop = true;
            }
        };
    }
    SearchResult result;
    if (self.pool->calls_python()) {
        result = self.searcher->run(*root, clock, tell, with_statistics);
    } else {
        nb::gil_scoped_release release;
        result = self.searcher->run(*root, clock, tell, with_statistics);
    }
    if (failed) nb::raise_python_error();
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
            [](BoundSearcher& self, const BoundPosition& position, int depth, std::uint64_t nodes, double seconds,
               double soft_seconds, nb::object on_iteration, bool statistics) {
                return run(self, position, {depth, nodes, seconds, soft_seconds}, std::move(on_iteration), statistics);
            },
            "position"_a, nb::kw_only(), "depth"_a, "nodes"_a, "seconds"_a, "soft_seconds"_a,
            "on_iteration"_a.none() = nb::none(), "statistics"_a = false,
            nb::sig("def run(self, position: Position, *, depth: int, nodes: int, seconds: float, soft_seconds: float, "
                    "on_iteration: collections.abc.Callable[[dict[str, typing.Any]], object] | None = None, "
                    "statistics: bool = False) -> dict[str, typing.Any]"))
        .def(
            "stop", [](BoundSearcher& self) { self.stop = true; }, "Ends the present search, from any thread.")
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
