#include <doctest/doctest.h>

#include "features.hpp"
#include "notation.hpp"

using namespace plypilot;

namespace {

std::string refusal(std::string_view field, int least, int most) {
    try {
        read_rows(field, least, most, most);
    } catch (const PositionError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("rows are read from the highest rank down") {
    const Rows rows = read_rows("1p2/4/4/P2+k", 4, 8, 8, true);
    CHECK(rows.files == 4);
    CHECK(rows.ranks == 4);
    REQUIRE(rows.pieces.size() == 3);
    CHECK((rows.pieces[0].file == 1 && rows.pieces[0].rank == 3 && rows.pieces[0].symbol == "p"));
    CHECK((rows.pieces[2].file == 3 && rows.pieces[2].rank == 0 && rows.pieces[2].symbol == "+k"));
}

TEST_CASE("rows that do not make a board are refused by rank") {
    CHECK(refusal("8/8/8/8/8/8/8/8", 8, 8) == "");
    CHECK(refusal("8/8/8/8/8/pppppppp1/8/8", 8, 8) == "fen: rank 3 has more than 8 squares, expected 8: \"pppppppp1\"");
    CHECK(refusal("8/8/8/8/8/7/8/8", 8, 8) == "fen: rank 3 has 7 squares, expected 8: \"7\"");
    CHECK(refusal("8/8/8/8/8/8/8", 8, 8) == "fen: board has 8 files and 7 ranks: \"8/8/8/8/8/8/8\"");
    CHECK(refusal("3/3/3", 4, 8) == "fen: board has 3 files and 3 ranks: \"3/3/3\"");
    CHECK(refusal("4/4/4/5", 4, 8) == "fen: rank 1 has 5 squares, expected 4: \"5\"");
    CHECK(refusal("", 4, 8) == "fen: board has 0 files and 1 ranks: \"\"");
    CHECK(refusal(std::string(100000, '/'), 4, 8).size() < 200);
}

TEST_CASE("numbers and sides are refused by name") {
    CHECK(read_number("12", "halfmove clock", 0, 100) == 12);
    CHECK_THROWS_WITH_AS(read_number("12x", "halfmove clock", 0, 100),
                         "fen: halfmove clock is \"12x\", expected a number from 0 to 100", PositionError);
    CHECK_THROWS_AS(read_number("99999999999999999999", "n", 0, 100), PositionError);
    CHECK_THROWS_AS(read_number("-1", "n", 0, 100), PositionError);
    CHECK_THROWS_AS(read_number("", "n", 0, 100), PositionError);
    CHECK(read_side("b", "wb") == second);
    CHECK_THROWS_WITH_AS(read_side("wb", "wb"), "fen: side to move is \"wb\", expected \"w\" or \"b\"", PositionError);
}

TEST_CASE("quoted text is one short printable line") {
    CHECK(quoted("a\nb\xff") == "\"a?b?\"");
    CHECK(quoted(std::string(500, 'x')).size() < 100);
}

TEST_CASE("folds share features between squares") {
    const auto size = [](Fold fold) { return make_square_set("", "", 1, 8, 8, 8, {{0, "p", fold}}).features.size(); };
    CHECK(size(Fold::none) == 64);
    CHECK(size(Fold::files) == 32);
    CHECK(size(Fold::quarter) == 16);
    CHECK(size(Fold::rank) == 8);
    CHECK(size(Fold::ring) == 4);
    CHECK(size(Fold::all) == 1);
    const SquareSet half = make_square_set("", "", 2, 8, 8, 8, {{1, "p", Fold::files, 1, 6}});
    CHECK(half.features.size() == 24);
    CHECK(half.at(0, 20) == -1);                                        // a kind without a rule
    CHECK(half.at(1, 0) == -1);                                         // a rank it cannot stand on
    CHECK(half.at(1, square_at(0, 3)) == half.at(1, square_at(7, 3)));  // mirrored files
    CHECK(half.features[half.at(1, square_at(7, 3))] == "p_a4");
    const SquareSet odd = make_square_set("", "", 1, 9, 9, 9, {{0, "p", Fold::quarter}});
    CHECK(odd.features.size() == 25);
}
