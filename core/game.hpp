// All that games, search and learners share: sides, moves, outcomes, the vocabulary of features, and the
// Game concept that a native game fulfils. Knows no game and no Python.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bitboard.hpp"

namespace plypilot {

using Key = std::uint64_t;

/// The player who moves first from the start (White in chess, Black in Lines of Action) and the other.
enum Side : std::uint8_t { first, second };

constexpr Side other(Side side) { return Side(side ^ 1); }

/// A move in 16 bits whose layout belongs to the game. All zero is no move (or the null move) in every game.
struct Move {
    std::uint16_t bits = 0;

    constexpr bool operator==(const Move&) const = default;
    constexpr explicit operator bool() const { return bits != 0; }
};

/// How a game ended: no winner is a draw.
struct Outcome {
    std::optional<Side> winner;
    std::string_view reason;

    static constexpr Outcome win(Side side, std::string_view reason) { return {side, reason}; }
    static constexpr Outcome draw(std::string_view reason) { return {std::nullopt, reason}; }
    bool operator==(const Outcome&) const = default;
};

/// A position string that breaks the grammar or the rules. The text names the field at fault.
struct PositionError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A move that is not legal where it is played, or a text that names no legal move.
struct MoveError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Move generators write to a sink, one set of targets at a time, so that one generator serves to list the
// moves, to count them without making them (bulk counting, mobility) and to test one of them.

/// Room for moves that is not cleared first: clearing it would cost more than generating them.
template <std::size_t N>
struct MoveRoom {
    union {  // a union has no default initialisation of its members
        Move moves[N];
    };

    MoveRoom() {}
    Move& operator[](std::size_t i) { return moves[i]; }
    Move operator[](std::size_t i) const { return moves[i]; }
};

/// Lists moves. No game here has more than 593 in a position (shogi).
class MoveList {
  public:
    static constexpr std::size_t capacity = 600;

    void add(Move move) {
        assert(size_ < capacity);
        moves_[size_++] = move;
    }
    /// Adds make(square) for each square of a set.
    template <class Set, class Make>
    void add_each(Set targets, Make make) {
        for (; targets; drop_lowest(targets)) add(make(lowest(targets)));
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Move& operator[](std::size_t i) { return moves_[i]; }
    Move operator[](std::size_t i) const { return moves_[i]; }
    Move* begin() { return moves_.moves; }
    Move* end() { return begin() + size_; }
    const Move* begin() const { return moves_.moves; }
    const Move* end() const { return begin() + size_; }
    void clear() { size_ = 0; }

  private:
    std::size_t size_ = 0;
    MoveRoom<capacity> moves_;
};

/// Counts moves without making them.
class MoveCounter {
  public:
    void add(Move) { ++size_; }
    template <class Set, class Make>
    void add_each(Set targets, Make) {
        size_ += static_cast<std::size_t>(count(targets));
    }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_ = 0;
};

/// Tells whether one move is among those generated.
class MoveFinder {
  public:
    explicit MoveFinder(Move wanted) : wanted_(wanted) {}
    void add(Move move) { found_ |= move == wanted_; }
    template <class Set, class Make>
    void add_each(Set targets, Make make) {
        for (; targets; drop_lowest(targets)) add(make(lowest(targets)));
    }
    bool found() const { return found_; }

  private:
    Move wanted_;
    bool found_ = false;
};

/// The states of a game from its root to the present one. Making a move copies the present state and changes the
/// copy; taking it back drops the copy, so that undo cannot forget anything.
template <class State>
class Trail {
  public:
    explicit Trail(State root = {}) : states_{std::move(root)} {}
    State& now() { return states_.back(); }
    const State& now() const { return states_.back(); }
    /// Copies the present state and returns the copy, now the present one.
    State& push() {
        states_.push_back(states_.back());
        return states_.back();
    }
    /// Makes a state that was worked out elsewhere the present one.
    void push(const State& next) { states_.push_back(next); }
    void pop() {
        assert(plies() > 0);
        states_.pop_back();
    }
    std::size_t plies() const { return states_.size() - 1; }
    /// The state some plies ago.
    const State& before(std::size_t plies_ago) const { return states_[states_.size() - 1 - plies_ago]; }
    /// How many of the last `reversible` states had the present key. The side to move is part of a key: where the
    /// players take turns, every second state is enough (`stride` 2).
    int repetitions(int reversible, int stride = 2) const {
        int found = 0;
        const int limit = std::min(reversible, static_cast<int>(plies()));
        for (int back = stride; back <= limit; back += stride) found += before(back).key == now().key;
        return found;
    }

