#include "stable_hash.hpp"

#include <cstring>
#include <string_view>

#include "zobrist.hpp"

namespace plypilot::bind {

namespace nb = nanobind;

namespace {

std::uint64_t combine(std::uint64_t hash, std::uint64_t part) { return splitmix64(hash ^ part); }

std::uint64_t hash_bytes(std::uint64_t seed, std::string_view bytes) {
    std::uint64_t hash = seed + bytes.size();
    while (bytes.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        hash = combine(hash, word);
        bytes.remove_prefix(8);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data(), bytes.size());
    return combine(hash, rest);
}

std::uint64_t hash_text(nb::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) nb::raise_python_error();
    return hash_bytes(3, {data, static_cast<std::size_t>(size)});
}

std::uint64_t hash_int(nb::handle value) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (!overflow) return combine(1, static_cast<std::uint64_t>(small));
    return hash_text(nb::str(value));
}

}  // namespace

std::uint64_t stable_hash(nb::handle value) {
    PyObject* object = value.ptr();
    if (object == Py_None) return splitmix64(2);
    if (PyLong_Check(object)) return hash_int(value);
    if (PyUnicode_Check(object)) return hash_text(value);
    if (PyBytes_Check(object))
        return hash_bytes(4, {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))});
    if (PyTuple_Check(object) || PyList_Check(object)) {
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
        std::uint64_t hash = 5 + static_cast<std::uint64_t>(size);
        for (Py_ssize_t i = 0; i < size; ++i) hash = combine(hash, stable_hash(PySequence_Fast_GET_ITEM(object, i)));
        return hash;
    }
    if (PyFrozenSet_Check(object)) {  // its order depends on Python's hash: the sum does not depend on the order
        std::uint64_t sum = 6;
        for (nb::handle item : value) sum += splitmix64(stable_hash(item));
        return splitmix64(sum);
    }
    if (nb::hasattr(value, "__dataclass_fields__") && !PyType_Check(object)) {
        std::uint64_t hash = 7;
        for (nb::handle name : nb::borrow(value.attr("__dataclass_fields__")))
            hash = combine(hash, stable_hash(nb::getattr(value, name)));
        return hash;
    }
    const Py_hash_t own = PyObject_Hash(object);
    if (own == -1 && PyErr_Occurred()) nb::raise_python_error();
    return combine(8, static_cast<std::uint64_t>(own));
}

}  // namespace plypilot::bind
