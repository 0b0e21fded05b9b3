// Whole games between two players, one after the other on the calling thread. Each game begins with empty tables, so
// that its moves depend on its task alone, whoever plays it and in which order.
#pragma once

#include <functional>
#include <string>

#include "adjudicator.hpp"
#include "bank.hpp"

namespace plypilot {

/// How moves are chosen: by search; by quiescence search alone, which leaves what it would not improve on to chance; or
/// all by chance, each legal move as likely.
enum class Moves : std::uint8_t { searched, quiesced, random };

/// What chooses the moves of one side.
struct PlayerSettings {
    Moves moves = Moves::searched;
    SearchSettings search;
    EvaluationSettings evaluation;
    Limits limits;              // of each move
    std::optional<Funds> bank;  // of each game: the timing decides what a move gets of it
    TimingSettings timing;

    static constexpr auto fields() {
        return field_list<&PlayerSettings::moves, &PlayerSettings::search, &PlayerSettings::evaluation,
                          &PlayerSettings::limits, &PlayerSettings::bank, &PlayerSettings::timing>();
    }
};

/// One game to play.
struct GameTask {
    std::unique_ptr<AnyPosition> start;  // after the opening
    int first_player = 0;                // the player (0 or 1) who has the first side, such as White in chess
    std::uint64_t seed = 0;
};

/// Which position of each move a learner wants the features of.
enum class Noted : std::uint8_t { nothing, game, principal };

/// One move of a game and what its player said of it.
struct PlayedPly {
    Side side = first;  // who made it
    Move move;
    Score score = 0;       // from the mover's view
    bool is_told = false;  // the score is what the player said of its move: a random mover says nothing
    int depth = 0;         // completed; 0 for a random move
    std::uint64_t nodes = 0;
    double seconds = 0;            // from the moment that the player was asked to its answer
    Side noted_side = first;       // who is to move in the noted position
    Score noted_score = 0;         // its static score, from the view of that side
    bool is_ended = false;         // the noted position ends the game
    bool is_exact = false;         // its static score is the score of the search, but for noise: it is what was judged
    std::size_t features_end = 0;  // of the noted position, in the features of the game
    Score early_score = 0;         // of the last iteration that was not deeper than asked for
    std::vector<PolicyDecision> decisions;  // of policies
};

struct PlayedGame {
    std::optional<Side> winner;
    std::string cause;
    std::vector<PlayedPly> plies;
    // Of the noted positions, one after the other, each from the view of the side to move there.
    std::vector<std::int32_t> feature_indices;
    std::vector<float> feature_values;
    bool stopped = false;  // from outside, before its end
};

/// What games share.
struct PlaySettings {
    std::array<PlayerSettings, 2> players;
    bool is_self_play = false;  // the first player has both sides, and one table
    bool is_fresh = false;      // empty tables and new chance at each move, not only at each game
    bool ends_by_path = true;  // repetition and counters end games; if not, the players reckon with no such ends either
    bool ends_by_counters = true;  // the same of counters alone, such as chess's fifty moves
    Adjudication adjudication;
    Noted noted = Noted::nothing;
    std::vector<int> sets;  // feature sets, one after the other
    int early_depth = 0;    // of the iterations whose scores are told beside what policies decide; 0: neither is
};

using MakeSearcher = std::function<std::unique_ptr<AnySearcher>(SearchSettings, EvaluationSettings)>;

/// Both players and the referee, for one game at a time. Their searchers are costly to make: they are kept, and emptied
/// for each game.
class Players {
  public:
    /// The settings outlive the players.
    Players(const PlaySettings& settings, MakeSearcher make_searcher);

    /// Makes the players ready that the settings have now, with the searchers of those before where there are any. All
    /// else in the settings must not have changed.
    void seat();
    /// Plays one game to its end. `stop` ends it early.
    PlayedGame play(const GameTask& task, const std::atomic<bool>& stop, const std::function<bool()>& poll = {});

  private:
    const PlaySettings& settings_;
    MakeSearcher make_searcher_;
    std::array<std::unique_ptr<AnySearcher>, 2> searchers_;  // of the players that search or judge
    std::array<Timing, 2> timings_;
    std::unique_ptr<AnySearcher> referee_;
};

}  // namespace plypilot
