// What steers a search, as plain data: the native form of a pilot's settings. Every technique is one field or one
// small struct here, and is off where a default says so; the files beside this one hold the techniques. Each struct
// lists its fields, by which Python hands them over under the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../eval/move_map.hpp"
#include "../eval/network.hpp"
#include "../fields.hpp"
#include "../game.hpp"
#include "score.hpp"

namespace plypilot {

/// Which windows are asked of the one loop.
enum class Window : std::uint8_t { alpha_beta, pvs, mtdf };

struct WindowSettings {
    Window kind = Window::alpha_beta;
    int aspiration = 0;  // half width around the last iteration's value; 0: the full window

    static constexpr auto fields() { return field_list<&WindowSettings::kind, &WindowSettings::aspiration>(); }
};

struct TableSettings {
    int log2_entries = 0;    // 0: no table; else 14 (16K entries) to 32
    int probes = 1;          // 1, 2, 4, 8 or 16 consecutive entries (Smith 4.2.5.3)
    bool two_level = false;  // deepest and newest in pairs (Smith 4.2.5.4)
    bool exact = false;      // cut-offs need equal depth and path-dependent values are not stored
    bool aligned = true;     // probes share cache lines; else they are an entry and its successors (Smith 4.2.5.3)
    bool horizon = false;    // positions at the horizon are kept too (Smith 4.2.2)

    static constexpr auto fields() {
        return field_list<&TableSettings::log2_entries, &TableSettings::probes, &TableSettings::two_level,
                          &TableSettings::exact, &TableSettings::aligned, &TableSettings::horizon>();
    }
};

struct QuiescenceSettings {
    bool on = false;
    int most_plies = 0;            // 0: as far as captures go
    bool exchange_filter = false;  // leave out captures that lose material by static exchange
    int margin = 0;                // leave out captures that miss alpha by more than this; 0: off
    bool evasions = false;         // in check no standing pat, and every move is followed
    bool ends = false;             // where it begins, mate and stalemate are seen

    static constexpr auto fields() {
        return field_list<&QuiescenceSettings::on, &QuiescenceSettings::most_plies,
                          &QuiescenceSettings::exchange_filter, &QuiescenceSettings::margin,
                          &QuiescenceSettings::evasions, &QuiescenceSettings::ends>();
    }
};

/// The network that a pilot has for ordering, if any.
struct SharedMap {
    std::shared_ptr<const MoveMap> map;
};

struct OrderingSettings {
    /// How quiet moves earn their history. running: a rate, raised by what cuts and lowered by what was tried before
    /// it. sum: a total over cuts and best moves, which is never lowered, as a share of all updates (Kocsis 3.1).
    /// deviation: such a total, divided by the deviation of the totals of a node's moves (3.2.3).
    enum class HistoryRule : std::uint8_t { running, sum, deviation };
    /// pure: by the network alone. straightforward: its first choice, then by history. weighted: by the sum of both.
    enum class NetworkUse : std::uint8_t { pure, straightforward, weighted };

    bool table_move = false;
    bool captures = false;  // before the others
    bool exchange = true;   // captures by exchange value, losing ones last; else as they are generated
    int killers = 0;        // 0 to 2 a ply
    bool history = false;
    bool countermove = false;
    bool shuffle = false;        // ties in random order, by the seed of the search
    int internal_deepening = 0;  // plies less for a search that finds a first move where the table has none; 0: off
    HistoryRule history_rule = HistoryRule::running;
    SharedMap network;  // orders the quiet moves that history would order
    NetworkUse network_use = NetworkUse::pure;
    int network_plies = 1;          // it is asked where so many plies or more are left
    double history_weight = 1;      // weighted: what history is divided by; the larger, the less it counts
    double history_adaptation = 0;  // weighted: how much a miss changes that during the search; 0: it stays
    double network_refinement = 0;  // how much a cut-off changes the network during the search; 0: not at all

