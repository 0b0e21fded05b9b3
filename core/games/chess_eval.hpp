// The evaluation features of the chess baseline: material, piece placement, mobility, pawn structure, king safety and
// threats (the parts that Kocsis 2.2.2 names). It sees a board turned so that the side to move plays up it, own pieces
// as those of `first`: there are no colours, and a position with sides swapped has the same features.
#pragma once

#include <string>
#include <vector>

#include "../bitboard.hpp"
#include "../game.hpp"
#include "chess_attacks.hpp"

namespace plypilot::chess {

/// The pieces of one side.
struct Army {
    Bitboard pawns, knights, bishops, rooks, queens, king;

    Bitboard all() const { return pawns | knights | bishops | rooks | queens | king; }
};

/// Both armies from the side to move: its own is that of `first` and moves up the board.
struct Armies {
    std::array<Army, 2> of;

    const Army& operator[](Side side) const { return of[side]; }
};

constexpr int danger_degrees = 24;

/// The terms, each the number of the first of its group. A term is two features: 2 * term weighs in the middle game,
/// 2 * term + 1 in the endgame.
enum Term : int {
    material,                     // pawn to queen
    pawn_squares = material + 5,  // half boards: files a to d, mirrored; pawns on ranks 2 to 7
    knight_squares = pawn_squares + 24,
    bishop_squares = knight_squares + 32,
    rook_squares = bishop_squares + 32,
    queen_squares = rook_squares + 32,
    king_squares = queen_squares + 32,
    knight_mobility = king_squares + 32,  // by the number of safe squares attacked
    bishop_mobility = knight_mobility + 9,
    rook_mobility = bishop_mobility + 14,
    queen_mobility = rook_mobility + 15,
    bishop_pair = queen_mobility + 28,
    bishop_own_pawns,  // on squares of the bishop's colour
    knight_outpost,    // on ranks 4 to 6, held by a pawn, out of reach of enemy pawns
    bishop_outpost,
    outpost_reach,        // such squares that a knight can go to
    rook_open_file,       // no pawns
    rook_half_open_file,  // no own pawns
    rook_seventh,         // with pawns or the king to bite on
    rook_behind_passer,
    pawn_doubled,  // behind another of its file
    pawn_isolated,
    pawn_isolated_open,  // and no enemy pawn ahead on its file
    pawn_backward,       // cannot advance safely, and no neighbour can come to help
    pawn_backward_open,
    pawn_connected,                       // defended by a pawn or beside one, by rank 2 to 7
    pawn_candidate = pawn_connected + 6,  // not yet passed, but pawns help it past those that guard its next step
    passer = pawn_candidate + 1,          // by rank 2 to 7
    passer_protected = passer + 6,        // by a pawn
    passer_blocked,                       // by an enemy piece, times its steps beyond rank 3
    passer_free,                          // may step on safely, times its steps beyond rank 3
    passer_run,                           // nothing stands or attacks on its way, times its steps beyond rank 3
    passer_own_king,                      // distance of the king, times its steps beyond rank 3
    passer_enemy_king,
    passer_unstoppable,              // enemy has pawns only and his king is too late
    pawnless_advantage,              // ahead by no more than a minor piece, without pawns to win with
    shield_near,                     // pawns before the king and beside that, one rank ahead
    shield_far,                      // two ranks ahead
    king_open_file,                  // no pawns, of the three files about the king
    king_half_open_file,             // no own pawns
    storm,                           // enemy pawns on these files, by own rank 2 to 5
    king_attack_knight = storm + 4,  // squares about the enemy king that the kind attacks
    king_attack_bishop,
    king_attack_rook,
    king_attack_queen,
    king_danger,                                       // one by degree, see danger()
    threat_pawn_minor = king_danger + danger_degrees,  // enemy pieces attacked by a pawn
    threat_pawn_rook,
    threat_pawn_queen,
    threat_push,         // that a safe pawn's step would attack
    threat_minor_minor,  // pieces attacked by a knight or bishop; minors only if not defended by a pawn
    threat_minor_rook,
    threat_minor_queen,
    threat_rook_minor,  // pieces attacked by a rook
    threat_rook_queen,
    hanging_pawn,  // attacked and not defended
    hanging_piece,
    space,  // squares of files c to f, ranks 2 to 4, that the enemy does not attack
    tempo,  // always 1
    terms,
};

/// The names of the features, in the order of their numbers.
std::vector<std::string> baseline_feature_names();

constexpr Bitboard fill_ahead(Side side, Bitboard set) {
    if (side == first) {
        set |= set << 8;
        set |= set << 16;
        return set | set << 32;
    }
    set |= set >> 8;
    set |= set >> 16;
    return set | set >> 32;
}

/// The set seen from the other side of the board.
inline Bitboard flip_ranks(Bitboard set) { return __builtin_bswap64(set); }

constexpr Bitboard beside(Bitboard set) { return west(set) | east(set); }

/// King's steps from one square to another.
constexpr int distance(Square a, Square b) {
    const int files = file_of(a) - file_of(b), ranks = rank_of(a) - rank_of(b);
    return std::max(files < 0 ? -files : files, ranks < 0 ? -ranks : ranks);
}

/// The number of each square on a half board, as the owner of the piece sees it, by side.
inline constexpr auto half_boards = [] {
    std::array<std::array<std::uint8_t, 64>, 2> numbers{};
    for (Square square = 0; square < 64; ++square) {
        const int file = file_of(square), number = 4 * rank_of(square) + (file < 4 ? file : 7 - file);
        numbers[first][square] = numbers[second][flip_rank(square)] = static_cast<std::uint8_t>(number);
    }
    return numbers;
}();

constexpr int half_board(Side side, Square square) { return half_boards[side][square]; }

/// Writes the features of a position to a sink.
template <class Sink>
class BaselineFeatures {
  public:
    BaselineFeatures(const Armies& armies, Sink& sink)
        : armies_(armies), sink_(sink), all_{armies[first].all(), armies[second].all()}, occupied_(all_[0] | all_[1]) {}

