#include "registry.hpp"

#include <algorithm>

namespace plypilot {

namespace {

std::vector<const AnyGame*>& registered_games() {
    static std::vector<const AnyGame*> list;
    return list;
}

}  // namespace

void register_game(const AnyGame* game) { registered_games().push_back(game); }

const std::vector<const AnyGame*>& games() {
    static const std::vector<const AnyGame*> sorted = [] {
        auto list = registered_games();
        std::ranges::sort(list, {}, [](const AnyGame* game) { return game->info().name; });
        return list;
    }();
    return sorted;
}

const AnyGame* find_game(std::string_view name) {
    for (const AnyGame* game : games()) {
        if (game->info().name == name.substr(0, name.find('-'))) return game;
    }
    return nullptr;
}

}  // namespace plypilot
