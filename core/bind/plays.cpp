// Whole games: players and tasks in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "moves.hpp"
#include "play/play.hpp"
#include "settings.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

struct BoundPlay {
    const MovePool* pool;
    PlaySettings settings;
    std::atomic<bool> stop{false};
    std::vector<std::unique_ptr<Players>> idle;  // one for each thread that has played; the GIL guards them

    std::unique_ptr<Players> take_players() {
        if (idle.empty()) {
            return std::make_unique<Players>(settings, [this](SearchSettings search, EvaluationSettings evaluation) {
                return pool->searcher(std::move(search), std::move(evaluation));
            });
        }
        auto taken = std::move(idle.back());
        idle.pop_back();
        return taken;
    }
};

/// A vector as a numpy array that owns it.
template <class T>
nb::object array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

Limits read_limits(nb::handle given) {
    Limits made;
    Reader all(given, "limits");
    all.read("depth", made.depth);
    all.read("nodes", made.nodes);
    all.read("seconds", made.seconds);
    all.finish();
    if (!made.depth && !made.nodes && !made.seconds) throw nb::value_error("a player has no limit");
    return made;
}

PlayerSettings read_player(const GameInfo& info, nb::handle given) {
    PlayerSettings made;
    if (given.is_none()) {
        made.moves = Moves::random;
        return made;
    }
    Reader all(given, "player");
    made.search = read_settings(nb::cast<nb::dict>(all.object("settings")));
    made.evaluation = read_evaluation(info, nb::cast<nb::dict>(all.object("evaluation")));
    made.limits = read_limits(all.object("limits"));
    all.read("moves", made.moves,
             {{"searched", Moves::searched}, {"quiesced", Moves::quiesced}, {"random", Moves::random}});
    all.finish();
    return made;
}

Adjudication read_adjudication(const GameInfo& info, nb::handle given) {
    using AtLength = Adjudication::AtLength;
    Adjudication made;
    Reader all(given, "adjudication");
    all.read("most_plies", made.most_plies);
    all.read("at_length", made.at_length,
             {{"draw", AtLength::draw}, {"agreed", AtLength::agreed}, {"referee", AtLength::referee}});
    const nb::object referee = all.object("referee");
    if (!referee.is_none()) {
        made.referee = read_evaluation(info, nb::cast<nb::dict>(referee));
    } else if (made.at_length == AtLength::referee) {
        throw nb::value_error("adjudication.referee is missing");
    }
    all.read("win_score", made.win_score);
    all.read("win_plies", made.win_plies);
    all.read("draw_score", made.draw_score);
    all.read("draw_plies", made.draw_plies);
    all.read("draw_from", made.draw_from);
    all.finish();
    return made;
}

/// Games as arrays. Those of a game's plies lie between starts[game] and starts[game + 1].
nb::dict report(const MovePool& pool, const std::vector<PlayedGame>& games, bool with_features) {
    nb::list winners, causes, texts;
    std::vector<std::int64_t> starts{0}, nodes, feature_starts{0};
    std::vector<std::int32_t> scores, depths, noted_scores, feature_indices;
    std::vector<float> seconds, feature_values;
    std::vector<std::uint8_t> sides, ended, exact;
    for (const PlayedGame& game : games) {
        if (game.winner) {
            winners.append(static_cast<int>(*game.winner));
        } else {
            winners.append(nb::none());
        }
        causes.append(game.cause);
        std::string moves;
        for (const PlayedPly& ply : game.plies) {
            if (!moves.empty()) moves += ' ';
            moves += pool.text(ply.move);
            scores.push_back(ply.score);
            depths.push_back(ply.depth);
            nodes.push_back(static_cast<std::int64_t>(ply.nodes));
            seconds.push_back(static_cast<float>(ply.seconds));
            if (!with_features) continue;
            sides.push_back(ply.noted_side);
            noted_scores.push_back(ply.noted_score);
            ended.push_back(ply.is_ended);
            exact.push_back(ply.is_exact);
            feature_starts.push_back(static_cast<std::int64_t>(feature_indices.size() + ply.features_end));
        }
        feature_indices.insert(feature_indices.end(), game.feature_indices.begin(), game.feature_indices.end());
        feature_values.insert(feature_values.end(), game.feature_values.begin(), game.feature_values.end());
        texts.append(moves);
        starts.push_back(static_cast<std::int64_t>(scores.size()));
    }
    nb::dict found;
    found["winners"] = winners;
    found["causes"] = causes;
    found["moves"] = texts;
    found["starts"] = array(std::move(starts));
    found["scores"] = array(std::move(scores));
    found["depths"] = array(std::move(depths));
    found["nodes"] = array(std::move(nodes));
    found["seconds"] = array(std::move(seconds));
    if (with_features) {
        found["sides"] = array(std::move(sides));
        found["noted_scores"] = array(std::move(noted_scores));
        found["ended"] = array(std::move(ended));
        found["exact"] = array(std::move(exact));
        found["feature_starts"] = array(std::move(feature_starts));
        found["feature_indices"] = array(std::move(feature_indices));
        found["feature_values"] = array(std::move(feature_values));
    }
    return found;
}

