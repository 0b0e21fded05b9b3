#include <doctest/doctest.h>

#include "games/breakthrough.hpp"
#include "perft.hpp"

using namespace plypilot;

TEST_CASE("breakthrough perft equals the published counts") {
    auto start = Breakthrough::from_fen(Breakthrough::info().start_fen);
    CHECK(perft(start, 4) == 256036);
    CHECK(perft(start, 5) == 6182818);
    // A late position of Fairy-Stockfish's own perft suite, and its count.
    auto late = Breakthrough::from_fen("1p2pp1p/2p2ppp/2P5/8/8/3P2P1/1p1P2PP/1PP1PP1P w");
    CHECK(perft(late, 4) == 121264);
}

TEST_CASE("breakthrough ends by arriving and by taking the last piece") {
    auto position = Breakthrough::from_fen("4/P2p/4/4 w");
    position.push(Move{static_cast<std::uint16_t>(16 | 24 << 6)});  // a3-a4
    CHECK(outcome(position) == Outcome::win(first, "breakthrough"));
    CHECK_FALSE(has_move(position));
    position.pop();
    CHECK_FALSE(outcome(position));
    CHECK(outcome(Breakthrough::from_fen("4/4/1p2/4 w")) == Outcome::win(second, "no pieces left"));
}

TEST_CASE("a breakthrough null move passes the turn and is taken back") {
    auto position = Breakthrough::from_fen(Breakthrough::info().start_fen);
    const Key key = position.key();
    position.push_null();
    CHECK(position.side() == second);
    CHECK(position.key() == Breakthrough::from_fen("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b").key());
    position.pop();
    CHECK(position.key() == key);
}
