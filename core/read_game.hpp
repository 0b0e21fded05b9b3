// Reads a whole game at once: the words of its moves in; the moves, and what pattern sets ask about the position before
// each of them, out. Words are whatever parse_move of the game understands (UCI and SAN in chess).
#pragma once

#include <array>

#include "any_position.hpp"

namespace plypilot {

/// What is asked about each position besides its key.
struct BoardQuestions {
    /// What each letter on the board counts: the first field of a position string holds the letters.
    std::array<std::int32_t, 128> letter_weights{};
    /// How many fields of the position string, from the first on, make two positions the same board; 0: the key does.
    int board_fields = 0;

    bool has_weights() const;
};

/// A game as far as it could be read. The arrays have one entry for each move, about the position before it.
struct ReadGame {
    std::vector<Move> moves;
    std::vector<Move> labels;  // as many as moves; zero where there is none
    std::vector<Key> keys;
    std::vector<Key> boards;                  // hashes of the fields that make the board
    std::vector<std::int32_t> board_weights;  // sums of the weights of the letters
    std::string text;                         // the moves in the game's notation, with spaces between
    std::optional<std::size_t> refused;       // the number of the word that is no legal move
    std::string reason;                       // why it is refused
};

/// The word of a label that is none: PGN keeps it from being a move.
constexpr std::string_view no_label = "*";

/// Reads a game from a position, which is left after its last move. Words stand between spaces. There are no labels, or
/// one for each move: a legal move of the position before it, or no_label for none.
ReadGame read_game(AnyPosition& position, std::string_view words, std::string_view labels,
                   const BoardQuestions& questions);

}  // namespace plypilot
