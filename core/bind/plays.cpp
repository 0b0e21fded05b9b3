// Whole games: players and tasks in, arrays out. And what the umpire shares with them: banks, adjudication, chance.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "field_reader.hpp"
#include "moves.hpp"
#include "play/chance.hpp"
#include "play/play.hpp"
#include "record.hpp"

namespace plypilot::bind {

namespace {

using namespace nb::literals;

struct FeaturesRecord {
    Array<std::uint8_t> sides;
    Array<std::int32_t> scores;
    Array<std::uint8_t> ended, exact;
    Array<std::int64_t> starts;
    Array<std::int32_t> indices;
    Array<float> values;

    static constexpr auto fields() {
        using Self = FeaturesRecord;
        return std::tuple(
            Field<&Self::sides>{"(plies,) Who is to move in the noted position: 0 the first side, 1 the second."},
            Field<&Self::scores>{"(plies,) The static score of the noted position, from the view of the side to move "
                                 "there; 0 of random movers."},
            Field<&Self::ended>{"(plies,) 1 where the noted position ends the game."},
            Field<&Self::exact>{"(plies,) 1 where its static score is the score of the search: the position that was "
                                "judged. A principal variation that was cut short by the table mostly ends elsewhere."},
            Field<&Self::starts>{"(plies + 1,) Where the features of each ply begin."},
            Field<&Self::indices>{"The features that are not 0, counted through all sets asked for."},
            Field<&Self::values>{"Their values."});
    }
};

struct DecisionsRecord {
    Array<std::int32_t> early_scores;
    Array<std::int64_t> plies, starts;
    Array<std::int32_t> indices;
    Array<float> values;
    Array<std::int64_t> chosen;

    static constexpr auto fields() {
        using Self = DecisionsRecord;
        return std::tuple(
            Field<&Self::early_scores>{"(plies,) The score of the last iteration that was not deeper than asked for, "
                                       "from the mover's view."},
            Field<&Self::plies>{"(decisions,) The ply of each decision."},
            Field<&Self::starts>{"(decisions + 1,) Where the inputs of each decision begin."},
            Field<&Self::indices>{"The inputs that are not 0."}, Field<&Self::values>{"Their values."},
            Field<&Self::chosen>{"(decisions,) What was decided: the output of a policy that is asked before a search, "
                                 "and 1 to go on or 0 to stop after an iteration."});
    }
};

struct GamesRecord {
    nb::typed<nb::list, std::optional<int>> winners;
    nb::typed<nb::list, nb::str> causes;
    nb::typed<nb::list, nb::int_> turns;
    nb::typed<nb::list, nb::str> moves;
    Array<std::int64_t> starts;
    Array<std::uint8_t> movers;
    Array<std::int32_t> scores;
    Array<std::uint8_t> told;
    Array<std::int32_t> depths;
    Array<std::int64_t> nodes;
    Array<float> seconds;
    std::optional<nb::typed<nb::object, FeaturesRecord>> features;
    std::optional<nb::typed<nb::object, DecisionsRecord>> decisions;

    static constexpr auto fields() {
        using Self = GamesRecord;
        return std::tuple(
            Field<&Self::winners>{"0 the first side, 1 the second, None a draw."},
            Field<&Self::causes>{"What ended each game, in a word or two."},
            Field<&Self::turns>{"The side that moved first in each game, after its opening."},
            Field<&Self::moves>{"The moves of each game after its opening, with spaces between."},
            Field<&Self::starts>{"(games + 1,) Where the plies of each game begin."},
            Field<&Self::movers>{"(plies,) Who moved: 0 the first side, 1 the second."},
            Field<&Self::scores>{"(plies,) From the mover's view."},
            Field<&Self::told>{
                "(plies,) 1 where the score is what the player said of its move; a random mover says nothing."},
            Field<&Self::depths>{"(plies,) The last completed depth; 0 for a random move."},
            Field<&Self::nodes>{"(plies,) Moves made by the search."},
            Field<&Self::seconds>{"(plies,) From the moment that the player was asked to its answer."},
            Field<&Self::features>{"What learners read of each ply, where it was noted."},
            Field<&Self::decisions>{"What policies decided, where it was noted."});
    }
};

/// The sizes of chunks, which are too long to show.
std::string described(const FeaturesRecord& features, const char* name) {
    return std::string(name) + "(plies=" + std::to_string(features.sides.view().size()) +
           ", values=" + std::to_string(features.values.view().size()) + ")";
}
std::string described(const DecisionsRecord& decisions, const char* name) {
    return std::string(name) + "(decisions=" + std::to_string(decisions.chosen.view().size()) + ")";
}
std::string described(const GamesRecord& games, const char* name) {
    return std::string(name) + "(games=" + std::to_string(games.winners.size()) +
           ", plies=" + std::to_string(games.scores.view().size()) +
           ", features=" + (games.features ? nb::repr(*games.features).c_str() : "None") +
           ", decisions=" + (games.decisions ? nb::repr(*games.decisions).c_str() : "None") + ")";
}

struct BoundPlay {
    const MovePool* pool;
    PlaySettings settings;
    std::atomic<bool> stop{false};
    /// The players of one thread.
    struct Seated {
        std::unique_ptr<Players> players;
        int seating = 0;  // they are those of this one
    };
    // The GIL guards what follows. Players change only while no games are played.
    int seating = 0;  // counts how often players were changed
    int runs = 0;     // under way
    std::vector<Seated> idle;

