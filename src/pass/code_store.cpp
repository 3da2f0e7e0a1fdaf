#include "pass/code_store.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace sbdl {
namespace {

std::size_t blocks_in_memory(std::size_t blocks, std::size_t numbers, const CodeStorage& storage) {
    if (!storage.on_disk()) return blocks;
    const double fitting = storage.bytes / (static_cast<double>(numbers) * sizeof(double));
    return fitting >= static_cast<double>(blocks) ? blocks : static_cast<std::size_t>(std::max(fitting, 0.0));
}

/// Appends the values to the bytes.
template <class Value>
std::byte* put(const std::vector<Value>& values, std::byte* to) {
    if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(Value));
    return to + values.size() * sizeof(Value);
}

template <class Value>
const std::byte* take(const std::byte* from, std::size_t count, std::vector<Value>& values) {
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), from, count * sizeof(Value));
    return from + count * sizeof(Value);
}

constexpr std::size_t bytes_of_entry = sizeof(std::uint32_t) + sizeof(double);

std::size_t bytes_of_codes(std::size_t signals, std::size_t entries) {
    return (signals + 1) * sizeof(std::size_t) + entries * bytes_of_entry;
}

}  // namespace

void CodeStore::begin(std::size_t blocks, std::size_t numbers, double value, const CodeStorage& storage) {
    blocks_ = blocks;
    numbers_ = numbers;
    kept_blocks_ = blocks_in_memory(blocks, numbers, storage);
    value_ = value;
    file_.reset();
    if (kept_blocks_ < blocks_) {
        const std::size_t records = blocks_ - kept_blocks_, bytes = numbers_ * sizeof(double);
        file_ = std::make_unique<ScratchFile>(
            storage.folder, records, bytes,
            static_cast<double>(records) * static_cast<double>(bytes) + storage.later_bytes, storage.ranks_here);
        file_->reserve();
    }
    kept_.assign(kept_blocks_ * numbers_, value);
}

void CodeStore::fill(double value) {
    value_ = value;
    std::fill(kept_.begin(), kept_.end(), value);
    if (file_) file_->clear();
}

const double* CodeStore::load(std::size_t block, AlignedDoubles& room) const {
    if (is_kept(block)) return kept_.data() + kept_before(block) * numbers_;
    room.resize(numbers_);
    const std::size_t record = record_of(block);
    if (file_->size(record) > 0)
        file_->read(record, std::as_writable_bytes(std::span(room.data(), numbers_)));
    else
        std::fill(room.begin(), room.end(), value_);
    return room.data();
}

void CodeStore::save(std::size_t block, const double* values) {
    if (!is_kept(block)) file_->write(record_of(block), std::as_bytes(std::span(values, numbers_)));
}

void CodeStore::prefetch(std::size_t block) const {
    if (!is_kept(block)) file_->prefetch(record_of(block));
}

double expected_on_off_bytes(double signals, std::size_t atoms) {
    constexpr double expected_on = 16.0;  // entries of a code
    return signals * (sizeof(std::size_t) + std::min(expected_on, static_cast<double>(atoms)) * bytes_of_entry);
}

OnOffStore::OnOffStore(const Partition& blocks, std::size_t atoms, const CodeStorage& storage) : atoms_(atoms) {
    for (const IndexRange& block : blocks) counts_.push_back(block.size);
    if (storage.on_disk()) {
        const std::size_t most = counts_.empty() ? 0 : *std::ranges::max_element(counts_);
        file_ = std::make_unique<ScratchFile>(storage.folder, counts_.size(), bytes_of_codes(most, most * atoms),
                                              expected_on_off_bytes(static_cast<double>(blocks.count()), atoms),
                                              storage.ranks_here);
        return;
    }
    kept_.resize(counts_.size());
    for (std::size_t block = 0; block < kept_.size(); ++block) all_off(block, kept_[block]);
}

void OnOffStore::all_off(std::size_t block, SparseCodes& codes) const {
    codes.atoms = atoms_;
    codes.start.assign(counts_[block] + 1, 0);
    codes.atom.clear();
    codes.value.clear();
}

const SparseCodes& OnOffStore::load(std::size_t block, Room& room) const {
    if (!file_) return kept_[block];
    if (file_->size(block) == 0) {
        all_off(block, room.codes);
        return room.codes;
    }
    room.bytes.resize(file_->size(block));
    file_->read(block, room.bytes);
    room.codes.atoms = atoms_;
    const std::byte* from = take(room.bytes.data(), counts_[block] + 1, room.codes.start);
    const std::size_t entries = room.codes.start.back();
    take(take(from, entries, room.codes.value), entries, room.codes.atom);
    return room.codes;
}

void OnOffStore::save(std::size_t block, const SparseCodes& codes, Room& room) {
    if (!file_) return;
    room.bytes.resize(bytes_of_codes(codes.count(), codes.atom.size()));
    put(codes.atom, put(codes.value, put(codes.start, room.bytes.data())));
    file_->write(block, room.bytes);
}

void OnOffStore::prefetch(std::size_t block) const {
    if (file_) file_->prefetch(block);
}

}  // namespace sbdl
