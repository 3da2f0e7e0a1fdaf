#include "experiments/inpainting/bpfa_fill.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "denoise/patches.hpp"
#include "inpaint/first_fill.hpp"
#include "sbdl/train.hpp"

namespace sbdl::inpainting {
namespace {

constexpr std::size_t patch = 8;

/// The patches over all planes that have an observed sample, minus the mean of what was observed in the image.
class GappyPatches final : public SignalSource {
public:
    GappyPatches(std::span<const Matrix> planes, double mean)
        : planes_(planes), mean_(mean), grid_(patch_grid(planes[0].rows(), planes[0].cols(), patch, 1)) {
        std::vector<double> values(dim());
        for (std::size_t number = 0; number < grid_.count(); ++number) {
            read_patch_at(number, values.data());
            if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
                numbers_.push_back(number);
        }
    }

    [[nodiscard]] std::size_t count() const override { return numbers_.size(); }
    [[nodiscard]] std::size_t dim() const override { return planes_.size() * patch * patch; }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        for (std::size_t i = 0; i < how_many; ++i) read_patch_at(numbers_[first + i], out + i * dim());
    }
    [[nodiscard]] std::string name() const override { return "patches of the image"; }

    /// Adds an estimate of signal `number` to the sums of the samples that it covers.
    void add(std::size_t number, std::span<const double> estimate, std::vector<Matrix>& sums,
             std::vector<Matrix>& patches) const {
        const double* from = estimate.data();
        const std::size_t row = row_of(numbers_[number]), col = col_of(numbers_[number]);
        for (std::size_t p = 0; p < sums.size(); ++p)
            for (std::size_t i = 0; i < patch; ++i)
                for (std::size_t j = 0; j < patch; ++j) {
                    sums[p](row + i, col + j) += mean_ + *from++;
                    patches[p](row + i, col + j) += 1.0;
                }
    }

private:
    [[nodiscard]] std::size_t row_of(std::size_t number) const { return grid_.rows[number / grid_.cols.size()]; }
    [[nodiscard]] std::size_t col_of(std::size_t number) const { return grid_.cols[number % grid_.cols.size()]; }

    void read_patch_at(std::size_t number, double* out) const {
        const std::size_t row = row_of(number), col = col_of(number);
        for (const Matrix& plane : planes_)
            for (std::size_t i = 0; i < patch; ++i, out += patch)
                std::ranges::transform(plane.row(row + i).subspan(col, patch), out,
                                       [this](double sample) { return sample - mean_; });
    }

    std::span<const Matrix> planes_;
    double mean_;
    PatchGrid grid_;
    std::vector<std::size_t> numbers_;  // of the grid
};

double observed_mean(std::span<const Matrix> planes) {
    double sum = 0.0, count = 0.0;
    for (const Matrix& plane : planes)
        for (std::size_t i = 0; i < plane.size(); ++i) {
            if (std::isnan(plane.data()[i])) continue;
            sum += plane.data()[i];
            count += 1.0;
        }
    return sum / count;
}

}  // namespace

BpfaOptions bpfa_options() {
    BpfaOptions options = BpfaOptions::preset(Preset::standard, 256);
    options.burn_in = 100;
    options.most_burn_in = 0;
    options.draws = 50;
    return options;
}

std::vector<Matrix> bpfa_fill(const Image& incomplete, const BpfaOptions& options, const Context& context) {
    const GappyPatches patches(incomplete.planes, observed_mean(incomplete.planes));
    Context learning = context;
    learning.reconstruct = true;
    const TrainResult learned = train(patches, options, learning);
    std::vector<Matrix> filled = incomplete.planes;
    fill_planes_smoothly(filled, observed_samples(incomplete));
    std::vector<Matrix> sums(filled.size(), Matrix(filled[0].rows(), filled[0].cols())), counts = sums;
    for (std::size_t number = 0; number < patches.count(); ++number)
        patches.add(number, learned.reconstruction.row(number), sums, counts);
    for (std::size_t p = 0; p < filled.size(); ++p)
        for (std::size_t i = 0; i < filled[p].size(); ++i)
            if (counts[p].data()[i] > 0.0) filled[p].data()[i] = sums[p].data()[i] / counts[p].data()[i];
    return filled;
}

}  // namespace sbdl::inpainting
