// Lines of Action (Kocsis 2003, 2.1.1): rules, move features and evaluation features. Black, on the top and bottom
// rows, moves first.
#pragma once

#include "../bitboard.hpp"
#include "../features.hpp"
#include "../game.hpp"
#include "../zobrist.hpp"

namespace plypilot {

class LinesOfAction {
  public:
    static constexpr int most_pieces = 12;  // of a side

    static const GameInfo& info();
    static LinesOfAction from_fen(std::string_view fen);
    std::string fen() const;

    Side side() const { return trail_.now().side; }
    Key key() const { return trail_.now().key; }
    std::size_t ply() const { return trail_.plies(); }
    Bitboard pieces(Side side) const { return trail_.now().pieces[side]; }
    /// The key after a move, to ask for memory ahead of its use.
    Key key_after(Move move) const {
        const Key moved = piece_keys[side() * 64 + from(move)] ^ piece_keys[side() * 64 + to(move)] ^ side_key;
        return key() ^ moved ^ (is_capture(move) ? piece_keys[other(side()) * 64 + to(move)] : 0);
    }

    template <class Sink>
    void generate(Sink& sink) const;
    /// Captures that form or destroy connections (Kocsis 2.1.3; Winands et al. 2001): they leave the mover with fewer
    /// groups or his opponent with more.
    template <class Sink>
    void generate_noisy(Sink& sink) const;
    /// Captures.
    template <class Sink>
    void generate_tactical(Sink& sink) const {
        generate_for(side(), pieces(other(side())), sink);
    }
    template <class Sink>
    void generate_quiet(Sink& sink) const {
        generate_for(side(), ~(pieces(first) | pieces(second)), sink);
    }
    /// Whether a move, which may stem from another position, is legal in this one, where the game goes on.
    bool is_playable(Move move) const;
    void push(Move move);
    void push_null();
    void pop() { trail_.pop(); }
    void forget_path() { trail_.now().reversible = 0; }

    std::optional<Outcome> decided() const;
    Outcome stuck() const { return Outcome::win(other(side()), "no move"); }
    std::optional<Outcome> by_history() const;

    static std::string move_text(Move move);
    /// Reads a move in either case; '-' may stand for a capture, which 'x' and ':' ask for.
    std::optional<Move> parse_move(std::string_view text) const;
    static MoveIndex move_index(Move move) { return {from(move), to(move), 0}; }
    FeatureMask move_features(Move move) const { return FeatureReader(*this, ~FeatureMask{0})(move); }
    template <class Sink>
    void features(int set, Sink& sink) const;
    std::string draw() const;

    // For sums that are kept while pieces move (eval/board_sums.hpp).
    struct Board {
        std::array<Bitboard, 2> pieces{};
    };
    const Board& board() const { return trail_.now(); }
    template <class Note>
    static void each_change(const Board& from, const Board& to, Note note) {
        for (Side side : {first, second}) each_change_of_square(from.pieces[side], to.pieces[side], side * 64, note);
    }
    static std::optional<PlaceMap> place_map(int set);

    // For the raw board as inputs of networks (features.hpp).
    static constexpr int piece_kinds = 1, piece_places = 64, board_width = 8;
    template <class Note>
    void each_piece(Note note) const {
        for (Side side : {first, second}) {
            for (Bitboard rest = pieces(side); rest; drop_lowest(rest)) note(side, 0, lowest(rest));
        }
    }
    static constexpr int seen_place(Side side, int place) { return own_square(side, place); }
    static std::string place_text(int place);
    LastMove last_move() const { return {trail_.now().last_to, trail_.now().last_capture >= 0}; }

    static constexpr Square from(Move move) { return move.bits & 63; }
    static constexpr Square to(Move move) { return move.bits >> 6 & 63; }
    static constexpr bool is_capture(Move move) { return move.bits >> 12 & 1; }
    static constexpr std::size_t move_slots = 1 << 13;
    static constexpr std::size_t slot(Move move) { return move.bits; }
    static constexpr bool is_tactical(Move move) { return is_capture(move); }

