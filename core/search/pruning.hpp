// What is not searched: positions that hold beta as they stand or by passing, near the leaves quiet moves that come
// late or cannot reach alpha, moves beyond the width of a node, and those behind which a function says to stop.
#pragma once

#include "events.hpp"
#include "node.hpp"
#include "policy.hpp"
#include "pruning_function.hpp"
#include "settings.hpp"
#include "widths.hpp"

namespace plypilot {

/// The decision which moves and positions are not searched, made ready from a pilot's numbers.
class Pruning {
  public:
    explicit Pruning(const PruningSettings& settings)
        : settings_(settings),
          futility_reach_(settings.futility_margin > 0 ? settings.futility_plies * ply_units : 0),
          late_reach_(settings.late_moves > 0 ? settings.late_plies * ply_units : 0),
          widths_(settings),
          function_(settings.function),
          counts_all_(settings.widths_count == PruningSettings::WidthsCount::all) {
        if (!settings.null_policy) return;
        if (settings.null_policy->asked != PolicySettings::Asked::before)
            throw std::invalid_argument("pruning.null_policy: is asked after iterations, expected before a search");
        null_policy_.emplace(*settings.null_policy, "pruning.null_policy");
    }

    /// What chooses before a search how far passing reduces the depth, if anything does, and its choice.
    const std::optional<Policy>& null_policy() const { return null_policy_; }
    void set_null_reduction(int plies) { settings_.null_reduction = plies; }

    /// Whether the static score matters for what is asked here.
    bool wants_static(const Node& node) const {
        return !node.in_check && ((settings_.null_reduction && settings_.null_if_above) ||
                                  node.depth < futility_reach_ || function_.wants_static());
    }
    /// Whether the static score is so far above the window that the depth left would not bring it down.
    bool holds_as_it_stands(const Node& node) const {
        return node.has_static && node.depth < futility_reach_ && is_prunable(node) && !is_win(node.beta) &&
               !is_loss(node.beta) && !node.excluded && node.static_score - slack(node.depth) >= node.beta;
    }
    /// Whether to try what passing would lead to. The game has its own word too.
    bool tries_passing(const Node& node) const {
        if (!settings_.null_reduction || !node.may_pass || node.excluded || node.ply == 0) return false;
        if (node.depth < settings_.null_plies * ply_units || is_win(node.beta) || is_loss(node.beta) || node.in_check)
            return false;
        return !settings_.null_if_above || node.static_score >= node.beta;
    }
    /// How much depth a null move and its reduction take.
    Depth passing_cost(const Node& node) const {
        const int reduction = settings_.null_reduction + (settings_.null_adaptive && node.depth > 6 * ply_units);
        return (1 + reduction) * ply_units;
    }
    bool passes_again() const { return settings_.null_recursive; }

    /// Whether there are widths or a function at all.
    bool limits_moves() const { return widths_.is_on() || asks_of_moves(); }
    /// How many moves of a node are searched at most.
    int width(const Node& node) const { return widths_.at(node); }
    /// Whether a move lies beyond the width of its node. A move that is extended does not, nor does any before one has
    /// shown that there is no mate.
    bool is_beyond(const Node& node, int width, const Candidate& candidate) const {
        if (width == Widths::all || !(counts_all_ || candidate.is_quiet)) return false;
        return (counts_all_ ? node.moves : node.quiets) >= width && may_leave_out(node, candidate);
    }

    /// The function that says how far to go on, and which of its checkpoints a move stands at: -1 at none.
    const PruningFunction& function() const { return function_; }
    int checkpoint(const Node& node, const Candidate& candidate) const {
        if (!asks_of_moves() || !candidate.is_quiet || !may_leave_out(node, candidate)) return -1;
        if (!may_ask(node) || (reduces() && node.depth < 2 * ply_units)) return -1;
        return function_.checkpoint(node.quiets);
    }
    /// Whether moves that the function has said no to are searched less deep, and not left out.
    bool reduces() const { return function_.is_on(PruningFunction::Decides::reducing); }
    /// Whether the moves that are left are, once it has said no so often.
    bool stops(int noes) const { return noes > 0 && !reduces(); }
    /// The checkpoint at which the function is asked how much passing takes; -1: it is not.
    int passing_checkpoint(const Node& node) const {
        return function_.is_on(PruningFunction::Decides::passing) && may_ask(node) ? function_.checkpoint(0) : -1;
    }
    /// Whether a move is one of those that the function leaves out, once it has said so.
    bool may_stop(const Node& node, const Candidate& candidate) const {
        return candidate.is_quiet && may_leave_out(node, candidate);
    }

    /// Whether a move may be reduced or skipped at all: once another one has shown that there is no mate.
    bool is_selective(const Node& node, const Candidate& candidate) const {
        return candidate.rank >= settings_.first_moves && node.best > -least_win &&
               (candidate.is_quiet || settings_.tactical) && (!node.in_check || settings_.in_check) &&
               strength(candidate) > 0;
    }
    /// How strongly a move is selected against, in parts of a ply: fully where it costs a ply, less and less where it
    /// costs less, so that there is no cliff, and not at all where it is cheaper by the whole fade.
    Depth strength(const Candidate& candidate) const {
        const Depth missing = ply_units - candidate.cost;
        if (missing <= 0) return ply_units;
        return missing < settings_.fade_units ? ply_units - missing * ply_units / settings_.fade_units : 0;
    }
    /// Whether to leave a move out, where it may be. Margins and counts are as much wider as the move is selected
    /// against less.
    Skip skip(const Node& node, const Candidate& candidate) const {
        if (!is_prunable(node)) return Skip::no;
        const Depth depth = node.depth, part = strength(candidate);
        if (node.has_static && depth < futility_reach_ &&
            node.static_score + slack(depth) * ply_units / part <= node.alpha)
            return Skip::futile;
        if (depth < late_reach_) {
            const int plies = depth / ply_units;
            if (candidate.quiet_rank * part >= (settings_.late_moves + plies * plies) * ply_units) return Skip::late;
        }
        return Skip::no;
    }

  private:
    bool asks_of_moves() const { return function_.is_on() && !function_.is_on(PruningFunction::Decides::passing); }
    bool may_ask(const Node& node) const { return !function_.spares_line() || is_prunable(node); }
    /// Whether a move may be left out wherever it stands in the tree: one that is not extended, once another one has
    /// shown that there is no mate.
    bool may_leave_out(const Node& node, const Candidate& candidate) const {
        return node.best > -least_win && (!node.in_check || settings_.in_check) && strength(candidate) > 0;
    }
    /// Nothing is left out at the root and on the principal line.
    static bool is_prunable(const Node& node) { return node.ply > 0 && !node.is_principal; }
    /// How far a value can be expected to move in a depth.
    Score slack(Depth depth) const { return settings_.futility_margin * (depth / ply_units + 1); }

    PruningSettings settings_;
    Depth futility_reach_, late_reach_;  // depths below which each is used; 0: never
    Widths widths_;
    PruningFunction function_;
    std::optional<Policy> null_policy_;
    bool counts_all_;  // toward a width, not quiet moves only
};

}  // namespace plypilot
