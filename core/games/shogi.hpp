// Shogi: rules, SFEN and USI notation, move features and evaluation features. Black, at the bottom, moves first.
// A known limit: there is no impasse, that is no declaration or count of points when both kings have entered the
// opposing camp; such games end by mate, by repetition or not at all.
#pragma once

#include <cstring>

#include "../bitboard.hpp"
#include "../features.hpp"
#include "../game.hpp"
#include "../zobrist.hpp"
#include "shogi_attacks.hpp"

namespace plypilot {

class Shogi {
  public:
    /// Kinds of pieces: the eight as they start, numbered as movers, and the promoted ones eight higher.
    static constexpr int kinds = 16;
    static constexpr int hand_kinds = 7;  // pawn, lance, knight, silver, gold, bishop, rook
    static constexpr int promoted = 8;
    static constexpr int no_kind = 15;
    static constexpr int most_moves = 100000;  // where the move number stops counting

    struct Piece {
        std::uint8_t code = no_kind;  // kind + 16 * side

        constexpr explicit operator bool() const { return kind() != no_kind; }
        constexpr int kind() const { return code & 15; }
        constexpr Side side() const { return Side(code >> 4); }
        /// How it moves: shogi::Mover.
        constexpr int mover() const { return mover_of[kind()]; }
        bool operator==(const Piece&) const = default;
    };

    static const GameInfo& info();
    static Shogi from_fen(std::string_view fen);
    std::string fen() const;

    Side side() const { return state().side; }
    Key key() const { return state().key; }
    std::size_t ply() const { return trail_.plies(); }
    Piece piece_on(Square square) const { return state().squares[square]; }
    int in_hand(Side side, int kind) const { return state().hands[side][kind]; }
    bool in_check() const { return static_cast<bool>(state().checkers); }
    bool is_capture(Move move) const { return static_cast<bool>(piece_on(to(move))); }
    bool is_tactical(Move move) const { return is_capture(move) || promotes(move); }
    bool gives_check(Move move) const { return gives_check(move, checks()); }

    template <class Sink>
    void generate(Sink& sink) const {
        generate_moves<Wanted::all>(sink);
    }
    template <class Sink>
    void generate_noisy(Sink& sink) const {
        generate_tactical(sink);
    }
    /// Captures, promoting or not, and other promotions (Smith 6.3).
    template <class Sink>
    void generate_tactical(Sink& sink) const {
        generate_moves<Wanted::tactical>(sink);
    }
    template <class Sink>
    void generate_quiet(Sink& sink) const {
        generate_moves<Wanted::quiet>(sink);
    }
    void push(Move move);
    void push_null();
    void pop() { trail_.pop(); }
    void forget_path() { trail_.now().reversible = 0; }

    std::optional<Outcome> decided() const { return std::nullopt; }
    Outcome stuck() const { return Outcome::win(other(side()), in_check() ? "checkmate" : "no move"); }
    std::optional<Outcome> by_history() const;

    static std::string move_text(Move move);
    static MoveIndex move_index(Move move);
    class FeatureReader;
    FeatureMask move_features(Move move) const;
    template <class Sink>
    void features(int set, Sink& sink) const;
    std::string draw() const;

    // For sums that are kept while pieces move (eval/board_sums.hpp). A piece in hand has the place behind the squares.
    static constexpr int places_of_kind = 82;
    struct Board {
        std::array<Piece, 81> squares;
        std::array<std::array<std::uint8_t, 8>, 2> hands{};
    };
    const Board& board() const { return state(); }
    template <class Note>
    static void each_change(const Board& from, const Board& to, Note note);
    static std::optional<PlaceMap> place_map(int set);

    // For the raw board as inputs of networks (features.hpp). There is no promoted gold, so that kinds behind it move
    // up.
    static constexpr int piece_kinds = 14, piece_places = places_of_kind, board_width = 9;
    template <class Note>
    void each_piece(Note note) const;
    static constexpr int seen_place(Side side, int place) { return side == first || place == 81 ? place : 80 - place; }
    static std::string place_text(int place);
    LastMove last_move() const {
        const State& now = state();
        return now.last_to < 0 ? LastMove{} : LastMove{square_places[first][now.last_to], now.last_captures};
    }