    void write() {
        sink_.set_phase(phase());
        prepare<first>();
        prepare<second>();
        write_pieces<first>();
        write_pieces<second>();
        write_side<first>();
        write_side<second>();
        add<first>(tempo, 1);
    }

  private:
    /// What a side attacks and how its pawns stand.
    struct Facts {
        Bitboard pawn_attacks, knight_attacks, bishop_attacks, rook_attacks, queen_attacks;
        Bitboard attacked, attacked_twice;
        Bitboard pawn_reach;  // where its pawns attack now or once they have advanced
        Bitboard zone;        // about its king
        Bitboard safe;        // where mobility counts
        int attackers = 0;    // of the enemy's zone
        int pressure = 0;     // their weight on it
    };

    template <Side who>
    void add(int term, int value) {
        sink_.add_phased(2 * term, who == first ? value : -value);
    }

    /// How much of the middle game is left: 1 a minor piece, 2 a rook, 4 a queen.
    int phase() const {
        const auto both = [this](Bitboard Army::* kind) { return armies_[first].*kind | armies_[second].*kind; };
        return std::min(full_phase, count(both(&Army::knights) | both(&Army::bishops)) + 2 * count(both(&Army::rooks)) +
                                        4 * count(both(&Army::queens)));
    }

    template <Side who>
    void prepare() {
        const Army& own = armies_[who];
        Facts& facts = facts_[who];
        const Bitboard attacks_west = ahead_west(who, own.pawns), attacks_east = ahead_east(who, own.pawns);
        facts.pawn_attacks = attacks_west | attacks_east;
        facts.pawn_reach = fill_ahead(who, facts.pawn_attacks);
        const Bitboard steps = king_attacks(lowest(own.king));
        facts.attacked_twice = (attacks_west & attacks_east) | (facts.pawn_attacks & steps);
        facts.attacked = facts.pawn_attacks | steps;
        facts.zone = steps | own.king | ahead(who, steps);
        facts_[other(who)].safe = ~(facts.pawn_attacks | armies_[other(who)].pawns | armies_[other(who)].king);
    }

    // How much an attack on a square of the king's zone counts in the degree of danger.
    static constexpr int knight_pressure = 2, bishop_pressure = 2, rook_pressure = 3, queen_pressure = 4;

    /// Material, squares, mobility and attacks of one kind of piece but pawns and kings.
    template <Side who, class Attacks>
    Bitboard write_kind(Bitboard pieces, int number, Term squares, Term mobility, Term king_attack, int pressure,
                        Attacks attacks_from) {
        Facts& facts = facts_[who];
        const Bitboard zone = facts_[other(who)].zone;
        add<who>(material + number, count(pieces));
        Bitboard all_attacks = 0;
        int hits = 0;
        for (Bitboard rest = pieces; rest; drop_lowest(rest)) {
            const Square square = lowest(rest);
            const Bitboard attacks = attacks_from(square);
            add<who>(squares + half_board(who, square), 1);
            add<who>(mobility + count(attacks & facts.safe), 1);
            facts.attacked_twice |= facts.attacked & attacks;
            facts.attacked |= attacks;
            all_attacks |= attacks;
            const int hit = count(attacks & zone);
            hits += hit;
            facts.attackers += hit != 0;
        }
        add<who>(king_attack, hits);
        facts.pressure += pressure * hits;
        return all_attacks;
    }

