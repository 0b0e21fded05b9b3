// Evaluation features that count pieces on squares. Material, ranks, rings and the quarter, half and full
// boards (Smith 1999, ch. 7) are all maps from (kind of piece, square) to a feature: one table, one mechanism,
// and a sum that a search can keep incrementally.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "game.hpp"

namespace plypilot {

/// Maps a piece on a square, seen from its owner's side (rank 0 nearest to him), to a feature of the set.
struct SquareSet {
    std::string_view name;
    std::string_view text;
    std::vector<std::string> features;
    std::vector<std::int16_t> index;  // [kind * squares + square], -1: the piece does not count there
    int squares = 64;

    int at(int kind, int square) const { return index[kind * squares + square]; }
};

/// Which feature of a set a piece counts for, by its place: its side, its kind and its square, or the hand that holds
/// it. The places of the first side come first. Its pieces count +1 there and those of the second side -1, so that a
/// sum over the pieces can be kept while they move (eval/board_sums.hpp).
struct PlaceMap {
    std::vector<std::int16_t> features;  // [place], -1: a piece does not count there
    bool is_turned = true;               // with the second side to move all values change their signs
    int turn_feature = -1;               // one that is +1 with the first side to move and -1 with the second, if any
};

/// How squares share a feature.
enum class Fold {
    none,     // every square its own (full board)
    files,    // mirrored files share one (half board)
    quarter,  // mirrored files and mirrored ranks share one
    rank,     // all squares of a rank share one
    ring,     // all squares equally far from the edge share one; ring 1 is the edge
    all,      // one for the whole board (material)
};

/// What a piece kind contributes to a set: its name, how its squares fold, and the ranks it can stand on.
struct SquareRule {
    int kind;
    std::string_view piece;
    Fold fold;
    int lowest_rank = 0;
    int highest_rank = 127;
};

/// The raw board as inputs of a network (Kocsis 3.2.1): every piece on its place, which is a square as a move index
/// counts them, or the hand that holds it. A game that has these inputs says how many kinds and places there are
/// (piece_kinds, piece_places) and how many squares a rank has (board_width), calls note(side, kind, place) for each
/// piece (each_piece), tells where the side to move sees a place from its own side of the board (seen_place), how the
/// board names it (place_text), and where the opponent's last move went (last_move).
struct BoardNames {
    std::vector<std::string> kinds;
    std::vector<std::string> places;

    /// Own pieces, then the opponent's, as the side to move sees them.
    FeatureSet board() const;
    /// A piece of the first side is +1 and one of the second -1, whoever is to move; the last one is the side to move.
    FeatureSet squares() const;
    /// Where the opponent's last move ended, then where it captured, as the side to move sees it; the first `count`
    /// places are squares.
    FeatureSet last_move(std::size_t count) const;
};

/// Where a move ended.
struct LastMove {
    int place = -1;  // -1: there was none, or nobody knows
    bool captures = false;
};

template <class P, class Sink>
void write_board(const P& position, Sink& sink) {
    const Side us = position.side();
    position.each_piece([&](Side side, int kind, int place) {
        const int owner = side == us ? 0 : P::piece_kinds;
        sink.add((owner + kind) * P::piece_places + position.seen_place(us, place), 1);
    });
}

template <class P, class Sink>
void write_squares(const P& position, Sink& sink) {
    position.each_piece(
        [&](Side side, int kind, int place) { sink.add(kind * P::piece_places + place, side == first ? 1 : -1); });
    sink.add(P::piece_kinds * P::piece_places, position.side() == first ? 1 : -1);
}

template <class P, class Sink>
void write_last_move(const P& position, int squares, Sink& sink) {
    const LastMove last = position.last_move();
    if (last.place < 0) return;
    const int seen = position.seen_place(position.side(), last.place);
    sink.add(seen, 1);
    if (last.captures) sink.add(squares + seen, 1);
}

/// The names of the squares of a board, along the rank first.
std::vector<std::string> square_names(int files, int ranks);

/// Builds a set for a board of files x ranks whose square numbers step by `stride` a rank.
SquareSet make_square_set(std::string_view name, std::string_view text, int kinds, int files, int ranks, int stride,
                          const std::vector<SquareRule>& rules);

}  // namespace plypilot
