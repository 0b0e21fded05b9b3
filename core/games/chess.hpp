// Chess and Chess960 by the rules of FIDE: rules, FEN, UCI and SAN, move features and evaluation features. Moves,
// attacks and counts are sets of squares; pins and checks are masks on them, so that every move generated is legal.
#pragma once

#include "../bitboard.hpp"
#include "../features.hpp"
#include "../game.hpp"
#include "../zobrist.hpp"
#include "chess_attacks.hpp"
#include "chess_eval.hpp"

namespace plypilot {

class Chess {
  public:
    enum Kind : std::uint8_t { pawn, knight, bishop, rook, queen, king, none };

    static const GameInfo& info();
    /// The start of Chess960 that a variant from "0" to "959" names (Scharnagl's numbers; 518 is the usual start).
    static std::optional<std::string> start_fen(std::string_view variant);
    /// Reads a FEN of six fields, or of four (then the counters are 0 and 1). Castling is read as X-FEN: K and Q mean
    /// the outermost rook on that side of the king, the letter of a file the rook on it; fen() prints K and Q where
    /// they tell the rook. An en passant square must stand behind a pawn that can just have made two steps; it is
    /// kept only while a pawn can legally capture there, so that positions are equal exactly when they repeat each
    /// other (FIDE 9.2.3). fen() prints it by the same rule.
    static Chess from_fen(std::string_view fen);
    std::string fen() const;

    Side side() const { return now().side; }
    Key key() const { return now().key; }
    std::size_t ply() const { return trail_.plies(); }
    /// The key after a move, but for rights and en passant: good enough to ask for memory ahead of its use.
    Key key_after(Move move) const {
        const Side us = side();
        Key key = now().key ^ side_key ^ piece_keys[(us * 6 + moved(move)) * 64 + from(move)] ^
                  piece_keys[(us * 6 + arriving(move)) * 64 + to(move)];
        if (pieces(other(us)) & bit(to(move))) key ^= piece_keys[(other(us) * 6 + piece_on(to(move))) * 64 + to(move)];
        return key;
    }
    Bitboard pieces(Side side) const { return now().sides[side]; }
    Bitboard pieces(Kind kind) const { return now().kinds[kind]; }
    Bitboard pieces(Side side, Kind kind) const { return now().sides[side] & now().kinds[kind]; }
    Bitboard occupied() const { return now().sides[first] | now().sides[second]; }
    Square king_square(Side side) const { return lowest(pieces(side, king)); }
    /// The kind of piece on a square, of either side, or none.
    Kind piece_on(Square square) const;

    template <class Sink>
    void generate(Sink& sink) const {
        side() == first ? generate_for<first, Wanted::all>(sink) : generate_for<second, Wanted::all>(sink);
    }
    /// Captures and promotions to a queen. Promotions to less are left out: they are hardly ever better.
    template <class Sink>
    void generate_noisy(Sink& sink) const {
        side() == first ? generate_for<first, Wanted::noisy>(sink) : generate_for<second, Wanted::noisy>(sink);
    }
    /// Captures and promotions.
    template <class Sink>
    void generate_tactical(Sink& sink) const {
        side() == first ? generate_for<first, Wanted::tactical>(sink) : generate_for<second, Wanted::tactical>(sink);
    }
    template <class Sink>
    void generate_quiet(Sink& sink) const {
        side() == first ? generate_for<first, Wanted::quiet>(sink) : generate_for<second, Wanted::quiet>(sink);
    }
    /// Out of check, a pawn or knight on no line of its king can step or jump.
    bool surely_has_move() const {
        const Side us = side();
        const Square our_king = king_square(us);
        const Bitboard free = pieces(us) & ~(chess::sliding.rook_rays[our_king] | chess::sliding.bishop_rays[our_king]);
        const Bitboard steps = chess::ahead(us, free & pieces(pawn)) & ~occupied();
        return (steps || (chess::knights_reach(free & pieces(knight)) & ~pieces(us))) && !in_check();
    }
    void push(Move move);
    void push_null();  // not in check
    void pop() { trail_.pop(); }
    void forget_path() { trail_.now().clock = trail_.now().reversible = 0; }
    void forget_counters() { trail_.now().clock = 0; }

