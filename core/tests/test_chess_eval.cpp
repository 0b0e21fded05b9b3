#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "eval/evaluator.hpp"
#include "games/chess.hpp"

using namespace plypilot;

namespace {

Chess at(std::string_view fen) { return Chess::from_fen(fen); }

int exchange(std::string_view fen, std::string_view text) {
    const Chess position = at(fen);
    const auto move = position.parse_move(text);
    REQUIRE_MESSAGE(move, text);
    return position.exchange(*move);
}

constexpr int pawn = Chess::exchange_values[Chess::pawn], knight = Chess::exchange_values[Chess::knight],
              bishop = Chess::exchange_values[Chess::bishop], rook = Chess::exchange_values[Chess::rook],
              queen = Chess::exchange_values[Chess::queen];

/// Calls judge on the positions of random games.
template <class Judge>
void visit_random_positions(unsigned games, Judge judge) {
    std::mt19937 random(7);
    for (unsigned game = 0; game < games; ++game) {
        Chess position = at(Chess::info().start_fen);
        for (int ply = 0; ply < 150 && !outcome(position); ++ply) {
            judge(position);
            MoveList list;
            position.generate(list);
            position.push(list[random() % list.size()]);
        }
    }
}

int baseline_number() {
    const auto& sets = Chess::info().feature_sets;
    const auto found = std::find_if(sets.begin(), sets.end(), [](const auto& set) { return set.name == "baseline"; });
    REQUIRE(found != sets.end());
    return static_cast<int>(found - sets.begin());
}

std::vector<float> features(const Chess& position) {
    FeatureVector vector(Chess::info().feature_sets[baseline_number()].features.size());
    position.features(baseline_number(), vector);
    return vector.values();
}

/// A feature of both phases together.
float feature(std::string_view fen, const std::string& name) {
    const auto& names = Chess::info().feature_sets[baseline_number()].features;
    const auto found = std::find(names.begin(), names.end(), name + "_mg");
    REQUIRE_MESSAGE(found != names.end(), name);
    const auto values = features(at(fen));
    const auto index = static_cast<std::size_t>(found - names.begin());
    return values[index] + values[index + 1];
}

/// The same position with sides swapped: board turned upside down, letters in the other case.
std::string swapped(const Chess& position) {
    std::string fen = position.fen(), board = fen.substr(0, fen.find(' ')), turned;
    for (std::size_t end = board.size();;) {
        const std::size_t slash = board.rfind('/', end - 1);
        const std::size_t begin = slash == board.npos ? 0 : slash + 1;
        turned += board.substr(begin, end - begin);
        if (slash == board.npos) break;
        turned += '/';
        end = slash;
    }
    for (char& c : turned) {
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
        else if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return turned + (position.side() == first ? " b - - 0 1" : " w - - 0 1");
}

}  // namespace

TEST_CASE("chess: noisy moves are the legal captures and promotions to a queen") {
    visit_random_positions(200, [](const Chess& position) {
        MoveList all, noisy;
        position.generate(all);
        position.generate_noisy(noisy);
        std::multiset<std::uint16_t> expected, found;
        for (Move move : all) {
            const bool is_lesser = Chess::is_promotion(move) && Chess::promoted(move) != Chess::queen;
            if (!is_lesser && (position.is_capture(move) || Chess::is_promotion(move))) expected.insert(move.bits);
        }
        for (Move move : noisy) found.insert(move.bits);
        CHECK_MESSAGE(found == expected, position.fen());
    });
    // In check, only captures of the piece that gives it, in passing too.
    MoveList list;
    at("4k3/8/8/8/3pP3/4K3/8/8 w - - 0 1").generate_noisy(list);
    CHECK(list.size() == 1);
    list.clear();
    at("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1").generate_noisy(list);
    CHECK(list.size() == 2);
}

TEST_CASE("chess: exchange counts what recaptures leave") {
    // Nothing recaptures.
    CHECK(exchange("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5") == pawn);
    CHECK(exchange("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5") == pawn);
    // A defended pawn is worth no knight, and equal pieces cancel out.
    CHECK(exchange("4k3/8/2p5/3p4/8/4N3/8/4K3 w - - 0 1", "Nxd5") == pawn - knight);
    CHECK(exchange("4k3/8/2p5/3n4/8/4N3/8/4K3 w - - 0 1", "Nxd5") == 0);
    // The cheapest first: pawn takes knight, and neither side gains by going on.
    CHECK(exchange("4k3/8/2p5/3n4/4P3/8/8/3RK3 w - - 0 1", "exd5") == knight);
    // Those behind on a line join in: rook behind rook, queen behind bishop, bishop behind pawn.
    CHECK(exchange("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5") == pawn - rook);
    CHECK(exchange("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5") == pawn);
    CHECK(exchange("4k3/5q2/4b3/3p4/2P5/1B6/Q7/4K3 w - - 0 1", "cxd5") == pawn);
    CHECK(exchange("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5") == pawn - knight);
    // A king takes only what nothing defends any more.
    CHECK(exchange("8/8/3k4/4p3/8/8/4R3/4K3 w - - 0 1", "Rxe5") == pawn - rook);
    CHECK(exchange("8/8/3k4/4p3/8/4R3/4R3/4K3 w - - 0 1", "Rxe5") == pawn);
    // In passing, with and without a pawn that takes back.
    CHECK(exchange("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6") == pawn);
    CHECK(exchange("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6") == 0);
    // Promotions, where they are taken back, and by a pawn that promotes as it takes.
    CHECK(exchange("8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e8=Q") == queen - pawn);
    CHECK(exchange("3r4/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e8=Q") == -pawn);
    CHECK(exchange("3r4/4P3/8/8/8/k7/8/4K3 w - - 0 1", "exd8=Q") == rook + queen - pawn);
    CHECK(exchange("k7/8/8/8/8/8/2p5/K2R2r1 w - - 0 1", "Rxg1") == rook);
    CHECK(exchange("k7/8/8/8/8/8/2p2n2/K2b3R w - - 0 1", "Rxd1") == bishop - rook - (queen - pawn));
    // Quiet moves and castling.
    CHECK(exchange("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O") == 0);
    CHECK(exchange("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Ra7") == 0);
}

TEST_CASE("chess: passing is allowed with pieces only") {
    CHECK(at(Chess::info().start_fen).may_pass());
    CHECK_FALSE(at("4k3/pppn4/8/8/8/8/PPP5/4K3 w - - 0 1").may_pass());
    CHECK(at("4k3/pppn4/8/8/8/8/PPP5/4K3 b - - 0 1").may_pass());
}

TEST_CASE("chess: baseline features have distinct names in pairs") {
    const auto& names = Chess::info().feature_sets[baseline_number()].features;
    CHECK(names.size() == 2 * chess::terms);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (std::size_t i = 0; i < names.size(); i += 2) {
        CHECK(names[i].ends_with("_mg"));
        CHECK(names[i].substr(0, names[i].size() - 3) == names[i + 1].substr(0, names[i + 1].size() - 3));
    }
}

TEST_CASE("chess: baseline features are the same with sides swapped, and change sign with the side to move") {
    const auto tempo = static_cast<std::size_t>(2 * chess::tempo);
    const auto unstoppable = static_cast<std::size_t>(2 * chess::passer_unstoppable);  // depends on who is to move
    visit_random_positions(100, [&](const Chess& position) {
        const auto values = features(position);
        CHECK_MESSAGE(values == features(at(swapped(position))), position.fen());
        if (position.in_check()) return;
        Chess passed = position;
        passed.push_null();
        const auto other_side = features(passed);
        bool changes_sign = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t term = i & ~std::size_t{1};
            if (term != tempo && term != unstoppable) changes_sign &= std::abs(values[i] + other_side[i]) < 1e-4f;
        }
        CHECK_MESSAGE(changes_sign, position.fen());
    });
}

