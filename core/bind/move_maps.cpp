// Training of move maps, and the rules by which weights follow their gradient.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>

#include "field_reader.hpp"
#include "learn/move_map.hpp"
#include "moves.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

/// Throws ValueError where an array does not have the size that others ask for.
template <class Array>
void check_size(const char* name, const Array& array, std::size_t expected) {
    if (array.size() != expected)
        throw nb::value_error((std::string(name) + ": has " + std::to_string(array.size()) + " numbers, expected " +
                               std::to_string(expected))
                                  .c_str());
}

/// Cases with the arrays that they are made of, which were checked once.
struct BoundCases {
    Row<std::int64_t> input_starts;
    Row<std::int32_t> inputs;
    Row<float> values;
    Row<std::int64_t> move_starts;
    Row<std::int32_t> keys;
    Row<std::int32_t> best;
    MoveCaseView cases;
    std::array<std::size_t, 2> bounds;

    BoundCases(std::size_t width, Row<std::int64_t> input_starts_, Row<std::int32_t> inputs_, Row<float> values_,
               Row<std::int64_t> move_starts_, Row<std::int32_t> keys_, Row<std::int32_t> best_)
        : input_starts(std::move(input_starts_)),
          inputs(std::move(inputs_)),
          values(std::move(values_)),
          move_starts(std::move(move_starts_)),
          keys(std::move(keys_)),
          best(std::move(best_)),
          cases{width,         span_of(input_starts), span_of(inputs), span_of(values), span_of(move_starts),
                span_of(keys), span_of(best)} {
        if (!width) throw nb::value_error("width: expected one key for a move at least");
        nb::gil_scoped_release release;
        cases.check();
        bounds = cases.bounds();
    }
};

void check_fit(const MoveMapTrainer& map, const BoundCases& bound) {
    const MoveMapShape& shape = map.shape();
    const auto refuse = [](const std::string& text) { throw nb::value_error(("cases: " + text).c_str()); };
    if (bound.cases.width != shape.width)
        refuse("moves have " + std::to_string(bound.cases.width) + " keys, but the network's encoding has " +
               std::to_string(shape.width));
    const bool is_mei = shape.encoding == MoveMapShape::Encoding::mei;
    const std::size_t inputs = is_mei ? std::max(bound.bounds[0], bound.bounds[1]) : bound.bounds[0];
    if (inputs > shape.inputs)
        refuse("input " + std::to_string(inputs - 1) + " does not exist, there are " + std::to_string(shape.inputs));
    if (!is_mei && bound.bounds[1] > shape.outputs)
        refuse("key " + std::to_string(bound.bounds[1] - 1) + " does not exist, there are " +
               std::to_string(shape.outputs) + " outputs");
}

std::array<std::size_t, 2> range_of(const BoundCases& bound, std::size_t first, std::optional<std::size_t> last) {
    const std::size_t size = bound.cases.size(), end = last.value_or(size);
    if (first > end || end > size)
        throw nb::value_error(("cases " + std::to_string(first) + " to " + std::to_string(end) +
                               " are out of range, there are " + std::to_string(size))
                                  .c_str());
    return {first, end};
}

nb::tuple to_tuple(MoveMapMeasures measures) {
    return nb::make_tuple(measures.loss, measures.cases, measures.moves, Array<double>(std::move(measures.ranks)));
}

nb::tuple measure(const MoveMapTrainer& map, Row<float> weights, const BoundCases& bound, std::size_t first,
                  std::optional<std::size_t> last, std::size_t threads) {
    check_size("weights", weights, map.shape().size());
    check_fit(map, bound);
    const auto range = range_of(bound, first, last);
    MoveMapMeasures measures;
    {
        nb::gil_scoped_release release;
        measures = map.pass(span_of(weights), bound.cases, range[0], range[1], threads);
    }
    return to_tuple(std::move(measures));
}

nb::tuple add_gradient(const MoveMapTrainer& map, MutableRow<float> gradient, Row<float> weights,
                       const BoundCases& bound, std::size_t first, std::optional<std::size_t> last,
                       std::size_t threads) {
    check_size("weights", weights, map.shape().size());
    check_size("gradient", gradient, map.shape().size());
    check_fit(map, bound);
    const auto range = range_of(bound, first, last);
    MoveMapMeasures measures;
    {
        nb::gil_scoped_release release;
        measures = map.pass(span_of(weights), bound.cases, range[0], range[1], threads, span_of(gradient));
    }
    return to_tuple(std::move(measures));
}

