#include "move_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "crew.hpp"

namespace plypilot {

void MoveCaseView::check() const {
    const auto refuse = [](const std::string& text) { throw std::invalid_argument("cases: " + text); };
    const auto check_starts = [&](const char* name, std::span<const std::int64_t> starts, std::size_t entries) {
        if (starts.size() != size() + 1)
            refuse(std::string(name) + " has " + std::to_string(starts.size()) + " entries, expected " +
                   std::to_string(size() + 1) + ": one more than there are cases");
        if (starts[0] != 0 || starts[size()] != static_cast<std::int64_t>(entries) || !std::ranges::is_sorted(starts))
            refuse(std::string(name) + " must rise from 0 to " + std::to_string(entries));
    };
    if (keys.size() % width) refuse("expected " + std::to_string(width) + " keys for each move");
    if (!values.empty() && values.size() != inputs.size()) refuse("inputs and values differ in size");
    check_starts("input_starts", input_starts, inputs.size());
    check_starts("move_starts", move_starts, keys.size() / width);
    if (std::ranges::any_of(inputs, [](std::int32_t input) { return input < 0; })) refuse("an input is negative");
    for (std::size_t c = 0; c < size(); ++c) {
        const std::int64_t moves = move_starts[c + 1] - move_starts[c];
        if (best[c] < 0 || best[c] >= moves)
            refuse("the best move of case " + std::to_string(c) + " is number " + std::to_string(best[c]) + " of " +
                   std::to_string(moves));
    }
}

std::array<std::size_t, 2> MoveCaseView::bounds() const {
    std::int32_t input = -1, key = -1;
    for (const std::int32_t each : inputs) input = std::max(input, each);
    for (const std::int32_t each : keys) key = std::max(key, each);
    return {static_cast<std::size_t>(input + 1), static_cast<std::size_t>(key + 1)};
}

void MoveMapShape::check() const {
    if (!inputs || !outputs) throw std::invalid_argument("move map: expected an input and an output at least");
    if (!units && !has_direct) throw std::invalid_argument("move map: expected hidden units, or direct links");
    if (units > Network::most_units)
        throw std::invalid_argument("move map: " + std::to_string(units) + " hidden units, expected at most " +
                                    std::to_string(Network::most_units));
    if (!width || (encoding == Encoding::meos && width != 1) || (encoding == Encoding::meoc && width != 2) ||
        (encoding == Encoding::shared && width != 3))
        throw std::invalid_argument("move map: " + std::to_string(width) +
                                    " keys for a move, expected 1 (MEOS), 2 (MEOC), 3 (shared) or more (MEI)");
    if (encoding == Encoding::mei && outputs != 1)
        throw std::invalid_argument("move map: moves that are inputs (MEI) need one output");
}

namespace {

using Encoding = MoveMapShape::Encoding;
using Function = MoveMapShape::Function;
using Loss = MoveMapShape::Loss;

/// Where the gradient of a pass goes: pieces of it, by the place of their first weight. Pieces do not overlap, so they
/// may come from several threads at once.
class GradientSink {
  public:
    virtual ~GradientSink() = default;
    virtual void begin_block() {}
    virtual void take(std::size_t at, std::span<const float> slopes) = 0;
};

class GradientSum : public GradientSink {
  public:
    explicit GradientSum(std::span<float> sums) : sums_(sums) {}
    void take(std::size_t at, std::span<const float> slopes) override {
        float* __restrict sum = sums_.data() + at;
        const float* __restrict slope = slopes.data();
        for (std::size_t i = 0; i < slopes.size(); ++i) sum[i] += slope[i];
    }

  private:
    std::span<float> sums_;
};

class Descent : public GradientSink {
  public:
    Descent(const DescentSettings& rule, DescentMemory& memory, std::span<float> weights)
        : rule_(rule), memory_(memory), weights_(weights) {}
    void begin_block() override { ++memory_.steps; }
    void take(std::size_t at, std::span<const float> slopes) override { descend(rule_, memory_, weights_, at, slopes); }

