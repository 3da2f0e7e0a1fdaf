// sbdl reproduce: the experiments of the paper, beside the printed numbers. Reads the arguments and chooses the
// experiment.
#include "reproduce.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "experiments/table1/cells.hpp"
#include "experiments/table2/cells.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

std::string machine_text() {
    std::string processor = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            processor = line.substr(colon + 2);
            break;
        }
    }
    return fmt::format("{}, {} threads", processor, std::thread::hardware_concurrency());
}

void add_options(CLI::App& app, std::string& table, ReproduceArguments& a) {
    app.add_option("TABLE", table,
                   "Which experiment: table1 (recovery of known dictionaries), table2 (image denoising), convergence "
                   "(atoms found against seconds, on one data set of table1)")
        ->required()
        ->type_name("NAME");
    app.add_option("-o,--output", a.out_dir, "Folder of the run; created when missing")->required()->type_name("DIR");
    app.add_option("--trials", a.trials, "Trials per cell: data sets, or noises in table2 [table1 50, table2 3]")
        ->check(whole_number(1, 1000000))
        ->type_name("N");
    app.add_option("--cells", a.cells, "Only these cells; convergence takes one [1000/20/3]")->type_name("CELL");
    std::vector<std::string_view> table1_rows;
    for (const Table1Row row : select_table1_rows({})) table1_rows.push_back(to_string(row));
    app.add_option("--methods", a.rows,
                   fmt::format("Only these rows: table1 and convergence have {}; table2 has {}",
                               fmt::join(table1_rows, ", "), fmt::join(table2_rows(), ", ")))
        ->type_name("NAME");
    app.add_option("--images", a.images, "table2: folder of grey images, to which noise is added")->type_name("DIR");
    app.add_option("--sigma", a.sigmas, "table2: standard deviations of the noise [15 25 50]")->type_name("SIGMA");
    app.add_option("--figures", a.figures, "table2: cell that the two figures show [cameraman/25/2 or the first]")
        ->type_name("CELL");
    add_threads(app, a.threads);
    add_seed(app, a.seed);
    a.output.add_to(app);
}

}  // namespace

int run_reproduce(int count, char** argument_list) {
    std::string table;
    ReproduceArguments a;
    CLI::App app(
        "Reproduce an experiment of the paper. A run that was stopped resumes where it was; rows, cells and trials "
        "can\n"
        "be added later. Writes trials.csv (one line per trial), tables as .csv and .md, and figures. (convergence\n"
        "does not resume.)",
        "sbdl reproduce");
    app.footer(
        "Cells of table1 are L/SNR/K as in 1000/10/3 or '*/20/3:6', or name what they fix, as in snr=20,K=3;\n"
        "cells of table2 are image/sigma/r as in cameraman/25/2 or '*/25/*', or as in sigma=25,r=2.\n\n"
        "Example:\n  sbdl reproduce table1 -o table1 --trials 50\n"
        "  sbdl reproduce table1 -o table1 --trials 5 --cells '1000/*/3' --methods gibbs vb\n"
        "  sbdl reproduce table2 --images images -o table2 --sigma 25 --methods gibbs gibbs-paper\n"
        "  sbdl reproduce convergence -o convergence");
    add_options(app, table, a);
    if (!parse(app, count, argument_list)) return done;

    a.origin = {.program = program_text(),
                .command = command_line(count, argument_list),
                .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                .machine = machine_text()};
    if (table == "table2") return reproduce_table2(a);
    if (table != "table1" && table != "convergence")
        throw InputError(fmt::format("'{}' is not an experiment; choose table1, table2 or convergence", table));
    for (const char* option : {"--images", "--sigma", "--figures"})
        if (app.count(option) > 0) throw InputError(fmt::format("{} applies to table2 only", option));
    if (table == "table1") return reproduce_table1(a);
    if (a.trials) throw InputError("--trials does not apply to convergence, which uses one data set");
    if (app.count("--threads") > 0) throw InputError("--threads does not apply to convergence, which uses one thread");
    return reproduce_convergence(a);
}

}  // namespace sbdl::app
