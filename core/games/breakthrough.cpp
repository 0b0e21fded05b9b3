#include "breakthrough.hpp"

#include "../notation.hpp"
#include "../registry.hpp"

namespace plypilot {

namespace {

const Registered<Breakthrough> registered;

// The atomic move features of Skowronski, tables 4.1 and 4.2, in the order of table 4.1. As there, Rc and C share a
// group and neither is the other's parent, although a move that has Rc has C.
const std::vector<MoveFeature> move_feature_table = {
    {"Ud", "safe", "safe", "", "the moved piece is not threatened where it arrives"},
    {"PP", "passed", "passed", "", "no opposing piece ahead of it on its own and the neighbouring files"},
    {"Rc", "recapture", "capture", "", "captures the piece that the opponent moved last"},
    {"C", "capture", "capture", "", "captures a piece"},
    {"Ms", "mass", "mass", "", "most squares around it hold pieces of its side"},
    {"Rdb", "to_own_half", "rank", "", "arrives on its own half of the board"},
    {"RdBb", "to_rank_1_2", "rank", "Rdb", "arrives in the first quarter of the ranks"},
    {"RdBt", "to_rank_3_4", "rank", "Rdb", "arrives in the second quarter of the ranks"},
    {"Rdt", "to_far_half", "rank", "", "arrives on the opponent's half of the board"},
    {"RdTb", "to_rank_5_6", "rank", "Rdt", "arrives in the third quarter of the ranks"},
    {"RdTt", "to_rank_7_8", "rank", "Rdt", "arrives in the last quarter of the ranks"},
    {"Edg", "to_edge", "file", "", "arrives on the outer files (a, b, g, h)"},
    {"Mr", "to_middle", "file", "", "arrives on the middle files (c to f)"},
    {"Udp", "sidestep", "sidestep", "", "stands unthreatened right in front of an opposing piece, ready to pass it"},
    {"Bv2", "block", "block", "", "blocks an opposing piece in front of it, with a piece of its side behind it"},
};

}  // namespace

constexpr std::array<std::array<Breakthrough::View, 64>, 2> Breakthrough::views = [] {
    std::array<std::array<View, 64>, 2> table{};
    for (Side side : {first, second}) {
        for (Square square = 0; square < 64; ++square) {
            const Bitboard there = bit(square);
            Bitboard ray = 0;
            for (Bitboard step = ahead(side, there); step; step = ahead(side, step)) ray |= step;
            table[side][square] = {ahead(side, there), ahead(other(side), there), capture_origins(other(side), square),
                                   ray | west(ray) | east(ray), grown(there) & ~there};
        }
    }
    return table;
}();

std::string Breakthrough::place_text(int place) const {
    return place >= 0 && (all_squares() & bit(place)) ? square_text(place) : "";
}

const std::vector<SquareSet>& Breakthrough::square_sets() {
    static const auto make_set = [](std::string_view name, std::string_view text, Fold fold) {
        return make_square_set(name, text, 1, 8, 8, 8, {{0, "piece", fold}});
    };
    static const std::vector<SquareSet> sets = {
        make_set("material", "pieces", Fold::all),
        make_set("advancement", "pieces by rank, as their owner counts it", Fold::rank),
        make_set("quarter_board", "pieces by square, files and ranks mirrored", Fold::quarter),
        make_set("half_board", "pieces by square, files mirrored", Fold::files),
        make_set("full_board", "pieces by square", Fold::none),
    };
    return sets;
}

const GameInfo& Breakthrough::info() {
    static const GameInfo info = [] {
        GameInfo made;
        made.name = "breakthrough";
        made.title = "Breakthrough";
        made.sides = {"White", "Black"};
        made.start_fen = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w";
        made.notation = "from and to: a2-a3, captures a2xb3";
        made.index_sizes = {64, 64, 1};
        made.move_features = move_feature_table;
        for (const SquareSet& set : square_sets()) made.feature_sets.push_back({set.name, set.text, set.features});
        made.feature_sets.push_back(
            {"safe_advancement", "pieces not under threat by rank (Skowronski A.3)", square_sets()[1].features});
        made.feature_sets.push_back(
            {"race",
             "moves of both sides to the last rank by their shortest paths, and how many of its "
             "squares are reached in how many moves",
             breakthrough_eval::Race::names()});
        made.feature_sets.push_back(
            {"structure", "how pieces stand together, by rank, pieces that hang, and holes in the first rank",
             breakthrough_eval::Structure::names()});
        const BoardNames names{{"piece"}, square_names(8, 8)};
        made.feature_sets.push_back(names.squares());
        made.feature_sets.push_back(names.board());
        made.feature_sets.push_back(names.last_move(64));
        return made;
    }();
    return info;
}

std::optional<PlaceMap> Breakthrough::place_map(int set) {
    const auto& sets = square_sets();
    if (set == 0 || set >= static_cast<int>(sets.size())) return std::nullopt;  // material is quicker to count
    PlaceMap map{sets[set].index};
    map.features.insert(map.features.end(), sets[set].index.begin(), sets[set].index.end());
    return map;
}

std::optional<std::string> Breakthrough::start_fen(std::string_view variant) {
    if (variant.size() != 3 || variant[1] != 'x') return std::nullopt;
    const int files = variant[0] - '0', ranks = variant[2] - '0';
    if (files < least_size || files > most_size || ranks < least_size || ranks > most_size) return std::nullopt;
    return write_rows(files, ranks,
                      [=](int, int rank) -> std::string_view {
                          return rank < 2 ? "P" : rank >= ranks - 2 ? "p" : "";
                      }) +
           " w";
}

Breakthrough Breakthrough::from_fen(std::string_view fen) {
    const auto fields = split_fields(fen, 2, 2, "board and side");
    const Rows rows = read_rows(fields[0], least_size, most_size, most_size);
    Breakthrough position;
    State& state = position.trail_.now();
    position.files_ = rows.files;
    position.ranks_ = rows.ranks;
    for (int rank = 0; rank < rows.ranks; ++rank) position.all_squares_ |= bit(8 * rank) * ((1u << rows.files) - 1);
    for (const PlacedPiece& piece : rows.pieces) {
        if (piece.symbol != "P" && piece.symbol != "p")
            throw PositionError("fen: rank " + std::to_string(piece.rank + 1) + " has the piece " +
                                quoted(piece.symbol) + ", expected P or p");
        const Side owner = piece.symbol == "P" ? first : second;
        const Square square = square_at(piece.file, piece.rank);
        state.pieces[owner] |= bit(square);
        state.key ^= piece_keys[owner * 64 + square];
    }
    state.side = read_side(fields[1], "wb");
    if (state.side == second) state.key ^= side_key;
    if (!(state.pieces[first] | state.pieces[second])) throw PositionError("fen: board has no piece at all");
    if ((state.pieces[first] & position.goal(first)) && (state.pieces[second] & position.goal(second)))
        throw PositionError("fen: both sides have a piece on the last rank");
    return position;
}

std::string Breakthrough::fen() const {
    return write_rows(files(), ranks(),
                      [this](int file, int rank) -> std::string_view {
                          const Bitboard square = bit(square_at(file, rank));
                          return pieces(first) & square ? "P" : pieces(second) & square ? "p" : "";
                      }) +
           (side() == first ? " w" : " b");
}

std::string Breakthrough::move_text(Move move) {
    return square_text(from(move)) + (is_capture(move) ? "x" : "-") + square_text(to(move));
}

std::string Breakthrough::draw() const {
    const auto below = std::string(info().sides[side()]) + " to move";
    return draw_board(lettered_drawing(files(), ranks(), below), [this](int file, int rank) -> std::string_view {
        const Bitboard square = bit(square_at(file, rank));
        return pieces(first) & square ? "♙" : pieces(second) & square ? "♟" : "";
    });
}

}  // namespace plypilot
