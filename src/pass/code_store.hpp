// Where a pass keeps the codes of its signals, block by block: in memory, or as many as fit and the others in a file.
// The pass asks for a block, works on it and gives it back; it gets the same numbers from either place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "base/scratch_file.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// How much of the codes is kept in memory.
struct CodeStorage {
    std::filesystem::path folder{};  ///< for the others; empty: all are in memory
    double bytes = 0.0;              ///< of codes in memory, if there is a folder
    double later_bytes = 0.0;        ///< that on/off codes will need in the folder
    int ranks_here = 1;              ///< of this machine, which all keep codes

    [[nodiscard]] bool on_disk() const { return !folder.empty(); }
};

/// So many numbers for every block.
class CodeStore {
public:
    /// All numbers are `value`. Throws FileError when the folder has no room for those that do not fit in memory.
    void begin(std::size_t blocks, std::size_t numbers, double value, const CodeStorage& storage);
    void fill(double value);

    /// The block's numbers: where they are kept, or a copy of them in `room`. In that case a change has to be save()d.
    /// Different blocks may be loaded and saved by several threads at once.
    double* load(std::size_t block, AlignedDoubles& room) {
        return const_cast<double*>(std::as_const(*this).load(block, room));
    }
    const double* load(std::size_t block, AlignedDoubles& room) const;
    void save(std::size_t block, const double* values);
    /// The block will soon be loaded.
    void prefetch(std::size_t block) const;

    /// All numbers, one block after another. Only if none is in a file.
    [[nodiscard]] const AlignedDoubles& all() const { return kept_; }
    [[nodiscard]] bool on_disk() const { return file_ != nullptr; }

private:
    /// The blocks in memory are spread evenly over all, so that reading and writing is, too: how many are among the
    /// first so many.
    [[nodiscard]] std::size_t kept_before(std::size_t blocks) const {
        return blocks_ == 0 ? 0 : blocks * kept_blocks_ / blocks_;
    }
    [[nodiscard]] bool is_kept(std::size_t block) const { return kept_before(block + 1) > kept_before(block); }
    [[nodiscard]] std::size_t record_of(std::size_t block) const { return block - kept_before(block); }

    std::size_t blocks_ = 0, numbers_ = 0, kept_blocks_ = 0;
    double value_ = 0.0;  // of blocks in the file that have not been saved
    AlignedDoubles kept_;
    std::unique_ptr<ScratchFile> file_;
};

/// What the on/off codes of so many signals take on disk, as far as can be known.
double expected_on_off_bytes(double signals, std::size_t atoms);

/// On/off codes, as many as there are in each block. On disk, all of them are.
class OnOffStore {
public:
    /// What a thread needs for a block that is not in memory.
    struct Room {
        SparseCodes codes;
        std::vector<std::byte> bytes;
    };

    OnOffStore() = default;
    /// All codes of the signals in these blocks are off.
    OnOffStore(const Partition& blocks, std::size_t atoms, const CodeStorage& storage);

    [[nodiscard]] std::size_t blocks() const { return counts_.size(); }

    /// As for CodeStore.
    SparseCodes& load(std::size_t block, Room& room) {
        return const_cast<SparseCodes&>(std::as_const(*this).load(block, room));
    }
    const SparseCodes& load(std::size_t block, Room& room) const;
    void save(std::size_t block, const SparseCodes& codes, Room& room);
    void prefetch(std::size_t block) const;

private:
    void all_off(std::size_t block, SparseCodes& codes) const;

    std::size_t atoms_ = 0;
    std::vector<std::size_t> counts_;  // signals of each block
    std::vector<SparseCodes> kept_;    // empty if they are in the file
    std::unique_ptr<ScratchFile> file_;
};

}  // namespace sbdl
