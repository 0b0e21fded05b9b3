#include "loa.hpp"

#include <cstdlib>

#include "../notation.hpp"
#include "../registry.hpp"

namespace plypilot {

namespace {

const Registered<LinesOfAction> registered;

const std::vector<MoveFeature> move_feature_table = {
    {"C", "capture", "capture", "", "captures a piece"},
    {"Rc", "recapture", "capture", "C", "captures on the square on which the opponent has just captured"},
    {"Q", "quiet", "capture", "", "captures nothing"},
    {"FdE", "from_edge", "from", "", "leaves the edge of the board (ring 1)"},
    {"FdK", "from_corner", "from", "FdE", "leaves a corner"},
    {"Fd2", "from_ring_2", "from", "", "leaves the ring next to the edge"},
    {"Fd3", "from_ring_3", "from", "", "leaves the ring around the centre"},
    {"FdC", "from_centre", "from", "", "leaves the four centre squares (ring 4)"},
    {"TdE", "to_edge", "to", "", "arrives on the edge of the board (ring 1)"},
    {"TdK", "to_corner", "to", "TdE", "arrives in a corner"},
    {"Td2", "to_ring_2", "to", "", "arrives on the ring next to the edge"},
    {"Td3", "to_ring_3", "to", "", "arrives on the ring around the centre"},
    {"TdC", "to_centre", "to", "", "arrives on the four centre squares (ring 4)"},
    {"Jn", "joins", "own_groups", "", "leaves the mover with fewer groups"},
    {"Ja", "connects", "own_groups", "Jn", "connects all pieces of the mover"},
    {"Sp", "splits", "own_groups", "", "leaves the mover with more groups"},
    {"Kp", "keeps", "own_groups", "", "leaves the mover with as many groups"},
    {"Ej", "captures_group", "enemy_groups", "", "captures a lone piece: one group less for the opponent"},
    {"Ea", "connects_enemy", "enemy_groups", "Ej",
     "captures the one piece that kept the opponent from being connected"},
    {"Es", "splits_enemy", "enemy_groups", "", "captures and leaves the opponent with more groups"},
    {"Ek", "keeps_enemy", "enemy_groups", "", "captures and leaves the opponent with as many groups"},
    {"Mt", "toward_mass", "mass", "", "arrives nearer to the centre of mass that the mover's pieces had before it"},
    {"Ma", "away_from_mass", "mass", "", "arrives farther from that centre of mass"},
    {"Ml", "level_with_mass", "mass", "", "arrives as far from that centre of mass"},
};

constexpr Bitboard edge = file_a | file_h | rank_1 | rank_8;
constexpr Bitboard corners = bit(0) | bit(7) | bit(56) | bit(63);
constexpr Bitboard inner_6x6 = ~edge;
constexpr Bitboard inner_4x4 = 0x00003c3c3c3c0000;
constexpr Bitboard inner_2x2 = 0x0000001818000000;

/// The neighbours of each square.
constexpr std::array<Bitboard, 64> neighbours = [] {
    std::array<Bitboard, 64> table{};
    for (Square square = 0; square < 64; ++square) table[square] = grown(bit(square)) & ~bit(square);
    return table;
}();

/// Neighbours of a square as a number below 512: those of the rank below it in the lowest bits.
unsigned neighbour_bits(Square square, Bitboard present) {
    const Bitboard about = std::rotr(present, square - 9);  // the square is on b2 now
    return static_cast<unsigned>((about & 0x7) | (about >> 5 & 0x38) | (about >> 10 & 0x1c0));
}

/// Whether neighbours of a square are linked with each other without it, by neighbour_bits().
constexpr std::array<bool, 512> are_linked = [] {
    std::array<bool, 512> table{};
    for (unsigned bits = 0; bits < 512; ++bits) {
        const Bitboard set = (bits & 7) | (bits & 0x28) << 5 | Bitboard{bits & 0x1c0} << 10;
        Bitboard group = set & -set;
        for (int step = 0; step < 8; ++step) group = grown(group) & set;
        table[bits] = group == set;
    }
    return table;
}();

/// The files (or, with rank_mask, the ranks) at most `reach` away from the mean sum / pieces, distances rounded half
/// up: unlike a rounded mean, they do not depend on the corner from which the board is seen.
template <class MaskOf>
Bitboard near_lines(int sum, int pieces, int reach, MaskOf mask_of) {
    const int high = (2 * sum + pieces) / (2 * pieces);                       // the mean, rounded half up
    const int low = high - ((2 * sum + pieces) % (2 * pieces) == 0 ? 1 : 0);  // and half down
    Bitboard near = 0;
    for (int line = std::max(high - reach, 0); line <= std::min(low + reach, 7); ++line) near |= mask_of(line);
    return near;
}

/// One side's part of the features of MIA that its formation decides: all but mobility and the side to move. Kocsis
/// 2.1.3 names them; Winands, van den Herik and Uiterwijk 2003, "An evaluation function for Lines of Action", and 2001,
/// "The quad heuristic in Lines of Action", say more. What they leave open is settled here.
struct Formation {
    /// 1 / (1 + s), s being the mean distance of the pieces from their centre of mass, in king's moves, beyond the
    /// least that so many pieces can have. Winands et al. 2003 take 1 / s, which has no value for a perfect cluster.
    float concentration;
    /// Minus the distance of the centre of mass from the middle of the board, the greater one of files and ranks
    /// (Kocsis 2.1.3: more centralised is preferred).
    float centre_of_mass;
    /// The mean ring of the pieces, 0 on the edge to 3 in the centre (Kocsis 2.1.3: the centre is preferred to the
    /// edge; the mean, so that it does not count material).
    float centralisation;
    /// The 2x2 squares that hold three or four of the pieces and lie at most two squares from the centre of mass
    /// (Winands et al. 2001).
    int quads;
    /// The opposing pieces on the edge that cannot leave it by any way, for each of their neighbours off the edge is
    /// one of the pieces: two on a line must move two squares or more, and may not jump (Kocsis 2.1.3).
    int walls;

