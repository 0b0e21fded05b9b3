// Ends games that the rules let go on, by what the players say of them: the same for games that the core plays whole
// and for those with outside engines.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <optional>

#include "../any_position.hpp"
#include "../search/searcher.hpp"

namespace plypilot {

/// When a game ends that the rules let go on.
struct Adjudication {
    enum class AtLength : std::uint8_t { draw, agreed, referee };

    int most_plies = 0;                         // after the opening; 0: as long as it takes
    AtLength at_length = AtLength::draw;        // then: a draw, who both players say is ahead (Smith 5.3.4), or who the
                                                // referee's evaluation says is ahead (Smith, appendix E)
    std::optional<EvaluationSettings> referee;  // whose evaluation that is
    Score win_score = 0;  // both players see one side ahead by this, for win_plies in a row; 0: off
    int win_plies = 8;
    Score draw_score = 10;  // both see at most this either way, for draw_plies in a row; draw_plies 0: off
    int draw_plies = 0;
    int draw_from = 80;  // not before so many plies

    static constexpr auto fields() {
        return field_list<&Adjudication::most_plies, &Adjudication::at_length, &Adjudication::referee,
                          &Adjudication::win_score, &Adjudication::win_plies, &Adjudication::draw_score,
                          &Adjudication::draw_plies, &Adjudication::draw_from>();
    }
};

/// How many of the last plies in a row both players have judged in one way. One player's moves in a row are not enough,
/// however many: where the rule wants more than one ply, both sides must be among them.
class Agreement {
  public:
    void note(bool holds, Side side) {
        plies_ = holds ? plies_ + 1 : 0;
        said_by_ = holds ? said_by_ | 1u << side : 0;
    }
    bool has_lasted(int plies) const {
        return plies > 0 && plies_ >= plies && std::popcount(said_by_) >= std::min(plies, 2);
    }

  private:
    int plies_ = 0;
    unsigned said_by_ = 0;  // a bit for each side
};

/// Watches one game.
class Adjudicator {
  public:
    /// What the player of a side says of a position by its evaluation, from the view of the side to move there; nothing
    /// where it has no evaluation.
    using Judge = std::function<std::optional<Score>(Side player)>;

    /// The rule and the referee, which is there where the rule asks for it, outlive the adjudicator.
    Adjudicator(const Adjudication& rule, const AnySearcher* referee) : rule_(rule), referee_(referee) {}

    /// A side has moved, and said what that is worth, from its own view. One that moves at random says nothing, which
    /// ends all agreement.
    void note(Side side, std::optional<Score> score) {
        ++plies_;
        const auto for_first = score ? std::optional(side == first ? *score : -*score) : std::nullopt;
        last_scores_[side] = for_first;
        wins_[first].note(for_first && rule_.win_score && *for_first >= rule_.win_score, side);
        wins_[second].note(for_first && rule_.win_score && *for_first <= -rule_.win_score, side);
        draws_.note(for_first && std::abs(*for_first) <= rule_.draw_score, side);
    }

    /// How the game ends here, if it does.
    std::optional<Outcome> ending(const AnyPosition& position, const Judge& judge) const {
        for (Side side : {first, second}) {
            if (wins_[side].has_lasted(rule_.win_plies)) return Outcome::win(side, "agreed score");
        }
        if (plies_ >= rule_.draw_from && draws_.has_lasted(rule_.draw_plies)) return Outcome::draw("agreed draw");
        if (!rule_.most_plies || plies_ < rule_.most_plies) return std::nullopt;
        const auto ahead = leader(position, judge);
        return ahead ? Outcome::win(*ahead, "ahead at the length limit") : Outcome::draw("length limit");
    }

  private:
    /// Who is ahead by the rule for long games.
    std::optional<Side> leader(const AnyPosition& position, const Judge& judge) const {
        const auto for_first = [&](Score score) { return position.side() == first ? score : -score; };
        const auto better = [](Score score) -> std::optional<Side> {
            if (score == 0) return std::nullopt;
            return score > 0 ? first : second;
        };
        switch (rule_.at_length) {
            case Adjudication::AtLength::draw: return std::nullopt;
            case Adjudication::AtLength::referee: return better(for_first(referee_->evaluate(position)));
            case Adjudication::AtLength::agreed: break;
        }
        // Outside engines have no evaluation to ask: their last scores count.
        std::array<std::optional<Side>, 2> said;
        for (Side side : {first, second}) {
            if (const auto score = judge(side)) {
                said[side] = better(for_first(*score));
            } else if (last_scores_[side]) {
                said[side] = better(*last_scores_[side]);
            }
        }
        return said[first] == said[second] ? said[first] : std::nullopt;
    }

    const Adjudication& rule_;
    const AnySearcher* referee_;
    int plies_ = 0;
    std::array<Agreement, 2> wins_;  // that each side wins
    Agreement draws_;
    std::array<std::optional<Score>, 2> last_scores_;  // of each side, from the view of the first
};

}  // namespace plypilot
