// What a side of a game has to think with: a bank of nodes or seconds for the whole game, or a fixed time a move.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "../search/timing.hpp"

namespace plypilot {

/// A bank from the start of a game on. Each move takes what it spent and adds the increment; after so many moves as
/// there are to go it is filled anew; byoyomi is there for each move once all else is spent.
class Bank {
  public:
    explicit Bank(const Funds& start) : start_(start), now_(start) {}

    const Funds& funds() const { return now_; }
    /// Takes what a move spent. The fault, where that was more than there is: the game is lost.
    std::optional<std::string> spend(std::uint64_t nodes, double seconds) {
        const bool counts_nodes = now_.unit == Funds::Unit::nodes;
        const double spent = counts_nodes ? static_cast<double>(nodes) : seconds;
        const double over = spent - now_.left - now_.byoyomi;
        if (over > 0) {
            std::array<char, 80> text{};
            std::snprintf(text.data(), text.size(), "overstepped the clock by %.3f %s", over,
                          counts_nodes ? "nodes" : "seconds");
            return std::string(text.data());
        }
        now_.left = std::max(now_.left - spent, 0.0) + now_.increment;
        if (now_.moves_to_go > 0 && --now_.moves_to_go == 0) {
            now_.left += start_.left;
            now_.moves_to_go = start_.moves_to_go;
        }
        return std::nullopt;
    }

  private:
    Funds start_, now_;
};

/// A fixed time a move. What a move oversteps is taken off the next one, so that a search whose nodes are slow, which
/// ends later after its limit, uses no more time than a quick one. At most a twentieth of a move is owed: what goes
/// beyond is a pause of the machine, and nobody's fault. What a move leaves is not saved.
class FixedTime {
  public:
    explicit FixedTime(double seconds) : seconds_(seconds) {}

    double limit() const { return seconds_ - owed_; }
    void spend(double seconds) { owed_ = std::clamp(owed_ + seconds - seconds_, 0.0, seconds_ * most_owed); }

  private:
    static constexpr double most_owed = 0.05;

    double seconds_;
    double owed_ = 0;
};

}  // namespace plypilot