    Seated take_players() {
        if (idle.empty()) return {};
        Seated taken = std::move(idle.back());
        idle.pop_back();
        return taken;
    }
    /// Makes them those that the settings have. It takes as long as some searches: of native games without the GIL.
    void make_ready(Seated& seated) const {
        if (!seated.players) {
            const auto make_searcher = [this](SearchSettings search, EvaluationSettings evaluation) {
                return pool->searcher(std::move(search), std::move(evaluation));
            };
            seated.players = std::make_unique<Players>(settings, make_searcher);
        } else if (seated.seating != seating) {
            seated.players->seat();
        }
        seated.seating = seating;
    }
};

/// Counts a run while it is under way.
class RunCount {
  public:
    explicit RunCount(int& runs) : runs_(runs) { ++runs_; }
    ~RunCount() { --runs_; }
    RunCount(const RunCount&) = delete;

  private:
    int& runs_;
};

/// The adjudication of one game that is played elsewhere.
struct BoundAdjudicator {
    const MovePool* pool;
    Adjudication rule;
    std::unique_ptr<AnySearcher> referee;
    Adjudicator adjudicator;

    BoundAdjudicator(const MovePool* game, Adjudication given)
        : pool(game),
          rule(std::move(given)),
          referee(rule.at_length == Adjudication::AtLength::referee ? game->searcher({}, rule.referee.value())
                                                                    : nullptr),
          adjudicator(rule, referee.get()) {}
};

/// A player that is not given moves at random.
PlayerSettings read_player(const GameInfo& info, nb::handle given) {
    PlayerSettings player;
    if (given.is_none()) {
        player.moves = Moves::random;
        return player;
    }
    player = FieldReader(&info).read<PlayerSettings>(given, "player");
    if (!player.limits.depth && !player.limits.nodes && player.limits.seconds <= 0 && !player.bank)
        throw nb::value_error("a player has no limit");
    return player;
}

/// Those of both sides, or the one that has both.
std::array<PlayerSettings, 2> read_players(const GameInfo& info, nb::list given) {
    if (given.size() < 1 || given.size() > 2) throw nb::value_error("one or two players");
    std::array<PlayerSettings, 2> players;
    for (std::size_t i = 0; i < given.size(); ++i) players[i] = read_player(info, given[i]);
    return players;
}

Adjudication read_adjudication(const GameInfo& info, nb::handle given) {
    auto rule = FieldReader(&info).read<Adjudication>(given, "adjudication");
    if (rule.at_length == Adjudication::AtLength::referee && !rule.referee)
        throw nb::value_error("adjudication.referee is missing");
    return rule;
}

/// What policies decided at the plies of games, one after the other.
DecisionsRecord report_decisions(const std::vector<PlayedGame>& games) {
    std::vector<std::int32_t> early_scores, indices;
    std::vector<std::int64_t> plies, starts{0}, chosen;
    std::vector<float> values;
    for (const PlayedGame& game : games) {
        for (const PlayedPly& ply : game.plies) {
            for (const PolicyDecision& decision : ply.decisions) {
                plies.push_back(static_cast<std::int64_t>(early_scores.size()));
                chosen.push_back(decision.chosen);
                indices.insert(indices.end(), decision.indices.begin(), decision.indices.end());
                values.insert(values.end(), decision.values.begin(), decision.values.end());
                starts.push_back(static_cast<std::int64_t>(indices.size()));
            }
            early_scores.push_back(ply.early_score);
        }
    }
    return {
        .early_scores = Array(std::move(early_scores)),
        .plies = Array(std::move(plies)),
        .starts = Array(std::move(starts)),
        .indices = Array(std::move(indices)),
        .values = Array(std::move(values)),
        .chosen = Array(std::move(chosen)),
    };
}

/// Games as arrays. Those of a game's plies lie between starts[game] and starts[game + 1].
GamesRecord report(const MovePool& pool, const std::vector<GameTask>& tasks, const std::vector<PlayedGame>& games,
                   bool with_features, bool with_decisions) {
    GamesRecord record;
    if (with_decisions) record.decisions = nb::cast(report_decisions(games));
    std::vector<std::int64_t> starts{0}, nodes, feature_starts{0};
    std::vector<std::int32_t> scores, depths, noted_scores, feature_indices;
    std::vector<float> seconds, feature_values;
    std::vector<std::uint8_t> movers, told, sides, ended, exact;
    for (const PlayedGame& game : games) {
        if (game.winner) {
            record.winners.append(static_cast<int>(*game.winner));
        } else {
            record.winners.append(nb::none());
        }
        record.causes.append(game.cause);
        std::string moves;
        for (const PlayedPly& ply : game.plies) {
            if (!moves.empty()) moves += ' ';
            moves += pool.text(ply.move);
            movers.push_back(ply.side);
            scores.push_back(ply.score);
            told.push_back(ply.is_told);
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
        record.moves.append(moves);
        starts.push_back(static_cast<std::int64_t>(scores.size()));
    }
    for (const GameTask& task : tasks) record.turns.append(static_cast<int>(task.start->side()));
    record.starts = Array(std::move(starts));
    record.movers = Array(std::move(movers));
    record.scores = Array(std::move(scores));
    record.told = Array(std::move(told));
    record.depths = Array(std::move(depths));
    record.nodes = Array(std::move(nodes));
    record.seconds = Array(std::move(seconds));
    if (with_features) {
        record.features = nb::cast(FeaturesRecord{
            .sides = Array(std::move(sides)),
            .scores = Array(std::move(noted_scores)),
            .ended = Array(std::move(ended)),
            .exact = Array(std::move(exact)),
            .starts = Array(std::move(feature_starts)),
            .indices = Array(std::move(feature_indices)),
            .values = Array(std::move(feature_values)),
        });
    }
    return record;
}

std::optional<GamesRecord> run(BoundPlay& self, nb::list given) {
    std::vector<GameTask> tasks;
    for (nb::handle task : given) {
        const auto& position = nb::cast<const BoundPosition&>(task[0]);
        if (position.pool != self.pool) throw nb::value_error("a position is of another game");
        tasks.push_back({position.position->clone(), nb::cast<int>(task[1]), nb::cast<std::uint64_t>(task[2])});
    }
    const RunCount count(self.runs);
    BoundPlay::Seated seated = self.take_players();
    bool failed = false;
    std::vector<PlayedGame> games;
    const auto play = [&](const std::function<bool()>& asked) {
        self.make_ready(seated);
        for (const GameTask& task : tasks) {
            games.push_back(seated.players->play(task, self.stop, asked));
            if (games.back().stopped) return;
        }
    };
    if (self.pool->calls_python()) {
        play([&failed] { return failed = failed || PyErr_CheckSignals() != 0; });
    } else {
        nb::gil_scoped_release release;
        play({});
    }
    self.idle.push_back(std::move(seated));
    if (failed) nb::raise_python_error();
    if (!games.empty() && games.back().stopped) return std::nullopt;
    return report(*self.pool, tasks, games, self.settings.noted != Noted::nothing, self.settings.early_depth > 0);
}

}  // namespace

void bind_plays(nb::module_& module) {
    bind_record<FeaturesRecord>(
        module, "Features",
        "What learners read of each ply: the features of one position, from the view of the side to move there.\n\n"
        "Ply i has the values ``values[starts[i]:starts[i + 1]]`` of the features ``indices[starts[i]:starts[i + "
        "1]]``.",
        &described);
    bind_record<DecisionsRecord>(
        module, "Decisions",
        "What policies decided at the plies of games, and what they saw.\n\n"
        "Decision i saw ``values[starts[i]:starts[i + 1]]`` at the inputs ``indices[starts[i]:starts[i + 1]]``.",
        &described);
    bind_record<GamesRecord>(module, "Games",
                             "A chunk of games as arrays. The plies of game i are ``starts[i]`` to ``starts[i + 1]``.",
                             &described)
        .def(nb::init<const GamesRecord&>(), "games"_a)
        .def("__len__", [](const GamesRecord& self) { return self.winners.size(); });

    nb::class_<BoundPlay>(module, "Play", "Plays whole games between two players, each game from empty tables.")
        .def(
            "__init__",
            [](BoundPlay* self, nb::object game, nb::list players, nb::dict adjudication, bool fresh, bool ends_by_path,
               bool ends_by_counters, std::string_view noted, const std::vector<std::string>& sets, int early_depth) {
                const MovePool* pool = find_pool(game);
                PlaySettings settings;
                settings.is_self_play = players.size() == 1;
                settings.players = read_players(pool->info(), players);
                settings.adjudication = read_adjudication(pool->info(), adjudication);
                settings.is_fresh = fresh;
                settings.ends_by_path = ends_by_path;
                settings.ends_by_counters = ends_by_counters;
                settings.noted = read_word<Noted>(noted, "noted");
                for (const std::string& set : sets) settings.sets.push_back(set_number(pool->info(), set));
                settings.early_depth = early_depth;
                new (self) BoundPlay{pool, std::move(settings)};
            },
            "game"_a, nb::kw_only(), "players"_a, "adjudication"_a, "fresh"_a = false, "ends_by_path"_a = true,
            "ends_by_counters"_a = true, "noted"_a = "nothing", "sets"_a = std::vector<std::string>{},
            "early_depth"_a = 0,
            nb::sig("def __init__(self, game: str | AnyGame, *, players: list[dict[str, typing.Any] | None], "
                    "adjudication: dict[str, typing.Any], fresh: bool = False, ends_by_path: bool = True, "
                    "ends_by_counters: bool = True, noted: str = 'nothing', sets: list[str] = ..., "
                    "early_depth: int = 0) -> None"))
        .def(
            "seat",
            [](BoundPlay& self, nb::list players) {
                if (self.runs) throw nb::value_error("seat: games are being played; change players between runs");
                if (self.settings.is_self_play != (players.size() == 1))
                    throw nb::value_error("seat: expected as many players as before");
                self.settings.players = read_players(self.pool->info(), players);
                ++self.seating;
            },
            "players"_a, nb::sig("def seat(self, players: list[dict[str, typing.Any] | None]) -> None"),
            "Other players from now on, who play as in a new Play but use the memory of those before.")
        .def("run", &run, "tasks"_a, nb::sig("def run(self, tasks: list[tuple[Position, int, int]]) -> Games | None"),
             "Plays (position, player of the first side, seed) tasks; None where stop() was called before the end.")
        .def("stop", [](BoundPlay& self) { self.stop = true; }, "Ends the games in play, from any thread.");

    nb::class_<Bank>(module, "Bank", "What a side of a game has left to think with, in nodes or seconds.")
        .def(
            "__init__", [](Bank* self, nb::dict funds) { new (self) Bank(FieldReader().read<Funds>(funds, "funds")); },
            "funds"_a, nb::sig("def __init__(self, funds: dict[str, typing.Any]) -> None"))
        .def_prop_ro("left", [](const Bank& self) { return self.funds().left; })
        .def_prop_ro("moves_to_go", [](const Bank& self) { return self.funds().moves_to_go; })
        .def("spend", &Bank::spend, "nodes"_a, "seconds"_a,
             "Takes what a move spent. The fault, where that was more than there is.");

    nb::class_<BoundAdjudicator>(module, "Adjudicator", "Ends a game by what its players say of it.")
        .def(
            "__init__",
            [](BoundAdjudicator* self, nb::object game, nb::dict rule) {
                const MovePool* pool = find_pool(game);
                new (self) BoundAdjudicator(pool, read_adjudication(pool->info(), rule));
            },
            "game"_a, "rule"_a, nb::sig("def __init__(self, game: str | AnyGame, rule: dict[str, typing.Any]) -> None"))
        .def(
            "note",
            [](BoundAdjudicator& self, int side, std::optional<int> score) {
                self.adjudicator.note(side == 0 ? first : second, score);
            },
            "side"_a, "score"_a.none(), "A side has moved, and said what that is worth from its own view, or nothing.")
        .def(
            "ending",
            [](const BoundAdjudicator& self, const BoundPosition& position, nb::object judge) -> nb::object {
                if (position.pool != self.pool) throw nb::value_error("the position is of another game");
                const auto said = [&](Side side) {
                    return nb::cast<std::optional<Score>>(judge(static_cast<int>(side)));
                };
                const auto ending = self.adjudicator.ending(*position.position, said);
                if (!ending) return nb::none();
                const nb::object winner =
                    ending->winner ? nb::object(nb::int_(static_cast<int>(*ending->winner))) : nb::object(nb::none());
                return nb::make_tuple(winner, std::string(ending->reason));
            },
            "position"_a, "judge"_a,
            nb::sig("def ending(self, position: Position, judge: collections.abc.Callable[[int], int | None]) -> "
                    "tuple[int | None, str] | None"),
            "The winner and the cause, if the game ends here. `judge` tells what a side's evaluation says.");

    nb::class_<Chance>(module, "Chance", "Choices that a seed decides, each as likely as any other.")
        .def(nb::init<std::uint64_t>(), "seed"_a)
        .def("choose", &Chance::choose, "count"_a, "A number from 0 on below a count.");

    module.def("player_seed", &player_seed, "game_seed"_a, "player"_a,
               "The seed of a player, 0 or 1, in the game that has this seed.");
}

}  // namespace plypilot::bind
