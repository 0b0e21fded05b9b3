// Lists of fields and words of enums.
#include <doctest/doctest.h>

#include "fields.hpp"
#include "play/play.hpp"
#include "search/events.hpp"

using namespace plypilot;

namespace {

template <class T>
std::vector<std::string> names() {
    std::vector<std::string> list;
    each_field<T>([&](const auto& field) { list.emplace_back(field.name); });
    return list;
}

/// Whether a struct, and those in it, list their members in the order in which they stand, each once.
template <class T>
bool is_in_order() {
    const T value{};
    const char* last = nullptr;
    bool rises = true;
    each_field<T>([&](const auto& field) {
        using Value = typename std::remove_cvref_t<decltype(field)>::Value;
        const auto* at = reinterpret_cast<const char*>(&(value.*field.member));
        rises = rises && (!last || at > last);
        last = at;
        if constexpr (HasFields<Value>) rises = rises && is_in_order<Value>();
    });
    return rises;
}

}  // namespace

TEST_CASE("fields: a struct names its members") {
    CHECK(names<WindowSettings>() == std::vector<std::string>{"kind", "aspiration"});
    CHECK(names<Limits>() == std::vector<std::string>{"depth", "nodes", "soft_nodes", "seconds", "soft_seconds"});
}

TEST_CASE("fields: settings and counts list their members in their order") {
    CHECK(is_in_order<SearchSettings>());
    CHECK(is_in_order<Category>());
    CHECK(is_in_order<PlayerSettings>());
    CHECK(is_in_order<Funds>());
    CHECK(is_in_order<Adjudication>());
    CHECK(is_in_order<NodeCounts>());
}

TEST_CASE("fields: an enum names its values") {
    CHECK(words<Window> == std::array<std::string_view, 3>{"alpha_beta", "pvs", "mtdf"});
    CHECK(words<TimingSettings::Rule> ==
          std::array<std::string_view, 6>{"fixed", "simple", "crafty", "depth", "oracle", "learned"});
    CHECK(words<Stage>[static_cast<std::size_t>(Stage::losing)] == "losing");
    CHECK(lefts == static_cast<std::size_t>(Left::searched) + 1);
}
