// Structs with a list of fields (core/fields.hpp) out of nested Python dictionaries, and into them. The keys are the
// names of the fields; every one must be there, and no other.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "arrays.hpp"
#include "evaluation.hpp"
#include "fields.hpp"

namespace plypilot::bind {

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

/// Where a value stands, such as `settings.depth.categories[2].units`. The text is made where an error needs it.
class Place {
  public:
    Place(const char* name) : name_(name) {}
    Place(const Place& outer, const char* name) : outer_(&outer), name_(name) {}
    Place(const Place& outer, std::size_t number) : outer_(&outer), number_(number) {}

    std::string text() const {
        if (!outer_) return name_;
        return name_ ? outer_->text() + "." + name_ : outer_->text() + "[" + std::to_string(number_) + "]";
    }

  private:
    const Place* outer_ = nullptr;
    const char* name_ = nullptr;
    std::size_t number_ = 0;
};

/// Words as a person lists them: "a, b or c".
template <class Words>
std::string alternatives(const Words& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

/// The value of an enum that a word names. Throws ValueError, which says where the word stands.
template <class Enum>
Enum read_word(std::string_view word, const Place& place) {
    for (std::size_t i = 0; i < words<Enum>.size(); ++i) {
        if (words<Enum>[i] == word) return static_cast<Enum>(i);
    }
    throw nb::value_error(
        (place.text() + " is \"" + std::string(word) + "\", expected " + alternatives(words<Enum>)).c_str());
}

/// Reads values of one game. A number, a truth value or a word stands for itself, a struct is a dictionary or a tuple
/// of its fields in their order, an optional one may be None, several values are a sequence, and an array of weights is
/// one of numpy, taken in C order whatever its shape.
class FieldReader {
  public:
    /// The facts of the game are needed where evaluations are read.
    explicit FieldReader(const GameInfo* info = nullptr) : info_(info) {}

    /// `place` says in errors where the value stands.
    template <class T>
    T read(nb::handle given, const Place& place) const {
        if constexpr (HasFields<T>) {
            return read_struct<T>(given, place);
        } else if constexpr (std::is_same_v<T, EvaluationSettings>) {
            return read_evaluation(*info_, given);
        } else if constexpr (std::is_same_v<T, Network>) {
            return read_network(given);
        } else if constexpr (std::is_same_v<T, SharedMap>) {
            return given.is_none() ? SharedMap{} : *need<const SharedMap*>(given, place, "a move map");
        } else if constexpr (std::is_same_v<T, std::string>) {
            return need<std::string>(given, place, "a word");
        } else if constexpr (std::is_same_v<T, Matrix>) {
            const auto array = need<Weights>(given, place, "an array");
            if (array.ndim() != 2) throw nb::value_error((place.text() + " is expected to have two axes").c_str());
            return {array.shape(0), array.shape(1), {array.data(), array.data() + array.size()}};
        } else if constexpr (std::is_enum_v<T>) {
            return read_word<T>(need<std::string>(given, place, "a word"), place);
        } else if constexpr (is_optional<T>) {
            if (given.is_none()) return std::nullopt;
            return read<typename T::value_type>(given, place);
        } else if constexpr (std::is_same_v<T, std::vector<float>>) {
            const auto array = need<Weights>(given, place, "an array");
            return {array.data(), array.data() + array.size()};
        } else if constexpr (is_vector<T>) {
            T values;
            for (nb::handle value : need<nb::sequence>(given, place, "a sequence"))
                values.push_back(read<typename T::value_type>(value, {place, values.size()}));
            return values;
        } else if constexpr (std::is_same_v<T, bool>) {
            return need<bool>(given, place, "true or false");
        } else if constexpr (std::is_integral_v<T>) {
            return need<T>(given, place, "a whole number that fits");
        } else {
            static_assert(std::is_floating_point_v<T>, "a field of a kind that Python cannot hand over");
            return need<T>(given, place, "a number");
        }
    }

  private:
    using Weights = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

    template <class T>
    static T need(nb::handle given, const Place& place, const char* expected) {
        T value;
        if (nb::try_cast(given, value)) return value;
        throw nb::type_error((place.text() + " is " + nb::repr(given).c_str() + ", expected " + expected).c_str());
    }

    template <class T>
    T read_struct(nb::handle given, const Place& place) const {
        T made;
        if (nb::isinstance<nb::tuple>(given)) {
            const auto values = nb::borrow<nb::tuple>(given);
            if (values.size() != field_count<T>)
                throw nb::value_error((place.text() + " has " + std::to_string(values.size()) + " values, expected " +
                                       std::to_string(field_count<T>) + ": " + names<T>())
                                          .c_str());
            std::size_t at = 0;
            each_field<T>([&](const auto& field) { set(made, field, nb::object(values[at++]), place); });
            return made;
        }
        const auto values = need<nb::dict>(given, place, "a dictionary");
        each_field<T>([&](const auto& field) {
            const nb::handle value = PyDict_GetItemString(values.ptr(), field.name);
            if (!value) throw nb::key_error((place.text() + " lacks " + field.name).c_str());
            set(made, field, value, place);
        });
        if (values.size() == field_count<T>) return made;
        for (nb::handle key : values.keys()) {
            const std::string name = nb::str(key).c_str();
            bool is_known = false;
            each_field<T>([&](const auto& field) { is_known = is_known || name == field.name; });
            if (!is_known)
                throw nb::key_error((place.text() + " has the key \"" + name +
                                     "\", which the core does not know; there are: " + names<T>())
                                        .c_str());
        }
        return made;
    }
    template <class T, class Field>
    void set(T& made, const Field& field, nb::handle value, const Place& place) const {
        made.*field.member = read<typename Field::Value>(value, {place, field.name});
    }
    template <class T>
    static std::string names() {
        std::string text;
        each_field<T>([&](const auto& field) { text += (text.empty() ? "" : ", ") + std::string(field.name); });
        return text;
    }

    const GameInfo* info_;
};

/// A value in the form that FieldReader reads, structs as dictionaries.
template <class T>
nb::object written(const T& value) {
    if constexpr (HasFields<T>) {
        nb::dict fields;
        each_field<T>([&](const auto& field) { fields[field.name] = written(value.*field.member); });
        return fields;
    } else if constexpr (std::is_enum_v<T>) {
        return nb::cast(words<T>[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_same_v<T, SharedMap>) {
        return value.map ? nb::cast(value) : nb::none();
    } else if constexpr (std::is_same_v<T, Network>) {
        return nb::none();  // the core has none by itself
    } else if constexpr (std::is_same_v<T, std::string>) {
        return nb::cast(value);
    } else if constexpr (is_optional<T>) {
        return value ? written(*value) : nb::none();
    } else if constexpr (std::is_same_v<T, std::vector<float>>) {
        return Array<float>(value);
    } else if constexpr (requires { value.begin(); }) {
        nb::list values;
        for (const auto& item : value) values.append(written(item));
        return values;
    } else {
        return nb::cast(value);
    }
}

}  // namespace plypilot::bind
