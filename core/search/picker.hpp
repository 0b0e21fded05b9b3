// Which move of a node to try next, in stages: the first move, captures, quiet moves, losing captures. Each stage is
// prepared only when the one before has been used up: captures are generated when the first move has not cut, quiet
// moves when neither the captures nor, where a game can tell whether they are legal, the killers and the countermove
// have.
#pragma once

#include "../zobrist.hpp"
#include "exchange_order.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "quiet_order.hpp"
#include "settings.hpp"

namespace plypilot {

template <Rules P>
class Picker {
  public:
    /// `first` is tried first of all: the move of the table, or of the last iteration. `chance` decides between equals
    /// where they are shuffled.
    Picker(const P& position, const Node& node, const OrderingSettings& settings, const Memory<P>& memory,
           QuietOrder<P>& quiet_order, std::uint64_t chance, Move first)
        : position_(position),
          node_(node),
          settings_(settings),
          memory_(memory),
          quiet_order_(quiet_order),
          chance_(chance),
          first_(first == node.excluded ? Move{} : first) {}

    /// The next move, with its stage and its kind; no move when there is none left. `order_matters()` is asked before
    /// quiet moves are scored: where none of them will be searched, they come as they are generated.
    template <class Ask>
    Candidate next(Ask order_matters) {
        for (;;) {
            switch (step_) {
                case Step::first:
                    step_ = Step::generate_captures;
                    if (first_) return candidate(first_, Stage::first, quiet_order_.orders(position_, first_));
                    break;
                case Step::generate_captures:
                    step_ = Step::captures;
                    generate_captures();
                    break;
                case Step::captures:
                    if (const Move move = take_capture(ExchangeOrder::even))
                        return candidate(move, Stage::captures, false);
                    step_ = tells_legality ? Step::favourites : Step::generate_quiets;
                    if (tells_legality) note_favourites();
                    break;
                case Step::favourites:
                    if (orders_quiets_ && !order_matters()) stop_ordering();
                    if (const Move move = orders_quiets_ ? find_favourite() : Move{}) {
                        ++favourite_;
                        return candidate(move, Stage::quiets, true, killer_score);
                    }
                    step_ = Step::generate_quiets;
                    break;
                case Step::generate_quiets:
                    step_ = Step::quiets;
                    if (orders_quiets_ && !order_matters()) stop_ordering();
                    generate_quiets();
                    break;
                case Step::quiets:
                    if (!is_judged_ && orders_quiets_ && best_key() == waiting && !order_matters()) stop_ordering();
                    if (const Move move = orders_quiets_ ? take_best_quiet() : take_next_quiet())
                        return candidate(move, Stage::quiets, true, taken_key_ >> ExchangeOrder::lot_bits);
                    step_ = Step::losing;
                    break;
                case Step::losing:
                    if (const Move move = take_capture(ExchangeOrder::least))
                        return candidate(move, Stage::losing, false);
                    return {};
            }
        }
    }
    /// How many moves came so far: the rank of the next one.
    int picked() const { return picked_; }
    /// The order of the quiet moves that are left does not matter any more.
    void stop_ordering() { orders_quiets_ = false; }
    /// Passes over the quiet moves that are left. Returns how many there were.
    int pass_over_quiets() {
        int passed = 0;
        if (has_keys_) {
            for (; next_quiet_ < list_.size(); ++next_quiet_) passed += keys_[next_quiet_] != used;
        } else {
            while (take_next_quiet()) ++passed;
        }
        picked_ += passed;
        return passed;
    }
    /// The quiet move that next() will have, where one came before and their order matters: to ask for memory ahead of
    /// its use. No move elsewhere.
    Move upcoming_quiet() {
        if (step_ == Step::favourites && orders_quiets_) return find_favourite();
        if (step_ != Step::quiets || !orders_quiets_ || !is_judged_) return {};
        const std::size_t at = best_quiet();
        return at < list_.size() ? list_[at] : Move{};
    }

  private:
    enum class Step : std::uint8_t { first, generate_captures, captures, favourites, generate_quiets, quiets, losing };