    std::optional<Outcome> decided() const { return std::nullopt; }
    Outcome stuck() const { return in_check() ? Outcome::win(other(side()), "checkmate") : Outcome::draw("stalemate"); }
    /// Dead positions are found here although the board alone tells them: they do not take the moves away.
    std::optional<Outcome> by_history() const;
    bool is_dead() const;

    bool in_check() const { return is_attacked(king_square(side()), other(side()), occupied()); }
    bool is_attacked(Square square, Side by, Bitboard occupied) const;
    bool gives_check(Move move) const { return gives_check(move, checks()); }
    bool is_capture(Move move) const { return (pieces(other(side())) & bit(to(move))) || manner(move) == en_passant; }
    bool is_tactical(Move move) const { return is_capture(move) || is_promotion(move); }
    /// The kind of piece that a move captures, or none.
    Kind captured(Move move) const {
        if (is_castling(move)) return none;  // whose target is the own rook
        return manner(move) == en_passant ? pawn : piece_on(to(move));
    }

    /// What pieces are worth in exchanges, by kind, in score units. Kings are taken last and never lost.
    static constexpr std::array<int, 7> exchange_values = {100, 325, 335, 500, 975, 0, 0};
    /// What a legal capture or promotion wins once both sides have recaptured as long as it pays, the cheapest piece
    /// first, those behind others on a line included. Pins are not seen. Other moves give 0.
    int exchange(Move move) const { return is_capture(move) || is_promotion(move) ? exchange_on(move) : 0; }
    /// The most that it can win: what it takes and what it promotes to.
    int exchange_bound(Move move) const {
        const int promotion_gain = is_promotion(move) ? exchange_values[promoted(move)] - exchange_values[pawn] : 0;
        return exchange_values[captured(move)] + promotion_gain;
    }
    /// Whether the side to move has more than king and pawns, with which it is often worse to move than to pass.
    bool may_pass() const { return pieces(side()) & ~(pieces(pawn) | pieces(king)); }

    /// UCI. Castling is e1g1, e1c1, e8g8 or e8c8 from the squares of ordinary chess, else the king takes his rook.
    static std::string move_text(Move move);
    std::string san(Move move) const;
    /// The legal move that a text in UCI or SAN names, if there is exactly one. In UCI the king may always castle by
    /// taking his rook. SAN may tell more of the origin than it must, may lack x, = and +, may end in any of +#!? and
    /// may castle with zeros.
    std::optional<Move> parse_move(std::string_view text) const;
    static MoveIndex move_index(Move move) {
        return {from(move), to(move), is_promotion(move) ? static_cast<int>(promoted(move)) : 0};
    }
    FeatureMask move_features(Move move) const;
    template <class Sink>
    void features(int set, Sink& sink) const;
    std::string draw() const;

    /// From where the side to move gives check.
    struct Checks {
        std::array<Bitboard, 6> from{};  // by a piece of a kind that arrives there
        Bitboard screens = 0;            // own pieces that alone hide a line to the king
    };
    class FeatureReader;

    // For sums that are kept while pieces move (eval/board_sums.hpp).
    struct Board {
        std::array<Bitboard, 6> kinds{};  // of both sides
        std::array<Bitboard, 2> sides{};
    };
    const Board& board() const { return now(); }
    template <class Note>
    static void each_change(const Board& from, const Board& to, Note note) {
        for (int kind = pawn; kind < king; ++kind) {
            for (Side side : {first, second})
                each_change_of_square(from.kinds[kind] & from.sides[side], to.kinds[kind] & to.sides[side],
                                      (side * 5 + kind) * 64, note);
        }
    }
    static std::optional<PlaceMap> place_map(int set);

    // For the raw board as inputs of networks (features.hpp).
    static constexpr int piece_kinds = 6, piece_places = 64, board_width = 8;
    template <class Note>
    void each_piece(Note note) const {
        for (Side side : {first, second}) {
            for (int kind = pawn; kind <= king; ++kind) {
                for (Bitboard rest = pieces(side, Kind(kind)); rest; drop_lowest(rest)) note(side, kind, lowest(rest));
            }
        }
    }
    static constexpr int seen_place(Side side, int place) { return own_square(side, place); }
    static std::string place_text(int place);
    LastMove last_move() const {
        const State& now = trail_.now();
        return now.last ? LastMove{arrival(now.last), now.last_captured != none} : LastMove{};
    }