    static constexpr auto fields() {
        using Self = OrderingSettings;
        return field_list<&Self::table_move, &Self::captures, &Self::exchange, &Self::killers, &Self::history,
                          &Self::countermove, &Self::shuffle, &Self::internal_deepening, &Self::history_rule,
                          &Self::network, &Self::network_use, &Self::network_plies, &Self::history_weight,
                          &Self::history_adaptation, &Self::network_refinement>();
    }
};

/// The most that a move may cost.
constexpr int most_move_units = 4 * ply_units;

/// Moves that have all these features cost this much depth.
struct Category {
    FeatureMask features = 0;
    int units = ply_units;

    static constexpr auto fields() { return field_list<&Category::features, &Category::units>(); }
};

struct DepthSettings {
    enum class Rule : std::uint8_t { lowest, first };  // of the categories a move is in: which one counts
    /// How a move that did well at less depth is tried again. full: with all of its depth, as realization probability
    /// search has it. stepwise: with half of what was taken away first, and so is one that failed low after a large
    /// reduction, as its enhancement has it (Winands and Bjornsson 2008).
    enum class Confirmation : std::uint8_t { full, stepwise };
    /// What becomes of the difference between what a category says and what a move costs at once. every: it is taken
    /// from every move at first, as realization probability search has it. late: it changes how much less late moves
    /// get, up and down.
    enum class Excess : std::uint8_t { every, late };
    /// What must be worth what the root was in the last iteration for a capture to be a recapture. both: the position
    /// after it as it stands, and by a search of two plies less. search: by the search alone. window: both, with the
    /// window of the node. captures: both, by captures alone instead of the search (Smith 4.4.6.3 and 4.4.6.4).
    enum class RecaptureRule : std::uint8_t { both, search, window, captures };

    std::vector<Category> categories;
    Rule rule = Rule::lowest;
    int floor_units = 0;                    // the least a move costs by its category
    int threshold_units = most_move_units;  // the most a move costs at once; what its category costs beyond is a
                                            // reduction, which is taken back where the move does well
    Excess excess = Excess::every;
    Confirmation confirmation = Confirmation::full;
    int evasion_units = ply_units;  // the most a move out of check costs; 0: and no horizon in check (Smith 4.4.6.1)
    int mate_threat_units = ply_units;  // the most a move costs where passing would allow mate
    int singular = 0;                   // 0: off; else r of Smith 4.4.6.5, 1 or 2
    bool singular_search = false;  // a search finds what the table lacks, down to the horizon; worth is at most beta
    bool recapture = false;        // Smith 4.4.6.3
    RecaptureRule recapture_rule = RecaptureRule::both;
    bool reduce_late = false;    // late quiet moves are tried at less depth first
    int late_units = ply_units;  // how strongly: a ply is the usual strength
    int late_history_units = 0;  // how much less of that a move of the best history gets, and more one of the worst

    static constexpr auto fields() {
        using Self = DepthSettings;
        return field_list<&Self::categories, &Self::rule, &Self::floor_units, &Self::threshold_units, &Self::excess,
                          &Self::confirmation, &Self::evasion_units, &Self::mate_threat_units, &Self::singular,
                          &Self::singular_search, &Self::recapture, &Self::recapture_rule, &Self::reduce_late,
                          &Self::late_units, &Self::late_history_units>();
    }
};

/// A forward-pruning function (Kocsis 4.3): it is asked behind so many quiet moves of a node whether to go on.
struct FunctionSettings {
    /// What happens where it says no: the quiet moves that are left are skipped; or they are searched a ply less deep
    /// at first, and one more behind each further checkpoint that says no; or, asked once before the side to move
    /// passes, passing takes a ply more (the end of 4.3.2).
    enum class Decides : std::uint8_t { skipping, reducing, passing };
    /// What it sees (4.5.1): IT, SD, D2L, NCOUNT, ED, NVC, SVC, MOSCORE, HASH, the features of the next move, NCOUNT
    /// and ED as one number each, MOSCORE in digits, and BOARD; and, beyond the seed, how far the static score lies
    /// from alpha, and whether the node is on the principal line.
    enum class Seen : std::uint8_t {
        iteration,
        ply,
        distance,
        nodes,
        depth,
        changes,
        change_ranks,
        order,
        table,
        features,
        nodes_unit,
        depth_unit,
        order_digits,
        board,
        gap,
        line
    };