Array<float> scores(const MoveMapTrainer& map, Row<float> weights, const BoundCases& bound, std::size_t first,
                    std::optional<std::size_t> last, std::size_t threads) {
    check_size("weights", weights, map.shape().size());
    check_fit(map, bound);
    const auto range = range_of(bound, first, last);
    std::vector<float> written(
        static_cast<std::size_t>(bound.cases.move_starts[range[1]] - bound.cases.move_starts[range[0]]));
    {
        nb::gil_scoped_release release;
        map.pass(span_of(weights), bound.cases, range[0], range[1], threads, {}, written);
    }
    return Array<float>(std::move(written));
}

nb::tuple learn(const MoveMapTrainer& map, MutableRow<float> weights, MutableRow<float> squares,
                MutableRow<float> means, std::int64_t steps, const BoundCases& bound, Row<std::int32_t> order,
                std::size_t batch, std::string_view rule, float rate, float mean_decay, float square_decay, float floor,
                std::size_t threads) {
    const DescentSettings settings{read_word<DescentSettings::Kind>(rule, "rule"), rate, mean_decay, square_decay,
                                   floor};
    const std::size_t size = map.shape().size();
    check_size("weights", weights, size);
    check_size("squares", squares, size);
    check_size("means", means, settings.kind == DescentSettings::Kind::adam ? size : 0);
    check_fit(map, bound);
    if (!batch) throw nb::value_error("batch: expected one case at least");
    for (const std::int32_t number : span_of(order)) {
        if (number < 0 || static_cast<std::size_t>(number) >= bound.cases.size())
            throw nb::value_error(("order: there is no case " + std::to_string(number)).c_str());
    }
    MoveMapMeasures measures;
    {
        nb::gil_scoped_release release;
        DescentMemory memory{span_of(squares), span_of(means), steps};
        measures = map.learn(span_of(weights), settings, memory, bound.cases, span_of(order), batch, threads);
    }
    return to_tuple(std::move(measures));
}

void step_rprop(MutableRow<float> weights, Row<float> gradient, MutableRow<float> steps, MutableRow<float> slopes,
                float rise, float fall, float least_step, float most_step, bool forgets_turns) {
    check_size("gradient", gradient, weights.size());
    check_size("steps", steps, weights.size());
    check_size("slopes", slopes, weights.size());
    nb::gil_scoped_release release;
    rprop_step(span_of(weights), span_of(gradient), span_of(steps), span_of(slopes),
               {rise, fall, least_step, most_step, forgets_turns});
}

void step_descent(MutableRow<float> weights, Row<float> gradient, MutableRow<float> squares, MutableRow<float> means,
                  std::int64_t steps, std::string_view rule, float rate, float mean_decay, float square_decay,
                  float floor) {
    const DescentSettings settings{read_word<DescentSettings::Kind>(rule, "rule"), rate, mean_decay, square_decay,
                                   floor};
    check_size("gradient", gradient, weights.size());
    check_size("squares", squares, weights.size());
    check_size("means", means, settings.kind == DescentSettings::Kind::adam ? weights.size() : 0);
    nb::gil_scoped_release release;
    descend(settings, {span_of(squares), span_of(means), steps}, span_of(weights), 0, span_of(gradient));
}

}  // namespace

