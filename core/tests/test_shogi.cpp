#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "games/shogi.hpp"
#include "perft.hpp"

using namespace plypilot;

namespace {

static_assert(Game<Shogi>);

Shogi at(std::string_view fen) { return Shogi::from_fen(fen); }
Shogi start() { return at(Shogi::info().start_fen); }

Move find(const Shogi& position, std::string_view text) {
    MoveList list;
    position.generate(list);
    for (Move move : list)
        if (Shogi::move_text(move) == text) return move;
    return {};
}

bool legal(const Shogi& position, std::string_view text) { return static_cast<bool>(find(position, text)); }

void play(Shogi& position, std::initializer_list<std::string_view> moves) {
    for (std::string_view text : moves) {
        const Move move = find(position, text);
        REQUIRE_MESSAGE(move, text);
        position.push(move);
    }
}

/// The symbols of the features that a move has.
std::set<std::string_view> symbols(const Shogi& position, std::string_view text) {
    const Move move = find(position, text);
    REQUIRE_MESSAGE(move, text);
    std::set<std::string_view> found;
    const FeatureMask mask = position.move_features(move);
    for (std::size_t i = 0; i < Shogi::info().move_features.size(); ++i)
        if (mask >> i & 1) found.insert(Shogi::info().move_features[i].symbol);
    return found;
}

std::map<std::string, float> features(const Shogi& position, std::string_view name) {
    const auto& sets = Shogi::info().feature_sets;
    const auto set = std::find_if(sets.begin(), sets.end(), [&](const FeatureSet& s) { return s.name == name; });
    REQUIRE(set != sets.end());
    FeatureVector vector(set->features.size());
    position.features(static_cast<int>(set - sets.begin()), vector);
    std::map<std::string, float> values;
    for (std::size_t i = 0; i < set->features.size(); ++i)
        if (vector.values()[i] != 0) values[set->features[i]] = vector.values()[i];
    return values;
}

int exchange(std::string_view fen, std::string_view text) {
    const Shogi position = at(fen);
    const Move move = find(position, text);
    REQUIRE_MESSAGE(move, text);
    return position.exchange(move);
}

/// Positions of games of quasi-random moves, half of them preferring captures and promotions.
template <class Visit>
void wander(std::uint64_t games, std::uint64_t plies, Visit visit) {
    for (std::uint64_t game = 0; game < games; ++game) {
        Shogi position = start();
        for (std::uint64_t ply = 0; ply < plies; ++ply) {
            visit(position);
            MoveList legal, noisy;
            position.generate(legal);
            if (legal.empty()) break;
            const std::uint64_t draw = splitmix64(game << 32 | ply);
            if (game % 2 && draw >> 62) position.generate_noisy(noisy);
            const MoveList& list = noisy.empty() ? legal : noisy;
            position.push(list[draw % list.size()]);
        }
    }
}

/// What the side to move gains by captures on a square, each side free to stop, by trying all that are legal. Tells
/// whether a pin or a check kept a piece from capturing.
struct TriedExchange {
    bool hindered = false;