    template <Side who>
    void write_pieces() {
        const Army& own = armies_[who];
        Facts& facts = facts_[who];
        // Batteries: a line goes on through own pieces that move along it.
        const Bitboard through_queens = occupied_ ^ own.queens, through_both = through_queens ^ own.rooks;
        facts.knight_attacks = write_kind<who>(own.knights, 1, knight_squares, knight_mobility, king_attack_knight,
                                               knight_pressure, [](Square from) { return knight_attacks(from); });
        facts.bishop_attacks =
            write_kind<who>(own.bishops, 2, bishop_squares, bishop_mobility, king_attack_bishop, bishop_pressure,
                            [=](Square from) { return bishop_attacks(from, through_queens); });
        facts.rook_attacks = write_kind<who>(own.rooks, 3, rook_squares, rook_mobility, king_attack_rook, rook_pressure,
                                             [=](Square from) { return rook_attacks(from, through_both); });
        const Bitboard all = occupied_;
        facts.queen_attacks = write_kind<who>(own.queens, 4, queen_squares, queen_mobility, king_attack_queen,
                                              queen_pressure, [=](Square from) { return queen_attacks(from, all); });
        add<who>(king_squares + half_board(who, lowest(own.king)), 1);
    }

    template <Side who>
    void write_side() {
        write_placement<who>();
        write_pawns<who>();
        write_king<who>();
        write_threats<who>();
    }

    template <Side who>
    static constexpr Bitboard ranks(int from, int to) {
        Bitboard set = 0;
        for (int rank = from; rank <= to; ++rank) set |= rank_mask((who == first ? rank : 9 - rank) - 1);
        return set;
    }

    template <Side who>
    void write_placement() {
        constexpr Side foe = other(who);
        constexpr Bitboard dark = 0xaa55aa55aa55aa55;
        const Army &own = armies_[who], &enemy = armies_[foe];
        const Facts& facts = facts_[who];

        if (const int bishops = count(own.bishops)) {
            if (bishops > 1) add<who>(bishop_pair, 1);
            int same = 0;
            if (own.bishops & dark) same += count(own.pawns & dark);
            if (own.bishops & ~dark) same += count(own.pawns & ~dark);
            add<who>(bishop_own_pawns, same);
        }
        const Bitboard outposts = ranks<who>(4, 6) & facts.pawn_attacks & ~facts_[foe].pawn_reach;
        if (outposts) {
            add<who>(knight_outpost, count(own.knights & outposts));
            add<who>(bishop_outpost, count(own.bishops & outposts));
            add<who>(outpost_reach, count(facts.knight_attacks & outposts & ~all_[who]));
        }
        if (own.rooks) {
            const Bitboard own_files = fill_files(own.pawns), enemy_files = fill_files(enemy.pawns);
            add<who>(rook_open_file, count(own.rooks & ~(own_files | enemy_files)));
            add<who>(rook_half_open_file, count(own.rooks & ~own_files & enemy_files));
            if ((enemy.king & ranks<who>(8, 8)) || (enemy.pawns & ranks<who>(7, 7)))
                add<who>(rook_seventh, count(own.rooks & ranks<who>(7, 7)));
        }
    }

    static Bitboard fill_files(Bitboard set) { return fill_ahead(first, set) | fill_ahead(second, set); }