    std::vector<Seen> inputs;
    std::vector<int> checkpoints;
    std::vector<float> weights;  // [input * checkpoints + checkpoint]
    bool acts = true;            // else it is asked, and nothing is skipped
    Decides decides = Decides::skipping;
    bool spares_line = false;  // it is not asked at the root and on the principal line
    int pawn = 100;            // in score units
    int board_set = 0;         // the feature set that board stands for, and how many features that has
    int board_size = 0;

    static constexpr auto fields() {
        using Self = FunctionSettings;
        return field_list<&Self::inputs, &Self::checkpoints, &Self::weights, &Self::acts, &Self::decides,
                          &Self::spares_line, &Self::pawn, &Self::board_set, &Self::board_size>();
    }
};

/// A network that takes a decision which comes up a few times a move (Kocsis ch. 5): how long to think, or how far
/// passing reduces the depth.
struct PolicySettings {
    /// When it is asked: before a search, for one of several numbers; or after each iteration, whether another follows.
    enum class Asked : std::uint8_t { before, after };
    /// What it sees besides a position (5.3.2): the bank, the depth of the iteration, its value and that of the one
    /// before, by how much it fell, what the search has spent, what its last iteration has spent, whether that found
    /// another move, and for how many iterations the move has been the same.
    enum class Seen : std::uint8_t { bank, iteration, value, last_value, drop, spent, latest, new_move, settled };

    Asked asked = Asked::after;
    std::vector<Seen> seen;
    std::string set;  // of features of the position, which are inputs behind these; empty: none
    Network network;  // before: an output a number, the highest counts; after: one, at 0 or above the search goes on
    int first = 1;    // before: the number of the first output; each further one has one more
    int least_depth = 2;      // after: it is not asked before this iteration has been completed
    int most_depth = 0;       // after: none follows this iteration; 0: there is no such limit
    double steepness = 0.05;  // of the map of scores to values (5.4)
    double increment = 0;     // nodes that a move added to the bank where it was learned; 0: depths are as they are
    double growth = 2;        // how many times the nodes of the iteration before an iteration took there
    double random = 0;        // the part of its decisions that are left to chance: for learning
    double temperature = 0;   // how far chance decides by the outputs: for learning

    static constexpr auto fields() {
        using Self = PolicySettings;
        return field_list<&Self::asked, &Self::seen, &Self::set, &Self::network, &Self::first, &Self::least_depth,
                          &Self::most_depth, &Self::steepness, &Self::increment, &Self::growth, &Self::random,
                          &Self::temperature>();
    }
};

struct PruningSettings {
    /// What widths are by: the plies below the root; the depth of the iteration; the plies of depth that are left; or
    /// both of the first two, as the rows of a triangle, one an iteration.
    enum class WidthsBy : std::uint8_t { ply, iteration, distance, both };
    /// Which moves of a node count toward its width, and are skipped beyond it.
    enum class WidthsCount : std::uint8_t { all, quiet };

    int null_reduction = 0;          // R, 0: off
    bool null_adaptive = false;      // R + 1 where more than six plies are left (Heinz 1999)
    bool null_recursive = true;      // below a null move another may follow
    bool null_if_above = false;      // only where the static value is already at or above beta
    int null_plies = 2;              // only where so many plies or more are left
    int futility_margin = 0;         // score units a ply by which a move may miss near the leaves; 0: off
    int futility_plies = 3;          // how near
    int late_moves = 0;              // near the leaves only so many quiet moves are tried, and plies squared; 0: off
    int late_plies = 5;              // how near
    int first_moves = 1;             // so many moves of a node are neither skipped nor reduced
    int fade_units = ply_units / 2;  // a move cheaper than a ply by this much is neither skipped nor reduced
    bool tactical = false;           // captures and the like may be skipped and reduced too
    bool in_check = false;           // moves out of check may be skipped and reduced too
    std::vector<int> widths;         // so many moves of a node are searched at most; 0: all; none: everywhere all
    WidthsBy widths_by = WidthsBy::distance;
    WidthsCount widths_count = WidthsCount::quiet;
    std::optional<FunctionSettings> function;
    std::optional<PolicySettings> null_policy;  // chooses R before each search

