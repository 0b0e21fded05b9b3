#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "games/chess.hpp"
#include "perft.hpp"

using namespace plypilot;

namespace {

constexpr std::string_view kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

Chess at(std::string_view fen) { return Chess::from_fen(fen); }
Chess start() { return at(Chess::info().start_fen); }

void play(Chess& position, std::initializer_list<std::string_view> moves) {
    for (std::string_view text : moves) {
        const auto move = position.parse_move(text);
        REQUIRE_MESSAGE(move, text);
        position.push(*move);
    }
}

using Texts = std::set<std::string>;

Texts sans(const Chess& position) {
    MoveList list;
    position.generate(list);
    Texts texts;
    for (Move move : list) texts.insert(position.san(move));
    return texts;
}

/// The castlings among the legal moves, in SAN.
Texts castlings(std::string_view fen) {
    Texts found;
    for (const std::string& text : sans(at(fen)))
        if (text[0] == 'O') found.insert(text);
    return found;
}

std::string san(std::string_view fen, std::string_view move) { return at(fen).san(*at(fen).parse_move(move)); }

/// The UCI text of the move that a text names, or empty.
std::string parsed(const Chess& position, std::string_view text) {
    const auto move = position.parse_move(text);
    return move ? Chess::move_text(*move) : "";
}

/// The names of the features that a move has.
std::set<std::string_view> feature_names(const Chess& position, std::string_view text) {
    const auto move = position.parse_move(text);
    REQUIRE_MESSAGE(move, text);
    const FeatureMask mask = position.move_features(*move);
    std::set<std::string_view> names;
    const auto& table = Chess::info().move_features;
    for (std::size_t i = 0; i < table.size(); ++i)
        if (mask >> i & 1) names.insert(table[i].name);
    return names;
}

using Names = std::set<std::string_view>;

/// The values of a set's features that are not zero.
std::map<std::string, float> evaluation_features(const Chess& position, std::string_view name) {
    const auto& sets = Chess::info().feature_sets;
    const auto set = std::ranges::find(sets, name, &FeatureSet::name);
    REQUIRE(set != sets.end());
    FeatureVector vector(set->features.size());
    position.features(static_cast<int>(set - sets.begin()), vector);
    std::map<std::string, float> values;
    for (std::size_t i = 0; i < set->features.size(); ++i)
        if (vector.values()[i] != 0) values[set->features[i]] = vector.values()[i];
    return values;
}

std::string refusal(std::string_view fen) {
    try {
        at(fen);
    } catch (const PositionError& error) {
        return error.what();
    }
    return "accepted";
}

/// Published counts of a position, from depth 1.
struct Line {
    std::string_view fen;
    std::vector<std::uint64_t> nodes;
};

void check_perft(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        Chess position = at(line.fen);
        for (std::size_t depth = 1; depth <= line.nodes.size(); ++depth) {
            CAPTURE(line.fen);
            CAPTURE(depth);
            CHECK(perft(position, static_cast<int>(depth)) == line.nodes[depth - 1]);
        }
        CHECK(perft(position, 3, Bulk::no) == line.nodes[2]);
        CHECK(position.fen() == line.fen);
    }
}

/// Calls visit(position, move) for every move of a tree.
template <class Visit>
void visit_tree(Chess& position, int depth, const Visit& visit) {
    MoveList list;
    position.generate(list);
    for (Move move : list) {
        visit(position, move);
        if (depth == 1) continue;
        position.push(move);
        visit_tree(position, depth - 1, visit);
        position.pop();
    }
}

}  // namespace

