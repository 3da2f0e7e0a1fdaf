// Convergence: atoms found against seconds, for all methods on one data set of Table I.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run_folder.hpp"
#include "experiments/table1/rows.hpp"

namespace sbdl {

struct ConvergenceOptions : RunOrigin {
    Table1Cell cell{1000, 20, 3, 3};
    std::vector<std::string> rows;  ///< of Table I, by name; none: those of our table but for the preset "paper"
    std::uint64_t seed = 0;         ///< the data set is that of Table I's first trial with this seed
    std::filesystem::path out_dir;  ///< created when missing
};

/// The dictionary a learner would have returned after this many sweeps.
struct ConvergencePoint {
    int sweep = 0;
    double seconds = 0.0;  ///< of processor time, with one thread; without the time spent on scoring
    double nearest_percent = 0.0;
    double assigned_percent = 0.0;
};

struct ConvergenceCurve {
    std::string row;
    std::vector<ConvergencePoint> points;  ///< every sweep at first, then at steps of a twentieth; the last is the end
    /// The time until this percentage of the atoms was first found (nearest); no value if it never was.
    [[nodiscard]] std::optional<double> seconds_to(double percent) const;
};

struct ConvergenceSummary {
    std::vector<ConvergenceCurve> curves;
    bool stopped = false;           ///< before all rows were done; finished rows are written
    std::filesystem::path csv, md;  ///< these and the next are empty, and not written, when no row was finished
    std::filesystem::path svg;
};

struct ConvergenceHooks {
    std::function<void(const std::string& row, int done, int planned)> progress;  ///< a row is finished
    StopCheck stop;                                                               ///< asked often
};

/// Writes convergence.csv, convergence.md and convergence.svg. Throws InputError for invalid options, FileError when a
/// file cannot be written.
ConvergenceSummary run_convergence(const ConvergenceOptions& options, const ConvergenceHooks& hooks = {});

namespace convergence {

// The curves as files.
std::string csv_report(const std::vector<ConvergenceCurve>& curves);
std::string markdown_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);
std::string svg_report(const std::vector<ConvergenceCurve>& curves, const ConvergenceOptions& options);

}  // namespace convergence

}  // namespace sbdl
