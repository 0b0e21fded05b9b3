#include "read_game.hpp"

#include <algorithm>

#include "notation.hpp"
#include "zobrist.hpp"

namespace plypilot {

namespace {

/// Takes the next word off a text; empty where there is none.
std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

/// A position string up to the end of some field.
std::string_view leading_fields(std::string_view fen, int fields) {
    std::size_t end = 0;
    for (int i = 0; i < fields && end != fen.npos; ++i) end = fen.find(' ', end + (i > 0));
    return fen.substr(0, end);
}

Key hash_text(std::string_view text) {
    Key hash = text.size();
    for (char letter : text) hash = splitmix64(hash ^ static_cast<unsigned char>(letter));
    return hash;
}

std::int32_t weigh(std::string_view board, const BoardQuestions& questions) {
    std::int32_t sum = 0;
    for (char letter : board) sum += questions.letter_weights[static_cast<unsigned char>(letter) & 127];
    return sum;
}

}  // namespace

bool BoardQuestions::has_weights() const {
    return std::ranges::any_of(letter_weights, [](std::int32_t weight) { return weight != 0; });
}

ReadGame read_game(AnyPosition& position, std::string_view words, std::string_view labels,
                   const BoardQuestions& questions) {
    ReadGame game;
    const bool is_labelled = !labels.empty(), is_weighed = questions.has_weights();
    const bool has_boards = questions.board_fields > 0;
    for (std::string_view word; !(word = take_word(words)).empty();) {
        // 1. The words.
        const auto refuse = [&](std::string_view what, std::string_view text) {
            game.refused = game.moves.size();
            game.reason = std::string(what) + " " + quoted(text) + " is not legal in " + position.fen();
        };
        const auto move = position.parse_move(word);
        if (!move) {
            refuse("move", word);
            break;
        }
        Move label;
        if (is_labelled) {
            const std::string_view labelled = take_word(labels);
            const auto read = labelled == no_label ? Move{} : position.parse_move(labelled);
            if (!read) {
                refuse("label", labelled);
                break;
            }
            label = *read;
        }

        // 2. The position before the move.
        game.moves.push_back(*move);
        if (is_labelled) game.labels.push_back(label);
        game.keys.push_back(position.key());
        if (has_boards || is_weighed) {
            const std::string fen = position.fen();
            if (has_boards) game.boards.push_back(hash_text(leading_fields(fen, questions.board_fields)));
            if (is_weighed) game.board_weights.push_back(weigh(leading_fields(fen, 1), questions));
        }
        if (!game.text.empty()) game.text += ' ';
        game.text += position.move_text(*move);
        position.try_push(*move);
    }
    return game;
}

}  // namespace plypilot
