// The native module: conversions only. What each part does is said in the core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "field_reader.hpp"
#include "moves.hpp"
#include "play/play.hpp"

namespace plypilot::bind {

nb::dict describe(const GameInfo& info) {
    nb::dict facts;
    facts["name"] = info.name;
    facts["title"] = info.title;
    facts["sides"] = nb::make_tuple(info.sides[0], info.sides[1]);
    facts["files"] = info.files;
    facts["ranks"] = info.ranks;
    facts["start_fen"] = info.start_fen;
    facts["notation"] = info.notation;
    facts["index_sizes"] = nb::make_tuple(info.index_sizes.from, info.index_sizes.to, info.index_sizes.promotion);
    nb::list moves;
    for (const MoveFeature& f : info.move_features)
        moves.append(nb::make_tuple(f.symbol, f.name, f.group, f.parent, f.text));
    facts["move_features"] = moves;
    nb::list sets;
    for (const FeatureSet& set : info.feature_sets)
        sets.append(nb::make_tuple(set.name, set.text, set.features, set.is_of_path));
    facts["feature_sets"] = sets;
    return facts;
}

NB_MODULE(_core, module) {
    nb::set_leak_warnings(false);  // move objects live as long as the process, by design
    module.doc() = "The native core of plypilot.";
    nb::exception<PositionError>(module, "BadPosition", PyExc_ValueError);
    nb::exception<MoveError>(module, "IllegalMove", PyExc_ValueError);
    bind_moves(module);
    bind_python_games(module);
    bind_positions(module);
    bind_results(module);
    bind_move_encoding(module);
    bind_searches(module);
    bind_plays(module);
    bind_learning(module);
    bind_records(module);
    bind_move_maps(module);
    module.def(
        "describe_games",
        [] {
            nb::list all;
            for (const AnyGame* game : games()) all.append(describe(game->info()));
            return all;
        },
        nb::sig("def describe_games() -> list[dict[str, typing.Any]]"), "The static facts of every native game.");
    module.def(
        "default_settings",
        [] {
            nb::dict parts;
            parts["search"] = written(SearchSettings{});
            parts["timing"] = written(TimingSettings{});
            parts["limits"] = written(Limits{});
            parts["funds"] = written(Funds{});
            parts["adjudication"] = written(Adjudication{});
            return parts;
        },
        nb::sig("def default_settings() -> dict[str, dict[str, typing.Any]]"),
        "The settings that the core has where nothing else is said, in the form in which they are handed over.");
    module.def(
        "has_game", [](std::string_view name) { return native_pool(name) != nullptr; }, nb::arg("name"),
        "Whether a native game, or a variant of one, has this name.");
}

}  // namespace plypilot::bind
