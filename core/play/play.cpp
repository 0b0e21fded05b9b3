#include "play.hpp"

#include <bit>
#include <span>

#include "chance.hpp"

namespace plypilot {

namespace {

/// A table no larger than a game is likely to fill: emptying a large one would take longer than a game of small
/// searches. A depth is taken for 16 positions a move, and 4 times as many with each ply.
int table_size(int log2_entries, const PlayerSettings& player) {
    constexpr std::uint64_t moves = 64;
    constexpr int least = 14, most = 40;
    if (!log2_entries) return log2_entries;
    const Limits& limits = player.limits;
    int enough = most;
    if (limits.nodes) enough = static_cast<int>(std::bit_width(limits.nodes * moves));
    if (player.bank && player.bank->unit == Funds::Unit::nodes) {
        const Funds& bank = *player.bank;
        const double fillings = bank.moves_to_go ? 1 + static_cast<double>(moves) / bank.moves_to_go : 1;
        const double nodes = bank.left * fillings + (bank.increment + bank.byoyomi) * moves;
        enough = std::min(enough, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nodes))));
    }
    if (limits.depth) enough = std::min(enough, 10 + 2 * std::min(limits.depth, 8));
    return std::min(log2_entries, std::max(least, enough));
}

class GameInPlay {
  public:
    using Searchers = std::array<std::unique_ptr<AnySearcher>, 2>;

    GameInPlay(const PlaySettings& settings, const GameTask& task, const Searchers& searchers,
               const std::array<Timing, 2>& timings, const AnySearcher* referee, const std::atomic<bool>& stop,
               const std::function<bool()>& poll)
        : settings_(settings),
          task_(task),
          searchers_(searchers),
          timings_(timings),
          stop_(stop),
          poll_(poll),
          position_(task.start->clone()),
          adjudicator_(settings.adjudication, referee) {
        for (int player = 0; player < 2; ++player) {
            if (searchers_[player]) make_ready(player);
        }
        for (Side side : {first, second}) {
            const PlayerSettings& player = settings_.players[player_of(side)];
            if (player.bank) banks_[side].emplace(*player.bank);
            fixed_times_[side] = FixedTime(player.limits.seconds);
        }
    }

