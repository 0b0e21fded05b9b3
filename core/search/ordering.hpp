// Which move to try first: the picker of each node, and the memory of the moves that were good elsewhere.
#pragma once

#include "picker.hpp"

namespace plypilot {

/// The decision in which order moves are tried, made ready from a pilot's numbers. It learns while it is asked, so each
/// thread has its own.
template <Rules P>
class Ordering {
  public:
    Ordering(const OrderingSettings& settings, std::uint64_t seed)
        : settings_(settings), seed_(seed), quiet_order_(settings) {}

    /// The moves of a node, best first. `first` comes before all others, where there is one.
    Picker<P> moves(const P& position, const Node& node, Move first) {
        return Picker<P>(position, node, settings_, memory_, quiet_order_, settings_.shuffle ? chance() : 0, first);
    }
    /// The move that the table has for a node, where it is to be used.
    Move table_move(const Node& node) const { return settings_.table_move ? node.entry.move : Move{}; }
    /// Whether a shallower search is to find a first move where there is none, and at which depth.
    bool deepens_inside(const Node& node) const {
        const int plies = settings_.internal_deepening;
        return plies && !node.has_null_window() && !node.excluded && node.depth >= (plies + 1) * ply_units &&
               node.ply > 0;
    }
    Depth inner_depth(const Node& node) const { return node.depth - settings_.internal_deepening * ply_units; }

    /// A quiet move was sufficient, and those tried before it were not.
    void note_cut(const P& position, const Node& node, Move move, const Move* tried, std::size_t count) {
        const Side side = position.side();
        if (!quiet_order_.is_plain()) quiet_order_.note_cut(position, node, memory_, move, count ? tried[0] : Move{});
        memory_.reward(side, move, node.previous, node.ply, node.depth);
        for (std::size_t i = 0; i < count; ++i) memory_.punish(side, tried[i], node.depth);
    }
    bool wants_best() const { return quiet_order_.wants_best(); }
    /// All moves were searched, and one was better than the others though not sufficient.
    void note_best(const P& position, const Node& node) {
        if (quiet_order_.orders(position, node.best_move))
            quiet_order_.note_best(node, position.side(), node.best_move);
    }
    /// Another search begins: killers belong to a ply of one tree; history outlives the move, fading.
    void begin_search() {
        memory_.age();
        quiet_order_.age();
    }
    void clear() {
        memory_.clear();
        quiet_order_.clear();
    }
    /// How many nodes' moves a network has ordered.
    std::uint64_t judged() const { return quiet_order_.judged(); }
    /// What history says of some moves, and what that is divided by where a network is asked too.
    void tell_history(const P& position, const Move* moves, std::size_t count, float* shares) const {
        quiet_order_.tell_history(position, memory_, moves, count, shares);
    }
    double history_weight() const { return quiet_order_.weight(); }
    void set_seed(std::uint64_t seed) { seed_ = seed; }

    /// What is left to chance in this search: it falls anew in each.
    std::uint64_t chance() const { return splitmix64(seed_ + memory_.searches()); }

  private:
    OrderingSettings settings_;
    std::uint64_t seed_;
    Memory<P> memory_;
    QuietOrder<P> quiet_order_;
};

}  // namespace plypilot