  private:
    std::vector<State> states_;
};

/// One atomic feature of a move: a bit of its 64-bit mask. A category is a conjunction of features.
/// Features of one group exclude each other, but for a feature and its parent.
struct MoveFeature {
    std::string_view symbol;  // the short name of the seed, for conjunctions: "Ud-PP"
    std::string_view name;
    std::string_view group;
    std::string_view parent;  // symbol of the wider feature in the same group, or empty
    std::string_view text;
};

using FeatureMask = std::uint64_t;

/// A named set of evaluation features. Values are from the view of the side to move, own minus the
/// opponent's, unless the text says otherwise.
struct FeatureSet {
    std::string_view name;
    std::string_view text;
    std::vector<std::string> features;
    bool is_of_path = false;  // depends on the moves before: no evaluation may use it, since positions recur
};

// Features are written to a sink, so that one function serves to list them, to evaluate them against weights and to
// take gradients. A sink has
//   add(index, value)         value an int or a float
//   set_phase(phase)          once, before add_phased: how much of the middle game is left, 0 to full_phase
//   add_phased(index, value)  two features: index the middle game's, index + 1 the endgame's, each weighed by the phase
// and may have
//   add_part(key, write)      phased features that write(sink) writes and that depend on the key alone

constexpr int full_phase = 24;

/// A dense sink for the features of one set: repeated indices add up.
class FeatureVector {
  public:
    explicit FeatureVector(std::size_t size) : values_(size) {}
    void add(int index, float value) { values_[index] += value; }
    void set_phase(int phase) { phase_ = phase; }
    void add_phased(int index, int value) {
        add(index, static_cast<float>(value * phase_) / full_phase);
        add(index + 1, static_cast<float>(value * (full_phase - phase_)) / full_phase);
    }
    const std::vector<float>& values() const { return values_; }

