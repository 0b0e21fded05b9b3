// What learners compute natively.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <optional>

#include "arrays.hpp"
#include "evaluation.hpp"
#include "learn/prediction_decay.hpp"
#include "learn/td.hpp"
#include "moves.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

/// Refuses starts and numbers that would reach outside of what they index.
void check_list(const char* name, std::span<const std::int64_t> starts, std::size_t rows,
                std::span<const std::int32_t> numbers, std::size_t count) {
    const auto refuse = [name](const std::string& text) { throw nb::value_error((name + (": " + text)).c_str()); };
    if (starts.size() != rows + 1) refuse("expected " + std::to_string(rows + 1) + " starts, one more than rows");
    std::int64_t least = 0;
    for (auto start : starts) {
        if (start < least || start > static_cast<std::int64_t>(numbers.size())) refuse("starts are out of order");
        least = start;
    }
    for (auto number : numbers) {
        if (number < 0 || static_cast<std::size_t>(number) >= count)
            refuse(std::to_string(number) + " is out of range, expected less than " + std::to_string(count));
    }
}

void check(const FeatureRows& rows, std::size_t positions, std::size_t inputs) {
    if (rows.indices.size() != rows.values.size()) throw nb::value_error("indices and values differ in size");
    check_list("indices", rows.starts, positions, rows.indices, inputs);
}

nb::object td_changes(nb::object game, nb::dict evaluation, Row<double> predictions, Row<double> slopes,
                      Row<std::int64_t> starts, Row<std::int32_t> indices, Row<float> values, double lambda,
                      double discount) {
    const MovePool* pool = find_pool(game);
    const EvaluationSettings settings = read_evaluation(pool->info(), evaluation);
    const FeatureRows rows{span_of(starts), span_of(indices), span_of(values)};
    const TdSettings td{lambda, discount};
    const bool is_network = settings.kind == EvaluationSettings::Kind::network;
    std::size_t features = is_network ? settings.network.network.weights().inputs : 0;
    for (const LinearTerm& term : settings.terms) features += is_network ? 0 : term.weights.size();
    if (predictions.size() != slopes.size() + 1) throw nb::value_error("predictions: expected one more than slopes");
    check(rows, slopes.size(), features);
    std::vector<double> changes;
    {
        nb::gil_scoped_release release;
        const auto changes_by = [&](auto gradient) {
            return recommended_changes(std::move(gradient), span_of(predictions), span_of(slopes), td);
        };
        changes = is_network ? changes_by(NetworkGradient(rows, settings.network.network))
                             : changes_by(LinearGradient(rows, features));
    }
    const std::size_t weights = is_network ? settings.network.network.weights().size() : features;
    return Array<double, 2>(std::move(changes), {slopes.size(), weights});
}

// Networks

/// Which outputs are asked for in each row: those of a list, or all.
class WantedOutputs {
  public:
    WantedOutputs(const Network& network, std::size_t rows, const std::optional<Row<std::int64_t>>& starts,
                  const std::optional<Row<std::int32_t>>& numbers) {
        const std::size_t outputs = network.weights().outputs;
        if (starts.has_value() != numbers.has_value())
            throw nb::value_error("output_starts and outputs: give both, or neither for all outputs");
        if (numbers) {
            starts_ = span_of(*starts);
            numbers_ = span_of(*numbers);
            check_list("outputs", starts_, rows, numbers_, outputs);
        } else {
            for (std::size_t i = 0; i < outputs; ++i) all_.push_back(static_cast<std::int32_t>(i));
        }
    }
    bool are_all() const { return !all_.empty(); }
    std::span<const std::int32_t> operator[](std::size_t row) const {
        if (are_all()) return all_;
        const auto from = static_cast<std::size_t>(starts_[row]);
        return numbers_.subspan(from, static_cast<std::size_t>(starts_[row + 1]) - from);
    }
    /// How many there are in all rows, and where those of a row begin among them.
    std::size_t count(std::size_t rows) const { return first(rows); }
    std::size_t first(std::size_t row) const {
        return are_all() ? row * all_.size() : static_cast<std::size_t>(starts_[row]);
    }

  private:
    std::vector<std::int32_t> all_;
    std::span<const std::int64_t> starts_;
    std::span<const std::int32_t> numbers_;
};

nb::object network_values(const Network& network, Row<std::int64_t> starts, Row<std::int32_t> indices,
                          Row<float> values, std::optional<Row<std::int64_t>> output_starts,
                          std::optional<Row<std::int32_t>> outputs) {
    if (!starts.size()) throw nb::value_error("starts: expected one more than rows");
    const std::size_t count = starts.size() - 1;
    const FeatureRows rows{span_of(starts), span_of(indices), span_of(values)};
    check(rows, count, network.weights().inputs);
    const WantedOutputs wanted(network, count, output_starts, outputs);
    std::vector<float> computed(wanted.count(count));
    {
        nb::gil_scoped_release release;
        NetworkPass pass(network);
        for (std::size_t row = 0; row < count; ++row)
            std::ranges::copy(pass.run(rows[row], wanted[row]), computed.data() + wanted.first(row));
    }
    if (!wanted.are_all()) return Array<float, 1>(std::move(computed), {wanted.count(count)});
    return Array<float, 2>(std::move(computed), {count, network.weights().outputs});
}

