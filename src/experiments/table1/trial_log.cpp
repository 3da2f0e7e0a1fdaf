#include "experiments/table1/trial_log.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "experiments/run_folder.hpp"
#include "experiments/table1/rows.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table1 {

namespace {

constexpr const char* header =
    "row,signals,snr_db,sparsity,trial,seed,nearest_percent,assigned_percent,noise_ratio,seconds,sweeps,program,"
    "options\n";

std::string to_line(const Record& record) {
    const auto& [task, score, program] = record;
    return fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{},{},{}\n", to_string(task.row), task.cell.signals,
                       task.cell.snr_db, sparsity_name(task.cell), task.trial, task.seed, score.nearest_percent,
                       score.assigned_percent, score.noise_ratio, score.seconds, score.sweeps, program,
                       fingerprint(task.row));
}

Record parse_record(const TrialLine& line, std::uint64_t seed) {
    constexpr double huge = 1e300;
    Record record;
    record.task.row = line.parse([&] { return select_table1_rows({line.text(0)}); }).front();
    const auto cells = line.parse(
        [&] { return select_table1_cells({fmt::format("{}/{}/{}", line.text(1), line.text(2), line.text(3))}); });
    if (cells.size() != 1) line.fail("this is not a single cell");
    record.task.cell = cells.front();
    record.task.trial = line.number<int>(4, 0, most_trials - 1);
    record.task.seed = trial_seed(seed, record.task.cell, record.task.trial);
    record.score.nearest_percent = line.number<double>(6, 0, 100);
    record.score.assigned_percent = line.number<double>(7, 0, 100);
    record.score.noise_ratio = line.number<double>(8, 0, huge);
    record.score.seconds = line.number<double>(9, 0, huge);
    record.score.sweeps = line.number<int>(10, 0, 2e9);
    record.program = line.text(11);
    line.check_seed(5, record.task.seed);
    line.check_fingerprint(12, fingerprint(record.task.row));
    return record;
}

}  // namespace

TrialLog::TrialLog(const std::filesystem::path& path, std::uint64_t seed)
    : file_(path, header, "Table I trials", [&](const TrialLine& line) { read(line, seed); }) {}

void TrialLog::read(const TrialLine& line, std::uint64_t seed) {
    const Record record = parse_record(line, seed);
    if (!seen_.emplace(index_of(record.task.row), index_of(record.task.cell), record.task.trial).second)
        line.fail(fmt::format("{} {} trial {} occurs twice", to_string(record.task.row), to_string(record.task.cell),
                              record.task.trial));
    records_.push_back(record);
}

void TrialLog::append(const Record& record) {
    for (const double number : {record.score.nearest_percent, record.score.assigned_percent, record.score.noise_ratio})
        if (!std::isfinite(number))
            throw NumericError(fmt::format("{} {} trial {}: a result is not finite", to_string(record.task.row),
                                           to_string(record.task.cell), record.task.trial));
    file_.append(to_line(record));
    records_.push_back(record);
}

}  // namespace sbdl::table1
