// Numpy arrays that Python owns and native classes hold.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace plypilot::bind {

namespace nb = nanobind;

/// Numbers that Python hands over, without gaps.
template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// The same to be changed in their place.
template <class T>
using MutableRow = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& row) {
    return {row.data(), row.size()};
}

/// The type of an array as Python writes it.
template <class T>
inline constexpr auto array_name = nb::detail::const_name("NDArray[typing.Any]");
template <>
inline constexpr auto array_name<std::uint8_t> = nb::detail::const_name("NDArray[numpy.uint8]");
template <>
inline constexpr auto array_name<std::uint16_t> = nb::detail::const_name("NDArray[numpy.uint16]");
template <>
inline constexpr auto array_name<std::int32_t> = nb::detail::const_name("NDArray[numpy.int32]");
template <>
inline constexpr auto array_name<std::int64_t> = nb::detail::const_name("NDArray[numpy.int64]");
template <>
inline constexpr auto array_name<std::uint64_t> = nb::detail::const_name("NDArray[numpy.uint64]");
template <>
inline constexpr auto array_name<float> = nb::detail::const_name("NDArray[numpy.float32]");
template <>
inline constexpr auto array_name<double> = nb::detail::const_name("NDArray[numpy.float64]");

/// An array of numbers of one kind, without gaps.
template <class T, std::size_t dimensions = 1>
class Array : public nb::object {
  public:
    using View = nb::ndarray<const T, nb::numpy, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

    static constexpr auto Name = array_name<T>;
    Array() = default;
    Array(nb::handle array, nb::detail::borrow_t how) : nb::object(array, how) {}
    Array(nb::handle array, nb::detail::steal_t how) : nb::object(array, how) {}
    /// Takes the numbers over, without a copy.
    explicit Array(std::vector<T> values)
        requires(dimensions == 1)
    {
        const std::size_t size = values.size();
        take(std::move(values), {size});
    }
    Array(std::vector<T> values, const std::array<std::size_t, dimensions>& shape) { take(std::move(values), shape); }

    static bool check_(nb::handle given) {
        View view;
        return nb::try_cast(given, view, false);
    }
    View view() const { return nb::cast<View>(*this, false); }

    friend bool is_equal(const Array& one, const Array& two) {
        const View ours = one.view(), theirs = two.view();
        for (std::size_t i = 0; i < dimensions; ++i) {
            if (ours.shape(i) != theirs.shape(i)) return false;
        }
        return std::equal(ours.data(), ours.data() + ours.size(), theirs.data());
    }

  private:
    void take(std::vector<T> values, const std::array<std::size_t, dimensions>& shape) {
        auto* kept = new std::vector<T>(std::move(values));
        const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
        nb::object::operator=(
            nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>(kept->data(), dimensions, shape.data(), owner)));
    }
};

}  // namespace plypilot::bind
