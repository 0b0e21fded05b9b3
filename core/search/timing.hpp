// How long a move is thought about: what it may spend of its player's bank, and after each iteration whether another
// one is worth beginning. Whatever a rule or a policy says, no search may spend more than the bank holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy.hpp"

namespace plypilot {

/// What a search does after an iteration.
struct Verdict {
    bool goes_on = true;
    Limits limits;  // in force from now on
};

/// The decision of a pilot's timing part. Made once a searcher; what one search must remember is in its thought, so
/// that threads and games may share it.
class Timing {
  public:
    /// Throws std::invalid_argument where a policy cannot be used.
    explicit Timing(const TimingSettings& settings = {}) : settings_(settings) {
        if (settings.policy) policy_.emplace(*settings.policy, "timing.policy");
        if (settings.rule == Rule::learned && !policy_)
            throw std::invalid_argument("timing: the rule is learned, but there is no policy");
    }

    /// Before a search: its limits, none of them wider than the fixed ones that it has anyway.
    Limits limits(const Funds& funds, Limits fixed) const {
        const Allowance allowed = funds.unit == Funds::Unit::nodes ? nodes_of(funds) : seconds_of(funds);
        if (funds.unit == Funds::Unit::nodes) {
            const auto nodes = static_cast<std::uint64_t>(std::max(allowed.hard, 1.0));
            fixed.nodes = fixed.nodes ? std::min(fixed.nodes, nodes) : nodes;
            fixed.soft_nodes = static_cast<std::uint64_t>(allowed.soft);
            return fixed;
        }
        fixed.soft_seconds = allowed.soft;
        const double hard = std::max(allowed.hard, least_seconds);
        fixed.seconds = fixed.seconds > 0 ? std::min(fixed.seconds, hard) : hard;
        return fixed;
    }
    /// Whether it looks at the position and the legal moves of a search.
    bool looks() const { return settings_.rule == Rule::simple || settings_.rule == Rule::learned; }
    /// Where a search begins.
    template <class Position>
    void begin(const Position& position, Thought& thought) const {
        if (settings_.rule != Rule::learned) return;
        policy_->begin(position, thought);
        if (thought.funds && policy_->asked() == Policy::Asked::before) policy_->choose_depth(thought);
    }
    /// After an iteration: whether to begin another, and within what.
    Verdict after_iteration(Thought& thought, const IterationFacts& facts) const {
        Verdict verdict{!is_late(thought, facts), facts.limits};
        if (!thought.funds || !verdict.goes_on) return verdict;
        switch (settings_.rule) {
            case Rule::fixed: break;
            case Rule::simple: verdict.goes_on = !is_decided(facts); break;
            case Rule::crafty: {
                // As much as there is while the score is significantly worse, else what a move gets.
                const double limit = facts.score <= facts.last_score - settings_.worse_by ? most_of(*thought.funds)
                                                                                          : crafty_of(*thought.funds);
                verdict.goes_on = facts.spent.in(thought.funds->unit) < limit;
                set_hard(*thought.funds, limit, thought.fixed, verdict.limits);
                break;
            }
            case Rule::depth: verdict.goes_on = facts.depth < settings_.depth; break;
            case Rule::oracle: verdict.goes_on = facts.depth <= settings_.depth; break;
            case Rule::learned: verdict.goes_on = !is_decided(facts) && policy_->goes_on(thought, facts); break;
        }
        return verdict;
    }
    /// What a search costs its player, who has seen these iterations and found this move. A player with an oracle knew
    /// where a ply more would change nothing.
    template <class Iterations>
    Spent cost(const Iterations& iterations, Move move, Spent spent) const {
        if (settings_.rule != Rule::oracle) return spent;
        for (const auto& iteration : iterations) {
            if (iteration.depth == settings_.depth && iteration.move() == move)
                return {iteration.nodes.all, iteration.seconds};
        }
        return spent;
    }

  private:
    using Rule = TimingSettings::Rule;

    /// In the unit of a bank: when no iteration is begun (0: it does not matter), and when the search ends.
    struct Allowance {
        double soft = 0, hard = 0;
    };

    static constexpr double move_margin = 0.05;    // the part of the margin that a move costs outside the search
    static constexpr double least_seconds = 1e-5;  // of an empty bank: no time at all would be no limit
    static constexpr double crafty_moves = 35;     // the bank's share of a move (Kocsis 5.3.3)

