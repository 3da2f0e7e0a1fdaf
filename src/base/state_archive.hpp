// The state of a run as a sequence of named values. One function of each class, archive(), lists what the class holds;
// the same list is written to a checkpoint and read back from it, so the two cannot disagree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/linalg.hpp"
#include "base/rank_group.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// A 64-bit hash that is the same everywhere and always: it goes into files. Continues from `hash`.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325U);

/// hash_bytes() of bytes that come in pieces.
class RunningHash {
public:
    void add(const void* data, std::size_t size);
    [[nodiscard]] std::uint64_t value() const { return hash_bytes(rest_.data(), held_, hash_); }

private:
    std::uint64_t hash_ = hash_bytes(nullptr, 0);
    std::array<unsigned char, sizeof(std::uint64_t)> rest_{};  // of a word that is not complete yet
    std::size_t held_ = 0;
};

class StateArchive {
public:
    /// Writes to `file`, which must outlive this.
    explicit StateArchive(AtomicFile& file)
        : write_([&file](std::span<const std::byte> bytes) { file.write(bytes); }) {}
    /// The ranks write together, `file` of rank 0. A write that fails throws in finish(), so that all ranks archive all
    /// they have.
    StateArchive(AtomicFile* file, const RankGroup& ranks);
    /// Reads the file. FileError when it cannot be opened.
    explicit StateArchive(const std::filesystem::path& path);
    StateArchive(const StateArchive&) = delete;
    StateArchive& operator=(const StateArchive&) = delete;

    [[nodiscard]] bool loading() const { return !write_; }
    /// The file that is read.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
    void operator()(std::string_view name, Number& value) {
        if (record(name, sizeof(Number), 1) != 1) damaged(name);
        bytes(&value, sizeof(Number));
    }
    /// A byte other than 0 and 1 would be no bool.
    void operator()(std::string_view name, bool& value);
    /// How many parts of some kind follow. A number of more than the rest of the file can hold is an error.
    template <class Whole>
    requires std::is_unsigned_v<Whole> Whole count(std::string_view name, Whole parts) {
        (*this)(name, parts);
        constexpr std::uint64_t head_bytes = 16;  // of each part
        if (loading() && parts > left_ / head_bytes) damaged(name);
        return parts;
    }
    /// Numbers or characters in a row: std::vector, std::string, Vec.
    template <class Array>
    requires std::is_arithmetic_v<typename Array::value_type>
    void operator()(std::string_view name, Array& values) {
        constexpr std::size_t size = sizeof(typename Array::value_type);
        const std::size_t count = record(name, size, static_cast<std::size_t>(values.size()));
        if (loading()) values.resize(static_cast<decltype(values.size())>(count));
        bytes(values.data(), count * size);
    }
    /// The same where the number of values cannot be another than it is.
    void operator()(std::string_view name, std::span<double> values) {
        if (record(name, sizeof(double), values.size()) != values.size()) damaged(name);
        bytes(values.data(), values.size_bytes());
    }
    void operator()(std::string_view name, Mat& matrix);
    void operator()(std::string_view name, Matrix& matrix);
    /// Codes that are read are complete: each signal has its entries, and each entry an atom that exists.
    void operator()(std::string_view name, SparseCodes& codes);
    /// Anything that lists its own parts.
    template <class Part>
    requires requires(Part& part, StateArchive& archive) { part.archive(archive); }
    void operator()(std::string_view name, Part& part) {
        record(name, 0, 0);
        part.archive(*this);
    }

    /// For what the ranks hold one after another. Writes what own() archives on each of them, in order. To read it is
    /// up to the caller: every rank reads everything.
    void in_turn(const std::function<void()>& own);

    /// Reads the whole file and compares its checksum, before anything in it is relied on: a damaged count must not
    /// decide how much memory is asked for. Throws FileError. For reading only.
    void verify();

    /// Throws FileError. For what a class finds wrong with its own state, too.
    [[noreturn]] void damaged(std::string_view why) const;

    /// Ends the file: writes the checksum of all that came before, or compares it. Throws FileError for a file that is
    /// damaged or longer.
    void finish();

private:
    /// Writes the head of a value, or checks that it is next; returns how many entries follow.
    std::size_t record(std::string_view name, std::size_t entry_size, std::size_t count);
    void bytes(void* data, std::size_t size);

    std::function<void(std::span<const std::byte>)> write_;  // empty: reading
    RankGroup ranks_{};
    std::exception_ptr failed_;               // of the first write that failed, when ranks write together
    std::vector<std::byte>* sent_ = nullptr;  // on other ranks than 0, while it is their turn: what is to be sent
    std::ifstream reader_;
    std::filesystem::path path_;
    std::uint64_t left_ = 0;  // bytes of the file that are still to be read
    RunningHash hash_;
};

}  // namespace sbdl
