// A fair sample of the moves that a search has skipped, by the reason and by the depth that was left: for somebody who
// searches them after all and tells how often it was wrong to leave them out.
#pragma once

#include <map>

#include "../zobrist.hpp"
#include "events.hpp"

namespace plypilot {

/// A move that was not searched, and where.
struct SkippedMove {
    std::vector<Move> line;  // from the root to its node
    Move move{};
    Skip why = Skip::no;
    int iteration = 0;
    Depth depth = 0;  // left at the node
    int rank = 0;     // moves of the node that were tried or skipped before
    Score alpha = 0;  // when it was skipped
    Score score = 0;  // what the node came to without it
};

/// Samples so many of each reason and depth, each skipped move as likely as any other. Nodes below a null move are left
/// out: no line of moves leads there.
class SkipSample final : public EventSink {
  public:
    struct Group {
        std::uint64_t seen = 0;
        std::vector<SkippedMove> chosen;
    };
    using Key = std::pair<Skip, int>;  // the reason and the plies left, rounded up

    SkipSample(std::size_t most, std::uint64_t seed)
        : most_(most), chance_(seed), line_(most_plies + 2), waiting_(most_plies + 2) {}

    const std::map<Key, Group>& groups() const { return groups_; }

    void on_enter(const Node& node) override {
        if (node.quiescence_ply) return;
        const auto ply = static_cast<std::size_t>(node.ply);
        line_[ply] = node.previous;
        waiting_[ply].clear();
    }
    void on_skip(const Node& node, const Candidate& candidate, Skip why) override {
        if (node.path_from || node.excluded) return;
        Group& group = groups_[{why, (node.depth + ply_units - 1) / ply_units}];
        const std::uint64_t place = group.seen++ < most_ ? group.seen - 1 : next() % group.seen;
        if (place >= most_) return;
        const auto ply = static_cast<std::size_t>(node.ply);
        SkippedMove skipped{.move = candidate.move,
                            .why = why,
                            .iteration = node.iteration,
                            .depth = node.depth,
                            .rank = node.moves,
                            .alpha = node.alpha};
        skipped.line.assign(line_.begin() + 1, line_.begin() + 1 + static_cast<std::ptrdiff_t>(ply));
        waiting_[ply].push_back({&group, place, std::move(skipped)});
    }
    void on_leave(const Node& node, Score score, Left how) override {
        if (node.quiescence_ply) return;
        auto& waiting = waiting_[static_cast<std::size_t>(node.ply)];
        for (Waiting& own : waiting) {
            if (how != Left::searched) continue;  // the search was stopped
            own.skipped.score = score;
            auto& chosen = own.group->chosen;
            if (own.place < chosen.size()) {
                chosen[own.place] = std::move(own.skipped);
            } else {
                chosen.push_back(std::move(own.skipped));
            }
        }
        waiting.clear();
    }

  private:
    struct Waiting {
        Group* group;
        std::uint64_t place;
        SkippedMove skipped;
    };

    std::uint64_t next() { return splitmix64(chance_ += 0x9e3779b97f4a7c15u); }

    std::size_t most_;
    std::uint64_t chance_;
    std::vector<Move> line_;                     // the move that leads to each ply
    std::vector<std::vector<Waiting>> waiting_;  // by ply, until their node is done
    std::map<Key, Group> groups_;
};

}  // namespace plypilot
