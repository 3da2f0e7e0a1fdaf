// What the threads of a pass over rows of patches work with, and how far the pass is.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace sbdl {

/// A Worker has megabytes to clear, so each thread makes its own.
template <class Worker>
class RowWorkers {
public:
    /// `progress`, if there is one, hears the share of the rows that are done. It never falls.
    RowWorkers(int threads, std::size_t rows, const std::function<void(double share)>& progress)
        : workers_(static_cast<std::size_t>(threads)), rows_(rows), progress_(progress) {}

    /// The thread's worker, made from `from` if it has none yet.
    template <class... From>
    Worker& of(int thread, From&&... from) {
        std::optional<Worker>& mine = workers_[static_cast<std::size_t>(thread)];
        if (!mine) mine.emplace(std::forward<From>(from)...);
        return *mine;
    }

    /// The thread's worker, which there must be.
    [[nodiscard]] Worker& made(int thread) { return *workers_[static_cast<std::size_t>(thread)]; }

    [[nodiscard]] const std::vector<std::optional<Worker>>& all() const { return workers_; }

    /// Another row is done.
    void count_row() {
        if (!progress_) return;
        const std::lock_guard lock(telling_);
        progress_(static_cast<double>(++done_) / static_cast<double>(rows_));
    }

private:
    std::vector<std::optional<Worker>> workers_;
    std::size_t rows_, done_ = 0;
    const std::function<void(double share)>& progress_;
    std::mutex telling_;
};

}  // namespace sbdl
