// Breakthrough (Skowronski 2009, appendix A): rules, move features and evaluation features, on boards from 4x4
// to 8x8. White, at the bottom, moves first.
#pragma once

#include "../bitboard.hpp"
#include "../features.hpp"
#include "../game.hpp"
#include "../zobrist.hpp"
#include "breakthrough_eval.hpp"

namespace plypilot {

class Breakthrough {
  public:
    static constexpr int least_size = 4;
    static constexpr int most_size = 8;
    static constexpr bool has_quick_features = true;

    static const GameInfo& info();
    /// The start on a board of the size that a variant such as "6x5" names (files x ranks), if it is one.
    static std::optional<std::string> start_fen(std::string_view variant);
    static Breakthrough from_fen(std::string_view fen);
    std::string fen() const;

    Side side() const { return trail_.now().side; }
    Key key() const { return trail_.now().key; }
    std::size_t ply() const { return trail_.plies(); }
    int files() const { return files_; }
    int ranks() const { return ranks_; }
    Bitboard pieces(Side side) const { return trail_.now().pieces[side]; }
    /// The key after a move, to ask for memory ahead of its use.
    Key key_after(Move move) const {
        const Key* own = &piece_keys[side() * 64];
        const Key* enemy = &piece_keys[other(side()) * 64];
        return key() ^ side_key ^ own[from(move)] ^ own[to(move)] ^ (is_capture(move) ? enemy[to(move)] : 0);
    }

    template <class Sink>
    void generate(Sink& sink) const;
    template <class Sink>
    void generate_noisy(Sink& sink) const {
        if (!decided()) generate_tactical(sink);
    }
    /// Captures, and moves that arrive on the last rank.
    template <class Sink>
    void generate_tactical(Sink& sink) const;
    template <class Sink>
    void generate_quiet(Sink& sink) const;
    /// Whether a move, which may stem from another position, is legal in this one, where the game goes on.
    bool is_playable(Move move) const;
    void push(Move move);
    void push_null();
    void pop() { trail_.pop(); }

    std::optional<Outcome> decided() const;
    Outcome stuck() const { return Outcome::win(other(side()), "no move"); }
    std::optional<Outcome> by_history() const { return std::nullopt; }  // pieces only go forward

    static std::string move_text(Move move);
    static MoveIndex move_index(Move move) { return {from(move), to(move), 0}; }
    FeatureMask move_features(Move move) const { return FeatureReader(*this, ~FeatureMask{0})(move); }
    template <class Sink>
    void features(int set, Sink& sink) const;
    std::string draw() const;

    class FeatureReader {
      public:
        FeatureReader(const Breakthrough& position, FeatureMask wanted) : position_(position), wanted_(wanted) {}
        FeatureMask operator()(Move move) const;

      private:
        const Breakthrough& position_;
        const FeatureMask wanted_;
    };

    // For sums that are kept while pieces move (eval/board_sums.hpp): each side's pieces as it sees them.
    struct Board {
        std::array<Bitboard, 2> pieces{};
    };
    Board board() const { return {{pieces(first), __builtin_bswap64(pieces(second)) >> 8 * (most_size - ranks_)}}; }
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
    int seen_place(Side side, int place) const { return square_at(file_of(place), own_rank(side, place)); }
    std::string place_text(int place) const;
    LastMove last_move() const { return {trail_.now().last_to, trail_.now().last_captures}; }

    static constexpr Square from(Move move) { return move.bits & 63; }
    static constexpr Square to(Move move) { return move.bits >> 6 & 63; }
    static constexpr bool is_capture(Move move) { return move.bits >> 12 & 1; }
    static constexpr std::size_t move_slots = 1 << 13;
    static constexpr std::size_t slot(Move move) { return move.bits; }
    bool is_tactical(Move move) const { return is_capture(move) || (goal(side()) & bit(to(move))); }

    static constexpr int piece_value = 100;       // in score units
    static constexpr int arrival_value = 10'000;  // more than all pieces together: the game is won
    /// What a move wins by the captures on its target that may follow, each side free to stop. All pieces are worth
    /// the same, so that who has more of them bearing on the square has the last word.
    int exchange(Move move) const;

