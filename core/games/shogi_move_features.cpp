#include "shogi.hpp"

namespace plypilot {

const std::vector<MoveFeature>& Shogi::move_feature_table() {
    static const std::vector<MoveFeature> table = {
        {"PcK", "moves_king", "moved", "", "moves the king"},
        {"PcD", "moves_dragon", "moved", "", "moves a dragon, that is a promoted rook"},
        {"PcH", "moves_horse", "moved", "", "moves a horse, that is a promoted bishop"},
        {"PcR", "moves_rook", "moved", "", "moves or drops a rook"},
        {"PcB", "moves_bishop", "moved", "", "moves or drops a bishop"},
        {"PcG", "moves_gold", "moved", "", "moves or drops a gold, or moves a promoted minor piece"},
        {"PcS", "moves_silver", "moved", "", "moves or drops a silver"},
        {"PcN", "moves_knight", "moved", "", "moves or drops a knight"},
        {"PcL", "moves_lance", "moved", "", "moves or drops a lance"},
        {"PcP", "moves_pawn", "moved", "", "moves or drops a pawn"},
        {"AcK", "attacks_king", "attacked", "", "the piece attacks the king from where it arrives"},
        {"AcD", "attacks_dragon", "attacked", "", "the most valuable piece it attacks from there is a dragon"},
        {"AcH", "attacks_horse", "attacked", "", "the most valuable piece it attacks from there is a horse"},
        {"AcR", "attacks_rook", "attacked", "", "the most valuable piece it attacks from there is a rook"},
        {"AcB", "attacks_bishop", "attacked", "", "the most valuable piece it attacks from there is a bishop"},
        {"AcG", "attacks_gold", "attacked", "", "the most valuable piece it attacks from there moves as gold"},
        {"AcS", "attacks_silver", "attacked", "", "the most valuable piece it attacks from there is a silver"},
        {"AcN", "attacks_knight", "attacked", "", "the most valuable piece it attacks from there is a knight"},
        {"AcL", "attacks_lance", "attacked", "", "the most valuable piece it attacks from there is a lance"},
        {"AcP", "attacks_pawn", "attacked", "", "the most valuable piece it attacks from there is a pawn"},
        {"Rc", "recapture", "recapture", "", "captures where the opponent just captured"},
        {"Rdb", "to_own_camp", "rank", "", "arrives on the three ranks nearest to its player"},
        {"Rdm", "to_middle", "rank", "", "arrives on the three middle ranks"},
        {"Rdt", "to_promotion_zone", "rank", "", "arrives on the three ranks nearest to the opponent"},
        {"C", "capture", "captured", "", "captures a piece"},
        {"CcD", "captures_dragon", "captured", "C", "captures a dragon"},
        {"CcH", "captures_horse", "captured", "C", "captures a horse"},
        {"CcR", "captures_rook", "captured", "C", "captures a rook"},
        {"CcB", "captures_bishop", "captured", "C", "captures a bishop"},
        {"CcG", "captures_gold", "captured", "C", "captures a gold or a promoted minor piece"},
        {"CcS", "captures_silver", "captured", "C", "captures a silver"},
        {"CcN", "captures_knight", "captured", "C", "captures a knight"},
        {"CcL", "captures_lance", "captured", "C", "captures a lance"},
        {"CcP", "captures_pawn", "captured", "C", "captures a pawn"},
        {"LcK", "after_king", "last", "", "the opponent last moved the king"},
        {"LcD", "after_dragon", "last", "", "the opponent last moved a dragon"},
        {"LcH", "after_horse", "last", "", "the opponent last moved a horse"},
        {"LcR", "after_rook", "last", "", "the opponent last moved, promoted or dropped a rook"},
        {"LcB", "after_bishop", "last", "", "the opponent last moved, promoted or dropped a bishop"},
        {"LcG", "after_gold", "last", "", "the opponent last moved or dropped a gold, or moved a promoted minor piece"},
        {"LcS", "after_silver", "last", "", "the opponent last moved, promoted or dropped a silver"},
        {"LcN", "after_knight", "last", "", "the opponent last moved, promoted or dropped a knight"},
        {"LcL", "after_lance", "last", "", "the opponent last moved, promoted or dropped a lance"},
        {"LcP", "after_pawn", "last", "", "the opponent last moved, promoted or dropped a pawn"},
        {"Ch", "check", "check", "", "gives check, directly or by opening a line"},
        {"Or", "only_reply", "only_reply", "", "is the only legal reply to a check"},
        {"Dr", "drop", "drop", "", "drops a piece from the hand"},
        {"Pm", "promotion", "promotion", "", "promotes the piece"},
        {"PmN", "non_promotion", "promotion", "", "moves a piece unpromoted that could have promoted"},
    };
    return table;
}

bool Shogi::FeatureReader::is_only_reply() const {
    if (!only_reply_) {
        only_reply_ = false;
        if (position_.in_check()) {
            MoveCounter replies;
            position_.generate(replies);
            only_reply_ = replies.size() == 1;
        }
    }
    return *only_reply_;
}

/// The most valuable of the pieces that the piece attacks from where it arrives.
FeatureMask Shogi::FeatureReader::attack_features(Move move, int arriving) const {
    const State& s = position_.state();
    Bitboard81 taken = position_.occupied() | bit81(to(move));
    if (!is_drop(move)) taken -= bit81(from(move));
    const Bitboard81 attacked = shogi::attacks(s.side, arriving, to(move), taken) & s.sides[other(s.side)];
    if (!attacked) return 0;
    for (shogi::Mover mover : by_value) {
        if (attacked & s.movers[mover]) return feature_of(mover, AcP);
    }
    return 0;
}

}  // namespace plypilot
