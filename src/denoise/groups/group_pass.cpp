#include "denoise/groups/group_pass.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/linalg.hpp"
#include "base/products.hpp"
#include "base/stop.hpp"
#include "denoise/groups/group_filter.hpp"
#include "denoise/groups/similar_patches.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "denoise/row_workers.hpp"
#include "denoise/whitening.hpp"

namespace sbdl {
namespace {

constexpr double feedback = 0.1;         // share of what was removed that the next pass sees again
constexpr double leftover = 0.36;        // of the noise that is not accounted for: what groups take for noise
constexpr double least_leftover = 0.02;  // variance, of that of the noise: rounding must not decide

/// Sums over the patches that cover each pixel, of the rows that groups of one row of patches can reach.
struct Strip {
    Strip(std::size_t planes, std::size_t rows, std::size_t cols, bool with_kept)
        : weight(rows, cols), value(planes, Matrix(rows, cols)), kept(with_kept ? planes : 0, Matrix(rows, cols)) {}

    Matrix weight;
    std::vector<Matrix> value;  // of each plane: estimates minus the estimate before, in the plane's unit
    std::vector<Matrix> kept;
};

/// The same sums, for the rows that are still missing some patches.
struct Sums {
    Sums(std::size_t planes, std::size_t height, std::size_t width, std::size_t most, bool with_kept)
        : weight(height, width, most), value(planes, weight), kept(with_kept ? planes : 0, weight) {}

    /// Adds `rows` rows of a strip, which are the image's from `first` on, and clears them.
    void take(Strip& strip, std::size_t first, std::size_t rows) {
        take(strip.weight, weight, first, rows);
        for (std::size_t p = 0; p < value.size(); ++p) take(strip.value[p], value[p], first, rows);
        for (std::size_t p = 0; p < kept.size(); ++p) take(strip.kept[p], kept[p], first, rows);
    }
    void begin_at(std::size_t row) {
        weight.begin_at(row);
        for (RowSums& sums : value) sums.begin_at(row);
        for (RowSums& sums : kept) sums.begin_at(row);
    }

    RowSums weight;
    std::vector<RowSums> value, kept;  // of each plane

private:
    static void take(Matrix& from, RowSums& to, std::size_t first, std::size_t rows) {
        const std::size_t count = rows * from.cols();
        float* const out = to.row(first);
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(out[i] + from.data()[i]);
        std::fill_n(from.data(), count, 0.0);
    }
};

class GroupPass {
public:
    GroupPass(std::vector<GroupPlane>& planes, bool first, const GroupSetting& setting)
        : planes_(planes),
          first_(first),
          setting_(setting),
          height_(planes[0].noisy->rows()),
          width_(planes[0].noisy->cols()),
          grid_(patch_grid(height_, width_, setting.patch, setting.stride)),
          similar_(planes[0].estimate, setting.patch, setting.radius),
          sums_(planes.size(), height_, width_, strip_rows + strip_height(), setting.with_kept),
          white_(planes.size()) {
        for (std::size_t p = 0; p < planes.size(); ++p) {
            if (planes[p].correlated != nullptr)
                white_[p].emplace(*planes[p].correlated, setting.patch, PatchMean::kept);
            if (setting.with_kept) planes[p].kept = Plane(height_, width_);
        }
    }

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
        for_each_row(
            grid_.rows.size(), apart, strip_rows / setting_.stride, setting_.threads, estimate, add,
            [this](std::size_t end) { finish_rows(end < grid_.rows.size() ? reach(grid_.rows[end]).first : height_); });
    }

private:
    struct Worker {
        explicit Worker(const GroupPass& pass)
            : strip(pass.planes_.size(), pass.strip_height(), pass.width_, pass.setting_.with_kept) {}
        Strip strip;
        SimilarPatches::Scratch scratch;
        std::vector<PatchPlace> group;
        GroupFilter filter;
        Mat patches, white, removed;
    };

    [[nodiscard]] std::size_t strip_height() const { return 2 * setting_.radius + setting_.patch; }

    /// The rows of pixels that groups of this row of patches can reach: first and end.
    [[nodiscard]] std::pair<std::size_t, std::size_t> reach(std::size_t row) const {
        return {row > setting_.radius ? row - setting_.radius : 0,
                std::min(height_, row + setting_.radius + setting_.patch)};
    }

    void estimate_row(std::size_t row, Worker& mine) const {
        const std::size_t top = reach(row).first;
        for (const std::size_t col : grid_.cols) {
            look_for_stop();
            similar_.find({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(col)}, setting_.most,
                          mine.scratch, mine.group);
            for (std::size_t p = 0; p < planes_.size(); ++p) {
                filter(p, mine);
                add(p, top, mine);
            }
            for (const PatchPlace& at : mine.group)
                for (std::size_t i = 0; i < setting_.patch; ++i) {
                    double* const weight = mine.strip.weight.row(at.row - top + i).data() + at.col;
                    for (std::size_t j = 0; j < setting_.patch; ++j) weight[j] += 1.0;
                }
        }
    }