    static constexpr int most_favourites = 3;  // two killers and the countermove
    static constexpr int used = ExchangeOrder::used;
    static constexpr int waiting = used + 1;  // of a quiet move without a score as yet
    static constexpr int lots = ExchangeOrder::lots;
    static constexpr int killer_score = 4 * QuietOrder<P>::most_score;
    static constexpr int countermove_score = 2 * QuietOrder<P>::most_score;
    static constexpr int first_choice_score = QuietOrder<P>::most_score + 1;  // of a network, above any history

    static constexpr bool has_stages = requires(const P& position, MoveList& list) {
        position.generate_tactical(list);
        position.generate_quiet(list);
    };

    /// Whether the game can tell of a move that stems from another position if it is legal in this one.
    static constexpr bool tells_legality = requires(const P& position, Move move) {
        { position.is_playable(move) } -> std::same_as<bool>;
    };

    Candidate candidate(Move move, Stage stage, bool is_quiet, int order = 0) {
        return {.move = move, .stage = stage, .is_quiet = is_quiet, .rank = picked_++, .order = order};
    }
    /// Whether a move is not to come up, or has come up as the first or as a favourite.
    bool is_out(Move move) const {
        if (move == first_ || move == node_.excluded) return true;
        for (int i = 0; i < favourite_; ++i) {
            if (move == favourites_[static_cast<std::size_t>(i)]) return true;
        }
        return false;
    }
    /// Notes the killers and the countermove as they are now: searches below the node may change the latter.
    void note_favourites() {
        const auto& killers = memory_.killers(node_.ply);
        if (settings_.killers > 0) favourites_[0] = killers[0];
        if (settings_.killers > 1) favourites_[1] = killers[1];
        if (settings_.countermove) favourites_[2] = memory_.countermove(position_.side(), node_.previous);
    }
    /// The next of them that can be played and does not come with the captures; none where there is no more.
    Move find_favourite() {
        if constexpr (tells_legality) {
            for (; favourite_ < most_favourites; ++favourite_) {
                const Move move = favourites_[static_cast<std::size_t>(favourite_)];
                if (!move || is_out(move) || !quiet_order_.orders(position_, move)) continue;
                if (position_.is_playable(move)) return move;
            }
        }
        return {};
    }

    void generate_captures() {
        if constexpr (has_stages) {
            if (!settings_.captures) return;
            position_.generate_tactical(list_);
            captures_ = list_.size();
            for (std::size_t i = 0; i < captures_; ++i) {
                const Move move = list_[i];
                keys_[i] = is_out(move)          ? used
                           : !settings_.exchange ? ExchangeOrder::exact_key(0, lot(move))
                                                 : ExchangeOrder::key(position_, move, lot(move));
            }
        }
    }

    void generate_quiets() {
        if constexpr (has_stages) {
            if (settings_.captures) {
                position_.generate_quiet(list_);
            } else {
                position_.generate(list_);
            }
        } else {
            position_.generate(list_);
        }
        next_quiet_ = captures_;
        has_keys_ = orders_quiets_;
        if (!has_keys_) return;
        if (quiet_order_.goes_by_history(node_)) {
            score_quiets();
        } else {
            score_special_quiets();
        }
    }

    void score_quiets() {
        // Copied to locals: the compiler must otherwise assume that writing a key changes them.
        const bool has_history = settings_.history;
        const Side side = position_.side();
        if constexpr (!tells_legality) note_favourites();
        const auto [killer, second_killer, counter] = favourites_;
        const Move first = first_, excluded = node_.excluded;
        const std::size_t end = list_.size();
        for (std::size_t i = captures_; i < end; ++i) {
            const Move move = list_[i];
            int score = has_history ? memory_.history(side, move) * QuietOrder<P>::history_scale : 0;
            bool is_over = move == first || move == excluded;
            if constexpr (tells_legality) {
                is_over |= move == counter || move == second_killer || move == killer;  // favourites have come up
            } else {
                if (move == counter) score = countermove_score;
                if (move == second_killer) score = killer_score - 1;
                if (move == killer) score = killer_score;
            }
            keys_[i] = is_over ? used : score * lots + lot(move);
        }
    }

