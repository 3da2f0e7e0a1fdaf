#include "denoise/groups/group_estimate.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "denoise/pass_journal.hpp"

namespace sbdl {
namespace {

constexpr std::size_t passes = 6;
// Passes with patches of two sizes take turns: what one size blurs, the other does not.
constexpr std::size_t small_patch = 6, small_group = 40, large_patch = 7, large_group = 45;
constexpr double single_share = 0.15;  // of the estimate by single patches in the result
// The standard deviation of a pixel follows from the share of the noise's variance that the last pass kept: a fit to
// training images (docs/results/how-recipes-were-chosen.md).
constexpr double error_factor = 0.89, error_power = 1.26;

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

Matrix std_of(const GroupPlane& plane) {
    Matrix std(plane.kept.rows(), plane.kept.cols());
    for (std::size_t i = 0; i < std.size(); ++i)
        std.data()[i] = plane.sigma * std::sqrt(error_factor * std::pow(plane.kept.data()[i], error_power));
    return std;
}

}  // namespace

std::vector<PassResult> group_estimate(std::vector<GroupPlane> planes, const GroupSetting& setting, bool with_std,
                                       PassJournal* journal) {
    std::vector<Matrix> single;
    for (const GroupPlane& plane : planes) single.push_back(plane.estimate);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        if (resumed(journal, planes)) continue;
        GroupSetting of_pass = setting;
        of_pass.patch = pass % 2 == 0 ? small_patch : large_patch;
        of_pass.most = pass % 2 == 0 ? small_group : large_group;
        of_pass.with_kept = with_std && pass + 1 == passes;
        if (setting.progress)
            of_pass.progress = [&setting, pass](double share) {
                setting.progress((static_cast<double>(pass) + share) / static_cast<double>(passes));
            };
        group_pass(planes, pass == 0, of_pass);
        if (journal != nullptr) journal->add(results_of(planes));
    }
    std::vector<PassResult> results;
    for (std::size_t p = 0; p < planes.size(); ++p) {
        PassResult& result = results.emplace_back();
        result.plane = std::move(planes[p].estimate);
        for (std::size_t i = 0; i < result.plane.size(); ++i) {
            double& pixel = result.plane.data()[i];
            pixel += single_share * (single[p].data()[i] - pixel);
        }
        if (with_std) result.std = std_of(planes[p]);
    }
    return results;
}

}  // namespace sbdl