    /// What pieces are worth, by kind: the YSS set of Smith, table C.3, with the pawn, 0.48 there, as 100.
    static constexpr std::array<int, kinds> values = {100, 431, 450, 642, 692, 892,  1042, 0,
                                                      421, 631, 642, 671, 0,   1152, 1302, 0};
    /// What the capture of a piece changes in the balance of material: its owner loses it as it is, and the other side
    /// has it in hand unpromoted (Smith 6.2).
    static constexpr int capture_value(int kind) { return values[kind] + values[kind % promoted]; }
    /// What a move wins, in score units, by its capture and promotion and the captures on its target that may follow:
    /// each by the cheapest piece, which promotes where it can, lines opening as pieces leave them, each side free to
    /// stop. Pins are not seen.
    int exchange(Move move) const;
    /// The most that it can win: what it takes and what it promotes to.
    int exchange_bound(Move move) const;

    static constexpr Square to(Move move) { return move.bits & 127; }
    /// The square a piece leaves, or 81 + its kind if it is dropped.
    static constexpr int from(Move move) { return move.bits >> 7 & 127; }
    static constexpr bool promotes(Move move) { return move.bits >> 14; }
    static constexpr bool is_drop(Move move) { return from(move) >= 81; }
    static constexpr int dropped_kind(Move move) { return from(move) - 81; }
    static constexpr std::size_t move_slots = (81 + hand_kinds) * 81 * 2;
    static constexpr std::size_t slot(Move move) { return (from(move) * 81 + to(move)) * 2 + promotes(move); }

  private:
    struct State : Board {
        std::array<Bitboard81, shogi::movers> movers;  // of both sides
        std::array<Bitboard81, 2> sides;
        Bitboard81 checkers;  // what attacks the king of the side to move
        Bitboard81 pinned;    // pieces of the side to move that shield their king from a sliding piece
        Key key = 0;
        std::array<std::uint8_t, 2> kings{};
        Side side = first;
        std::int8_t last_to = -1;           // where the opponent's last move ended
        std::uint8_t last_mover = no_kind;  // what he moved or dropped, before it promoted
        bool last_captures = false;
        int reversible = 0;  // moves since the start or a null move
        int move_number = 1;

        void put(Square square, Piece piece);
        void remove(Square square);
        void add_to_hand(Side owner, int kind);
        void take_from_hand(Side owner, int kind);
        void pass_turn();
    };

    static constexpr std::array<std::uint8_t, kinds> mover_of = {
        shogi::pawn, shogi::lance, shogi::knight, shogi::silver, shogi::gold, shogi::bishop, shogi::rook,   shogi::king,
        shogi::gold, shogi::gold,  shogi::gold,   shogi::gold,   no_kind,     shogi::horse,  shogi::dragon, no_kind};

    static constexpr auto piece_keys = zobrist_keys<32 * 81>(1);
    static constexpr auto hand_keys = zobrist_keys<2 * 8 * 32>(2);  // the n-th piece of a kind in hand has a key
    static constexpr Key side_key = zobrist_keys<1>(3)[0];

    static constexpr std::array<Bitboard81, 2> last_rank = {rank81_mask(8), rank81_mask(0)};
    static constexpr std::array<Bitboard81, 2> last_two_ranks = {last_rank[0] | rank81_mask(7),
                                                                 last_rank[1] | rank81_mask(1)};
    static constexpr std::array<Bitboard81, 2> promotion_zone = {last_two_ranks[0] | rank81_mask(6),
                                                                 last_two_ranks[1] | rank81_mask(2)};

    static constexpr Move make(int from, Square to, bool promotes = false) {
        return {static_cast<std::uint16_t>(to | from << 7 | promotes << 14)};
    }
    static constexpr Piece piece(Side side, int kind) { return {static_cast<std::uint8_t>(kind + 16 * side)}; }

    const State& state() const { return trail_.now(); }
    Bitboard81 occupied() const { return state().sides[first] | state().sides[second]; }
    Bitboard81 pieces(Side side, int mover) const { return state().sides[side] & state().movers[mover]; }
    // What slides along files and ranks, and along diagonals, promoted or not.
    Bitboard81 rook_lines() const { return state().movers[shogi::rook] | state().movers[shogi::dragon]; }
    Bitboard81 bishop_lines() const { return state().movers[shogi::bishop] | state().movers[shogi::horse]; }

