#include "shogi.hpp"

#include <limits>

#include "../notation.hpp"
#include "../registry.hpp"

namespace plypilot {

namespace {

using namespace shogi;

const Registered<Shogi> registered;

// By kind.
constexpr std::array<std::string_view, 15> names = {
    "pawn",          "lance",          "knight",          "silver",          "gold", "bishop", "rook",  "king",
    "promoted_pawn", "promoted_lance", "promoted_knight", "promoted_silver", "",     "horse",  "dragon"};
constexpr std::array<std::string_view, 15> kanji = {"歩", "香", "桂", "銀", "金", "角", "飛", "玉",
                                                    "と", "杏", "圭", "全", "",   "馬", "龍"};
constexpr std::string_view letters = "PLNSGBRK";
constexpr std::array<int, 8> set_sizes = {18, 4, 4, 4, 4, 2, 2, 2};  // of both sides together
constexpr std::array<Mover, 7> hand_order = {rook, bishop, gold, silver, knight, lance, pawn};  // as SFEN writes hands

/// "7g" for a square.
std::string usi_square(Square square) {
    return {static_cast<char>('9' - file81(square)), static_cast<char>('i' - rank81(square))};
}

std::string name_of(Side side) { return side == first ? "Black" : "White"; }

/// The kind that a letter of either case names, or -1.
int kind_of(char letter) {
    const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    const std::size_t kind = letters.find(upper);
    return kind == std::string_view::npos ? -1 : static_cast<int>(kind);
}

Side owner_of(char letter) { return letter >= 'a' ? second : first; }

char letter_of(Side side, int kind) {
    const char letter = letters[kind];
    return side == first ? letter : static_cast<char>(letter - 'A' + 'a');
}

}  // namespace

std::string Shogi::place_text(int place) { return usi_square(9 * (place % 9) + place / 9); }

const std::vector<SquareSet>& Shogi::square_sets() {
    static const auto make_set = [](std::string_view name, std::string_view text, Fold forward, Fold others) {
        std::vector<SquareRule> rules;
        for (int kind = 0; kind < static_cast<int>(names.size()); ++kind) {
            if (names[kind].empty() || (kind == king && others == Fold::all)) continue;
            if (kind <= knight)
                rules.push_back({kind, names[kind], forward, 0, kind == knight ? 6 : 7});
            else
                rules.push_back({kind, names[kind], others});
        }
        return make_square_set(name, text, kinds, 9, 9, 9, rules);
    };
    static const std::vector<SquareSet> sets = {
        make_set("material", "pieces, on the board and in hand (Smith ch. 6)", Fold::all, Fold::all),
        make_set(
            "quarter_board",
            "pieces on the board by square, files and (but for pawns, lances and knights) ranks mirrored; a1 is at "
            "the left of their owner",
            Fold::files, Fold::quarter),
        make_set("half_board", "pieces on the board by square, files mirrored; a1 is at the left of their owner",
                 Fold::files, Fold::files),
        make_set("full_board", "pieces on the board by square; a1 is at the left of their owner", Fold::none,
                 Fold::none),
    };
    return sets;
}

const GameInfo& Shogi::info() {
    static const GameInfo info = [] {
        GameInfo made;
        made.name = "shogi";
        made.title = "Shogi";
        made.sides = {"Black", "White"};
        made.files = made.ranks = 9;
        made.start_fen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        made.notation = "USI: 7g7f, promotion 8h2b+, drop P*5e";
        made.index_sizes = {81 + hand_kinds, 81, 2};
        made.move_features = move_feature_table();
        for (const SquareSet& set : square_sets()) made.feature_sets.push_back({set.name, set.text, set.features});
        FeatureSet hand{"hand", "pieces in hand", {}};
        for (int kind = 0; kind < hand_kinds; ++kind) hand.features.push_back(std::string(names[kind]) + "_in_hand");
        made.feature_sets.insert(made.feature_sets.begin() + 1, std::move(hand));
        FeatureSet safety{
            "king_safety",
            "guard_: pieces beside the own king; attack_: squares beside it that opposing pieces of a kind attack, "
            "each "
            "piece by itself; weak_squares: those attacked that only the king guards; flights: those free for the "
            "king; "
            "holes: empty ones that only the king guards; _by_drops: times the opponent's silvers, golds, bishops and "
            "rooks in hand; _lines_on_king: opposing pieces that would attack the king on an empty board; "
            "no_pawn_ahead: no own pawn before the king on its file",
            {}};
        for (int kind = 0; kind < hand_kinds; ++kind) safety.features.push_back("guard_" + std::string(names[kind]));
        safety.features.push_back("guard_promoted");
        for (int kind = 0; kind < hand_kinds; ++kind) safety.features.push_back("attack_" + std::string(names[kind]));
        for (std::string_view name :
             {"attack_horse", "attack_dragon", "weak_squares", "flights", "holes", "holes_by_drops", "weak_by_drops",
              "rook_lines_on_king", "bishop_lines_on_king", "lance_lines_on_king", "no_pawn_ahead"})
            safety.features.emplace_back(name);
        made.feature_sets.push_back(std::move(safety));
        BoardNames raw{{}, square_names(9, 9)};
        for (std::string_view name : names) {
            if (!name.empty()) raw.kinds.emplace_back(name);
        }
        raw.places.push_back("in_hand");
        assert(raw.kinds.size() == piece_kinds && raw.places.size() == piece_places);
        made.feature_sets.push_back(raw.squares());
        made.feature_sets.push_back(raw.board());
        made.feature_sets.push_back(raw.last_move(81));
        return made;
    }();
    return info;
}

std::optional<PlaceMap> Shogi::place_map(int set) {
    const auto& sets = square_sets();
    if (set > static_cast<int>(sets.size())) return std::nullopt;
    PlaceMap map{std::vector<std::int16_t>(2 * kinds * places_of_kind, -1)};
    for (Side side : {first, second}) {
        for (int kind = 0; kind < no_kind; ++kind) {
            std::int16_t* places = &map.features[static_cast<std::size_t>(place(piece(side, kind), 0))];
            if (set <= 1 && kind < hand_kinds) places[81] = static_cast<std::int16_t>(kind);
            if (set == 1) continue;
            const SquareSet& squares = sets[set == 0 ? 0 : set - 1];
            for (Square square = 0; square < 81; ++square)
                places[square] = static_cast<std::int16_t>(squares.at(kind, square_places[side][square]));
        }
    }
    return map;
}

Shogi Shogi::from_fen(std::string_view fen) {
    const auto fields = split_fields(fen, 3, 4, "board, side, hands and move number");
    Shogi position;
    State& state = position.trail_.now();
    std::array<int, 8> total{};

    // 1. The board.
    for (const PlacedPiece& placed : read_rows(fields[0], 9, 9, 9, true).pieces) {
        const Square square = square81(placed.file, placed.rank);
        const auto fail = [&](const std::string& why) {
            throw PositionError("fen: board: the piece " + quoted(placed.symbol) + " on " + usi_square(square) + " " +
                                why);
        };
        const char letter = placed.symbol.back();
        const int base = kind_of(letter);
        if (base < 0) fail("is unknown, expected a letter of PLNSGBRK or plnsgbrk");
        const bool is_promoted = placed.symbol.size() == 2;
        if (is_promoted && (base == gold || base == king)) fail("cannot be promoted");
        const Side owner = owner_of(letter);
        if (!is_promoted && has(base == knight ? last_two_ranks[owner] : last_rank[owner], square) && base <= knight)
            fail("could never move");
        if (base == pawn && !is_promoted && !has(files_without(owner, position.pieces(owner, pawn)), square))
            fail("is the second pawn of " + name_of(owner) + " on its file");
        if (base == king && position.pieces(owner, king)) fail("is a second king of " + name_of(owner));
        if (++total[base] > set_sizes[base])
            fail("is one more than the " + std::to_string(set_sizes[base]) + " of the set");
        state.put(square, piece(owner, is_promoted ? base + promoted : base));
        if (base == king) state.kings[owner] = static_cast<std::uint8_t>(square);
    }
    for (Side who : {first, second})
        if (!position.pieces(who, king)) throw PositionError("fen: board: " + name_of(who) + " has no king");

    // 2. The side to move.
    state.side = read_side(fields[1], "bw");
    if (state.side == second) state.key ^= side_key;

    // 3. The hands: letters, each with a number before it if there are two or more.
    const std::string_view hands = fields[2];
    for (std::size_t at = 0; at < hands.size() && hands != "-"; ++at) {
        const auto fail = [&](const std::string& why) {
            throw PositionError("fen: hands: " + why + ": " + quoted(hands));
        };
        const std::size_t begin = at;
        int number = 0;
        for (; at < hands.size() && hands[at] >= '0' && hands[at] <= '9' && at - begin < 3; ++at)
            number = 10 * number + (hands[at] - '0');
        if (at > begin && (number < 2 || number > set_sizes[pawn] || hands[begin] == '0'))
            fail("the number " + quoted(hands.substr(begin, at - begin)) + " is not from 2 to 18");
        if (at == hands.size()) fail("a number has no piece after it");
        const int kind = kind_of(hands[at]);
        if (kind < 0 || kind == king)
            fail("expected a letter of RBGSNLP or rbgsnlp, not " + quoted(hands.substr(at, 1)));
        const Side owner = owner_of(hands[at]);
        if (state.hands[owner][kind]) fail("the letter " + quoted(hands.substr(at, 1)) + " comes twice");
        for (int i = at > begin ? number : 1; i > 0; --i) state.add_to_hand(owner, kind);
        total[kind] += state.hands[owner][kind];
        if (total[kind] > set_sizes[kind])
            fail("there are " + std::to_string(total[kind]) + " pieces " + letters[kind] +
                 " with those on the board, the set has " + std::to_string(set_sizes[kind]));
    }

    // 4. The move number.
    if (fields.size() > 3) state.move_number = read_number(fields[3], "move number", 1, most_moves);

    const Side us = state.side, them = other(us);
    if (has(steps(us, king, state.kings[us]), state.kings[them]))
        throw PositionError("fen: board: the kings stand side by side");
    if (position.shields(them).checkers)
        throw PositionError("fen: side to move is " + name_of(us) + ", but the king of " + name_of(them) +
                            " is in check");
    position.see_checks();
    return position;
}

std::string Shogi::fen() const {
    std::string symbol;  // lives as long as the view that write_rows looks at
    std::string text = write_rows(9, 9, [&](int file, int rank) -> std::string_view {
        const Piece piece = piece_on(square81(file, rank));
        if (!piece) return "";
        symbol = piece.kind() >= promoted ? "+" : "";
        symbol += letter_of(piece.side(), piece.kind() % promoted);
        return symbol;
    });
    text += side() == first ? " b " : " w ";
    const std::size_t hands_begin = text.size();
    for (Side who : {first, second}) {
        for (int kind : hand_order) {
            const int held = in_hand(who, kind);
            if (held > 1) text += std::to_string(held);
            if (held) text += letter_of(who, kind);
        }
    }
    if (text.size() == hands_begin) text += '-';
    return text + ' ' + std::to_string(state().move_number);
}

bool Shogi::is_pawn_drop_mate(Square square) const {
    const Side us = side(), them = other(us);
    const Square at = state().kings[them];
    const Bitboard81 taken = occupied() | bit81(square);
    if (!attackers(us, square, taken)) return false;  // the king takes the pawn
    const Bitboard81 flights = steps(them, king, at) - state().sides[them] - bit81(square);
    if (flights - danger(them, taken ^ bit81(at))) return false;
    // A pinned piece takes the pawn only along its pin, that is from further up the file.
    const Bitboard81 takers = attackers(them, square, taken) - bit81(at);
    return !(takers - (shields(them).pinned - ray(at, square)));
}

int Shogi::exchange_bound(Move move) const {
    const int leaving = moved_kind(move), standing = promotes(move) ? leaving + promoted : leaving;
    return (is_capture(move) ? capture_value(piece_on(to(move)).kind()) : 0) + values[standing] - values[leaving];
}

int Shogi::exchange(Move move) const {
    const Square target = to(move);
    const int leaving = moved_kind(move);
    int standing = promotes(move) ? leaving + promoted : leaving;  // what the next capture takes
    Bitboard81 taken = occupied();
    if (!is_drop(move)) taken -= bit81(from(move));

    // What each capture leaves its side with, if the sequence ended there.
    std::array<int, 40> balance;
    int last = 0;
    balance[0] = exchange_bound(move);
    Side turn = other(side());
    Bitboard81 bearing = attackers(turn, target, taken) & taken;
    if (!bearing) return balance[0];
    bearing |= attackers(side(), target, taken) & taken;
    while (const Bitboard81 takers = bearing & state().sides[turn]) {
        Square cheapest = -1;
        int price = 0;
        for (Bitboard81 rest = takers; rest; drop_lowest(rest)) {
            const int kind = piece_on(lowest(rest)).kind();
            if (cheapest >= 0 && (kind == king || capture_value(kind) >= price)) continue;
            cheapest = lowest(rest);
            price = kind == king ? std::numeric_limits<int>::max() : capture_value(kind);
        }
        const int kind = piece_on(cheapest).kind();
        taken -= bit81(cheapest);
        bearing = (bearing | sliders(target, taken)) & taken;
        if (kind == king && (bearing & state().sides[other(turn)])) break;
        const bool can_promote =
            kind < king && kind != gold && (has(promotion_zone[turn], target) || has(promotion_zone[turn], cheapest));
        const int arriving = can_promote ? kind + promoted : kind;
        ++last;
        balance[last] = capture_value(standing) + values[arriving] - values[kind] - balance[last - 1];
        standing = arriving;
        turn = other(turn);
    }
    for (; last > 0; --last) balance[last - 1] = -std::max(-balance[last - 1], balance[last]);
    return balance[0];
}

std::optional<Outcome> Shogi::by_history() const {
    // Captured pieces come back as drops, so no move is beyond repetition.
    const int limit = std::min(state().reversible, static_cast<int>(ply()));
    int found = 1, span = 0;  // the span reaches back to the first of the four
    while (found < 4 && span + 2 <= limit) found += trail_.before(span += 2).key == key();
    if (found < 4) return std::nullopt;
    const auto always_in_check = [&](int back) {
        for (; back < span; back += 2)
            if (!trail_.before(back).checkers) return false;
        return true;
    };
    const bool we_checked = always_in_check(1), they_checked = always_in_check(0);
    if (we_checked == they_checked) return Outcome::draw("fourfold repetition");
    return Outcome::win(we_checked ? other(side()) : side(), "perpetual check");
}

std::string Shogi::move_text(Move move) {
    if (is_drop(move)) return std::string(1, letters[dropped_kind(move)]) + '*' + usi_square(to(move));
    return usi_square(from(move)) + usi_square(to(move)) + (promotes(move) ? "+" : "");
}

MoveIndex Shogi::move_index(Move move) {
    // Squares along the rank first, as the squares of evaluation features.
    const auto index = [](Square square) { return 9 * rank81(square) + file81(square); };
    return {is_drop(move) ? from(move) : index(from(move)), index(to(move)), promotes(move)};
}

std::string Shogi::draw() const {
    const auto hand = [this](Side who) {
        std::string text = name_of(who) + " in hand:";
        for (int kind : hand_order) {
            const int held = in_hand(who, kind);
            if (held) text += ' ' + std::string(kanji[kind]);
            if (held > 1) text += std::to_string(held);
        }
        return text + '\n';
    };
    // Kanji take two columns of a terminal, so that every sign of the board must.
    std::string text = hand(second) + " ９ ８ ７ ６ ５ ４ ３ ２ １\n";
    for (int rank = 8; rank >= 0; --rank) {
        for (int file = 0; file < 9; ++file) {
            const Piece piece = piece_on(square81(file, rank));
            text += piece && piece.side() == second ? 'v' : ' ';
            text += piece ? kanji[piece.kind()] : "・";
        }
        text += ' ' + std::string(1, static_cast<char>('i' - rank)) + '\n';
    }
    return text + hand(first) + name_of(side()) + " to move";
}

}  // namespace plypilot
