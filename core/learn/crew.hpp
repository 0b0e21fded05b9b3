// Threads that share out the tasks of one piece of work after another.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace plypilot {

/// What a task computes must not depend on who does it or when: then any number of members gives the same bits.
class Crew {
  public:
    /// The thread that makes the crew is its first member.
    explicit Crew(std::size_t members) {
        for (std::size_t i = 1; i < members; ++i) threads_.emplace_back([this, i] { serve(i); });
    }
    ~Crew() {
        work_ = nullptr;
        begin();
        for (std::thread& thread : threads_) thread.join();
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    std::size_t size() const { return threads_.size() + 1; }

    /// Calls work(task, member) once for each task below `tasks`, which go in order to whoever is free. Returns when
    /// all are done.
    template <class Work>
    void share(std::size_t tasks, const Work& work) {
        if (threads_.empty()) {
            for (std::size_t task = 0; task < tasks; ++task) work(task, 0);
            return;
        }
        const std::function<void(std::size_t)> take_part = [&](std::size_t member) {
            for (std::size_t task = next_.fetch_add(1); task < tasks; task = next_.fetch_add(1)) work(task, member);
        };
        work_ = &take_part;
        next_ = 0;
        busy_ = threads_.size();
        begin();
        take_part(0);
        for (std::size_t busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
    }

  private:
    void begin() {
        ++rounds_;
        rounds_.notify_all();
    }
    void serve(std::size_t member) {
        for (std::size_t round = 0;; ++round) {
            rounds_.wait(round);
            if (!work_) return;
            (*work_)(member);
            if (--busy_ == 0) busy_.notify_one();
        }
    }

    const std::function<void(std::size_t)>* work_ = nullptr;
    std::atomic<std::size_t> rounds_{0};
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> busy_{0};
    std::vector<std::thread> threads_;
};

}  // namespace plypilot