    template <Side who>
    void write_pawns() {
        constexpr Side foe = other(who);
        const Army &own = armies_[who], &enemy = armies_[foe];
        const Facts &facts = facts_[who], &foes = facts_[foe];
        const Bitboard pawns = own.pawns;
        add<who>(material, count(pawns));
        if (!pawns) return write_pawnless<who>();

        const Bitboard rear = fill_ahead(foe, ahead(foe, pawns));           // squares behind own pawns
        const Bitboard stopped = fill_ahead(foe, ahead(foe, enemy.pawns));  // squares before enemy pawns, to our side
        const Bitboard isolated = pawns & ~beside(fill_files(pawns));
        const Bitboard open = pawns & ~stopped;
        const Bitboard backward =
            ahead(foe, ahead(who, pawns) & (foes.pawn_attacks | enemy.pawns) & ~facts.pawn_reach) & ~isolated;
        add<who>(pawn_doubled, count(pawns & rear));
        add<who>(pawn_isolated, count(isolated));
        add<who>(pawn_isolated_open, count(isolated & open));
        add<who>(pawn_backward, count(backward));
        add<who>(pawn_backward_open, count(backward & open));

        for (Bitboard rest = pawns; rest; drop_lowest(rest))
            add<who>(pawn_squares - 4 + half_board(who, lowest(rest)), 1);
        for (Bitboard rest = pawns & (facts.pawn_attacks | beside(pawns)); rest; drop_lowest(rest))
            add<who>(pawn_connected + rank(who, lowest(rest)) - 1, 1);

        const Bitboard in_front = open & ~rear;
        const Bitboard passed = in_front & ~foes.pawn_reach;
        const Bitboard contested = ahead(who, in_front & ~passed);
        const Bitboard doubly = ahead_west(who, pawns) & ahead_east(who, pawns);
        const Bitboard foe_doubly = ahead_west(foe, enemy.pawns) & ahead_east(foe, enemy.pawns);
        add<who>(pawn_candidate, count(contested & facts.pawn_attacks & (doubly | ~foe_doubly)));

        for (Bitboard rest = passed; rest; drop_lowest(rest)) write_passer<who>(lowest(rest));
        if (passed && own.rooks) add<who>(rook_behind_passer, count(own.rooks & fill_ahead(foe, passed)));
    }

    static constexpr int rank(Side side, Square square) { return rank_of(side == first ? square : flip_rank(square)); }

    template <Side who>
    void write_passer(Square pawn) {
        constexpr Side foe = other(who);
        const Army &own = armies_[who], &enemy = armies_[foe];
        const int its_rank = rank(who, pawn);
        add<who>(passer + its_rank - 1, 1);
        if (facts_[who].pawn_attacks & bit(pawn)) add<who>(passer_protected, 1);
        const int advance = its_rank - 2;  // steps beyond rank 3
        const Square stop = who == first ? pawn + 8 : pawn - 8;
        const Bitboard way = fill_ahead(who, bit(stop));
        if (advance > 0) {
            const Bitboard attacked = facts_[foe].attacked & ~(facts_[who].attacked & ~facts_[foe].attacked_twice);
            if (all_[foe] & bit(stop))
                add<who>(passer_blocked, advance);
            else if (!((attacked | occupied_) & bit(stop)))
                add<who>(passer_free, advance);
            if (!((facts_[foe].attacked | occupied_) & way)) add<who>(passer_run, advance);
            add<who>(passer_own_king, advance * distance(lowest(own.king), stop));
            add<who>(passer_enemy_king, advance * distance(lowest(enemy.king), stop));
        }
        if (!(enemy.knights | enemy.bishops | enemy.rooks | enemy.queens) && !(way & occupied_)) {
            const Square goal = who == first ? 56 + file_of(pawn) : file_of(pawn);
            const int steps = std::min(5, 7 - its_rank), ahead_by = who == first ? 0 : 1;  // who is to move
            if (distance(lowest(enemy.king), goal) - ahead_by > steps) add<who>(passer_unstoppable, 1);
        }
    }

    template <Side who>
    void write_pawnless() {
        const auto worth = [this](Side side) {
            const Army& army = armies_[side];
            return 3 * count(army.knights | army.bishops) + 5 * count(army.rooks) + 9 * count(army.queens);
        };
        const int ahead_by = worth(who) - worth(other(who));
        if (ahead_by > 0 && ahead_by <= 3) add<who>(pawnless_advantage, 1);
    }

    template <Side who>
    void write_king() {
        constexpr Side foe = other(who);
        const Army &own = armies_[who], &enemy = armies_[foe];
        const Square king = lowest(own.king);
        const Bitboard files = fill_files(grown(bit(std::clamp(file_of(king), 1, 6))));
        const Bitboard king_rank = rank_mask(rank_of(king)), near = ahead(who, king_rank);
        const Bitboard from_king = fill_ahead(who, king_rank);
        const Bitboard shield = own.pawns & files & from_king;
        add<who>(shield_near, count(shield & near));
        add<who>(shield_far, count(shield & ahead(who, near)));
        const Bitboard closed = fill_files(shield), enemy_closed = fill_files(enemy.pawns & files);
        add<who>(king_open_file, count(files & ~(closed | enemy_closed) & rank_1));
        add<who>(king_half_open_file, count(files & ~closed & enemy_closed & rank_1));
        if (const Bitboard stormers = enemy.pawns & files & from_king) {
            for (int step = 0; step < 4; ++step)
                add<who>(storm + step, count(stormers & ranks<who>(step + 2, step + 2)));
        }
        if (const int degree = danger<who>(king)) add<who>(king_danger + degree - 1, 1);
    }

