// With S the atoms that code the patch as it is estimated so far, a their coefficients, and A = [1 D_S diag(a)], where
// 1 has a column for the mean of each plane, the model of a patch is x = A u + v, observed as y = x + noise:
//
//     u_k ~ N(0, 1) for atoms; means ~ N(those of the estimate, wide^2);  v ~ N(0, left^2)
//     Q = A_o^T A_o / q + I,  q = left^2 + sigma^2,  o the observed entries
//     mean of u = Q^-1 A_o^T y_o / q,  covariance Q^-1
//
// The variance of an entry is its part of A Q^-1 A^T plus left^2 where it is missing, and plus what the noise leaves
// unknown of v where it is observed.
#include "inpaint/dictionary_fill.hpp"

#include <algorithm>
#include <vector>

#include "base/linalg.hpp"
#include "base/small_system.hpp"
#include "base/stop.hpp"
#include "coders/batch_omp.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "denoise/row_workers.hpp"
#include "inpaint/fill_sums.hpp"

namespace sbdl {
namespace {

constexpr double wide = 3.0;              // standard deviation of a patch's mean around its estimate, times `left`
constexpr std::size_t most_of_code = 24;  // atoms; where hardly anything is left of a patch, codes are not sparse

class DictionaryFill {
public:
    DictionaryFill(FillState& state, const DictionaryFillSetting& setting)
        : state_(state),
          setting_(setting),
          planes_(state.estimate.size()),
          width_(state.estimate[0].cols()),
          pixels_(setting.patch * setting.patch),
          omp_(setting.dictionary, {.max_nonzeros = most_of_code}),
          grid_(patch_grid(state.estimate[0].rows(), width_, setting.patch, setting.stride)),
          sums_(planes_, state.estimate[0].rows(), width_, left_variance()) {}

    void run() {
        RowWorkers<Worker> workers(setting_.threads, grid_.rows.size(), setting_.progress);
        const auto estimate = [&](std::size_t row, int thread) {
            estimate_row(grid_.rows[row], workers.of(thread, *this));
        };
        const auto add = [&](std::size_t row, int thread) {
            sums_.take(workers.made(thread).strip, grid_.rows[row], setting_.patch);
            workers.count_row();
        };
        for_each_row(grid_.rows.size(), setting_.patch, setting_.threads, estimate, add);
        sums_.finish(state_);
    }

private:
    struct Worker {
        explicit Worker(const DictionaryFill& pass)
            : strip(pass.planes_, pass.setting_.patch, pass.width_, pass.left_variance()),
              block(pass.omp_, pass.grid_.cols.size()),
              patches(pass.grid_.cols.size() * pass.planes_ * pass.pixels_),
              means(pass.grid_.cols.size() * pass.planes_),
              patch(static_cast<Eigen::Index>(pass.planes_ * pass.pixels_)),
              variance(patch.size()) {}
        FillSums strip;
        OmpBlock block;
        std::vector<double> patches, means;
        SmallSystem system;
        Mat design;  // A
        Vec patch, variance, codes, column;
    };

    [[nodiscard]] double left_variance() const { return setting_.left * setting_.left; }

    void estimate_row(std::size_t row, Worker& mine) const {
        const std::size_t dim = planes_ * pixels_, across = grid_.cols.size();
        for (std::size_t k = 0; k < across; ++k)
            for (std::size_t p = 0; p < planes_; ++p)
                mine.means[k * planes_ + p] = read_patch(state_.estimate[p], row, grid_.cols[k], setting_.patch, 1.0,
                                                         mine.patches.data() + k * dim + p * pixels_);
        mine.block.load(mine.patches.data(), across, setting_.error * setting_.error * static_cast<double>(dim));
        for (std::size_t k = 0; k < across; ++k) {
            look_for_stop();
            estimate_patch(row, grid_.cols[k], mine.block.code(k), mine.means.data() + k * planes_, mine);
            mine.strip.add(0, row, grid_.cols[k], setting_.patch, state_.estimate, mine.patch, mine.variance);
        }
    }

    void make_design(const BatchOmp::Code& code, Mat& design) const {
        const auto dim = static_cast<Eigen::Index>(planes_ * pixels_), of_plane = static_cast<Eigen::Index>(pixels_);
        const auto flat = static_cast<Eigen::Index>(planes_);
        design.setZero(dim, flat + static_cast<Eigen::Index>(code.atoms.size()));
        for (Eigen::Index p = 0; p < flat; ++p)
            design.col(p).segment(p * of_plane, of_plane).setConstant(wide * setting_.left);
        for (std::size_t k = 0; k < code.atoms.size(); ++k)
            design.col(flat + static_cast<Eigen::Index>(k)) =
                code.values[k] * Eigen::Map<const Vec>(setting_.dictionary.row(code.atoms[k]).data(), dim);
    }

    void estimate_patch(std::size_t row, std::size_t col, const BatchOmp::Code& code, const double* means,
                        Worker& mine) const {
        make_design(code, mine.design);
        const auto order = static_cast<std::size_t>(mine.design.cols());
        const double noise = state_.sigma * state_.sigma, spread = left_variance() + noise;
        mine.system.resize(order);
        for (std::size_t i = 0; i < order; ++i)
            for (std::size_t k = 0; k <= i; ++k) mine.system.at(i, k) = i == k ? 1.0 : 0.0;
        mine.codes.setZero(mine.design.cols());
        const auto each = [&](const auto& body) {
            Eigen::Index m = 0;
            for (std::size_t p = 0; p < planes_; ++p)
                for (std::size_t i = 0; i < setting_.patch; ++i)
                    for (std::size_t j = 0; j < setting_.patch; ++j, ++m) {
                        const std::size_t at = (row + i) * width_ + col + j;
                        body(m, p, state_.observed[p][at] != 0, state_.samples[p].data()[at]);
                    }
        };
        each([&](Eigen::Index m, std::size_t p, bool observed, double sample) {
            if (!observed) return;
            mine.column = mine.design.row(m).transpose();
            mine.codes += (sample - means[p]) / spread * mine.column;
            for (std::size_t i = 0; i < order; ++i) {
                const double factor = mine.column[static_cast<Eigen::Index>(i)] / spread;
                for (std::size_t k = 0; k <= i; ++k)
                    mine.system.at(i, k) += factor * mine.column[static_cast<Eigen::Index>(k)];
            }
        });
        mine.system.factor(1.0);
        mine.system.solve(mine.codes.data());
        const double unknown = noise > 0.0 ? left_variance() * noise / spread : 0.0;
        each([&](Eigen::Index m, std::size_t p, bool observed, double sample) {
            mine.column = mine.design.row(m).transpose();
            double mean = means[p] + mine.column.dot(mine.codes);
            mine.system.forward(mine.column.data(), 0);
            double variance = mine.column.squaredNorm() + left_variance();
            if (observed) {  // v follows from what the code leaves of the sample
                const double share = left_variance() / spread;
                mean += share * (sample - mean);
                variance = (1.0 - share) * (1.0 - share) * (variance - left_variance()) + unknown;
            }
            mine.patch[m] = mean;
            mine.variance[m] = variance;
        });
    }

    FillState& state_;
    const DictionaryFillSetting& setting_;
    std::size_t planes_, width_, pixels_;
    BatchOmp omp_;
    PatchGrid grid_;
    FillSums sums_;
};

}  // namespace

void dictionary_fill(FillState& state, const DictionaryFillSetting& setting) {
    DictionaryFill(state, setting).run();
}

}  // namespace sbdl
