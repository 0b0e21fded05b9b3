// Cases to learn the order of moves from: games are replayed, and each position whose best move is known becomes its
// inputs, its legal moves and which of them is the best.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "../any_position.hpp"

namespace plypilot {

/// Games as a pattern set has them.
struct LabelledGames {
    std::span<const std::int64_t> offsets;  // where the plies of each game begin; one more than games
    std::span<const std::uint16_t> moves;   // by ply
    std::span<const std::uint16_t> labels;  // by ply: the best move, 0 where the ply is no pattern
    /// The position from which a game starts.
    std::function<std::unique_ptr<AnyPosition>(std::size_t game)> start;
};

struct MoveCases {
    std::vector<std::int64_t> input_starts{0};
    std::vector<std::int64_t> move_starts{0};
    EncodedMoves encoded;
    std::vector<std::int32_t> best;  // by case: which of its moves, from 0
};

/// Calls see(position, label) at each labelled ply of each game. Throws std::invalid_argument for a move that is not
/// legal, with the number of the game.
template <class See>
void each_pattern(const LabelledGames& games, See see) {
    for (std::size_t game = 0; game + 1 < games.offsets.size(); ++game) {
        const auto position = games.start(game);
        for (auto ply = games.offsets[game]; ply < games.offsets[game + 1]; ++ply) {
            const auto at = static_cast<std::size_t>(ply);
            if (games.labels[at]) see(*position, Move{games.labels[at]});
            if (!position->try_push(Move{games.moves[at]}))
                throw std::invalid_argument("game " + std::to_string(game) + ": move " +
                                            std::to_string(ply - games.offsets[game] + 1) + " is not legal");
        }
    }
}

/// Throws std::invalid_argument, as each_pattern, also for a label that is not legal.
inline MoveCases make_move_cases(const LabelledGames& games, const MoveEncoding& encoding) {
    MoveCases cases;
    each_pattern(games, [&](const AnyPosition& position, Move label) {
        EncodedMoves& encoded = cases.encoded;
        const std::size_t begin = encoded.moves.size();
        position.encode(encoding, encoded);
        const auto place =
            std::find(encoded.moves.begin() + static_cast<std::ptrdiff_t>(begin), encoded.moves.end(), label);
        if (place == encoded.moves.end()) throw std::invalid_argument("a label is not legal in " + position.fen());
        cases.best.push_back(
            static_cast<std::int32_t>(place - encoded.moves.begin() - static_cast<std::ptrdiff_t>(begin)));
        cases.input_starts.push_back(static_cast<std::int64_t>(encoded.inputs.size()));
        cases.move_starts.push_back(static_cast<std::int64_t>(encoded.moves.size()));
    });
    return cases;
}

/// How often each code of a move (MoveEncoding::code) is legal at the labelled plies.
inline std::vector<std::int64_t> count_move_codes(const LabelledGames& games, const MoveEncoding& encoding) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(encoding.code_count()));
    each_pattern(games, [&](const AnyPosition& position, Move) { position.count_codes(encoding, counts); });
    return counts;
}

/// Of a category of moves: in how many positions it was possible, and in how many it was played.
struct CategoryCount {
    std::int64_t possible = 0, played = 0;
};

/// Counts categories at the labelled plies, by their features: those that are named, which may overlap; where none is,
/// each combination of the wanted features that some move has is a category of its own.
inline std::map<FeatureMask, CategoryCount> count_categories(const LabelledGames& games, FeatureMask wanted,
                                                             std::span<const FeatureMask> categories) {
    std::map<FeatureMask, CategoryCount> counts;
    for (FeatureMask category : categories) counts[category];
    MoveList moves;
    std::vector<FeatureMask> masks;
    each_pattern(games, [&](const AnyPosition& position, Move label) {
        moves.clear();
        position.generate(moves);
        masks.clear();
        for (Move move : moves) masks.push_back(position.move_features(move) & wanted);
        std::sort(masks.begin(), masks.end());
        masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
        const FeatureMask played = position.move_features(label) & wanted;
        if (categories.empty()) {
            for (FeatureMask mask : masks) ++counts[mask].possible;
            ++counts[played].played;
            return;
        }
        for (auto& [category, count] : counts) {
            const auto is_in = [&](FeatureMask mask) { return (mask & category) == category; };
            count.possible += std::any_of(masks.begin(), masks.end(), is_in);
            count.played += is_in(played);
        }
    });
    return counts;
}

}  // namespace plypilot
