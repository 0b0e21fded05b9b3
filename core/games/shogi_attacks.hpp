// What shogi pieces attack on the 9x9 board. Files are numbered from Black's left (file 0 is written 9) and ranks
// from Black's camp (rank 0 is written i), so that Black, the first player, moves towards higher ranks.
#pragma once

#include <array>

#include "../bitboard.hpp"
#include "../game.hpp"

namespace plypilot::shogi {

/// The ways to move. All promoted minor pieces move as gold.
enum Mover : std::uint8_t { pawn, lance, knight, silver, gold, bishop, rook, king, horse, dragon };
constexpr int movers = 10;

/// The eight directions; those of the two players' advance come first, so that they can be indexed by side.
enum Direction : std::uint8_t { up, down, right, left, up_right, down_left, down_right, up_left, no_direction };

/// How the occupied squares of one line through a square lead to its attacks. The squares of a line stand at
/// equal distances within the low word, and at most one that matters is in the high word, so that a product
/// gathers them in its top bits.
struct Line {
    Bitboard81 mask;  // the squares whose occupation matters: the line without its ends
    std::uint64_t low_factor;
    std::uint64_t high_factor;
    std::uint32_t offset;  // in Tables::line_attacks
    std::uint32_t shift;

    std::size_t index(Bitboard81 occupied) const {
        return offset + (((occupied.low & mask.low) * low_factor + (occupied.high & mask.high) * high_factor) >> shift);
    }
};

/// Tables that are filled when the program starts.
struct Tables {
    Tables();

    /// Where a piece of a side attacks one step away, with the knight's jump; without the lines of sliding pieces.
    std::array<std::array<std::array<Bitboard81, 81>, movers>, 2> steps;
    std::array<std::array<Bitboard81, 8>, 81> rays;       // [square][direction], to the edge
    std::array<std::array<Direction, 81>, 81> direction;  // [from][to]
    std::array<Bitboard81, 81> cross;                     // rook lines on an empty board
    std::array<Bitboard81, 81> diagonals;                 // bishop lines on an empty board
    // The squares from which something could attack a neighbour of a king there, blocked or not.
    std::array<std::array<Bitboard81, 81>, 2> near_steps;  // by the steps of enemy pieces other than pawns
    std::array<std::array<Bitboard81, 81>, 2> near_lances;
    std::array<Bitboard81, 81> near_cross;
    std::array<Bitboard81, 81> near_diagonals;

    std::array<std::array<std::uint16_t, 128>, 9> file_attacks;  // [rank][occupied ranks 1 to 7]: nine bits
    std::array<std::array<Line, 3>, 81> lines;                   // [square]: rank, rising and falling diagonal
    std::array<Bitboard81, 16300> line_attacks;
};

extern const Tables tables;

inline Bitboard81 steps(Side side, int mover, Square square) { return tables.steps[side][mover][square]; }
inline Bitboard81 ray(Square from, Square through) { return tables.rays[from][tables.direction[from][through]]; }

inline Bitboard81 file_attacks(Square square, Bitboard81 occupied) {
    const int file = file81(square);
    const int shift = file < 7 ? 9 * file : 9 * (file - 7);
    const std::uint64_t word = file < 7 ? occupied.low : occupied.high;
    const std::uint64_t attacked = std::uint64_t{tables.file_attacks[rank81(square)][word >> (shift + 1) & 127]}
                                   << shift;
    return file < 7 ? Bitboard81{attacked, 0} : Bitboard81{0, attacked};
}

inline Bitboard81 line_attacks(Square square, int line, Bitboard81 occupied) {
    return tables.line_attacks[tables.lines[square][line].index(occupied)];
}

inline Bitboard81 lance_attacks(Side side, Square square, Bitboard81 occupied) {
    return file_attacks(square, occupied) & tables.rays[square][side];
}

/// The attacks of a rook; a dragon adds its steps.
inline Bitboard81 rook_attacks(Square square, Bitboard81 occupied) {
    return file_attacks(square, occupied) | line_attacks(square, 0, occupied);
}

/// The attacks of a bishop; a horse adds its steps.
inline Bitboard81 bishop_attacks(Square square, Bitboard81 occupied) {
    return line_attacks(square, 1, occupied) | line_attacks(square, 2, occupied);
}

inline Bitboard81 attacks(Side side, int mover, Square square, Bitboard81 occupied) {
    switch (mover) {
        case lance: return lance_attacks(side, square, occupied);
        case bishop:
        case horse: return bishop_attacks(square, occupied) | steps(side, mover, square);
        case rook:
        case dragon: return rook_attacks(square, occupied) | steps(side, mover, square);
        default: return steps(side, mover, square);
    }
}

/// The squares in front of a set that has nothing on a side's last rank, as pawns have not.
constexpr Bitboard81 ahead(Side side, Bitboard81 set) {
    return side == first ? Bitboard81{set.low << 1, set.high << 1} : Bitboard81{set.low >> 1, set.high >> 1};
}

/// The squares of all files on which a side has no pawn yet, but for its last rank: where it may drop one.
constexpr Bitboard81 files_without(Side side, Bitboard81 pawns) {
    // Each file is a number below 2^8, as one rank is never used: 2^8 less that number keeps bit 8 only for zero.
    constexpr Bitboard81 top = rank81_mask(8);
    const auto free = [](std::uint64_t taken, std::uint64_t tops) {
        const std::uint64_t kept = (tops - taken) & tops;
        return kept - (kept >> 8);
    };
    if (side == first) return {free(pawns.low, top.low), free(pawns.high, top.high)};
    return {free(pawns.low >> 1, top.low) << 1, free(pawns.high >> 1, top.high) << 1};
}

}  // namespace plypilot::shogi
