// A position of any game behind one virtual interface.
#pragma once

#include <memory>

#include "eval/move_map.hpp"
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
    virtual void forget_path() = 0;      // nothing to do where the path never ends a game
    virtual void forget_counters() = 0;  // nothing to do where there are none
    virtual std::optional<Outcome> outcome() const = 0;
    virtual std::string move_text(Move move) const = 0;
    virtual std::optional<Move> parse_move(std::string_view text) const = 0;  // nothing: names no legal move
    virtual std::optional<std::string> short_text(Move move) const = 0;       // SAN, where the game has it
    virtual MoveIndex move_index(Move move) const = 0;
    virtual FeatureMask move_features(Move move) const = 0;
    virtual FeatureVector features(int set) const = 0;
    /// Appends the inputs of the position, its legal moves and their keys.
    virtual void encode(const MoveEncoding& encoding, EncodedMoves& encoded) const = 0;
    /// What a network says of its legal moves.
    virtual std::vector<std::pair<Move, float>> judge_moves(std::shared_ptr<const MoveMap> map) const = 0;
    /// Counts its legal moves by their codes.
    virtual void count_codes(const MoveEncoding& encoding, std::vector<std::int64_t>& counts) const = 0;
    virtual std::string draw() const = 0;
    /// How the board names a square that a side counts from its own corner of it, as evaluation features do; empty
    /// where there is no such square.
    virtual std::string square_text(Side side, int file, int rank) const = 0;
    virtual std::uint64_t perft(int depth, Bulk bulk) = 0;
};

template <Rules P>
class ErasedPosition final : public AnyPosition {
  public:
    explicit ErasedPosition(P position) : position_(std::move(position)) {}

    const P& position() const { return position_; }
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
    void forget_path() override {
        if constexpr (requires { position_.forget_path(); }) position_.forget_path();
    }
    void forget_counters() override {
        if constexpr (requires { position_.forget_counters(); }) position_.forget_counters();
    }
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
    void encode(const MoveEncoding& encoding, EncodedMoves& encoded) const override {
        write_inputs(position_, encoding, encoded);
        const std::size_t begin = encoded.moves.size();
        position_.generate(encoded);
        for (std::size_t i = begin; i < encoded.moves.size(); ++i)
            encoded.add_keys(encoding, seen_index(position_, encoding.view, encoded.moves[i]));
    }
    std::vector<std::pair<Move, float>> judge_moves(std::shared_ptr<const MoveMap> map) const override {
        MoveList list;
        position_.generate(list);
        std::vector<float> scores(list.size());
        MoveScorer(std::move(map)).score(position_, list.begin(), list.size(), scores.data());
        std::vector<std::pair<Move, float>> judged;
        for (std::size_t i = 0; i < list.size(); ++i) judged.emplace_back(list[i], scores[i]);
        return judged;
    }
    void count_codes(const MoveEncoding& encoding, std::vector<std::int64_t>& counts) const override {
        MoveList list;
        position_.generate(list);
        for (Move move : list)
            ++counts[static_cast<std::size_t>(encoding.code(seen_index(position_, encoding.view, move)))];
    }
    std::string draw() const override { return position_.draw(); }
    std::string square_text(Side side, int file, int rank) const override {
        if constexpr (requires { P::board_width; }) {
            constexpr int width = P::board_width;
            if (file < 0 || file >= width || rank < 0 || rank >= width) return "";
            return position_.place_text(position_.seen_place(side, rank * width + file));
        }
        return "";
    }
    std::uint64_t perft(int depth, Bulk bulk) override { return plypilot::perft(position_, depth, bulk); }

  private:
    P position_;
};

}  // namespace plypilot
