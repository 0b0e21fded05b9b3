// Evaluation features of Breakthrough that look at more than one piece: races to the last rank, and how pieces stand
// together. Both sides are looked at alike, each from its own side of the board.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "../bitboard.hpp"

namespace plypilot::breakthrough_eval {

/// A board as one side sees it: its own pieces move up, rank 0 is nearest to it.
struct SeenBoard {
    Bitboard own = 0, enemy = 0;

    /// The squares that one opposing piece at least could capture on, and those that two could.
    Bitboard threats() const { return south(west(enemy)) | south(east(enemy)); }
    Bitboard double_threats() const { return south(west(enemy)) & south(east(enemy)); }
    /// The squares that own pieces could capture on.
    Bitboard guards() const { return north(west(own)) | north(east(own)); }
    Bitboard double_guards() const { return north(west(own)) & north(east(own)); }
};

/// The boards that the side to move and its opponent see.
struct SeenBoards {
    std::array<SeenBoard, 2> boards;
    int files = 8, ranks = 8;
};

/// The race to the last rank. A path takes one move a rank. A square that an opposing piece could capture on costs a
/// wait, one that two could capture on costs two, and straight ahead an opposing piece is in the way: as
/// Fairy-Stockfish judges races.
class Race {
  public:
    static constexpr int most = 10;     // longer paths are taken for this long, and so is none at all
    static constexpr int in_table = 7;  // the same in the table of both sides' paths, whose entries would else be rare

    explicit Race(const SeenBoards& seen) {
        // Moves to each square of a rank, from the nearest piece behind it: the files of the side to move in the low
        // half, those of its opponent in the high half. A rank follows from the one before.
        Costs costs = splat(none);
        const Words outside = splat_word(seen.files == 8 ? 0 : none_in_each << 8 * seen.files);
        Masks own, enemy, threats, double_threats;
        for (int who : {0, 1}) {
            const SeenBoard& board = seen.boards[who];
            own[who] = board.own;
            enemy[who] = board.enemy;
            threats[who] = board.threats();
            double_threats[who] = board.double_threats();
        }
        for (int rank = 0; rank < seen.ranks; ++rank) {
            const auto words = reinterpret_cast<Words>(costs);
            const auto from_west = reinterpret_cast<Costs>(words << 8 | splat_word(none));
            const auto from_east = reinterpret_cast<Costs>(words >> 8 | splat_word(Bitboard{none} << 56));
            const Costs straight = costs | (spread(enemy, rank) & splat(none));
            const Costs waits = spread(threats, rank) + spread(double_threats, rank);  // -1 for each
            costs = least(least(from_west, from_east), straight) + 1 - waits;
            costs = costs & ~spread(own, rank);
            costs = reinterpret_cast<Costs>(reinterpret_cast<Words>(costs) | outside);
        }
        const Costs bounded = least(costs, splat(most));
        arrivals_ = std::bit_cast<std::array<std::array<std::uint8_t, 8>, 2>>(bounded);
        files_ = seen.files;
        for (int who : {0, 1})
            nearest_[who] = std::max<int>(1, *std::min_element(arrivals_[who].begin(), arrivals_[who].end()));
    }

    /// Moves to the last rank by the shortest path, of the side to move (0) and its opponent (1).
    int nearest(int who) const { return nearest_[who]; }

    static std::vector<std::string> names() {
        std::vector<std::string> names;
        for (int own = 1; own <= in_table; ++own)
            for (int enemy = 1; enemy <= in_table; ++enemy)
                names.push_back("race_" + std::to_string(own) + "_" + std::to_string(enemy));
        for (int moves = 1; moves < most; ++moves) names.push_back("arrivals_in_" + std::to_string(moves));
        return names;
    }
    template <class Sink>
    void write(Sink& sink) const {
        const auto entry = [&](int who) { return std::min(nearest_[who], in_table) - 1; };
        sink.add(entry(0) * in_table + entry(1), 1);
        for (int file = 0; file < files_; ++file) {
            for (int who : {0, 1}) {
                const int moves = arrivals_[who][file];
                if (moves > 0 && moves < most) sink.add(in_table * in_table + moves - 1, who == 0 ? 1 : -1);
            }
        }
    }

  private:
    typedef std::uint8_t Costs __attribute__((vector_size(16)));
    typedef std::uint64_t Words __attribute__((vector_size(16)));
    using Masks = std::array<Bitboard, 2>;
    static constexpr std::uint8_t none = 64;  // no path; more than any path takes, and a sum with waits still fits
    static constexpr Bitboard none_in_each = file_a * none;

    static Costs splat(std::uint8_t value) { return Costs{} + value; }
    static Words splat_word(Bitboard value) { return Words{value, value}; }
    static Costs least(Costs a, Costs b) { return a < b ? a : b; }
    /// The squares of a rank as bytes, 255 where they are in the set.
    static Costs spread(const Masks& sets, int rank) {
        return reinterpret_cast<Costs>(Words{bytes[sets[0] >> 8 * rank & 255], bytes[sets[1] >> 8 * rank & 255]});
    }
    static constexpr auto bytes = [] {
        std::array<Bitboard, 256> table{};
        for (int row = 0; row < 256; ++row)
            for (int file = 0; file < 8; ++file)
                if (row >> file & 1) table[row] |= Bitboard{255} << 8 * file;
        return table;
    }();

    std::array<std::array<std::uint8_t, 8>, 2> arrivals_;  // moves to each square of the last rank, at most `most`
    std::array<int, 2> nearest_;
    int files_;
};

/// How pieces stand together: counts by rank, own pieces positive and the opponent's negative.
class Structure {
  public:
    static std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const char* what : {"guarded", "pair", "column", "blocked"})
            for (int rank = 1; rank <= 8; ++rank) names.push_back(what + ("_rank_" + std::to_string(rank)));
        for (const char* what : {"hanging", "enemy_hanging"}) names.push_back(what);
        for (int holes = 0; holes <= 8; ++holes) names.push_back("holes_" + std::to_string(holes));
        return names;
    }
    template <class Sink>
    static void write(const SeenBoards& seen, Sink& sink) {
        std::array<std::array<Bitboard, 4>, 2> counted;
        for (int who : {0, 1}) {
            const SeenBoard& board = seen.boards[who];
            const Bitboard own = board.own, guards = board.guards();
            counted[who] = {own & guards, own & east(own), own & north(own), own & south(board.enemy)};
            // Threatened by more pieces than guard it.
            const Bitboard hanging =
                own & ((board.threats() & ~guards) | (board.double_threats() & ~board.double_guards()));
            sink.add(hanging_at + who, count(hanging));
            // Squares of the second rank that the first does not guard: where an opponent arrives and is not taken.
            const int holes = seen.files - count(guards & rank_mask(1) & seen_files(seen.files));
            sink.add(holes_at + holes, who == 0 ? 1 : -1);
        }
        for (int kind = 0; kind < 4; ++kind)
            for (int rank = 0; rank < seen.ranks; ++rank)
                sink.add(8 * kind + rank,
                         count(counted[0][kind] & rank_mask(rank)) - count(counted[1][kind] & rank_mask(rank)));
    }

  private:
    static constexpr int hanging_at = 32, holes_at = 34;
    static constexpr Bitboard seen_files(int files) { return file_a * ((1u << files) - 1); }
};

}  // namespace plypilot::breakthrough_eval
