#include "base/state_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "base/checked_size.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash) {
    constexpr std::uint64_t prime = 0x100000001b3U;  // FNV-1a, a word at a time
    const auto* at = static_cast<const unsigned char*>(data);
    for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 29;
    }
    for (; size > 0; --size, ++at) hash = (hash ^ *at) * prime;
    return hash;
}

void RunningHash::add(const void* data, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(data);
    if (held_ > 0) {
        const std::size_t taken = std::min(size, rest_.size() - held_);
        std::copy(at, at + taken, rest_.begin() + static_cast<std::ptrdiff_t>(held_));
        held_ += taken;
        if (held_ < rest_.size()) return;
        hash_ = hash_bytes(rest_.data(), rest_.size(), hash_);
        at += taken;
        size -= taken;
    }
    held_ = size % rest_.size();
    hash_ = hash_bytes(at, size - held_, hash_);
    std::copy(at + (size - held_), at + size, rest_.begin());
}

StateArchive::StateArchive(AtomicFile* file, const RankGroup& ranks) : ranks_(ranks) {
    write_ = [this, file](std::span<const std::byte> bytes) {
        if (sent_ != nullptr) {
            sent_->insert(sent_->end(), bytes.begin(), bytes.end());
            constexpr std::size_t message_bytes = std::size_t{1} << 20;
            if (sent_->size() >= message_bytes) {
                ranks_.put(*sent_);
                sent_->clear();
            }
        }
        if (file == nullptr || failed_) return;
        try {
            file->write(bytes);
        } catch (const FileError&) {
            failed_ = std::current_exception();
        }
    };
}

StateArchive::StateArchive(const std::filesystem::path& path) : reader_(path, std::ios::binary), path_(path) {
    std::error_code error;
    left_ = std::filesystem::file_size(path, error);
    if (!reader_ || error)
        throw FileError(fmt::format("{}: cannot be read as a checkpoint{}", path.string(),
                                    error ? fmt::format(": {}", error.message()) : ""));
}

void StateArchive::operator()(std::string_view name, bool& value) {
    auto byte = static_cast<std::uint8_t>(value);
    (*this)(name, byte);
    if (byte > 1) damaged(name);
    value = byte == 1;
}

void StateArchive::operator()(std::string_view name, Mat& matrix) {
    std::uint64_t rows = static_cast<std::uint64_t>(matrix.rows());
    const std::size_t count = record(name, sizeof(double), static_cast<std::size_t>(matrix.size()));
    bytes(&rows, sizeof rows);
    if (loading()) {
        constexpr auto most_rows = static_cast<std::uint64_t>(std::numeric_limits<Eigen::Index>::max());
        if (rows == 0 ? count != 0 : count % rows != 0 || rows > most_rows) damaged(name);
        // Matrices that a run has from its beginning keep their shape.
        const std::size_t cols = rows == 0 ? 0 : count / rows;
        if (matrix.size() > 0 && (std::cmp_not_equal(matrix.rows(), rows) || std::cmp_not_equal(matrix.cols(), cols)))
            damaged(name);
        matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
    }
    bytes(matrix.data(), count * sizeof(double));
}

void StateArchive::operator()(std::string_view name, Matrix& matrix) {
    Mat columns = as_columns(matrix);
    (*this)(name, columns);
    if (loading()) matrix = to_rows(columns);
}

void StateArchive::operator()(std::string_view name, SparseCodes& codes) {
    record(name, 0, 0);
    (*this)("atoms", codes.atoms);
    (*this)("start", codes.start);
    (*this)("atom", codes.atom);
    (*this)("value", codes.value);
    (*this)("residual_norm", codes.residual_norm);
    if (!loading() || (codes.start.empty() && codes.atom.empty() && codes.value.empty())) return;
    const auto exists = [&codes](std::uint32_t atom) { return atom < codes.atoms; };
    if (codes.start.empty() || codes.start.front() != 0 || !std::ranges::is_sorted(codes.start) ||
        codes.start.back() != codes.atom.size() || codes.value.size() != codes.atom.size() ||
        !std::ranges::all_of(codes.atom, exists))
        damaged(name);
}

std::size_t StateArchive::record(std::string_view name, std::size_t entry_size, std::size_t count) {
    std::string written(name);
    auto length = static_cast<std::uint32_t>(name.size()), size = static_cast<std::uint32_t>(entry_size);
    std::uint64_t entries = count;
    bytes(&length, sizeof length);
    if (length != name.size()) damaged(name);
    bytes(written.data(), written.size());
    bytes(&size, sizeof size);
    bytes(&entries, sizeof entries);
    if (written != name || size != entry_size) damaged(name);
    const auto total = checked_product({entries, entry_size});
    if (loading() && (!total || *total > left_)) damaged(name);
    return entries;
}

void StateArchive::bytes(void* data, std::size_t size) {
    if (size == 0) return;
    if (loading()) {
        if (size > left_ || !reader_.read(static_cast<char*>(data), static_cast<std::streamsize>(size)))
            damaged("the end is missing");
        left_ -= size;
    } else {
        write_({static_cast<const std::byte*>(data), size});
    }
    hash_.add(data, size);
}

void StateArchive::in_turn(const std::function<void()>& own) {
    std::vector<std::byte> sent;
    ranks_.write_in_turn(
        [&] {
            if (!ranks_.first()) sent_ = &sent;
            own();
            if (!ranks_.first()) ranks_.put(sent);
            sent_ = nullptr;
        },
        [&](std::span<const std::byte> theirs) {
            write_(theirs);
            hash_.add(theirs.data(), theirs.size());
        });
}

void StateArchive::verify() {
    const std::streampos here = reader_.tellg();
    reader_.seekg(0, std::ios::end);
    auto left = static_cast<std::uint64_t>(reader_.tellg());
    std::uint64_t found = 0;
    if (left < sizeof found) damaged("the end is missing");
    reader_.seekg(0);
    RunningHash hash;
    std::vector<char> some(std::size_t{1} << 16);
    for (left -= sizeof found; left > 0;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, some.size()));
        if (!reader_.read(some.data(), static_cast<std::streamsize>(count))) damaged("the end is missing");
        hash.add(some.data(), count);
        left -= count;
    }
    if (!reader_.read(reinterpret_cast<char*>(&found), sizeof found) || found != hash.value())
        damaged("its checksum does not match");
    reader_.seekg(here);
}

void StateArchive::finish() {
    const std::uint64_t expected = hash_.value();
    std::uint64_t found = expected;
    bytes(&found, sizeof found);
    if (failed_) std::rethrow_exception(failed_);
    if (found != expected) damaged("its checksum does not match");
    if (loading() && left_ > 0) damaged("it is longer than it should be");
}

void StateArchive::damaged(std::string_view why) const {
    throw FileError(fmt::format("{}: is damaged, or was written by another version of sbdl ({})", path_.string(), why));
}

}  // namespace sbdl
