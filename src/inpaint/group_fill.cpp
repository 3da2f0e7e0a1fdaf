#include "inpaint/group_fill.hpp"

#include <algorithm>

#include "base/linalg.hpp"
#include "base/products.hpp"
#include "base/stop.hpp"
#include "denoise/groups/similar_patches.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "denoise/row_workers.hpp"
#include "inpaint/fill_sums.hpp"
#include "inpaint/gappy_gaussian.hpp"

namespace sbdl {
namespace {

Matrix sum_of(const std::vector<Matrix>& planes) {
    Matrix sum = planes[0];
    for (std::size_t p = 1; p < planes.size(); ++p)
        for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += planes[p].data()[i];
    return sum;
}

class GroupFill {
public:
    GroupFill(FillState& state, const GroupFillSetting& setting)
        : state_(state),
          setting_(setting),
          planes_(state.estimate.size()),
          height_(state.estimate[0].rows()),
          width_(state.estimate[0].cols()),
          dim_(planes_ * setting.patch * setting.patch),
          grid_(patch_grid(height_, width_, setting.patch, setting.stride)),
          guide_(sum_of(state.estimate)),
          similar_(guide_, setting.patch, setting.radius),
          sums_(planes_, height_, width_, setting.least_variance) {}

    void run() {
        RowWorkers<Worker> workers(setting_.threads, grid_.rows.size(), setting_.progress);
        const auto estimate = [&](std::size_t row, int thread) {
            estimate_row(grid_.rows[row], workers.of(thread, *this));
        };
        const auto add = [&](std::size_t row, int thread) {
            const auto [first, end] = reach(grid_.rows[row]);
            sums_.take(workers.made(thread).strip, first, end - first);
            workers.count_row();
        };
        // The last row of groups may be less than a stride after the one before.
        const std::size_t apart = (strip_height() + setting_.stride - 1) / setting_.stride + 1;
        for_each_row(grid_.rows.size(), apart, setting_.threads, estimate, add);
        sums_.finish(state_, setting_.relaxation);
    }

private:
    struct Worker {
        explicit Worker(const GroupFill& pass)
            : strip(pass.planes_, pass.strip_height(), pass.width_, pass.setting_.least_variance) {}
        FillSums strip;
        SimilarPatches::Scratch scratch;
        std::vector<PatchPlace> group;
        GappyGaussian model;
        Mat patches, covariance;  // one patch a column
        Vec mean, uncertain, patch, variance;
        Observed observed;
    };

    [[nodiscard]] std::size_t strip_height() const { return 2 * setting_.radius + setting_.patch; }

    /// The rows of pixels that groups of this row of patches can reach: first and end.
    [[nodiscard]] std::pair<std::size_t, std::size_t> reach(std::size_t row) const {
        return {row > setting_.radius ? row - setting_.radius : 0,
                std::min(height_, row + setting_.radius + setting_.patch)};
    }

    void estimate_row(std::size_t row, Worker& mine) const {
        const std::size_t top = reach(row).first;
        mine.patch.resize(dim());
        mine.variance.resize(dim());
        mine.observed.resize(dim_);
        for (const std::size_t col : grid_.cols) {
            look_for_stop();
            similar_.find({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(col)}, setting_.most,
                          mine.scratch, mine.group);
            model_group(mine);
            for (std::size_t k = 0; k < std::min(mine.group.size(), setting_.estimated); ++k) {
                const PatchPlace at = mine.group[k];
                copy(state_.samples, at, mine.patch.data());
                copy_observed(at, mine.observed.data());
                mine.model.estimate(mine.observed, mine.patch, mine.variance);
                mine.strip.add(at.row - top, at.row, at.col, setting_.patch, state_.estimate, mine.patch,
                               mine.variance);
            }
        }
    }

    [[nodiscard]] Eigen::Index dim() const { return static_cast<Eigen::Index>(dim_); }

    void copy(std::span<const Matrix> planes, PatchPlace at, double* out) const {
        for (const Matrix& plane : planes)
            for (std::size_t i = 0; i < setting_.patch; ++i, out += setting_.patch)
                std::copy_n(plane.row(at.row + i).data() + at.col, setting_.patch, out);
    }

    void copy_observed(PatchPlace at, std::uint8_t* out) const {
        for (const Observed& plane : state_.observed)
            for (std::size_t i = 0; i < setting_.patch; ++i, out += setting_.patch)
                std::copy_n(plane.data() + (at.row + i) * width_ + at.col, setting_.patch, out);
    }

    /// Mean and covariance of the group's patches as they are estimated so far, and how uncertain they are: a step of
    /// expectation maximisation, with the covariance between the errors of different samples left out.
    void model_group(Worker& mine) const {
        const auto count = static_cast<Eigen::Index>(mine.group.size());
        mine.patches.resize(dim(), count);
        mine.uncertain.setZero(dim());
        for (Eigen::Index k = 0; k < count; ++k) {
            const PatchPlace at = mine.group[static_cast<std::size_t>(k)];
            copy(state_.estimate, at, mine.patches.col(k).data());
            copy(state_.variance, at, mine.patch.data());
            mine.uncertain += mine.patch / static_cast<double>(count);
        }
        mine.mean = mine.patches.rowwise().mean();
        mine.patches.colwise() -= mine.mean;
        mine.covariance.resize(dim(), dim());
        multiply_by_transposed(mine.patches, mine.patches, mine.covariance, 1.0 / static_cast<double>(count));
        const double ridge =
            setting_.least_variance + setting_.ridge * mine.covariance.trace() / static_cast<double>(dim_);
        mine.covariance.diagonal().array() += ridge;
        mine.covariance.diagonal() += setting_.uncertainty * mine.uncertain;
        mine.model.assign(mine.mean, mine.covariance, state_.sigma * state_.sigma);
    }

    FillState& state_;
    const GroupFillSetting& setting_;
    std::size_t planes_, height_, width_, dim_;
    PatchGrid grid_;
    Plane guide_;  // of the search
    SimilarPatches similar_;
    FillSums sums_;
};

}  // namespace

void group_fill(FillState& state, const GroupFillSetting& setting) {
    GroupFill(state, setting).run();
}

}  // namespace sbdl
