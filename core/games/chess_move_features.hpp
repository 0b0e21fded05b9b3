// The atomic features of chess moves, read for many moves of one position.
#pragma once

#include "chess.hpp"

namespace plypilot {

class Chess::FeatureReader {
  public:
    FeatureReader(const Chess& position, FeatureMask wanted) : position_(position), wanted_(wanted) {}
    FeatureMask operator()(Move move) const;

  private:
    // Those of Skowronski, table 4.6, each group from the king or queen down to the pawn; then those of Björnsson and
    // Marsland (check, only reply, advanced passed pawn), promotion and castling.
    // clang-format off
    enum Feature {
        PcK, PcQ, PcR, PcB, PcN, PcP,
        AcK, AcQ, AcR, AcB, AcN, AcP,
        Rc,
        Rdb, RdBb, RdBt, Rdt, RdTb, RdTt,
        C, CcQ, CcR, CcB, CcN, CcP,
        LcK, LcQ, LcR, LcB, LcN, LcP,
        Ch, Or, Pp, Pm, PmQ, PmU, Cs,
    };
    // clang-format on
    static constexpr FeatureMask feature(int number) { return FeatureMask{1} << number; }
    /// The features from one to another.
    static constexpr FeatureMask features_between(Feature from, Feature to) {
        return (feature(to) << 1) - feature(from);
    }
    /// The feature of a kind of piece in a group that runs down to the pawn.
    static constexpr FeatureMask feature_of(Kind kind, Feature of_pawn) { return feature(of_pawn - int{kind}); }

    static const std::array<FeatureMask, 16> manner_features;  // of what moves and how
    static const std::array<FeatureMask, 8> rank_features;     // of the rank of arrival, as its owner counts it

    bool gives_check(Move move) const {
        if (!checks_) checks_.emplace(position_.checks());
        return position_.gives_check(move, *checks_);
    }
    bool is_only_reply() const;
    FeatureMask told_features(Move move) const;
    FeatureMask attack_features(Move move) const;
    /// Whether a pawn arrives far ahead with no opposing pawn to stop it or to capture it on its way.
    bool passes(Move move) const {
        if (moved(move) != pawn) return false;
        const Side us = position_.side();
        const int rank = rank_of(own_square(us, to(move)));
        if (rank != 5 && rank != 6) return false;
        const Bitboard files = grown(file_mask(file_of(to(move))));
        const Bitboard ahead = us == first ? ~Bitboard{0} << 8 * (rank + 1) : ~Bitboard{0} >> 8 * (rank + 1);
        return !(files & ahead & position_.pieces(other(us), pawn));
    }

    const Chess& position_;
    const FeatureMask wanted_;
    mutable std::optional<Checks> checks_;
    mutable std::optional<bool> only_reply_;
};

inline constexpr std::array<FeatureMask, 16> Chess::FeatureReader::manner_features = [] {
    std::array<FeatureMask, 16> table{};
    for (std::size_t manner = 0; manner < table.size(); ++manner) {
        if (moved_kinds[manner] != none) table[manner] = feature_of(moved_kinds[manner], PcP);
        if (manner == castling) table[manner] |= feature(Cs);
        if (manner >= promotion) table[manner] |= feature(Pm) | feature(manner == 15 ? PmQ : PmU);
    }
    return table;
}();

inline constexpr std::array<FeatureMask, 8> Chess::FeatureReader::rank_features = [] {
    std::array<FeatureMask, 8> table{};
    constexpr std::array<Feature, 4> quarters = {RdBb, RdBt, RdTb, RdTt};
    for (int rank = 0; rank < 8; ++rank) table[rank] = feature(rank < 4 ? Rdb : Rdt) | feature(quarters[rank / 2]);
    return table;
}();

inline FeatureMask Chess::FeatureReader::operator()(Move move) const {
    // What the move tells and what it does, apart: most pilots ask for few features, and most of those for the latter.
    constexpr FeatureMask done = feature(Ch) | feature(Or) | feature(Pp) | features_between(AcK, AcP);
    FeatureMask mask = wanted_ & ~done ? told_features(move) : 0;
    if ((wanted_ & feature(Ch)) && gives_check(move)) mask |= feature(Ch);
    if ((wanted_ & feature(Pp)) && passes(move)) mask |= feature(Pp);
    if ((wanted_ & feature(Or)) && is_only_reply()) mask |= feature(Or);
    if (wanted_ & features_between(AcK, AcP)) mask |= attack_features(move);
    return mask & wanted_;
}

/// What the move itself tells, what it captures, and what was played before.
inline FeatureMask Chess::FeatureReader::told_features(Move move) const {
    const Chess& position = position_;
    FeatureMask mask = manner_features[manner(move)] | rank_features[rank_of(own_square(position.side(), to(move)))];
    if (position.is_capture(move)) {
        mask |= feature(C);
        if (wanted_ & features_between(CcQ, CcP)) mask |= feature_of(position.captured(move), CcP);
        if (position.now().last_captured != none && to(move) == to(position.now().last)) mask |= feature(Rc);
    }
    if (position.now().last) mask |= feature_of(moved(position.now().last), LcP);
    return mask;
}

inline FeatureMask Chess::move_features(Move move) const { return FeatureReader(*this, ~FeatureMask{0})(move); }

}  // namespace plypilot