    // How much else counts in the degree of danger.
    static constexpr int weak_square_danger = 3, queen_check_danger = 8, rook_check_danger = 9, bishop_check_danger = 5,
                         knight_check_danger = 8, no_queen_relief = 14, shield_relief = 1, danger_step = 4;

    /// How hard the enemy presses on the king, 0 to danger_degrees: his attacks on squares of the zone by kind, weak
    /// squares among them, and safe checks that he threatens.
    template <Side who>
    int danger(Square king) const {
        constexpr Side foe = other(who);
        const Facts &facts = facts_[who], &foes = facts_[foe];
        if (foes.attackers < 2 - (armies_[foe].queens != 0)) return 0;
        const Bitboard weak =
            foes.attacked & ~facts.attacked_twice & (~facts.attacked | king_attacks(king) | facts.queen_attacks);
        const Bitboard safe = ~all_[foe] & (~facts.attacked | (weak & foes.attacked_twice));
        const Bitboard lines = occupied_ ^ armies_[who].queens;
        const Bitboard straight = rook_attacks(king, lines) & safe, diagonal = bishop_attacks(king, lines) & safe;
        int units = foes.pressure + weak_square_danger * count(weak & facts.zone);
        if ((straight | diagonal) & foes.queen_attacks) units += queen_check_danger;
        if (straight & foes.rook_attacks) units += rook_check_danger;
        if (diagonal & foes.bishop_attacks) units += bishop_check_danger;
        if (knight_attacks(king) & safe & foes.knight_attacks) units += knight_check_danger;
        if (!armies_[foe].queens) units -= no_queen_relief;
        units -= shield_relief * count(facts.zone & armies_[who].pawns);
        return std::clamp(units / danger_step, 0, danger_degrees);
    }

    template <Side who>
    void write_threats() {
        constexpr Side foe = other(who);
        const Army& enemy = armies_[foe];
        const Facts &facts = facts_[who], &foes = facts_[foe];
        const Bitboard minors = enemy.knights | enemy.bishops, majors = enemy.rooks | enemy.queens;
        if (const Bitboard by_pawns = facts.pawn_attacks & (minors | majors)) {
            add<who>(threat_pawn_minor, count(by_pawns & minors));
            add<who>(threat_pawn_rook, count(by_pawns & enemy.rooks));
            add<who>(threat_pawn_queen, count(by_pawns & enemy.queens));
        }
        const Bitboard safe = ~(foes.attacked & ~facts.attacked) & ~foes.pawn_attacks & ~occupied_;
        Bitboard steps = ahead(who, armies_[who].pawns) & ~occupied_;
        steps = (steps | (ahead(who, steps & ranks<who>(3, 3)) & ~occupied_)) & safe;
        add<who>(threat_push,
                 count((ahead_west(who, steps) | ahead_east(who, steps)) & (minors | majors) & ~facts.pawn_attacks));
        const Bitboard by_minors = facts.knight_attacks | facts.bishop_attacks;
        add<who>(threat_minor_minor, count(by_minors & minors & ~foes.pawn_attacks));
        add<who>(threat_minor_rook, count(by_minors & enemy.rooks));
        add<who>(threat_minor_queen, count(by_minors & enemy.queens));
        add<who>(threat_rook_minor, count(facts.rook_attacks & minors & ~foes.pawn_attacks));
        add<who>(threat_rook_queen, count(facts.rook_attacks & enemy.queens));
        const Bitboard loose = facts.attacked & ~foes.attacked;
        add<who>(hanging_pawn, count(loose & enemy.pawns));
        add<who>(hanging_piece, count(loose & (minors | majors)));

        constexpr Bitboard middle = (file_mask(2) | file_mask(3) | file_mask(4) | file_mask(5)) & ranks<who>(2, 4);
        add<who>(space, count(middle & ~armies_[who].pawns & ~foes.attacked));
    }

    const Armies armies_;
    Sink& sink_;
    std::array<Bitboard, 2> all_;
    Bitboard occupied_;
    std::array<Facts, 2> facts_;
};

}  // namespace plypilot::chess
