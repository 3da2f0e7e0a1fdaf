#include "program_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <streambuf>

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

/// Whether a launcher of MPI programs has started several processes, by what Open MPI and MPICH tell them. One alone
/// does not start MPI, which can be done only once in each place that the launcher has made.
bool has_launcher() {
    return std::ranges::any_of(std::initializer_list<const char*>{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"},
                               [](const char* name) {
                                   const char* const size = std::getenv(name);
                                   return size != nullptr && std::atoi(size) > 1;
                               });
}

}  // namespace

#ifdef SBDL_MPI

struct ProgramRanks::Started {
    /// Takes everything and keeps nothing.
    class NoOutput final : public std::streambuf {
    protected:
        int_type overflow(int_type c) override { return traits_type::not_eof(c); }
        std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
    };

    MpiRanks mpi;
    NoOutput none;
    std::streambuf *out = nullptr, *err = nullptr;

    Started() {
        on_this_machine = mpi.on_this_machine();
        if (mpi.count() == 1) throw InputError("mpirun belongs to another MPI than the one that sbdl was built with");
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

ProgramRanks::ProgramRanks() : started_(has_launcher() ? std::make_unique<Started>() : nullptr) {}

#else

struct ProgramRanks::Started {};

ProgramRanks::ProgramRanks() {
    if (has_launcher())
        throw InputError("this program was built without MPI, and would do the same work in every rank");
}

#endif

ProgramRanks::~ProgramRanks() = default;

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
    if (ranks != nullptr && std::ranges::find(inputs, "-") != inputs.end())
        throw InputError("standard input cannot be shared by ranks: give a file that all of them can read");
}

int threads_of_rank() {
    if (ranks == nullptr) return 0;
    // Where the launcher has bound the rank to some cores, these are its own.
    const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::max(1, std::min(resolve_threads(0), cores / on_this_machine));
}

}  // namespace sbdl::app