    /// The estimates of the group's patches, one a column.
    void filter(std::size_t p, Worker& mine) const {
        const GroupPlane& plane = planes_[p];
        const std::optional<Whitening>& white = white_[p];
        const auto dim = static_cast<Eigen::Index>(setting_.patch * setting_.patch);
        const auto count = static_cast<Eigen::Index>(mine.group.size());
        mine.patches.resize(dim, count);
        mine.removed.resize(dim, count);
        for (Eigen::Index k = 0; k < count; ++k) read(plane, mine.group[static_cast<std::size_t>(k)], k, mine);
        if (white) {
            whiten(white->whiten(), mine.patches, mine.white);
            whiten(white->whiten(), mine.removed, mine.white);
        }
        const double noise = white ? 1.0 : plane.sigma * plane.sigma;
        const double unaccounted = std::abs(noise - mine.removed.squaredNorm() / static_cast<double>(dim * count));
        mine.filter.apply(mine.patches, first_ ? noise : std::max(leftover * unaccounted, least_leftover * noise));
        if (white) whiten(white->colour(), mine.patches, mine.white);
    }

    static void whiten(const Mat& by, Mat& patches, Mat& result) {
        result.resize(by.rows(), patches.cols());
        multiply(by, patches, result);
        patches.swap(result);
    }

    /// The patch that is to be estimated, and what it lacks of the noisy one.
    void read(const GroupPlane& plane, PatchPlace at, Eigen::Index k, Worker& mine) const {
        double* patch = mine.patches.col(k).data();
        double* removed = mine.removed.col(k).data();
        const double share = first_ ? 1.0 : feedback;
        for (std::size_t i = 0; i < setting_.patch; ++i) {
            plane.estimate.read(at.row + i, at.col, setting_.patch, patch);
            plane.noisy->read(at.row + i, at.col, setting_.patch, removed);
            for (std::size_t j = 0; j < setting_.patch; ++j) {
                const double off = removed[j] - patch[j];
                patch[j] += share * off;
                removed[j] = (1.0 - share) * off;
            }
            patch += setting_.patch;
            removed += setting_.patch;
        }
    }

    void add(std::size_t p, std::size_t top, Worker& mine) const {
        const GroupPlane& plane = planes_[p];
        const Vec kept = setting_.with_kept ? share_kept(p, mine.filter) : Vec();
        const auto [offset, unit] = plane.estimate.scale();
        for (std::size_t k = 0; k < mine.group.size(); ++k) {
            const PatchPlace at = mine.group[k];
            const double* from = mine.patches.col(static_cast<Eigen::Index>(k)).data();
            for (std::size_t i = 0; i < setting_.patch; ++i, from += setting_.patch) {
                const std::size_t row = at.row - top + i;
                const float* const before = plane.estimate.stored_row(at.row + i) + at.col;
                double* const value = mine.strip.value[p].row(row).data() + at.col;
                for (std::size_t j = 0; j < setting_.patch; ++j)
                    value[j] += (from[j] - offset) / unit - static_cast<double>(before[j]);
                if (!setting_.with_kept) continue;
                double* const share = mine.strip.kept[p].row(row).data() + at.col;
                const double* const own = kept.data() + i * setting_.patch;
                for (std::size_t j = 0; j < setting_.patch; ++j) share[j] += own[j];
            }
        }
    }

    /// For every pixel of a patch, as a share of the noise's variance.
    [[nodiscard]] Vec share_kept(std::size_t p, const GroupFilter& filter) const {
        if (!white_[p]) return filter.kept();
        return filter.kept(&white_[p]->colour()) / planes_[p].correlated->variance();
    }

    /// No group that is still to come reads or reaches the rows before `end`: the estimate changes in place.
    void finish_rows(std::size_t end) {
        for (std::size_t p = 0; p < planes_.size(); ++p)
            for (std::size_t row = finished_; row < end; ++row) {
                const float* const weight = sums_.weight.row(row);
                const float* const value = sums_.value[p].row(row);
                float* const pixels = planes_[p].estimate.stored_row(row);
                for (std::size_t col = 0; col < width_; ++col) pixels[col] += value[col] / weight[col];
                if (!setting_.with_kept) continue;
                const float* const kept = sums_.kept[p].row(row);
                float* const share = planes_[p].kept.stored_row(row);
                for (std::size_t col = 0; col < width_; ++col) share[col] = kept[col] / weight[col];
            }
        sums_.begin_at(end);
        finished_ = end;
    }

    std::vector<GroupPlane>& planes_;
    bool first_;
    const GroupSetting& setting_;
    std::size_t height_, width_;
    PatchGrid grid_;
    SimilarPatches similar_;
    Sums sums_;
    std::size_t finished_ = 0;                     // rows
    std::vector<std::optional<Whitening>> white_;  // of each plane whose noise is correlated
};

}  // namespace

void group_pass(std::vector<GroupPlane>& planes, bool first, const GroupSetting& setting) {
    GroupPass(planes, first, setting).run();
}

}  // namespace sbdl
