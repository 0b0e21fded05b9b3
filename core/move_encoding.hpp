// How a position and its moves are told to a network that says which move is best (Kocsis 3.2.1). The board is a list
// of inputs; a move is one to four keys, which are outputs of the network or further inputs of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "game.hpp"

namespace plypilot {

struct MoveEncoding {
    /// meos: an output for each move (moves in the output, sparse). meoc: an output for each origin and one for each
    /// target, whose mean counts (condensed). mei: a move is input beside the board, and there is one output. shared:
    /// the outputs of meos and those of meoc, whose mean counts, to learn by: what was learned makes a network of meos.
    enum class Kind : std::uint8_t { meos, meoc, mei, shared };
    /// Whether squares of moves are those of the board, or as the side to move sees them from its own side.
    enum class View : std::uint8_t { mover, fixed };

    static constexpr std::size_t most_keys = 4;

    Kind kind = Kind::meos;
    View view = View::mover;
    std::vector<int> sets;             // whose features are the inputs, one behind the other
    std::vector<std::int32_t> codes;   // meos, shared: the moves that have an output, in its order
    std::array<int, 3> index_sizes{};  // of the game's move index
    int files = 0, ranks = 0;
    std::vector<int> set_sizes;

    MoveEncoding() = default;
    /// Throws std::invalid_argument for codes that are no moves of the game, or that come twice.
    MoveEncoding(const GameInfo& info, Kind kind_, View view_, std::vector<int> sets_, std::vector<std::int32_t> codes_)
        : kind(kind_),
          view(view_),
          sets(std::move(sets_)),
          codes(std::move(codes_)),
          index_sizes{info.index_sizes.from, info.index_sizes.to, info.index_sizes.promotion},
          files(info.files),
          ranks(info.ranks) {
        for (int set : sets)
            set_sizes.push_back(static_cast<int>(info.feature_sets[static_cast<std::size_t>(set)].features.size()));
        if (!has_outputs_for_moves()) return;
        outputs_.assign(static_cast<std::size_t>(code_count()), -1);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] < 0 || codes[i] >= code_count() || outputs_[static_cast<std::size_t>(codes[i])] >= 0)
                throw std::invalid_argument("moves: " + std::to_string(codes[i]) + " is expected once, and below " +
                                            std::to_string(code_count()));
            outputs_[static_cast<std::size_t>(codes[i])] = static_cast<std::int32_t>(i);
        }
    }

    int code_count() const { return index_sizes[0] * index_sizes[1] * index_sizes[2]; }
    int code(const MoveIndex& move) const {
        return (move.from * index_sizes[1] + move.to) * index_sizes[2] + move.promotion;
    }
    /// The output that a move has, or -1.
    std::int32_t output(int code) const { return outputs_[static_cast<std::size_t>(code)]; }

    /// How many keys a move has.
    std::size_t width() const {
        if (has_outputs_for_moves()) return kind == Kind::meos ? 1 : 3;
        return kind == Kind::meoc || !has_squares() ? 2 : 4;
    }
    int board_inputs() const {
        int inputs = 0;
        for (int size : set_sizes) inputs += size;
        return inputs;
    }
    int inputs() const { return board_inputs() + (kind == Kind::mei ? move_inputs() : 0); }
    int outputs() const {
        if (kind == Kind::mei) return 1;
        return (has_outputs_for_moves() ? static_cast<int>(codes.size()) : 0) +
               (kind == Kind::meos ? 0 : index_sizes[0] + index_sizes[1]);
    }

    /// The keys of a move, -1 where it has none: a move that no output stands for, the rank of a piece that is dropped.
    std::array<std::int32_t, most_keys> keys(const MoveIndex& move) const {
        if (kind == Kind::meos) return {output(code(move)), -1, -1, -1};
        if (kind == Kind::meoc) return {move.from, index_sizes[0] + move.to, -1, -1};
        if (kind == Kind::shared) {
            const int origins = static_cast<int>(codes.size()), targets = origins + index_sizes[0];
            return {output(code(move)), origins + move.from, targets + move.to, -1};
        }
        const int base = board_inputs();
        if (!has_squares()) return {base + move.from, base + index_sizes[0] + move.to, -1, -1};
        // Files and ranks of both squares, then what can be dropped.
        const int to_base = base + files + ranks, drop_base = to_base + files + ranks, squares = files * ranks;
        const bool drops = move.from >= squares;
        return {drops ? drop_base + move.from - squares : base + move.from % files,
                drops ? -1 : base + files + move.from / files, to_base + move.to % files,
                to_base + files + move.to / files};
    }

  private:
    bool has_outputs_for_moves() const { return kind == Kind::meos || kind == Kind::shared; }
    /// Whether a move index counts squares of the board, so that files and ranks tell them.
    bool has_squares() const { return index_sizes[1] == files * ranks && index_sizes[0] >= index_sizes[1]; }
    int move_inputs() const {
        if (!has_squares()) return index_sizes[0] + index_sizes[1];
        return 2 * (files + ranks) + index_sizes[0] - files * ranks;
    }

    std::vector<std::int32_t> outputs_;  // by code
};

/// Positions as lists of inputs and of moves with their keys, one behind the other. A sink of features and of moves.
struct EncodedMoves {
    std::vector<std::int32_t> inputs;
    std::vector<float> values;  // of the inputs
    std::vector<Move> moves;
    std::vector<std::int32_t> keys;  // [move * width + number]

    void add(int input, float value) {
        if (value == 0) return;
        inputs.push_back(input);
        values.push_back(value);
    }
    void add(Move move) { moves.push_back(move); }
    template <class Set, class Make>
    void add_each(Set targets, Make make) {
        for (; targets; drop_lowest(targets)) add(make(lowest(targets)));
    }
    void add_keys(const MoveEncoding& encoding, const MoveIndex& move) {
        const auto made = encoding.keys(move);
        keys.insert(keys.end(), made.begin(), made.begin() + static_cast<std::ptrdiff_t>(encoding.width()));
    }
};

/// A move's index as an encoding sees it.
template <Rules P>
MoveIndex seen_index(const P& position, MoveEncoding::View view, Move move) {
    MoveIndex index = position.move_index(move);
    if constexpr (requires { position.seen_place(first, 0); }) {
        if (view == MoveEncoding::View::mover && position.side() == second) {
            const int squares = position.info().files * position.info().ranks;
            if (index.from < squares) index.from = position.seen_place(second, index.from);
            index.to = position.seen_place(second, index.to);
        }
    }
    return index;
}

/// A sink of features that hands them on as inputs of a network, the first one at a place.
template <class Sink>
struct InputsFrom {
    Sink& sink;
    int first;
    int phase = 0;

    void add(int index, float value) { sink.add(first + index, value); }
    void set_phase(int now) { phase = now; }
    void add_phased(int index, int value) {
        add(index, static_cast<float>(value * phase) / full_phase);
        add(index + 1, static_cast<float>(value * (full_phase - phase)) / full_phase);
    }
};

/// Writes the inputs of the board to a sink of features, those of one set behind those of another.
template <Rules P, class Sink>
void write_inputs(const P& position, const MoveEncoding& encoding, Sink& sink) {
    int first_input = 0;
    for (std::size_t i = 0; i < encoding.sets.size(); ++i) {
        InputsFrom<Sink> behind{sink, first_input};
        position.features(encoding.sets[i], behind);
        first_input += encoding.set_sizes[i];
    }
}

}  // namespace plypilot