    struct Shields {
        Bitboard81 checkers;
        Bitboard81 pinned;
    };
    /// What attacks the king of a side, and what of its own pieces stands between it and a sliding piece.
    Shields shields(Side side) const;
    void see_checks();
    /// From where the side to move gives check.
    struct Checks {
        std::array<Bitboard81, shogi::movers> from;  // by a piece that arrives there and then moves so
        Bitboard81 screens;                          // own pieces that alone hide a line to the king
    };
    Checks checks() const;
    bool gives_check(Move move, const Checks& checks) const;
    /// What a move moves or drops, as it is before it promotes.
    int moved_kind(Move move) const { return is_drop(move) ? dropped_kind(move) : piece_on(from(move)).kind(); }
    Bitboard81 attackers(Side by, Square square, Bitboard81 occupied) const;
    /// The sliding pieces of both sides that attack a square.
    Bitboard81 sliders(Square square, Bitboard81 occupied) const;
    /// Squares that the opponent of a side attacks; complete only for the neighbours of its king.
    Bitboard81 danger(Side side, Bitboard81 occupied) const;
    bool is_pawn_drop_mate(Square square) const;

    enum class Wanted : std::uint8_t { all, tactical, quiet };

    template <Wanted wanted, class Sink>
    void generate_moves(Sink& sink) const;
    /// Promoting moves unless only quiet ones are wanted, and others to those of the targets that lie in the set
    /// `plain`.
    template <Wanted wanted, class Sink>
    static void add_moves(Sink& sink, Side us, Square from, Bitboard81 targets, Bitboard81 plain);
    template <class Sink>
    void add_drops(Sink& sink, Bitboard81 targets) const;

    /// The number of a square in a square set, as its owner sees it: along the rank first.
    static constexpr std::array<std::array<std::uint8_t, 81>, 2> square_places = [] {
        std::array<std::array<std::uint8_t, 81>, 2> places{};
        for (Square square = 0; square < 81; ++square) {
            places[first][square] = static_cast<std::uint8_t>(9 * rank81(square) + file81(square));
            places[second][turn81(square)] = places[first][square];
        }
        return places;
    }();

    /// The set king_safety. Attackers are numbered as movers, but without the king.
    enum KingFeature {
        guard_pawn,
        guard_promoted = guard_pawn + hand_kinds,
        attack_pawn,
        weak_squares = attack_pawn + shogi::movers - 1,
        king_flights,
        open_holes,
        holes_by_drops,
        weak_by_drops,
        rook_lines_on_king,
        bishop_lines_on_king,
        lance_lines_on_king,
        no_pawn_ahead,
    };
    /// The features of one king's safety, from the view of its owner; sign -1 takes them away.
    template <class Sink>
    void king_safety(Side side, int sign, Sink& sink) const;

    static const std::vector<MoveFeature>& move_feature_table();
    static const std::vector<SquareSet>& square_sets();
    static constexpr int place(Piece piece, int square) {
        return (piece.side() * kinds + piece.kind()) * places_of_kind + square;
    }