    static constexpr Square from(Move move) { return move.bits & 63; }
    /// Where a move ends. A castling king takes his own rook: that tells all castlings and king's steps apart, which
    /// the square where he arrives does not.
    static constexpr Square to(Move move) { return move.bits >> 6 & 63; }
    static constexpr Kind moved(Move move) { return moved_kinds[manner(move)]; }
    static constexpr bool is_promotion(Move move) { return manner(move) >= promotion; }
    static constexpr Kind promoted(Move move) { return Kind(knight + (manner(move) & 3)); }
    static constexpr bool is_castling(Move move) { return manner(move) == castling; }
    static constexpr bool castles_short(Move castling) { return to(castling) > from(castling); }
    static constexpr std::size_t move_slots = 1 << 15;
    /// Squares, and three bits for the manner: manners that share them never share the squares. Castling goes along a
    /// rank, as no bishop does; promotions go where no pawn merely steps, no knight leaps and no pawn comes two steps
    /// or captures in passing.
    static constexpr std::size_t slot(Move move) {
        constexpr std::uint64_t by_manner = 0x7610'0002'7654'3210;  // a hexadecimal digit each, the lowest first
        return (move.bits & 0xfffu) | (by_manner >> manner(move) * 4 & 7) << 12;
    }
    /// Where the moving piece arrives.
    static constexpr Square arrival(Move move) { return is_castling(move) ? castled_king(move) : to(move); }

  private:
    /// What moves and how: the upper four bits of a move. Below double_step it is the kind of piece.
    enum Manner : std::uint8_t { double_step = 6, en_passant, castling, promotion = 12 };
    static constexpr std::array<Kind, 16> moved_kinds = {pawn, knight, bishop, rook, queen, king, pawn, pawn,
                                                         king, none,   none,   none, pawn,  pawn, pawn, pawn};

    enum Wing : std::uint8_t { king_side, queen_side };
    /// The bit of a right to castle.
    static constexpr std::uint8_t right(Side side, Wing wing) {
        return static_cast<std::uint8_t>(1 << (2 * side + wing));
    }

    /// What castling with one rook asks for.
    struct Castling {
        Bitboard rook = 0;      // not pinned: it would leave the king in check along the rank
        Bitboard way = 0;       // where king and rook pass and arrive: empty
        Bitboard king_way = 0;  // from the king to where he arrives: not attacked
    };
    /// What follows from the squares of kings and rooks, which in Chess960 differ from game to game.
    struct Castlings {
        std::array<std::array<Castling, 2>, 2> of;   // side and wing
        std::array<std::uint8_t, 64> lost_rights{};  // when a piece leaves a square or is captured on it
        std::array<Key, 16> keys{};                  // by rights
    };

    struct State : Board {
        Key key = 0;
        std::uint32_t plies = 0;       // since the first move of the game
        std::uint16_t clock = 0;       // plies since a capture or a pawn's move
        std::uint16_t reversible = 0;  // the same, or since the last null move
        Move last;                     // the opponent's last move, and what it captured
        Kind last_captured = none;
        Side side = first;
        std::uint8_t rights = 0;      // to castle
        std::int8_t en_passant = -1;  // where a pawn can be captured in passing

        /// Puts a piece on a square or takes it away.
        void toggle(Side owner, Kind kind, Square square) {
            kinds[kind] ^= bit(square);
            sides[owner] ^= bit(square);
            key ^= piece_keys[(owner * 6 + kind) * 64 + square];
        }
    };

    static constexpr int most_clock = 9999;  // counters beyond these bounds are printed as the bound
    static constexpr int most_moves = 99999;

    static constexpr auto piece_keys = zobrist_keys<2 * 6 * 64>(10);
    static constexpr auto castling_keys = zobrist_keys<64>(11);  // by square of the rook
    static constexpr auto file_keys = zobrist_keys<8>(12);
    static constexpr Key side_key = zobrist_keys<1>(13)[0];

    Chess() = default;  // an empty board, which is no position yet

