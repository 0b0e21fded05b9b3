// The part of the chess baseline's evaluation that pawns and kings decide alone: how pawns stand and what they shelter.
// Most moves leave it as it is, so that a sink may remember what it came to.
#pragma once

#include "../zobrist.hpp"
#include "chess_terms.hpp"

namespace plypilot::chess {

class PawnStructure {
  public:
    explicit PawnStructure(const Armies& armies) : armies_(armies) {}

    /// Tells structures apart.
    Key key() const {
        const Army &own = armies_[first], &enemy = armies_[second];
        const auto kings = static_cast<Key>(lowest(own.king) << 6 | lowest(enemy.king));
        return splitmix64(own.pawns ^ splitmix64(enemy.pawns ^ splitmix64(kings)));
    }
    /// Pawns that no enemy pawn can stop or capture on their way, the first of their file each.
    Bitboard passed(Side who) const {
        const Side foe = other(who);
        const Bitboard held = fill_ahead(foe, ahead(foe, armies_[foe].pawns) | attacks(foe));
        return armies_[who].pawns & ~(held | rear(who));
    }

    template <class Sink>
    void write(Sink& sink) const {
        write_side<first>(sink);
        write_side<second>(sink);
    }

  private:
    Bitboard attacks(Side who) const {
        return ahead_west(who, armies_[who].pawns) | ahead_east(who, armies_[who].pawns);
    }
    /// Where pawns attack now or once they have advanced.
    Bitboard reach(Side who) const { return fill_ahead(who, attacks(who)); }
    /// The squares behind own pawns.
    Bitboard rear(Side who) const {
        const Side foe = other(who);
        return fill_ahead(foe, ahead(foe, armies_[who].pawns));
    }
    /// Pawns with no enemy pawn ahead on their file.
    Bitboard open(Side who) const {
        const Side foe = other(who);
        return armies_[who].pawns & ~fill_ahead(foe, ahead(foe, armies_[foe].pawns));
    }
    /// Of these the first of each file.
    Bitboard in_front(Side who) const { return open(who) & ~rear(who); }

    template <Side who, class Sink>
    static void add(Sink& sink, int term, int value) {
        sink.add_phased(2 * term, who == first ? value : -value);
    }

    template <Side who, class Sink>
    void write_side(Sink& sink) const {
        if (armies_[who].pawns) write_pawns<who>(sink);
        write_shelter<who>(sink);
    }

    template <Side who, class Sink>
    void write_pawns(Sink& sink) const {
        constexpr Side foe = other(who);
        const Bitboard pawns = armies_[who].pawns, enemy_pawns = armies_[foe].pawns;
        const Bitboard isolated = pawns & ~beside(fill_files(pawns));
        const Bitboard backward =
            ahead(foe, ahead(who, pawns) & (attacks(foe) | enemy_pawns) & ~reach(who)) & ~isolated;
        add<who>(sink, material, count(pawns));
        add<who>(sink, pawn_doubled, count(pawns & rear(who)));
        add<who>(sink, pawn_isolated, count(isolated));
        add<who>(sink, pawn_isolated_open, count(isolated & open(who)));
        add<who>(sink, pawn_backward, count(backward));
        add<who>(sink, pawn_backward_open, count(backward & open(who)));
        for (Bitboard rest = pawns; rest; drop_lowest(rest))
            add<who>(sink, pawn_squares - 4 + half_board(who, lowest(rest)), 1);
        for (Bitboard rest = pawns & (attacks(who) | beside(pawns)); rest; drop_lowest(rest))
            add<who>(sink, pawn_connected + own_rank(who, lowest(rest)) - 1, 1);

        const Bitboard contested = ahead(who, in_front(who) & ~passed(who));
        const Bitboard doubly = ahead_west(who, pawns) & ahead_east(who, pawns);
        const Bitboard foe_doubly = ahead_west(foe, enemy_pawns) & ahead_east(foe, enemy_pawns);
        add<who>(sink, pawn_candidate, count(contested & attacks(who) & (doubly | ~foe_doubly)));
        for (Bitboard rest = passed(who); rest; drop_lowest(rest))
            add<who>(sink, passer + own_rank(who, lowest(rest)) - 1, 1);
        add<who>(sink, passer_protected, count(passed(who) & attacks(who)));
    }

    /// Where the king stands, the pawns before him and those that come at him.
    template <Side who, class Sink>
    void write_shelter(Sink& sink) const {
        const Army &own = armies_[who], &enemy = armies_[other(who)];
        const Square king = lowest(own.king);
        add<who>(sink, king_squares + half_board(who, king), 1);
        const Bitboard files = fill_files(grown(bit(std::clamp(file_of(king), 1, 6))));
        const Bitboard king_rank = rank_mask(rank_of(king)), near = ahead(who, king_rank);
        const Bitboard from_king = fill_ahead(who, king_rank);
        const Bitboard shield = own.pawns & files & from_king;
        add<who>(sink, shield_near, count(shield & near));
        add<who>(sink, shield_far, count(shield & ahead(who, near)));
        const Bitboard closed = fill_files(shield), enemy_closed = fill_files(enemy.pawns & files);
        add<who>(sink, king_open_file, count(files & ~(closed | enemy_closed) & rank_1));
        add<who>(sink, king_half_open_file, count(files & ~closed & enemy_closed & rank_1));
        const Bitboard stormers = enemy.pawns & files & from_king;
        for (int step = 0; step < 4; ++step)
            add<who>(sink, storm + step, count(stormers & ranks<who>(step + 2, step + 2)));
    }

    const Armies& armies_;
};

}  // namespace plypilot::chess
