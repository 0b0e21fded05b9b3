#include "notation.hpp"

#include <charconv>

#include "bitboard.hpp"

namespace plypilot {

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 80;  // an error stays one line, whatever was pasted
    std::string out = "\"";
    for (char c : text.substr(0, longest)) out += (c >= ' ' && c < 127) ? c : '?';
    return out + (text.size() > longest ? "...\"" : "\"");
}

std::vector<std::string_view> split_fields(std::string_view fen, std::size_t least, std::size_t most,
                                           std::string_view form) {
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at < fen.size();) {
        const std::size_t end = std::min(fen.find(' ', at), fen.size());
        if (end > at) fields.push_back(fen.substr(at, end - at));
        at = end + 1;
    }
    if (fields.size() < least || fields.size() > most)
        throw PositionError("fen: has " + std::to_string(fields.size()) + " fields, expected " + std::string(form) +
                            ": " + quoted(fen));
    return fields;
}

Rows read_rows(std::string_view field, int least_size, int most_files, int most_ranks, bool promoted) {
    struct Row {
        std::string_view text;
        int length;
    };
    std::vector<Row> rows;
    Rows board{0, 0, {}};
    for (std::size_t at = 0; at <= field.size();) {
        const std::size_t end = std::min(field.find('/', at), field.size());
        const std::string_view text = field.substr(at, end - at);
        const int down = static_cast<int>(rows.size());  // turned into a rank once their number is known
        int length = 0;
        for (std::size_t i = 0; i < text.size() && length <= most_files; ++i) {
            if (text[i] >= '1' && text[i] <= '9') {
                length += text[i] - '0';
            } else {
                const std::size_t size = promoted && text[i] == '+' && i + 1 < text.size() ? 2 : 1;
                board.pieces.push_back({length++, down, text.substr(i, size)});
                i += size - 1;
            }
        }
        rows.push_back({text, length});
        if (static_cast<int>(rows.size()) > most_ranks)
            throw PositionError("fen: board has more than " + std::to_string(most_ranks) + " ranks: " + quoted(field));
        at = end + 1;
    }
    board.ranks = static_cast<int>(rows.size());
    board.files = rows.front().length;
    const bool fixed = least_size == most_files && least_size == most_ranks;
    if (fixed) board.files = most_files;
    if (board.ranks < least_size || (!fixed && (board.files < least_size || board.files > most_files)))
        throw PositionError("fen: board has " + std::to_string(board.files) + " files and " +
                            std::to_string(board.ranks) + " ranks: " + quoted(field));
    for (int down = 0; down < board.ranks; ++down) {
        const Row& row = rows[down];
        if (row.length != board.files)
            throw PositionError(
                "fen: rank " + std::to_string(board.ranks - down) + " has " +
                (row.length > most_files ? "more than " + std::to_string(most_files) : std::to_string(row.length)) +
                " squares, expected " + std::to_string(board.files) + ": " + quoted(row.text));
    }
    for (PlacedPiece& piece : board.pieces) piece.rank = board.ranks - 1 - piece.rank;
    return board;
}

int read_number(std::string_view field, std::string_view name, int least, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || value < least || value > most)
        throw PositionError("fen: " + std::string(name) + " is " + quoted(field) + ", expected a number from " +
                            std::to_string(least) + " to " + std::to_string(most));
    return value;
}

Side read_side(std::string_view field, std::string_view letters) {
    if (field.size() == 1 && field[0] == letters[0]) return first;
    if (field.size() == 1 && field[0] == letters[1]) return second;
    throw PositionError("fen: side to move is " + quoted(field) + ", expected \"" + letters[0] + "\" or \"" +
                        letters[1] + "\"");
}

Drawing lettered_drawing(int files, int ranks, std::string below) {
    Drawing drawing{files, ranks, {}, {}, std::move(below)};
    for (int file = 0; file < files; ++file) drawing.file_labels.emplace_back(1, static_cast<char>('a' + file));
    for (int rank = 0; rank < ranks; ++rank) drawing.rank_labels.push_back(std::to_string(rank + 1));
    return drawing;
}

std::string square_text(int square) {
    return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

int square_from_text(std::string_view text) {
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return -1;
    return square_at(text[0] - 'a', text[1] - '1');
}

}  // namespace plypilot