void bind_move_maps(nb::module_& module) {
    nb::class_<BoundCases>(module, "MoveCases",
                           "Positions as sparse inputs, their legal moves as keys, and which of them is the best: "
                           "core/learn/move_map.hpp. Without values all inputs are 1.")
        .def(nb::init<std::size_t, Row<std::int64_t>, Row<std::int32_t>, Row<float>, Row<std::int64_t>,
                      Row<std::int32_t>, Row<std::int32_t>>(),
             "width"_a, "input_starts"_a.noconvert(), "inputs"_a.noconvert(), "values"_a.noconvert(),
             "move_starts"_a.noconvert(), "keys"_a.noconvert(), "best"_a.noconvert(),
             nb::sig("def __init__(self, width: int, input_starts: NDArray[numpy.int64], inputs: "
                     "NDArray[numpy.int32], values: NDArray[numpy.float32], move_starts: NDArray[numpy.int64], keys: "
                     "NDArray[numpy.int32], best: NDArray[numpy.int32]) -> None"))
        .def("__len__", [](const BoundCases& self) { return self.cases.size(); })
        .def_prop_ro(
            "bounds", [](const BoundCases& self) { return nb::make_tuple(self.bounds[0], self.bounds[1]); },
            nb::sig("def bounds(self) -> tuple[int, int]"), "One more than the largest input and the largest key.");
    nb::class_<MoveMapTrainer> map(
        module, "MoveMapTrainer",
        "Passes of a network that scores moves over cases. Its weights are one vector: direct "
        "[output][input], output_bias, output [output][unit], hidden [input][unit], hidden_bias. "
        "Measures are the summed loss, the number of cases and of moves, and how often the best "
        "move had each rank. No result depends on the number of threads.");
    map.def(
           "__init__",
           [](MoveMapTrainer* place, std::string_view encoding, std::size_t width, std::size_t inputs,
              std::size_t outputs, std::size_t units, bool has_direct, std::string_view function,
              std::string_view loss) {
               new (place)
                   MoveMapTrainer({read_word<MoveMapShape::Encoding>(encoding, "encoding"), width, inputs, outputs,
                                   units, has_direct, read_word<MoveMapShape::Function>(function, "function"),
                                   read_word<MoveMapShape::Loss>(loss, "loss")});
           },
           "encoding"_a, "width"_a, "inputs"_a, "outputs"_a, nb::kw_only(), "units"_a = 0, "direct"_a = true,
           "function"_a = "tanh", "loss"_a = "square")
        .def_prop_ro(
            "size", [](const MoveMapTrainer& self) { return self.shape().size(); }, "How many weights it has.")
        .def("measure", &measure, "weights"_a.noconvert(), "cases"_a, "first"_a = 0, "last"_a = nb::none(),
             nb::kw_only(), "threads"_a = 1,
             nb::sig("def measure(self, weights: NDArray[numpy.float32], cases: MoveCases, first: int = 0, last: int | "
                     "None = None, *, threads: int = 1) -> tuple[float, int, int, NDArray[numpy.float64]]"),
             "The measures of a range of cases.")
        .def("add_gradient", &add_gradient, "gradient"_a.noconvert(), "weights"_a.noconvert(), "cases"_a, "first"_a = 0,
             "last"_a = nb::none(), nb::kw_only(), "threads"_a = 1,
             nb::sig("def add_gradient(self, gradient: NDArray[numpy.float32], weights: NDArray[numpy.float32], cases: "
                     "MoveCases, first: int = 0, last: int | None = None, *, threads: int = 1) -> tuple[float, int, "
                     "int, NDArray[numpy.float64]]"),
             "Adds the gradient of the summed loss over a range of cases, and gives the measures.")
        .def("scores", &scores, "weights"_a.noconvert(), "cases"_a, "first"_a = 0, "last"_a = nb::none(), nb::kw_only(),
             "threads"_a = 1,
             nb::sig("def scores(self, weights: NDArray[numpy.float32], cases: MoveCases, first: int = 0, last: int | "
                     "None = None, *, threads: int = 1) -> NDArray[numpy.float32]"),
             "The scores of all moves of a range of cases, one after the other.")
        .def("learn", &learn, "weights"_a.noconvert(), "squares"_a.noconvert(), "means"_a.noconvert(), "steps"_a,
             "cases"_a, "order"_a.noconvert(), nb::kw_only(), "batch"_a, "rule"_a, "rate"_a, "mean_decay"_a,
             "square_decay"_a, "floor"_a, "threads"_a = 1,
             nb::sig("def learn(self, weights: NDArray[numpy.float32], squares: NDArray[numpy.float32], means: "
                     "NDArray[numpy.float32], steps: int, cases: MoveCases, order: NDArray[numpy.int32], *, batch: "
                     "int, rule: str, rate: float, mean_decay: float, square_decay: float, floor: float, threads: int "
                     "= 1) -> tuple[float, int, int, NDArray[numpy.float64]]"),
             "Changes the weights and what the rule remembers after each batch of cases, taken in this order. The "
             "rules are adagrad, which has no means, and adam; steps counts the batches before.");
    module.def("step_rprop", &step_rprop, "weights"_a.noconvert(), "gradient"_a.noconvert(), "steps"_a.noconvert(),
               "slopes"_a.noconvert(), nb::kw_only(), "rise"_a, "fall"_a, "least_step"_a, "most_step"_a,
               "forgets_turns"_a,
               nb::sig("def step_rprop(weights: NDArray[numpy.float32], gradient: NDArray[numpy.float32], steps: "
                       "NDArray[numpy.float32], slopes: NDArray[numpy.float32], *, rise: float, fall: float, "
                       "least_step: float, most_step: float, forgets_turns: bool) -> None"),
               "One step of RPROP: changes the weights, and the steps and slopes that the rule remembers.");
    module.def("step_descent", &step_descent, "weights"_a.noconvert(), "gradient"_a.noconvert(),
               "squares"_a.noconvert(), "means"_a.noconvert(), "steps"_a, nb::kw_only(), "rule"_a, "rate"_a,
               "mean_decay"_a, "square_decay"_a, "floor"_a,
               nb::sig("def step_descent(weights: NDArray[numpy.float32], gradient: NDArray[numpy.float32], squares: "
                       "NDArray[numpy.float32], means: NDArray[numpy.float32], steps: int, *, rule: str, rate: float, "
                       "mean_decay: float, square_decay: float, floor: float) -> None"),
               "One step of AdaGrad or Adam, the steps-th: changes the weights and what the rule remembers.");
}

}  // namespace plypilot::bind