    Allowance nodes_of(const Funds& funds) const {
        const double most = funds.left + funds.byoyomi, share = share_of(funds, funds.left);
        switch (settings_.rule) {
            case Rule::fixed: return {0, std::min(share, most)};
            case Rule::simple: return allowance_of(funds, share, most);
            case Rule::crafty: return {0, crafty_of(funds)};
            default: return {0, most_of(funds)};
        }
    }
    Allowance seconds_of(const Funds& funds) const {
        const double usable = usable_of(funds);
        if (settings_.rule == Rule::crafty) return {0, crafty_of(funds)};
        if (settings_.rule != Rule::fixed && settings_.rule != Rule::simple) return {0, most_of(funds)};
        const double margin = margin_of(funds);
        const double share = without(toll_of(funds), share_of(funds, without(margin, funds.left)));
        return allowance_of(funds, share, usable);
    }
    /// Of a share: a search that takes more than it leaves something to the moves after it.
    Allowance allowance_of(const Funds& funds, double share, double usable) const {
        double soft = std::min(share, usable) * settings_.soft_share;
        // What a move leaves of its byoyomi is lost.
        if (funds.byoyomi > 0) soft = std::max(soft, std::min(funds.byoyomi, usable));
        const double most = std::max(funds.left * settings_.most_share + funds.byoyomi, share);
        return {soft, std::min({share * settings_.hard_share, most, usable})};
    }
    /// What a move gets of what is left.
    double share_of(const Funds& funds, double left) const {
        const int moves = funds.moves_to_go > 0 ? funds.moves_to_go : settings_.moves_to_go;
        return left / moves + funds.increment * settings_.increment_share + funds.byoyomi;
    }
    /// The two limits of CRAFTY-TA.
    double crafty_of(const Funds& funds) const {
        const double moves = funds.moves_to_go > 0 ? funds.moves_to_go : crafty_moves;
        return std::min(funds.increment + funds.left / moves + funds.byoyomi, spare_of(funds));
    }
    double most_of(const Funds& funds) const {
        return std::min(std::max(funds.left * settings_.most_share + funds.byoyomi, longest_of(funds)),
                        spare_of(funds));
    }
    /// What a move can use up without losing the game by it.
    double usable_of(const Funds& funds) const { return without(margin_of(funds), funds.left + funds.byoyomi); }
    /// The same for rules that would use up all of that: near the margin, which is for what happens once in a while,
    /// a move gets no more than by the usual share, so that the next ones can be late too.
    double spare_of(const Funds& funds) const {
        const double usable = usable_of(funds);
        if (funds.unit == Funds::Unit::nodes || funds.byoyomi > 0) return usable;
        return std::min(usable, std::max(funds.left - 2 * margin_of(funds), longest_of(funds)));
    }
    /// Where a search ends that takes its usual share.
    double longest_of(const Funds& funds) const {
        const double margin = margin_of(funds);
        return without(toll_of(funds), share_of(funds, without(margin, funds.left))) * settings_.hard_share;
    }
    /// What a move leaves of its share for what it costs outside the search: all of that near the margin. Further away
    /// less and less, since what is lost there is seen on the clock in time.
    double toll_of(const Funds& funds) const {
        const double margin = margin_of(funds);
        return margin * move_margin * std::min(2 * margin / std::max(funds.left, 1e-9), 1.0);
    }
    double margin_of(const Funds& funds) const {
        return funds.unit == Funds::Unit::nodes ? 0 : settings_.margin_ms / 1000.0;
    }
    /// A time with a margin kept back, or most of the time: a tenth of it can always be used.
    static double without(double margin, double time) { return std::max(time - margin, time / 10); }

    /// An iteration that begins late would hardly end.
    bool is_late(const Thought& thought, const IterationFacts& facts) const {
        double share = 1;
        if (thought.funds && settings_.rule == Rule::simple) share = interest(facts);
        if (thought.funds && thought.funds->byoyomi > 0) share = std::max(share, 1.0);
        const Limits& limits = facts.limits;
        return (limits.soft_seconds > 0 && facts.spent.seconds >= limits.soft_seconds * share) ||
               (limits.soft_nodes > 0 &&
                static_cast<double>(facts.spent.nodes) >= static_cast<double>(limits.soft_nodes) * share);
    }
    /// How much longer than usual a move is worth thinking about, by the simple rule.
    double interest(const IterationFacts& facts) const {
        const int drop = facts.last_score - facts.score;
        double share = 1;
        if (drop > 0)
            share += (settings_.worse_share - 1) *
                     std::min(static_cast<double>(drop) / std::max(settings_.worse_by, 1), 1.0);
        if (facts.is_new_move) share *= settings_.new_move_share;
        if (facts.settled >= settings_.settled_iterations && drop < settings_.worse_by)
            share *= settings_.settled_share;
        return share;
    }
    /// Nothing is left to find: there is but one move, or the end of the game has been seen.
    static bool is_decided(const IterationFacts& facts) {
        if (facts.choices == 1) return true;
        return (is_win(facts.score) || is_loss(facts.score)) && win_score - std::abs(facts.score) <= facts.depth;
    }
    /// Ends the search elsewhere, within what it was given.
    static void set_hard(const Funds& funds, double limit, const Limits& fixed, Limits& limits) {
        if (funds.unit == Funds::Unit::nodes) {
            limits.nodes = static_cast<std::uint64_t>(std::max(limit, 1.0));
            if (fixed.nodes) limits.nodes = std::min(limits.nodes, fixed.nodes);
        } else {
            limits.seconds = std::max(limit, least_seconds);
            if (fixed.seconds > 0) limits.seconds = std::min(limits.seconds, fixed.seconds);
        }
    }

    TimingSettings settings_;
    std::optional<Policy> policy_;
};

}  // namespace plypilot
