// A pilot's evaluation and its networks as Python hands them over: dictionaries in which feature sets go by name and
// arrays have shapes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "registry.hpp"

namespace plypilot::bind {

namespace nb = nanobind;

/// An array with two axes, in C order.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<float> values;
};

EvaluationSettings read_evaluation(const GameInfo& info, nb::handle evaluation);
/// A network by its layers alone.
Network read_network(nb::handle layers);
/// The number of a feature set by its name. Throws KeyError.
int set_number(const GameInfo& info, const std::string& name);

}  // namespace plypilot::bind
