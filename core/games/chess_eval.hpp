// The evaluation features of the chess baseline: material, piece placement, mobility, pawn structure, king safety and
// threats (the parts that Kocsis 2.2.2 names). It sees a board turned so that the side to move plays up it, own pieces
// as those of `first`: there are no colours, and a position with sides swapped has the same features.
#pragma once

#include "chess_pawns.hpp"

namespace plypilot::chess {

/// Writes the features of a position to a sink.
template <class Sink>
class BaselineFeatures {
  public:
    BaselineFeatures(const Armies& armies, Sink& sink)
        : armies_(armies),
          pawns_(armies_),
          sink_(sink),
          all_{armies[first].all(), armies[second].all()},
          occupied_(all_[0] | all_[1]) {}

    void write() {
        sink_.set_phase(phase());
        if constexpr (requires { sink_.add_part(Key{}, [](auto&) {}); }) {
            sink_.add_part(pawns_.key(), [this](auto& part) { pawns_.write(part); });
        } else {
            pawns_.write(sink_);
        }
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
    }

    template <Side who>
    void write_side() {
        write_placement<who>();
        write_pawns<who>();
        write_king<who>();
        write_threats<who>();
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

    /// What pawns are worth with regard to other pieces.
    template <Side who>
    void write_pawns() {
        const Army& own = armies_[who];
        if (!own.pawns) return write_pawnless<who>();
        const Bitboard passed = pawns_.passed(who);
        for (Bitboard rest = passed; rest; drop_lowest(rest)) write_passer<who>(lowest(rest));
        if (passed && own.rooks) add<who>(rook_behind_passer, count(own.rooks & fill_ahead(other(who), passed)));
    }

    template <Side who>
    void write_passer(Square pawn) {
        constexpr Side foe = other(who);
        const Army &own = armies_[who], &enemy = armies_[foe];
        const int its_rank = own_rank(who, pawn);
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
        if (const int degree = danger<who>(lowest(armies_[who].king))) add<who>(king_danger + degree - 1, 1);
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
    const PawnStructure pawns_;
    Sink& sink_;
    std::array<Bitboard, 2> all_;
    Bitboard occupied_;
    std::array<Facts, 2> facts_;
};

}  // namespace plypilot::chess
