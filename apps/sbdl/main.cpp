// sbdl: picks the verb, and turns what it throws into one line on standard error and an exit status.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/compute_scope.hpp"
#include "base/hdf5_handle.hpp"
#include "base/printable.hpp"
#include "base/stop.hpp"
#include "interrupt.hpp"
#include "out_of_memory.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

struct Verb {
    std::string_view name;
    std::string_view summary;
    int (*run)(int count, char** arguments);
};

constexpr std::array verbs{
    Verb{"synth", "Make a synthetic set of signals with a known dictionary", run_synth},
    Verb{"learn", "Learn a dictionary from signals", run_learn},
    Verb{"score", "Compare a learned dictionary with a known one", run_score},
    Verb{"encode", "Code signals with a learned dictionary", run_encode},
    Verb{"denoise", "Remove the noise from an image", run_denoise},
    Verb{"inpaint", "Fill in the missing pixels of an image", run_inpaint},
    Verb{"info", "Show what a model file contains", run_info},
    Verb{"report", "Write a page about a run: what was learned and how certain it is", run_report},
    Verb{"reproduce", "Reproduce the experiments of the paper", run_reproduce},
};

std::string usage() {
    std::string text =
        "sbdl learns dictionaries for sparse coding; it needs no noise level, sparsity or weight from you.\n\n"
        "Usage: sbdl VERB [OPTIONS]        sbdl VERB --help        sbdl --version\n\n";
    for (const Verb& verb : verbs) text += fmt::format("  {:10} {}\n", verb.name, verb.summary);
    return text +
           "\nExample:\n  sbdl synth -o data --seed 1\n"
           "  sbdl learn data/signals.npy -o model.h5 --atoms 50\n"
           "  sbdl score model.h5 --truth data/dictionary.npy\n" +
           fmt::format(
               "\nEnvironment:\n  SBDL_CPU   the vector instructions to use instead of the best there are; here: {}\n",
               fmt::join(instruction_sets(), ", "));
}

int complain(std::string_view who, std::string_view what, int status) {
    std::cerr << who << ": " << printable(what) << '\n';
    return status;
}

int run_verb(const Verb& verb, int count, char** arguments) {
    const std::string who = fmt::format("sbdl {}", verb.name);
    end_when_out_of_memory(who);
    const std::function<bool()> stop = [] { return work_ends().load(); };
    try {
        const StopScope scope(stop);
        wanted_instruction_set();  // a wrong SBDL_CPU is rejected before anything is done
        const int status = verb.run(count, arguments);
        // A full disk behind standard output must not look like success.
        if (!std::cout.flush()) throw FileError("standard output cannot be written");
        return status;
    } catch (const CLI::ParseError& error) {
        return complain(who, fmt::format("{} (see {} --help)", error.what(), who), wrong_use);
    } catch (const NumericError& error) {
        return complain(who, error.what(), failed);
    } catch (const Error& error) {
        return complain(who, error.what(), wrong_use);
    } catch (const Stopped&) {
        return complain(who, signal_word(), signal_status());
    } catch (const std::bad_alloc&) {
        return complain(who, out_of_memory_text, failed);
    } catch (const std::system_error& error) {  // of the file system's functions, for example
        return complain(who, error.code() == std::errc::not_enough_memory ? out_of_memory_text : error.what(), failed);
    } catch (const std::exception& error) {
        return complain(who, error.what(), failed);
    }
}

int run_program(int count, char** arguments) {
    if (count < 2) {
        std::cerr << usage();
        return wrong_use;
    }
    const std::string_view word = arguments[1];
    if (word == "-h" || word == "--help" || word == "help") {
        std::cout << usage();
        return done;
    }
    if (word == "-v" || word == "--version") {
        std::cout << "sbdl " << program_text() << '\n';
        return done;
    }
    for (const Verb& verb : verbs) {
        if (word == verb.name) return run_verb(verb, count - 1, arguments + 1);
    }
    std::string known;
    for (const Verb& verb : verbs) known += fmt::format("{}{}", known.empty() ? "" : ", ", verb.name);
    return complain("sbdl", fmt::format("'{}' is not a verb; there are: {}", word, known), wrong_use);
}

}  // namespace
}  // namespace sbdl::app

int main(int count, char** arguments) {
    // A file that may not grow any further is an error like others; nothing half-written is left.
    std::signal(SIGXFSZ, SIG_IGN);
    sbdl::h5::leave_open_at_exit();
    sbdl::app::catch_signals();
    return sbdl::app::run_program(count, arguments);
}
