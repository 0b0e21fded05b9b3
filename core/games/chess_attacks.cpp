#include "chess_attacks.hpp"

#include <algorithm>

#include "../zobrist.hpp"

namespace plypilot::chess {

namespace {

using Step = Bitboard (*)(Bitboard);
using Steps = std::array<Step, 4>;

constexpr Steps bishop_steps = {
    [](Bitboard set) { return north(west(set)); },
    [](Bitboard set) { return north(east(set)); },
    [](Bitboard set) { return south(west(set)); },
    [](Bitboard set) { return south(east(set)); },
};
constexpr Steps rook_steps = {north, south, west, east};

Bitboard slide(const Steps& steps, Square square, Bitboard occupied) {
    Bitboard reached = 0;
    for (Step step : steps) {
        for (Bitboard at = step(bit(square)); at; at = occupied & at ? 0 : step(at)) reached |= at;
    }
    return reached;
}

/// What may block a slide: all it reaches but the last square of each ray, where nothing lies behind.
Bitboard blocking_squares(const Steps& steps, Square square) {
    Bitboard squares = 0;
    for (Step step : steps) {
        for (Bitboard at = step(bit(square)); at && step(at); at = step(at)) squares |= at;
    }
    return squares;
}

// The number of the first candidate that works, by square. The search starts there, so that it is over at once (it
// takes 0.2 s from 0).
constexpr std::array<std::uint32_t, 64> bishop_attempts = {
    1215, 873, 86,    450,   156,   235,  153,  2966, 718,  265,  1195, 387,   178,   337,  3985, 1654,
    422,  864, 534,   13826, 1521,  5705, 307,  36,   1701, 2033, 1323, 53208, 18751, 1218, 1594, 1058,
    2351, 141, 15743, 39973, 72290, 2910, 617,  1295, 4115, 462,  926,  16864, 5234,  5300, 802,  2510,
    1105, 38,  17,    101,   257,   195,  1309, 317,  6096, 19,   529,  171,   188,   2824, 446,  9882,
};
constexpr std::array<std::uint32_t, 64> rook_attempts = {
    38858, 1314,  392125, 360841, 197075, 325,   38686, 50871, 11215, 2447, 12516, 79011, 5154,   5741,  296,   26649,
    1590,  50677, 4748,   4778,   63733,  26072, 41841, 28145, 15977, 285,  16740, 68046, 6967,   34517, 12944, 3126,
    9401,  16968, 42954,  9590,   65418,  7087,  1332,  21368, 1751,  5969, 30390, 36694, 111954, 23493, 21896, 22913,
    16572, 2701,  2172,   6735,   83622,  7831,  2076,  17825, 22267, 2514, 14313, 60704, 93772,  79238, 13594, 31982,
};

/// A candidate with few bits set: those collide least.
std::uint64_t factor_candidate(std::uint64_t stream, std::uint64_t attempt) {
    const std::uint64_t n = (stream << 32) + 3 * attempt;
    return splitmix64(n) & splitmix64(n + 1) & splitmix64(n + 2);
}

/// Fills the table of one square. Returns false when two sets of blockers with different attacks collide.
bool fill(const Magic& magic, const Steps& steps, Square square, Bitboard* table) {
    std::fill_n(table, std::size_t{1} << count(magic.mask), 0);  // no piece attacks nothing: 0 is free
    Bitboard blockers = 0;
    do {
        const Bitboard attacks = slide(steps, square, blockers);
        Bitboard& entry = table[blockers * magic.factor >> magic.shift];
        if (entry && entry != attacks) return false;
        entry = attacks;
        blockers = (blockers - magic.mask) & magic.mask;  // the next subset
    } while (blockers);
    return true;
}

/// Finds the magics of one kind of piece and fills their tables, one behind the other.
void find_magics(std::array<Magic, 64>& magics, const Steps& steps, std::uint64_t stream,
                 const std::array<std::uint32_t, 64>& attempts, Bitboard* table) {
    for (Square square = 0; square < 64; ++square) {
        Magic& magic = magics[square];
        magic.mask = blocking_squares(steps, square);
        magic.shift = 64 - count(magic.mask);
        magic.attacks = table;
        std::uint64_t attempt = attempts[square];
        do {
            magic.factor = factor_candidate(stream + static_cast<std::uint64_t>(square), attempt++);
        } while (!fill(magic, steps, square, table));
        table += std::size_t{1} << count(magic.mask);
    }
}

std::array<Bitboard, 5248> bishop_sets;  // the sum over squares of 2^(blocking squares)
std::array<Bitboard, 102400> rook_sets;

}  // namespace

SlidingTables::SlidingTables() {
    find_magics(bishop, bishop_steps, 1 << 8, bishop_attempts, bishop_sets.data());
    find_magics(rook, rook_steps, 2 << 8, rook_attempts, rook_sets.data());
    for (Square a = 0; a < 64; ++a) {
        bishop_rays[a] = bishop[a](0);
        rook_rays[a] = rook[a](0);
    }
    for (Square a = 0; a < 64; ++a) {
        for (Square b = 0; b < 64; ++b) {
            between[a][b] = bishop_rays[a] & bit(b) ? bishop[a](bit(b)) & bishop[b](bit(a))
                            : rook_rays[a] & bit(b) ? rook[a](bit(b)) & rook[b](bit(a))
                                                    : 0;
        }
    }
}

const SlidingTables sliding;

}  // namespace plypilot::chess