TEST_CASE("chess: the evaluator weighs the baseline as the dot product does") {
    const auto size = Chess::info().feature_sets[baseline_number()].features.size();
    EvaluationSettings settings;
    settings.kind = EvaluationSettings::Kind::linear;
    std::mt19937 random(3);
    std::vector<float> weights(size);
    for (float& weight : weights) weight = (static_cast<float>(random() % 1600) - 800) / LinearTerm::fraction;
    settings.terms = {LinearTerm(baseline_number(), weights)};
    const Evaluator<Chess> evaluate(settings);
    visit_random_positions(50, [&](const Chess& position) {
        const auto values = features(position);
        double dot = 0;
        for (std::size_t i = 0; i < size; ++i) dot += double{weights[i]} * double{values[i]};
        CHECK_MESSAGE(std::abs(evaluate(position) - dot) < 1, position.fen());
    });
}

TEST_CASE("chess: baseline features say what their names promise") {
    // Pawns: c2 and c3 doubled, a4 isolated and passed, e5 protected and passed.
    constexpr std::string_view pawns = "4k3/6pp/8/4P3/P2P4/2P5/2P5/4K3 w - - 0 1";
    CHECK(feature(pawns, "pawn") == 3);
    CHECK(feature(pawns, "pawn_doubled") == 1);
    CHECK(feature(pawns, "pawn_isolated") == 1);
    CHECK(feature(pawns, "passer_rank_4") == 2);
    CHECK(feature(pawns, "passer_rank_5") == 1);
    CHECK(feature(pawns, "passer_protected") == 2);
    // The square rule: with the king to move he is in time, without he is not.
    CHECK(feature("8/8/8/P3k3/8/8/8/7K w - - 0 1", "passer_unstoppable") == 1);
    CHECK(feature("8/8/8/P3k3/8/8/8/7K b - - 0 1", "passer_unstoppable") == 0);
    CHECK(feature("8/8/8/P4k2/8/8/8/7K b - - 0 1", "passer_unstoppable") == -1);
    // Rooks on files and on the seventh rank.
    CHECK(feature("6k1/3R1ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "rook_open_file") == 2);
    CHECK(feature("6k1/3R1ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "rook_seventh") == 1);
    CHECK(feature("6k1/p4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "rook_half_open_file") == 1);
    // A knight that pawns hold and cannot chase away.
    CHECK(feature("4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight_outpost") == 1);
    CHECK(feature("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight_outpost") == 0);
    // Threats and loose pieces.
    CHECK(feature("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1", "threat_pawn_minor") == 1);
    CHECK(feature("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "hanging_piece") == 1);
    CHECK(feature("4k3/8/2p5/3n4/8/8/8/3RK3 w - - 0 1", "hanging_piece") == 0);
    // A castled king behind his pawns, and one on open files.
    constexpr std::string_view kings = "1k6/8/8/8/8/8/5PPP/6K1 w - - 0 1";
    CHECK(feature(kings, "shield_near") == 3);
    CHECK(feature(kings, "king_open_file") == -3);
    CHECK(feature(kings, "tempo") == 1);
}
