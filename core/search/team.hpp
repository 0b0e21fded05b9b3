// Further threads on one search. Each searches the same position for itself; what they share is the table, so that one
// finds there what another has done. They end when the first thread has its result.
#pragma once

#include <list>
#include <thread>

#include "limits.hpp"
#include "result.hpp"

namespace plypilot {

class Team {
  public:
    ~Team() { end(); }

    /// Starts a thread. `search` is given a clock and returns what it spent; it ends soon when the clock is over.
    template <class Work>
    void add(std::uint64_t node_limit, Work search) {
        Member& member = members_.emplace_back(node_limit, done_);
        member.thread = std::thread([&member, search] { member.nodes = search(member.clock); });
    }
    /// What all of them have spent so far, but for the last few hundred nodes.
    std::uint64_t nodes_seen() const {
        std::uint64_t nodes = 0;
        for (const Member& member : members_) nodes += member.clock.nodes_seen();
        return nodes;
    }
    /// Ends them all. Returns what they spent.
    NodeCounts end() {
        done_ = true;
        NodeCounts nodes;
        for (Member& member : members_) {
            if (member.thread.joinable()) member.thread.join();
            nodes += member.nodes;
        }
        return nodes;
    }

  private:
    struct Member {
        Clock clock;
        NodeCounts nodes;
        std::thread thread;

        Member(std::uint64_t node_limit, const std::atomic<bool>& done) : clock({.nodes = node_limit}, done) {}
    };

    std::atomic<bool> done_{false};
    std::list<Member> members_;  // which do not move: threads refer to them
};

}  // namespace plypilot