    /// The same where a network or totals have a say: killers and the countermove have their scores at once, the others
    /// wait until these have been tried, as a network takes its time.
    void score_special_quiets() {
        if constexpr (!tells_legality) note_favourites();
        const auto [killer, second_killer, counter] = favourites_;
        for (std::size_t i = captures_; i < list_.size(); ++i) {
            const Move move = list_[i];
            const int score = move == killer          ? killer_score
                              : move == second_killer ? killer_score - 1
                              : move == counter       ? countermove_score
                                                      : 0;
            keys_[i] = is_out(move) ? used : score ? score * lots + lot(move) : waiting;
        }
        is_judged_ = false;
    }
    /// Scores the quiet moves that wait. Not inline, so that the usual case stays small.
    [[gnu::noinline]] void judge_waiting_quiets() {
        MoveList moves;
        std::array<int, MoveList::capacity> scores;
        for (std::size_t i = captures_; i < list_.size(); ++i) {
            if (keys_[i] == waiting) moves.add(list_[i]);
        }
        is_judged_ = true;
        if (moves.empty()) return;
        std::size_t choice = moves.size();  // the network's, where it has one
        if (quiet_order_.takes_first_choice(node_)) {
            quiet_order_.judge(position_, moves.begin(), moves.size(), scores.data());
            int* const end = scores.data() + moves.size();
            choice = static_cast<std::size_t>(std::max_element(scores.data(), end) - scores.data());
        }
        quiet_order_.score(position_, node_, memory_, moves.begin(), moves.size(), scores.data());
        if (choice < moves.size()) scores[choice] = first_choice_score;
        std::size_t number = 0;
        for (std::size_t i = captures_; i < list_.size(); ++i) {
            if (keys_[i] == waiting) keys_[i] = scores[number++] * lots + lot(list_[i]);
        }
    }

    /// Tells equals apart at random, where they are to be shuffled.
    int lot(Move move) const {
        if (!settings_.shuffle) return 0;
        return static_cast<int>(splitmix64(position_.key() ^ chance_ ^ move_identity(position_, move) << 40) % lots);
    }

    Move take_capture(int least_key) {
        const std::size_t at = ExchangeOrder::best(position_, list_, keys_.data(), captures_, least_key);
        if (at == captures_) return {};
        keys_[at] = used;
        return list_[at];
    }

    Move take_best_quiet() {
        const std::size_t at = best_quiet();
        if (at == list_.size()) return {};
        taken_key_ = keys_[at];
        keys_[at] = used;
        best_quiet_ = 0;
        return list_[at];
    }
    /// The first of the best, remembered until it is taken. Two passes, because the first is one that compilers turn
    /// into vector instructions.
    std::size_t best_quiet() {
        if (best_quiet_) return best_quiet_ - 1;
        const std::size_t end = list_.size();
        int best = best_key();
        if (best == waiting) {
            judge_waiting_quiets();
            best = best_key();
        }
        std::size_t at = captures_;
        while (at < end && keys_[at] != best) ++at;
        if (best == used) at = end;
        best_quiet_ = at + 1;
        return at;
    }

    int best_key() const {
        int best = used;
        for (std::size_t i = captures_; i < list_.size(); ++i) best = std::max(best, keys_[i]);
        return best;
    }

    /// The next one as generated, once the order does not matter. Those taken in order before are marked, where there
    /// was an order.
    Move take_next_quiet() {
        for (; next_quiet_ < list_.size(); ++next_quiet_) {
            const Move move = list_[next_quiet_];
            if (has_keys_ ? keys_[next_quiet_] != used : !is_out(move)) {
                taken_key_ = 0;
                ++next_quiet_;
                return move;
            }
        }
        return {};
    }

    const P& position_;
    const Node& node_;
    const OrderingSettings& settings_;
    const Memory<P>& memory_;
    QuietOrder<P>& quiet_order_;
    std::uint64_t chance_;
    Move first_;
    Step step_ = Step::first;
    int picked_ = 0;
    bool orders_quiets_ = true;
    bool has_keys_ = false;                           // of the quiet moves
    bool is_judged_ = true;                           // none of them waits
    int favourite_ = 0;                               // those that came up or cannot be played
    std::array<Move, most_favourites> favourites_{};  // killers, then the countermove
    std::size_t next_quiet_ = 0;                      // once they are not ordered
    std::size_t best_quiet_ = 0;                      // one behind the best of those that are left; 0: not known
    MoveList list_;                                   // captures, then quiet moves
    std::size_t captures_ = 0;
    int taken_key_ = 0;                         // of the last quiet move
    std::array<int, MoveList::capacity> keys_;  // filled as far as the list
};

}  // namespace plypilot
