#include "play.hpp"

#include <bit>

#include "../zobrist.hpp"

namespace plypilot {

namespace {

/// A table no larger than a game is likely to fill: emptying a large one would take longer than a game of small
/// searches. A depth is taken for 16 positions a move, and 4 times as many with each ply.
int table_size(int log2_entries, const Limits& limits) {
    constexpr std::uint64_t moves = 64;
    constexpr int least = 14, most = 40;
    if (!log2_entries) return log2_entries;
    int enough = most;
    if (limits.nodes) enough = static_cast<int>(std::bit_width(limits.nodes * moves));
    if (limits.depth) enough = std::min(enough, 10 + 2 * std::min(limits.depth, 8));
    return std::min(log2_entries, std::max(least, enough));
}

/// How many of the last plies in a row both players have judged in one way.
class Agreement {
  public:
    void note(bool holds) { plies_ = holds ? plies_ + 1 : 0; }
    bool has_lasted(int plies) const { return plies > 0 && plies_ >= plies; }

  private:
    int plies_ = 0;
};

class GameInPlay {
  public:
    using Searchers = std::array<std::unique_ptr<AnySearcher>, 2>;

    GameInPlay(const PlaySettings& settings, const GameTask& task, const Searchers& searchers,
               const AnySearcher* referee, const std::atomic<bool>& stop, const std::function<bool()>& poll)
        : settings_(settings),
          task_(task),
          searchers_(searchers),
          referee_(referee),
          stop_(stop),
          poll_(poll),
          position_(task.start->clone()) {
        for (int player = 0; player < 2; ++player) {
            if (searchers_[player]) make_ready(player);
        }
    }

    PlayedGame play() {
        for (;;) {
            if (!settings_.ends_by_path) position_->forget_path();
            if (!settings_.ends_by_counters) position_->forget_counters();
            if (const auto outcome = position_->outcome()) return finish(outcome->winner, std::string(outcome->reason));
            if (const auto early = adjudicate()) return finish(early->winner, std::string(early->reason));
            PlayedPly ply = choose();
            if (stop_.load(std::memory_order_relaxed) || (poll_ && poll_())) {
                game_.stopped = true;
                return std::move(game_);
            }
            note_agreement(ply.score);
            position_->try_push(ply.move);
            game_.plies.push_back(std::move(ply));
        }
    }

  private:
    PlayedGame finish(std::optional<Side> winner, std::string cause) {
        game_.winner = winner;
        game_.cause = std::move(cause);
        return std::move(game_);
    }

    /// Gives a player empty tables, and chance of its own for this ply on.
    void make_ready(int player) {
        searchers_[player]->restart(splitmix64(task_.seed * 2 + static_cast<unsigned>(player)) + game_.plies.size());
    }

    int player_to_move() const {
        return settings_.is_self_play ? 0 : static_cast<int>(position_->side()) ^ task_.first_player;
    }

    PlayedPly choose() {
        const int player = player_to_move();
        PlayedPly ply;
        const Moves moves = settings_.players[player].moves;
        if (moves == Moves::random) {
            ply.move = any_move();
            if (settings_.noted == Noted::nothing) return ply;
            ply.score = ply.noted_score = searchers_[player]->evaluate(*position_);
            note(*position_, ply);
            ply.is_exact = !ply.is_ended;
            return ply;
        }
        if (settings_.is_fresh) make_ready(player);
        AnySearcher& searcher = *searchers_[player];
        Clock clock(settings_.players[player].limits, stop_, poll_);
        const SearchResult result =
            moves == Moves::quiesced ? searcher.quiesce(*position_, clock) : searcher.run(*position_, clock, {}, false);
        ply.move = result.move ? result.move : any_move();
        ply.score = result.score;
        ply.depth = result.iterations.empty() ? 0 : result.iterations.back().depth;
        ply.nodes = result.nodes.all;
        ply.seconds = result.seconds;
        if (settings_.noted == Noted::nothing) return ply;
        int plies = 0;
        if (settings_.noted == Noted::principal) {
            for (Move move : result.line) {
                if (!position_->try_push(move)) break;
                ++plies;
            }
        }
        note(*position_, ply);
        ply.noted_score = searcher.evaluate(*position_);
        const Score judged = plies % 2 == 0 ? ply.noted_score : -ply.noted_score;
        ply.is_exact = !ply.is_ended && std::abs(judged - result.score) <= settings_.players[player].search.root.noise;
        for (int i = 0; i < plies; ++i) position_->pop();
        return ply;
    }

