#include "base/rank_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/compute_scope.hpp"
#include "base/state_archive.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

/// What a rank tells the others about its error, so that they can throw the same.
enum class Kind : std::uint32_t { input, file, numeric, stopped, memory, other };

struct Notice {
    Kind kind = Kind::other;
    std::uint32_t length = 0;  // of the message, which follows
};

Kind kind_of(const std::exception_ptr& error, std::string& message) {
    try {
        std::rethrow_exception(error);
    } catch (const InputError& input) {
        message = input.what();
        return Kind::input;
    } catch (const FileError& file) {
        message = file.what();
        return Kind::file;
    } catch (const NumericError& numeric) {
        message = numeric.what();
        return Kind::numeric;
    } catch (const Stopped&) {
        return Kind::stopped;
    } catch (const std::bad_alloc&) {
        return Kind::memory;
    } catch (const std::exception& other) {
        message = other.what();
        return Kind::other;
    } catch (...) {
        message = "unknown error";
        return Kind::other;
    }
}

[[noreturn]] void throw_as(Kind kind, const std::string& message, int rank) {
    // Files, disks and memory may be those of another machine.
    const std::string where = rank == 0 ? "" : fmt::format(" (on rank {})", rank);
    switch (kind) {
        case Kind::input:
            throw InputError(message);
        case Kind::file:
            throw FileError(message + where);
        case Kind::numeric:
            throw NumericError(message);
        case Kind::stopped:
            throw Stopped();
        case Kind::memory:
            throw OutOfMemoryOnRank(where);
        case Kind::other:
            break;
    }
    throw std::runtime_error(fmt::format("rank {}: {}", rank, message));
}

/// The first error of work that is done in the middle of an exchange, which goes on to its end: the others would wait.
class FirstError {
public:
    void of(const std::function<void()>& work) {
        if (error_) return;
        try {
            work();
        } catch (...) {
            error_ = std::current_exception();
        }
    }
    [[nodiscard]] const std::exception_ptr& error() const { return error_; }

private:
    std::exception_ptr error_;
};

}  // namespace

void RankGroup::begin() {
    if (!alone()) ranks_->failed_ = false;
}

void RankGroup::meet(const std::exception_ptr& error) {
    const int failed = ranks_->least(error ? mine() : count());
    if (failed < count()) rethrow(failed, error);
}

void RankGroup::fail(const std::exception_ptr& error) {
    if (alone() || ranks_->failed_) return;
    try {
        meet(error);
    } catch (...) {  // the caller has its own error, which says the same or more
    }
}

void RankGroup::rethrow(int from, const std::exception_ptr& mine) {
    ranks_->failed_ = true;
    std::string message;
    Notice notice;
    if (from == this->mine()) {
        notice.kind = kind_of(mine, message);
        notice.length = static_cast<std::uint32_t>(message.size());
    }
    ranks_->broadcast(from, std::as_writable_bytes(std::span(&notice, 1)));
    message.resize(notice.length);
    ranks_->broadcast(from, std::as_writable_bytes(std::span(message)));
    throw_as(notice.kind, message, from);
}

std::string RankGroup::of_first(std::string text) {
    if (alone()) return text;
    text.resize(of_first(text.size()));
    ranks_->broadcast(0, std::as_writable_bytes(std::span(text)));
    return text;
}

void RankGroup::add_in_turn(std::span<double> sum, std::size_t piece,
                            const std::function<void(const IndexRange&)>& add) {
    const std::size_t least = alone() ? 0 : ranks_->least_piece() / sizeof(double);
    const Blocks pieces(sum.size(), std::max(piece, least));
    if (alone()) {
        for (const IndexRange range : pieces) add(range);
        return;
    }
    meet();
    FirstError failed;
    for (const IndexRange range : pieces) {
        if (!my_place()) break;
        const std::span<double> part = sum.subspan(range.first, range.size);
        if (my_place() > 0U) ranks_->receive(mine() - 1, std::as_writable_bytes(part));
        failed.of([&] { add(range); });
        if (mine() + 1 < count()) ranks_->send(mine() + 1, std::as_bytes(part));
    }
    ranks_->broadcast(count() - 1, std::as_writable_bytes(sum));
    meet(failed.error());
}

void RankGroup::write_in_turn(const std::function<void()>& own,
                              const std::function<void(std::span<const std::byte>)>& take) {
    if (alone()) return own();
    meet();
    FirstError failed;
    failed.of(own);
    std::uint64_t size = 0;
    if (!first()) ranks_->send(0, std::as_bytes(std::span(&size, 1)));  // the end
    std::vector<std::byte> bytes;
    for (int rank = 1; first() && rank < count(); ++rank) {
        for (;;) {
            ranks_->receive(rank, std::as_writable_bytes(std::span(&size, 1)));
            if (size == 0) break;
            bytes.resize(size);
            ranks_->receive(rank, bytes);
            failed.of([&] { take(bytes); });
        }
    }
    meet(failed.error());
}

void RankGroup::put(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    std::uint64_t size = bytes.size();
    ranks_->send(0, std::as_bytes(std::span(&size, 1)));
    ranks_->send(0, bytes);
}

void RankGroup::require_same(std::uint64_t value, std::string_view what) {
    if (alone()) return;
    const std::uint64_t theirs = of_first(value);
    const int differs = ranks_->least(theirs == value ? count() : mine());
    if (differs < count()) throw InputError(fmt::format("rank {} has {} than rank 0", differs, what));
}

void RankGroup::require_same_program() {
    if (alone()) return;
    const std::string program = fmt::format("{} {}", version(), wanted_instruction_set());
    require_same(hash_bytes(program.data(), program.size()), "another version of sbdl or other vector instructions");
}

std::string for_ranks_here(const RankGroup& ranks) {
    return ranks.on_this_machine() == 1 ? ""
                                        : fmt::format(" for the {} ranks of this machine", ranks.on_this_machine());
}

}  // namespace sbdl