    static constexpr Move make(Square from, Square to, int manner) {
        return {static_cast<std::uint16_t>(from | to << 6 | manner << 12)};
    }
    static constexpr Manner manner(Move move) { return Manner(move.bits >> 12); }
    /// Where king and rook arrive: on the g and f files, or on the c and d files.
    static constexpr Square castled_king(Move move) { return (from(move) & 56) + (castles_short(move) ? 6 : 2); }
    static constexpr Square castled_rook(Move move) { return (from(move) & 56) + (castles_short(move) ? 5 : 3); }
    static constexpr Bitboard first_rank(Side side) { return side == first ? rank_1 : rank_8; }
    /// Where the pawn stands that is captured in passing.
    static constexpr Square passed_pawn(Square target) { return target ^ 8; }
    static constexpr Kind arriving(Move move) { return is_promotion(move) ? promoted(move) : moved(move); }
    /// The square as its owner sees it, rank 0 nearest to him.
    static constexpr Square own_square(Side side, Square square) { return side == first ? square : flip_rank(square); }

    // What is generated: noisy moves are captures and promotions to a queen, tactical ones include all promotions.
    enum class Wanted : std::uint8_t { all, noisy, tactical, quiet };

    template <Side us, Wanted wanted, class Sink>
    void generate_for(Sink& sink) const;
    template <Side us, Wanted wanted, class Sink>
    void generate_pawns(Sink& sink, Bitboard allowed, Bitboard straight_pins, Bitboard diagonal_pins) const;
    Bitboard attacks_of(Side by, Bitboard occupied) const;
    static Bitboard attacks_from(Kind kind, Side side, Square square, Bitboard occupied);
    Bitboard occupied_after(Move move) const;
    Checks checks() const;
    bool gives_check(Move move, const Checks& checks) const;
    int exchange_on(Move move) const;
    bool can_capture_en_passant(Side by, Square from, Square target) const;
    bool can_capture_en_passant(Side by, Square target) const;
    Chess after(Move move) const;
    void complete_castling(Move move);
    void read_board(std::string_view field);
    void read_rights(std::string_view field);
    Bitboard outer_rook(Side side, Wing wing) const;
    void read_en_passant(std::string_view field);

    static const std::vector<MoveFeature>& move_feature_table();
    static const std::vector<SquareSet>& square_sets();
    static constexpr int baseline_set = 6;  // behind the square sets
    static constexpr int raw_squares_set = baseline_set + 1, board_set = baseline_set + 2,
                         last_move_set = baseline_set + 3;
    chess::Armies armies() const;

    const State& now() const { return trail_.now(); }

