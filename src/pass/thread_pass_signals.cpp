// What a ThreadPass says about single signals, and how it is saved.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/partition.hpp"
#include "pass/thread_pass.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

std::vector<double> ThreadPass::code_variances() const {
    const std::size_t entries = atom_count() * block_size;
    std::vector<double> all;
    AlignedDoubles room;
    for (std::size_t block = 0; block < chunks_.count(); ++block) {
        const double* const values = entries_.load(block, room);
        all.insert(all.end(), values, values + entries);
    }
    return all;
}

SparseCodes ThreadPass::on_off_codes(std::size_t block) const {
    OnOffStore::Room room;
    return on_off_.load(block, room);
}

Mat ThreadPass::reconstruct(const Mat& D, std::span<const std::size_t> signals) const {
    if (!has_on_off_) return {};
    Mat made = Mat::Zero(D.rows(), static_cast<Eigen::Index>(signals.size()));
    OnOffStore::Room room;
    const SparseCodes* loaded = nullptr;
    std::size_t loaded_block = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (signals[i] >= share_.count())
            throw InputError(fmt::format("reconstruct: signal is {}, must be below {}", signals[i], share_.count()));
        const std::size_t block = signals[i] / block_size;
        if (loaded == nullptr || block != loaded_block) loaded = &on_off_.load(block, room);
        loaded_block = block;
        const SparseCodes& codes = *loaded;
        const std::size_t row = signals[i] % block_size;
        for (std::size_t k = codes.start[row]; k < codes.start[row + 1]; ++k)
            made.col(static_cast<Eigen::Index>(i)) += codes.value[k] * D.col(codes.atom[k]);
    }
    return made;
}

Vec ThreadPass::signal(std::size_t l) const {
    Vec signal = is_mine(l) ? share_.filled_signal(l - first_) : Vec::Zero(share_.dim());
    ranks_.share(owner_of(l), std::span(signal.data(), static_cast<std::size_t>(signal.size())));
    return signal;
}

Mat ThreadPass::spread_signals(std::size_t most) const {
    const std::size_t count = std::min(signal_count(), most);
    std::vector<double> mine;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t l = i * signal_count() / count;
        if (!is_mine(l)) continue;
        const Vec signal = share_.signal(l - first_);
        mine.insert(mine.end(), signal.begin(), signal.end());
    }
    const std::vector<double> all = ranks_.joined(std::move(mine));
    return Eigen::Map<const Mat>(all.data(), share_.dim(), static_cast<Eigen::Index>(count));
}

std::vector<std::size_t> ThreadPass::densest_signals(std::size_t most) const {
    struct Candidate {
        double density;
        std::size_t signal;
    };
    std::vector<Candidate> densest(density_.size());
    for (std::size_t l = 0; l < densest.size(); ++l) densest[l] = {density_[l], first_ + l};
    const auto keep_densest = [&] {
        const std::size_t offered = std::min(most, densest.size());
        std::partial_sort(densest.begin(), densest.begin() + static_cast<std::ptrdiff_t>(offered), densest.end(),
                          [](const Candidate& a, const Candidate& b) {
                              return a.density != b.density ? a.density > b.density : a.signal < b.signal;
                          });
        densest.resize(offered);
    };
    keep_densest();
    densest = ranks_.joined(std::move(densest));
    keep_densest();
    std::vector<std::size_t> signals;
    for (const Candidate& candidate : densest) signals.push_back(candidate.signal);
    return signals;
}

// Block by block, so that the file does not depend on the ranks. To load it, every rank reads all blocks and keeps its
// own.
void ThreadPass::archive(StateArchive& archive) {
    bool on_off = has_on_off_, means = has_means_;
    archive("on_off", on_off);
    archive("means", means);
    if (archive.loading()) {
        on_off_ = {};
        has_on_off_ = has_means_ = false;
        if (on_off) begin_on_off_codes();
        entries_.fill(1.0);
        if (means) start_mean_codes();
        for (std::size_t block = 0; block < Blocks(signal_count(), block_size).number(); ++block)
            archive_block(archive, block, on_off);
    } else {
        archive.in_turn([&] {
            for (std::size_t block = 0; block < chunks_.count(); ++block)
                archive_block(archive, first_ / block_size + block, on_off);
        });
    }
    bool recording = record_.has_value();
    archive("recording", recording);
    if (archive.loading()) record_.reset();
    if (recording && !record_) record_.emplace();
    if (recording) archive("record", *record_);
}

void ThreadPass::archive_block(StateArchive& archive, std::size_t block, bool on_off) {
    const std::size_t mine = block - first_ / block_size, signals = Blocks(signal_count(), block_size)[block].size;
    const std::size_t entries = atom_count() * block_size;
    if (mine < chunks_.count()) {
        double* const codes = entries_.load(mine, entry_room_.front());
        archive("codes", std::span(codes, entries));
        if (archive.loading()) entries_.save(mine, codes);
        archive("density", std::span(density_).subspan(mine * block_size, signals));
    } else {
        std::vector<double> others(entries);
        archive("codes", std::span(others));
        archive("density", std::span(others).first(signals));
    }
    if (!on_off) return;
    OnOffStore::Room room;
    SparseCodes& codes = mine < chunks_.count() ? on_off_.load(mine, room) : room.codes;
    archive("on_off_codes", codes);
    if (codes.atoms != atom_count() || codes.count() != signals || codes.atom.size() > signals * atom_count())
        archive.damaged("on_off_codes");
    if (archive.loading() && mine < chunks_.count()) on_off_.save(mine, codes, room);
}

}  // namespace sbdl