    int best(Shogi& position, Square square) {
        Bitboard81 occupied, bearing, capturing;
        for (Square from = 0; from < 81; ++from)
            if (position.piece_on(from)) occupied |= bit81(from);
        for (Square from = 0; from < 81; ++from) {
            const Shogi::Piece piece = position.piece_on(from);
            if (piece && piece.side() == position.side() && piece.kind() != shogi::king &&
                has(shogi::attacks(piece.side(), piece.mover(), from, occupied), square))
                bearing |= bit81(from);
        }
        MoveList list;
        position.generate(list);
        int found = 0;
        for (Move move : list) {
            if (Shogi::is_drop(move) || Shogi::to(move) != square) continue;
            capturing |= bit81(Shogi::from(move));
            const int kind = position.piece_on(Shogi::from(move)).kind();
            int gain = Shogi::capture_value(position.piece_on(square).kind());
            if (Shogi::promotes(move)) gain += Shogi::values[kind + Shogi::promoted] - Shogi::values[kind];
            position.push(move);
            found = std::max(found, gain - best(position, square));
            position.pop();
        }
        if (bearing - capturing) hindered = true;
        return found;
    }
};

std::string error_of(std::string_view fen) {
    try {
        Shogi::from_fen(fen);
    } catch (const PositionError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("shogi: line attacks equal a walk along the line, whatever is occupied") {
    std::uint64_t seed = 0;
    for (int round = 0; round < 200; ++round) {
        const Bitboard81 occupied =
            Bitboard81{splitmix64(seed) & splitmix64(seed + 1), splitmix64(seed + 2) & splitmix64(seed + 3)} & all81;
        seed += 4;
        for (Square square = 0; square < 81; ++square) {
            std::array<Bitboard81, 8> walks;
            for (int d = 0; d < 8; ++d) {
                Bitboard81 rest = shogi::tables.rays[square][d];
                while (rest) {  // the nearest square is the one whose ray holds all the others
                    Square nearest = lowest(rest);
                    for (Bitboard81 others = rest; others; drop_lowest(others))
                        if (has(shogi::tables.rays[lowest(others)][d], nearest)) nearest = lowest(others);
                    walks[d] |= bit81(nearest);
                    if (has(occupied, nearest)) break;
                    rest -= bit81(nearest);
                }
            }
            using namespace shogi;
            REQUIRE(rook_attacks(square, occupied) == (walks[up] | walks[down] | walks[right] | walks[left]));
            REQUIRE(bishop_attacks(square, occupied) ==
                    (walks[up_right] | walks[down_left] | walks[down_right] | walks[up_left]));
            REQUIRE(lance_attacks(first, square, occupied) == walks[up]);
            REQUIRE(lance_attacks(second, square, occupied) == walks[down]);
        }
    }
}

TEST_CASE("shogi: perft equals the known counts") {
    struct Count {
        std::string_view fen;
        std::vector<std::uint64_t> nodes;
    };
    const std::vector<Count> counts = {
        {Shogi::info().start_fen, {30, 900, 25470, 719731}},
        {"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", {207, 28684, 4809015}},
        {"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", {593, 105677}},  // most moves there can be
        {"8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124", {178, 18041, 2552846}},
        {"4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1", {525, 2410, 1262715}},
    };
    for (const Count& count : counts) {
        Shogi position = at(count.fen);
        for (std::size_t depth = 1; depth <= count.nodes.size(); ++depth)
            CHECK(perft(position, static_cast<int>(depth)) == count.nodes[depth - 1]);
        CHECK(perft(position, 2, Bulk::no) == count.nodes[1]);
        CHECK(position.fen() == count.fen);
    }
}

TEST_CASE("shogi: pawns, lances and knights must promote where they could not move again") {
    const Shogi position = at("4k4/P8/1L5N1/9/9/9/9/9/4K4 b - 1");
    CHECK(legal(position, "9b9a+"));
    CHECK_FALSE(legal(position, "9b9a"));
    CHECK(legal(position, "8c8b"));
    CHECK(legal(position, "8c8b+"));
    CHECK_FALSE(legal(position, "8c8a"));
    CHECK_FALSE(legal(position, "2c1a"));
    CHECK(legal(position, "2c1a+"));
}

TEST_CASE("shogi: rooks, bishops and silvers may decline to promote, also on leaving the zone") {
    const Shogi position = at("4k4/9/1S5B1/9/9/9/9/R8/4K4 b - 1");
    for (std::string_view move : {"8c9d", "8c9d+", "2c1d", "2c1d+", "9h9b", "9h9b+"}) CHECK(legal(position, move));
    CHECK_FALSE(legal(position, "9h9e+"));
}

TEST_CASE("shogi: drops respect two pawns and the last ranks") {
    const Shogi position = at("4k4/9/9/9/4P4/9/3+P5/9/4K4 b NLP 1");
    CHECK_FALSE(legal(position, "P*5h"));
    CHECK(legal(position, "P*6h"));  // a promoted pawn is no pawn
    CHECK_FALSE(legal(position, "P*1a"));
    CHECK_FALSE(legal(position, "L*1a"));
    CHECK(legal(position, "L*1b"));
    CHECK_FALSE(legal(position, "N*1b"));
    CHECK(legal(position, "N*1c"));
}

TEST_CASE("shogi: a pawn drop must not mate") {
    CHECK_FALSE(legal(at("7nk/9/8G/9/9/9/9/9/4K4 b P 1"), "P*1b"));
    CHECK(legal(at("8k/9/8G/9/9/9/9/9/4K4 b P 1"), "P*1b"));          // the king flees to 2a
    CHECK(legal(at("7nk/9/9/8G/9/9/9/9/4K4 b P 1"), "P*1b"));         // the king takes the pawn
    CHECK(legal(at("7sk/9/8G/9/9/9/9/9/4K4 b P 1"), "P*1b"));         // the silver takes it
    CHECK_FALSE(legal(at("R6sk/9/8G/9/9/9/9/9/4K4 b P 1"), "P*1b"));  // the silver is pinned and cannot
    // The rook is pinned, but along the file on which it takes the pawn.
    CHECK(legal(at("7nk/9/7Gr/9/9/9/9/8L/4K4 b P 1"), "P*1b"));
    CHECK(legal(at("7nk/9/8G/9/9/9/9/9/4K4 b L 1"), "L*1b"));   // any other piece may mate
    CHECK(legal(at("7nk/9/7GP/9/9/9/9/9/4K4 b - 1"), "1c1b"));  // and so may a pawn of the board
}

TEST_CASE("shogi: a player who cannot move has lost, in check or not") {
    Shogi mate = at("4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    play(mate, {"G*5b"});
    CHECK(outcome(mate) == Outcome::win(first, "checkmate"));
    CHECK(outcome(at("8k/6G2/7G1/9/9/9/9/9/4K4 w - 1")) == Outcome::win(first, "no move"));
}

TEST_CASE("shogi: the fourth occurrence of a position is a draw") {
    Shogi position = start();
    for (int round = 0; round < 3; ++round) {
        CHECK_FALSE(outcome(position));
        play(position, {"2h3h", "8b7b", "3h2h", "7b8b"});
    }
    CHECK(outcome(position) == Outcome::draw("fourfold repetition"));
    position.pop();
    CHECK_FALSE(outcome(position));
    position.push_null();
    position.push_null();
    CHECK_FALSE(outcome(position));
}

TEST_CASE("shogi: who checks on every move of a repetition loses") {
    Shogi position = at("4k4/9/9/9/9/9/9/R8/8K b - 1");
    play(position, {"9h5h"});
    for (int round = 0; round < 3; ++round) play(position, {"5a4a", "5h4h", "4a5a", "4h5h"});
    CHECK(position.in_check());
    CHECK(outcome(position) == Outcome::win(second, "perpetual check"));
    position.pop();
    play(position, {"4h3h"});
    CHECK_FALSE(outcome(position));

    // One quiet move among the checks makes it a draw.
    Shogi quiet = at("4k4/9/9/9/9/9/9/R8/8K b - 1");
    play(quiet, {"9h5h", "5a4a", "5h4h", "4a5a", "4h9h", "5a4a", "9h4h", "4a5a", "4h5h"});
    for (int round = 0; round < 2; ++round) play(quiet, {"5a4a", "5h4h", "4a5a", "4h5h"});
    CHECK_FALSE(outcome(quiet) == Outcome::win(second, "perpetual check"));
}

TEST_CASE("shogi: positions are equal by key however they came about") {
    Shogi a = start(), b = start();
    play(a, {"7g7f", "3c3d", "8h2b+", "3a2b"});
    play(b, {"7g7f", "3c3d", "8h2b+", "3a2b", "5i5h", "5a5b", "5h5i", "5b5a"});
    CHECK(a.key() == b.key());
    CHECK(a.key() == at(a.fen()).key());
    CHECK(a.fen() == "lnsgkg1nl/1r5s1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b Bb 5");
    while (b.ply()) b.pop();
    CHECK(b.key() == start().key());
    CHECK(b.fen() == start().fen());
}

TEST_CASE("shogi: SFEN is read with or without a move number and written in one form") {
    CHECK(at("4k4/9/9/9/9/9/9/9/4K4 w p2PbR").fen() == "4k4/9/9/9/9/9/9/9/4K4 w R2Pbp 1");
    CHECK(at("4k4/9/9/9/9/9/9/9/4K4 b - 77").fen() == "4k4/9/9/9/9/9/9/9/4K4 b - 77");
}

TEST_CASE("shogi: a bad SFEN names the field at fault") {
    const std::vector<std::array<std::string_view, 2>> cases = {
        {"4k4/9/9/9/9/9/9/9/4K4 b", "fen: has 2 fields, expected board, side, hands and move number"},
        {"9/9/9/9/9/9/9/9/4K4 b - 1", "fen: board: White has no king"},
        {"4k4/9/9/9/9/9/9/9/4KK3 b - 1", "fen: board: the piece \"K\" on 4i is a second king of Black"},
        {"4k4/9/9/9/9/9/9/9/4+K4 b - 1", "fen: board: the piece \"+K\" on 5i cannot be promoted"},
        {"4k4/9/9/9/9/9/9/9/4X4 b - 1", "fen: board: the piece \"X\" on 5i is unknown"},
        {"4k3P/9/9/9/9/9/9/9/4K4 b - 1", "fen: board: the piece \"P\" on 1a could never move"},
        {"4k4/8N/9/9/9/9/9/9/4K4 b - 1", "fen: board: the piece \"N\" on 1b could never move"},
        {"4k4/9/9/9/9/9/9/9/4K3l b - 1", "fen: board: the piece \"l\" on 1i could never move"},
        {"4k4/9/P8/P8/9/9/9/9/4K4 b - 1", "fen: board: the piece \"P\" on 9d is the second pawn of Black on its file"},
        {"4k4/9/RRR6/9/9/9/9/9/4K4 b - 1", "fen: board: the piece \"R\" on 7c is one more than the 2 of the set"},
        {"4k4/9/9/9/9/9/9/9/4K4 x - 1", "fen: side to move is \"x\""},
        {"4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "fen: hands: the number \"19\" is not from 2 to 18"},
        {"4k4/9/9/9/9/9/9/9/4K4 b 1P 1", "fen: hands: the number \"1\" is not from 2 to 18"},
        {"4k4/9/9/9/9/9/9/9/4K4 b 3 1", "fen: hands: a number has no piece after it"},
        {"4k4/9/9/9/9/9/9/9/4K4 b PP 1", "fen: hands: the letter \"P\" comes twice"},
        {"4k4/9/9/9/9/9/9/9/4K4 b K 1", "fen: hands: expected a letter of RBGSNLP or rbgsnlp, not \"K\""},
        {"4k4/9/9/9/9/9/9/9/4K4 b P- 1", "fen: hands: expected a letter of RBGSNLP or rbgsnlp, not \"-\""},
        {"4k4/9/r8/9/9/9/9/9/4K4 b 2R 1", "fen: hands: there are 3 pieces R with those on the board, the set has 2"},
        {"4k4/9/9/9/9/9/9/9/4K4 b - 0", "fen: move number is \"0\""},
        {"4k4/4K4/9/9/9/9/9/9/9 b - 1", "fen: board: the kings stand side by side"},
        {"4k4/9/9/9/9/9/9/4R4/4K4 b - 1", "fen: side to move is Black, but the king of White is in check"},
    };
    for (const auto& [fen, message] : cases)
        CHECK_MESSAGE(error_of(fen).substr(0, message.size()) == message, fen, " gave ", error_of(fen));
}

TEST_CASE("shogi: move features describe the move") {
    Shogi position = start();
    using Set = std::set<std::string_view>;
    CHECK(symbols(position, "7g7f") == Set{"PcP", "Rdm"});
    play(position, {"7g7f", "3c3d"});
    CHECK(symbols(position, "8h2b+") == Set{"PcB", "AcS", "Rdt", "C", "CcB", "LcP", "Pm"});
    CHECK(symbols(position, "8h2b") == Set{"PcB", "AcS", "Rdt", "C", "CcB", "LcP", "PmN"});
    CHECK(symbols(position, "5i5h") == Set{"PcK", "LcP", "Rdb"});
    play(position, {"8h2b+"});
    CHECK(symbols(position, "3a2b") == Set{"PcS", "Rc", "Rdb", "C", "CcH", "LcB"});
    play(position, {"3a2b"});
    CHECK(symbols(position, "B*5e") == Set{"PcB", "AcS", "Rdm", "LcS", "Dr"});

    CHECK(symbols(at("4k4/9/9/9/9/9/4G4/4R4/4K4 b - 1"), "5g4g") == Set{"PcG", "Rdb", "Ch"});  // discovered
    CHECK(symbols(at("4k4/4+P4/9/9/9/9/9/9/4K4 w - 1"), "5a5b") == Set{"PcK", "Rdb", "C", "CcG", "Or"});
    const Shogi only = at("7nk/7p1/9/9/8R/9/9/9/4K4 w - 1");
    CHECK(only.in_check());
    CHECK(symbols(only, "2a1c") == Set{"PcN", "Rdb", "Or"});
    CHECK(symbols(at("7nk/9/9/9/8R/9/9/9/4K4 w - 1"), "2a1c") == Set{"PcN", "Rdb"});
}

TEST_CASE("shogi: the mask of every move keeps the promise of exclusive groups") {
    const auto& table = Shogi::info().move_features;
    CHECK(table.size() <= 64);
    for (std::string_view fen :
         {std::string_view(Shogi::info().start_fen),
          std::string_view("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")}) {
        Shogi position = at(fen);
        for (std::uint64_t ply = 0; ply < 200; ++ply) {
            MoveList list;
            position.generate(list);
            if (list.empty()) break;
            for (Move move : list) {
                const FeatureMask mask = position.move_features(move);
                std::map<std::string_view, std::string_view> seen;  // group to symbol
                for (std::size_t i = 0; i < table.size(); ++i) {
                    if (!(mask >> i & 1)) continue;
                    const auto [entry, is_new] = seen.try_emplace(table[i].group, table[i].symbol);
                    REQUIRE((is_new || table[i].parent == entry->second));
                    entry->second = table[i].symbol;
                }
                REQUIRE(seen.count("moved") + seen.count("rank") == 2);
                const bool gives_check = position.gives_check(move);
                position.push(move);
                REQUIRE(gives_check == position.in_check());
                position.pop();
            }
            position.push(list[splitmix64(ply) % list.size()]);
        }
    }
}

TEST_CASE("shogi: evaluation features count pieces on the board and in hand") {
    const Shogi position = at("4k4/1+r7/9/9/9/9/4P4/9/4K4 w Pb 1");
    CHECK(features(position, "material") == std::map<std::string, float>{{"dragon", 1}, {"bishop", 1}, {"pawn", -2}});
    CHECK(features(position, "hand") == std::map<std::string, float>{{"bishop_in_hand", 1}, {"pawn_in_hand", -1}});
    // White sits opposite: its dragon on 8b is on its own second rank, the second file from its right.
    CHECK(features(position, "full_board") == std::map<std::string, float>{{"dragon_h2", 1}, {"pawn_e3", -1}});
    CHECK(features(position, "half_board") == std::map<std::string, float>{{"dragon_b2", 1}, {"pawn_e3", -1}});
    CHECK(features(start(), "full_board").empty());
    CHECK(features(start(), "material").empty());
}

TEST_CASE("shogi: the move index tells squares, drops and promotions apart") {
    const Shogi position = at("4k4/9/9/P8/9/9/9/9/4K4 b R 1");
    CHECK(Shogi::move_index(find(position, "9d9c+")) == MoveIndex{45, 54, 1});
    CHECK(Shogi::move_index(find(position, "9d9c")) == MoveIndex{45, 54, 0});
    CHECK(Shogi::move_index(find(position, "R*1i")) == MoveIndex{81 + shogi::rook, 8, 0});
}

TEST_CASE("shogi: the drawing shows board, hands and side") {
    const std::string drawing = at("4k4/1+r7/9/9/9/9/4P4/9/4K4 w 2Pb 1").draw();
    CHECK(drawing ==
          "White in hand: 角\n"
          " ９ ８ ７ ６ ５ ４ ３ ２ １\n"
          " ・ ・ ・ ・v玉 ・ ・ ・ ・ a\n"
          " ・v龍 ・ ・ ・ ・ ・ ・ ・ b\n"
          " ・ ・ ・ ・ ・ ・ ・ ・ ・ c\n"
          " ・ ・ ・ ・ ・ ・ ・ ・ ・ d\n"
          " ・ ・ ・ ・ ・ ・ ・ ・ ・ e\n"
          " ・ ・ ・ ・ ・ ・ ・ ・ ・ f\n"
          " ・ ・ ・ ・ 歩 ・ ・ ・ ・ g\n"
          " ・ ・ ・ ・ ・ ・ ・ ・ ・ h\n"
          " ・ ・ ・ ・ 玉 ・ ・ ・ ・ i\n"
          "Black in hand: 歩2\n"
          "White to move");
}

TEST_CASE("shogi: noisy moves are captures and promotions") {
    std::size_t found = 0;
    wander(60, 150, [&](const Shogi& position) {
        MoveList legal, noisy, expected;
        position.generate(legal);
        position.generate_noisy(noisy);
        for (Move move : legal)
            if (position.is_capture(move) || Shogi::promotes(move)) expected.add(move);
        REQUIRE(std::ranges::is_permutation(noisy, expected));
        found += noisy.size();
    });
    CHECK(found > 10000);
}

TEST_CASE("shogi: a capture wins the piece for the hand and takes it from the opponent") {
    CHECK(Shogi::capture_value(shogi::pawn) == 200);
    CHECK(Shogi::capture_value(shogi::rook + Shogi::promoted) == 1302 + 1042);
    CHECK(exchange("4k4/9/9/4p4/9/9/9/4R4/4K4 b - 1", "5h5d") == 200);
    CHECK(exchange("4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1", "5h5d") == 200 - 2084);
}

TEST_CASE("shogi: an exchange sees lines that open") {
    CHECK(exchange("4k4/4r4/9/4p4/4P4/9/9/9/K8 b - 1", "5e5d") == 200 - 200);
    CHECK(exchange("4k4/4r4/9/4p4/4P4/9/9/4R4/K8 b - 1", "5e5d") == 200);
    CHECK(exchange("4k4/4r4/9/4p4/4P4/9/9/4L4/K8 b - 1", "5e5d") == 200);
    CHECK(exchange("4k4/4r4/4l4/4p4/4P4/9/4L4/9/K8 b - 1", "5e5d") == 200 - 200);  // the rook behind the lance
    CHECK(exchange("4k4/4r4/4l4/4p4/4P4/9/4L4/4R4/K8 b - 1", "5e5d") == 200);      // and one on the other side
    CHECK(exchange("4k4/9/4r4/9/4P4/9/9/9/K8 b - 1", "5e5d") == -200);             // quiet moves may lose the piece
    CHECK(exchange("4k4/9/4r4/9/9/9/9/9/K8 b G 1", "G*5d") == -1384);              // and drops
    CHECK(exchange("4k4/9/4r4/9/9/9/9/9/K8 b G 1", "G*4d") == 0);
}

TEST_CASE("shogi: an exchange counts promotions of both sides") {
    CHECK(exchange("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+") == 321);
    CHECK(exchange("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c") == 0);
    CHECK(exchange("k8/4g4/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+") == 321 - 421 - 100);
    CHECK(exchange("4k4/9/4l4/9/9/9/4p4/4G4/K8 b - 1", "5h5g") == 200 - 1384 - 200);  // the lance promotes on 5g
}

TEST_CASE("shogi: a king takes part in an exchange only where nothing takes back") {
    CHECK(exchange("4k4/4g4/9/9/4R4/9/9/9/K3L4 b - 1", "5e5b+") == 1384 + 260);
    CHECK(exchange("4k4/4g4/9/9/4R4/9/9/9/K8 b - 1", "5e5b+") == 1384 + 260 - 2344);
}

TEST_CASE(
    "shogi: the exchange count equals a minimax over legal captures but where pins, checks or dear pieces matter") {
    int compared = 0, equal = 0;
    wander(40, 120, [&](const Shogi& seen) {
        Shogi position = seen;
        MoveList noisy;
        position.generate_noisy(noisy);
        for (Move move : noisy) {
            const Square target = Shogi::to(move);
            const int counted = position.exchange(move), kind = position.piece_on(Shogi::from(move)).kind();
            int gain = position.is_capture(move) ? Shogi::capture_value(position.piece_on(target).kind()) : 0;
            if (Shogi::promotes(move)) gain += Shogi::values[kind + Shogi::promoted] - Shogi::values[kind];
            position.push(move);
            TriedExchange tried;
            const int best = gain - tried.best(position, target);
            position.pop();
            if (tried.hindered) continue;
            ++compared;
            equal += counted == best;
        }
    });
    CHECK(compared > 5000);
    CHECK(equal > 0.998 * compared);  // capturing with a dearer piece first may open a line
}

TEST_CASE("shogi: king safety describes both kings, own minus the opponent's") {
    using Values = std::map<std::string, float>;
    // Bare kings in the middle of their first ranks: five flights and five holes each.
    CHECK(features(at("4k4/9/9/9/9/9/9/9/4K4 b - 1"), "king_safety").empty());
    CHECK(features(start(), "king_safety").empty());
    // White's king in the corner lacks two of each. Its gold guards 1b and 2a, but not 2b, on which it stands.
    CHECK(features(at("8k/7g1/9/9/9/9/9/9/4K4 b - 1"), "king_safety") ==
          Values{{"guard_gold", -1}, {"flights", 5 - 2}, {"holes", 5 - 0}});
    // The opponent's hand makes the holes of Black's king worse.
    CHECK(features(at("8k/7g1/9/9/9/9/9/9/4K4 b r2p 1"), "king_safety").at("holes_by_drops") == 5);
    // From the other side everything is turned round.
    CHECK(features(at("8k/7g1/9/9/9/9/9/9/4K4 w - 1"), "king_safety") ==
          Values{{"guard_gold", 1}, {"flights", 2 - 5}, {"holes", 0 - 5}});
}

TEST_CASE("shogi: king safety counts attacked squares by attacker") {
    // The dragon on 5g attacks 4h, 5h and 6h, which only the king guards.
    const auto dragon = features(at("4k4/9/9/9/9/9/4+r4/4P4/4K4 b - 1"), "king_safety");
    CHECK(dragon.at("attack_dragon") == 3);
    CHECK(dragon.at("weak_squares") == 3);
    CHECK(dragon.at("rook_lines_on_king") == 1);
    CHECK(dragon.at("guard_pawn") == 1);
    CHECK(dragon.at("no_pawn_ahead") == -1);  // the white king has none
    CHECK(dragon.at("flights") == 2 - 5);
    // A gold beside the king guards what the dragon attacks.
    const auto guarded = features(at("4k4/9/9/9/9/9/4+r4/4P4/3GK4 b - 1"), "king_safety");
    CHECK(guarded.at("attack_dragon") == 3);
    CHECK(guarded.at("weak_squares") == 1);
    // Lines count however many pieces stand between.
    const auto lines = features(at("4k4/4l4/9/9/b8/4p4/4P4/9/4K4 b - 1"), "king_safety");
    CHECK(lines.at("lance_lines_on_king") == 1);
    CHECK(lines.at("bishop_lines_on_king") == 1);
    CHECK_FALSE(lines.contains("attack_lance"));
}

TEST_CASE("shogi: king safety is own minus the opponent's whoever is to move") {
    wander(10, 120, [&](const Shogi& position) {
        if (position.in_check()) return;
        Shogi passed = position;
        passed.push_null();
        for (const auto& [name, value] : features(position, "king_safety"))
            CHECK(features(passed, "king_safety").at(name) == -value);
    });
}

TEST_CASE("shogi: a null move passes, and is taken back") {
    Shogi position = start();
    play(position, {"7g7f", "3c3d"});
    const std::string before = position.fen();
    const Key key = position.key();
    position.push_null();
    CHECK(position.side() == second);
    CHECK_FALSE(position.in_check());
    MoveList noisy;
    position.generate_noisy(noisy);
    CHECK(std::ranges::any_of(noisy, [](Move move) { return Shogi::move_text(move) == "2b8h+"; }));
    position.pop();
    CHECK(position.fen() == before);
    CHECK(position.key() == key);
}
