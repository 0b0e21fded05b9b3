#include "chess.hpp"

namespace plypilot {

const std::vector<MoveFeature>& Chess::move_feature_table() {
    static const std::vector<MoveFeature> table = {
        {"PcK", "moves_king", "moved", "", "moves the king"},
        {"PcQ", "moves_queen", "moved", "", "moves a queen"},
        {"PcR", "moves_rook", "moved", "", "moves a rook"},
        {"PcB", "moves_bishop", "moved", "", "moves a bishop"},
        {"PcN", "moves_knight", "moved", "", "moves a knight"},
        {"PcP", "moves_pawn", "moved", "", "moves a pawn"},
        {"AcK", "attacks_king", "attacked", "", "the piece attacks the king from where it arrives"},
        {"AcQ", "attacks_queen", "attacked", "", "the most valuable piece it attacks from there is a queen"},
        {"AcR", "attacks_rook", "attacked", "", "the most valuable piece it attacks from there is a rook"},
        {"AcB", "attacks_bishop", "attacked", "", "the most valuable piece it attacks from there is a bishop"},
        {"AcN", "attacks_knight", "attacked", "", "the most valuable piece it attacks from there is a knight"},
        {"AcP", "attacks_pawn", "attacked", "", "the most valuable piece it attacks from there is a pawn"},
        {"Rc", "recapture", "recapture", "", "captures where the opponent just captured"},
        {"Rdb", "to_own_half", "rank", "", "arrives on its own half of the board"},
        {"RdBb", "to_rank_1_2", "rank", "Rdb", "arrives on the first or second rank"},
        {"RdBt", "to_rank_3_4", "rank", "Rdb", "arrives on the third or fourth rank"},
        {"Rdt", "to_far_half", "rank", "", "arrives on the opponent's half of the board"},
        {"RdTb", "to_rank_5_6", "rank", "Rdt", "arrives on the fifth or sixth rank"},
        {"RdTt", "to_rank_7_8", "rank", "Rdt", "arrives on the seventh or eighth rank"},
        {"C", "capture", "captured", "", "captures a piece"},
        {"CcQ", "captures_queen", "captured", "C", "captures a queen"},
        {"CcR", "captures_rook", "captured", "C", "captures a rook"},
        {"CcB", "captures_bishop", "captured", "C", "captures a bishop"},
        {"CcN", "captures_knight", "captured", "C", "captures a knight"},
        {"CcP", "captures_pawn", "captured", "C", "captures a pawn, in passing too"},
        {"LcK", "after_king", "last", "", "the opponent last moved the king, or castled"},
        {"LcQ", "after_queen", "last", "", "the opponent last moved a queen"},
        {"LcR", "after_rook", "last", "", "the opponent last moved a rook"},
        {"LcB", "after_bishop", "last", "", "the opponent last moved a bishop"},
        {"LcN", "after_knight", "last", "", "the opponent last moved a knight"},
        {"LcP", "after_pawn", "last", "", "the opponent last moved a pawn, or promoted it"},
        {"Ch", "check", "check", "", "gives check, directly or by opening a line"},
        {"Or", "only_reply", "only_reply", "", "is the only legal reply to a check"},
        {"Pp", "passed_pawn", "passed_pawn", "",
         "a pawn arrives on the sixth or seventh rank with no opposing pawn ahead of "
         "it on its own and the neighbouring files"},
        {"Pm", "promotion", "promotion", "", "promotes a pawn"},
        {"PmQ", "to_queen", "promotion", "Pm", "promotes a pawn to a queen"},
        {"PmU", "underpromotion", "promotion", "Pm", "promotes a pawn to a rook, bishop or knight"},
        {"Cs", "castling", "castling", "", "castles"},
    };
    return table;
}

bool Chess::FeatureReader::is_only_reply() const {
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
FeatureMask Chess::FeatureReader::attack_features(Move move) const {
    const Side us = position_.side();
    const Bitboard all = position_.occupied_after(move);
    const Bitboard attacked = attacks_from(arriving(move), us, arrival(move), all) & position_.pieces(other(us));
    if (!attacked) return 0;
    for (Kind kind : {king, queen, rook, bishop, knight}) {
        if (attacked & position_.pieces(kind)) return feature_of(kind, AcP);
    }
    return feature(AcP);
}

}  // namespace plypilot
