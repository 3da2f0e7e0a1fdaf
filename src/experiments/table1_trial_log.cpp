// Reading refuses whatever this program would not have written: averages are only as good as the lines below them.
#include "experiments/table1_trial_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "sbdl/error.hpp"

namespace sbdl::table1 {

namespace {

constexpr std::string_view header =
    "row,signals,snr_db,sparsity,trial,seed,nearest_percent,assigned_percent,noise_ratio,seconds,sweeps,program,"
    "options\n";
constexpr std::size_t column_count = 13;

std::string to_line(const Record& record) {
    const auto& [task, score, program] = record;
    return fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{},{},{}\n", to_string(task.row), task.cell.signals,
                       task.cell.snr_db, sparsity_name(task.cell), task.trial, task.seed, score.nearest_percent,
                       score.assigned_percent, score.noise_ratio, score.seconds, score.sweeps, program,
                       fingerprint(task.row));
}

// One line of the file, taken apart; every complaint names the file and the line.
class LineReader {
public:
    LineReader(const std::filesystem::path& path, std::size_t line_number, std::string_view line)
        : path_(path), line_number_(line_number) {
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find(',', begin), line.size());
            fields_.emplace_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        if (fields_.size() != column_count) fail(fmt::format("{} fields instead of {}", fields_.size(), column_count));
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{} line {}: {}", path_.string(), line_number_, what));
    }

    [[nodiscard]] const std::string& text(std::size_t column) const { return fields_[column]; }

    template <class Number>
    [[nodiscard]] Number number(std::size_t column, double least, double most) const {
        const std::string& field = fields_[column];
        Number value{};
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        // Written so that NaN fails as well.
        if (error != std::errc{} || end != field.data() + field.size() ||
            !(static_cast<double>(value) >= least && static_cast<double>(value) <= most))
            fail(fmt::format("field {} is '{}', not a number from {} to {}", column + 1, field, least, most));
        return value;
    }

    // Turns the InputError of a name that does not exist into one that says where it stands.
    template <class Parse>
    [[nodiscard]] auto parse(const Parse& parser) const {
        try {
            return parser();
        } catch (const InputError& error) {
            fail(error.what());
        }
    }

private:
    const std::filesystem::path& path_;
    std::size_t line_number_;
    std::vector<std::string> fields_;
};

Record parse_record(const LineReader& line, std::uint64_t seed) {
    constexpr double huge = 1e300;
    Record record;
    record.task.row = line.parse([&] { return select_table1_rows({line.text(0)}); }).front();
    const auto cells = line.parse(
        [&] { return select_table1_cells({fmt::format("{}/{}/{}", line.text(1), line.text(2), line.text(3))}); });
    if (cells.size() != 1) line.fail("the cell is not a single one");
    record.task.cell = cells.front();
    record.task.trial = line.number<int>(4, 0, most_trials - 1);
    record.task.seed = line.number<std::uint64_t>(5, 0, huge);
    record.score.nearest_percent = line.number<double>(6, 0, 100);
    record.score.assigned_percent = line.number<double>(7, 0, 100);
    record.score.noise_ratio = line.number<double>(8, 0, huge);
    record.score.seconds = line.number<double>(9, 0, huge);
    record.score.sweeps = line.number<int>(10, 0, 2e9);
    record.program = line.text(11);

    const std::uint64_t expected_seed = trial_seed(seed, record.task.cell, record.task.trial);
    if (record.task.seed != expected_seed)
        line.fail(
            fmt::format("the trial was made with another --seed (its own is {}, here it would be {}); use the "
                        "same one or another folder",
                        record.task.seed, expected_seed));
    if (line.text(12) != fingerprint(record.task.row))
        line.fail(
            fmt::format("the trial was made with other options or another version of the program (fingerprint "
                        "{}, here {}); use another folder",
                        line.text(12), fingerprint(record.task.row)));
    return record;
}

}  // namespace

TrialLog::TrialLog(std::filesystem::path path, std::uint64_t seed) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) throw FileError(fmt::format("{}: cannot be opened: {}", path_.string(), std::strerror(errno)));
    try {
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
            throw FileError(errno == EWOULDBLOCK
                                ? fmt::format("{}: another run is writing to this folder", path_.string())
                                : fmt::format("{}: cannot be locked: {}", path_.string(), std::strerror(errno)));
        read_records(seed);
    } catch (...) {
        ::close(file_);
        throw;
    }
}

TrialLog::~TrialLog() {
    ::close(file_);
}

void TrialLog::read_records(std::uint64_t seed) {
    std::ifstream in(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw FileError(fmt::format("{}: cannot be read", path_.string()));

    const std::string_view start = std::string_view(text).substr(0, header.size());
    if (!header.starts_with(start) || (start.size() < header.size() && start.find('\n') != std::string_view::npos))
        throw InputError(fmt::format("{} line 1: not the header of a file of Table I trials", path_.string()));

    // All lines are parsed before the file is touched: a refused file stays as it is.
    std::set<std::tuple<std::size_t, std::size_t, int>> seen;
    std::size_t whole = 0;
    std::size_t line_number = 0;
    for (std::size_t end; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1) {
        if (++line_number == 1) continue;
        const LineReader line(path_, line_number, std::string_view(text).substr(whole, end - whole));
        const Record record = parse_record(line, seed);
        if (!seen.emplace(index_of(record.task.row), index_of(record.task.cell), record.task.trial).second)
            line.fail(fmt::format("{} {} trial {} is there twice", to_string(record.task.row),
                                  to_string(record.task.cell), record.task.trial));
        records_.push_back(record);
    }
    if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
        throw FileError(
            fmt::format("{}: its half-written last line cannot be removed: {}", path_.string(), std::strerror(errno)));
    if (whole == 0) write_whole(std::string(header));
}

void TrialLog::append(const Record& record) {
    for (const double number : {record.score.nearest_percent, record.score.assigned_percent, record.score.noise_ratio})
        if (!std::isfinite(number))
            throw NumericError(fmt::format("{} {} trial {}: a result is not finite", to_string(record.task.row),
                                           to_string(record.task.cell), record.task.trial));
    write_whole(to_line(record));
    records_.push_back(record);
}

void TrialLog::write_whole(const std::string& text) {
    const off_t before = ::lseek(file_, 0, SEEK_END);
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written == static_cast<ssize_t>(text.size())) return;
    const int reason = written < 0 ? errno : ENOSPC;
    // Should this fail too, the next run takes the half line away.
    [[maybe_unused]] const int undone = ::ftruncate(file_, before);
    throw FileError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(reason)));
}

}  // namespace sbdl::table1
