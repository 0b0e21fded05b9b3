// Moves as Python sees them: a value that knows its game, made once and shared.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "registry.hpp"

namespace plypilot::bind {

namespace nb = nanobind;

class MovePool;

/// A move of a game. Equal moves of one game are the same Python object.
struct BoundMove {
    const MovePool* pool;
    Move move;
};

/// The Python objects of one game's moves. Making an object costs more than generating the move, so each is made
/// once; a list of moves is then a list of references. Needs the GIL. Pools live as long as the process.
class MovePool {
  public:
    virtual ~MovePool() = default;
    virtual std::string_view game_name() const = 0;
    virtual std::string text(Move move) const = 0;
    virtual MoveIndex index(Move move) const = 0;
    /// What identifies the move in another process: its bits, or a Python game's own move object.
    virtual nb::object value(Move move) const = 0;
    /// The move that value() came from.
    virtual Move from_value(nb::handle value) const = 0;
    /// A position of the game, from its start where no position string is given.
    virtual std::unique_ptr<AnyPosition> position(const std::string* fen) const = 0;
    virtual std::unique_ptr<AnySearcher> searcher(SearchSettings settings, EvaluationSettings evaluation) const = 0;
    virtual const GameInfo& info() const = 0;
    /// Whether positions call Python, and so need the GIL wherever they are used.
    virtual bool calls_python() const = 0;

    /// A new reference.
    nb::object object(Move move) const {
        PyObject*& slot = objects_[move.bits];
        if (!slot) slot = nb::cast(BoundMove{this, move}).release().ptr();
        return nb::borrow(slot);
    }

    /// Moves with a number each, as Python has them.
    nb::list pairs(const std::vector<std::pair<Move, float>>& numbers) const {
        nb::list listed;
        for (const auto& [move, number] : numbers) listed.append(nb::make_tuple(object(move), number));
        return listed;
    }

  private:
    using Slot = PyObject*;
    struct Free {
        void operator()(Slot* slots) const { std::free(slots); }
    };
    // From calloc, whose pages take up no memory before they are written to: variants are many, and their moves few.
    std::unique_ptr<Slot[], Free> objects_{static_cast<Slot*>(std::calloc(1u << 16, sizeof(Slot)))};
};

/// A position with the moves that led to it. `root` is the position string it was made from.
struct BoundPosition {
    const MovePool* pool;
    std::unique_ptr<AnyPosition> position;
    std::optional<std::string> root;
    std::vector<Move> played;

    BoundPosition(const MovePool* owner, std::optional<std::string> fen)
        : pool(owner), position(owner->position(fen ? &*fen : nullptr)), root(std::move(fen)) {}
    BoundPosition(const BoundPosition& from)
        : pool(from.pool), position(from.position->clone()), root(from.root), played(from.played) {}
};

/// The pool of a native game or of a variant of it ("breakthrough-6x5"), or null.
const MovePool* native_pool(std::string_view name);

/// The pool of a game as Python names it: a native game's name, or a Python game wrapped. Throws KeyError.
const MovePool* find_pool(nb::handle game);

/// The static facts of a game as a dictionary.
nb::dict describe(const GameInfo& info);

void bind_moves(nb::module_& module);
void bind_positions(nb::module_& module);
void bind_python_games(nb::module_& module);
void bind_results(nb::module_& module);
void bind_move_encoding(nb::module_& module);
void bind_searches(nb::module_& module);
void bind_plays(nb::module_& module);
void bind_learning(nb::module_& module);
void bind_records(nb::module_& module);
void bind_move_maps(nb::module_& module);

}  // namespace plypilot::bind
