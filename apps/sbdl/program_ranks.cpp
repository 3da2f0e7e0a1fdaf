#include "program_ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>

#include "base/parallel.hpp"
#include "interrupt.hpp"
#include "sbdl/error.hpp"
#ifdef SBDL_MPI
#include "mpi_ranks.hpp"
#endif

namespace sbdl::app {
namespace {

Ranks* ranks = nullptr;
int on_this_machine = 1;

/// Whether one of these variables of the environment is a number above `most`.
bool any_above(int most, std::initializer_list<const char*> variables) {
    return std::ranges::any_of(variables, [most](const char* name) {
        const char* const value = std::getenv(name);
        return value != nullptr && std::atoi(value) > most;
    });
}

bool is_set(const char* variable) {
    return std::getenv(variable) != nullptr;
}

/// Whether the user says that this process is no rank, whatever has started it.
bool works_alone() {
    const char* const value = std::getenv("SBDL_ALONE");
    return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

/// Whether Slurm's `srun --mpi=pmix` has started several tasks, or with `mpi` false an `srun` that does not tell them
/// how to find each other. Slurm gives them their rank, but not their number, which is that of the step. Under an
/// mpirun within Slurm, which may use PMIx, too, that number is of something else.
bool has_slurm_tasks(bool mpi) {
    if (works_alone() || is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_SIZE") || is_set("PMIX_RANK") != mpi)
        return false;
    return (mpi || is_set("SLURM_PROCID")) && any_above(1, {"SLURM_STEP_NUM_TASKS"});
}

/// Whether a launcher of MPI programs has started several processes, by what Open MPI, MPICH and Slurm tell them. One
/// alone does not start MPI, which can be done only once in each place that the launcher has made.
bool has_launcher() {
    return !works_alone() && (any_above(1, {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) || has_slurm_tasks(true));
}

bool is_other_rank() {
    if (works_alone()) return false;
    return any_above(0, {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) ||
           (has_slurm_tasks(true) && any_above(0, {"PMIX_RANK"})) ||
           (has_slurm_tasks(false) && any_above(0, {"SLURM_PROCID"}));
}

/// The end of a message about a launcher that is of no use.
constexpr std::string_view or_alone = "or set SBDL_ALONE=1 if each process is to work by itself, on files of its own";

void silence() {
    std::cout.setstate(std::ios_base::failbit);
    std::cerr.setstate(std::ios_base::failbit);
}

/// Tasks of Slurm that cannot find each other would all do the same.
void reject_tasks_without_mpi() {
    if (!has_slurm_tasks(false)) return;
    if (is_other_rank()) silence();
    throw InputError(
        fmt::format("srun has started {} tasks without MPI, which would all do the same work: start sbdl with srun "
                    "--mpi=pmix or with mpirun, {}",
                    std::getenv("SLURM_STEP_NUM_TASKS"), or_alone));
}

}  // namespace

#ifdef SBDL_MPI

namespace {

/// What is wrong when MPI knows of one rank where a launcher has started several.
std::string alone_text() {
    if (has_slurm_tasks(true))
        return fmt::format(
            "srun has started {} tasks, but MPI finds one rank in each: the MPI that sbdl was built with does not "
            "support this --mpi of srun; see srun --mpi=list, or start sbdl with mpirun, {}",
            std::getenv("SLURM_STEP_NUM_TASKS"), or_alone);
    return "mpirun belongs to another MPI than the one that sbdl was built with";
}

}  // namespace

struct ProgramRanks::Started {
    /// Takes everything and keeps nothing.
    class NoOutput final : public std::streambuf {
    protected:
        int_type overflow(int_type c) override { return traits_type::not_eof(c); }
        std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
    };

    // MPI that finds no others changes the variables of the launcher.
    const std::string when_alone = alone_text();
    const bool other = is_other_rank();
    MpiRanks mpi;
    NoOutput none;
    std::streambuf *out = nullptr, *err = nullptr;

    Started() {
        on_this_machine = mpi.on_this_machine();
        if (mpi.count() == 1) {
            if (other) silence();
            throw InputError(when_alone);
        }
        ranks = &mpi;
        if (mpi.mine() == 0) return;
        out = std::cout.rdbuf(&none);
        err = std::cerr.rdbuf(&none);
        say_nothing_at_the_end();
    }
    ~Started() {
        ranks = nullptr;
        on_this_machine = 1;
        if (out != nullptr) std::cout.rdbuf(out);
        if (err != nullptr) std::cerr.rdbuf(err);
    }
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
};

ProgramRanks::ProgramRanks() {
    reject_tasks_without_mpi();
    if (has_launcher()) started_ = std::make_unique<Started>();
}

#else

struct ProgramRanks::Started {};

ProgramRanks::ProgramRanks() {
    reject_tasks_without_mpi();
    if (has_launcher())
        throw InputError(fmt::format(
            "this program was built without MPI, and would do the same work in every rank; start it once, {}",
            or_alone));
}

#endif

ProgramRanks::~ProgramRanks() = default;

void silence_other_ranks() {
    if (is_other_rank()) silence();
}

Ranks* program_ranks() {
    return ranks;
}

int ranks_on_this_machine() {
    return on_this_machine;
}

bool is_first_rank() {
    return ranks == nullptr || ranks->mine() == 0;
}

void reject_shared_input(std::initializer_list<std::filesystem::path> inputs) {
    if (ranks == nullptr) return;
    for (const std::filesystem::path& input : inputs) {
        std::error_code error;  // a file that is missing is reported when it is opened
        if (input != "-" && !std::filesystem::is_other(input, error)) continue;
        throw InputError(fmt::format("{} cannot be shared by ranks: give a plain file that all of them can read",
                                     input == "-" ? "standard input" : input.string() + ": a pipe or device"));
    }
}

int threads_of_rank() {
    if (ranks == nullptr) return 0;
    // Where the launcher has bound the rank to some cores, these are its own.
    const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::max(1, std::min(resolve_threads(0), cores / on_this_machine));
}

}  // namespace sbdl::app
