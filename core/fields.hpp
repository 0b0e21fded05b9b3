// Structs that list their fields, and enums by the words of their values, so that whoever reads, writes or shows them
// needs no copy of the names.
//
// A struct that can be listed has a static fields(), which gives field_list<&Struct::one, &Struct::two>(): every member
// in its order. The names are the compiler's: it writes them into the text that names a template's argument. An enum
// counts its values from 0 and needs no list.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plypilot {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

namespace fields_detail {

/// The last name in the compiler's text for a value, such as `kind` of `[with auto Value = &Window::kind]`; empty where
/// the value has none.
template <auto Value>
consteval std::string_view last_name() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const auto is_of_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const std::string_view mark = "Value = ";
    std::size_t end = text.find(mark) + mark.size();
    std::size_t begin = end;
    for (; end < text.size() && text[end] != ';' && text[end] != ']'; ++end) {
        if (!is_of_name(text[end])) begin = end + 1;
    }
    const std::string_view name = text.substr(begin, end - begin);
    // A value of an enum without a name is written as a number, with a cast before it.
    return name.empty() || (name[0] >= '0' && name[0] <= '9') ? std::string_view{} : name;
}

/// The same with a zero behind it.
template <auto Value>
constexpr auto last_name_text = [] {
    std::array<char, last_name<Value>().size() + 1> text{};
    for (std::size_t i = 0; i + 1 < text.size(); ++i) text[i] = last_name<Value>()[i];
    return text;
}();

template <class T>
struct MemberPointer;
template <class S, class T>
struct MemberPointer<T S::*> {
    using Value = T;
};

/// Stands for a value of any type. An optional takes it as what it holds: both ways at once would be ambiguous.
struct Anything {
    template <class T>
        requires(!is_optional<T>)
    operator T() const;
};

/// How many members an aggregate has: as many as it can be initialised with.
template <class T, class... Values>
consteval std::size_t member_count() {
    if constexpr (requires { T{Values{}..., Anything{}}; }) {
        return member_count<T, Values..., Anything>();
    } else {
        return sizeof...(Values);
    }
}

template <class Enum, std::size_t count = 0>
consteval std::size_t value_count() {
    if constexpr (last_name<static_cast<Enum>(count)>().empty()) {
        return count;
    } else {
        return value_count<Enum, count + 1>();
    }
}

}  // namespace fields_detail

/// One member of a struct.
template <auto member_pointer>
struct Field {
    using Value = typename fields_detail::MemberPointer<decltype(member_pointer)>::Value;

    static constexpr auto member = member_pointer;
    static constexpr const char* name = fields_detail::last_name_text<member_pointer>.data();
    const char* text = "";  // what it is, for whoever sees the name alone
};

template <auto... members>
constexpr auto field_list() {
    return std::tuple<Field<members>...>{};
}

template <class T>
concept HasFields = requires { T::fields(); };

template <HasFields T>
constexpr std::size_t field_count = std::tuple_size_v<decltype(T::fields())>;

/// Calls a function with each field of a struct, in their order.
template <HasFields T, class Visit>
constexpr void each_field(Visit visit) {
    static_assert(field_count<T> == fields_detail::member_count<T>(), "fields() leaves out a member of the struct");
    std::apply([&](const auto&... fields) { (visit(fields), ...); }, T::fields());
}

template <class Enum>
    requires std::is_enum_v<Enum>
constexpr std::size_t word_count = fields_detail::value_count<Enum>();

/// The words of an enum, in the order of its values.
template <class Enum>
    requires std::is_enum_v<Enum>
constexpr auto words = []<std::size_t... values>(std::index_sequence<values...>) {
    return std::array<std::string_view, sizeof...(values)>{fields_detail::last_name<static_cast<Enum>(values)>()...};
}(std::make_index_sequence<word_count<Enum>>{});

namespace fields_detail {

// What the names above rely on, asked of each compiler.
struct Sample {
    enum class Kind : unsigned char { one, two_2 };

    Kind kind = Kind::one;
    std::optional<int> most_plies;
};
static_assert(last_name<&Sample::kind>() == "kind" && last_name<&Sample::most_plies>() == "most_plies");
static_assert(word_count<Sample::Kind> == 2 && words<Sample::Kind>[0] == "one" && words<Sample::Kind>[1] == "two_2");
static_assert(member_count<Sample>() == 2);

}  // namespace fields_detail

}  // namespace plypilot
