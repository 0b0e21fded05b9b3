#include <doctest/doctest.h>

#include <algorithm>
#include <map>

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

namespace {

/// The features of a set that are not 0, by name.
std::map<std::string, float> named_features(const Breakthrough& position, std::string_view set) {
    const auto& sets = Breakthrough::info().feature_sets;
    const auto found = std::ranges::find_if(sets, [&](const FeatureSet& other) { return other.name == set; });
    REQUIRE(found != sets.end());
    FeatureVector vector(found->features.size());
    position.features(static_cast<int>(found - sets.begin()), vector);
    std::map<std::string, float> named;
    for (std::size_t i = 0; i < found->features.size(); ++i)
        if (vector.values()[i] != 0) named[found->features[i]] = vector.values()[i];
    return named;
}

/// A board as letters seen from one side: '+' its own pieces, which move up, '-' the opponent's.
struct PlainBoard {
    int files, ranks;
    std::vector<std::string> rows;

    PlainBoard(const Breakthrough& position, Side side)
        : files(position.files()), ranks(position.ranks()), rows(ranks, std::string(files, '.')) {
        for (Side who : {first, second})
            for (int square = 0; square < 64; ++square)
                if (position.pieces(who) & bit(square)) {
                    const int rank = side == first ? rank_of(square) : ranks - 1 - rank_of(square);
                    rows[rank][file_of(square)] = who == side ? '+' : '-';
                }
    }
    char at(int file, int rank) const {
        return file < 0 || file >= files || rank < 0 || rank >= ranks ? '#' : rows[rank][file];
    }
    bool has(int file, int rank, char what) const { return at(file, rank) == what; }
    int threats(int file, int rank) const { return has(file - 1, rank + 1, '-') + has(file + 1, rank + 1, '-'); }
    int guards(int file, int rank) const { return has(file - 1, rank - 1, '+') + has(file + 1, rank - 1, '+'); }
    /// Moves and waits of a piece from here to a square of the last rank, all paths tried.
    int path(int file, int rank, int goal) const {
        if (rank == ranks - 1) return file == goal ? 0 : 99;
        int best = 99;
        for (int step : {-1, 0, 1}) {
            const char there = at(file + step, rank + 1);
            if (there == '#' || (step == 0 && there == '-')) continue;
            best = std::min(best, 1 + threats(file + step, rank + 1) + path(file + step, rank + 1, goal));
        }
        return best;
    }
    int arrival(int goal) const {
        int best = 99;
        each('+', [&](int file, int rank) { best = std::min(best, path(file, rank, goal)); });
        return best;
    }
    template <class Note>
    void each(char what, Note note) const {
        for (int rank = 0; rank < ranks; ++rank)
            for (int file = 0; file < files; ++file)
                if (has(file, rank, what)) note(file, rank);
    }
};

void drop_zeros(std::map<std::string, float>& features) {
    std::erase_if(features, [](const auto& feature) { return feature.second == 0; });
}

std::map<std::string, float> plain_race(const Breakthrough& position) {
    std::map<std::string, float> features;
    std::array<int, 2> nearest{99, 99};
    for (int who : {0, 1}) {
        const PlainBoard board(position, who == 0 ? position.side() : other(position.side()));
        for (int file = 0; file < board.files; ++file) {
            const int moves = board.arrival(file);
            nearest[who] = std::min(nearest[who], moves);
            if (moves < 10) features["arrivals_in_" + std::to_string(moves)] += who == 0 ? 1 : -1;
        }
    }
    const auto text = [&](int who) { return std::to_string(std::min(nearest[who], 7)); };
    features["race_" + text(0) + "_" + text(1)] = 1;
    drop_zeros(features);
    return features;
}

std::map<std::string, float> plain_structure(const Breakthrough& position) {
    std::map<std::string, float> features;
    for (float sign : {1.0f, -1.0f}) {
        const PlainBoard board(position, sign > 0 ? position.side() : other(position.side()));
        board.each('+', [&](int file, int rank) {
            const std::string by_rank = "_rank_" + std::to_string(rank + 1);
            if (board.guards(file, rank)) features["guarded" + by_rank] += sign;
            if (board.has(file - 1, rank, '+')) features["pair" + by_rank] += sign;
            if (board.has(file, rank - 1, '+')) features["column" + by_rank] += sign;
            if (board.has(file, rank + 1, '-')) features["blocked" + by_rank] += sign;
            if (board.threats(file, rank) > board.guards(file, rank))
                features[sign > 0 ? "hanging" : "enemy_hanging"] += 1;
        });
        int holes = 0;
        for (int file = 0; file < board.files; ++file) holes += board.guards(file, 1) == 0;
        features["holes_" + std::to_string(holes)] += sign;
    }
    drop_zeros(features);
    return features;
}

/// Calls check(position) along random games on boards of several sizes.
template <class Check>
void wander_boards(Check check) {
    for (std::string_view variant : {"8x8", "4x4", "6x5", "5x8", "7x6"}) {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            Breakthrough position = at(*Breakthrough::start_fen(variant));
            for (std::uint64_t ply = 0; ply < 90; ++ply) {
                MoveList legal;
                position.generate(legal);
                if (legal.empty()) break;
                check(position);
                position.push(legal[splitmix64(seed << 32 | ply) % legal.size()]);
            }
        }
    }
}

}  // namespace