nb::object run(BoundPlay& self, nb::list given) {
    std::vector<GameTask> tasks;
    for (nb::handle each : given) {
        const auto& position = nb::cast<const BoundPosition&>(each[0]);
        if (position.pool != self.pool) throw nb::value_error("a position is of another game");
        tasks.push_back({position.position->clone(), nb::cast<int>(each[1]), nb::cast<std::uint64_t>(each[2])});
    }
    std::unique_ptr<Players> players = self.take_players();
    bool failed = false;
    std::vector<PlayedGame> games;
    const auto play = [&](const std::function<bool()>& asked) {
        for (const GameTask& task : tasks) {
            games.push_back(players->play(task, self.stop, asked));
            if (games.back().stopped) return;
        }
    };
    if (self.pool->calls_python()) {
        play([&failed] { return failed = failed || PyErr_CheckSignals() != 0; });
    } else {
        nb::gil_scoped_release release;
        play({});
    }
    self.idle.push_back(std::move(players));
    if (failed) nb::raise_python_error();
    if (!games.empty() && games.back().stopped) return nb::none();
    return report(*self.pool, games, self.settings.noted != Noted::nothing);
}

}  // namespace

void bind_plays(nb::module_& module) {
    nb::class_<BoundPlay>(module, "Play", "Plays whole games between two players, each game from empty tables.")
        .def(
            "__init__",
            [](BoundPlay* self, nb::object game, nb::list players, nb::dict adjudication, bool fresh, bool ends_by_path,
               bool ends_by_counters, std::string_view noted, const std::vector<std::string>& sets) {
                const MovePool* pool = nb::isinstance<nb::str>(game) ? native_pool(nb::cast<std::string>(game))
                                                                     : nb::cast<const MovePool*>(game);
                if (!pool) throw nb::key_error(nb::cast<std::string>(game).c_str());
                PlaySettings settings;
                settings.is_self_play = players.size() == 1;
                if (players.size() < 1 || players.size() > 2) throw nb::value_error("one or two players");
                for (std::size_t i = 0; i < players.size(); ++i)
                    settings.players[i] = read_player(pool->info(), players[i]);
                settings.adjudication = read_adjudication(pool->info(), adjudication);
                settings.is_fresh = fresh;
                settings.ends_by_path = ends_by_path;
                settings.ends_by_counters = ends_by_counters;
                settings.noted = noted == "principal" ? Noted::principal
                                 : noted == "game"    ? Noted::game
                                                      : Noted::nothing;
                for (const std::string& set : sets) settings.sets.push_back(set_number(pool->info(), set));
                new (self) BoundPlay{pool, std::move(settings)};
            },
            "game"_a, nb::kw_only(), "players"_a, "adjudication"_a, "fresh"_a = false, "ends_by_path"_a = true,
            "ends_by_counters"_a = true, "noted"_a = "nothing", "sets"_a = std::vector<std::string>{},
            nb::sig("def __init__(self, game: str | AnyGame, *, players: list[dict[str, typing.Any] | None], "
                    "adjudication: dict[str, typing.Any], fresh: bool = False, ends_by_path: bool = True, "
                    "ends_by_counters: bool = True, noted: str = 'nothing', sets: list[str] = ...) -> None"))
        .def("run", &run, "tasks"_a,
             nb::sig("def run(self, tasks: list[tuple[Position, int, int]]) -> dict[str, typing.Any] | None"),
             "Plays (position, player of the first side, seed) tasks; None where stop() was called before the end.")
        .def("stop", [](BoundPlay& self) { self.stop = true; }, "Ends the games in play, from any thread.");
}

}  // namespace plypilot::bind
