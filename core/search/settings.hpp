// What steers a search, as plain data: the native form of a pilot's settings. Every technique is one field or one
// small struct here, and is off where a default says so; the files beside this one hold the techniques.
#pragma once

#include <cstdint>
#include <vector>

#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// Which windows are asked of the one loop.
enum class Window : std::uint8_t { alpha_beta, pvs, mtdf };

struct WindowSettings {
    Window kind = Window::alpha_beta;
    int aspiration = 0;  // half width around the last iteration's value; 0: the full window
};

struct TableSettings {
    int log2_entries = 0;    // 0: no table; else 14 (16K entries) to 32
    int probes = 1;          // 1, 2, 4, 8 or 16 consecutive entries (Smith 4.2.5.3)
    bool two_level = false;  // deepest and newest in pairs (Smith 4.2.5.4)
    bool exact = false;      // cut-offs need equal depth and path-dependent values are not stored
};

struct QuiescenceSettings {
    bool on = false;
    int most_plies = 0;            // 0: as far as captures go
    bool exchange_filter = false;  // leave out captures that lose material by static exchange
    int margin = 0;                // leave out captures that miss alpha by more than this; 0: off
    bool evasions = false;         // in check no standing pat, and every move is followed
    bool ends = false;             // where it begins, mate and stalemate are seen
};

struct OrderingSettings {
    bool table_move = false;
    bool captures = false;  // before the others
    bool exchange = true;   // captures by exchange value, losing ones last; else as they are generated
    int killers = 0;        // 0 to 2 a ply
    bool history = false;
    bool countermove = false;
    bool shuffle = false;        // ties in random order, by the seed of the search
    int internal_deepening = 0;  // plies less for a search that finds a first move where the table has none; 0: off
};

/// Moves that have all these features cost this much depth.
struct Category {
    FeatureMask features = 0;
    int units = ply_units;
};

struct DepthSettings {
    enum class Rule : std::uint8_t { lowest, first };  // of the categories a move is in: which one counts

    std::vector<Category> categories;
    Rule rule = Rule::lowest;
    int evasion_units = ply_units;  // the most a move out of check costs; 0: and no horizon in check (Smith 4.4.6.1)
    int mate_threat_units = ply_units;  // the most a move costs where passing would allow mate
    int singular = 0;                   // 0: off; else r of Smith 4.4.6.5, 1 or 2
    bool recapture = false;             // Smith 4.4.6.3
    bool reduce_late = false;           // late quiet moves are tried at less depth first
};

struct PruningSettings {
    int null_reduction = 0;      // R, 0: off
    bool null_adaptive = false;  // R + 1 where more than six plies are left (Heinz 1999)
    bool null_recursive = true;  // below a null move another may follow
    bool null_if_above = false;  // only where the static value is already at or above beta
    int futility_margin = 0;     // score units a ply within three plies of the leaves; 0: off
    int late_moves = 0;          // within five plies of the leaves only so many quiet moves, and plies squared; 0: off
};

struct RootSettings {
    bool random_ties = false;  // choose among the equal best at random
    int noise = 0;             // uniform noise of this size on the scores of root moves
};

struct SearchSettings {
    WindowSettings window;
    TableSettings table;
    QuiescenceSettings quiescence;
    OrderingSettings ordering;
    DepthSettings depth;
    PruningSettings pruning;
    RootSettings root;
    bool early_repetition = false;  // a position repeated inside the tree is a draw at once
    bool ends_at_horizon = true;    // the end of the game is seen at the horizon too; else the evaluation judges there
    std::uint64_t seed = 0;
};

}  // namespace plypilot
