#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "games/loa.hpp"
#include "notation.hpp"
#include "perft.hpp"

using namespace plypilot;

namespace {

LinesOfAction at(std::string_view fen) { return LinesOfAction::from_fen(fen); }
LinesOfAction start() { return at(LinesOfAction::info().start_fen); }

std::set<std::string> move_texts(const LinesOfAction& position) {
    MoveList list;
    position.generate(list);
    std::set<std::string> texts;
    for (Move move : list) texts.insert(LinesOfAction::move_text(move));
    return texts;
}

void play(LinesOfAction& position, std::initializer_list<std::string_view> moves) {
    for (std::string_view text : moves) {
        const auto move = position.parse_move(text);
        REQUIRE_MESSAGE(move, text);
        position.push(*move);
    }
}

/// The names of the features that a move has.
std::set<std::string_view> feature_names(const LinesOfAction& position, std::string_view text) {
    const auto move = position.parse_move(text);
    REQUIRE_MESSAGE(move, text);
    const FeatureMask mask = position.move_features(*move);
    std::set<std::string_view> names;
    const auto& table = LinesOfAction::info().move_features;
    for (std::size_t i = 0; i < table.size(); ++i)
        if (mask >> i & 1) names.insert(table[i].name);
    return names;
}

using Names = std::set<std::string_view>;

std::map<std::string, float> evaluation_features(const LinesOfAction& position, std::string_view name) {
    const auto& sets = LinesOfAction::info().feature_sets;
    const auto set = std::ranges::find(sets, name, &FeatureSet::name);
    REQUIRE(set != sets.end());
    FeatureVector vector(set->features.size());
    position.features(static_cast<int>(set - sets.begin()), vector);
    std::map<std::string, float> values;
    for (std::size_t i = 0; i < set->features.size(); ++i) values[set->features[i]] = vector.values()[i];
    return values;
}

/// A position of a game of quasi-random moves, the same in every run.
LinesOfAction wander(int seed, int plies) {
    LinesOfAction position = start();
    for (int ply = 0; ply < plies; ++ply) {
        MoveList list;
        position.generate(list);
        if (list.empty()) break;
        position.push(list[splitmix64(static_cast<std::uint64_t>(seed * 1000 + ply)) % list.size()]);
    }
    return position;
}

/// The position with the board mapped square by square, colours swapped if asked.
template <class Map>
LinesOfAction mapped(const LinesOfAction& position, bool swap_colours, Map map) {
    std::array<std::array<std::string_view, 8>, 8> board{};
    for (Square square = 0; square < 64; ++square) {
        const Square to = map(square);
        for (Side side : {first, second})
            if (position.pieces(side) & bit(square))
                board[to >> 3][to & 7] = (side == first) != swap_colours ? "b" : "w";
    }
    return at(write_rows(8, 8, [&](int file, int rank) { return board[rank][file]; }) +
              ((position.side() == first) != swap_colours ? " b" : " w"));
}

Square mirrored(Square square) { return square ^ 7; }
Square transposed(Square square) { return square_at(rank_of(square), file_of(square)); }

// MIA's concentration, centre of mass, quads and walls, square by square as their definitions say.
struct PlainFormation {
    float concentration, centre_of_mass;
    int quads = 0, walls = 0;

    PlainFormation(const LinesOfAction& position, Side side) {
        std::vector<Square> squares;
        for (Square square = 0; square < 64; ++square)
            if (position.pieces(side) & bit(square)) squares.push_back(square);
        const int n = static_cast<int>(squares.size());
        double file = 0, rank = 0;
        for (Square square : squares) file += file_of(square), rank += rank_of(square);
        file /= n, rank /= n;
        // A mean of n <= 12 numbers is never nearer than 1/24 to a half without being one.
        const auto rounded = [](double distance) { return static_cast<int>(std::floor(distance + 0.5 + 1e-6)); };
        const auto distance = [&](int f, int r) {
            return std::max(rounded(std::abs(f - file)), rounded(std::abs(r - rank)));
        };
        int surplus = 0;
        for (Square square : squares) surplus += distance(file_of(square), rank_of(square));
        for (int i = 0; i < n; ++i) surplus -= i == 0 ? 0 : i < 9 ? 1 : 2;
        concentration = static_cast<float>(1 / (1 + static_cast<double>(surplus) / n));
        centre_of_mass = static_cast<float>(-std::max(std::abs(file - 3.5), std::abs(rank - 3.5)));
        for (int f = 0; f < 7; ++f) {
            for (int r = 0; r < 7; ++r) {
                int pieces = 0;
                bool near = true;
                for (int corner = 0; corner < 4; ++corner) {
                    const int cf = f + (corner & 1), cr = r + (corner >> 1);
                    pieces += position.pieces(side) >> square_at(cf, cr) & 1;
                    near &= distance(cf, cr) <= 2;
                }
                quads += near && pieces >= 3;
            }
        }
        for (Square square = 0; square < 64; ++square) {
            const int f = file_of(square), r = rank_of(square);
            const bool on_edge = f == 0 || f == 7 || r == 0 || r == 7;
            if (!on_edge || !(position.pieces(other(side)) & bit(square))) continue;
            bool walled = true;
            for (int nf = std::max(f - 1, 1); nf <= std::min(f + 1, 6); ++nf)
                for (int nr = std::max(r - 1, 1); nr <= std::min(r + 1, 6); ++nr)
                    walled &= (position.pieces(side) >> square_at(nf, nr) & 1) != 0;
            walls += walled;
        }
    }
};

}  // namespace