  private:
    const DescentSettings& rule_;
    DescentMemory& memory_;
    std::span<float> weights_;
};

/// What needs each row of weights: the entries of row r lie between starts[r] and starts[r + 1], in the order in which
/// they were named.
template <class Entry>
struct Rows {
    std::vector<std::int32_t> starts;
    std::vector<std::int32_t> ends;
    std::vector<Entry> entries;
    std::vector<std::int32_t> touched;  // rows that have entries

    /// `name_all(name)` calls name(row, entry) for each of them, twice over in the same order.
    template <class NameAll>
    void sort(std::size_t rows, const NameAll& name_all) {
        ends.assign(rows + 1, 0);
        name_all([this](std::int32_t row, const Entry&) { ++ends[static_cast<std::size_t>(row) + 1]; });
        touched.clear();
        for (std::size_t row = 0; row < rows; ++row) {
            if (ends[row + 1]) touched.push_back(static_cast<std::int32_t>(row));
            ends[row + 1] += ends[row];
        }
        starts = ends;
        entries.resize(static_cast<std::size_t>(ends[rows]));
        name_all([this](std::int32_t row, const Entry& entry) {
            entries[static_cast<std::size_t>(ends[static_cast<std::size_t>(row)]++)] = entry;
        });
    }
    std::span<const Entry> operator[](std::int32_t row) const {
        const auto from = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
        return {entries.data() + from, static_cast<std::size_t>(ends[static_cast<std::size_t>(row)]) - from};
    }
};

/// A move's key that is an output: `place` counts the keys of the block.
struct OutputUse {
    std::int32_t row;  // the case
    std::int32_t place;
};

/// An input with its value: of a case, or of a move where moves are inputs.
struct InputUse {
    std::int32_t source;
    float value;
};

/// Some cases, copied together and sorted by the rows of weights that they need.
struct Block {
    std::size_t cases = 0;
    bool is_plain = true;  // every input has the value 1
    std::vector<std::size_t> numbers;
    std::vector<std::int32_t> input_starts;
    std::vector<std::int32_t> inputs;
    std::vector<float> values;
    std::vector<std::int32_t> move_starts;
    std::vector<std::int32_t> keys;
    std::vector<std::int32_t> best;
    Rows<OutputUse> by_output;  // where keys are outputs
    Rows<InputUse> by_input;    // where inputs have weights of their own: those of hidden units, or of moves as inputs