    static constexpr auto fields() {
        using Self = PruningSettings;
        return field_list<&Self::null_reduction, &Self::null_adaptive, &Self::null_recursive, &Self::null_if_above,
                          &Self::null_plies, &Self::futility_margin, &Self::futility_plies, &Self::late_moves,
                          &Self::late_plies, &Self::first_moves, &Self::fade_units, &Self::tactical, &Self::in_check,
                          &Self::widths, &Self::widths_by, &Self::widths_count, &Self::function, &Self::null_policy>();
    }
};

struct TimingSettings {
    /// fixed: a share of what is left. simple: such a share, and more or less of it by how the search goes. crafty: the
    /// rule that the seed took from that program (Kocsis 5.3.3). depth: a fixed depth. oracle: a ply deeper only where
    /// that changes the move, which costs nothing to find out (SD-ES, 5.3.3): a measuring device. learned: a policy.
    enum class Rule : std::uint8_t { fixed, simple, crafty, depth, oracle, learned };

    Rule rule = Rule::fixed;
    int moves_to_go = 30;           // how many are still to come, where the bank does not say
    double increment_share = 0.75;  // the part of the increment that is spent at once
    int margin_ms = 100;            // kept back of the bank, and a twentieth of it of every move
    double soft_share = 0.6;        // after this part of a move's share no iteration is begun
    double hard_share = 3;          // at this multiple of it the search ends
    double most_share = 0.5;        // the part of the bank that a move may use up
    int depth = 6;                  // depth, oracle: plies
    int worse_by = 30;              // simple, crafty: score units by which a score is significantly worse
    double worse_share = 2;         // simple: how much more a move gets whose score is so
    double new_move_share = 1.4;    // simple: the same after an iteration that found another move
    double settled_share = 0.5;     // simple: the part that a move gets that has been the best for long
    int settled_iterations = 4;     // how long that is
    std::optional<PolicySettings> policy;

    static constexpr auto fields() {
        using Self = TimingSettings;
        return field_list<&Self::rule, &Self::moves_to_go, &Self::increment_share, &Self::margin_ms, &Self::soft_share,
                          &Self::hard_share, &Self::most_share, &Self::depth, &Self::worse_by, &Self::worse_share,
                          &Self::new_move_share, &Self::settled_share, &Self::settled_iterations, &Self::policy>();
    }
};

struct RootSettings {
    bool random_ties = false;  // choose among the equal best at random
    int noise = 0;             // uniform noise of this size on the scores of root moves

    static constexpr auto fields() { return field_list<&RootSettings::random_ties, &RootSettings::noise>(); }
};

struct SearchSettings {
    WindowSettings window;
    TableSettings table;
    QuiescenceSettings quiescence;
    OrderingSettings ordering;
    DepthSettings depth;
    PruningSettings pruning;
    RootSettings root;
    bool early_repetition = false;   // a position repeated inside the tree is a draw at once
    bool ends_at_horizon = true;     // the end of the game is seen at the horizon too; else the evaluation judges there
    bool ends_at_first_ply = false;  // a move that ends the game is seen wherever the horizon is
    std::uint64_t seed = 0;

    static constexpr auto fields() {
        return field_list<&SearchSettings::window, &SearchSettings::table, &SearchSettings::quiescence,
                          &SearchSettings::ordering, &SearchSettings::depth, &SearchSettings::pruning,
                          &SearchSettings::root, &SearchSettings::early_repetition, &SearchSettings::ends_at_horizon,
                          &SearchSettings::ends_at_first_ply, &SearchSettings::seed>();
    }
};

}  // namespace plypilot