    Trail<State> trail_;
};

template <class Note>
void Shogi::each_change(const Board& from, const Board& to, Note note) {
    const auto see = [&](std::size_t square) {
        const Piece before = from.squares[square], after = to.squares[square];
        if (before) note(place(before, static_cast<int>(square)), -1);
        if (after) note(place(after, static_cast<int>(square)), +1);
    };
    for (std::size_t start = 0; start < 80; start += 8) {  // a word of squares at a time
        std::uint64_t before, after;
        std::memcpy(&before, &from.squares[start], 8);
        std::memcpy(&after, &to.squares[start], 8);
        for (std::uint64_t changed = before ^ after; changed;) {
            const int byte = std::countr_zero(changed) / 8;
            changed &= ~(std::uint64_t{0xff} << 8 * byte);
            see(start + static_cast<std::size_t>(byte));
        }
    }
    if (from.squares[80] != to.squares[80]) see(80);
    for (Side side : {first, second}) {
        if (from.hands[side] == to.hands[side]) continue;
        for (int kind = 0; kind < hand_kinds; ++kind) {
            const int more = to.hands[side][kind] - from.hands[side][kind];
            for (int i = 0; i < std::abs(more); ++i) note(place(piece(side, kind), 81), more > 0 ? +1 : -1);
        }
    }
}

template <class Note>
void Shogi::each_piece(Note note) const {
    constexpr int promoted_gold = promoted + shogi::gold;
    for (Side side : {first, second}) {
        for (Bitboard81 rest = state().sides[side]; rest; drop_lowest(rest)) {
            const Square square = lowest(rest);
            const int kind = piece_on(square).kind();
            note(side, kind - (kind > promoted_gold), square_places[first][square]);
        }
        for (int kind = 0; kind < hand_kinds; ++kind) {
            for (int held = in_hand(side, kind); held > 0; --held) note(side, kind, 81);
        }
    }
}

inline void Shogi::State::put(Square square, Piece piece) {
    const Bitboard81 there = bit81(square);
    movers[piece.mover()] ^= there;
    sides[piece.side()] ^= there;
    squares[square] = piece;
    key ^= piece_keys[piece.code * 81u + static_cast<unsigned>(square)];
}

inline void Shogi::State::remove(Square square) {
    put(square, squares[square]);  // undoes itself, but for the entry of the square
    squares[square] = {};
}

inline void Shogi::State::add_to_hand(Side owner, int kind) {
    const int number = ++hands[owner][kind];
    key ^= hand_keys[(owner * 8 + kind) * 32 + number];
}

inline void Shogi::State::take_from_hand(Side owner, int kind) {
    const int number = hands[owner][kind]--;
    key ^= hand_keys[(owner * 8 + kind) * 32 + number];
}

inline void Shogi::State::pass_turn() {
    side = other(side);
    key ^= side_key;
    move_number = std::min(move_number + 1, most_moves);
}

inline Shogi::Shields Shogi::shields(Side side) const {
    using namespace shogi;
    const State& s = state();
    const Square at = s.kings[side];
    const Bitboard81 enemy = s.sides[other(side)];
    // A piece attacks the king from where a piece of the king's side would attack it.
    Shields found;
    for (Mover mover : {pawn, knight, silver, gold, horse, dragon})
        found.checkers |= s.movers[mover] & steps(side, mover, at);
    found.checkers &= enemy;
    const Bitboard81 snipers = (rook_lines() & tables.cross[at]) | (bishop_lines() & tables.diagonals[at]) |
                               (s.movers[lance] & tables.rays[at][side]);
    for (Bitboard81 rest = snipers & enemy; rest; drop_lowest(rest)) {
        const Square sniper = lowest(rest);
        const Direction direction = tables.direction[at][sniper];
        const Bitboard81 reach = tables.rays[at][direction] ^ tables.rays[sniper][direction];
        const Bitboard81 between = (reach - bit81(sniper)) & occupied();
        if (!between)
            found.checkers |= bit81(sniper);
        else if (count(between) == 1)
            found.pinned |= between & s.sides[side];
    }
    return found;
}

inline void Shogi::see_checks() {
    State& s = trail_.now();
    const Shields seen = shields(s.side);
    s.checkers = seen.checkers;
    s.pinned = seen.pinned;
}

inline Shogi::Checks Shogi::checks() const {
    using namespace shogi;
    const State& s = state();
    const Side us = s.side, them = other(us);
    const Square at = s.kings[them];
    const Bitboard81 taken = occupied(), own = s.sides[us];
    Checks found;
    // A piece attacks the king from where a piece of the king's side would attack it.
    const Bitboard81 straight = rook_attacks(at, taken), diagonal = bishop_attacks(at, taken);
    for (Mover mover : {pawn, knight, silver, gold}) found.from[mover] = steps(them, mover, at);
    found.from[lance] = straight & tables.rays[at][them];
    found.from[bishop] = diagonal;
    found.from[rook] = straight;
    found.from[horse] = diagonal | steps(them, horse, at);
    found.from[dragon] = straight | steps(them, dragon, at);
    const Bitboard81 snipers = ((rook_lines() & tables.cross[at]) | (bishop_lines() & tables.diagonals[at]) |
                                (s.movers[lance] & tables.rays[at][them])) &
                               own;
    for (Bitboard81 rest = snipers; rest; drop_lowest(rest)) {
        const Square sniper = lowest(rest);
        const Direction direction = tables.direction[at][sniper];
        const Bitboard81 reach = tables.rays[at][direction] ^ tables.rays[sniper][direction];
        const Bitboard81 between = (reach - bit81(sniper)) & taken;
        if (count(between) == 1) found.screens |= between & own;
    }
    return found;
}

/// Whether a legal move gives check, by the piece that arrives or by one whose line it opens. No piece stands in its
/// own way: it would give check already.
inline bool Shogi::gives_check(Move move, const Checks& checks) const {
    const int kind = moved_kind(move);
    if (has(checks.from[mover_of[promotes(move) ? kind + promoted : kind]], to(move))) return true;
    if (is_drop(move) || !has(checks.screens, from(move))) return false;
    return !has(shogi::ray(state().kings[other(side())], from(move)), to(move));
}

inline Bitboard81 Shogi::sliders(Square square, Bitboard81 occupied) const {
    using namespace shogi;
    const auto lances = [&](Side by) {
        return state().movers[lance] & state().sides[by] & lance_attacks(other(by), square, occupied);
    };
    return (rook_lines() & rook_attacks(square, occupied)) | (bishop_lines() & bishop_attacks(square, occupied)) |
           lances(first) | lances(second);
}

inline Bitboard81 Shogi::attackers(Side by, Square square, Bitboard81 occupied) const {
    using namespace shogi;
    Bitboard81 found = sliders(square, occupied);
    for (Mover mover : {pawn, knight, silver, gold, king, horse, dragon})
        found |= state().movers[mover] & steps(other(by), mover, square);
    return found & state().sides[by];
}

inline Bitboard81 Shogi::danger(Side side, Bitboard81 occupied) const {
    using namespace shogi;
    const Side them = other(side);
    const Square at = state().kings[side];
    const Bitboard81 enemy = state().sides[them];
    Bitboard81 attacked = ahead(them, pieces(them, pawn));
    for (Bitboard81 rest = enemy & (tables.near_steps[side][at] - state().movers[pawn]); rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        attacked |= steps(them, piece_on(from).mover(), from);
    }
    for (Bitboard81 rest = enemy & state().movers[lance] & tables.near_lances[side][at]; rest; drop_lowest(rest))
        attacked |= lance_attacks(them, lowest(rest), occupied);
    for (Bitboard81 rest = enemy & rook_lines() & tables.near_cross[at]; rest; drop_lowest(rest))
        attacked |= rook_attacks(lowest(rest), occupied);
    for (Bitboard81 rest = enemy & bishop_lines() & tables.near_diagonals[at]; rest; drop_lowest(rest))
        attacked |= bishop_attacks(lowest(rest), occupied);
    return attacked;
}

template <Shogi::Wanted wanted, class Sink>
void Shogi::add_moves(Sink& sink, Side us, Square from, Bitboard81 targets, Bitboard81 plain) {
    const Bitboard81 zone = promotion_zone[us];
    if constexpr (wanted != Wanted::quiet)
        sink.add_each(has(zone, from) ? targets : targets & zone, [=](Square to) { return make(from, to, true); });
    sink.add_each(targets & plain, [=](Square to) { return make(from, to); });
}

template <class Sink>
void Shogi::add_drops(Sink& sink, Bitboard81 targets) const {
    using namespace shogi;
    const Side us = side();
    const auto& hand = state().hands[us];
    const auto add = [&](Mover kind, Bitboard81 squares) {
        if (hand[kind]) sink.add_each(squares, [=](Square to) { return make(81 + kind, to); });
    };
    if (hand[pawn]) {
        Bitboard81 squares = targets & files_without(us, pieces(us, pawn));
        const Bitboard81 checking = squares & steps(other(us), pawn, state().kings[other(us)]);
        if (checking && is_pawn_drop_mate(lowest(checking))) squares -= checking;
        add(pawn, squares);
    }
    add(lance, targets - last_rank[us]);
    add(knight, targets - last_two_ranks[us]);
    for (Mover kind : {silver, gold, bishop, rook}) add(kind, targets);
}

template <Shogi::Wanted wanted, class Sink>
void Shogi::generate_moves(Sink& sink) const {
    using namespace shogi;
    const State& s = state();
    const Side us = side();
    const Square at = s.kings[us];
    const Bitboard81 own = s.sides[us], taken = occupied();
    // Where a move without promotion may go.
    const Bitboard81 plain = wanted == Wanted::tactical ? s.sides[other(us)]
                             : wanted == Wanted::quiet  ? all81 - taken
                                                        : all81;

    if (const Bitboard81 targets = (steps(us, king, at) - own) & plain)
        sink.add_each(targets - danger(us, taken ^ bit81(at)), [=](Square to) { return make(at, to); });

    // Under check, other pieces must capture the checker or come between.
    Bitboard81 targets = all81 - own, drop_targets = all81 - taken;
    if (s.checkers) {
        if (count(s.checkers) > 1) return;
        const Square checker = lowest(s.checkers);
        const Direction direction = tables.direction[at][checker];
        targets = direction == no_direction ? s.checkers : tables.rays[at][direction] ^ tables.rays[checker][direction];
        drop_targets = targets - s.checkers;
    }

    // Pieces that only go forward move under a pin on the king's file or not at all, knights never.
    const Bitboard81 file = tables.rays[at][up] | tables.rays[at][down];
    const Bitboard81 held = s.pinned - file;
    const int step = us == first ? 1 : -1;
    const Bitboard81 pawn_targets = ahead(us, pieces(us, pawn) - held) & targets;
    if constexpr (wanted != Wanted::quiet)
        sink.add_each(pawn_targets & promotion_zone[us], [=](Square to) { return make(to - step, to, true); });
    sink.add_each((pawn_targets & plain) - last_rank[us], [=](Square to) { return make(to - step, to); });
    for (Bitboard81 rest = pieces(us, lance) - held; rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        add_moves<wanted>(sink, us, from, lance_attacks(us, from, taken) & targets, plain - last_rank[us]);
    }
    for (Bitboard81 rest = pieces(us, knight) - s.pinned; rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        add_moves<wanted>(sink, us, from, steps(us, knight, from) & targets, plain - last_two_ranks[us]);
    }

    const auto reachable = [&](Square from, Bitboard81 reach) {
        return has(s.pinned, from) ? reach & targets & ray(at, from) : reach & targets;
    };
    for (Bitboard81 rest = pieces(us, silver); rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        add_moves<wanted>(sink, us, from, reachable(from, steps(us, silver, from)), plain);
    }
    for (Bitboard81 rest = pieces(us, bishop); rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        add_moves<wanted>(sink, us, from, reachable(from, bishop_attacks(from, taken)), plain);
    }
    for (Bitboard81 rest = pieces(us, rook); rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        add_moves<wanted>(sink, us, from, reachable(from, rook_attacks(from, taken)), plain);
    }
    for (Bitboard81 rest = own & (s.movers[gold] | s.movers[horse] | s.movers[dragon]); rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        const int mover = piece_on(from).mover();
        sink.add_each(reachable(from, attacks(us, mover, from, taken)) & plain,
                      [=](Square to) { return make(from, to); });
    }

    if (wanted != Wanted::tactical && drop_targets) add_drops(sink, drop_targets);
}

inline void Shogi::push(Move move) {
    State& s = trail_.push();
    const Side us = s.side;
    const Square target = to(move);
    s.last_captures = false;
    if (is_drop(move)) {
        s.last_mover = static_cast<std::uint8_t>(dropped_kind(move));
        s.take_from_hand(us, dropped_kind(move));
        s.put(target, piece(us, dropped_kind(move)));
    } else {
        const Square source = from(move);
        const int kind = s.squares[source].kind();
        s.last_mover = mover_of[kind];
        if (const Piece captured = s.squares[target]) {
            s.remove(target);
            s.add_to_hand(us, captured.kind() % promoted);
            s.last_captures = true;
        }
        s.remove(source);
        s.put(target, piece(us, promotes(move) ? kind + promoted : kind));
        if (kind == shogi::king) s.kings[us] = static_cast<std::uint8_t>(target);
    }
    s.last_to = static_cast<std::int8_t>(target);
    ++s.reversible;
    s.pass_turn();
    see_checks();
}

inline void Shogi::push_null() {
    State& s = trail_.push();
    s.last_to = -1;
    s.last_mover = no_kind;
    s.last_captures = false;
    s.reversible = 0;
    s.pass_turn();
    see_checks();
}

template <class Sink>
void Shogi::king_safety(Side owner, int sign, Sink& sink) const {
    using namespace shogi;
    const State& s = state();
    const Side enemy = other(owner);
    const Square at = s.kings[owner];
    const Bitboard81 own = s.sides[owner], taken = occupied(), around = steps(owner, king, at);

    // 1. What stands beside the king.
    const Bitboard81 guards = around & own;
    for (int mover = 0; mover < hand_kinds; ++mover)
        if (const int found = count(guards & s.movers[mover])) sink.add(guard_pawn + mover, sign * found);
    if (const int found = count(guards & (s.movers[horse] | s.movers[dragon]))) sink.add(guard_promoted, sign * found);

    // 2. Which of the squares around it each side attacks; the king himself does not count as a guard.
    const auto see = [&](Side by, auto note) {
        const Side against = other(by);
        const Bitboard81 theirs = s.sides[by];
        note(pawn, ahead(by, theirs & s.movers[pawn]) & around);
        const Bitboard81 sliding = rook_lines() | bishop_lines() | s.movers[lance];
        const Bitboard81 stepping = theirs & (tables.near_steps[against][at] - s.movers[pawn] - sliding - bit81(at));
        for (Bitboard81 rest = stepping; rest; drop_lowest(rest)) {
            const Square from = lowest(rest);
            const int mover = piece_on(from).mover();
            note(mover, steps(by, mover, from) & around);
        }
        const Bitboard81 near = (tables.near_cross[at] & rook_lines()) | (tables.near_diagonals[at] & bishop_lines()) |
                                (tables.near_lances[against][at] & s.movers[lance]) |
                                (tables.near_steps[against][at] & sliding);
        for (Bitboard81 rest = theirs & near; rest; drop_lowest(rest)) {
            const Square from = lowest(rest);
            const int mover = piece_on(from).mover();
            note(mover, attacks(by, mover, from, taken) & around);
        }
    };
    Bitboard81 guarded, attacked;
    see(owner, [&](int, Bitboard81 squares) { guarded |= squares; });
    see(enemy, [&](int mover, Bitboard81 squares) {
        if (!squares) return;
        attacked |= squares;
        if (mover != king) sink.add(attack_pawn + (mover > king ? mover - 1 : mover), sign * count(squares));
    });

    // 3. What that leaves to the king, and to what the opponent holds.
    const Bitboard81 holes = around - taken - guarded;
    const int weak = count(attacked - guarded), hole_count = count(holes);
    sink.add(weak_squares, sign * weak);
    sink.add(king_flights, sign * count(around - own - attacked));
    sink.add(open_holes, sign * hole_count);
    const auto& hand = s.hands[enemy];
    const int drops = hand[silver] + hand[gold] + hand[bishop] + hand[rook];
    sink.add(holes_by_drops, sign * hole_count * drops);
    sink.add(weak_by_drops, sign * weak * drops);

    // 4. The lines that lead to it.
    const Bitboard81 foes = s.sides[enemy];
    sink.add(rook_lines_on_king, sign * count(foes & rook_lines() & tables.cross[at]));
    sink.add(bishop_lines_on_king, sign * count(foes & bishop_lines() & tables.diagonals[at]));
    sink.add(lance_lines_on_king, sign * count(foes & s.movers[lance] & tables.rays[at][owner]));
    sink.add(no_pawn_ahead, sign * !(own & s.movers[pawn] & tables.rays[at][owner]));
}

template <class Sink>
void Shogi::features(int set, Sink& sink) const {
    // Set 0, material, counts the pieces in hand with those on the board; set 1 counts only them; the last one is of
    // king safety; the others count pieces on squares.
    using namespace shogi;
    const auto& sets = square_sets();
    const int safety_set = static_cast<int>(sets.size()) + 1;
    if (set == safety_set + 1) return write_squares(*this, sink);
    if (set == safety_set + 2) return write_board(*this, sink);
    if (set == safety_set + 3) return write_last_move(*this, 81, sink);
    const bool is_safety = set == safety_set;
    for (Side who : {first, second}) {
        const int sign = who == side() ? 1 : -1;
        if (is_safety) {
            king_safety(who, sign, sink);
            continue;
        }
        if (set <= 1)  // numbered alike in both sets
            for (int kind = 0; kind < hand_kinds; ++kind)
                if (const int held = in_hand(who, kind)) sink.add(kind, sign * held);
        if (set == 1) continue;
        const SquareSet& squares = sets[set == 0 ? 0 : set - 1];
        Bitboard81 rest = state().sides[who];
        if (set == 0) {
            // Only what moves as gold is of several kinds and must be looked at one by one.
            for (Mover mover : {pawn, lance, knight, silver, bishop, rook, horse, dragon}) {
                const int kind = mover == horse ? bishop + promoted : mover == dragon ? rook + promoted : +mover;
                sink.add(squares.at(kind, 0), sign * count(rest & state().movers[mover]));
            }
            rest &= state().movers[gold];
        }
        for (; rest; drop_lowest(rest)) {
            const Square square = lowest(rest);
            const int index = squares.at(piece_on(square).kind(), square_places[who][square]);
            if (index >= 0) sink.add(index, sign);
        }
    }
}

}  // namespace plypilot

#include "shogi_move_features.hpp"
