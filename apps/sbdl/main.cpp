// sbdl: picks the verb, and turns what it throws into one line on standard error and an exit status.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/hdf5_handle.hpp"
#include "base/nearest_word.hpp"
#include "base/printable.hpp"
#include "base/rank_group.hpp"
#include "base/stop.hpp"
#include "common.hpp"
#include "describe.hpp"
#include "field_options.hpp"
#include "interrupt.hpp"
#include "options/option_name.hpp"
#include "out_of_memory.hpp"
#include "pipes.hpp"
#include "program_ranks.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

struct Verb {
    std::string_view name;
    std::string_view summary;
    int (*run)(int count, char** arguments);
    bool ranks = false;  ///< can be shared by the processes that mpirun starts
};

constexpr std::array verbs{
    Verb{"synth", "Make a synthetic set of signals with a known dictionary", run_synth},
    Verb{"learn", "Learn a dictionary from signals", run_learn, /*ranks=*/true},
    Verb{"score", "Compare a learned dictionary with a known one", run_score},
    Verb{"encode", "Code signals with a learned dictionary", run_encode, /*ranks=*/true},
    Verb{"denoise", "Remove the noise from an image or a signal", run_denoise},
    Verb{"inpaint", "Fill in the missing pixels of an image", run_inpaint},
    Verb{"info", "Show what a model file contains", run_info},
    Verb{"report", "Write a page about a run: what was learned and how certain it is", run_report},
#ifdef SBDL_EXPERIMENTS
    Verb{"reproduce", "Reproduce the experiments of the paper", run_reproduce},
#endif
};

std::string statuses_text() {
    std::string text;
    for (const ExitStatus& status : exit_statuses)
        text += fmt::format("{}{} {}",
                            text.empty()                       ? ""
                            : &status == &exit_statuses.back() ? ";\n             "
                                                               : "; ",
                            status.status, status.meaning);
    return text;
}

std::string usage() {
    std::string text =
        "sbdl learns dictionaries for sparse coding; it needs no noise level, sparsity or weight from you.\n\n"
        "Usage: sbdl VERB [OPTIONS]        sbdl help VERB        sbdl --version [--json]\n\n";
    for (const Verb& verb : verbs) text += fmt::format("  {:10} {}\n", verb.name, verb.summary);
    return text +
           "\nExample:\n  sbdl synth -o data --seed 1\n"
           "  sbdl learn data/signals.npy -o model.h5 --atoms 50\n"
           "  sbdl score model.h5 --truth data/dictionary.npy\n"
           "\nExit status  " +
           statuses_text() + "\nShell        sbdl --completions bash, zsh or fish; manual pages: sbdl --man [VERB]\n" +
           fmt::format(
               "Environment  SBDL_CPU: the vector instructions to use; here: {}\n"
               "             SBDL_ALONE=1: work alone under mpirun or srun\n",
               fmt::join(instruction_sets(), ", "));
}

int complain(std::string_view who, std::string_view what, int status) {
    std::cerr << who << ": " << printable(with_pipe_names(std::string(what))) << '\n';
    return status;
}

/// An error of one rank ends them all.
int run_on_ranks(const Verb& verb, int count, char** arguments) {
    return on_all_ranks(program_ranks(), [&] {
        wanted_instruction_set();  // a wrong SBDL_CPU is rejected before anything is done
        RankGroup ranks(program_ranks());
        if (!ranks.alone() && !verb.ranks)
            throw InputError(fmt::format("{} works in one process: start it without mpirun", verb.name));
        const int status = verb.run(count, arguments);
        // The first rank may still be saving. A signal that ended another one now would end it, too.
        std::optional<SavingResult> waiting;
        if (!ranks.first()) waiting.emplace();
        return ranks.of_first(status);
    });
}

int run_verb_here(const Verb& verb, int count, char** arguments) {
    const std::string who = fmt::format("sbdl {}", verb.name);
    end_when_out_of_memory(who);
    const std::function<bool()> stop = [] { return work_ends().load(); };
    try {
        const StopScope scope(stop);
        const int status = run_on_ranks(verb, count, arguments);
        // A full disk behind standard output must not look like success.
        if (!std::cout.flush()) throw FileError("standard output cannot be written");
        return status != done && status == signal_status() ? complain(who, how_it_ended(), status) : status;
    } catch (const CLI::ParseError& error) {
        return complain(who, fmt::format("{} (see {} --help)", error.what(), who), wrong_use);
    } catch (const NumericError& error) {
        return complain(who, error.what(), failed);
    } catch (const Error& error) {
        return complain(who, error.what(), wrong_use);
    } catch (const Stopped&) {
        return complain(who, how_it_ended(), signal_status());
    } catch (const OutOfMemoryOnRank& error) {
        return complain(who, error.what(), failed);
    } catch (const std::bad_alloc&) {
        return complain(who, out_of_memory_text, failed);
    } catch (const std::system_error& error) {  // of the file system's functions, for example
        return complain(who, error.code() == std::errc::not_enough_memory ? out_of_memory_text : error.what(), failed);
    } catch (const std::exception& error) {
        return complain(who, error.what(), failed);
    }
}

int run_verb(const Verb& verb, int count, char** arguments) {
    try {
        const ProgramRanks ranks;  // what goes wrong is said by the first of them
        return run_verb_here(verb, count, arguments);
    } catch (const InputError& error) {
        return complain(fmt::format("sbdl {}", verb.name), error.what(), wrong_use);
    }
}