TEST_CASE("loa: perft from the start") {
    LinesOfAction position = start();
    constexpr std::array<std::uint64_t, 5> counts = {1, 36, 1244, 44952, 1563208};
    for (int depth = 0; depth < 5; ++depth) CHECK(perft(position, depth) == counts[depth]);
    CHECK(perft(position, 3, Bulk::no) == counts[3]);
}

TEST_CASE("loa: a piece moves as many squares as its line has pieces, over its own but not over the opponent's") {
    // On the rank of c3: three pieces. Over its own piece d3 to f3; not over the opponent's b3 (and off the board).
    const auto position = at("w6w/8/8/8/8/1wbb4/8/b6w b");
    const auto texts = move_texts(position);
    CHECK(texts.contains("c3-f3"));
    CHECK_FALSE(texts.contains("c3-e3"));
    CHECK(texts.contains("d3-g3"));
    CHECK_FALSE(texts.contains("d3-a3"));  // over c3 and b3
    CHECK(texts.contains("c3-c4"));        // alone on its file
    CHECK(texts.contains("c3-c2"));
    CHECK(texts.contains("d3-e2"));  // alone on that diagonal
    CHECK(texts.contains("c3-f6"));  // a1, c3 and h8 on the long diagonal
    CHECK(texts.contains("a1-d4"));  // over its own c3
    CHECK_FALSE(texts.contains("c3-d4"));
}

TEST_CASE("loa: captures by landing, never on an own piece") {
    const auto texts = move_texts(start());
    CHECK(texts.size() == 36);
    CHECK(texts.contains("c1xa3"));
    CHECK(texts.contains("b1-h1"));
    CHECK_FALSE(texts.contains("b1-b8"));
}

TEST_CASE("loa: the side that connects all its pieces wins") {
    auto position = at("w6w/8/8/8/3bb3/8/3b4/w6w b");
    CHECK_FALSE(outcome(position));
    play(position, {"d2-e3"});
    CHECK(outcome(position) == Outcome::win(first, "connected"));
    CHECK(move_texts(position).empty());
}

TEST_CASE("loa: connection is orthogonal or diagonal") {
    CHECK(outcome(at("w6w/8/8/8/3b4/2b1b3/3b4/w6w w")) == Outcome::win(first, "connected"));
    CHECK_FALSE(outcome(at("w6w/8/8/8/3b4/2b5/4b3/w6w w")));
    // The h-file does not touch the a-file of the next rank.
    CHECK_FALSE(outcome(at("w6w/8/8/8/b7/7b/8/w6w w")));
}

TEST_CASE("loa: both connected after a move is a draw") {
    auto position = at("8/5ww1/8/8/8/3b4/b1w5/3b4 b");
    CHECK_FALSE(outcome(position));
    play(position, {"a2xc2"});
    CHECK(outcome(position) == Outcome::draw("both connected"));
    CHECK(move_texts(position).empty());
}

TEST_CASE("loa: a capture that connects only the opponent loses") {
    auto position = at("7b/8/8/8/b7/5w2/w3ww2/7b b");
    CHECK_FALSE(outcome(position));
    play(position, {"a4xa2"});
    CHECK(outcome(position) == Outcome::win(second, "connected"));
    CHECK(move_texts(position).empty());
}

