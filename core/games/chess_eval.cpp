#include "chess_eval.hpp"

#include "../notation.hpp"

namespace plypilot::chess {

namespace {

/// The names of the terms that stand alone, and of the first of each group that counts on from 1 or 0.
struct Name {
    int term;
    std::string_view name;
};

constexpr Name single_names[] = {
    {material, "pawn"},
    {material + 1, "knight"},
    {material + 2, "bishop"},
    {material + 3, "rook"},
    {material + 4, "queen"},
    {bishop_pair, "bishop_pair"},
    {bishop_own_pawns, "bishop_own_pawns"},
    {knight_outpost, "knight_outpost"},
    {bishop_outpost, "bishop_outpost"},
    {outpost_reach, "outpost_reach"},
    {rook_open_file, "rook_open_file"},
    {rook_half_open_file, "rook_half_open_file"},
    {rook_seventh, "rook_seventh"},
    {rook_behind_passer, "rook_behind_passer"},
    {pawn_doubled, "pawn_doubled"},
    {pawn_isolated, "pawn_isolated"},
    {pawn_isolated_open, "pawn_isolated_open"},
    {pawn_backward, "pawn_backward"},
    {pawn_backward_open, "pawn_backward_open"},
    {pawn_candidate, "pawn_candidate"},
    {passer_protected, "passer_protected"},
    {passer_blocked, "passer_blocked"},
    {passer_free, "passer_free"},
    {passer_run, "passer_run"},
    {passer_own_king, "passer_own_king"},
    {passer_enemy_king, "passer_enemy_king"},
    {passer_unstoppable, "passer_unstoppable"},
    {pawnless_advantage, "pawnless_advantage"},
    {shield_near, "shield_near"},
    {shield_far, "shield_far"},
    {king_open_file, "king_open_file"},
    {king_half_open_file, "king_half_open_file"},
    {king_attack_knight, "king_attack_knight"},
    {king_attack_bishop, "king_attack_bishop"},
    {king_attack_rook, "king_attack_rook"},
    {king_attack_queen, "king_attack_queen"},
    {threat_pawn_minor, "threat_pawn_minor"},
    {threat_pawn_rook, "threat_pawn_rook"},
    {threat_pawn_queen, "threat_pawn_queen"},
    {threat_push, "threat_push"},
    {threat_minor_minor, "threat_minor_minor"},
    {threat_minor_rook, "threat_minor_rook"},
    {threat_minor_queen, "threat_minor_queen"},
    {threat_rook_minor, "threat_rook_minor"},
    {threat_rook_queen, "threat_rook_queen"},
    {hanging_pawn, "hanging_pawn"},
    {hanging_piece, "hanging_piece"},
    {space, "space"},
    {tempo, "tempo"},
};

struct NumberedNames {
    int term;
    std::string_view name;
    int from, to;
};

constexpr NumberedNames numbered_names[] = {
    {knight_mobility, "knight_mobility", 0, 8},
    {bishop_mobility, "bishop_mobility", 0, 13},
    {rook_mobility, "rook_mobility", 0, 14},
    {queen_mobility, "queen_mobility", 0, 27},
    {pawn_connected, "pawn_connected_rank", 2, 7},
    {passer, "passer_rank", 2, 7},
    {storm, "storm_rank", 2, 5},
    {king_danger, "king_danger", 1, danger_degrees},
};

constexpr Name square_names[] = {
    {pawn_squares - 4, "pawn"},  // from rank 2 on
    {knight_squares, "knight"}, {bishop_squares, "bishop"}, {rook_squares, "rook"},
    {queen_squares, "queen"},   {king_squares, "king"},
};

}  // namespace

std::vector<std::string> baseline_feature_names() {
    std::array<std::string, terms> names;
    for (const auto& [term, name] : single_names) names[term] = name;
    for (const auto& [term, name, from, to] : numbered_names) {
        for (int number = from; number <= to; ++number)
            names[term + number - from] = std::string(name) + "_" + std::to_string(number);
    }
    for (const auto& [term, name] : square_names) {
        const bool is_pawn = term < pawn_squares;
        for (int square = is_pawn ? 4 : 0; square < (is_pawn ? 28 : 32); ++square)
            names[term + square] = std::string(name) + "_" + square_text(square_at(square % 4, square / 4));
    }
    std::vector<std::string> features;
    for (const std::string& name : names) {
        assert(!name.empty());
        features.push_back(name + "_mg");
        features.push_back(name + "_eg");
    }
    return features;
}

}  // namespace plypilot::chess