const Verb* verb_named(std::string_view name) {
    const auto* const found = std::ranges::find(verbs, name, &Verb::name);
    return found == verbs.end() ? nullptr : found;
}

/// The verbs and their options.
std::vector<VerbText> described_verbs() {
    std::vector<VerbText> all;
    for (const Verb& verb : verbs) {
        const OptionsLook look(
            [&](const CLI::App& app) { all.push_back(describe_verb(app, verb.name, verb.summary)); });
        std::string name(verb.name);
        char* argument = name.data();
        verb.run(1, &argument);
    }
    return all;
}

constexpr std::array<std::string_view, 5> program_options{"--help", "--help-all", "--version", "--completions",
                                                          "--man"};

int no_such_verb(std::string_view word) {
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs) names.push_back(verb.name);
    const std::string known = fmt::format("{}", fmt::join(names, ", "));
    const bool option = word.starts_with('-');
    if (option)
        names.clear();
    else
        names.emplace_back("help");
    names.insert(names.end(), program_options.begin(), program_options.end());
    const std::string what = option ? fmt::format("{} is not an option", word)
                                    : fmt::format("'{}' is not a verb; there are: {}", word, known);
    return complain("sbdl", what + did_you_mean(word, names), wrong_use);
}

/// Whether there is a word after the first `most` of the command line, which then is said to be wrong.
bool has_more(int count, char** arguments, int most, std::span<const std::string_view> known = {}) {
    if (count <= most) return false;
    const std::string_view word = arguments[most];
    complain("sbdl", fmt::format("'{}' does not belong after {}{}", word, arguments[1], did_you_mean(word, known)),
             wrong_use);
    return true;
}

/// `sbdl help`, and `sbdl help VERB`, which is `sbdl VERB --help`; both with --help-all, too.
int print_help(int count, char** arguments) {
    constexpr std::array<std::string_view, 1> longer{"--help-all"};
    const std::string_view subject = count < 3 ? "" : arguments[2];
    if (subject.empty() || subject == "help" || subject == longer[0]) {
        if (has_more(count, arguments, 3)) return wrong_use;
        std::cout << usage();
        return done;
    }
    const Verb* const verb = verb_named(subject);
    if (verb == nullptr) return no_such_verb(subject);
    const bool all = count > 3 && arguments[3] == longer[0];
    if (has_more(count, arguments, all ? 4 : 3, longer)) return wrong_use;
    std::string name(verb->name), help = all ? "--help-all" : "--help";
    std::array words{name.data(), help.data()};
    return run_verb(*verb, static_cast<int>(words.size()), words.data());
}

int print_version(int count, char** arguments) {
    constexpr std::array<std::string_view, 1> format{"--json"};
    const bool json = count > 2 && arguments[2] == format[0];
    if (has_more(count, arguments, json ? 3 : 2, format)) return wrong_use;
    if (!json) {
        std::cout << "sbdl " << program_text() << '\n';
        return done;
    }
    const nlohmann::ordered_json object{
        {"name", "sbdl"},
        {"version", version()},
        {"commit", program_commit().empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(program_commit())},
        {"instructions", wanted_instruction_set()},
        {"instruction_sets", instruction_sets()}};
    std::cout << json_text(object, 2) << '\n';
    return done;
}

int print_completions(int count, char** arguments) {
    if (has_more(count, arguments, 3)) return wrong_use;
    try {
        std::cout << completion_for(count > 2 ? arguments[2] : "", described_verbs());
    } catch (const InputError& error) {
        return complain("sbdl", error.what(), wrong_use);
    }
    return done;
}

int print_manual(int count, char** arguments) {
    if (has_more(count, arguments, 3)) return wrong_use;
    const std::vector<VerbText> all = described_verbs();
    if (count < 3) {
        std::cout << manual_page(all, version());
        return done;
    }
    const auto verb = std::ranges::find(all, std::string(arguments[2]), &VerbText::name);
    if (verb == all.end()) return no_such_verb(arguments[2]);
    std::cout << manual_page_of(*verb, version());
    return done;
}

int run_program(int count, char** arguments) {
    const Verb* const verb = count < 2 ? nullptr : verb_named(arguments[1]);
    if (verb != nullptr) return run_verb(*verb, count - 1, arguments + 1);
    silence_other_ranks();
    if (count < 2) {
        std::cerr << usage();
        return wrong_use;
    }
    const std::string_view word = arguments[1];
    if (word == "-h" || word == "--help" || word == "--help-all" || word == "help") return print_help(count, arguments);
    if (word == "-v" || word == "-V" || word == "--version") return print_version(count, arguments);
    if (word == "--completions") return print_completions(count, arguments);
    if (word == "--man") return print_manual(count, arguments);
    return no_such_verb(word);
}

/// What the user types for the option of a field. Some of `synth` have other names than their fields.
std::string spelled(std::string_view field) {
    if (field == "snr_db") return "--snr";
    if (field == "sparsity_min" || field == "sparsity_max") return "--sparsity";
    return FieldOptions::flag(field);
}

}  // namespace
}  // namespace sbdl::app

int main(int count, char** arguments) {
    // A file that may not grow any further is an error like others; nothing half-written is left.
    std::signal(SIGXFSZ, SIG_IGN);
    sbdl::h5::leave_open_at_exit();
    sbdl::app::catch_signals();
    sbdl::spell_options(sbdl::app::spelled);
    return sbdl::app::run_program(count, arguments);
}