    static constexpr int piece_value = 100;  // in score units
    /// What a move captures. Whether the capture can be answered on its square is left out: a piece less is often an
    /// advantage, so that there is no balance of material to follow.
    static constexpr int exchange(Move move) { return is_capture(move) ? piece_value : 0; }

    /// Whether all pieces of a side form one group.
    bool is_connected(Side side) const { return is_one_group(pieces(side)); }
    /// The number of groups of a side.
    int groups(Side side) const { return count_groups(pieces(side)); }
    int groups_after(Side side, Move move) const;
    /// The number of moves a side would have if it were to move.
    int mobility(Side side) const;

  private:
    /// The atomic move features, as info() describes them.
    enum Feature {
        // clang-format off
        C, Rc, Q,
        FdE, FdK, Fd2, Fd3, FdC,
        TdE, TdK, Td2, Td3, TdC,
        Jn, Ja, Sp, Kp,
        Ej, Ea, Es, Ek,
        Mt, Ma, Ml,
        // clang-format on
    };
    static constexpr FeatureMask feature(Feature f) { return FeatureMask{1} << f; }
    /// The features from one to another.
    static constexpr FeatureMask features_between(Feature from, Feature to) {
        return (feature(to) << 1) - feature(from);
    }

    /// The groups of a set of pieces, and how many there are once a piece has gone or moved. Most pieces can be seen to
    /// split nothing by their neighbours alone.
    class Groups {
      public:
        explicit Groups(Bitboard set);
        int size() const { return size_; }
        int size_without(Square square) const;
        int size_after(Square from, Square to) const;

      private:
        Bitboard set_;
        int size_ = 0;
        std::array<Bitboard, most_pieces> groups_;  // filled as far as the size
    };

  public:
    /// A set of pieces as a body: their number and the sums of their coordinates.
    struct Mass {
        int pieces, files, ranks;

        explicit Mass(Bitboard set);
        /// The square of the distance of a square from the centre of mass, times the square of the number of pieces.
        int distance(Square square) const {
            const int file = pieces * file_of(square) - files, rank = pieces * rank_of(square) - ranks;
            return file * file + rank * rank;
        }
    };

    class FeatureReader {
      public:
        FeatureReader(const LinesOfAction& position, FeatureMask wanted) : position_(position), wanted_(wanted) {}
        FeatureMask operator()(Move move) const;

      private:
        FeatureMask group_features(Move move) const;
        FeatureMask mass_features(Move move) const;
        const Groups& groups(Side side) const;

        const LinesOfAction& position_;
        const FeatureMask wanted_;
        mutable std::array<std::optional<Groups>, 2> groups_;  // by side
        mutable std::optional<Mass> mass_;
    };

  private:
    struct State : Board {
        Key key = 0;
        Side side = first;
        std::int8_t last_to = -1;       // where the opponent's last move ended
        std::int8_t last_capture = -1;  // the same if it captured
        std::int32_t reversible = 0;    // plies since the last capture
    };

    /// A move of some length along a line, both ways: the square it ends on (none: off the board) and those it passes.
    struct Jump {
        alignas(16) std::array<Bitboard, 2> to{};
        alignas(16) std::array<Bitboard, 2> path{};
    };
    /// The four lines through a square, and the moves from it along each: entry n - 1 where n pieces are on the line.
    struct Lines {
        std::array<Bitboard, 4> squares{};
        std::array<std::array<Jump, 8>, 4> jumps{};
    };
    static const std::array<Lines, 64> lines_through;
    /// The features of each square's ring: edge, corner, ring 2, ring 3, centre.
    static const std::array<std::uint8_t, 64> ring_features;
    /// Both ways in one register, which makes counting moves 1.6 times faster (g++ 12, x86-64-v2).
    typedef Bitboard BothWays __attribute__((vector_size(16)));

    static constexpr auto piece_keys = zobrist_keys<128>(1);
    static constexpr Key side_key = zobrist_keys<1>(2)[0];