TEST_CASE("loa: one piece is connected") {
    CHECK(outcome(at("8/8/8/8/8/w6w/8/b7 w")) == Outcome::win(first, "connected"));
    CHECK(outcome(at("8/8/8/8/8/w6b/8/8 w")) == Outcome::draw("both connected"));
}

TEST_CASE("loa: a player without a move loses") {
    // Each black corner piece has three pieces or more on its lines and white ones next to it.
    const auto position = at("bw4wb/ww4ww/8/8/8/8/ww4ww/bw4wb b");
    CHECK_FALSE(position.decided());
    CHECK(move_texts(position).empty());
    CHECK(outcome(position) == Outcome::win(second, "no move"));
}

TEST_CASE("loa: the third occurrence of a position with the same player to move is a draw") {
    LinesOfAction position = start();
    for (int round = 0; round < 2; ++round) {
        CHECK_FALSE(outcome(position));
        play(position, {"b1-h1", "a2-a8"});
        CHECK_FALSE(outcome(position));
        play(position, {"h1-b1", "a8-a2"});
    }
    CHECK(outcome(position) == Outcome::draw("third repetition"));
    CHECK(move_texts(position).size() == 36);  // the moves are as they were
    position.pop();
    CHECK_FALSE(outcome(position));
}

TEST_CASE("loa: a null move is no repetition") {
    LinesOfAction position = start();
    for (int i = 0; i < 6; ++i) position.push_null();
    CHECK(position.key() == start().key());
    CHECK_FALSE(outcome(position));
}

TEST_CASE("loa: move texts in either case, with any of three signs") {
    const LinesOfAction position = start();
    CHECK(position.parse_move("b1-b3") == position.parse_move("B1-B3"));
    CHECK(position.parse_move("c1xa3"));
    CHECK(position.parse_move("C1:A3") == position.parse_move("c1xa3"));
    CHECK(position.parse_move("C1-A3") == position.parse_move("c1Xa3"));
    CHECK(LinesOfAction::move_text(*position.parse_move("c1-a3")) == "c1xa3");
    for (std::string_view text :
         {"b1xb3", "b1:b3", "b1-b4", "b1b3", "b1 b3", "a2-c2", "b1-b3 ", "", "b1-i3", "b9-b3", "b1"})
        CHECK_FALSE(position.parse_move(text));
}

TEST_CASE("loa: position strings that are refused, with the reason") {
    const auto error = [](std::string_view fen) -> std::string {
        try {
            at(fen);
        } catch (const PositionError& e) {
            return e.what();
        }
        return "accepted";
    };
    CHECK(error("8/8/8/8/8/8/8/b7 b") == "fen: board has 0 white pieces, expected 1 to 12");
    CHECK(error("8/8/8/8/8/8/8/w7 b") == "fen: board has 0 black pieces, expected 1 to 12");
    CHECK(error("bbbbbbbb/bbbbb3/8/8/8/8/8/w7 b") == "fen: board has 13 black pieces, expected 1 to 12");
    CHECK(error("b7/8/8/8/8/x7/8/w7 b") == "fen: rank 3 has the piece \"x\", expected b or w");
    CHECK(error("b7/8/8/8/8/8/8/w7 x") == "fen: side to move is \"x\", expected \"b\" or \"w\"");
    for (std::string_view fen : {"", "b", "b7/8/8/8/8/8/w7 b", "b7/8/8/8/8/9/8/w7 b", "b7/8/8/8/8/7/8/w7 b",
                                 "b7/8/8/8/8/8/8/w7", "b7/8/8/8/8/8/8/w7 b -", "B7/8/8/8/8/8/8/w7 b"})
        CHECK(error(fen).starts_with("fen: "));
    CHECK(at("b7/8/8/8/8/8/8/w7 b").fen() == "b7/8/8/8/8/8/8/w7 b");
    CHECK(start().fen() == LinesOfAction::info().start_fen);
}

TEST_CASE("loa: the hash is that of the position string") {
    for (int seed = 0; seed < 50; ++seed) {
        const LinesOfAction position = wander(seed, 40);
        CHECK(at(position.fen()).key() == position.key());
    }
}

TEST_CASE("loa: groups") {
    CHECK(start().groups(first) == 2);
    CHECK_FALSE(start().is_connected(first));
    const auto position = at("b6b/8/2b5/3b4/2w5/8/8/w6w b");
    CHECK(position.groups(first) == 3);
    CHECK(position.groups(second) == 3);
    CHECK(position.groups_after(first, *position.parse_move("d5-f7")) == 4);
    for (int seed = 0; seed < 50; ++seed) {
        const LinesOfAction before = wander(seed, 30);
        MoveList list;
        before.generate(list);
        for (Move move : list) {
            LinesOfAction after = before;
            after.push(move);
            for (Side side : {first, second}) CHECK(before.groups_after(side, move) == after.groups(side));
        }
    }
}

