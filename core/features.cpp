#include "features.hpp"

#include <algorithm>
#include <map>

namespace plypilot {

namespace {

/// The squares that share a feature share this label: "a4", "rank_4", "ring_2" or nothing.
std::string fold_label(Fold fold, int file, int rank, int files, int ranks) {
    const int near_file = std::min(file, files - 1 - file);
    const int near_rank = std::min(rank, ranks - 1 - rank);
    const auto square = [](int f, int r) { return std::string(1, static_cast<char>('a' + f)) + std::to_string(r + 1); };
    switch (fold) {
        case Fold::none: return square(file, rank);
        case Fold::files: return square(near_file, rank);
        case Fold::quarter: return square(near_file, near_rank);
        case Fold::rank: return "rank_" + std::to_string(rank + 1);
        case Fold::ring: return "ring_" + std::to_string(std::min(near_file, near_rank) + 1);
        case Fold::all: break;
    }
    return "";
}

}  // namespace

FeatureSet BoardNames::board() const {
    FeatureSet set{"board", "the raw board: own pieces, then the opponent's, as the side to move sees them", {}};
    for (const char* owner : {"own_", "enemy_"}) {
        for (const std::string& kind : kinds) {
            for (const std::string& place : places) set.features.push_back(owner + kind + "_" + place);
        }
    }
    return set;
}

FeatureSet BoardNames::squares() const {
    FeatureSet set{"squares",
                   "the raw board: +1 for a piece of the first player and -1 for one of the second, and the side to "
                   "move (Kocsis 3.2.1)",
                   {}};
    for (const std::string& kind : kinds) {
        for (const std::string& place : places) set.features.push_back(kind + "_" + place);
    }
    set.features.push_back("side_to_move");
    return set;
}

FeatureSet BoardNames::last_move(std::size_t count) const {
    FeatureSet set{"last_move",
                   "where the opponent's last move ended and where it captured, as the side to move sees it; nothing "
                   "where a game begins",
                   {}};
    for (const char* what : {"ended_", "captured_"}) {
        for (std::size_t i = 0; i < count; ++i) set.features.push_back(what + places[i]);
    }
    set.is_of_path = true;
    return set;
}

std::vector<std::string> square_names(int files, int ranks) {
    std::vector<std::string> names;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int file = 0; file < files; ++file) names.push_back(fold_label(Fold::none, file, rank, files, ranks));
    }
    return names;
}

SquareSet make_square_set(std::string_view name, std::string_view text, int kinds, int files, int ranks, int stride,
                          const std::vector<SquareRule>& rules) {
    SquareSet set{name, text, {}, {}, stride * ranks};
    set.index.assign(static_cast<std::size_t>(kinds * set.squares), -1);
    for (const SquareRule& rule : rules) {
        std::map<std::string, std::int16_t> numbers;
        for (int rank = rule.lowest_rank; rank <= std::min(rule.highest_rank, ranks - 1); ++rank) {
            for (int file = 0; file < files; ++file) {
                const std::string label = fold_label(rule.fold, file, rank, files, ranks);
                const auto [entry, is_new] = numbers.try_emplace(label, static_cast<std::int16_t>(set.features.size()));
                if (is_new) set.features.push_back(std::string(rule.piece) + (label.empty() ? "" : "_" + label));
                set.index[rule.kind * set.squares + rank * stride + file] = entry->second;
            }
        }
    }
    return set;
}

}  // namespace plypilot
