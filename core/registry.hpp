// The registry of native games, for callers that learn the game at run time. Inner loops use the game's own class.
#pragma once

#include "any_position.hpp"
#include "search/searcher.hpp"

namespace plypilot {

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
    virtual std::unique_ptr<AnySearcher> searcher(SearchSettings settings, EvaluationSettings evaluation) const = 0;
};

/// Every native game, by name.
const std::vector<const AnyGame*>& games();

/// The game of this name, or null. A variant follows a hyphen: "breakthrough-6x5".
const AnyGame* find_game(std::string_view name);

void register_game(const AnyGame* game);

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
    std::unique_ptr<AnySearcher> searcher(SearchSettings settings, EvaluationSettings evaluation) const override {
        return std::make_unique<Searcher<P>>(std::move(settings), std::move(evaluation));
    }
};

}  // namespace plypilot
