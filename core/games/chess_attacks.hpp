// What chess pieces attack on an 8x8 board: constant tables for pawns, knights and kings, magic bitboards for the
// sliding pieces. A magic factor maps the occupied squares that matter to a place in a table of attacked sets.
#pragma once

#include <array>

#include "../bitboard.hpp"
#include "../game.hpp"

namespace plypilot::chess {

constexpr Bitboard ahead(Side side, Bitboard set) { return side == first ? north(set) : south(set); }
constexpr Bitboard ahead_west(Side side, Bitboard set) { return west(ahead(side, set)); }
constexpr Bitboard ahead_east(Side side, Bitboard set) { return east(ahead(side, set)); }

constexpr Bitboard knights_reach(Bitboard knights) {
    const Bitboard beside = west(knights) | east(knights);
    const Bitboard two_beside = west(west(knights)) | east(east(knights));
    return north(north(beside)) | south(south(beside)) | north(two_beside) | south(two_beside);
}

/// The attacks of a piece that does not slide, from each square.
template <class Reach>
constexpr std::array<Bitboard, 64> attack_table(Reach reach) {
    std::array<Bitboard, 64> table{};
    for (Square square = 0; square < 64; ++square) table[square] = reach(bit(square));
    return table;
}

inline constexpr auto knight_table = attack_table(knights_reach);
inline constexpr auto king_table = attack_table([](Bitboard king) { return grown(king) & ~king; });
inline constexpr std::array pawn_tables = {
    attack_table([](Bitboard pawn) { return ahead_west(first, pawn) | ahead_east(first, pawn); }),
    attack_table([](Bitboard pawn) { return ahead_west(second, pawn) | ahead_east(second, pawn); }),
};

/// Where the attacks of one sliding piece on one square are kept.
struct Magic {
    Bitboard mask;            // the squares whose occupation matters
    std::uint64_t factor;     // gathers their bits at the top
    const Bitboard* attacks;  // [(occupied & mask) * factor >> shift]
    int shift;

    Bitboard operator()(Bitboard occupied) const { return attacks[(occupied & mask) * factor >> shift]; }
};

/// Tables that are filled when the program starts.
struct SlidingTables {
    SlidingTables();

    std::array<Magic, 64> bishop;
    std::array<Magic, 64> rook;
    std::array<Bitboard, 64> bishop_rays;  // attacks on an empty board
    std::array<Bitboard, 64> rook_rays;
    std::array<std::array<Bitboard, 64>, 64> between;
};

extern const SlidingTables sliding;

inline Bitboard pawn_attacks(Side side, Square square) { return pawn_tables[side][square]; }
inline Bitboard knight_attacks(Square square) { return knight_table[square]; }
inline Bitboard king_attacks(Square square) { return king_table[square]; }
inline Bitboard bishop_attacks(Square square, Bitboard occupied) { return sliding.bishop[square](occupied); }
inline Bitboard rook_attacks(Square square, Bitboard occupied) { return sliding.rook[square](occupied); }
inline Bitboard queen_attacks(Square square, Bitboard occupied) {
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied);
}

/// The squares strictly between two squares on one line; empty for any others.
inline Bitboard between(Square a, Square b) { return sliding.between[a][b]; }

}  // namespace plypilot::chess