    Move any_move() {
        MoveList list;
        position_->generate(list);
        random_ = splitmix64(random_ + task_.seed);
        return list[random_ % list.size()];
    }

    void note(const AnyPosition& noted, PlayedPly& ply) {
        ply.noted_side = noted.side();
        ply.is_ended = noted.outcome().has_value();
        std::int32_t offset = 0;
        for (int set : settings_.sets) {
            const FeatureVector vector = noted.features(set);
            for (std::size_t i = 0; i < vector.values().size(); ++i) {
                if (vector.values()[i] == 0) continue;
                game_.feature_indices.push_back(offset + static_cast<std::int32_t>(i));
                game_.feature_values.push_back(vector.values()[i]);
            }
            offset += static_cast<std::int32_t>(vector.values().size());
        }
        ply.features_end = game_.feature_indices.size();
    }

    /// Scores of plies in turn are of players in turn, so a run of them is what both say.
    void note_agreement(Score score) {
        const Score for_first = position_->side() == first ? score : -score;
        const Adjudication& rule = settings_.adjudication;
        wins_[first].note(rule.win_score && for_first >= rule.win_score);
        wins_[second].note(rule.win_score && for_first <= -rule.win_score);
        draws_.note(std::abs(score) <= rule.draw_score);
    }

    std::optional<Outcome> adjudicate() const {
        const Adjudication& rule = settings_.adjudication;
        const int plies = static_cast<int>(game_.plies.size());
        for (Side side : {first, second}) {
            if (wins_[side].has_lasted(rule.win_plies)) return Outcome::win(side, "agreed score");
        }
        if (plies >= rule.draw_from && draws_.has_lasted(rule.draw_plies)) return Outcome::draw("agreed draw");
        if (!rule.most_plies || plies < rule.most_plies) return std::nullopt;
        const auto ahead = leader();
        return ahead ? Outcome::win(*ahead, "ahead at the length limit") : Outcome::draw("length limit");
    }

    /// Who is ahead by the rule for long games.
    std::optional<Side> leader() const {
        const auto by = [&](const AnySearcher& searcher) -> std::optional<Side> {
            const Score score = searcher.evaluate(*position_);
            if (score == 0) return std::nullopt;
            return score > 0 ? position_->side() : other(position_->side());
        };
        switch (settings_.adjudication.at_length) {
            case Adjudication::AtLength::draw: break;
            case Adjudication::AtLength::referee: return by(*referee_);
            case Adjudication::AtLength::agreed: {
                std::optional<Side> agreed;
                for (const auto& searcher : searchers_) {
                    if (!searcher) continue;
                    const auto ahead = by(*searcher);
                    if (!ahead || (agreed && *agreed != *ahead)) return std::nullopt;
                    agreed = ahead;
                }
                return agreed;
            }
        }
        return std::nullopt;
    }

    const PlaySettings& settings_;
    const GameTask& task_;
    const Searchers& searchers_;
    const AnySearcher* referee_;
    const std::atomic<bool>& stop_;
    const std::function<bool()>& poll_;
    std::unique_ptr<AnyPosition> position_;
    std::array<Agreement, 2> wins_;
    Agreement draws_;
    std::uint64_t random_ = splitmix64(task_.seed);
    PlayedGame game_;
};

}  // namespace

Players::Players(const PlaySettings& settings, const MakeSearcher& make_searcher) : settings_(settings) {
    for (int player = 0; player < (settings.is_self_play ? 1 : 2); ++player) {
        const PlayerSettings& each = settings.players[player];
        if (each.moves == Moves::random && settings.noted == Noted::nothing) continue;
        SearchSettings search = each.search;
        search.table.log2_entries = table_size(search.table.log2_entries, each.limits);
        searchers_[player] = make_searcher(std::move(search), each.evaluation);
    }
    if (settings.adjudication.at_length == Adjudication::AtLength::referee)
        referee_ = make_searcher({}, settings.adjudication.referee);
}

PlayedGame Players::play(const GameTask& task, const std::atomic<bool>& stop, const std::function<bool()>& poll) {
    return GameInPlay(settings_, task, searchers_, referee_.get(), stop, poll).play();
}

}  // namespace plypilot
