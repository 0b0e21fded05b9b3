// Sums over the pieces of a board, kept beside the board they belong to. For another board only the pieces that
// differ are added and taken away, a handful within a search; the search need not tell what it did. Sums are integers,
// so that they never depend on the boards that came before.
#pragma once

#include <map>
#include <vector>

#include "../features.hpp"
#include "../game.hpp"
#include "lanes.hpp"

namespace plypilot {

/// A game that says where its pieces are, and what changes from one board to another.
template <class P>
concept HasBoard = requires(const P position) {
    position.board();
    { P::place_map(0) } -> std::same_as<std::optional<PlaceMap>>;
};

/// What the features of one set add to some of the sums.
struct ColumnPart {
    PlaceMap map;
    std::size_t first_sum = 0;
    std::size_t sums = 0;
    std::vector<std::int32_t> weights;  // [feature * sums + sum]
    std::vector<std::int32_t> bias;     // [sum], there without any piece

    std::int32_t weight(int feature, std::size_t sum) const {
        return weights[static_cast<std::size_t>(feature) * sums + sum];
    }
};

/// What a piece on each place adds to each sum: a column of numbers. Places that add the same share their column.
class Columns {
  public:
    Columns() = default;
    explicit Columns(const std::vector<ColumnPart>& parts) {
        if (parts.empty()) return;
        height_ = vectors_for(parts.back().first_sum + parts.back().sums);
        const std::size_t places = parts[0].map.features.size();
        second_from_ = static_cast<int>(places / 2);
        std::map<std::vector<int>, std::uint16_t> known;
        for (std::size_t place = 0; place < places; ++place) {
            std::vector<int> features;
            for (const ColumnPart& part : parts) features.push_back(part.map.features[place]);
            const auto [column, is_new] = known.try_emplace(features, static_cast<std::uint16_t>(known.size()));
            column_of_.push_back(column->second);
            if (is_new) append(parts, features);
        }
        for (auto* lanes : {&bias_[first], &bias_[second], &turns_}) lanes->resize(height_);
        for (const ColumnPart& part : parts) set_views(part);
    }

    /// Vectors of a column.
    std::size_t height() const { return height_; }
    /// Adds a piece on a place to the sums, or takes it away. Those of the second side count negatively.
    void add(int place, int sign, Lanes* sums) const {
        const std::int32_t flip = (sign < 0) != (place >= second_from_) ? -1 : 0;
        const Lanes mask = {flip, flip, flip, flip};
        const Lanes* column = columns_.data() + column_of_[place] * height_;
        for (std::size_t i = 0; i < height_; ++i) sums[i] += signed_by(column[i], mask);
    }
    /// Sums over pieces as the side to move sees them, with their bias.
    Lanes seen_by(Side side, std::size_t vector, Lanes sums) const {
        return bias_[side][vector] + (side == first ? sums : signed_by(sums, turns_[vector]));
    }

  private:
    static std::int32_t& at(Lanes* lanes, std::size_t sum) { return reinterpret_cast<std::int32_t*>(lanes)[sum]; }
    void append(const std::vector<ColumnPart>& parts, const std::vector<int>& features) {
        columns_.resize(columns_.size() + height_);
        Lanes* column = columns_.data() + columns_.size() - height_;
        for (std::size_t number = 0; number < parts.size(); ++number) {
            const ColumnPart& part = parts[number];
            for (std::size_t i = 0; i < part.sums && features[number] >= 0; ++i)
                at(column, part.first_sum + i) = part.weight(features[number], i);
        }
    }
    void set_views(const ColumnPart& part) {
        for (std::size_t i = 0; i < part.sums; ++i) {
            const std::size_t sum = part.first_sum + i;
            const std::int32_t turn = part.map.turn_feature < 0 ? 0 : part.weight(part.map.turn_feature, i);
            at(bias_[first].data(), sum) = part.bias[i] + turn;
            at(bias_[second].data(), sum) = part.bias[i] - turn;
            at(turns_.data(), sum) = part.map.is_turned ? -1 : 0;
        }
    }

    std::size_t height_ = 0;
    int second_from_ = 0;  // the first place of the second side
    std::vector<std::uint16_t> column_of_;
    std::vector<Lanes> columns_;
    std::array<std::vector<Lanes>, 2> bias_;  // by the side to move
    std::vector<Lanes> turns_;                // -1: of the other sign with the second side to move
};

/// The sums of the board it was last turned to. For one thread.
template <Rules P>
class BoardSums {
  public:
    explicit BoardSums(const Columns& columns) : columns_(columns), sums_(columns.height()) {}

    void turn_to(const P& position)
        requires HasBoard<P>
    {
        const auto& now = position.board();
        P::each_change(board_, now, [this](int place, int sign) { columns_.add(place, sign, sums_.data()); });
        board_ = now;
        side_ = position.side();
    }
    /// A vector of sums as the side to move sees them.
    Lanes operator[](std::size_t vector) const { return columns_.seen_by(side_, vector, sums_[vector]); }

  private:
    template <class Q>
    struct Board {
        struct type {};
    };
    template <HasBoard Q>
    struct Board<Q> {
        using type = typename Q::Board;
    };

    const Columns& columns_;
    typename Board<P>::type board_{};
    Side side_ = first;
    std::vector<Lanes> sums_;
};

}  // namespace plypilot
