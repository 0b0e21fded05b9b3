// Sets of squares: 64 bits for boards up to 8x8, and 81 squares for shogi. Squares of the former are numbered
// from a1, along the rank first: square = file + 8 * rank, on smaller boards too.
#pragma once

#include <bit>
#include <cstdint>

namespace plypilot {

using Bitboard = std::uint64_t;
using Square = int;

constexpr Bitboard bit(Square square) { return Bitboard{1} << square; }
constexpr Square lowest(Bitboard set) { return std::countr_zero(set); }
constexpr void drop_lowest(Bitboard& set) { set &= set - 1; }
constexpr int count(Bitboard set) { return std::popcount(set); }

constexpr int file_of(Square square) { return square & 7; }
constexpr int rank_of(Square square) { return square >> 3; }
constexpr Square square_at(int file, int rank) { return file + 8 * rank; }
/// The same square from the other side of an 8x8 board.
constexpr Square flip_rank(Square square) { return square ^ 56; }

constexpr Bitboard file_a = 0x0101010101010101;
constexpr Bitboard file_h = file_a << 7;
constexpr Bitboard rank_1 = 0xff;
constexpr Bitboard rank_8 = rank_1 << 56;

constexpr Bitboard file_mask(int file) { return file_a << file; }
constexpr Bitboard rank_mask(int rank) { return rank_1 << (8 * rank); }

constexpr Bitboard west(Bitboard set) { return (set & ~file_a) >> 1; }
constexpr Bitboard east(Bitboard set) { return (set & ~file_h) << 1; }
constexpr Bitboard north(Bitboard set) { return set << 8; }
constexpr Bitboard south(Bitboard set) { return set >> 8; }

/// The set and its neighbours in all eight directions.
constexpr Bitboard grown(Bitboard set) {
    set |= west(set) | east(set);
    return set | north(set) | south(set);
}

/// Notes what makes one set of pieces another, as note(place, +1 or -1), where places number squares from `start` on.
template <class Note>
constexpr void each_change_of_square(Bitboard from, Bitboard to, int start, Note note) {
    for (Bitboard gone = from & ~to; gone; drop_lowest(gone)) note(start + lowest(gone), -1);
    for (Bitboard come = to & ~from; come; drop_lowest(come)) note(start + lowest(come), +1);
}

/// A set of the squares of a 9x9 board. Files lie one after the other, each within one word, so that what moves
/// along a file never crosses words: square = 9 * file + rank, the first seven files in the low word.
struct Bitboard81 {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr explicit operator bool() const { return (low | high) != 0; }
    constexpr bool operator==(const Bitboard81&) const = default;
    constexpr Bitboard81 operator&(Bitboard81 b) const { return {low & b.low, high & b.high}; }
    constexpr Bitboard81 operator|(Bitboard81 b) const { return {low | b.low, high | b.high}; }
    constexpr Bitboard81 operator^(Bitboard81 b) const { return {low ^ b.low, high ^ b.high}; }
    /// The squares that are not in the other set.
    constexpr Bitboard81 operator-(Bitboard81 b) const { return {low & ~b.low, high & ~b.high}; }
    constexpr Bitboard81& operator&=(Bitboard81 b) { return *this = *this & b; }
    constexpr Bitboard81& operator|=(Bitboard81 b) { return *this = *this | b; }
    constexpr Bitboard81& operator^=(Bitboard81 b) { return *this = *this ^ b; }
    constexpr Bitboard81& operator-=(Bitboard81 b) { return *this = *this - b; }
};

constexpr Square lowest(Bitboard81 set) {
    return set.low ? std::countr_zero(set.low) : 63 + std::countr_zero(set.high);
}
constexpr void drop_lowest(Bitboard81& set) {
    if (set.low)
        set.low &= set.low - 1;
    else
        set.high &= set.high - 1;
}
constexpr int count(Bitboard81 set) { return std::popcount(set.low) + std::popcount(set.high); }

constexpr int file81(Square square) { return square / 9; }
constexpr int rank81(Square square) { return square % 9; }
constexpr Square square81(int file, int rank) { return 9 * file + rank; }
/// The same square from the other side of the board, which is turned, not mirrored.
constexpr Square turn81(Square square) { return 80 - square; }

constexpr Bitboard81 bit81(Square square) {
    return square < 63 ? Bitboard81{bit(square), 0} : Bitboard81{0, bit(square - 63)};
}
constexpr bool has(Bitboard81 set, Square square) { return static_cast<bool>(set & bit81(square)); }

constexpr Bitboard81 all81{(std::uint64_t{1} << 63) - 1, (1u << 18) - 1};
constexpr Bitboard81 rank81_mask(int rank) { return {0x0040201008040201u << rank, 0x201u << rank}; }

}  // namespace plypilot
