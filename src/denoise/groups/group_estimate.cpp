#include "denoise/groups/group_estimate.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "denoise/pass_journal.hpp"

namespace sbdl {
namespace {

constexpr std::size_t passes = 6;
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
        of_pass.with_kept = with_std && pass + 1 == passes;
        if (setting.progress)
            of_pass.progress = [&setting, pass](double share) {
                setting.progress((static_cast<double>(pass) + share) / static_cast<double>(passes));
            };
        group_pass(planes, pass == 0, of_pass);
        if (journal != nullptr)
            for (const GroupPlane& plane : planes) journal->add({plane.estimate, plane.kept, {}});
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
