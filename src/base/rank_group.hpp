// What the ranks of a run do together. A process alone makes the same calls, which then do nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/partition.hpp"
#include "sbdl/ranks.hpp"

namespace sbdl {

/// The part of so many items that is a rank's: none of those before the first rank with signals. null: one process.
inline IndexRange part_of_rank(const Ranks* ranks, int rank, std::size_t items) {
    const int first = ranks == nullptr ? 0 : ranks->first_with_signals(), count = ranks == nullptr ? 1 : ranks->count();
    if (rank < first) return {};
    return Parts(items, static_cast<std::size_t>(count - first))[static_cast<std::size_t>(rank - first)];
}

/// What other ranks throw when one is out of memory.
class OutOfMemoryOnRank final : public std::bad_alloc {
public:
    explicit OutOfMemoryOnRank(const std::string& where) : text_("out of memory" + where) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

/// Every member, but for the first few, is called by all ranks, and throws the error of a rank that has failed.
class RankGroup {
public:
    /// null: this process alone. The ranks must outlive the group.
    explicit RankGroup(Ranks* ranks = nullptr) : ranks_(ranks != nullptr && ranks->count() > 1 ? ranks : nullptr) {}

    [[nodiscard]] int count() const { return ranks_ == nullptr ? 1 : ranks_->count(); }
    [[nodiscard]] int mine() const { return ranks_ == nullptr ? 0 : ranks_->mine(); }
    [[nodiscard]] bool alone() const { return ranks_ == nullptr; }
    /// The ranks among which Execution::memory_bytes is divided.
    [[nodiscard]] int on_this_machine() const { return ranks_ == nullptr ? 1 : ranks_->on_this_machine(); }
    /// This rank writes files and reports.
    [[nodiscard]] bool first() const { return mine() == 0; }
    /// How many ranks have signals, and this rank's place among them; none: it has no signals.
    [[nodiscard]] std::size_t sharers() const { return static_cast<std::size_t>(count() - first_sharer()); }
    [[nodiscard]] std::optional<std::size_t> my_place() const {
        if (mine() < first_sharer()) return std::nullopt;
        return static_cast<std::size_t>(mine() - first_sharer());
    }
    /// The part of so many items that is this rank's, or another's.
    [[nodiscard]] IndexRange my_part(std::size_t items) const { return part_of(mine(), items); }
    [[nodiscard]] IndexRange part_of(int rank, std::size_t items) const { return part_of_rank(ranks_, rank, items); }

    /// Before a call that the ranks share.
    void begin();
    /// Tells the other ranks that this one has failed, unless they know: they throw the same from whatever they do
    /// together next. `error` must not be null.
    void fail(const std::exception_ptr& error);

    /// Rank 0's value.
    template <class Value>
    requires std::is_trivially_copyable_v<Value> Value of_first(Value value) {
        if (alone()) return value;
        meet();
        ranks_->broadcast(0, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    std::string of_first(std::string text);

    /// The values of rank `from`, which are as many on every rank.
    template <class Value>
    void share(int from, std::span<Value> values) {
        if (alone()) return;
        meet();
        ranks_->broadcast(from, std::as_writable_bytes(values));
    }

    /// The values of all ranks, one after another.
    template <class Value>
    requires std::is_trivially_copyable_v<Value> std::vector<Value> joined(std::vector<Value> values) {
        if (alone()) return values;
        meet();
        std::vector<Value> all;
        for (int rank = 0; rank < count(); ++rank) {
            std::uint64_t size = values.size();
            ranks_->broadcast(rank, std::as_writable_bytes(std::span(&size, 1)));
            const std::size_t before = all.size();
            all.resize(before + size);
            if (rank == mine())
                std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(before));
            ranks_->broadcast(rank, std::as_writable_bytes(std::span(all).subspan(before)));
        }
        return all;
    }

    /// Adds up in the order of the ranks: `sum` is zero, each rank with signals calls add(piece), which adds its own
    /// part to a piece of the sum, and all ranks get the result. Several pieces are on the way at a time. `piece` is
    /// the same on all ranks.
    void add_in_turn(std::span<double> sum, std::size_t piece, const std::function<void(const IndexRange&)>& add);

    /// Rank 0 calls own(), then take() with the bytes that the own() of ranks 1, 2, ... put(), in order. What take()
    /// throws is thrown in the end. Other ranks: put() is to be called in own().
    void write_in_turn(const std::function<void()>& own, const std::function<void(std::span<const std::byte>)>& take);
    void put(std::span<const std::byte> bytes);

    /// Throws InputError, on all ranks, unless `value` is the same everywhere: "rank 2 has WHAT than rank 0".
    void require_same(std::uint64_t value, std::string_view what);
    /// The same for the version of sbdl and the vector instructions, on which the last digits depend.
    void require_same_program();

private:
    /// Throws if a rank has failed, this one with `error` for example.
    void meet(const std::exception_ptr& error = nullptr);
    [[noreturn]] void rethrow(int from, const std::exception_ptr& mine);
    [[nodiscard]] int first_sharer() const { return ranks_ == nullptr ? 0 : ranks_->first_with_signals(); }

    Ranks* ranks_;
};

/// For a message about memory, which is of one machine.
std::string for_ranks_here(const RankGroup& ranks);

/// Calls work() as all ranks do. Its error, if this rank throws one, is told to the others.
template <class Work>
auto on_all_ranks(Ranks* ranks, const Work& work) {
    RankGroup group(ranks);
    group.begin();
    try {
        return work();
    } catch (...) {
        group.fail(std::current_exception());
        throw;
    }
}

}  // namespace sbdl