    std::size_t moves() const { return static_cast<std::size_t>(move_starts[cases]); }
    std::span<const std::int32_t> inputs_of(std::size_t c) const {
        return {inputs.data() + input_starts[c], static_cast<std::size_t>(input_starts[c + 1] - input_starts[c])};
    }
    float value(std::size_t input) const { return is_plain ? 1.0f : values[input]; }
};

void copy_cases(Block& block, const MoveCaseView& cases, const MoveMapShape& shape) {
    const std::size_t width = cases.width;
    block.cases = block.numbers.size();
    block.input_starts.assign(1, 0);
    block.inputs.clear();
    block.values.clear();
    block.move_starts.assign(1, 0);
    block.keys.clear();
    block.best.clear();
    for (const std::size_t number : block.numbers) {
        const auto from = cases.input_starts[number], to = cases.input_starts[number + 1];
        block.inputs.insert(block.inputs.end(), cases.inputs.begin() + from, cases.inputs.begin() + to);
        if (!cases.values.empty())
            block.values.insert(block.values.end(), cases.values.begin() + from, cases.values.begin() + to);
        block.input_starts.push_back(static_cast<std::int32_t>(block.inputs.size()));
        const auto first = cases.move_starts[number] * static_cast<std::int64_t>(width);
        const auto last = cases.move_starts[number + 1] * static_cast<std::int64_t>(width);
        block.keys.insert(block.keys.end(), cases.keys.begin() + first, cases.keys.begin() + last);
        block.move_starts.push_back(static_cast<std::int32_t>(block.keys.size() / width));
        block.best.push_back(cases.best[number]);
    }
    block.is_plain = std::ranges::all_of(block.values, [](float value) { return value == 1; });
    if (shape.encoding != Encoding::meoc) return;
    for (std::size_t key = 0; key < block.keys.size(); key += width) {  // half a move is none
        const auto move = std::span(block.keys).subspan(key, width);
        if (std::ranges::any_of(move, [](std::int32_t each) { return each < 0; })) std::ranges::fill(move, -1);
    }
}

void sort_block(Block& block, const MoveMapShape& shape, bool has_gradient) {
    const std::size_t width = shape.width;
    const bool is_mei = shape.encoding == Encoding::mei;
    if (!is_mei)
        block.by_output.sort(shape.outputs, [&](const auto& name) {
            for (std::size_t c = 0; c < block.cases; ++c) {
                const auto to = static_cast<std::size_t>(block.move_starts[c + 1]) * width;
                for (std::size_t key = static_cast<std::size_t>(block.move_starts[c]) * width; key < to; ++key) {
                    if (block.keys[key] >= 0)
                        name(block.keys[key], OutputUse{static_cast<std::int32_t>(c), static_cast<std::int32_t>(key)});
                }
            }
        });
    if (has_gradient && (is_mei || shape.units))
        block.by_input.sort(shape.inputs, [&](const auto& name) {
            for (std::size_t c = 0; c < block.cases; ++c) {
                for (auto i = static_cast<std::size_t>(block.input_starts[c]);
                     i < static_cast<std::size_t>(block.input_starts[c + 1]); ++i)
                    name(block.inputs[i], InputUse{static_cast<std::int32_t>(c), block.value(i)});
            }
            for (std::size_t key = 0; is_mei && key < block.keys.size(); ++key) {
                if (block.keys[key] >= 0)
                    name(block.keys[key], InputUse{static_cast<std::int32_t>(block.cases + key / width), 1.0f});
            }
        });
}

/// Four partial sums, so that additions need not wait for each other.
float dot(const float* __restrict one, const float* __restrict two, std::size_t size) {
    FloatLanes sums{};
    std::size_t i = 0;
    for (; i + lane_count <= size; i += lane_count) {
        FloatLanes left, right;
        std::memcpy(&left, one + i, sizeof left);
        std::memcpy(&right, two + i, sizeof right);
        sums += left * right;
    }
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < size; ++i) sum += one[i] * two[i];
    return sum;
}

void add_multiple(float* __restrict sums, const float* __restrict numbers, float factor, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) sums[i] += factor * numbers[i];
}

/// function(x) in place.
void squash(std::span<float> numbers) {
    std::size_t i = 0;
    for (; i + lane_count <= numbers.size(); i += lane_count) {
        FloatLanes four;
        std::memcpy(&four, numbers.data() + i, sizeof four);
        four = tanh_of(four);
        std::memcpy(numbers.data() + i, &four, sizeof four);
    }
    for (; i < numbers.size(); ++i) numbers[i] = tanh_of(numbers[i]);
}