    Formation(Bitboard own, Bitboard enemy) {
        const LinesOfAction::Mass mass(own);
        const int n = mass.pieces;
        const auto near = [&](int reach) {
            return near_lines(mass.files, n, reach, file_mask) & near_lines(mass.ranks, n, reach, rank_mask);
        };
        int distances = count(own & ~near(0));
        const Bitboard near_1 = near(1), near_2 = grown(near_1);
        for (Bitboard box = near_1; const Bitboard outside = own & ~box; box = grown(box)) distances += count(outside);
        const int least = n <= 9 ? n - 1 : 2 * n - 10;  // one piece at distance 0, eight at 1, the others at 2
        concentration = static_cast<float>(n) / static_cast<float>(n + distances - least);

        const int off_centre = std::max(std::abs(2 * mass.files - 7 * n), std::abs(2 * mass.ranks - 7 * n));
        centre_of_mass = -static_cast<float>(off_centre) / static_cast<float>(2 * n);

        const int rings = count(own & inner_6x6) + count(own & inner_4x4) + count(own & inner_2x2);
        centralisation = static_cast<float>(rings) / static_cast<float>(n);

        const Bitboard a = own & near_2, b = west(a), c = south(a), d = south(b);  // the four squares of each quad
        quads = count((a & b & (c | d)) | (c & d & (a | b)));

        walls = count(enemy & edge & ~grown(inner_6x6 & ~own));
    }
};

}  // namespace

constexpr std::array<LinesOfAction::Lines, 64> LinesOfAction::lines_through = [] {
    constexpr std::array<std::array<int, 2>, 4> steps = {{{1, 0}, {0, 1}, {1, 1}, {1, -1}}};
    std::array<Lines, 64> table{};
    for (Square from = 0; from < 64; ++from) {
        for (int line = 0; line < 4; ++line) {
            table[from].squares[line] = bit(from);
            for (int way = 0; way < 2; ++way) {
                const int file_step = way ? -steps[line][0] : steps[line][0];
                const int rank_step = way ? -steps[line][1] : steps[line][1];
                int file = file_of(from) + file_step, rank = rank_of(from) + rank_step;
                Bitboard path = 0;
                for (int pieces = 1; file >= 0 && file < 8 && rank >= 0 && rank < 8; ++pieces) {
                    const Bitboard square = bit(square_at(file, rank));
                    table[from].squares[line] |= square;
                    table[from].jumps[line][pieces - 1].to[way] = square;
                    table[from].jumps[line][pieces - 1].path[way] = path;
                    path |= square;
                    file += file_step;
                    rank += rank_step;
                }
            }
        }
    }
    return table;
}();

constexpr std::array<std::uint8_t, 64> LinesOfAction::ring_features = [] {
    std::array<std::uint8_t, 64> table{};
    for (Square square = 0; square < 64; ++square) {
        const Bitboard here = bit(square);
        table[square] = here & corners ? 0b11 : here & edge ? 1 : here & inner_2x2 ? 16 : here & inner_4x4 ? 8 : 4;
    }
    return table;
}();

std::string LinesOfAction::place_text(int place) { return square_text(place); }

const std::vector<SquareSet>& LinesOfAction::square_sets() {
    static const auto make_set = [](std::string_view name, std::string_view text, Fold fold) {
        return make_square_set(name, text, 1, 8, 8, 8, {{0, "piece", fold}});
    };
    static const std::vector<SquareSet> sets = {
        make_set("material", "pieces", Fold::all),
        make_set("quarter_board",
                 "pieces by square, files and ranks mirrored; White's board with files and ranks swapped",
                 Fold::quarter),
        make_set("half_board", "pieces by square, files mirrored; White's board with files and ranks swapped",
                 Fold::files),
        make_set("full_board", "pieces by square; White's board with files and ranks swapped", Fold::none),
    };
    return sets;
}

const GameInfo& LinesOfAction::info() {
    static const GameInfo info = [] {
        GameInfo made;
        made.name = "loa";
        made.title = "Lines of Action";
        made.sides = {"Black", "White"};
        made.start_fen = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b";
        made.notation = "from and to: b1-b3, captures c1xa3";
        made.index_sizes = {64, 64, 1};
        made.move_features = move_feature_table;
        for (const SquareSet& set : square_sets()) made.feature_sets.push_back({set.name, set.text, set.features});
        FeatureSet squares{
            "squares", "each square and the side to move, +1 Black and -1 White whoever is to move (Kocsis 2.1.2)", {}};
        for (Square square = 0; square < 64; ++square) squares.features.push_back(square_text(square));
        squares.features.push_back("side_to_move");
        made.feature_sets.push_back(std::move(squares));
        made.feature_sets.push_back(
            {"mia",
             "the seven features of MIA (Kocsis 2.1.3); side_to_move is always 1",
             {"concentration", "centre_of_mass", "centralisation", "quads", "mobility", "walls", "side_to_move"}});
        const BoardNames names{{"piece"}, square_names(8, 8)};
        made.feature_sets.push_back(names.board());
        made.feature_sets.push_back(names.last_move(64));
        return made;
    }();
    return info;
}

std::optional<PlaceMap> LinesOfAction::place_map(int set) {
    const auto& sets = square_sets();
    const int square_set_count = static_cast<int>(sets.size());
    if (set == 0 || set > square_set_count) return std::nullopt;  // material is quicker to count than to keep
    const bool raw = set == square_set_count;
    PlaceMap map;
    for (Side side : {first, second}) {
        for (Square square = 0; square < 64; ++square)
            map.features.push_back(static_cast<std::int16_t>(raw ? square : sets[set].at(0, own_square(side, square))));
    }
    map.is_turned = !raw;
    if (raw) map.turn_feature = 64;
    return map;
}

LinesOfAction LinesOfAction::from_fen(std::string_view fen) {
    const auto fields = split_fields(fen, 2, 2, "board and side");
    LinesOfAction position;
    State& state = position.trail_.now();
    for (const PlacedPiece& piece : read_rows(fields[0], 8, 8, 8).pieces) {
        if (piece.symbol != "b" && piece.symbol != "w")
            throw PositionError("fen: rank " + std::to_string(piece.rank + 1) + " has the piece " +
                                quoted(piece.symbol) + ", expected b or w");
        const Side owner = piece.symbol == "b" ? first : second;
        const Square square = square_at(piece.file, piece.rank);
        state.pieces[owner] |= bit(square);
        state.key ^= piece_keys[owner * 64 + square];
    }
    for (Side owner : {first, second}) {
        const int pieces = count(state.pieces[owner]);
        if (pieces < 1 || pieces > most_pieces)
            throw PositionError("fen: board has " + std::to_string(pieces) + (owner == first ? " black" : " white") +
                                " pieces, expected 1 to " + std::to_string(most_pieces));
    }
    state.side = read_side(fields[1], "bw");
    if (state.side == second) state.key ^= side_key;
    return position;
}

std::string LinesOfAction::fen() const {
    return write_rows(8, 8,
                      [this](int file, int rank) -> std::string_view {
                          const Bitboard square = bit(square_at(file, rank));
                          return pieces(first) & square ? "b" : pieces(second) & square ? "w" : "";
                      }) +
           (side() == first ? " b" : " w");
}

std::string LinesOfAction::move_text(Move move) {
    return square_text(from(move)) + (is_capture(move) ? "x" : "-") + square_text(to(move));
}

std::optional<Move> LinesOfAction::parse_move(std::string_view text) const {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (lower.size() != 5) return std::nullopt;
    const Square origin = square_from_text(lower.substr(0, 2)), target = square_from_text(lower.substr(3));
    if (origin < 0 || target < 0) return std::nullopt;
    const bool captures = pieces(other(side())) & bit(target);
    const bool names_capture = lower[2] == 'x' || lower[2] == ':';
    if (lower[2] != '-' && !(names_capture && captures)) return std::nullopt;
    const Move move = make(origin, target, captures);
    return is_legal(*this, move) ? std::optional(move) : std::nullopt;
}

LinesOfAction::Groups::Groups(Bitboard set) : set_(set) {
    for (Bitboard rest = set; rest;) rest ^= groups_[size_++] = group_of(rest & -rest, rest);
}

int LinesOfAction::Groups::size_without(Square square) const {
    const Bitboard near = neighbours[square] & set_;
    if (!near) return size_ - 1;
    return are_linked[neighbour_bits(square, near)] ? size_ : count_groups(set_ ^ bit(square));
}

int LinesOfAction::Groups::size_after(Square from, Square to) const {
    const Bitboard left = neighbours[from] & set_, met = neighbours[to] & set_ & ~bit(from);
    if (!are_linked[neighbour_bits(from, left)]) return count_groups(set_ ^ (bit(from) | bit(to)));
    const int rest = left ? size_ : size_ - 1;
    if (are_linked[neighbour_bits(to, met)]) return met ? rest : rest + 1;
    int joined = 0;
    for (int i = 0; i < size_; ++i) joined += (groups_[i] & met) != 0;
    return rest + 1 - joined;
}

const LinesOfAction::Groups& LinesOfAction::FeatureReader::groups(Side side) const {
    if (!groups_[side]) groups_[side].emplace(position_.pieces(side));
    return *groups_[side];
}

FeatureMask LinesOfAction::FeatureReader::group_features(Move move) const {
    const auto change = [](int before, int after, Feature smaller, Feature larger, Feature same) {
        return feature(after < before ? smaller : after > before ? larger : same);
    };
    const Side us = position_.side();
    FeatureMask mask = 0;
    if (wanted_ & features_between(Jn, Kp)) {
        const int before = groups(us).size(), after = groups(us).size_after(from(move), to(move));
        mask |= change(before, after, Jn, Sp, Kp) | (after == 1 ? feature(Ja) : 0);
    }
    if (is_capture(move) && (wanted_ & features_between(Ej, Ek))) {
        const Groups& enemy = groups(other(us));
        const int after = enemy.size_without(to(move));
        mask |= change(enemy.size(), after, Ej, Es, Ek) | (after == 1 ? feature(Ea) : 0);
    }
    return mask;
}

FeatureMask LinesOfAction::FeatureReader::mass_features(Move move) const {
    if (!mass_) mass_.emplace(position_.pieces(position_.side()));
    const int before = mass_->distance(from(move)), after = mass_->distance(to(move));
    return feature(after < before ? Mt : after > before ? Ma : Ml);
}

LinesOfAction::Mia LinesOfAction::mia() const {
    const Side us = side(), them = other(us);
    const Formation own(pieces(us), pieces(them)), enemy(pieces(them), pieces(us));
    return {own.concentration - enemy.concentration,
            own.centre_of_mass - enemy.centre_of_mass,
            own.centralisation - enemy.centralisation,
            own.quads - enemy.quads,
            mobility(us) - mobility(them),
            own.walls - enemy.walls};
}

std::string LinesOfAction::draw() const {
    const std::string below = (side() == first ? "● " : "○ ") + std::string(info().sides[side()]) + " to move";
    return draw_board(lettered_drawing(8, 8, below), [this](int file, int rank) -> std::string_view {
        const Bitboard square = bit(square_at(file, rank));
        return pieces(first) & square ? "●" : pieces(second) & square ? "○" : "";
    });
}

}  // namespace plypilot
