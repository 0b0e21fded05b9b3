// The terms of the chess baseline's evaluation, and what those who write them share: armies turned to the side to move,
// fills and half boards.
#pragma once

#include <string>
#include <vector>

#include "../bitboard.hpp"
#include "../game.hpp"
#include "chess_attacks.hpp"

namespace plypilot::chess {

/// The pieces of one side.
struct Army {
    Bitboard pawns, knights, bishops, rooks, queens, king;

    Bitboard all() const { return pawns | knights | bishops | rooks | queens | king; }
};

/// Both armies from the side to move: its own is that of `first` and moves up the board.
struct Armies {
    std::array<Army, 2> of;

    const Army& operator[](Side side) const { return of[side]; }
};

constexpr int danger_degrees = 24;

/// The terms, each the number of the first of its group. A term is two features: 2 * term weighs in the middle game,
/// 2 * term + 1 in the endgame.
enum Term : int {
    material,                     // pawn to queen
    pawn_squares = material + 5,  // half boards: files a to d, mirrored; pawns on ranks 2 to 7
    knight_squares = pawn_squares + 24,
    bishop_squares = knight_squares + 32,
    rook_squares = bishop_squares + 32,
    queen_squares = rook_squares + 32,
    king_squares = queen_squares + 32,
    knight_mobility = king_squares + 32,  // by the number of safe squares attacked
    bishop_mobility = knight_mobility + 9,
    rook_mobility = bishop_mobility + 14,
    queen_mobility = rook_mobility + 15,
    bishop_pair = queen_mobility + 28,
    bishop_own_pawns,  // on squares of the bishop's colour
    knight_outpost,    // on ranks 4 to 6, held by a pawn, out of reach of enemy pawns
    bishop_outpost,
    outpost_reach,        // such squares that a knight can go to
    rook_open_file,       // no pawns
    rook_half_open_file,  // no own pawns
    rook_seventh,         // with pawns or the king to bite on
    rook_behind_passer,
    pawn_doubled,  // behind another of its file
    pawn_isolated,
    pawn_isolated_open,  // and no enemy pawn ahead on its file
    pawn_backward,       // cannot advance safely, and no neighbour can come to help
    pawn_backward_open,
    pawn_connected,                       // defended by a pawn or beside one, by rank 2 to 7
    pawn_candidate = pawn_connected + 6,  // not yet passed, but pawns help it past those that guard its next step
    passer = pawn_candidate + 1,          // by rank 2 to 7
    passer_protected = passer + 6,        // by a pawn
    passer_blocked,                       // by an enemy piece, times its steps beyond rank 3
    passer_free,                          // may step on safely, times its steps beyond rank 3
    passer_run,                           // nothing stands or attacks on its way, times its steps beyond rank 3
    passer_own_king,                      // distance of the king, times its steps beyond rank 3
    passer_enemy_king,
    passer_unstoppable,              // enemy has pawns only and his king is too late
    pawnless_advantage,              // ahead by no more than a minor piece, without pawns to win with
    shield_near,                     // pawns before the king and beside that, one rank ahead
    shield_far,                      // two ranks ahead
    king_open_file,                  // no pawns, of the three files about the king
    king_half_open_file,             // no own pawns
    storm,                           // enemy pawns on these files, by own rank 2 to 5
    king_attack_knight = storm + 4,  // squares about the enemy king that the kind attacks
    king_attack_bishop,
    king_attack_rook,
    king_attack_queen,
    king_danger,                                       // one by degree, see danger()
    threat_pawn_minor = king_danger + danger_degrees,  // enemy pieces attacked by a pawn
    threat_pawn_rook,
    threat_pawn_queen,
    threat_push,         // that a safe pawn's step would attack
    threat_minor_minor,  // pieces attacked by a knight or bishop; minors only if not defended by a pawn
    threat_minor_rook,
    threat_minor_queen,
    threat_rook_minor,  // pieces attacked by a rook
    threat_rook_queen,
    hanging_pawn,  // attacked and not defended
    hanging_piece,
    space,  // squares of files c to f, ranks 2 to 4, that the enemy does not attack
    tempo,  // always 1
    terms,
};

/// The names of the features, in the order of their numbers.
std::vector<std::string> baseline_feature_names();

constexpr Bitboard fill_ahead(Side side, Bitboard set) {
    if (side == first) {
        set |= set << 8;
        set |= set << 16;
        return set | set << 32;
    }
    set |= set >> 8;
    set |= set >> 16;
    return set | set >> 32;
}

/// The set seen from the other side of the board.
inline Bitboard flip_ranks(Bitboard set) { return __builtin_bswap64(set); }

constexpr Bitboard beside(Bitboard set) { return west(set) | east(set); }

/// King's steps from one square to another.
constexpr int distance(Square a, Square b) {
    const int files = file_of(a) - file_of(b), ranks = rank_of(a) - rank_of(b);
    return std::max(files < 0 ? -files : files, ranks < 0 ? -ranks : ranks);
}

/// The number of each square on a half board, as the owner of the piece sees it, by side.
inline constexpr auto half_boards = [] {
    std::array<std::array<std::uint8_t, 64>, 2> numbers{};
    for (Square square = 0; square < 64; ++square) {
        const int file = file_of(square), number = 4 * rank_of(square) + (file < 4 ? file : 7 - file);
        numbers[first][square] = numbers[second][flip_rank(square)] = static_cast<std::uint8_t>(number);
    }
    return numbers;
}();

constexpr int half_board(Side side, Square square) { return half_boards[side][square]; }

/// All squares of the files that a set touches.
constexpr Bitboard fill_files(Bitboard set) { return (fill_ahead(second, set) & rank_1) * file_a; }

/// The rank of a square as a side counts it, 0 nearest to it.
constexpr int own_rank(Side side, Square square) { return rank_of(side == first ? square : flip_rank(square)); }

/// Some ranks as a side counts them, 1 to 8.
template <Side who>
constexpr Bitboard ranks(int from, int to) {
    Bitboard set = 0;
    for (int rank = from; rank <= to; ++rank) set |= rank_mask((who == first ? rank : 9 - rank) - 1);
    return set;
}

}  // namespace plypilot::chess
