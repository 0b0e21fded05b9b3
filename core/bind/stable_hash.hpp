// A hash of plain Python values that is the same in every process, unlike Python's own, which is salted for text.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace plypilot::bind {

/// Hashes None, bool, int, float, str, bytes, tuples, lists, frozen sets and dataclasses by their contents; anything
/// else by its __hash__.
std::uint64_t stable_hash(nanobind::handle value);

}  // namespace plypilot::bind
