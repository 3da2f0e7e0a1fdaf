// Ranks that are threads of this process, so that tests need no MPI.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "sbdl/ranks.hpp"

namespace sbdl::test {

/// Messages on their way between threads.
class Mail {
public:
    void send(int from, int to, std::span<const std::byte> bytes) {
        const std::lock_guard lock(mutex_);
        boxes_[{from, to}].emplace_back(bytes.begin(), bytes.end());
        arrived_.notify_all();
    }
    /// Throws if nothing comes, so that a test of ranks that do not meet fails instead of waiting forever.
    void receive(int from, int to, std::span<std::byte> bytes) {
        std::unique_lock lock(mutex_);
        auto& box = boxes_[{from, to}];
        if (!arrived_.wait_for(lock, std::chrono::minutes(2), [&box] { return !box.empty(); }))
            throw std::logic_error("a rank waits for a message that does not come");
        if (box.front().size() != bytes.size()) throw std::logic_error("a message has another length than expected");
        std::copy(box.front().begin(), box.front().end(), bytes.begin());
        box.pop_front();
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
};

class ThreadRank final : public Ranks {
public:
    /// Ranks before `first_with_signals` have none.
    ThreadRank(Mail& mail, int count, int mine, int first_with_signals = 0)
        : mail_(mail), count_(count), mine_(mine), first_with_signals_(first_with_signals) {}

    [[nodiscard]] int count() const override { return count_; }
    [[nodiscard]] int mine() const override { return mine_; }
    [[nodiscard]] int first_with_signals() const override { return first_with_signals_; }
    [[nodiscard]] int on_this_machine() const override { return count_ - first_with_signals_; }
    [[nodiscard]] std::size_t least_piece() const override { return first_with_signals_ > 0 ? 1 << 16 : 0; }
    int least(int value) override {
        int other = value;
        const auto bytes = std::as_writable_bytes(std::span(&other, 1));
        if (mine_ == 0)
            for (int rank = 1; rank < count_; ++rank) {
                receive(rank, bytes);
                value = std::min(value, other);
            }
        else
            send(0, bytes);
        broadcast(0, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void broadcast(int from, std::span<std::byte> bytes) override {
        if (mine_ != from) return receive(from, bytes);
        for (int rank = 0; rank < count_; ++rank)
            if (rank != from) send(rank, bytes);
    }
    void send(int to, std::span<const std::byte> bytes) override { mail_.send(mine_, to, bytes); }
    void receive(int from, std::span<std::byte> bytes) override { mail_.receive(from, mine_, bytes); }

private:
    Mail& mail_;
    int count_, mine_, first_with_signals_;
};

/// Calls work() on so many ranks at once. Returns what each of them threw, null for nothing.
inline std::vector<std::exception_ptr> on_ranks(int count, const std::function<void(Ranks&)>& work,
                                                int first_with_signals = 0) {
    Mail mail;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < count; ++rank)
            threads.emplace_back([&, rank] {
                ThreadRank mine(mail, count, rank, first_with_signals);
                try {
                    work(mine);
                } catch (...) {
                    errors[static_cast<std::size_t>(rank)] = std::current_exception();
                }
            });
    }
    return errors;
}

/// What an exception says; "" for none.
inline std::string text_of(const std::exception_ptr& error) {
    if (!error) return "";
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
}

}  // namespace sbdl::test
