// Training of networks that say which move is likely the best (the Neural MoveMap, Kocsis 3.2), for every game
// alike: all it sees are cases, which are positions as sparse inputs, their legal moves as keys, and the move called
// best.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../eval/network.hpp"
#include "../move_encoding.hpp"
#include "descent.hpp"

namespace plypilot {

/// Cases, one after the other: the inputs of case c lie between input_starts[c] and input_starts[c + 1], its moves
/// between move_starts[c] and move_starts[c + 1], each with `width` keys. Where keys are outputs, a negative one says
/// that the network does not know the move, which then scores as the lowest of its case and teaches nothing; where they
/// are inputs, that the move has no such input.
struct MoveCaseView {
    std::size_t width = 1;
    std::span<const std::int64_t> input_starts;
    std::span<const std::int32_t> inputs;
    std::span<const float> values;  // of the inputs; empty: all are 1
    std::span<const std::int64_t> move_starts;
    std::span<const std::int32_t> keys;
    std::span<const std::int32_t> best;  // which of the case's moves, from 0

    std::size_t size() const { return best.size(); }
    /// Throws std::invalid_argument where the arrays do not fit each other.
    void check() const;
    /// One more than the largest input and the largest key.
    std::array<std::size_t, 2> bounds() const;
};

/// The shape of a network and where its weights stand in one vector. The weights of an output lie together, so that a
/// move's score and its gradient touch one piece of memory.
struct MoveMapShape {
    using Function = NetworkWeights::Function;
    /// What a move's keys are: one output (MEOS), two outputs whose mean is the score (MEOC), or four inputs that are
    /// added to those of the position, for the one output (MEI) (Kocsis 3.2.1). Some games have fewer keys for MEI.
    using Encoding = MoveEncoding::Kind;
    /// square: of the difference to 1 for the best move and 0 for others (Kocsis 3.3). sigmoid: the same where outputs
    /// lie between -1 and 1 and half of one more counts, as a sigmoid from 0 to 1 has it. softmax: the cross-entropy of
    /// the softmax over the legal moves.
    enum class Loss : std::uint8_t { square, sigmoid, softmax };

    Encoding encoding = Encoding::meos;
    std::size_t width = 1;  // keys of a move
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t units = 0;  // of the hidden layer; 0: none
    bool has_direct = true;
    Function function = Function::tanh;
    Loss loss = Loss::square;

    std::size_t direct() const { return 0; }                                       // [output][input]
    std::size_t output_bias() const { return has_direct ? outputs * inputs : 0; }  // [output]
    std::size_t output() const { return output_bias() + outputs; }                 // [output][unit]
    std::size_t hidden() const { return output() + outputs * units; }              // [input][unit]
    std::size_t hidden_bias() const { return hidden() + inputs * units; }          // [unit]
    std::size_t size() const { return hidden_bias() + units; }
    /// Throws std::invalid_argument where there is no such network.
    void check() const;
};

/// What a pass over cases found.
struct MoveMapMeasures {
    static constexpr std::size_t most_ranks = 1024;

    double loss = 0;  // summed over all cases
    std::int64_t cases = 0;
    std::int64_t moves = 0;
    /// How often the best move had each rank; the last entry counts all beyond, too. A move that shares its score with
    /// others has each of their ranks in part, as if they were tried in random order: the error rate is
    /// 1 - ranks[0] / cases.
    std::vector<double> ranks = std::vector<double>(most_ranks);
};

/// Passes over cases. They go by blocks of cases, and through each block by rows of weights: whoever computes a row
/// finds all moves that need it, so that the row stays near and no two threads add to one sum. What comes out depends
/// neither on the number of threads nor on how passes are cut, but for the order in which gradients are added.
class MoveMapTrainer {
  public:
    /// Throws std::invalid_argument where there is no such network.
    explicit MoveMapTrainer(const MoveMapShape& shape) : shape_(shape) { shape_.check(); }
    const MoveMapShape& shape() const { return shape_; }

    /// Over the cases of a range. Adds to the gradient of the summed loss, where there is one, and writes the scores of
    /// all moves of the range, where asked for.
    MoveMapMeasures pass(std::span<const float> weights, const MoveCaseView& cases, std::size_t first, std::size_t last,
                         std::size_t threads, std::span<float> gradient = {}, std::span<float> scores = {}) const;

    /// Takes the cases in this order, and changes the weights after each batch by the mean gradient of its cases.
    /// Measures are those before the change. Counts the batches in `memory`.
    MoveMapMeasures learn(std::span<float> weights, const DescentSettings& rule, DescentMemory& memory,
                          const MoveCaseView& cases, std::span<const std::int32_t> order, std::size_t batch,
                          std::size_t threads) const;

  private:
    MoveMapShape shape_;
};

}  // namespace plypilot