template <class Real>
void add_network_gradient(const Network& network, nb::ndarray<Real, nb::ndim<1>, nb::c_contig> gradient,
                          Row<std::int64_t> starts, Row<std::int32_t> indices, Row<float> values,
                          nb::ndarray<const double, nb::c_contig> factors,
                          std::optional<Row<std::int64_t>> output_starts, std::optional<Row<std::int32_t>> outputs) {
    if (!starts.size()) throw nb::value_error("starts: expected one more than rows");
    const std::size_t count = starts.size() - 1;
    const FeatureRows rows{span_of(starts), span_of(indices), span_of(values)};
    check(rows, count, network.weights().inputs);
    const WantedOutputs wanted(network, count, output_starts, outputs);
    if (factors.size() != wanted.count(count))
        throw nb::value_error("factors: expected one for each output that is asked for");
    if (gradient.size() != network.weights().size()) throw nb::value_error("gradient: expected one for each weight");
    nb::gil_scoped_release release;
    NetworkPass pass(network);
    for (std::size_t row = 0; row < count; ++row) {
        pass.run(rows[row], wanted[row]);
        pass.add_gradient(std::span<Real>(gradient.data(), gradient.size()),
                          std::span<const double>(factors.data() + wanted.first(row), wanted[row].size()));
    }
}

void add_prediction_qualities(Row<double> predictions, Row<double> zeros, MutableRow<double> sums,
                              MutableRow<double> counts) {
    if (predictions.size() != zeros.size()) throw nb::value_error("zeros: expected as many as predictions");
    if (sums.size() != counts.size()) throw nb::value_error("sums and counts differ in size");
    add_qualities(span_of(predictions), span_of(zeros), {sums.data(), sums.size()}, {counts.data(), counts.size()});
}

}  // namespace

void bind_learning(nb::module_& module) {
    module.def("td_changes", &td_changes, "game"_a, nb::kw_only(), "evaluation"_a, "predictions"_a, "slopes"_a,
               "starts"_a, "indices"_a, "values"_a, "trace_decay"_a, "discount"_a,
               nb::sig("def td_changes(game: str | AnyGame, *, evaluation: dict[str, typing.Any], predictions: "
                       "NDArray[numpy.float64], slopes: NDArray[numpy.float64], starts: NDArray[numpy.int64], indices: "
                       "NDArray[numpy.int32], values: NDArray[numpy.float32], trace_decay: float, discount: float) -> "
                       "NDArray[numpy.float64]"),
               "What each prediction of a sequence recommends to change of each weight, shape (positions, weights).");
    nb::class_<Network> network(module, "Network",
                                "A network over sparse inputs: the features of row t lie between starts[t] and "
                                "starts[t + 1], and so do the outputs that are asked for, where not all are.");
    network
        .def(
            "__init__", [](Network* place, nb::dict layers) { new (place) Network(read_network(layers)); }, "layers"_a,
            nb::sig("def __init__(self, layers: dict[str, typing.Any]) -> None"))
        .def_prop_ro("inputs", [](const Network& self) { return self.weights().inputs; })
        .def_prop_ro("units", [](const Network& self) { return self.weights().units; })
        .def_prop_ro("outputs", [](const Network& self) { return self.weights().outputs; })
        .def_prop_ro(
            "size", [](const Network& self) { return self.weights().size(); }, "How many weights it has.")
        .def("values", &network_values, "starts"_a, "indices"_a, "values"_a, "output_starts"_a = nb::none(),
             "outputs"_a = nb::none(),
             nb::sig("def values(self, starts: NDArray[numpy.int64], indices: NDArray[numpy.int32], values: "
                     "NDArray[numpy.float32], output_starts: NDArray[numpy.int64] | None = None, outputs: "
                     "NDArray[numpy.int32] | None = None) -> NDArray[numpy.float32]"),
             "The outputs, shape (rows, outputs); or those that are asked for, one after the other.");
    const auto add_gradient = [&network](auto function, const char* type) {
        const std::string signature =
            std::string("def add_gradient(self, gradient: NDArray[numpy.") + type +
            "], starts: NDArray[numpy.int64], indices: NDArray[numpy.int32], values: NDArray[numpy.float32], factors: "
            "NDArray[numpy.float64], output_starts: NDArray[numpy.int64] | None = None, outputs: NDArray[numpy.int32] "
            "| None = None) -> None";
        network.def("add_gradient", function, "gradient"_a.noconvert(), "starts"_a, "indices"_a, "values"_a,
                    "factors"_a, "output_starts"_a = nb::none(), "outputs"_a = nb::none(), nb::sig(signature.c_str()),
                    "Adds the gradient of the sum of outputs times factors, by all weights: hidden, hidden_bias, "
                    "output, direct, output_bias, each in C order.");
    };
    add_gradient(&add_network_gradient<double>, "float64");
    add_gradient(&add_network_gradient<float>, "float32");
    module.def("add_prediction_qualities", &add_prediction_qualities, "predictions"_a, "zeros"_a, "sums"_a, "counts"_a,
               nb::sig("def add_prediction_qualities(predictions: NDArray[numpy.float64], zeros: "
                       "NDArray[numpy.float64], sums: NDArray[numpy.float64], counts: NDArray[numpy.float64]) -> None"),
               "Adds the qualities of all pairs of predictions to the sums and counts of their distances.");
}

}  // namespace plypilot::bind