/// Sums over the inputs of a case of the weights of one row, from four partial sums.
template <bool is_plain>
float sum_of(const float* __restrict row, std::span<const std::int32_t> inputs, const float* __restrict values) {
    float sums[4] = {};
    std::size_t i = 0;
    const auto term = [&](std::size_t at) {
        const float weight = row[inputs[at]];
        return is_plain ? weight : weight * values[at];
    };
    for (; i + 4 <= inputs.size(); i += 4) {
        sums[0] += term(i);
        sums[1] += term(i + 1);
        sums[2] += term(i + 2);
        sums[3] += term(i + 3);
    }
    for (; i < inputs.size(); ++i) sums[0] += term(i);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <bool is_plain>
void add_to_inputs(float* __restrict row, std::span<const std::int32_t> inputs, const float* __restrict values,
                   float slope) {
    for (std::size_t i = 0; i < inputs.size(); ++i) row[inputs[i]] += is_plain ? slope : slope * values[i];
}

/// A pass over cases, block by block.
class Pass {
  public:
    Pass(const MoveMapShape& shape, std::span<const float> weights, const MoveCaseView& cases, std::size_t threads,
         GradientSink* sink, std::span<float> scores)
        : shape_(shape),
          weights_(weights.data()),
          cases_(cases),
          sink_(sink),
          score_sink_(scores),
          crew_(std::max<std::size_t>(threads, 1)),
          members_(crew_.size()) {
        for (Member& member : members_) member.row.resize(std::max(shape.inputs, shape.units));
    }

    /// `number(i)` is the i-th of `count` cases; scores are written from that of the first case on.
    template <class Number>
    MoveMapMeasures run(std::size_t count, const Number& number, std::size_t block_cases, bool takes_mean) {
        const auto prepare = [&](std::size_t first) {
            following_.numbers.clear();
            for (std::size_t i = first; i < std::min(first + block_cases, count); ++i)
                following_.numbers.push_back(number(i));
            copy_cases(following_, cases_, shape_);
            sort_block(following_, shape_, sink_ != nullptr);
        };
        first_move_ = count ? cases_.move_starts[number(0)] : 0;
        prepare(0);
        for (std::size_t first = 0; first < count; first += block_cases) {
            std::swap(block_, following_);
            scale_ = takes_mean ? 1 / static_cast<float>(block_.cases) : 1.0f;
            resize();
            const std::function<void()> prepare_next = [&] { prepare(first + block_cases); };
            score();
            judge(sink_ ? nullptr : &prepare_next);
            if (sink_) {
                sink_->begin_block();
                find_gradient(prepare_next);
            }
            add_measures();
        }
        return measures_;
    }

  private:
    /// What a thread has for itself.
    struct Member {
        std::vector<float> row;     // a row of the gradient
        std::vector<float> sums;    // of a case
        std::vector<float> shares;  // of the moves of a case
        std::vector<float> units;
    };
    struct Judgement {
        double loss;
        std::int32_t higher;  // moves that score higher than the best one
        std::int32_t equal;   // others that score the same
    };
    static constexpr std::size_t group_cases = 64;
    static constexpr std::size_t group_rows = 8;

    /// Whether the network knows the move with this first key.
    bool is_known(std::int32_t key) const { return key >= 0 || is_mei(); }
    bool is_mei() const { return shape_.encoding == Encoding::mei; }
    const float* output_row(std::int32_t output) const {
        return weights_ + shape_.output() + static_cast<std::size_t>(output) * shape_.units;
    }
    const float* hidden_row(std::int32_t input) const {
        return weights_ + shape_.hidden() + static_cast<std::size_t>(input) * shape_.units;
    }
    float* unit_row(std::vector<float>& rows, std::size_t source) const { return rows.data() + source * shape_.units; }

    void resize() {
        const std::size_t sources = block_.cases + (is_mei() ? block_.moves() : 0);
        values_.resize(block_.keys.size());
        slopes_.resize(block_.keys.size());
        judgements_.resize(block_.cases);
        activations_.resize(sources * shape_.units);
        inner_.resize(sources * shape_.units);
        outer_.resize(is_mei() ? sources : 0);
    }

    /// Calls work(c, member) for each case of the block.
    template <class Work>
    void share_cases(const Work& work, const std::function<void()>* besides = nullptr) {
        const std::size_t groups = (block_.cases + group_cases - 1) / group_cases, others = besides ? 1 : 0;
        crew_.share(groups + others, [&](std::size_t task, std::size_t member) {
            if (task < others) return (*besides)();
            const std::size_t first = (task - others) * group_cases;
            for (std::size_t c = first; c < std::min(first + group_cases, block_.cases); ++c) work(c, members_[member]);
        });
    }

    // 1. The outputs that the moves need, before their function.

    void score() {
        if (is_mei()) {
            share_cases([this](std::size_t c, Member& member) { score_moves(c, member); });
            return;
        }
        if (shape_.units)
            share_cases([this](std::size_t c, Member&) {
                float* sums = unit_row(activations_, c);
                sum_hidden(c, sums);
                squash({sums, shape_.units});
            });
        const auto& touched = block_.by_output.touched;
        crew_.share((touched.size() + group_rows - 1) / group_rows, [&](std::size_t task, std::size_t) {
            const std::size_t first = task * group_rows;
            for (std::size_t i = first; i < std::min(first + group_rows, touched.size()); ++i) {
                if (block_.is_plain)
                    score_row<true>(touched[i]);
                else
                    score_row<false>(touched[i]);
            }
        });
    }

    void sum_hidden(std::size_t c, float* sums) {
        std::copy_n(weights_ + shape_.hidden_bias(), shape_.units, sums);
        for (auto i = static_cast<std::size_t>(block_.input_starts[c]);
             i < static_cast<std::size_t>(block_.input_starts[c + 1]); ++i)
            add_multiple(sums, hidden_row(block_.inputs[i]), block_.value(i), shape_.units);
    }

    template <bool is_plain>
    void score_row(std::int32_t output) {
        const auto number = static_cast<std::size_t>(output);
        const float bias = weights_[shape_.output_bias() + number];
        const float* direct = weights_ + shape_.direct() + number * shape_.inputs;
        for (const OutputUse& use : block_.by_output[output]) {
            const auto c = static_cast<std::size_t>(use.row);
            float sum = bias;
            if (shape_.has_direct)
                sum += sum_of<is_plain>(direct, block_.inputs_of(c), block_.values.data() + block_.input_starts[c]);
            if (shape_.units) sum += dot(output_row(output), unit_row(activations_, c), shape_.units);
            values_[static_cast<std::size_t>(use.place)] = sum;
        }
    }

    /// Where moves are inputs: the position's part of all sums is the same for all its moves. The value of a move
    /// stands at its first key.
    void score_moves(std::size_t c, Member& member) {
        const std::size_t units = shape_.units, width = shape_.width;
        const float* direct = weights_ + shape_.direct();
        member.sums.resize(units);
        if (units) sum_hidden(c, member.sums.data());
        float shared = weights_[shape_.output_bias()];
        for (auto i = static_cast<std::size_t>(block_.input_starts[c]);
             shape_.has_direct && i < static_cast<std::size_t>(block_.input_starts[c + 1]); ++i)
            shared += direct[block_.inputs[i]] * block_.value(i);
        for (auto m = static_cast<std::size_t>(block_.move_starts[c]);
             m < static_cast<std::size_t>(block_.move_starts[c + 1]); ++m) {
            const std::int32_t* keys = block_.keys.data() + m * width;
            float sum = shared;
            for (std::size_t k = 0; k < width && shape_.has_direct; ++k) sum += keys[k] < 0 ? 0 : direct[keys[k]];
            if (units) {
                float* activations = unit_row(activations_, block_.cases + m);
                std::ranges::copy(member.sums, activations);
                for (std::size_t k = 0; k < width; ++k) {
                    if (keys[k] >= 0) add_multiple(activations, hidden_row(keys[k]), 1, units);
                }
                squash({activations, units});
                sum += dot(output_row(0), activations, units);
            }
            values_[m * width] = sum;
        }
    }

    // 2. Scores, losses and their slopes, case by case.

    void judge(const std::function<void()>* besides) {
        share_cases([this](std::size_t c, Member& member) { judge_case(c, member); }, besides);
    }

    void judge_case(std::size_t c, Member& member) {
        const std::size_t width = shape_.width, outputs = is_mei() ? 1 : width;
        const auto first = static_cast<std::size_t>(block_.move_starts[c]);
        const std::size_t moves = static_cast<std::size_t>(block_.move_starts[c + 1]) - first;
        const auto best = static_cast<std::size_t>(block_.best[c]);
        const std::int32_t* keys = block_.keys.data() + first * width;
        float* values = values_.data() + first * width;
        member.sums.resize(moves);
        float* scores = member.sums.data();
        if (shape_.function == Function::tanh && !is_mei()) squash({values, moves * width});
        float lowest = 0;
        bool is_any_known = false;
        for (std::size_t m = 0; m < moves; ++m) {
            if (!is_known(keys[m * width])) continue;
            if (is_mei() && shape_.function == Function::tanh) values[m * width] = tanh_of(values[m * width]);
            float score = values[m * width];
            if (outputs == 2) score = (score + values[m * width + 1]) / 2;
            if (outputs == 3) score = (score + values[m * width + 1] + values[m * width + 2]) / 3;
            scores[m] = score;
            lowest = is_any_known ? std::min(lowest, score) : score;
            is_any_known = true;
        }
        for (std::size_t m = 0; m < moves; ++m) {
            if (!is_known(keys[m * width])) scores[m] = lowest;
        }
        Judgement& judgement = judgements_[c];
        judgement.higher = judgement.equal = 0;
        for (std::size_t m = 0; m < moves; ++m) {
            judgement.higher += scores[m] > scores[best];
            judgement.equal += scores[m] == scores[best] && m != best;
        }
        if (!score_sink_.empty())
            std::copy_n(scores, moves, score_sink_.data() + (cases_.move_starts[block_.numbers[c]] - first_move_));
        judgement.loss = find_slopes({scores, moves}, best, member);
        if (sink_) spread_slopes(c, member);
    }

    /// The loss of a case; its slopes by the scores are left in member.shares.
    double find_slopes(std::span<const float> scores, std::size_t best, Member& member) const {
        member.shares.resize(scores.size() + lane_count);
        float* shares = member.shares.data();
        if (shape_.loss != Loss::softmax) {
            const float step = shape_.loss == Loss::sigmoid ? 0.5f : 1.0f, start = 1 - step;
            double loss = 0;
            for (std::size_t m = 0; m < scores.size(); ++m) {
                const float difference = start + step * scores[m] - (m == best ? 1.0f : 0.0f);
                loss += double{difference} * double{difference};
                shares[m] = 2 * step * difference * scale_;
            }
            return loss;
        }
        const float highest = *std::ranges::max_element(scores);
        for (std::size_t m = 0; m < scores.size(); m += lane_count) {
            FloatLanes four{};
            std::memcpy(&four, scores.data() + m, std::min(lane_count, scores.size() - m) * sizeof(float));
            four = exp_of(four - highest);
            std::memcpy(shares + m, &four, sizeof four);
        }
        float total = 0;
        for (std::size_t m = 0; m < scores.size(); ++m) total += shares[m];
        for (std::size_t m = 0; m < scores.size(); ++m)
            shares[m] = (shares[m] / total - (m == best ? 1.0f : 0.0f)) * scale_;
        return std::log(double{total}) + double{highest} - double{scores[best]};
    }

    /// The slopes by the sums of the outputs, and by those of the hidden units, from the slopes by the scores.
    void spread_slopes(std::size_t c, Member& member) {
        const std::size_t width = shape_.width, outputs = is_mei() ? 1 : width, units = shape_.units;
        const auto first = static_cast<std::size_t>(block_.move_starts[c]);
        const std::size_t moves = static_cast<std::size_t>(block_.move_starts[c + 1]) - first;
        float* inner = units ? unit_row(inner_, c) : nullptr;
        std::fill_n(inner, units, 0.0f);
        float outer = 0;
        for (std::size_t m = 0; m < moves; ++m) {
            for (std::size_t k = 0; k < outputs; ++k) {
                const std::size_t place = (first + m) * width + k;
                const std::int32_t key = block_.keys[place];
                if (!is_known(key)) {
                    slopes_[place] = 0;
                    continue;
                }
                float slope = member.shares[m] / static_cast<float>(outputs);
                if (shape_.function == Function::tanh) slope *= 1 - values_[place] * values_[place];
                slopes_[place] = slope;
                outer += slope;
                if (units && !is_mei()) add_multiple(inner, output_row(key), slope, units);
            }
            if (is_mei()) spread_to_move(c, first + m);
        }
        if (is_mei())
            outer_[c] = outer;
        else
            for (std::size_t unit = 0; unit < units; ++unit) {
                const float activation = activations_[c * units + unit];
                inner[unit] *= 1 - activation * activation;
            }
    }

    void spread_to_move(std::size_t c, std::size_t m) {
        const std::size_t units = shape_.units;
        const float slope = slopes_[m * shape_.width];
        outer_[block_.cases + m] = slope;
        if (!units) return;
        const float* __restrict weights = output_row(0);
        const float* __restrict activations = unit_row(activations_, block_.cases + m);
        float* __restrict own = unit_row(inner_, block_.cases + m);
        float* __restrict sum = unit_row(inner_, c);
        for (std::size_t unit = 0; unit < units; ++unit) {
            own[unit] = slope * weights[unit] * (1 - activations[unit] * activations[unit]);
            sum[unit] += own[unit];
        }
    }

    // 3. The gradient, row by row.

    void find_gradient(const std::function<void()>& prepare_next) {
        const auto& outputs = block_.by_output.touched;
        const auto& inputs = block_.by_input.touched;
        const std::size_t output_groups = is_mei() ? 0 : (outputs.size() + group_rows - 1) / group_rows;
        const std::size_t input_groups = is_mei() || shape_.units ? (inputs.size() + group_rows - 1) / group_rows : 0;
        const auto each_row = [](const std::vector<std::int32_t>& rows, std::size_t group, const auto& work) {
            for (std::size_t i = group * group_rows; i < std::min((group + 1) * group_rows, rows.size()); ++i)
                work(rows[i]);
        };
        crew_.share(2 + output_groups + input_groups, [&](std::size_t task, std::size_t number) {
            Member& member = members_[number];
            if (task == 0) return prepare_next();
            if (task == 1) return find_shared_rows(member);
            task -= 2;
            if (task < output_groups)
                each_row(outputs, task, [&](std::int32_t output) {
                    if (block_.is_plain)
                        find_output_row<true>(output, member);
                    else
                        find_output_row<false>(output, member);
                });
            else
                each_row(inputs, task - output_groups, [&](std::int32_t input) { find_input_row(input, member); });
        });
    }

    template <bool is_plain>
    void find_output_row(std::int32_t output, Member& member) {
        const auto number = static_cast<std::size_t>(output);
        const std::size_t units = shape_.units;
        float* row = member.row.data();
        std::fill(member.row.begin(), member.row.end(), 0.0f);
        member.units.assign(units, 0.0f);
        float bias = 0;
        for (const OutputUse& use : block_.by_output[output]) {
            const auto c = static_cast<std::size_t>(use.row);
            const float slope = slopes_[static_cast<std::size_t>(use.place)];
            bias += slope;
            if (shape_.has_direct)
                add_to_inputs<is_plain>(row, block_.inputs_of(c), block_.values.data() + block_.input_starts[c], slope);
            if (units) add_multiple(member.units.data(), unit_row(activations_, c), slope, units);
        }
        if (shape_.has_direct) sink_->take(shape_.direct() + number * shape_.inputs, {row, shape_.inputs});
        sink_->take(shape_.output_bias() + number, {&bias, 1});
        if (units) sink_->take(shape_.output() + number * units, member.units);
    }

    void find_input_row(std::int32_t input, Member& member) {
        const auto number = static_cast<std::size_t>(input);
        const std::size_t units = shape_.units;
        member.units.assign(units, 0.0f);
        float direct = 0;
        for (const InputUse& use : block_.by_input[input]) {
            const auto source = static_cast<std::size_t>(use.source);
            if (is_mei()) direct += outer_[source] * use.value;
            if (units) add_multiple(member.units.data(), unit_row(inner_, source), use.value, units);
        }
        if (is_mei() && shape_.has_direct) sink_->take(shape_.direct() + number, {&direct, 1});
        if (units) sink_->take(shape_.hidden() + number * units, member.units);
    }

    /// The rows that every case needs: the biases of hidden units and, where moves are inputs, the one output.
    void find_shared_rows(Member& member) {
        const std::size_t units = shape_.units;
        if (units) {
            member.units.assign(units, 0.0f);
            for (std::size_t c = 0; c < block_.cases; ++c)
                add_multiple(member.units.data(), unit_row(inner_, c), 1, units);
            sink_->take(shape_.hidden_bias(), member.units);
        }
        if (!is_mei()) return;
        float bias = 0;
        member.units.assign(units, 0.0f);
        for (std::size_t c = 0; c < block_.cases; ++c) bias += outer_[c];
        for (std::size_t m = 0; m < block_.moves() && units; ++m)
            add_multiple(member.units.data(), unit_row(activations_, block_.cases + m), outer_[block_.cases + m],
                         units);
        sink_->take(shape_.output_bias(), {&bias, 1});
        if (units) sink_->take(shape_.output(), member.units);
    }

    // 4. What was found.

    void add_measures() {
        for (const Judgement& judgement : judgements_) {
            measures_.loss += judgement.loss;
            const double share = 1.0 / (judgement.equal + 1);
            for (int i = 0; i <= judgement.equal; ++i) {
                const auto rank = static_cast<std::size_t>(judgement.higher + i);
                measures_.ranks[std::min(rank, MoveMapMeasures::most_ranks - 1)] += share;
            }
        }
        measures_.cases += static_cast<std::int64_t>(block_.cases);
        measures_.moves += static_cast<std::int64_t>(block_.moves());
    }

    const MoveMapShape& shape_;
    const float* weights_;
    const MoveCaseView& cases_;
    GradientSink* sink_;
    std::span<float> score_sink_;
    Crew crew_;
    std::vector<Member> members_;
    Block block_, following_;
    std::int64_t first_move_ = 0;
    float scale_ = 1;
    // By key of the block:
    std::vector<float> values_;  // of the outputs; where moves are inputs, at the first key of each
    std::vector<float> slopes_;  // by the sums of the outputs
    // By case, and where moves are inputs, after the cases by move:
    std::vector<float> activations_;  // [source * units + unit]
    std::vector<float> inner_;        // slopes by the sums of the hidden units, alike
    std::vector<float> outer_;        // slopes by the sum of the one output
    std::vector<Judgement> judgements_;
    MoveMapMeasures measures_;
};

/// Cases that a pass takes at a time: as many as leave what they need in a core's cache.
std::size_t block_size(const MoveMapShape& shape) {
    return shape.encoding == Encoding::mei && shape.units ? 512 : 4096;
}

}  // namespace

MoveMapMeasures MoveMapTrainer::pass(std::span<const float> weights, const MoveCaseView& cases, std::size_t first,
                                     std::size_t last, std::size_t threads, std::span<float> gradient,
                                     std::span<float> scores) const {
    GradientSum sum(gradient);
    Pass pass(shape_, weights, cases, threads, gradient.empty() ? nullptr : &sum, scores);
    return pass.run(last - first, [first](std::size_t i) { return first + i; }, block_size(shape_), false);
}

MoveMapMeasures MoveMapTrainer::learn(std::span<float> weights, const DescentSettings& rule, DescentMemory& memory,
                                      const MoveCaseView& cases, std::span<const std::int32_t> order, std::size_t batch,
                                      std::size_t threads) const {
    Descent descent(rule, memory, weights);
    Pass pass(shape_, weights, cases, threads, &descent, {});
    return pass.run(order.size(), [order](std::size_t i) { return static_cast<std::size_t>(order[i]); }, batch, true);
}

}  // namespace plypilot
