// How long a move is thought about: what it may spend of its player's bank, and after each iteration whether another
// one is worth beginning.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../game.hpp"
#include "score.hpp"
#include "settings.hpp"

namespace plypilot {

/// When one search must end. 0 is no limit. A search with none at all goes on until it is told to stop.
struct Limits {
    int depth = 0;            // iterations
    std::uint64_t nodes = 0;  // exact: the search ends at this node
    double seconds = 0;       // hard: the search ends
    double soft_seconds = 0;  // no new iteration is begun after this

    static constexpr auto fields() {
        return field_list<&Limits::depth, &Limits::nodes, &Limits::seconds, &Limits::soft_seconds>();
    }
};

/// What a player has for its next move and those to come.
struct Funds {
    enum class Unit : std::uint8_t { seconds, nodes };

    Unit unit = Unit::seconds;
    double left = 0;
    double increment = 0;  // that each move adds
    int moves_to_go = 0;   // until the bank is filled anew; 0: it is not
    double byoyomi = 0;    // that each move has when nothing else is left

    static constexpr auto fields() {
        return field_list<&Funds::unit, &Funds::left, &Funds::increment, &Funds::moves_to_go, &Funds::byoyomi>();
    }
};

/// All that is known where the search asks whether to go on: an iteration has been completed.
struct IterationFacts {
    int depth = 0;
    Score score = 0;
    Score last_score = 0;      // of the iteration before; that of this one at the first
    Move move;                 // the best one
    bool is_new_move = false;  // the iteration before had another one
    std::uint64_t nodes = 0;   // spent since the search began
    double seconds = 0;        // since its clock was made
    Limits limits;             // of this search; those of time count from the same moment
};

/// The decision of a pilot's timing part. Made once a searcher; it has no memory, so that threads and games may share
/// it.
class Timing {
  public:
    explicit Timing(const TimingSettings& settings = {}) : settings_(settings) {}

    /// Before a search: its limits, none of them wider than the fixed ones that it has anyway.
    Limits limits(const Funds& funds, Limits fixed) const {
        if (funds.unit == Funds::Unit::nodes) {
            const double most = funds.left + funds.byoyomi;
            const double share = std::min(share_of(funds, funds.left), most);
            const auto nodes = static_cast<std::uint64_t>(std::max(share, 1.0));
            fixed.nodes = fixed.nodes ? std::min(fixed.nodes, nodes) : nodes;
            return fixed;
        }
        const double margin = settings_.margin_ms / 1000.0;
        const double usable = without(margin, funds.left + funds.byoyomi);
        const double share = without(margin * move_margin, share_of(funds, without(margin, funds.left)));
        fixed.soft_seconds = std::min(share, usable) * settings_.soft_share;
        // What a move leaves of its byoyomi is lost.
        if (funds.byoyomi > 0) fixed.soft_seconds = std::max(fixed.soft_seconds, std::min(funds.byoyomi, usable));
        const double hard = std::max(std::min(share * settings_.hard_share, usable), least_seconds);
        fixed.seconds = fixed.seconds > 0 ? std::min(fixed.seconds, hard) : hard;
        return fixed;
    }

    /// After an iteration: whether to begin another. One that begins late would hardly end.
    bool goes_on(const IterationFacts& facts) const {
        return facts.limits.soft_seconds <= 0 || facts.seconds < facts.limits.soft_seconds;
    }

  private:
    static constexpr double move_margin = 0.05;    // the part of the margin that each move costs outside the search
    static constexpr double least_seconds = 1e-5;  // of an empty bank: no time at all would be no limit

    /// What a move gets of what is left.
    double share_of(const Funds& funds, double left) const {
        const int moves = funds.moves_to_go > 0 ? funds.moves_to_go : settings_.moves_to_go;
        return left / moves + funds.increment * settings_.increment_share + funds.byoyomi;
    }
    /// A time with a margin kept back, or most of the time: a tenth of it can always be used.
    static double without(double margin, double time) { return std::max(time - margin, time / 10); }

    TimingSettings settings_;
};

}  // namespace plypilot
