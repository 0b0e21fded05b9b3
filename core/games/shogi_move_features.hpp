// The atomic features of shogi moves, read for many moves of one position.
#pragma once

#include "shogi.hpp"

namespace plypilot {

class Shogi::FeatureReader {
  public:
    FeatureReader(const Shogi& position, FeatureMask wanted) : position_(position), wanted_(wanted) {}
    FeatureMask operator()(Move move) const;

  private:
    // Those of Skowronski, table 4.6, as far as shogi has them, each group from the king down to the pawn, with the
    // three camps for its halves of the board; then those of check, drops and promotion. A promoted silver, knight,
    // lance or pawn counts as gold.
    // clang-format off
    enum Feature {
        PcK, PcD, PcH, PcR, PcB, PcG, PcS, PcN, PcL, PcP,
        AcK, AcD, AcH, AcR, AcB, AcG, AcS, AcN, AcL, AcP,
        Rc,
        Rdb, Rdm, Rdt,
        C, CcD, CcH, CcR, CcB, CcG, CcS, CcN, CcL, CcP,
        LcK, LcD, LcH, LcR, LcB, LcG, LcS, LcN, LcL, LcP,
        Ch, Or, Dr, Pm, PmN,
    };
    // clang-format on
    static constexpr std::array<shogi::Mover, shogi::movers> by_value = {
        shogi::king, shogi::dragon, shogi::horse,  shogi::rook,  shogi::bishop,
        shogi::gold, shogi::silver, shogi::knight, shogi::lance, shogi::pawn};
    /// How far above the pawn each mover is in a group.
    static constexpr std::array<int, shogi::movers> above_pawn = [] {
        std::array<int, shogi::movers> places{};
        for (int i = 0; i < shogi::movers; ++i) places[by_value[i]] = shogi::movers - 1 - i;
        return places;
    }();
    static constexpr FeatureMask feature(int number) { return FeatureMask{1} << number; }
    /// The features from one to another.
    static constexpr FeatureMask features_between(Feature from, Feature to) {
        return (feature(to) << 1) - feature(from);
    }
    /// The feature of a mover in a group that runs down to the pawn.
    static constexpr FeatureMask feature_of(int mover, Feature of_pawn) { return feature(of_pawn - above_pawn[mover]); }

    bool gives_check(Move move) const {
        if (!checks_) checks_.emplace(position_.checks());
        return position_.gives_check(move, *checks_);
    }
    bool is_only_reply() const;
    FeatureMask attack_features(Move move, int arriving) const;
    FeatureMask manner_feature(Move move, int kind) const {
        if (is_drop(move)) return feature(Dr);
        if (promotes(move)) return feature(Pm);
        const Bitboard81 zone = promotion_zone[position_.side()];
        const bool can_promote = kind < shogi::king && kind != shogi::gold;
        return can_promote && (has(zone, from(move)) || has(zone, to(move))) ? feature(PmN) : 0;
    }

    const Shogi& position_;
    const FeatureMask wanted_;
    mutable std::optional<Checks> checks_;
    mutable std::optional<bool> only_reply_;
};

inline FeatureMask Shogi::FeatureReader::operator()(Move move) const {
    const State& s = position_.state();
    const Square target = to(move);
    FeatureMask mask = 0;

    // 1. What it captures, where it ends, and what was played before.
    if (wanted_ & (feature(Rc) | features_between(C, CcP))) {
        if (const Piece captured = position_.piece_on(target)) {
            mask |= feature(C) | feature_of(captured.mover(), CcP);
            if (s.last_captures && target == s.last_to) mask |= feature(Rc);
        }
    }
    if (wanted_ & features_between(Rdb, Rdt))
        mask |= feature(Rdb + rank81(s.side == first ? target : turn81(target)) / 3);
    if ((wanted_ & features_between(LcK, LcP)) && s.last_mover != no_kind) mask |= feature_of(s.last_mover, LcP);

    // 2. What moves and how, and what it does.
    constexpr FeatureMask by_kind = features_between(PcK, AcP) | features_between(Dr, PmN);
    if (wanted_ & by_kind) {
        const int kind = position_.moved_kind(move);
        mask |= feature_of(mover_of[kind], PcP) | manner_feature(move, kind);
        if (wanted_ & features_between(AcK, AcP))
            mask |= attack_features(move, mover_of[promotes(move) ? kind + promoted : kind]);
    }
    if ((wanted_ & feature(Ch)) && gives_check(move)) mask |= feature(Ch);
    if ((wanted_ & feature(Or)) && is_only_reply()) mask |= feature(Or);
    return mask & wanted_;
}

inline FeatureMask Shogi::move_features(Move move) const { return FeatureReader(*this, ~FeatureMask{0})(move); }

}  // namespace plypilot
