// trials.csv: one line a finished trial, written at once and whole, so that a run can be stopped at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "experiments/table1.hpp"

namespace sbdl::table1 {

class TrialLog {
public:
    /// Opens or makes the file, keeps other runs out of it, and reads what is there. A last line without its line end
    /// was cut off while it was written: it is taken away. Throws InputError naming the line for any other damage and
    /// for trials made with another seed or other options, FileError when the file cannot be used.
    TrialLog(std::filesystem::path path, std::uint64_t seed);
    TrialLog(const TrialLog&) = delete;
    TrialLog& operator=(const TrialLog&) = delete;
    ~TrialLog();

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }

    /// Appends one line. On a failure (a full disk, say) the file is left as it was. Throws FileError.
    void append(const Record& record);

private:
    void read_records(std::uint64_t seed);
    void write_whole(const std::string& text);

    std::filesystem::path path_;
    int file_ = -1;
    std::vector<Record> records_;
};

}  // namespace sbdl::table1