    Trail<State> trail_;
    Castlings castlings_;
};

inline Chess::Kind Chess::piece_on(Square square) const {
    int kind = none;
    for (int candidate = pawn; candidate < none; ++candidate) {
        if (pieces(Kind(candidate)) & bit(square)) kind = candidate;
    }
    return Kind(kind);
}

inline bool Chess::is_attacked(Square square, Side by, Bitboard occupied) const {
    const Bitboard queens = pieces(queen);
    const Bitboard attackers = (chess::pawn_attacks(other(by), square) & pieces(pawn)) |
                               (chess::knight_attacks(square) & pieces(knight)) |
                               (chess::king_attacks(square) & pieces(king)) |
                               (chess::bishop_attacks(square, occupied) & (pieces(bishop) | queens)) |
                               (chess::rook_attacks(square, occupied) & (pieces(rook) | queens));
    // A piece that the caller took from the board by its occupied squares does not attack.
    return attackers & pieces(by) & occupied;
}

/// All squares that a side attacks.
inline Bitboard Chess::attacks_of(Side by, Bitboard occupied) const {
    const Bitboard pawns = pieces(by, pawn), queens = pieces(queen);
    Bitboard attacked = chess::ahead_west(by, pawns) | chess::ahead_east(by, pawns) |
                        chess::knights_reach(pieces(by, knight)) | chess::king_attacks(king_square(by));
    for (Bitboard rest = pieces(by) & (pieces(bishop) | queens); rest; drop_lowest(rest))
        attacked |= chess::bishop_attacks(lowest(rest), occupied);
    for (Bitboard rest = pieces(by) & (pieces(rook) | queens); rest; drop_lowest(rest))
        attacked |= chess::rook_attacks(lowest(rest), occupied);
    return attacked;
}

/// Whether a pawn may capture in passing: both pawns leave their rank at once, which no pin mask foresees.
inline bool Chess::can_capture_en_passant(Side by, Square from, Square target) const {
    const Bitboard after = (occupied() ^ bit(from) ^ bit(passed_pawn(target))) | bit(target);
    return !is_attacked(king_square(by), other(by), after);
}

inline bool Chess::can_capture_en_passant(Side by, Square target) const {
    for (Bitboard rest = chess::pawn_attacks(other(by), target) & pieces(by, pawn); rest; drop_lowest(rest)) {
        if (can_capture_en_passant(by, lowest(rest), target)) return true;
    }
    return false;
}

/// What a piece of a kind attacks from a square.
inline Bitboard Chess::attacks_from(Kind kind, Side side, Square square, Bitboard occupied) {
    switch (kind) {
        case pawn: return chess::pawn_attacks(side, square);
        case knight: return chess::knight_attacks(square);
        case bishop: return chess::bishop_attacks(square, occupied);
        case rook: return chess::rook_attacks(square, occupied);
        case queen: return chess::queen_attacks(square, occupied);
        case king: return chess::king_attacks(square);
        case none: break;
    }
    return 0;
}

/// The occupied squares after a move.
inline Bitboard Chess::occupied_after(Move move) const {
    const Square target = to(move);
    Bitboard all = (occupied() ^ bit(from(move))) | bit(target);
    if (manner(move) == en_passant) all ^= bit(passed_pawn(target));
    if (manner(move) == castling) all = (all ^ bit(target)) | bit(castled_king(move)) | bit(castled_rook(move));
    return all;
}

inline Chess::Checks Chess::checks() const {
    const Side us = side(), them = other(us);
    const Square aim = king_square(them);
    const Bitboard all = occupied(), own = pieces(us), queens = pieces(queen);
    const Bitboard diagonal = chess::bishop_attacks(aim, all), straight = chess::rook_attacks(aim, all);
    Bitboard hidden = ((chess::sliding.rook_rays[aim] & ~straight & (pieces(rook) | queens)) |
                       (chess::sliding.bishop_rays[aim] & ~diagonal & (pieces(bishop) | queens))) &
                      own;
    Bitboard screens = 0;
    for (; hidden; drop_lowest(hidden)) {
        const Bitboard blockers = chess::between(aim, lowest(hidden)) & all;
        if (!(blockers & (blockers - 1))) screens |= blockers & own;
    }
    return {{chess::pawn_attacks(them, aim), chess::knight_attacks(aim), diagonal, straight, diagonal | straight, 0},
            screens};
}

/// Whether a legal move gives check, by the piece that arrives or by one whose line it opens. Castling opens none: what
/// could attack along the rank would stand in the way.
inline bool Chess::gives_check(Move move, const Checks& checks) const {
    const bool is_plain = manner(move) < en_passant;  // one piece goes, as what it is
    if (is_plain) {
        if (checks.from[moved(move)] & bit(to(move))) return true;
        if (!(checks.screens & bit(from(move)))) return false;
    }
    const Side us = side();
    const Bitboard target = pieces(other(us), king), all = occupied_after(move);
    if (manner(move) == castling) return chess::rook_attacks(castled_rook(move), all) & target;
    if (!is_plain && attacks_from(arriving(move), us, to(move), all) & target) return true;
    const Square their_king = lowest(target);
    const Bitboard staying = pieces(us) & ~bit(from(move)), queens = pieces(queen);
    return staying & ((chess::bishop_attacks(their_king, all) & (pieces(bishop) | queens)) |
                      (chess::rook_attacks(their_king, all) & (pieces(rook) | queens)));
}

template <Side us, Chess::Wanted wanted, class Sink>
void Chess::generate_for(Sink& sink) const {
    constexpr Side them = other(us);
    const Bitboard own = pieces(us), enemy = pieces(them), all = own | enemy;
    const Square our_king = king_square(us);
    const auto add = [&sink](Square from, Bitboard targets, Kind kind) {
        sink.add_each(targets, [=](Square to) { return make(from, to, kind); });
    };

    // 1. Who gives check, where a piece may go to end it, and along which lines pieces are pinned. Lines with the
    //    sliding piece on them; straight and diagonal ones apart, so that a mask keeps a pinned piece on its own.
    const Bitboard near_checkers =
        ((chess::pawn_attacks(us, our_king) & pieces(pawn)) | (chess::knight_attacks(our_king) & pieces(knight))) &
        enemy;
    Bitboard check_lines = near_checkers;
    int checkers = count(near_checkers);
    const auto pins_along = [&](Bitboard sliders) {
        Bitboard pins = 0;
        for (; sliders; drop_lowest(sliders)) {
            const Bitboard inside = chess::between(our_king, lowest(sliders));
            const Bitboard line = inside | (sliders & -sliders), blockers = inside & all;
            if (!blockers) {
                check_lines |= line;
                ++checkers;
            } else if (!(blockers & (blockers - 1))) {
                pins |= line;
            }
        }
        return pins;
    };
    const Bitboard queens = pieces(queen);
    const Bitboard straight_pins = pins_along(chess::sliding.rook_rays[our_king] & enemy & (pieces(rook) | queens));
    const Bitboard diagonal_pins = pins_along(chess::sliding.bishop_rays[our_king] & enemy & (pieces(bishop) | queens));

    // 2. The king, who must not step back along the line of a check either.
    constexpr bool with_quiet = wanted == Wanted::all || wanted == Wanted::quiet;
    const Bitboard targets = wanted == Wanted::all ? ~own : wanted == Wanted::quiet ? ~all : enemy;
    const Bitboard steps = chess::king_attacks(our_king) & targets;
    const std::array<Castling, 2>& castlings = castlings_.of[us];
    const auto has_way = [&](Wing wing) {
        return with_quiet && (now().rights & right(us, wing)) && !(all & castlings[wing].way);
    };
    if (steps || has_way(king_side) || has_way(queen_side)) {
        const Bitboard attacked = attacks_of(them, all ^ bit(our_king));
        add(our_king, steps & ~attacked, king);
        const auto castle = [&](Wing wing) {
            if (has_way(wing) && !(attacked & castlings[wing].king_way) && !(straight_pins & castlings[wing].rook))
                sink.add(make(our_king, lowest(castlings[wing].rook), castling));
        };
        castle(king_side);
        castle(queen_side);
    }
    if (checkers > 1) return;
    const Bitboard endings = checkers ? check_lines : ~own;

    // 3. The others. A pinned knight never moves.
    const Bitboard free = own & ~(straight_pins | diagonal_pins);
    generate_pawns<us, wanted>(sink, endings, straight_pins, diagonal_pins);
    const Bitboard allowed = endings & targets;
    for (Bitboard rest = free & pieces(knight); rest; drop_lowest(rest))
        add(lowest(rest), chess::knight_attacks(lowest(rest)) & allowed, knight);
    for (Bitboard rest = free & pieces(bishop); rest; drop_lowest(rest))
        add(lowest(rest), chess::bishop_attacks(lowest(rest), all) & allowed, bishop);
    for (Bitboard rest = free & pieces(rook); rest; drop_lowest(rest))
        add(lowest(rest), chess::rook_attacks(lowest(rest), all) & allowed, rook);
    for (Bitboard rest = free & queens; rest; drop_lowest(rest))
        add(lowest(rest), chess::queen_attacks(lowest(rest), all) & allowed, queen);
    if (!(straight_pins | diagonal_pins)) return;
    for (Bitboard rest = own & diagonal_pins & (pieces(bishop) | queens); rest; drop_lowest(rest))
        add(lowest(rest), chess::bishop_attacks(lowest(rest), all) & diagonal_pins & allowed,
            queens & rest & -rest ? queen : bishop);
    for (Bitboard rest = own & straight_pins & (pieces(rook) | queens); rest; drop_lowest(rest))
        add(lowest(rest), chess::rook_attacks(lowest(rest), all) & straight_pins & allowed,
            queens & rest & -rest ? queen : rook);
}

template <Side us, Chess::Wanted wanted, class Sink>
void Chess::generate_pawns(Sink& sink, Bitboard allowed, Bitboard straight_pins, Bitboard diagonal_pins) const {
    constexpr Side them = other(us);
    constexpr int step = us == first ? 8 : -8;
    constexpr Bitboard third_rank = rank_mask(us == first ? 2 : 5);
    constexpr Bitboard seventh_rank = rank_mask(us == first ? 6 : 1);
    constexpr Bitboard last_rank = rank_mask(us == first ? 7 : 0);
    const Bitboard pawns = pieces(us, pawn), empty = ~occupied(), enemy = pieces(them);
    const Bitboard free = pawns & ~(straight_pins | diagonal_pins);
    const Bitboard straight = pawns & straight_pins, diagonal = pawns & diagonal_pins;

    const Bitboard single = (chess::ahead(us, free) | (chess::ahead(us, straight) & straight_pins)) & empty;
    const Bitboard doubled = chess::ahead(us, single & third_rank) & empty & allowed;
    const Bitboard ahead = single & allowed;
    const Bitboard captures = enemy & allowed;
    const Bitboard west = (chess::ahead_west(us, free) | (chess::ahead_west(us, diagonal) & diagonal_pins)) & captures;
    const Bitboard east = (chess::ahead_east(us, free) | (chess::ahead_east(us, diagonal) & diagonal_pins)) & captures;

    const auto add = [&sink](Bitboard targets, int from_step, int manner) {
        sink.add_each(targets, [=](Square to) { return make(to - from_step, to, manner); });
    };
    if constexpr (wanted == Wanted::all || wanted == Wanted::quiet) {
        add(ahead & ~last_rank, step, pawn);
        add(doubled, 2 * step, double_step);
    }
    if constexpr (wanted == Wanted::quiet) return;
    add(west & ~last_rank, step - 1, pawn);
    add(east & ~last_rank, step + 1, pawn);
    if (pawns & seventh_rank) {
        constexpr int to_queen = promotion + 3;
        for (int manner = to_queen; manner >= (wanted == Wanted::noisy ? to_queen : promotion); --manner) {
            add(ahead & last_rank, step, manner);
            add(west & last_rank, step - 1, manner);
            add(east & last_rank, step + 1, manner);
        }
    }
    if (now().en_passant >= 0) {
        const Square target = now().en_passant;
        for (Bitboard rest = chess::pawn_attacks(them, target) & pawns; rest; drop_lowest(rest)) {
            if (can_capture_en_passant(us, lowest(rest), target)) sink.add(make(lowest(rest), target, en_passant));
        }
    }
}

inline void Chess::push(Move move) {
    State& state = trail_.push();
    const Side us = state.side, them = other(us);
    const Square start = from(move), target = to(move);
    const Kind kind = moved(move);
    if (state.en_passant >= 0) state.key ^= file_keys[file_of(state.en_passant)];
    state.en_passant = -1;
    state.last = move;
    state.last_captured = none;
    ++state.plies;
    ++state.clock;
    ++state.reversible;
    if (pieces(them) & bit(target)) {
        state.last_captured = piece_on(target);
        state.toggle(them, state.last_captured, target);
        state.clock = state.reversible = 0;
    }
    if (kind == pawn) state.clock = state.reversible = 0;
    state.toggle(us, kind, start);
    state.toggle(us, arriving(move), target);
    if (const std::uint8_t lost = state.rights & (castlings_.lost_rights[start] | castlings_.lost_rights[target])) {
        state.key ^= castlings_.keys[state.rights] ^ castlings_.keys[state.rights ^ lost];
        state.rights ^= lost;
    }
    state.key ^= side_key;
    state.side = them;
    switch (manner(move)) {
        case double_step: {
            const Square passed = (start + target) / 2;
            if (can_capture_en_passant(them, passed)) {
                state.en_passant = static_cast<std::int8_t>(passed);
                state.key ^= file_keys[file_of(passed)];
            }
            break;
        }
        case en_passant:
            state.toggle(them, pawn, passed_pawn(target));
            state.last_captured = pawn;
            break;
        case castling: complete_castling(move); break;
        default: break;
    }
}

inline void Chess::push_null() {
    assert(!in_check());
    State& state = trail_.push();
    if (state.en_passant >= 0) state.key ^= file_keys[file_of(state.en_passant)];
    state.en_passant = -1;
    state.last = {};
    state.last_captured = none;
    ++state.plies;
    ++state.clock;
    state.reversible = 0;
    state.key ^= side_key;
    state.side = other(state.side);
}

/// No sequence of moves can mate: a lone minor piece, or only bishops, all on squares of one colour.
inline bool Chess::is_dead() const {
    if (pieces(pawn) | pieces(rook) | pieces(queen)) return false;
    constexpr Bitboard dark = 0xaa55aa55aa55aa55;
    const Bitboard knights = pieces(knight), bishops = pieces(bishop);
    if (knights) return count(knights | bishops) == 1;
    return !(bishops & dark) || !(bishops & ~dark);
}

inline std::optional<Outcome> Chess::by_history() const {
    if (is_dead()) return Outcome::draw("dead position");
    if (now().clock >= 100) return Outcome::draw("fifty moves");
    if (trail_.repetitions(now().reversible) >= 2) return Outcome::draw("threefold repetition");
    return std::nullopt;
}

inline int Chess::exchange_on(Move move) const {
    const Square target = to(move);
    const Bitboard straight = pieces(rook) | pieces(queen), diagonal = pieces(bishop) | pieces(queen);
    Bitboard all = occupied_after(move);
    Bitboard attackers =
        (chess::pawn_attacks(first, target) & pieces(second, pawn)) |
        (chess::pawn_attacks(second, target) & pieces(first, pawn)) | (chess::knight_attacks(target) & pieces(knight)) |
        (chess::king_attacks(target) & pieces(king)) | (chess::bishop_attacks(target, all) & diagonal) |
        (chess::rook_attacks(target, all) & straight);
    attackers &= all & ~bit(target);

    // 1. What each capture has won so far, seen by the side that makes it, should the exchange end there.
    constexpr int queen_for_pawn = exchange_values[queen] - exchange_values[pawn];
    std::array<int, 32> gains;
    int depth = 0;
    gains[0] = exchange_bound(move);
    int at_stake = exchange_values[arriving(move)];
    Side taker = other(side());
    for (;; taker = other(taker)) {
        const Bitboard own = attackers & pieces(taker);
        if (!own) break;
        int kind = pawn;
        while (!(own & pieces(Kind(kind)))) ++kind;
        if (kind == king && (attackers & pieces(other(taker)))) break;  // into check
        ++depth;
        gains[depth] = at_stake - gains[depth - 1];
        at_stake = exchange_values[kind];
        if (kind == pawn && (bit(target) & first_rank(other(taker)))) {
            gains[depth] += queen_for_pawn;
            at_stake = exchange_values[queen];
        }
        const Bitboard leaving = own & pieces(Kind(kind));
        all ^= leaving & -leaving;
        if (kind == pawn || kind == bishop || kind == queen) attackers |= chess::bishop_attacks(target, all) & diagonal;
        if (kind == rook || kind == queen) attackers |= chess::rook_attacks(target, all) & straight;
        attackers &= all;
    }
    // 2. Backwards: nobody has to go on.
    for (; depth > 0; --depth) gains[depth - 1] = -std::max(-gains[depth - 1], gains[depth]);
    return gains[0];
}

/// Both armies, turned to the side to move.
inline chess::Armies Chess::armies() const {
    const auto army = [this](Side who, auto turn) {
        const auto of = [&](Kind kind) { return turn(pieces(who, kind)); };
        return chess::Army{of(pawn), of(knight), of(bishop), of(rook), of(queen), of(king)};
    };
    if (side() == first) {
        const auto as_it_is = [](Bitboard set) { return set; };
        return {{army(first, as_it_is), army(second, as_it_is)}};
    }
    const auto flipped = [](Bitboard set) { return chess::flip_ranks(set); };
    return {{army(second, flipped), army(first, flipped)}};
}

template <class Sink>
void Chess::features(int set, Sink& sink) const {
    if (set == baseline_set) return chess::BaselineFeatures<Sink>(armies(), sink).write();
    if (set == raw_squares_set) return write_squares(*this, sink);
    if (set == board_set) return write_board(*this, sink);
    if (set == last_move_set) return write_last_move(*this, 64, sink);
    const SquareSet& squares = square_sets()[set];
    for (Side who : {first, second}) {
        const int sign = who == side() ? 1 : -1;
        for (int kind = pawn; kind < king; ++kind) {
            for (Bitboard rest = pieces(who, Kind(kind)); rest; drop_lowest(rest)) {
                const int feature = squares.at(kind, own_square(who, lowest(rest)));
                if (feature >= 0) sink.add(feature, sign);
            }
        }
    }
}

}  // namespace plypilot

#include "chess_move_features.hpp"
