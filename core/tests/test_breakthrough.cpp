#include <doctest/doctest.h>

#include <algorithm>

#include "games/breakthrough.hpp"
#include "perft.hpp"

using namespace plypilot;

namespace {

Breakthrough at(std::string_view fen) { return Breakthrough::from_fen(fen); }

int exchange(const Breakthrough& position, std::string_view text) {
    MoveList list;
    position.generate(list);
    const auto move = std::ranges::find(list, text, Breakthrough::move_text);
    REQUIRE_MESSAGE(move != list.end(), text);
    return position.exchange(*move);
}

/// What the side to move gains by captures on a square, each side free to stop, by trying them.
int best_exchange(Breakthrough& position, Square square) {
    MoveList list;
    position.generate(list);
    int best = 0;
    for (Move move : list) {
        if (!Breakthrough::is_capture(move) || Breakthrough::to(move) != square) continue;
        position.push(move);
        best = std::max(best, Breakthrough::piece_value - best_exchange(position, square));
        position.pop();
    }
    return best;
}

}  // namespace

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

TEST_CASE("breakthrough: noisy moves are the captures and the moves that arrive") {
    for (std::string_view variant : {"8x8", "6x5", "5x7"}) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Breakthrough position = at(*Breakthrough::start_fen(variant));
            for (std::uint64_t ply = 0; ply < 80; ++ply) {
                MoveList legal, noisy, expected;
                position.generate(legal);
                position.generate_noisy(noisy);
                for (Move move : legal) {
                    const int last_rank = position.side() == first ? position.ranks() - 1 : 0;
                    if (Breakthrough::is_capture(move) || rank_of(Breakthrough::to(move)) == last_rank)
                        expected.add(move);
                }
                REQUIRE(std::ranges::is_permutation(noisy, expected));
                if (legal.empty()) break;
                position.push(legal[splitmix64(seed << 32 | ply) % legal.size()]);
            }
        }
    }
}

TEST_CASE("breakthrough: an exchange is counted to its end") {
    CHECK(exchange(at("7p/8/8/3p4/2P5/8/8/8 w"), "c4xd5") == 100);
    CHECK(exchange(at("7p/8/4p3/3p4/2P5/8/8/8 w"), "c4xd5") == 0);      // retaken
    CHECK(exchange(at("7p/8/4p3/3p4/2P1P3/8/8/8 w"), "c4xd5") == 100);  // and retaken once more
    CHECK(exchange(at("7p/8/2p1p3/3p4/2P1P3/8/8/8 w"), "c4xd5") == 0);  // as often as it is taken
    CHECK(exchange(at("7p/8/3p4/8/2P5/8/8/8 w"), "c4-c5") == -100);     // walks into a capture
    CHECK(exchange(at("7p/8/3p4/8/2P5/8/8/8 w"), "c4-d5") == 0);        // straight ahead nothing captures
    CHECK(exchange(at("7p/8/3p4/8/1PP5/8/8/8 w"), "c4-c5") == 0);       // guarded
    CHECK(exchange(at("8/8/8/8/8/1p6/P7/7P b"), "b3xa2") == 100);
    CHECK(exchange(at("7p/2P5/8/8/8/8/8/8 w"), "c7-c8") == Breakthrough::arrival_value);
    CHECK(exchange(at("8/8/8/8/8/8/1p6/P6P b"), "b2xa1") == Breakthrough::arrival_value);
}

TEST_CASE("breakthrough: the exchange count equals a minimax over the captures on the square") {
    int captures = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Breakthrough position = at(Breakthrough::info().start_fen);
        for (std::uint64_t ply = 0; ply < 60; ++ply) {
            MoveList legal;
            position.generate(legal);
            if (legal.empty()) break;
            for (Move move : legal) {
                const Square target = Breakthrough::to(move);
                if (rank_of(target) == 0 || rank_of(target) == 7) continue;  // arrivals end the game
                const int gain = Breakthrough::is_capture(move) ? Breakthrough::piece_value : 0;
                const int counted = position.exchange(move);
                position.push(move);
                if (!position.decided()) {
                    CHECK(counted == gain - best_exchange(position, target));
                    captures += gain != 0;
                }
                position.pop();
            }
            position.push(legal[splitmix64(seed << 32 | ply) % legal.size()]);
        }
    }
    CHECK(captures > 5000);
}

TEST_CASE("breakthrough: whole features are handed over as they stand on the board") {
    const Breakthrough position = at("8/3p4/8/2P5/3p4/2P5/8/8 w");  // d4 threatens c3, c5 threatens nothing
    const auto values = [&](int set) {
        FeatureVector vector(Breakthrough::info().feature_sets[set].features.size());
        position.features(set, vector);
        return vector.values();
    };
    CHECK(values(0) == std::vector<float>{0});
    CHECK(values(1) == std::vector<float>{0, -1, 1, 0, 0, 0, 0, 0});
    CHECK(values(5) == std::vector<float>{0, -1, 0, 0, 1, 0, 0, 0});
}
