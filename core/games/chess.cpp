#include "chess.hpp"

#include <charconv>
#include <utility>

#include "../notation.hpp"
#include "../registry.hpp"

namespace plypilot {

namespace {

const Registered<Chess> registered;

constexpr std::string_view letters = "PNBRQKpnbrqk";  // by side and kind

/// The squares from one square to another on its rank, both of them included.
Bitboard stretch(Square from, Square to) { return chess::between(from, to) | bit(from) | bit(to); }

/// Both squares of a move, of which castling takes the rook's.
std::string squares_text(Move move) { return square_text(Chess::from(move)) + square_text(Chess::to(move)); }

std::string name_of(Side side) { return side == first ? "white" : "black"; }

}  // namespace

std::string Chess::place_text(int place) { return square_text(place); }

const std::vector<SquareSet>& Chess::square_sets() {
    static const auto make_set = [](std::string_view name, std::string_view text, Fold pawns, Fold others) {
        return make_square_set(name, text, 6, 8, 8, 8,
                               {{pawn, "pawn", pawns, 1, 6},
                                {knight, "knight", others},
                                {bishop, "bishop", others},
                                {rook, "rook", others},
                                {queen, "queen", others}});
    };
    static const std::vector<SquareSet> sets = {
        make_set("material", "pieces", Fold::all, Fold::all),
        make_set("ranks_rings", "pawns by rank, the others by distance from the edge (Smith 7.2)", Fold::rank,
                 Fold::ring),
        make_set("quarter_board", "pieces by square, files and (but for pawns) ranks mirrored", Fold::files,
                 Fold::quarter),
        make_set("half_board", "pieces by square, files mirrored", Fold::files, Fold::files),
        make_set("full_board", "pieces by square", Fold::none, Fold::none),
        make_square_set("pawn_ranks", "pawns by rank (Smith 7.2.1)", 6, 8, 8, 8, {{pawn, "pawn", Fold::rank, 1, 6}}),
    };
    return sets;
}

const GameInfo& Chess::info() {
    static const GameInfo info = [] {
        GameInfo made;
        made.name = "chess";
        made.title = "Chess";
        made.sides = {"White", "Black"};
        made.start_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        made.notation =
            "UCI: e2e4, e7e8q, castling e1g1 (in Chess960 the king takes his rook: f1h1); "
            "SAN is read too: Nf3, exd5, e8=Q, O-O";
        made.index_sizes = {64, 64, 5};
        made.move_features = move_feature_table();
        for (const SquareSet& set : square_sets()) made.feature_sets.push_back({set.name, set.text, set.features});
        assert(static_cast<int>(made.feature_sets.size()) == baseline_set);
        made.feature_sets.push_back(
            {"baseline",
             "material, half boards, mobility, pawns, king safety and threats, each for the middle game (mg) and the "
             "endgame (eg) by the pieces left; tempo is the side to move",
             chess::baseline_feature_names()});
        const BoardNames names{{"pawn", "knight", "bishop", "rook", "queen", "king"}, square_names(8, 8)};
        made.feature_sets.push_back(names.squares());
        made.feature_sets.push_back(names.board());
        made.feature_sets.push_back(names.last_move(64));
        return made;
    }();
    return info;
}

std::optional<PlaceMap> Chess::place_map(int set) {
    if (set >= baseline_set) return std::nullopt;
    PlaceMap map;
    for (Side side : {first, second}) {
        for (int kind = pawn; kind < king; ++kind) {
            for (Square square = 0; square < 64; ++square)
                map.features.push_back(
                    static_cast<std::int16_t>(square_sets()[set].at(kind, own_square(side, square))));
        }
    }
    return map;
}

std::optional<std::string> Chess::start_fen(std::string_view variant) {
    int number = -1;
    std::from_chars(variant.data(), variant.data() + variant.size(), number);
    if (number < 0 || number > 959 || std::to_string(number) != variant) return std::nullopt;

    std::string rank(8, ' ');
    const auto take = [&number](int choices) { return std::exchange(number, number / choices) % choices; };
    const auto place = [&rank](char piece, int free_squares_before) {
        std::size_t file = rank.find(' ');
        while (free_squares_before-- > 0) file = rank.find(' ', file + 1);
        rank[file] = piece;
    };
    rank[static_cast<std::size_t>(2 * take(4) + 1)] = 'b';
    rank[static_cast<std::size_t>(2 * take(4))] = 'b';
    place('q', take(6));
    constexpr std::string_view knights[] = {"01", "02", "03", "04", "12", "13", "14", "23", "24", "34"};
    place('n', knights[number][1] - '0');
    place('n', knights[number][0] - '0');
    for (char piece : {'r', 'k', 'r'}) place(piece, 0);
    std::string white = rank;
    for (char& piece : white) piece = static_cast<char>(piece - 'a' + 'A');
    return rank + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
}

Chess Chess::from_fen(std::string_view fen) {
    const auto fields = split_fields(fen, 4, 6, "board, side, castling, en passant and two counters");
    Chess position;
    position.read_board(fields[0]);
    State& state = position.trail_.now();
    state.side = read_side(fields[1], "wb");
    if (position.is_attacked(position.king_square(other(state.side)), state.side, position.occupied()))
        throw PositionError("fen: side to move is " + name_of(state.side) + ", but the " + name_of(other(state.side)) +
                            " king is in check");
    position.read_rights(fields[2]);
    state.key ^= position.castlings_.keys[state.rights];
    position.read_en_passant(fields[3]);
    if (fields.size() > 4)
        state.clock = static_cast<std::uint16_t>(read_number(fields[4], "halfmove clock", 0, most_clock));
    state.reversible = state.clock;
    const int move_number = fields.size() > 5 ? read_number(fields[5], "fullmove number", 1, most_moves) : 1;
    state.plies = static_cast<std::uint32_t>(2 * (move_number - 1) + state.side);

    if (state.side == second) state.key ^= side_key;
    if (state.en_passant >= 0) state.key ^= file_keys[file_of(state.en_passant)];
    return position;
}

void Chess::read_board(std::string_view field) {
    for (const PlacedPiece& piece : read_rows(field, 8, 8, 8).pieces) {
        const std::size_t letter = letters.find(piece.symbol);
        const auto rank = "fen: rank " + std::to_string(piece.rank + 1);
        if (letter == letters.npos)
            throw PositionError(rank + " has the piece " + quoted(piece.symbol) + ", expected one of " +
                                std::string(letters));
        const Side owner = letter < 6 ? first : second;
        const Kind kind = Kind(letter % 6);
        if (kind == pawn && (piece.rank == 0 || piece.rank == 7)) throw PositionError(rank + " has a pawn");
        trail_.now().toggle(owner, kind, square_at(piece.file, piece.rank));
    }
    for (Side owner : {first, second}) {
        const auto require = [&](int number, int least, int most, std::string_view what) {
            if (number < least || number > most)
                throw PositionError("fen: board has " + std::to_string(number) + " " + name_of(owner) + " " +
                                    std::string(what) + ", expected " + (least == most ? "" : "at most ") +
                                    std::to_string(most));
        };
        require(count(pieces(owner, king)), 1, 1, "kings");
        require(count(pieces(owner, pawn)), 0, 8, "pawns");
        require(count(pieces(owner)), 1, 16, "pieces");
    }
}

/// The outermost rook on a wing of a king who stands on his first rank, if there is one.
Bitboard Chess::outer_rook(Side side, Wing wing) const {
    const Bitboard its_king = pieces(side, king), rooks = pieces(side, rook) & first_rank(side);
    if (wing == king_side) return std::bit_floor(rooks & ~(its_king - 1));
    const Bitboard west_of_king = rooks & (its_king - 1);
    return west_of_king & -west_of_king;
}

void Chess::read_rights(std::string_view field) {
    if (field == "-") return;
    const auto fault = [field](std::string_view text) {
        return PositionError("fen: castling is " + quoted(field) + ", " + std::string(text));
    };
    for (char c : field) {
        // 1. The rook that the letter names.
        const Side owner = c < 'a' ? first : second;
        const char letter = owner == first ? static_cast<char>(c - 'A' + 'a') : c;
        Bitboard its_rook = 0;
        if (letter == 'k' || letter == 'q')
            its_rook = outer_rook(owner, letter == 'k' ? king_side : queen_side);
        else if (letter >= 'a' && letter <= 'h')
            its_rook = pieces(owner, rook) & first_rank(owner) & file_mask(letter - 'a');
        else
            throw fault("expected \"-\", letters of KQkq or files of rooks");
        if (!its_rook || !(pieces(owner, king) & first_rank(owner)))
            throw fault(std::string("but for \"") + c + "\" the " + name_of(owner) + " king is not on rank " +
                        (owner == first ? "1" : "8") + " or has no such rook there");

        // 2. What castling with it asks for.
        const Square king_from = king_square(owner), rook_from = lowest(its_rook);
        const Move move = make(king_from, rook_from, castling);
        const Wing wing = castles_short(move) ? king_side : queen_side;
        const std::uint8_t granted = right(owner, wing);
        if (now().rights & granted) throw fault("which names a side of the " + name_of(owner) + " king twice");
        const Bitboard king_way = stretch(king_from, castled_king(move));
        const Bitboard rook_way = stretch(rook_from, castled_rook(move));
        castlings_.of[owner][wing] = {its_rook, (king_way | rook_way) & ~(bit(king_from) | its_rook), king_way};
        castlings_.lost_rights[king_from] |= granted;
        castlings_.lost_rights[rook_from] |= granted;
        for (std::size_t rights = 0; rights < castlings_.keys.size(); ++rights) {
            if (rights & granted) castlings_.keys[rights] ^= castling_keys[rook_from];
        }
        trail_.now().rights |= granted;
    }
}

void Chess::read_en_passant(std::string_view field) {
    if (field == "-") return;
    const Side us = side(), them = other(us);
    const Square target = square_from_text(field);
    if (target < 0 || rank_of(own_square(us, target)) != 5)
        throw PositionError("fen: en passant square is " + quoted(field) + ", expected \"-\" or a square on rank " +
                            (us == first ? "6" : "3"));
    if (!(pieces(them, pawn) & bit(passed_pawn(target))) || (occupied() & (bit(target) | bit(target ^ 24))))
        throw PositionError("fen: en passant square is " + quoted(field) + ", but no " + name_of(them) +
                            " pawn can have passed it");
    if (can_capture_en_passant(us, target)) trail_.now().en_passant = static_cast<std::int8_t>(target);
}

std::string Chess::fen() const {
    std::string text = write_rows(8, 8, [this](int file, int rank) -> std::string_view {
        const Square square = square_at(file, rank);
        const Kind kind = piece_on(square);
        if (kind == none) return "";
        return letters.substr(static_cast<std::size_t>(kind + (pieces(second) & bit(square) ? 6 : 0)), 1);
    });
    text += side() == first ? " w " : " b ";
    for (Side owner : {first, second}) {
        for (Wing wing : {king_side, queen_side}) {
            if (!(now().rights & right(owner, wing))) continue;
            const Bitboard its_rook = castlings_.of[owner][wing].rook;
            const int file = file_of(lowest(its_rook));
            const char letter = its_rook == outer_rook(owner, wing) ? "kq"[wing] : "abcdefgh"[file];
            text += owner == first ? static_cast<char>(letter - 'a' + 'A') : letter;
        }
    }
    if (!now().rights) text += '-';
    text += now().en_passant >= 0 ? " " + square_text(now().en_passant) : " -";
    const auto clock = std::min<std::uint32_t>(now().clock, most_clock);
    const auto move_number = std::min<std::uint32_t>(now().plies / 2 + 1, most_moves);
    return text + " " + std::to_string(clock) + " " + std::to_string(move_number);
}

/// Parts the king from his rook, on whose square he has arrived. Not inline: that would slow all other moves.
void Chess::complete_castling(Move move) {
    State& state = trail_.now();
    const Side us = other(state.side);
    state.toggle(us, king, to(move));
    state.toggle(us, rook, to(move));
    state.toggle(us, king, castled_king(move));
    state.toggle(us, rook, castled_rook(move));
}

std::string Chess::move_text(Move move) {
    if (is_castling(move) && file_of(from(move)) == 4 && (bit(to(move)) & (file_a | file_h)))
        return square_text(from(move)) + square_text(castled_king(move));
    std::string text = squares_text(move);
    if (is_promotion(move)) text += letters[6u + promoted(move)];
    return text;
}

/// The position after a move, without those before it.
Chess Chess::after(Move move) const {
    Chess next;
    next.castlings_ = castlings_;
    next.trail_.now() = now();
    next.push(move);
    return next;
}

std::string Chess::san(Move move) const {
    std::string text;
    const Kind kind = moved(move);
    if (is_castling(move)) {
        text = castles_short(move) ? "O-O" : "O-O-O";
    } else {
        if (kind != pawn) {
            // Tell it from other moves of such pieces to the same square: by file, else by rank, else by both.
            bool others = false, same_file = false, same_rank = false;
            MoveList list;
            generate(list);
            for (Move rival : list) {
                if (to(rival) != to(move) || moved(rival) != kind || from(rival) == from(move)) continue;
                others = true;
                same_file |= file_of(from(rival)) == file_of(from(move));
                same_rank |= rank_of(from(rival)) == rank_of(from(move));
            }
            text += letters[kind];
            const std::string origin = square_text(from(move));
            if (others && (!same_file || same_rank)) text += origin[0];
            if (same_file) text += origin[1];
        } else if (is_capture(move)) {
            text += square_text(from(move))[0];
        }
        if (is_capture(move)) text += 'x';
        text += square_text(to(move));
        if (is_promotion(move)) (text += '=') += letters[promoted(move)];
    }
    if (gives_check(move)) text += has_move(after(move)) ? '+' : '#';
    return text;
}

std::optional<Move> Chess::parse_move(std::string_view text) const {
    const auto only_move = [this](auto matches) {
        std::optional<Move> found;
        MoveList list;
        generate(list);
        for (Move move : list) {
            if (!matches(move)) continue;
            if (found) return std::optional<Move>();
            found = move;
        }
        return found;
    };
    while (!text.empty() && std::string_view("+#!?").find(text.back()) != text.npos) text.remove_suffix(1);

    // 1. Castling.
    const bool is_short = text == "O-O" || text == "0-0", is_long = text == "O-O-O" || text == "0-0-0";
    if (is_short || is_long)
        return only_move([=](Move move) { return is_castling(move) && castles_short(move) == is_short; });

    // 2. UCI.
    if (const auto found = only_move(
            [&](Move move) { return text == move_text(move) || (is_castling(move) && text == squares_text(move)); }))
        return found;

    // 3. SAN, from both ends: piece ... square, promotion; what is left tells where the piece comes from.
    Kind kind = pawn, arrives = none;
    if (text.size() < 2) return std::nullopt;
    if (const auto letter = letters.substr(0, 6).find(text.front()); letter != text.npos && letter != pawn) {
        kind = Kind(letter);
        text.remove_prefix(1);
    } else if (const auto piece = letters.substr(0, 5).find(text.back()); piece != text.npos && piece != pawn) {
        arrives = Kind(piece);
        text.remove_suffix(1);
        if (text.back() == '=') text.remove_suffix(1);
    }
    if (text.size() < 2) return std::nullopt;
    const Square target = square_from_text(text.substr(text.size() - 2));
    if (target < 0) return std::nullopt;
    text.remove_suffix(2);
    if (!text.empty() && text.back() == 'x') text.remove_suffix(1);
    int file = -1, rank = -1;
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'h') {
        file = text.front() - 'a';
        text.remove_prefix(1);
    }
    if (!text.empty() && text.front() >= '1' && text.front() <= '8') {
        rank = text.front() - '1';
        text.remove_prefix(1);
    }
    if (!text.empty()) return std::nullopt;
    if (kind == pawn && file < 0) file = file_of(target);  // a pawn's capture names its file
    return only_move([&](Move move) {
        return to(move) == target && moved(move) == kind && (file < 0 || file_of(from(move)) == file) &&
               (rank < 0 || rank_of(from(move)) == rank) && !is_castling(move) &&
               (is_promotion(move) ? promoted(move) : none) == arrives;
    });
}

std::string Chess::draw() const {
    constexpr std::array<std::string_view, 12> symbols = {"♙", "♘", "♗", "♖", "♕", "♔", "♟", "♞", "♝", "♜", "♛", "♚"};
    const auto below = std::string(info().sides[side()]) + " to move";
    return draw_board(lettered_drawing(8, 8, below), [&](int file, int rank) -> std::string_view {
        const Square square = square_at(file, rank);
        const Kind kind = piece_on(square);
        if (kind == none) return "";
        return symbols[static_cast<std::size_t>(kind + (pieces(second) & bit(square) ? 6 : 0))];
    });
}

}  // namespace plypilot