    PlayedGame play() {
        for (;;) {
            if (!settings_.ends_by_path) position_->forget_path();
            if (!settings_.ends_by_counters) position_->forget_counters();
            if (const auto outcome = position_->outcome()) return finish(outcome->winner, std::string(outcome->reason));
            if (const auto early = adjudicator_.ending(*position_, [&](Side side) { return judgement(side); }))
                return finish(early->winner, std::string(early->reason));
            PlayedPly ply = choose();
            if (stop_.load(std::memory_order_relaxed) || (poll_ && poll_())) {
                game_.stopped = true;
                return std::move(game_);
            }
            if (const auto fault = pay(ply))
                return finish(other(ply.side), std::string(position_->info().sides[ply.side]) + ' ' + *fault);
            adjudicator_.note(ply.side, ply.is_told ? std::optional(ply.score) : std::nullopt);
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
    void make_ready(int player) { searchers_[player]->restart(player_seed(task_.seed, player) + game_.plies.size()); }

    int player_of(Side side) const { return settings_.is_self_play ? 0 : static_cast<int>(side) ^ task_.first_player; }

    /// What the search for a move of the side to move may spend.
    Limits limits_of(Side side) const {
        const int player = player_of(side);
        Limits limits = settings_.players[player].limits;
        if (limits.seconds > 0) limits.seconds = fixed_times_[side].limit();
        return banks_[side] ? timings_[player].limits(banks_[side]->funds(), limits) : limits;
    }
    /// Takes what a move has spent from what its side has. The fault, where that was more than there is.
    std::optional<std::string> pay(const PlayedPly& ply) {
        fixed_times_[ply.side].spend(ply.seconds);
        return banks_[ply.side] ? banks_[ply.side]->spend(ply.nodes, ply.seconds) : std::nullopt;
    }

    std::optional<Score> judgement(Side side) const {
        const AnySearcher* searcher = searchers_[player_of(side)].get();
        return searcher ? std::optional(searcher->evaluate(*position_)) : std::nullopt;
    }

    PlayedPly choose() {
        PlayedPly ply;
        ply.side = position_->side();
        const int player = player_of(ply.side);
        const Moves moves = settings_.players[player].moves;
        if (moves == Moves::random) {
            ply.move = any_move(player);
            if (settings_.noted == Noted::nothing) return ply;
            ply.score = ply.noted_score = searchers_[player]->evaluate(*position_);
            note(*position_, ply);
            ply.is_exact = !ply.is_ended;
            return ply;
        }
        if (settings_.is_fresh) make_ready(player);
        AnySearcher& searcher = *searchers_[player];
        Clock clock(limits_of(ply.side), stop_, poll_, timings_[player]);
        if (banks_[ply.side]) clock.fund(banks_[ply.side]->funds(), settings_.players[player].limits);
        clock.listen(splitmix64(player_seed(task_.seed, player) + game_.plies.size()),
                     settings_.early_depth ? &ply.decisions : nullptr);
        const SearchResult result =
            moves == Moves::quiesced ? searcher.quiesce(*position_, clock) : searcher.run(*position_, clock);
        ply.move = result.move ? result.move : any_move(player);
        ply.score = result.score;
        ply.is_told = true;
        ply.depth = result.iterations.empty() ? 0 : result.iterations.back().depth;
        const Spent cost = timings_[player].cost(result.iterations, result.move, {result.nodes.all, clock.seconds()});
        ply.nodes = cost.nodes;
        ply.seconds = cost.seconds;
        ply.early_score = result.score;
        for (const Iteration& iteration : result.iterations) {
            if (iteration.depth <= settings_.early_depth) ply.early_score = iteration.score;
        }
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
        const Score judged = ply.noted_side == ply.side ? ply.noted_score : -ply.noted_score;
        ply.is_exact = !ply.is_ended && std::abs(judged - result.score) <= settings_.players[player].search.root.noise;
        for (int i = 0; i < plies; ++i) position_->pop();
        return ply;
    }

    Move any_move(int player) {
        MoveList list;
        position_->generate(list);
        return list[chances_[player].choose(list.size())];
    }

    void note(const AnyPosition& noted, PlayedPly& ply) {
        ply.noted_side = noted.side();
        ply.is_ended = noted.outcome().has_value();
        std::int32_t offset = 0;
        for (int set : settings_.sets) {
            const FeatureVector vector = noted.features(set);
            keep_nonzero(vector.values(), offset);
            offset += static_cast<std::int32_t>(vector.values().size());
        }
        ply.features_end = game_.feature_indices.size();
    }

    /// Most features are 0 in most positions: they are looked at block by block.
    void keep_nonzero(std::span<const float> values, std::int32_t offset) {
        constexpr std::size_t block_size = 16;
        while (!values.empty()) {
            const auto block = values.first(std::min(block_size, values.size()));
            bool is_zero = true;
            for (float value : block) is_zero &= value == 0;
            for (std::size_t i = 0; !is_zero && i < block.size(); ++i) {
                if (block[i] == 0) continue;
                game_.feature_indices.push_back(offset + static_cast<std::int32_t>(i));
                game_.feature_values.push_back(block[i]);
            }
            values = values.subspan(block.size());
            offset += static_cast<std::int32_t>(block.size());
        }
    }

    const PlaySettings& settings_;
    const GameTask& task_;
    const Searchers& searchers_;
    const std::array<Timing, 2>& timings_;  // of each player
    const std::atomic<bool>& stop_;
    const std::function<bool()>& poll_;
    std::unique_ptr<AnyPosition> position_;
    Adjudicator adjudicator_;
    std::array<std::optional<Bank>, 2> banks_;  // of each side
    std::array<FixedTime, 2> fixed_times_{FixedTime(0), FixedTime(0)};
    std::array<Chance, 2> chances_{Chance(player_seed(task_.seed, 0)), Chance(player_seed(task_.seed, 1))};
    PlayedGame game_;
};

}  // namespace

Players::Players(const PlaySettings& settings, MakeSearcher make_searcher)
    : settings_(settings), make_searcher_(std::move(make_searcher)) {
    seat();
    if (settings.adjudication.at_length == Adjudication::AtLength::referee)
        referee_ = make_searcher_({}, settings.adjudication.referee.value());
}

void Players::seat() {
    for (int player = 0; player < (settings_.is_self_play ? 1 : 2); ++player) {
        const PlayerSettings& chosen = settings_.players[player];
        timings_[player] = Timing(chosen.timing);
        std::unique_ptr<AnySearcher>& searcher = searchers_[player];
        const bool is_judge = settings_.adjudication.at_length == Adjudication::AtLength::agreed;
        if (chosen.moves == Moves::random && settings_.noted == Noted::nothing && !is_judge) {
            searcher.reset();
            continue;
        }
        SearchSettings search = chosen.search;
        search.table.log2_entries = table_size(search.table.log2_entries, chosen);
        if (searcher) {
            searcher->renew(std::move(search), chosen.evaluation);
        } else {
            searcher = make_searcher_(std::move(search), chosen.evaluation);
        }
    }
}

PlayedGame Players::play(const GameTask& task, const std::atomic<bool>& stop, const std::function<bool()>& poll) {
    return GameInPlay(settings_, task, searchers_, timings_, referee_.get(), stop, poll).play();
}

}  // namespace plypilot