TEST_CASE("breakthrough: a race is the shortest of all paths, with its waits") {
    // Nothing in the way of a6, the last square of whose path is free; h4 is three moves from its end.
    CHECK(named_features(at("8/8/P7/8/7p/8/8/8 w"), "race").count("race_2_3"));
    // The same with b8 and c8 there: a7 and b7 are threatened, so that the path takes a wait.
    CHECK(named_features(at("1pp5/8/P7/8/7p/8/8/8 w"), "race").count("race_3_3"));
    // Two threaten b7, and nothing threatens a7 and c7 beside it.
    CHECK(named_features(at("p1p5/8/1P6/8/7p/8/8/8 w"), "race").count("race_2_3") == 1);
    wander_boards([](const Breakthrough& position) {
        CAPTURE(position.fen());
        CHECK(named_features(position, "race") == plain_race(position));
    });
}

TEST_CASE("breakthrough: structure counts what stands together on each rank") {
    const auto features = named_features(at("7p/8/8/8/3p4/2PP4/3P4/8 w"), "structure");
    CHECK(features.at("pair_rank_3") == 1);
    CHECK(features.at("column_rank_3") == 1);
    CHECK(features.at("guarded_rank_3") == 1);
    CHECK(features.at("blocked_rank_3") == 1);
    CHECK(features.at("blocked_rank_5") == -1);
    wander_boards([](const Breakthrough& position) {
        CAPTURE(position.fen());
        CHECK(named_features(position, "structure") == plain_structure(position));
    });
}

TEST_CASE("breakthrough: races and structure are the same on a mirrored board and with sides swapped") {
    wander_boards([](const Breakthrough& position) {
        std::string fen = position.fen();
        const std::size_t end = fen.find(' ');
        std::vector<std::string> rows;
        for (std::size_t from = 0; from <= end;) {
            const std::size_t to = std::min(fen.find('/', from), end);
            rows.push_back(fen.substr(from, to - from));
            from = to + 1;
        }
        std::string mirrored, swapped;
        for (const std::string& row : rows)
            mirrored += (mirrored.empty() ? "" : "/") + std::string(row.rbegin(), row.rend());
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            if (!swapped.empty()) swapped += "/";
            for (char letter : *row) swapped += letter == 'P' ? 'p' : letter == 'p' ? 'P' : letter;
        }
        mirrored += fen.substr(end);
        swapped += fen.ends_with('w') ? " b" : " w";
        for (std::string_view set : {"race", "structure"}) {
            CAPTURE(fen);
            CHECK(named_features(at(mirrored), set) == named_features(position, set));
            CHECK(named_features(at(swapped), set) == named_features(position, set));
        }
    });
}
