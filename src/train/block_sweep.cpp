#include "train/block_sweep.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace sbdl {

namespace {

constexpr std::size_t min_chunks = 8, max_chunks = 32;

}  // namespace

BlockSweep::BlockSweep(const SignalSource& source, double unit, std::size_t atom_count, int threads)
    : source_(source),
      unit_(unit),
      atom_count_(atom_count),
      threads_(resolve_threads(threads)),
      density_(source.count(), 0.0),
      total_(static_cast<Eigen::Index>(source.dim()), static_cast<Eigen::Index>(atom_count)),
      workspaces_(static_cast<std::size_t>(threads_)),
      signal_buffer_(static_cast<std::size_t>(threads_), std::vector<double>(block_size * source.dim())) {
    code_var_.assign(block_count() * atom_count_ * block_size, 1.0);
    // Each chunk has statistics of its own, which are cleared and summed in every sweep: together they are to take no
    // more than a third of what the code variances do.
    const std::size_t affordable = source.count() / (3 * (atom_count_ + source.dim()));
    const std::size_t chunks = std::min({block_count(), max_chunks, std::max(min_chunks, affordable)});
    chunk_stats_.assign(chunks, total_);
}

const SufficientStats& BlockSweep::run(const BlockWork& work) {
    const std::size_t chunks = chunk_stats_.size();
    const std::size_t blocks = block_count();
    parallel_for(chunks, threads_, [&](std::size_t chunk, int thread) {
        const auto mine = static_cast<std::size_t>(thread);
        SufficientStats& stats = chunk_stats_[chunk];
        stats.set_zero();
        for (std::size_t block = chunk * blocks / chunks; block < (chunk + 1) * blocks / chunks; ++block) {
            const std::size_t first = block * block_size;
            const std::size_t count = std::min(block_size, signal_count() - first);
            double* signals = signal_buffer_[mine].data();
            source_.read(first, count, signals);
            std::for_each(signals, signals + count * signal_dim(), [unit = unit_](double& value) { value /= unit; });
            work({.first_signal = first,
                  .count = count,
                  .signals = signals,
                  .code_var = code_var(block),
                  .density = density_.data() + first},
                 stats, workspaces_[mine]);
        }
    });
    add_up();
    return total_;
}

// Every number is summed in the order of the chunks, whichever thread does it. With many atoms the statistics are
// megabytes a chunk, and one thread would keep the others waiting.
void BlockSweep::add_up() {
    constexpr std::size_t columns = 32;
    total_.set_zero();
    parallel_for((atom_count_ + columns - 1) / columns, threads_, [&](std::size_t group, int) {
        const auto first = static_cast<Eigen::Index>(group * columns);
        const auto end = static_cast<Eigen::Index>(std::min((group + 1) * columns, atom_count_));
        for (const SufficientStats& stats : chunk_stats_) total_.add_columns(stats, first, end);
    });
    for (const SufficientStats& stats : chunk_stats_) total_.add_numbers(stats);
    total_.mirror();
}

Vec BlockSweep::signal(std::size_t l) const {
    Vec y(static_cast<Eigen::Index>(signal_dim()));
    source_.read(l, 1, y.data());
    return y / unit_;
}

void BlockSweep::fill_code_var(double value) {
    std::fill(code_var_.begin(), code_var_.end(), value);
}

double signal_precision(const BlockSweep& signals) {
    const double rms = root_mean_square(signals.source()) / signals.unit();
    return 1.0 / (rms * rms);
}

double root_mean_square(const SignalSource& source) {
    // Relative to the largest entry, so that squares of very large or very small units neither overflow nor vanish.
    std::vector<double> buffer(block_size * source.dim());
    double largest = 0.0, sum = 0.0;
    for (const bool measuring : {true, false}) {
        for (std::size_t first = 0; first < source.count(); first += block_size) {
            const std::size_t count = std::min(block_size, source.count() - first);
            source.read(first, count, buffer.data());
            double part = 0.0;
            for (std::size_t i = 0; i < count * source.dim(); ++i) {
                if (measuring)
                    largest = std::max(largest, std::abs(buffer[i]));
                else
                    part += (buffer[i] / largest) * (buffer[i] / largest);
            }
            sum += part;
        }
        if (largest == 0.0) return 1.0;
    }
    return largest * std::sqrt(sum / (static_cast<double>(source.count()) * static_cast<double>(source.dim())));
}

}  // namespace sbdl