TEST_CASE("loa: move features") {
    CHECK(feature_names(start(), "c1xa3") ==
          Names{"capture", "from_edge", "to_edge", "splits", "splits_enemy", "level_with_mass"});
    CHECK(feature_names(start(), "d1-d3") == Names{"quiet", "from_edge", "to_ring_3", "splits", "toward_mass"});
    CHECK(feature_names(start(), "b1-h1") ==
          Names{"quiet", "from_edge", "to_edge", "to_corner", "keeps", "away_from_mass"});
    auto position = at("8/5ww1/8/8/2w5/8/b1w5/3b3b b");
    CHECK_FALSE(feature_names(position, "a2xc2").contains("recapture"));
    play(position, {"a2xc2"});
    CHECK(feature_names(position, "c4xc2").contains("recapture"));
    position = at("7b/8/8/8/b7/5w2/w3ww2/7b b");
    CHECK(feature_names(position, "a4xa2").contains("connects_enemy"));
    CHECK(feature_names(position, "a4xa2").contains("captures_group"));
    position = at("w6w/8/8/8/3bb3/8/3b4/w6w b");
    CHECK(feature_names(position, "d2-e3") ==
          Names{"quiet", "from_ring_2", "to_ring_3", "joins", "connects", "toward_mass"});
}

TEST_CASE("loa: features of one group exclude each other, and each group but enemy_groups has one") {
    const auto& table = LinesOfAction::info().move_features;
    REQUIRE(table.size() <= 64);
    for (int seed = 0; seed < 60; ++seed) {
        const LinesOfAction position = wander(seed, 5 + seed % 40);
        MoveList list;
        position.generate(list);
        for (Move move : list) {
            const FeatureMask mask = position.move_features(move);
            std::map<std::string_view, int> roots;
            for (std::size_t i = 0; i < table.size(); ++i) {
                if (!(mask >> i & 1)) continue;
                if (table[i].parent.empty()) ++roots[table[i].group];
                for (std::size_t j = 0; j < table.size(); ++j)
                    if (table[j].symbol == table[i].parent) CHECK((mask >> j & 1) == 1);
            }
            CHECK(roots.size() == (LinesOfAction::is_capture(move) ? 6 : 5));
            for (const auto& [group, number] : roots) CHECK_MESSAGE(number == 1, group);
        }
    }
}

TEST_CASE("loa: the raw squares do not depend on the side to move") {
    const auto black = evaluation_features(start(), "squares");
    CHECK(black.size() == 65);
    CHECK(black.at("b1") == 1);
    CHECK(black.at("a2") == -1);
    CHECK(black.at("a1") == 0);
    CHECK(black.at("side_to_move") == 1);
    auto position = start();
    position.push_null();
    const auto white = evaluation_features(position, "squares");
    CHECK(white.at("b1") == 1);
    CHECK(white.at("side_to_move") == -1);
}

TEST_CASE("loa: feature sets of squares see each side's start rows as ranks 1 and 8") {
    for (std::string_view set : {"material", "quarter_board", "half_board", "full_board"})
        for (const auto& [name, value] : evaluation_features(start(), set)) CHECK_MESSAGE(value == 0, name);
    CHECK(evaluation_features(at("8/8/8/8/8/w7/8/2b5 b"), "full_board").at("piece_c1") == 0);  // a3 is White's c1
    CHECK(evaluation_features(at("w7/8/8/8/8/8/8/2b5 b"), "full_board").at("piece_c1") == 1);
    CHECK(evaluation_features(start(), "quarter_board").size() == 16);
    CHECK(evaluation_features(start(), "half_board").size() == 32);
    CHECK(evaluation_features(start(), "full_board").size() == 64);
}

TEST_CASE("loa: features are those of the turned board with the colours swapped") {
    for (int seed = 0; seed < 100; ++seed) {
        const LinesOfAction position = wander(seed, seed % 60);
        const LinesOfAction turned = mapped(position, true, transposed);
        for (std::string_view set : {"material", "quarter_board", "half_board", "full_board", "mia"})
            CHECK(evaluation_features(position, set) == evaluation_features(turned, set));
    }
}

