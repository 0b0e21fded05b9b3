// A pilot's settings as Python hands them over: dictionaries whose keys are the fields of core/search/settings.hpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "registry.hpp"

namespace plypilot::bind {

namespace nb = nanobind;

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

SearchSettings read_settings(nb::dict settings);
EvaluationSettings read_evaluation(const GameInfo& info, nb::dict evaluation);
/// The number of a feature set by its name. Throws KeyError.
int set_number(const GameInfo& info, const std::string& name);

}  // namespace plypilot::bind