    /// The squares that pieces of a side could capture on.
    Bitboard attacks(Side by) const {
        return (ahead_west(by, pieces(by)) | ahead_east(by, pieces(by))) & all_squares();
    }

  private:
    struct State {
        std::array<Bitboard, 2> pieces{};
        Key key = 0;
        Side side = first;
        std::int8_t last_to = -1;  // where the opponent's last move ended
        bool last_captures = false;
    };

    /// The atomic move features, as info() describes them.
    enum Feature { Ud, PP, Rc, C, Ms, Rdb, RdBb, RdBt, Rdt, RdTb, RdTt, Edg, Mr, Udp, Bv2 };
    static constexpr FeatureMask feature(Feature f) { return FeatureMask{1} << f; }

    /// What a piece of a side that arrives on a square looks at, on a board of the largest size.
    struct View {
        Bitboard ahead, behind;  // the squares next to it on its file
        Bitboard threats;        // from where it can be captured
        Bitboard cone;           // all squares ahead of it on its own and the neighbouring files
        Bitboard around;         // its neighbours
    };
    static const std::array<std::array<View, 64>, 2> views;

    static constexpr auto piece_keys = zobrist_keys<128>(1);
    static constexpr Key side_key = zobrist_keys<1>(2)[0];

    static constexpr Move make(Square from, Square to, bool capture) {
        return {static_cast<std::uint16_t>(from | to << 6 | capture << 12)};
    }
    static constexpr Bitboard ahead(Side side, Bitboard set) { return side == first ? north(set) : south(set); }
    static constexpr Bitboard ahead_west(Side side, Bitboard set) { return west(ahead(side, set)); }
    static constexpr Bitboard ahead_east(Side side, Bitboard set) { return east(ahead(side, set)); }

    Bitboard all_squares() const { return all_squares_; }
    Bitboard goal(Side side) const { return rank_mask(side == first ? ranks_ - 1 : 0); }
    /// The rank as its owner counts it, 0 nearest to him.
    int own_rank(Side side, Square square) const {
        return side == first ? rank_of(square) : ranks_ - 1 - rank_of(square);
    }
    /// The squares from which pieces of a side could capture on a square.
    static constexpr Bitboard capture_origins(Side by, Square square) {
        return ahead_west(other(by), bit(square)) | ahead_east(other(by), bit(square));
    }

    static const std::vector<SquareSet>& square_sets();
    static constexpr int safe_set = 5;  // behind the square sets
    static constexpr int race_set = safe_set + 1, structure_set = safe_set + 2;
    static constexpr int raw_squares_set = safe_set + 3, board_set = safe_set + 4, last_move_set = safe_set + 5;

    /// The board as the side to move and its opponent see it.
    breakthrough_eval::SeenBoards seen_boards() const {
        const auto seen_by = [this](Side who, Bitboard set) {
            return who == first ? set : __builtin_bswap64(set) >> 8 * (most_size - ranks_);
        };
        const Side us = side(), them = other(us);
        return {{{{seen_by(us, pieces(us)), seen_by(us, pieces(them))},
                  {seen_by(them, pieces(them)), seen_by(them, pieces(us))}}},
                files_,
                ranks_};
    }

