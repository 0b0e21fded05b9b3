// The registry of native games, and a position of any of them behind one virtual interface, for callers that
// learn the game at run time. Inner loops use the game's own class instead.
#pragma once

#include <memory>

#include "game.hpp"
#include "perft.hpp"

namespace plypilot {

/// A position of some game. Unlike a game's own push, this one refuses illegal moves.
class AnyPosition {
  public:
    virtual ~AnyPosition() = default;
    virtual std::unique_ptr<AnyPosition> clone() const = 0;
    virtual const GameInfo& info() const = 0;
    virtual std::string fen() const = 0;
    virtual Side side() const = 0;
    virtual Key key() const = 0;
    virtual std::size_t ply() const = 0;
    virtual void generate(MoveList& list) const = 0;
    virtual std::size_t count_moves() const = 0;
    virtual bool is_legal(Move move) const = 0;
    virtual bool try_push(Move move) = 0;  // false: not legal, and nothing changed
    virtual void pop() = 0;
    virtual std::optional<Outcome> outcome() const = 0;
    virtual std::string move_text(Move move) const = 0;
    virtual std::optional<Move> parse_move(std::string_view text) const = 0;  // nothing: names no legal move
    virtual std::optional<std::string> short_text(Move move) const = 0;       // SAN, where the game has it
    virtual MoveIndex move_index(Move move) const = 0;
    virtual FeatureMask move_features(Move move) const = 0;
    virtual FeatureVector features(int set) const = 0;
    virtual std::string draw() const = 0;
    virtual std::uint64_t perft(int depth, Bulk bulk) = 0;
};

/// A native game as the registry knows it.
class AnyGame {
  public:
    virtual ~AnyGame() = default;
    virtual const GameInfo& info() const = 0;
    virtual std::unique_ptr<AnyPosition> from_fen(std::string_view fen) const = 0;
    /// The start position of the game or of a variant of it ("6x5"), if there is such a one.
    virtual std::optional<std::string> start_fen(std::string_view variant) const = 0;
    virtual std::string move_text(Move move) const = 0;
    virtual MoveIndex move_index(Move move) const = 0;
};

/// Every native game, by name.
const std::vector<const AnyGame*>& games();

/// The game of this name, or null. A variant follows a hyphen: "breakthrough-6x5".
const AnyGame* find_game(std::string_view name);

void register_game(const AnyGame* game);

template <Rules P>
class ErasedPosition final : public AnyPosition {
  public:
    explicit ErasedPosition(P position) : position_(std::move(position)) {}

    std::unique_ptr<AnyPosition> clone() const override { return std::make_unique<ErasedPosition>(*this); }
    const GameInfo& info() const override { return position_.info(); }
    std::string fen() const override { return position_.fen(); }
    Side side() const override { return position_.side(); }
    Key key() const override { return position_.key(); }
    std::size_t ply() const override { return position_.ply(); }
    void generate(MoveList& list) const override { position_.generate(list); }
    std::size_t count_moves() const override {
        MoveCounter counter;
        position_.generate(counter);
        return counter.size();
    }
    bool is_legal(Move move) const override { return plypilot::is_legal(position_, move); }
    bool try_push(Move move) override {
        if (!is_legal(move)) return false;
        position_.push(move);
        return true;
    }
    void pop() override { position_.pop(); }
    std::optional<Outcome> outcome() const override { return plypilot::outcome(position_); }
    std::string move_text(Move move) const override { return position_.move_text(move); }
    std::optional<Move> parse_move(std::string_view text) const override {
        if constexpr (requires { position_.parse_move(text); }) {
            return position_.parse_move(text);
        } else {
            MoveList list;
            position_.generate(list);
            for (Move move : list)
                if (position_.move_text(move) == text) return move;
            return std::nullopt;
        }
    }
    std::optional<std::string> short_text(Move move) const override {
        if constexpr (requires { position_.san(move); }) return position_.san(move);
        return std::nullopt;
    }
    MoveIndex move_index(Move move) const override { return position_.move_index(move); }
    FeatureMask move_features(Move move) const override { return position_.move_features(move); }
    FeatureVector features(int set) const override {
        FeatureVector vector(info().feature_sets[set].features.size());
        position_.features(set, vector);
        return vector;
    }
    std::string draw() const override { return position_.draw(); }
    std::uint64_t perft(int depth, Bulk bulk) override { return plypilot::perft(position_, depth, bulk); }

  private:
    P position_;
};

/// Defined once in the source file of a game, this makes the game known.
template <Game P>
class Registered final : public AnyGame {
  public:
    Registered() { register_game(this); }
    const GameInfo& info() const override { return P::info(); }
    std::unique_ptr<AnyPosition> from_fen(std::string_view fen) const override {
        return std::make_unique<ErasedPosition<P>>(P::from_fen(fen));
    }
    std::optional<std::string> start_fen(std::string_view variant) const override {
        if (variant.empty()) return std::string(P::info().start_fen);
        if constexpr (requires { P::start_fen(variant); }) return P::start_fen(variant);
        return std::nullopt;
    }
    std::string move_text(Move move) const override { return P::move_text(move); }
    MoveIndex move_index(Move move) const override { return P::move_index(move); }
};

}  // namespace plypilot
