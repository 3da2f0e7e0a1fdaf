#include "denoise/groups/group_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "denoise/groups/error_level.hpp"
#include "denoise/noise_spectrum.hpp"
#include "denoise/pass_journal.hpp"

namespace sbdl {
namespace {

constexpr std::size_t passes = 6;
constexpr std::size_t larger_patch = 1, larger_group = 5;  // in every other pass
// Share of the estimate by single patches in the result. Correlated noise misleads the search: neighbouring patches
// have noise in common, and look similar.
constexpr double share_if_white = 0.15, share_per_correlation = 0.6;
// The variance of a pixel's error, in units of the noise, is this power of the share of the noise that the last pass
// kept: a fit to training images (docs/results/how-recipes-were-chosen.md).
constexpr double error_power = 1.26;

/// Whether a pass that was finished before the run was killed is in the journal; the planes are set then.
bool resumed(PassJournal* journal, std::vector<GroupPlane>& planes) {
    if (journal == nullptr) return false;
    for (GroupPlane& plane : planes) {
        std::optional<PassResult> finished = journal->next();
        if (!finished) return false;
        plane.estimate = std::move(finished->plane);
        plane.kept = std::move(finished->std);
    }
    return true;
}

std::vector<PassResult> results_of(const std::vector<GroupPlane>& planes) {
    std::vector<PassResult> results;
    for (const GroupPlane& plane : planes) results.push_back({plane.estimate, plane.kept, {}});
    return results;
}

double single_share(const GroupPlane& plane) {
    const double correlation = plane.correlated != nullptr ? plane.correlated->neighbour_correlation() : 0.0;
    return share_if_white + share_per_correlation * std::clamp(correlation, 0.0, 1.0);
}

/// Blends the estimates by single patches and by groups; the variances likewise.
void blend(const GroupPlane& plane, int threads, PassResult& single) {
    const double share = single_share(plane);
    parallel_for(single.plane.rows(), threads, [&](std::size_t row, int) {
        for (std::size_t col = 0; col < single.plane.cols(); ++col)
            single.plane.set(row, col, share * single.plane(row, col) + (1.0 - share) * plane.estimate(row, col));
        if (single.std.empty()) return;
        for (std::size_t col = 0; col < single.std.cols(); ++col) {
            const double own = single.std(row, col);
            const double variance = plane.sigma * plane.sigma * std::pow(plane.kept(row, col), error_power);
            single.std.set(row, col, std::sqrt(share * own * own + (1.0 - share) * variance));
        }
    });
}

/// The first plane is the one that groups were found in. Noise that is correlated by itself tells nothing.
void correct_std(const GroupPlane& plane, bool first, int threads, PassResult& result) {
    if (plane.correlated != nullptr) return;
    if (first)
        scale_to_residual(*plane.noisy, result.plane, plane.sigma, threads, result.std);
    else
        sharpen_std(plane.sigma, result.std);
}

}  // namespace

GroupSetting setting_of_pass(GroupSetting setting, std::size_t pass) {
    if (pass % 2 == 0) return setting;
    setting.patch += larger_patch;
    setting.most += larger_group;
    return setting;
}

std::vector<PassResult> group_estimate(std::vector<GroupPlane> planes, std::vector<PassResult> single,
                                       const GroupSetting& setting, PassJournal* journal) {
    for (std::size_t p = 0; p < planes.size(); ++p) planes[p].estimate = single[p].plane;
    for (std::size_t pass = 0; pass < passes; ++pass) {
        if (resumed(journal, planes)) continue;
        GroupSetting of_pass = setting_of_pass(setting, pass);
        of_pass.with_kept = !single[0].std.empty() && pass + 1 == passes;
        if (setting.progress)
            of_pass.progress = [&setting, pass](double share) {
                setting.progress((static_cast<double>(pass) + share) / static_cast<double>(passes));
            };
        group_pass(planes, pass == 0, of_pass);
        if (journal != nullptr && journal->keeps()) journal->add(results_of(planes));
    }
    for (std::size_t p = 0; p < planes.size(); ++p) {
        blend(planes[p], setting.threads, single[p]);
        if (!single[p].std.empty()) correct_std(planes[p], p == 0, setting.threads, single[p]);
    }
    return single;
}

}  // namespace sbdl