    int files_ = 8, ranks_ = 8;
    Bitboard all_squares_ = 0;  // the squares there are
    Trail<State> trail_;
};

template <class Sink>
void Breakthrough::generate(Sink& sink) const {
    if (decided()) return;
    const Side us = side();
    const Bitboard own = pieces(us), enemy = pieces(other(us)), on_board = all_squares();
    const int step = us == first ? 8 : -8;
    const auto add = [&](Bitboard targets, int from_step) {
        sink.add_each(targets & ~enemy, [=](Square to) { return make(to - from_step, to, false); });
        sink.add_each(targets & enemy, [=](Square to) { return make(to - from_step, to, true); });
    };
    sink.add_each(ahead(us, own) & on_board & ~(own | enemy), [=](Square to) { return make(to - step, to, false); });
    add(ahead_west(us, own) & on_board & ~own, step - 1);
    add(ahead_east(us, own) & on_board & ~own, step + 1);
}

inline bool Breakthrough::is_playable(Move move) const {
    const Side us = side();
    const Bitboard own = pieces(us), enemy = pieces(other(us));
    const Bitboard origin = own & bit(from(move)), target = bit(to(move)) & all_squares() & ~own;
    if (ahead(us, origin) & target & ~enemy) return !is_capture(move);
    return (ahead_west(us, origin) | ahead_east(us, origin)) & target && is_capture(move) == ((enemy & target) != 0);
}

template <class Sink>
void Breakthrough::generate_tactical(Sink& sink) const {
    const Side us = side();
    const Bitboard own = pieces(us), enemy = pieces(other(us));
    const Bitboard free_goals = goal(us) & all_squares() & ~(own | enemy);
    const int step = us == first ? 8 : -8;
    const auto add = [&](Bitboard targets, int from_step) {
        sink.add_each(targets & free_goals, [=](Square to) { return make(to - from_step, to, false); });
        sink.add_each(targets & enemy, [=](Square to) { return make(to - from_step, to, true); });
    };
    sink.add_each(ahead(us, own) & free_goals, [=](Square to) { return make(to - step, to, false); });
    add(ahead_west(us, own), step - 1);
    add(ahead_east(us, own), step + 1);
}

template <class Sink>
void Breakthrough::generate_quiet(Sink& sink) const {
    const Side us = side();
    const Bitboard own = pieces(us), free = all_squares() & ~(own | pieces(other(us)) | goal(us));
    const int step = us == first ? 8 : -8;
    const auto add = [&](Bitboard targets, int from_step) {
        sink.add_each(targets & free, [=](Square to) { return make(to - from_step, to, false); });
    };
    add(ahead(us, own), step);
    add(ahead_west(us, own), step - 1);
    add(ahead_east(us, own), step + 1);
}

inline FeatureMask Breakthrough::FeatureReader::operator()(Move move) const {
    const Breakthrough& position = position_;
    const Square target = to(move);
    FeatureMask mask = 0;

    // 1. What the move itself tells.
    if (is_capture(move)) mask |= feature(C) | (target == position.trail_.now().last_to ? feature(Rc) : 0);

    // 2. Where it ends. Quarters of the ranks and outer files by the size of the board.
    constexpr FeatureMask by_place = (feature(Mr) << 1) - feature(Rdb);
    const Side us = position.side(), them = other(us);
    if (wanted_ & by_place) {
        constexpr std::array<FeatureMask, 4> quarters = {feature(Rdb) | feature(RdBb), feature(Rdb) | feature(RdBt),
                                                         feature(Rdt) | feature(RdTb), feature(Rdt) | feature(RdTt)};
        constexpr auto ranks_by_size = [&quarters] {
            std::array<std::array<FeatureMask, 8>, most_size + 1> table{};
            for (int ranks = least_size; ranks <= most_size; ++ranks)
                for (int rank = 0; rank < ranks; ++rank) table[ranks][rank] = quarters[rank * 4 / ranks];
            return table;
        }();
        constexpr auto files_by_size = [] {
            std::array<std::array<FeatureMask, 8>, most_size + 1> table{};
            for (int files = least_size; files <= most_size; ++files)
                for (int file = 0; file < files; ++file)
                    table[files][file] = feature(file < files / 4 || file >= files - files / 4 ? Edg : Mr);
            return table;
        }();
        mask |= ranks_by_size[position.ranks()][position.own_rank(us, target)] |
                files_by_size[position.files()][file_of(target)];
    }

    // 3. What stands about it there.
    constexpr FeatureMask by_pieces = feature(Ud) | feature(PP) | feature(Ms) | feature(Udp) | feature(Bv2);
    if (wanted_ & by_pieces) {
        const View& view = views[us][target];
        const Bitboard own = position.pieces(us) ^ bit(from(move)), enemy = position.pieces(them);
        const Bitboard around = view.around & position.all_squares();
        const bool faces_enemy = view.ahead & enemy, safe = !(view.threats & enemy);
        if (safe) mask |= feature(Ud) | (faces_enemy ? feature(Udp) : 0);
        if (!(view.cone & enemy)) mask |= feature(PP);
        if (2 * count(around & own) > count(around)) mask |= feature(Ms);
        if (faces_enemy && (view.behind & own)) mask |= feature(Bv2);
    }
    return mask & wanted_;
}

inline int Breakthrough::exchange(Move move) const {
    const Side us = side(), them = other(us);
    if (bit(to(move)) & goal(us)) return arrival_value;
    const int supporters = count(capture_origins(us, to(move)) & pieces(us) & ~bit(from(move)));
    const int defenders = count(capture_origins(them, to(move)) & pieces(them));
    return (is_capture(move) ? piece_value : 0) - (defenders > supporters ? piece_value : 0);
}

// Always inline: it is shorter than a call, in places where compilers think otherwise. The new state is worked out from
// the old one and stored once; to change a copy that has just been stored would wait for that store.
[[gnu::always_inline]] inline void Breakthrough::push(Move move) {
    const State& old = trail_.now();
    const Side us = old.side, them = other(us);
    const Bitboard own = old.pieces[us] ^ (bit(from(move)) | bit(to(move)));
    const Bitboard enemy = old.pieces[them] & ~bit(to(move));
    State next;
    next.pieces = us == first ? std::array{own, enemy} : std::array{enemy, own};
    next.key = key_after(move);
    next.side = them;
    next.last_to = static_cast<std::int8_t>(to(move));
    next.last_captures = is_capture(move);
    trail_.push(next);
}

inline void Breakthrough::push_null() {
    State& state = trail_.push();
    state.key ^= side_key;
    state.last_to = -1;
    state.last_captures = false;
    state.side = other(state.side);
}

inline std::optional<Outcome> Breakthrough::decided() const {
    const Side us = side(), them = other(us);
    // Only the player who just moved can have arrived; a position string may have either.
    for (Side who : {them, us}) {
        if (pieces(who) & goal(who)) return Outcome::win(who, "breakthrough");
        if (!pieces(other(who))) return Outcome::win(who, "no pieces left");
    }
    return std::nullopt;
}

template <class Sink>
void Breakthrough::features(int set, Sink& sink) const {
    if (set == race_set) return breakthrough_eval::Race(seen_boards()).write(sink);
    if (set == structure_set) return breakthrough_eval::Structure::write(seen_boards(), sink);
    if (set == raw_squares_set) return write_squares(*this, sink);
    if (set == board_set) return write_board(*this, sink);
    if (set == last_move_set) return write_last_move(*this, 64, sink);
    // The square sets count pieces on squares; the set behind them only those that are not under threat (A.3).
    const bool safe_only = set == safe_set;
    const bool by_rank = set == 1 || safe_only;
    if (set == 0) {
        sink.add(0, count(pieces(side())) - count(pieces(other(side()))));
        return;
    }
    const auto counted_of = [&](Side who) { return safe_only ? pieces(who) & ~attacks(other(who)) : pieces(who); };
    if (by_rank) {
        const Bitboard own = counted_of(side()), enemy = counted_of(other(side()));
        for (int rank = 0; rank < ranks(); ++rank) {
            const Bitboard here = rank_mask(rank), opposite = rank_mask(ranks() - 1 - rank);
            const Bitboard ours = side() == first ? here : opposite, theirs = side() == first ? opposite : here;
            sink.add(rank, count(own & ours) - count(enemy & theirs));
        }
        return;
    }
    for (Side who : {first, second}) {
        const int sign = who == side() ? 1 : -1;
        const Bitboard counted = counted_of(who);
        for (Bitboard rest = counted; rest; drop_lowest(rest)) {
            const Square square = lowest(rest);
            sink.add(square_sets()[set].at(0, square_at(file_of(square), own_rank(who, square))), sign);
        }
    }
}

}  // namespace plypilot
