// Promises of the members that games have for the search: moves in two stages, and features of moves read together.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "games/breakthrough.hpp"
#include "games/chess.hpp"
#include "games/loa.hpp"
#include "games/shogi.hpp"

using namespace plypilot;

namespace {

/// Calls judge(position, legal moves, random) on the positions of random games. Captures are preferred now and then, so
/// that games get to open positions.
template <class P, class Judge>
void visit_random_positions(std::string_view fen, unsigned games, Judge judge) {
    std::mt19937_64 random(11);
    for (unsigned game = 0; game < games; ++game) {
        P position = P::from_fen(fen);
        for (int ply = 0; ply < 160 && !outcome(position); ++ply) {
            MoveList legal;
            position.generate(legal);
            judge(position, legal, random);
            Move move = legal[random() % legal.size()];
            for (int tries = 0; tries < 3 && !position.is_tactical(move); ++tries)
                move = legal[random() % legal.size()];
            position.push(move);
        }
    }
}

std::vector<Move> moves_of(const MoveList& list) { return {list.begin(), list.end()}; }

template <class P>
void check_stages(std::string_view fen = P::info().start_fen) {
    int tactical_moves = 0, quiet_moves = 0;
    visit_random_positions<P>(fen, 60, [&](const P& position, const MoveList& legal, auto&) {
        MoveList tactical, quiet, expected_tactical, expected_quiet;
        position.generate_tactical(tactical);
        position.generate_quiet(quiet);
        for (Move move : legal) (position.is_tactical(move) ? expected_tactical : expected_quiet).add(move);
        REQUIRE(moves_of(tactical) == moves_of(expected_tactical));
        REQUIRE(moves_of(quiet) == moves_of(expected_quiet));
        tactical_moves += static_cast<int>(tactical.size());
        quiet_moves += static_cast<int>(quiet.size());
    });
    CHECK(tactical_moves > 1000);
    CHECK(quiet_moves > 1000);
}

template <class P>
void check_playable(std::string_view fen = P::info().start_fen) {
    int legal_moves = 0;
    visit_random_positions<P>(fen, 60, [&](const P& position, const MoveList& legal, auto&) {
        std::vector<Move> playable;
        for (std::size_t bits = 1; bits < P::move_slots; ++bits) {
            const Move move{static_cast<std::uint16_t>(bits)};
            if (position.is_playable(move)) playable.push_back(move);
        }
        auto expected = moves_of(legal);
        std::sort(expected.begin(), expected.end(), [](Move a, Move b) { return a.bits < b.bits; });
        REQUIRE(playable == expected);
        legal_moves += static_cast<int>(legal.size());
    });
    CHECK(legal_moves > 10'000);
}

template <class P>
void check_readers(std::string_view fen = P::info().start_fen) {
    const std::size_t features = P::info().move_features.size();
    const FeatureMask known = features == 64 ? ~FeatureMask{0} : (FeatureMask{1} << features) - 1;
    FeatureMask seen = 0;
    visit_random_positions<P>(fen, 40, [&](const P& position, const MoveList& legal, auto& random) {
        const FeatureMask wanted = random() & random() & (random() % 2 ? ~FeatureMask{0} : random());
        const FeatureMask single = FeatureMask{1} << random() % features;
        const typename P::FeatureReader all(position, ~FeatureMask{0}), some(position, wanted), one(position, single),
            none(position, 0);
        for (Move move : legal) {
            const FeatureMask mask = position.move_features(move);
            REQUIRE((mask & ~known) == 0);
            REQUIRE(all(move) == mask);
            REQUIRE(some(move) == (mask & wanted));
            REQUIRE(one(move) == (mask & single));
            REQUIRE(none(move) == 0);
            seen |= mask;
        }
    });
    CHECK(std::popcount(seen) >= static_cast<int>(features) - 1);  // nearly all features have been met
}

/// Whether a move has a feature, by its symbol.
template <class P>
bool has_feature(const P& position, Move move, std::string_view symbol) {
    const auto& table = P::info().move_features;
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].symbol == symbol) return position.move_features(move) >> i & 1;
    FAIL("no feature ", symbol);
    return false;
}

}  // namespace

