// What learners compute natively.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "learn/prediction_decay.hpp"
#include "learn/td.hpp"
#include "moves.hpp"
#include "settings.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig>;

using MutableRow = nb::ndarray<double, nb::ndim<1>, nb::c_contig>;

template <class T>
std::span<const T> span_of(const Row<T>& row) {
    return {row.data(), row.size()};
}

/// Refuses rows that would reach outside of what they index.
void check(const FeatureRows& rows, std::size_t positions, std::size_t predictions, std::size_t features) {
    if (predictions != positions + 1) throw nb::value_error("predictions: expected one more than positions");
    if (rows.starts.size() != positions + 1) throw nb::value_error("starts: expected one more than positions");
    if (rows.indices.size() != rows.values.size()) throw nb::value_error("indices and values differ in size");
    for (std::size_t t = 0; t <= positions; ++t) {
        const auto least = t ? rows.starts[t - 1] : 0;
        if (rows.starts[t] < least || rows.starts[t] > static_cast<std::int64_t>(rows.indices.size()))
            throw nb::value_error("starts: out of order");
    }
    for (auto index : rows.indices) {
        if (index < 0 || static_cast<std::size_t>(index) >= features) throw nb::value_error("indices: out of range");
    }
}

nb::object td_changes(nb::object game, nb::dict evaluation, Row<double> predictions, Row<double> slopes,
                      Row<std::int64_t> starts, Row<std::int32_t> indices, Row<float> values, double lambda,
                      double discount) {
    const MovePool* pool =
        nb::isinstance<nb::str>(game) ? native_pool(nb::cast<std::string>(game)) : nb::cast<const MovePool*>(game);
    if (!pool) throw nb::key_error(nb::cast<std::string>(game).c_str());
    const EvaluationSettings settings = read_evaluation(pool->info(), evaluation);
    const FeatureRows rows{span_of(starts), span_of(indices), span_of(values)};
    const TdSettings td{lambda, discount};
    std::size_t features = 0;
    if (settings.kind == EvaluationSettings::Kind::network) {
        features = settings.network.hidden.size() / static_cast<std::size_t>(settings.network.units);
    } else {
        for (const LinearTerm& term : settings.terms) features += term.weights.size();
    }
    check(rows, slopes.size(), predictions.size(), features);
    std::vector<double>* changes = nullptr;
    std::size_t weights = features;
    {
        nb::gil_scoped_release release;
        if (settings.kind == EvaluationSettings::Kind::network) {
            const NetworkGradient gradient(rows, settings.network);
            weights = gradient.size();
            changes = new std::vector<double>(recommended_changes(gradient, span_of(predictions), span_of(slopes), td));
        } else {
            const LinearGradient gradient(rows, features);
            changes = new std::vector<double>(recommended_changes(gradient, span_of(predictions), span_of(slopes), td));
        }
    }
    nb::capsule owner(changes, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(changes->data(), {slopes.size(), weights}, owner));
}

void add_prediction_qualities(Row<double> predictions, Row<double> zeros, MutableRow sums, MutableRow counts) {
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
    module.def("add_prediction_qualities", &add_prediction_qualities, "predictions"_a, "zeros"_a, "sums"_a, "counts"_a,
               nb::sig("def add_prediction_qualities(predictions: NDArray[numpy.float64], zeros: "
                       "NDArray[numpy.float64], sums: NDArray[numpy.float64], counts: NDArray[numpy.float64]) -> None"),
               "Adds the qualities of all pairs of predictions to the sums and counts of their distances.");
}

}  // namespace plypilot::bind
