// The grammar that position strings of all games share: fields parted by single spaces, the first of them a
// board written in rows; and the drawing of a board for terminals.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "game.hpp"

namespace plypilot {

/// Text from outside as an error may repeat it: in quotes, printable, and one line long.
std::string quoted(std::string_view text);

/// The fields of a position string. Throws PositionError unless there are `least` to `most` of them.
std::vector<std::string_view> split_fields(std::string_view fen, std::size_t least, std::size_t most,
                                           std::string_view form);

/// A piece in a board field: where it stands and how it is written ("p", "+P").
struct PlacedPiece {
    int file, rank;
    std::string_view symbol;
};

struct Rows {
    int files, ranks;
    std::vector<PlacedPiece> pieces;
};

/// Reads a board field: rows from the highest rank down, parted by '/', digits for runs of empty squares, a
/// '+' before a piece where `promoted` allows it. All rows must be equally long; symbols are not judged.
/// Throws PositionError for a board outside the given sizes.
Rows read_rows(std::string_view field, int least_size, int most_files, int most_ranks, bool promoted = false);

/// Writes a board field. at(file, rank) is a piece's symbol, or empty.
template <class At>
std::string write_rows(int files, int ranks, At at) {
    std::string field;
    for (int rank = ranks - 1; rank >= 0; --rank) {
        int empty = 0;
        for (int file = 0; file < files; ++file) {
            const std::string_view symbol = at(file, rank);
            if (symbol.empty()) {
                ++empty;
                continue;
            }
            if (empty) field += std::to_string(empty);
            empty = 0;
            field += symbol;
        }
        if (empty) field += std::to_string(empty);
        if (rank) field += '/';
    }
    return field;
}

/// Reads a counter in a field of its own. Throws PositionError naming the field.
int read_number(std::string_view field, std::string_view name, int least, int most);

/// Reads the side to move: one of two letters, the first player's first.
Side read_side(std::string_view field, std::string_view letters);

/// Draws a board with its coordinates, highest rank on top. at(file, rank) is one terminal column wide, or
/// `width` columns where the game says so; empty squares are dots.
struct Drawing {
    int files = 8, ranks = 8;
    std::vector<std::string> file_labels;  // left to right
    std::vector<std::string> rank_labels;  // from the lowest rank up
    std::string below;                     // a line under the board
};

template <class At>
std::string draw_board(const Drawing& drawing, At at) {
    std::string text;
    for (int rank = drawing.ranks - 1; rank >= 0; --rank) {
        text += drawing.rank_labels[rank];
        for (int file = 0; file < drawing.files; ++file) {
            const std::string symbol{at(file, rank)};
            text += ' ';
            text += symbol.empty() ? "·" : symbol;
        }
        text += '\n';
    }
    text += ' ';
    for (int file = 0; file < drawing.files; ++file) text += ' ' + drawing.file_labels[file];
    text += '\n' + drawing.below;
    return text;
}

/// The drawing of a board with files a, b, ... and ranks 1, 2, ...
Drawing lettered_drawing(int files, int ranks, std::string below);

/// "e4" for a square of a board with lettered files.
std::string square_text(int square);

/// The square that "e4" names, or -1.
int square_from_text(std::string_view text);

}  // namespace plypilot