TEST_CASE("tactical and quiet moves are the legal ones in two parts, in the same order: breakthrough") {
    check_stages<Breakthrough>();
    check_stages<Breakthrough>("ppppp/ppppp/5/5/5/PPPPP/PPPPP w");
}
TEST_CASE("tactical and quiet moves are the legal ones in two parts, in the same order: chess") {
    check_stages<Chess>();
    check_stages<Chess>("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    check_stages<Chess>("n1n1k3/PPP4p/8/4pP2/1pP5/8/4p1pp/3NKN1N w - e6 0 1");
}
TEST_CASE("tactical and quiet moves are the legal ones in two parts, in the same order: loa") {
    check_stages<LinesOfAction>();
}
TEST_CASE("tactical and quiet moves are the legal ones in two parts, in the same order: shogi") {
    check_stages<Shogi>();
    check_stages<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
}

TEST_CASE("of all moves that there could be, those are playable that are legal") {
    check_playable<Breakthrough>();
    check_playable<Breakthrough>("ppppp/ppppp/5/PPPPP/PPPPP w");
    check_playable<LinesOfAction>();
}

TEST_CASE("a reader gives the features that are wanted and no others: breakthrough") {
    check_readers<Breakthrough>();
    check_readers<Breakthrough>("ppppp/ppppp/5/5/5/PPPPP/PPPPP w");
}
TEST_CASE("a reader gives the features that are wanted and no others: chess") {
    check_readers<Chess>("n1n1k3/PPP4p/8/4pP2/1pP5/8/4p1pp/R3K2R w KQ e6 0 1");
    check_readers<Chess>("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
}
TEST_CASE("a reader gives the features that are wanted and no others: loa") { check_readers<LinesOfAction>(); }
TEST_CASE("a reader gives the features that are wanted and no others: shogi") {
    check_readers<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
}

TEST_CASE("chess: features of check and only reply are what the move does") {
    int checks = 0, only_replies = 0;
    visit_random_positions<Chess>("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 100,
                                  [&](Chess position, const MoveList& legal, auto&) {
                                      for (Move move : legal) {
                                          const bool check = has_feature(position, move, "Ch"),
                                                     only = has_feature(position, move, "Or");
                                          REQUIRE(only == (position.in_check() && legal.size() == 1));
                                          position.push(move);
                                          REQUIRE(check == position.in_check());
                                          position.pop();
                                          checks += check;
                                          only_replies += only;
                                      }
                                  });
    CHECK(checks > 1000);
    CHECK(only_replies > 10);
}

TEST_CASE("shogi: features of check and only reply are what the move does") {
    int checks = 0, only_replies = 0;
    visit_random_positions<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 100,
                                  [&](Shogi position, const MoveList& legal, auto&) {
                                      for (Move move : legal) {
                                          const bool check = has_feature(position, move, "Ch"),
                                                     only = has_feature(position, move, "Or");
                                          REQUIRE(only == (position.in_check() && legal.size() == 1));
                                          position.push(move);
                                          REQUIRE(check == position.in_check());
                                          position.pop();
                                          checks += check;
                                          only_replies += only;
                                      }
                                  });
    CHECK(checks > 1000);
    CHECK(only_replies > 10);
}

TEST_CASE("loa: features of groups are what the move does to them") {
    visit_random_positions<LinesOfAction>(
        LinesOfAction::info().start_fen, 150, [&](LinesOfAction position, const MoveList& legal, auto&) {
            const Side us = position.side(), them = other(us);
            const int own = position.groups(us), enemy = position.groups(them);
            for (Move move : legal) {
                const auto has = [&](std::string_view symbol) { return has_feature(position, move, symbol); };
                const bool joins = has("Jn"), splits = has("Sp"), keeps = has("Kp"), connects = has("Ja");
                const bool enemy_less = has("Ej"), enemy_more = has("Es"), enemy_same = has("Ek"),
                           enemy_one = has("Ea");
                const bool captures = LinesOfAction::is_capture(move);
                position.push(move);
                const int own_after = position.groups(us), enemy_after = position.groups(them);
                position.pop();
                REQUIRE(joins == (own_after < own));
                REQUIRE(splits == (own_after > own));
                REQUIRE(keeps == (own_after == own));
                REQUIRE(connects == (own_after == 1));
                REQUIRE(enemy_less == (captures && enemy_after < enemy));
                REQUIRE(enemy_more == (captures && enemy_after > enemy));
                REQUIRE(enemy_same == (captures && enemy_after == enemy));
                REQUIRE(enemy_one == (captures && enemy_after == 1));
            }
        });
}

TEST_CASE("breakthrough: features of moves follow their definitions, looked up square by square") {
    for (std::string_view variant : {"8x8", "6x5", "5x7", "4x4"}) {
        visit_random_positions<Breakthrough>(
            *Breakthrough::start_fen(variant), 25, [&](Breakthrough position, const MoveList& legal, auto&) {
                const Side us = position.side(), them = other(us);
                const int files = position.files(), ranks = position.ranks(), forward = us == first ? 1 : -1;
                Bitboard arrived = 0;  // where the opponent's last move ended
                if (position.ply()) {
                    Breakthrough before = position;
                    before.pop();
                    arrived = position.pieces(them) & ~before.pieces(them);
                }
                for (Move move : legal) {
                    const auto has = [&](std::string_view symbol) { return has_feature(position, move, symbol); };
                    const Square target = Breakthrough::to(move);
                    const int file = file_of(target), rank = rank_of(target);
                    const auto is_on_board = [&](int x, int y) { return x >= 0 && x < files && y >= 0 && y < ranks; };
                    const auto stands = [&](Side side, int x, int y) {
                        if (!is_on_board(x, y)) return false;
                        const Square square = square_at(x, y);
                        if (square == target) return side == us;
                        if (square == Breakthrough::from(move)) return false;
                        return (position.pieces(side) & bit(square)) != 0;
                    };
                    const bool safe =
                        !stands(them, file - 1, rank + forward) && !stands(them, file + 1, rank + forward);
                    bool passed = true;
                    for (int y = rank + forward; y >= 0 && y < ranks; y += forward)
                        for (int x = file - 1; x <= file + 1; ++x) passed &= !stands(them, x, y);
                    int around = 0, own_around = 0;
                    for (int x = file - 1; x <= file + 1; ++x) {
                        for (int y = rank - 1; y <= rank + 1; ++y) {
                            if ((x == file && y == rank) || !is_on_board(x, y)) continue;
                            ++around;
                            own_around += stands(us, x, y);
                        }
                    }
                    const bool faces = stands(them, file, rank + forward);
                    const double height = double(us == first ? rank : ranks - 1 - rank) / ranks;
                    const int margin = files / 4;
                    const bool captures = (position.pieces(them) & bit(target)) != 0;
                    REQUIRE(has("Ud") == safe);
                    REQUIRE(has("PP") == passed);
                    REQUIRE(has("C") == captures);
                    REQUIRE(has("Rc") == (captures && (arrived & bit(target))));
                    REQUIRE(has("Ms") == (2 * own_around > around));
                    REQUIRE(has("Rdb") == (height < 0.5));
                    REQUIRE(has("RdBb") == (height < 0.25));
                    REQUIRE(has("RdBt") == (height >= 0.25 && height < 0.5));
                    REQUIRE(has("Rdt") == (height >= 0.5));
                    REQUIRE(has("RdTb") == (height >= 0.5 && height < 0.75));
                    REQUIRE(has("RdTt") == (height >= 0.75));
                    REQUIRE(has("Edg") == (file < margin || file >= files - margin));
                    REQUIRE(has("Mr") != has("Edg"));
                    REQUIRE(has("Udp") == (safe && faces));
                    REQUIRE(has("Bv2") == (faces && stands(us, file, rank - forward)));
                }
            });
    }
}
