// Structs with a list of fields as Python classes that do not change: what comes out of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <string>

#include "arrays.hpp"
#include "fields.hpp"

namespace plypilot::bind {

namespace nb = nanobind;

template <class T>
bool is_equal(const T& one, const T& two) {
    if constexpr (HasFields<T>) {
        bool equal = true;
        each_field<T>([&](const auto& field) { equal = equal && is_equal(one.*field.member, two.*field.member); });
        return equal;
    } else if constexpr (is_optional<T>) {
        return one.has_value() == two.has_value() && (!one || is_equal(*one, *two));
    } else if constexpr (std::is_base_of_v<nb::object, T>) {
        return one.equal(two);
    } else {
        return one == two;
    }
}

/// The values of a record's fields, in their order.
template <HasFields T>
nb::tuple values_of(const T& record) {
    return std::apply(
        [&](const auto&... fields) { return nb::make_tuple(nb::cast(record.*fields.member, nb::rv_policy::copy)...); },
        T::fields());
}

/// A record with all its fields.
template <HasFields T>
std::string full_text(const T& record, const char* name) {
    std::string text = std::string(name) + "(";
    std::string between;
    each_field<T>([&](const auto& field) {
        const nb::object value = nb::cast(record.*field.member, nb::rv_policy::copy);
        text += between + field.name + "=" + nb::repr(value).c_str();
        between = ", ";
    });
    return text + ")";
}

/// Binds a struct by its list of fields: read-only attributes, a constructor that takes them in their order or by name,
/// equality, hash, pickling, and as_dict(). `describe` gives the text that repr() shows.
template <HasFields T>
nb::class_<T> bind_record(nb::module_& module, const char* name, const char* text,
                          std::string (*describe)(const T&, const char* name) = &full_text<T>) {
    nb::class_<T> record(module, name, text);
    std::apply(
        [&](const auto&... fields) {
            record.def(nb::init<typename std::remove_cvref_t<decltype(fields)>::Value...>(), nb::arg(fields.name)...);
        },
        T::fields());
    each_field<T>([&](const auto& field) { record.def_ro(field.name, field.member, nb::rv_policy::copy, field.text); });
    record
        .def(
            "__eq__", [](const T& one, const T& two) { return is_equal(one, two); }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const T& self) {
                 const Py_hash_t hash = PyObject_Hash(values_of(self).ptr());
                 if (hash == -1) nb::raise_python_error();
                 return hash;
             })
        .def("__repr__", [describe, name](const T& self) { return describe(self, name); })
        .def(
            "__reduce__",
            [](nb::handle_t<T> self) { return nb::make_tuple(self.type(), values_of(nb::cast<const T&>(self))); },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[typing.Any, ...]]"))
        .def(
            "as_dict",
            [](const T& self) {
                nb::dict values;
                each_field<T>(
                    [&](const auto& field) { values[field.name] = nb::cast(self.*field.member, nb::rv_policy::copy); });
                return values;
            },
            nb::sig("def as_dict(self) -> dict[str, typing.Any]"), "Its fields by name.");
    return record;
}

}  // namespace plypilot::bind
