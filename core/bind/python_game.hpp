// A game that a user wrote in Python, as positions that fulfil Rules: immutable states, and moves interned to
// integers so that everything indexed by a move works on it. Needs the GIL throughout.
#pragma once

#include <deque>
#include <unordered_map>

#include "moves.hpp"
#include "stable_hash.hpp"
#include "zobrist.hpp"

namespace plypilot::bind {

/// The callables of a user's game. Those that are optional may be None.
struct GameCalls {
    nb::object start, moves, play, outcome;
    nb::object player, text, index, fen, from_fen, hash, features, board, move_features, draw;
};

class PythonGame final : public MovePool {
  public:
    PythonGame(std::string name, std::string title, std::array<std::string, 2> sides, GameCalls calls,
               const std::vector<std::string>& feature_names, const std::vector<std::string>& board_names,
               nb::list move_features, MoveIndex index_sizes, int repetition);

    std::string_view game_name() const override { return info_.name; }
    std::string text(Move move) const override;
    MoveIndex index(Move move) const override;
    nb::object value(Move move) const override { return nb::borrow(move_object(move)); }
    Move from_value(nb::handle value) const override { return intern(value); }
    std::unique_ptr<AnyPosition> position(const std::string* fen) const override;
    std::unique_ptr<AnySearcher> searcher(SearchSettings settings, EvaluationSettings evaluation) const override;
    const GameInfo& info() const override { return info_; }
    bool calls_python() const override { return true; }

    const GameCalls& calls() const { return calls_; }
    int repetition() const { return repetition_; }
    int feature_bit(nb::handle name) const;
    /// The number of a move object, given when it is first seen.
    Move intern(nb::handle move) const;
    nb::handle move_object(Move move) const { return objects_[move.bits]; }
    /// A hash of a move's text, which is the same in every process, unlike its number.
    std::uint64_t move_hash(Move move) const { return hashes_[move.bits]; }

  private:
    /// The state that a position string stands for.
    nb::object read(const std::string& fen) const;
    std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

    std::deque<std::string> kept_;  // what the views of info_ look at
    GameInfo info_;
    GameCalls calls_;
    int repetition_;
    std::unordered_map<std::string, int> feature_bits_;
    mutable nb::dict numbers_;  // move object -> number
    mutable std::vector<nb::object> objects_ = {nb::none()};
    mutable std::vector<std::uint64_t> hashes_ = {0};  // of their texts
};

class PythonPosition {
  public:
    /// A class that has player() decides it state by state. Asking costs nothing beside a call of Python.
    static constexpr bool turns_alternate = false;

    PythonPosition(const PythonGame* game, nb::object state);

    const GameInfo& info() const { return game_->info(); }
    std::string fen() const;
    Side side() const { return now().side; }
    Key key() const { return now().key; }
    std::size_t ply() const { return trail_.plies(); }
    template <class Sink>
    void generate(Sink& sink) const {
        for (Move move : moves()) sink.add(move);
    }
    void push(Move move);
    void pop();

    std::optional<Outcome> decided() const;
    Outcome stuck() const;
    std::optional<Outcome> by_history() const;

    std::string move_text(Move move) const { return game_->text(move); }
    MoveIndex move_index(Move move) const { return game_->index(move); }
    std::uint64_t move_identity(Move move) const { return game_->move_hash(move); }
    FeatureMask move_features(Move move) const;
    template <class Sink>
    void features(int set, Sink& sink) const {
        int at = 0;
        for (nb::handle value : feature_list(static_cast<std::size_t>(set))) sink.add(at++, nb::cast<float>(value));
    }
    std::string draw() const;

  private:
    struct State {
        nb::object state;
        Key key;
        Side side;
        Move last;  // the move that led here
    };

    State enter(nb::object state, Side side, Move last) const;
    const std::vector<Move>& moves() const;
    nb::list feature_list(std::size_t set) const;
    /// The position in words, for messages about what went wrong in it.
    std::string place() const;
    /// Says what is wrong with what a method gave here.
    [[noreturn]] void refuse(const char* method, const std::string& what) const;
    template <class Ask>
    auto ask(const char* method, const Ask& ask) const -> decltype(ask());

    const State& now() const { return trail_.now(); }

    const PythonGame* game_;
    Trail<State> trail_;
    mutable std::optional<std::vector<Move>> moves_;  // of the present state, once asked for
};

static_assert(Rules<PythonPosition>);

}  // namespace plypilot::bind