TEST_CASE("loa: the features of MIA are those of the mirrored board") {
    for (int seed = 0; seed < 100; ++seed) {
        const LinesOfAction position = wander(seed, seed % 60);
        const auto values = evaluation_features(position, "mia");
        CHECK(values == evaluation_features(mapped(position, false, mirrored), "mia"));
        CHECK(values == evaluation_features(mapped(position, false, flip_rank), "mia"));
        CHECK(values == evaluation_features(mapped(position, false, transposed), "mia"));
    }
}

TEST_CASE("loa: the features of MIA follow their definitions") {
    for (int seed = 0; seed < 300; ++seed) {
        const LinesOfAction position = wander(seed, seed % 80);
        const Side us = position.side(), them = other(us);
        const PlainFormation own(position, us), enemy(position, them);
        const auto values = evaluation_features(position, "mia");
        CHECK(values.at("concentration") == doctest::Approx(own.concentration - enemy.concentration));
        CHECK(values.at("centre_of_mass") == doctest::Approx(own.centre_of_mass - enemy.centre_of_mass));
        CHECK(values.at("quads") == own.quads - enemy.quads);
        CHECK(values.at("walls") == own.walls - enemy.walls);
        CHECK(values.at("mobility") == position.mobility(us) - position.mobility(them));
        if (!position.decided()) CHECK(position.mobility(us) == static_cast<int>(move_texts(position).size()));
        CHECK(values.at("side_to_move") == 1);
    }
    // A cluster of nine in the centre against two corners: the 3x3 holds four quads.
    const auto values = evaluation_features(at("w7/8/2bbb3/2bbb3/2bbb3/8/8/7w b"), "mia");
    CHECK(values.at("concentration") == doctest::Approx(1 - 2.0 / (2 + 8 - 1)));
    CHECK(values.at("centre_of_mass") == doctest::Approx(-0.5));
    CHECK(values.at("quads") == 4);
    CHECK(values.at("centralisation") == doctest::Approx((4 * 3 + 5 * 2) / 9.0));
    // a1 is shut in by b2, d1 by c2 d2 e2, but not h8.
    CHECK(evaluation_features(at("7w/8/8/8/8/8/1bbbb3/w2w4 b"), "mia").at("walls") == 2);
}

TEST_CASE("loa: the drawing says who is who") {
    CHECK(start().draw() ==
          "8 · ● ● ● ● ● ● ·\n7 ○ · · · · · · ○\n6 ○ · · · · · · ○\n5 ○ · · · · · · ○\n4 ○ · · · · · · ○\n"
          "3 ○ · · · · · · ○\n2 ○ · · · · · · ○\n1 · ● ● ● ● ● ● ·\n  a b c d e f g h\n● Black to move");
}

TEST_CASE("loa: noisy moves are the captures that form or destroy connections") {
    std::size_t captures = 0, found = 0;
    for (int seed = 0; seed < 200; ++seed) {
        const LinesOfAction position = wander(seed, seed % 60);
        MoveList legal, noisy, expected;
        position.generate(legal);
        position.generate_noisy(noisy);
        const Side us = position.side(), them = other(us);
        for (Move move : legal) {
            if (!LinesOfAction::is_capture(move)) continue;
            ++captures;
            LinesOfAction after = position;
            after.push(move);
            if (after.groups(us) < position.groups(us) || after.groups(them) > position.groups(them))
                expected.add(move);
        }
        CHECK(std::ranges::is_permutation(noisy, expected));
        found += noisy.size();
    }
    CHECK(found > 0);
    CHECK(found < captures);
}

TEST_CASE("loa: a null move leaves the moves of the other side") {
    LinesOfAction position = at("8/5ww1/8/8/2w5/8/b1w5/3b3b b");
    MoveList noisy;
    position.generate_noisy(noisy);
    REQUIRE(noisy.size() == 1);
    CHECK(LinesOfAction::move_text(noisy[0]) == "a2xc2");
    CHECK(LinesOfAction::exchange(noisy[0]) == 100);
    CHECK(LinesOfAction::exchange(*position.parse_move("h1-h2")) == 0);
    const std::string before = position.fen();
    position.push_null();
    CHECK(position.side() == second);
    MoveList replies;
    position.generate_noisy(replies);
    CHECK(std::ranges::none_of(replies,
                               [&](Move move) { return position.pieces(second) & bit(LinesOfAction::to(move)); }));
    position.pop();
    CHECK(position.fen() == before);
}