    static constexpr Move make(Square from, Square to, bool capture) {
        return {static_cast<std::uint16_t>(from | to << 6 | capture << 12)};
    }
    static Bitboard group_of(Bitboard piece, Bitboard set);
    static bool is_one_group(Bitboard set);
    static int count_groups(Bitboard set);

    /// The moves of a side to squares of a set.
    template <class Sink>
    void generate_for(Side us, Bitboard allowed, Sink& sink) const;

    /// The square as its owner sees it, his pieces starting on ranks 1 and 8: White's board is turned about the
    /// diagonal.
    static constexpr Square own_square(Side side, Square square) {
        return side == first ? square : square_at(rank_of(square), file_of(square));
    }
    static const std::vector<SquareSet>& square_sets();

    /// The features of MIA but for the side to move, own minus the opponent's.
    struct Mia {
        float concentration, centre_of_mass, centralisation;
        int quads, mobility, walls;
    };
    Mia mia() const;

    Trail<State> trail_;
};

template <class Sink>
void LinesOfAction::generate_for(Side us, Bitboard allowed, Sink& sink) const {
    const Bitboard own = pieces(us), enemy = pieces(other(us)), occupied = own | enemy;
    for (Bitboard rest = own; rest; drop_lowest(rest)) {
        const Square from = lowest(rest);
        const Lines& lines = lines_through[from];
        BothWays targets{};
        for (int line = 0; line < 4; ++line) {
            const Jump& jump = lines.jumps[line][count(occupied & lines.squares[line]) - 1];
            targets |= std::bit_cast<BothWays>(jump.to) & ((std::bit_cast<BothWays>(jump.path) & enemy) == 0);
        }
        sink.add_each((targets[0] | targets[1]) & allowed, [=](Square to) { return make(from, to, enemy >> to & 1); });
    }
}

template <class Sink>
void LinesOfAction::generate(Sink& sink) const {
    if (is_connected(first) || is_connected(second)) return;
    generate_for(side(), ~pieces(side()), sink);
}

template <class Sink>
void LinesOfAction::generate_noisy(Sink& sink) const {
    const Side us = side(), them = other(us);
    const int own_groups = groups(us), enemy_groups = groups(them);
    if (own_groups == 1 || enemy_groups == 1) return;
    MoveList captures;
    generate_for(us, pieces(them), captures);
    for (Move move : captures)
        if (groups_after(us, move) < own_groups || groups_after(them, move) > enemy_groups) sink.add(move);
}

inline bool LinesOfAction::is_playable(Move move) const {
    const Bitboard own = pieces(side()), enemy = pieces(other(side())), target = bit(to(move));
    if (!(own & bit(from(move))) || own & target || is_capture(move) != ((enemy & target) != 0)) return false;
    const Lines& lines = lines_through[from(move)];
    for (std::size_t line = 0; line < 4; ++line) {
        if (!(lines.squares[line] & target)) continue;
        const Jump& jump = lines.jumps[line][static_cast<std::size_t>(count((own | enemy) & lines.squares[line])) - 1];
        return (jump.to[0] & target && !(jump.path[0] & enemy)) || (jump.to[1] & target && !(jump.path[1] & enemy));
    }
    return false;
}

inline void LinesOfAction::push(Move move) {
    State& state = trail_.push();
    const Side us = state.side;
    state.pieces[us] ^= bit(from(move)) | bit(to(move));
    state.key ^= piece_keys[us * 64 + from(move)] ^ piece_keys[us * 64 + to(move)] ^ side_key;
    ++state.reversible;
    state.last_to = static_cast<std::int8_t>(to(move));
    state.last_capture = -1;
    if (is_capture(move)) {
        state.pieces[other(us)] ^= bit(to(move));
        state.key ^= piece_keys[other(us) * 64 + to(move)];
        state.reversible = 0;
        state.last_capture = state.last_to;
    }
    state.side = other(us);
}

inline void LinesOfAction::push_null() {
    State& state = trail_.push();
    state.key ^= side_key;
    state.reversible = 0;  // what was before a null move cannot be repeated
    state.last_to = state.last_capture = -1;
    state.side = other(state.side);
}

inline std::optional<Outcome> LinesOfAction::decided() const {
    const bool first_connected = is_connected(first), second_connected = is_connected(second);
    if (first_connected && second_connected) return Outcome::draw("both connected");
    if (first_connected) return Outcome::win(first, "connected");
    if (second_connected) return Outcome::win(second, "connected");
    return std::nullopt;
}

inline std::optional<Outcome> LinesOfAction::by_history() const {
    if (trail_.repetitions(trail_.now().reversible) >= 2) return Outcome::draw("third repetition");
    return std::nullopt;
}

inline Bitboard LinesOfAction::group_of(Bitboard piece, Bitboard set) {
    for (Bitboard group = piece;;) {
        const Bitboard next = grown(group) & set;
        if (next == group) return group;
        group = next;
    }
}

inline bool LinesOfAction::is_one_group(Bitboard set) { return group_of(set & -set, set) == set; }

inline int LinesOfAction::count_groups(Bitboard set) {
    int groups = 0;
    for (; set; ++groups) set ^= group_of(set & -set, set);
    return groups;
}

inline int LinesOfAction::groups_after(Side who, Move move) const {
    return count_groups(who == side() ? pieces(who) ^ bit(from(move)) ^ bit(to(move)) : pieces(who) & ~bit(to(move)));
}

inline int LinesOfAction::mobility(Side side) const {
    MoveCounter counter;
    generate_for(side, ~pieces(side), counter);
    return static_cast<int>(counter.size());
}

inline LinesOfAction::Mass::Mass(Bitboard set)
    : pieces(count(set)),
      files(count(set & 0xaaaaaaaaaaaaaaaa) + 2 * count(set & 0xcccccccccccccccc) +
            4 * count(set & 0xf0f0f0f0f0f0f0f0)),
      ranks(count(set & 0xff00ff00ff00ff00) + 2 * count(set & 0xffff0000ffff0000) +
            4 * count(set & 0xffffffff00000000)) {}

inline FeatureMask LinesOfAction::FeatureReader::operator()(Move move) const {
    FeatureMask mask = feature(Q);
    if (is_capture(move)) mask = feature(C) | (to(move) == position_.trail_.now().last_capture ? feature(Rc) : 0);
    constexpr FeatureMask by_place = features_between(FdE, TdC);
    constexpr FeatureMask by_groups = features_between(Jn, Ek), by_own_groups = features_between(Jn, Kp);
    constexpr FeatureMask by_mass = features_between(Mt, Ml);
    if (wanted_ & by_place)
        mask |= FeatureMask{ring_features[from(move)]} << FdE | FeatureMask{ring_features[to(move)]} << TdE;
    if (wanted_ & (is_capture(move) ? by_groups : by_own_groups)) mask |= group_features(move);
    if (wanted_ & by_mass) mask |= mass_features(move);
    return mask & wanted_;
}

template <class Sink>
void LinesOfAction::features(int set, Sink& sink) const {
    const auto& sets = square_sets();
    const int square_set_count = static_cast<int>(sets.size());
    if (set == square_set_count + 2) return write_board(*this, sink);
    if (set == square_set_count + 3) return write_last_move(*this, 64, sink);
    if (set > square_set_count) {
        const Mia values = mia();
        sink.add(0, values.concentration);
        sink.add(1, values.centre_of_mass);
        sink.add(2, values.centralisation);
        sink.add(3, values.quads);
        sink.add(4, values.mobility);
        sink.add(5, values.walls);
        sink.add(6, 1);
        return;
    }
    if (set == 0) {
        sink.add(0, count(pieces(side())) - count(pieces(other(side()))));
        return;
    }
    const bool raw = set == square_set_count;
    for (Side who : {first, second}) {
        const int sign = (raw ? who == first : who == side()) ? 1 : -1;
        for (Bitboard rest = pieces(who); rest; drop_lowest(rest))
            sink.add(raw ? lowest(rest) : sets[set].at(0, own_square(who, lowest(rest))), sign);
    }
    if (raw) sink.add(64, side() == first ? 1 : -1);
}

}  // namespace plypilot