  private:
    std::vector<float> values_;
    int phase_ = 0;
};

/// What a network needs to know of a move: three small indices, absolute (not from the mover's view).
/// A drop has from = number of squares + kind of piece dropped.
struct MoveIndex {
    int from = 0;
    int to = 0;
    int promotion = 0;
    bool operator==(const MoveIndex&) const = default;
};

/// The static facts of a game.
struct GameInfo {
    std::string_view name;                  // as users type it
    std::string_view title;                 // as people call it
    std::array<std::string_view, 2> sides;  // names of the first and the second player
    int files = 8;                          // of the largest board
    int ranks = 8;
    std::string_view start_fen;
    std::string_view notation;               // how moves are written, with an example
    MoveIndex index_sizes;                   // how many values each part of a move index takes
    std::vector<MoveFeature> move_features;  // bit i of a mask is entry i
    std::vector<FeatureSet> feature_sets;
};

/// The rules of a game over one kind of position, which carries the states before it so that a move can be
/// taken back and repetitions be seen. All that search and perft ask for.
///
/// The end of a game has three sources, asked in this order by outcome():
///   decided()     the board alone ends the game (a connection, a piece on the last rank); then there are no moves
///   stuck()       what it means to have no legal move (mate, stalemate, loss)
///   by_history()  draws and losses that leave the moves as they are: by the path (repetition), by counters (fifty
///                 moves), by material
///
/// Each move passes the turn, unless the game says `static constexpr bool turns_alternate = false`: then side() after a
/// push tells who moves.
template <class P>
concept Rules = std::copyable<P> && requires(P p, const P q, Move move, MoveList list, FeatureVector vector) {
    { q.info() } -> std::same_as<const GameInfo&>;
    { q.fen() } -> std::same_as<std::string>;
    { q.side() } -> std::same_as<Side>;
    { q.key() } -> std::same_as<Key>;          // equal for positions that repeat each other
    { q.ply() } -> std::same_as<std::size_t>;  // moves that can be taken back
    q.generate(list);                          // all legal moves; any sink
    p.push(move);                              // a legal move, unchecked
    p.pop();
    { q.decided() } -> std::same_as<std::optional<Outcome>>;
    { q.stuck() } -> std::same_as<Outcome>;
    { q.by_history() } -> std::same_as<std::optional<Outcome>>;
    { q.move_text(move) } -> std::same_as<std::string>;
    { q.move_index(move) } -> std::same_as<MoveIndex>;
    { q.move_features(move) } -> std::same_as<FeatureMask>;  // of a legal move, before it is made
    q.features(0, vector);                                   // of set number 0; any sink with add(index, value)
    { q.draw() } -> std::same_as<std::string>;
};

/// A native game: its static facts and its position strings besides. It may also have
///   start_fen(variant)  the start of a variant that a name such as "breakthrough-6x5" asks for
///   parse_move(text)    a wider reading of move texts than move_text writes
///   san(move)           a second, shorter notation
///   forget_path()       from now on the moves so far count neither for repetition nor for counters
///   forget_counters()   from now on they do not count for counters such as that of fifty moves
/// and, for the search, where it has the notion:
///   in_check()             whether the side to move is in check
///   may_pass()             whether a null move makes sense: elsewhere passing may be better than any move
///   is_tactical(move)      whether it captures, promotes or the like: all other moves are quiet
///   exchange(move)         what a tactical move wins by static exchange, in score units (100 to a pawn)
///   exchange_bound(move)   the most that it can win so, found faster
///   generate_noisy(sink)   the legal moves that a quiescence search follows
///   generate_tactical(sink), generate_quiet(sink)  the tactical moves and all others, each in the order in which
///                          generate() has them; only asked for where decided() says nothing
///   surely_has_move()      true only where there is a legal move, found faster than all of them
///   key_after(move)        the key after a move or nearly so, to ask for memory ahead of its use
///   FeatureReader          FeatureReader(position, wanted)(move) is move_features(move) & wanted. One is made for each
///                          node, which costs nothing: what several moves share is worked out once, when it is first
///                          needed, and what no wanted feature needs is never worked out
///   has_quick_features     true where all features of a set are found as fast as a score in memory
///   move_identity(move)    a number that tells moves apart in every process, where their bits do not
///   move_slots, slot(move)  a number below move_slots that no two moves of one side share, so that what is remembered
///                          of moves needs less room than all 16 bits would
/// and, so that evaluations can be kept while pieces move (eval/board_sums.hpp):
///   Board, board()         where the pieces are; Board{} is an empty one
///   each_change(from, to, note)  note(place, +1 or -1) for each piece that one board lacks and the other has
///   place_map(set)         the features of a set that only counts pieces on their places; nothing of other sets
template <class P>
concept Game = Rules<P> && requires(P p, Move move) {
    p.push_null();  // the other side to move, all else as it is
    { P::info() } -> std::same_as<const GameInfo&>;
    { P::from_fen(std::string_view{}) } -> std::same_as<P>;  // throws PositionError
    { P::move_text(move) } -> std::same_as<std::string>;
    { P::move_index(move) } -> std::same_as<MoveIndex>;
};

/// Whether each move of a game passes the turn. A constant, so that games in which it does pay nothing for the others.
template <class P>
constexpr bool turns_alternate = [] {
    if constexpr (requires { P::turns_alternate; }) return P::turns_alternate;
    return true;
}();

/// How many slots a table by moves has, and which one a move has there.
template <class P>
constexpr std::size_t move_slots = [] {
    if constexpr (requires { P::move_slots; }) return static_cast<std::size_t>(P::move_slots);
    return std::size_t{1} << 16;
}();
template <class P>
constexpr std::size_t move_slot(Move move) {
    if constexpr (requires { P::slot(move); }) {
        return P::slot(move);
    } else {
        return move.bits;
    }
}

/// What tells moves apart where chance falls: the same in every process, as the bits of native moves are.
template <class P>
std::uint64_t move_identity(const P& position, Move move) {
    if constexpr (requires { position.move_identity(move); }) {
        return position.move_identity(move);
    } else {
        return move.bits;
    }
}

template <class P>
bool has_move(const P& position) {
    if constexpr (requires { position.surely_has_move(); }) {
        if (position.surely_has_move()) return true;
    }
    MoveCounter counter;
    position.generate(counter);
    return counter.size() != 0;
}

template <class P>
bool is_legal(const P& position, Move move) {
    MoveFinder finder(move);
    position.generate(finder);
    return finder.found();
}

/// How the game ended here, or nothing while it goes on.
template <class P>
std::optional<Outcome> outcome(const P& position) {
    if (auto decided = position.decided()) return decided;
    if (!has_move(position)) return position.stuck();
    return position.by_history();
}

}  // namespace plypilot