TEST_CASE("chess: perft equals the published counts") {
    check_perft({
        {Chess::info().start_fen, {20, 400, 8902, 197281, 4865609}},
        {kiwipete, {48, 2039, 97862, 4085603}},
        {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", {14, 191, 2812, 43238, 674624}},
        {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", {6, 264, 9467, 422333}},
        {"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", {6, 264, 9467, 422333}},
        {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", {44, 1486, 62379, 2103487}},
        {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", {46, 2079, 89890, 3894594}},
        {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", {24, 496, 9483, 182838}},
    });
}

TEST_CASE("chess: perft of Chess960 equals the published counts") {
    check_perft({
        {"r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", {23, 522, 12333, 285754}},
        {"r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1", {28, 738, 20218, 541480}},
        {"8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1", {34, 318, 9002, 118388}},
        {"2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1", {17, 242, 3931, 57700}},
        {"4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", {19, 628, 12858, 405636}},
        {"r2r3k/p7/3p4/8/8/P6P/8/R3K2R b KQq - 0 1", {14, 206, 3672, 64639, 1320962}},
        {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9", {21, 528, 12189, 326672}},
        {"b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w KQ - 1 9", {20, 479, 10471, 273318}},
    });
}

TEST_CASE("chess: every move leaves a sound position behind") {
    for (std::string_view fen : {kiwipete, std::string_view("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
                                 std::string_view("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
                                 std::string_view("1rk2r2/p1p4p/8/7b/7B/8/P6P/1RR1K1RR w GCkq - 0 1"),
                                 std::string_view("8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1")}) {
        Chess root = at(fen);
        visit_tree(root, 3, [](Chess& position, Move move) {
            const bool check = position.gives_check(move);
            const auto victim = position.captured(move);
            const int pieces_before = count(position.occupied());
            CHECK(position.is_capture(move) == (victim != Chess::none));
            const Key before = position.key();
            position.push(move);
            CHECK(position.in_check() == check);
            MoveCounter replies;
            position.generate(replies);
            CHECK(has_move(position) == (replies.size() != 0));
            CHECK(count(position.occupied()) == pieces_before - (victim != Chess::none));
            const Chess again = at(position.fen());  // which also refuses a king left in check
            CHECK(again.key() == position.key());
            CHECK(again.fen() == position.fen());
            position.pop();
            CHECK(position.key() == before);
        });
    }
}

TEST_CASE("chess: a null move passes, forgets en passant and is taken back") {
    Chess position = at("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    const Key key = position.key();
    position.push_null();
    CHECK(position.fen() == "4k3/8/8/8/3pP3/8/8/4K3 w - - 1 2");
    CHECK(position.key() == at(position.fen()).key());
    position.pop();
    CHECK(position.fen() == "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    CHECK(position.key() == key);
}

TEST_CASE("chess: the en passant square counts only while the capture is legal") {
    Chess position = start();
    play(position, {"e2e4"});
    CHECK(position.fen() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    CHECK(at("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").key() == position.key());

    position = start();
    play(position, {"e4", "a6", "e5", "d5"});
    CHECK(position.fen() == "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3");
    CHECK(sans(position).contains("exd6"));
    play(position, {"exd6"});
    CHECK(position.fen() == "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3");

    // Both pawns would leave the rank between king and queen.
    CHECK(at("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1").fen() == "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1");
    // The pawn that gives check may be captured in passing.
    CHECK(sans(at("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1")).contains("exd3"));
    // Of two pawns only the one that is not pinned may.
    CHECK(sans(at("2r1k3/8/8/2PpP3/8/8/8/2K5 w - d6 0 1")).contains("exd6"));
    CHECK_FALSE(sans(at("2r1k3/8/8/2PpP3/8/8/8/2K5 w - d6 0 1")).contains("cxd6"));
}

TEST_CASE("chess: castling needs rights, an empty way and safe squares for the king") {
    CHECK(castlings("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1") == Texts{"O-O", "O-O-O"});
    CHECK(castlings("r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1") == Texts{"O-O", "O-O-O"});
    CHECK(castlings("r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1") == Texts{"O-O-O"});
    CHECK(castlings("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1") == Texts{"O-O", "O-O-O"});  // b1 may be attacked
    CHECK(castlings("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1") == Texts{"O-O"});
    CHECK(castlings("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1") == Texts{"O-O-O"});
    CHECK(castlings("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1") == Texts{});
    CHECK(castlings("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1") == Texts{});

    Chess position = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    play(position, {"Rxa8+"});
    CHECK(position.fen() == "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 1");
    position.pop();
    play(position, {"e1c1", "0-0"});
    CHECK(position.fen() == "r4rk1/8/8/8/8/8/8/2KR3R w - - 2 2");
}

TEST_CASE("chess: in Chess960 king and rook pass each other, stay or change places") {
    const auto after = [](std::string_view fen, std::string_view move) {
        Chess position = at(fen);
        play(position, {move});
        CHECK(position.key() == at(position.fen()).key());
        return position.fen();
    };
    CHECK(after("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", "O-O") == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    CHECK(after("4k3/8/8/8/8/8/8/6KR w K - 0 1", "O-O") == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");     // the king stays
    CHECK(after("4k3/8/8/8/8/8/8/3RK3 w Q - 0 1", "O-O-O") == "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");  // the rook stays
    CHECK(after("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", "O-O-O") == "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    CHECK(after("r6k/8/8/8/8/8/8/1K6 b q - 0 1", "O-O-O") == "2kr4/8/8/8/8/8/8/1K6 w - - 1 2");
    CHECK(after("1k5r/8/8/8/8/8/8/4K3 b k - 0 1", "O-O") == "5rk1/8/8/8/8/8/8/4K3 w - - 1 2");

    CHECK(castlings("4k3/8/8/8/8/8/8/1KB4R w K - 0 1") == Texts{});   // the king's way
    CHECK(castlings("4k3/8/8/8/8/8/8/RB3K2 w Q - 0 1") == Texts{});   // the rook's way
    CHECK(castlings("3rk3/8/8/8/8/8/8/1K5R w K - 0 1") == Texts{});   // d1 is attacked
    CHECK(castlings("1r2k3/8/8/8/8/8/8/1K5R w K - 0 1") == Texts{});  // in check
    CHECK(castlings("4k3/8/8/8/8/8/8/rR2K3 w Q - 0 1") == Texts{});   // the rook is pinned
    CHECK(castlings("4k3/8/8/8/8/8/8/nR2K3 w Q - 0 1") == Texts{"O-O-O"});
    CHECK(castlings("4k3/8/8/8/8/8/8/RK2B2r w Q - 0 1") == Texts{"O-O-O"});  // another piece is pinned
}

TEST_CASE("chess: castling rights name the outermost rook by its wing, another by its file") {
    const auto rights = [](const std::string& field) {
        const std::string board = "1r2k1rr/8/8/8/8/8/8/RR2K1RR w ";
        return at(board + field + " - 0 1").fen().substr(board.size(), field.size());
    };
    CHECK(rights("KQkq") == "KQkq");
    CHECK(rights("HAhb") == "KQkq");
    CHECK(rights("GBgb") == "GBgq");
    CHECK(rights("bgAG") == "GQgq");
    CHECK(at("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1").key() != at("4k3/8/8/8/8/8/8/RR2K3 w A - 0 1").key());

    // Another rook comes to stand beyond the one that may castle, and is captured there.
    Chess position = at("4k2r/8/8/8/8/7R/8/4K1R1 w K - 0 1");
    play(position, {"Rhh1"});
    CHECK(position.fen() == "4k2r/8/8/8/8/8/8/4K1RR b G - 1 1");
    play(position, {"Rxh1"});
    CHECK(position.fen() == "4k3/8/8/8/8/8/8/4K1Rr w K - 0 2");
    play(position, {"Rxh1"});
    CHECK(position.fen() == "4k3/8/8/8/8/8/8/4K2R b - - 0 2");
    CHECK(position.key() == at(position.fen()).key());
}

TEST_CASE("chess: castling from other squares is written as the king taking his rook") {
    const auto texts = [](std::string_view fen) {
        Texts found;
        for (std::string_view san : {"O-O", "O-O-O"}) found.insert(parsed(at(fen), san));
        return found;
    };
    CHECK(texts("r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1") == Texts{"e8g8", "e8c8"});
    CHECK(texts("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1") == Texts{"f1h1", "f1a1"});
    CHECK(texts("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1") == Texts{"e1g1", "e1b1"});
    CHECK(parsed(at("r3k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1"), "e1h1") == "e1g1");
    CHECK(parsed(at("4k3/8/8/8/8/8/8/5K1R w K - 0 1"), "f1g1") == "f1g1");  // a step
    CHECK(sans(at("4k3/8/8/8/8/8/8/5K1R w K - 0 1")).contains("Kg1"));
    CHECK(feature_names(at("5k2/8/8/8/8/8/8/6KR w K - 0 1"), "O-O+") ==
          Names{"moves_king", "to_own_half", "to_rank_1_2", "check", "castling"});
    // The king attacks from where he arrives.
    CHECK(feature_names(at("4k3/8/8/8/8/8/5n2/5K1R w K - 0 1"), "O-O").contains("attacks_knight"));
}

TEST_CASE("chess: the starts of Chess960 have numbers") {
    CHECK(Chess::start_fen("518") == Chess::info().start_fen);
    CHECK(Chess::start_fen("0") == "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    CHECK(Chess::start_fen("959") == "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1");
    std::set<std::string> starts;
    for (int number = 0; number < 960; ++number) {
        const auto fen = *Chess::start_fen(std::to_string(number));
        CHECK(at(fen).fen() == fen);
        starts.insert(fen);
    }
    CHECK(starts.size() == 960);
    for (std::string_view variant : {"", "960", "-1", "007", "5x5", "1 ", "99999999999"})
        CHECK_FALSE(Chess::start_fen(variant));
}

TEST_CASE("chess: the game ends") {
    const auto end = [](std::string_view fen) { return outcome(at(fen)); };
    CHECK(end("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3") == Outcome::win(second, "checkmate"));
    CHECK(end("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1") == Outcome::draw("stalemate"));
    CHECK_FALSE(end("7k/8/5K2/8/8/8/8/R7 b - - 99 90"));
    CHECK(end("7k/8/5K2/8/8/8/8/R7 b - - 100 90") == Outcome::draw("fifty moves"));
    CHECK(end("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90") == Outcome::win(first, "checkmate"));

    const std::string_view dead = "dead position";
    CHECK(end("4k3/8/8/8/8/8/8/4K3 w - - 0 1") == Outcome::draw(dead));
    CHECK(end("4k3/8/8/8/8/8/8/4KN2 w - - 0 1") == Outcome::draw(dead));
    CHECK(end("4kb2/8/8/8/8/8/8/4K3 w - - 0 1") == Outcome::draw(dead));
    CHECK(end("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1") == Outcome::draw(dead));  // both on dark squares
    CHECK_FALSE(end("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1"));
    CHECK_FALSE(end("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1"));
    CHECK_FALSE(end("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1"));
    CHECK_FALSE(end("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    CHECK(has_move(at("4k3/8/8/8/8/8/8/4K3 w - - 0 1")));
    CHECK_FALSE(has_move(at("7k/5K2/8/8/8/3Q4/8/8 b - - 0 1")));    // stalemate
    CHECK_FALSE(has_move(at("7k/5K2/8/8/8/3Q4/p7/B7 b - - 0 1")));  // a blocked pawn
    CHECK_FALSE(has_move(at("6rk/5Npp/8/8/8/8/8/4K3 b - - 0 1")));  // smothered, though pawns could step
}

TEST_CASE("chess: the third occurrence of a position is a draw") {
    Chess position = start();
    play(position, {"Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"});
    CHECK_FALSE(outcome(position));
    play(position, {"Ng8"});
    CHECK(outcome(position) == Outcome::draw("threefold repetition"));
    position.pop();
    CHECK_FALSE(outcome(position));

    // The first occurrence had a right to castle that the others lack.
    position = at("4k3/8/8/8/8/8/7p/4K2R w K - 0 1");
    play(position, {"Kf1", "Kf8", "Ke1", "Ke8", "Kf1", "Kf8", "Ke1", "Ke8"});
    CHECK_FALSE(outcome(position));
    play(position, {"Kf1"});
    CHECK(outcome(position) == Outcome::draw("threefold repetition"));
}

TEST_CASE("chess: SAN tells moves apart by file, rank or both") {
    CHECK(san("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1") == "Rd1");
    CHECK(san("4k3/8/8/8/8/4K3/8/R6R w - - 0 1", "a1d1") == "Rad1");
    CHECK(san("4k3/R7/8/8/8/8/R7/4K3 w - - 0 1", "a2a4") == "R2a4");
    CHECK(san("2k5/8/8/8/4Q2Q/8/K7/7Q w - - 0 1", "h4e1") == "Qh4e1");
    CHECK(san("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2") == "Ne2");  // the other knight is pinned
    CHECK(san("3r2k1/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8q") == "cxd8=Q+");
    CHECK(san("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8") == "Ra8#");
    CHECK(san("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7") == "Qxf7#");
    CHECK(san("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1") == "O-O-O+");
    CHECK(san("8/8/8/8/8/8/8/4RK1k w Q - 0 1", "f1e1") == "O-O-O+");  // over the squares that both have left
}

TEST_CASE("chess: moves are read in UCI and in SAN, strict or loose") {
    const Chess position = at("r3k3/1P6/8/3pP3/8/2N5/8/R3K1N1 w Q d6 0 1");
    for (std::string_view text : {"b7a8q", "bxa8=Q+", "bxa8=Q", "bxa8Q", "ba8=Q!?", "b7xa8=Q"})
        CHECK(parsed(position, text) == "b7a8q");
    for (std::string_view text : {"exd6", "e5d6", "exd6!!", "ed6"}) CHECK(parsed(position, text) == "e5d6");
    for (std::string_view text : {"O-O-O", "0-0-0", "O-O-O+", "e1c1"}) CHECK(parsed(position, text) == "e1c1");
    for (std::string_view text : {"Nge2", "N1e2", "Ng1e2", "g1e2"}) CHECK(parsed(position, text) == "g1e2");
    for (std::string_view text :
         {"",     "N",    "x", "Ne2", "d6",  "b8",       "bxa8=K", "bxa8", "O-O", "e9",      "Ke8",
          "0000", "a1a1", "Q", "=Q",  "8=Q", "Nxe2e2e2", "e5d6q",  "Kc1",  "++",  "\xff\xfe"}) {
        CAPTURE(text);
        CHECK(parsed(position, text) == "");
    }
}

TEST_CASE("chess: faulty position strings are refused by field") {
    CHECK(refusal("8/8/8/8/8/8/8/4K3 w - - 0 1") == "fen: board has 0 black kings, expected 1");
    CHECK(refusal("4k3/8/8/8/8/8/8/3KK3 w - - 0 1") == "fen: board has 2 white kings, expected 1");
    CHECK(refusal("4k3/8/8/8/8/8/8/P3K3 w - - 0 1") == "fen: rank 1 has a pawn");
    CHECK(refusal("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1") == "fen: board has 9 white pawns, expected at most 8");
    CHECK(refusal("4k3/8/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1").starts_with("fen: side to move is white"));
    CHECK(refusal("4k3/8/8/8/8/7Q/QQQQQQQQ/QQQQKQQQ b - - 0 1") ==
          "fen: board has 17 white pieces, expected at most 16");
    CHECK(refusal("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1") == "fen: side to move is white, but the black king is in check");
    CHECK(refusal("8/8/8/8/8/8/4k3/4K3 w - - 0 1").starts_with("fen: side to move is white"));
    CHECK(refusal("4k3/8/8/8/8/8/8/4Kx2 w - - 0 1").starts_with("fen: rank 1 has the piece \"x\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/R3K3 w K - 0 1") ==
          "fen: castling is \"K\", but for \"K\" the white king is not on rank 1 or has no such rook there");
    CHECK(refusal("r6r/4k3/8/8/8/8/8/4K3 w k - 0 1") ==
          "fen: castling is \"k\", but for \"k\" the black king is not on rank 8 or has no such rook there");
    CHECK(refusal("r6r/4k3/8/8/8/8/8/4K3 w h - 0 1").starts_with("fen: castling is \"h\", but for \"h\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/R3K3 w AB - 0 1").starts_with("fen: castling is \"AB\", but for \"B\""));
    CHECK(refusal("r3k2r/8/8/8/8/8/8/4K3 w qq - 0 1") ==
          "fen: castling is \"qq\", which names a side of the black king twice");
    CHECK(refusal("4k3/8/8/8/8/8/8/4K1RR w KG - 0 1").ends_with("which names a side of the white king twice"));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K1RR w K1 - 0 1") ==
          "fen: castling is \"K1\", expected \"-\", letters of KQkq or files of rooks");
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w - e4 0 1").starts_with("fen: en passant square is \"e4\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w - e6 0 1") ==
          "fen: en passant square is \"e6\", but no black pawn can have passed it");
    CHECK(refusal("4k3/4p3/8/4pP2/8/8/8/4K3 w - e6 0 1").starts_with("fen: en passant square is \"e6\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w - - -1 1").starts_with("fen: halfmove clock is \"-1\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w - - 0 0").starts_with("fen: fullmove number is \"0\""));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w -").starts_with("fen: has 3 fields"));
    CHECK(refusal("4k3/8/8/8/8/8/8/4K3 w - -") == "accepted");
    CHECK(at("r3k2r/8/8/8/8/8/8/R3K2R b qkQK -").fen() == "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
}

TEST_CASE("chess: counters stop at their bounds, so that what is printed can be read") {
    Chess position = at("4k3/8/8/8/8/8/8/R3K3 b - - 9999 99999");
    play(position, {"Kd8", "Kd2"});
    CHECK(position.fen() == "3k4/8/8/8/8/8/3K4/R7 b - - 9999 99999");
}

TEST_CASE("chess: move features of Skowronski, table 4.6") {
    CHECK(feature_names(start(), "e2e4") == Names{"moves_pawn", "to_own_half", "to_rank_3_4"});
    Chess position = start();
    play(position, {"e4", "d5"});
    CHECK(feature_names(position, "exd5") ==
          Names{"moves_pawn", "to_far_half", "to_rank_5_6", "capture", "captures_pawn", "after_pawn"});
    play(position, {"exd5"});
    CHECK(feature_names(position, "Qxd5") == Names{"moves_queen", "attacks_pawn", "to_own_half", "to_rank_3_4",
                                                   "capture", "captures_pawn", "recapture", "after_pawn"});
    play(position, {"Qxd5"});
    CHECK(feature_names(position, "Nc3") ==
          Names{"moves_knight", "attacks_queen", "to_own_half", "to_rank_3_4", "after_queen"});
    // A capture of a piece that only moved there is no recapture.
    position = at("4k3/8/8/2p5/8/3P4/8/4K3 b - - 0 1");
    play(position, {"c4"});
    CHECK_FALSE(feature_names(position, "dxc4").contains("recapture"));
    play(position, {"Ke2", "Kd8"});
    CHECK(feature_names(position, "dxc4").contains("after_king"));
}

TEST_CASE("chess: move features of checks, replies, passed pawns, promotion and castling") {
    const auto has = [](std::string_view fen, std::string_view move, std::string_view name) {
        return feature_names(at(fen), move).contains(name);
    };
    // Direct check, discovered check (by a piece that attacks nothing itself), check by the castling rook.
    CHECK(feature_names(at("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), "Ra8+") ==
          Names{"moves_rook", "attacks_king", "to_far_half", "to_rank_7_8", "check"});
    CHECK(has("4k3/8/8/8/8/4N3/8/4RK2 w - - 0 1", "Nc2+", "check"));
    CHECK_FALSE(has("4k3/8/8/8/8/4N3/8/4RK2 w - - 0 1", "Nc2+", "attacks_king"));
    CHECK(feature_names(at("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1"), "O-O-O+") ==
          Names{"moves_king", "to_own_half", "to_rank_1_2", "check", "castling"});
    // En passant opens a line.
    CHECK(has("3k4/8/8/2pP4/8/8/8/K2R4 w - c6 0 1", "dxc6+", "check"));

    CHECK_FALSE(has("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "Kg8", "only_reply"));  // no check
    CHECK(has("R6k/8/5K2/8/8/8/8/8 b - - 0 1", "Kh7", "only_reply"));
    CHECK_FALSE(has("R6k/8/4K3/8/8/8/8/8 b - - 0 1", "Kh7", "only_reply"));  // g7 as well

    CHECK(has("4k3/8/8/P7/8/8/8/4K3 w - - 0 1", "a6", "passed_pawn"));
    CHECK_FALSE(has("4k3/8/8/8/P7/8/8/4K3 w - - 0 1", "a5", "passed_pawn"));
    CHECK_FALSE(has("4k3/1p6/8/P7/8/8/8/4K3 w - - 0 1", "a6", "passed_pawn"));
    CHECK(has("4k3/8/1p6/P7/8/8/8/4K3 w - - 0 1", "a6", "passed_pawn"));  // no longer ahead of it
    CHECK_FALSE(has("4k3/8/8/8/7p/8/6P1/4K3 b - - 0 1", "h3", "passed_pawn"));
    CHECK(has("4k3/8/8/8/7p/8/5P2/4K3 b - - 0 1", "h3", "passed_pawn"));

    CHECK(has("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", "to_queen"));
    CHECK(has("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "underpromotion"));
    CHECK(has("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "promotion"));
    CHECK(has("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "moves_pawn"));
    CHECK_FALSE(has("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "passed_pawn"));
}

TEST_CASE("chess: evaluation features have Smith's sizes and are own minus the opponent's") {
    std::map<std::string_view, std::size_t> sizes;
    for (const FeatureSet& set : Chess::info().feature_sets) sizes[set.name] = set.features.size();
    for (std::string_view other : {"baseline", "squares", "board", "last_move"}) sizes.erase(other);
    CHECK(sizes == std::map<std::string_view, std::size_t>{{"material", 5},
                                                           {"pawn_ranks", 6},
                                                           {"ranks_rings", 22},
                                                           {"quarter_board", 88},
                                                           {"half_board", 152},
                                                           {"full_board", 304}});
    CHECK(evaluation_features(start(), "full_board").empty());
    const Chess position = at("4k3/3q4/8/8/4N3/8/P6P/4K3 w - - 0 1");
    CHECK(evaluation_features(position, "material") ==
          std::map<std::string, float>{{"pawn", 2}, {"knight", 1}, {"queen", -1}});
    CHECK(evaluation_features(position, "ranks_rings") ==
          std::map<std::string, float>{{"pawn_rank_2", 2}, {"knight_ring_4", 1}, {"queen_ring_2", -1}});
    CHECK(evaluation_features(position, "pawn_ranks") == std::map<std::string, float>{{"pawn_rank_2", 2}});
    CHECK(evaluation_features(position, "half_board") ==
          std::map<std::string, float>{{"pawn_a2", 2}, {"knight_d4", 1}, {"queen_d2", -1}});
    CHECK(evaluation_features(at("4k3/3q4/8/8/4N3/8/P6P/4K3 b - - 0 1"), "full_board") ==
          std::map<std::string, float>{{"pawn_a2", -1}, {"pawn_h2", -1}, {"knight_e4", -1}, {"queen_d2", 1}});
}

TEST_CASE("chess: the board is drawn") {
    Chess position = start();
    play(position, {"e4"});
    CHECK(position.draw() ==
          "8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n"
          "7 ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟\n"
          "6 · · · · · · · ·\n"
          "5 · · · · · · · ·\n"
          "4 · · · · ♙ · · ·\n"
          "3 · · · · · · · ·\n"
          "2 ♙ ♙ ♙ ♙ · ♙ ♙ ♙\n"
          "1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖\n"
          "  a b c d e f g h\n"
          "Black to move");
}
