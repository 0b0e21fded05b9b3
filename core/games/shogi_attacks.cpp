#include "shogi_attacks.hpp"

namespace plypilot::shogi {

namespace {

struct Step {
    int file, rank;
};

constexpr std::array<Step, 8> direction_steps = {
    {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}};

/// The steps of each mover when it is Black's; White's are turned.
const std::array<std::vector<Step>, movers> mover_steps = {{
    {{0, 1}},                                                                // pawn
    {},                                                                      // lance
    {{-1, 2}, {1, 2}},                                                       // knight
    {{-1, 1}, {0, 1}, {1, 1}, {-1, -1}, {1, -1}},                            // silver
    {{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {0, -1}},                     // gold
    {},                                                                      // bishop
    {},                                                                      // rook
    {{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {-1, -1}, {0, -1}, {1, -1}},  // king
    {{0, 1}, {-1, 0}, {1, 0}, {0, -1}},                                      // horse
    {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}},                                    // dragon
}};

constexpr bool on_board(int file, int rank) { return file >= 0 && file < 9 && rank >= 0 && rank < 9; }

/// The squares from a square in a direction, up to and with the first occupied one.
Bitboard81 walk(Square from, Step step, Bitboard81 occupied) {
    Bitboard81 passed;
    for (int file = file81(from) + step.file, rank = rank81(from) + step.rank; on_board(file, rank);
         file += step.file, rank += step.rank) {
        passed |= bit81(square81(file, rank));
        if (has(occupied, square81(file, rank))) break;
    }
    return passed;
}

}  // namespace

Tables::Tables() {
    for (Square from = 0; from < 81; ++from) {
        for (int mover = 0; mover < movers; ++mover) {
            for (const auto [file, rank] : mover_steps[mover]) {
                if (!on_board(file81(from) + file, rank81(from) + rank)) continue;
                const Square to = from + square81(file, rank);
                steps[first][mover][from] |= bit81(to);
                steps[second][mover][turn81(from)] |= bit81(turn81(to));
            }
        }
        direction[from].fill(no_direction);
        for (int d = 0; d < 8; ++d) {
            rays[from][d] = walk(from, direction_steps[d], {});
            for (Bitboard81 rest = rays[from][d]; rest; drop_lowest(rest)) direction[from][lowest(rest)] = Direction(d);
        }
        cross[from] = rays[from][up] | rays[from][down] | rays[from][right] | rays[from][left];
        diagonals[from] = rays[from][up_right] | rays[from][down_left] | rays[from][down_right] | rays[from][up_left];
    }

    for (Square at = 0; at < 81; ++at) {
        for (Bitboard81 rest = steps[first][king][at]; rest; drop_lowest(rest)) {
            const Square neighbour = lowest(rest);
            near_cross[at] |= cross[neighbour];
            near_diagonals[at] |= diagonals[neighbour];
            for (Side side : {first, second}) {
                // What attacks a square is where a piece of the other side would attack from it.
                for (int mover = lance; mover < movers; ++mover) near_steps[side][at] |= steps[side][mover][neighbour];
                near_lances[side][at] |= rays[neighbour][side];
            }
        }
    }

    for (int rank = 0; rank < 9; ++rank) {
        for (unsigned inner = 0; inner < 128; ++inner) {
            const Bitboard81 occupied{std::uint64_t{inner} << 1, 0};
            const Bitboard81 seen =
                walk(rank, direction_steps[up], occupied) | walk(rank, direction_steps[down], occupied);
            file_attacks[rank][inner] = static_cast<std::uint16_t>(seen.low);
        }
    }

    constexpr std::array<std::array<Direction, 2>, 3> line_ends = {
        {{left, right}, {down_left, up_right}, {up_left, down_right}}};
    std::uint32_t offset = 0;
    for (Square at = 0; at < 81; ++at) {
        for (int l = 0; l < 3; ++l) {
            const auto [back, forth] = line_ends[l];
            std::vector<Square> inner;  // left to right, which is from low to high
            for (Bitboard81 rest = rays[at][back] | rays[at][forth] | bit81(at); rest; drop_lowest(rest))
                inner.push_back(lowest(rest));
            if (!inner.empty()) inner.erase(inner.begin());
            if (!inner.empty()) inner.pop_back();

            const int size = static_cast<int>(inner.size());
            Line& line = lines[at][l];
            line = {{}, 0, 0, offset, size ? static_cast<std::uint32_t>(64 - size) : 63};
            for (int i = 0; i < size; ++i) {
                line.mask |= bit81(inner[i]);
                if (inner[i] < 63)
                    line.low_factor |= std::uint64_t{1} << (64 - size + i - inner[i]);
                else
                    line.high_factor |= std::uint64_t{1} << (64 - size + i - (inner[i] - 63));
            }
            for (unsigned taken = 0; taken < 1u << size; ++taken) {
                Bitboard81 occupied;
                for (int i = 0; i < size; ++i)
                    if (taken >> i & 1) occupied |= bit81(inner[i]);
                line_attacks.at(line.index(occupied)) =
                    walk(at, direction_steps[back], occupied) | walk(at, direction_steps[forth], occupied);
            }
            offset += 1u << size;
        }
    }
}

const Tables tables;

}  // namespace plypilot::shogi
