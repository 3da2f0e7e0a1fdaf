#include "experiments/run_folder.hpp"

#include <system_error>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

std::string RunOrigin::program_or_version() const {
    return program.empty() ? version() : program;
}

void check_run(int trials, int threads, const std::filesystem::path& out_dir, const RunOrigin& origin) {
    if (trials < 1 || trials > most_trials)
        throw InputError(fmt::format("trials is {}; it must be from 1 to {}", trials, most_trials));
    resolve_threads(threads);  // throws for an invalid number
    if (out_dir.empty()) throw InputError("a run needs an output folder");
    if (origin.program.find_first_of(",\r\n") != std::string::npos)
        throw InputError(
            fmt::format("program is '{}'; it is written to a CSV field and must not contain a comma or a line break",
                        origin.program));
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw FileError(fmt::format("{}: the folder cannot be created: {}", folder.string(), error.message()));
}

}  // namespace sbdl
