// sbdl score: how much of a known dictionary a model or an array of atoms recovers.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common.hpp"
#include "pipes.hpp"
#include "sbdl/model.hpp"
#include "sbdl/score.hpp"
#include "sbdl/signals.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;

bool begins_as_hdf5(const fs::path& path) {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::string start(signature.size(), ' ');
    std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
    return start == signature;
}

// A .h5 file is a model, unless a dataset in it is named; so is what comes through a pipe and looks like one.
Matrix load_atoms(const fs::path& path, const std::string& dataset) {
    const fs::path ending = path.extension();
    const bool hdf5 = ending == ".h5" || ending == ".hdf5" || (ending.empty() && begins_as_hdf5(path));
    if (dataset.empty() && hdf5) return load_model(path).dictionary;
    return load_matrix(path, dataset);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

int run_score(int count, char** arguments) {
    fs::path learned_path;
    fs::path truth_path;
    std::string dataset;
    std::string truth_dataset;
    double threshold = 0.01;
    Output output;
    CLI::App app(
        "Count the true atoms that were recovered: those with 1 - |cos| to a learned atom below the threshold.\n"
        "Two matchings are reported: 'nearest', as in the paper, lets one learned atom match several true ones;\n"
        "'assigned' matches each learned atom once.",
        "sbdl score");
    app.footer("Example:\n  sbdl score model.h5 --truth data/dictionary.npy");
    app.add_option("LEARNED", learned_path, "Model (.h5), or array of atoms, one per row, or - for standard input")
        ->required()
        ->type_name("FILE");
    app.add_option("--truth", truth_path, "The known dictionary, one atom per row, or -")
        ->required()
        ->type_name("FILE");
    app.add_option("--threshold", threshold, "Distance below which an atom counts as recovered")
        ->check(real_number(0.0, 1.0))
        ->capture_default_str()
        ->type_name("X");
    app.add_option("--dataset", dataset, "Dataset or variable of LEARNED; a .h5 file is then not read as a model")
        ->type_name("NAME");
    app.add_option("--truth-dataset", truth_dataset, "Dataset or variable of the known dictionary")->type_name("NAME");
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;

    Pipes pipes;
    pipes.take_input(learned_path);
    pipes.take_input(truth_path);
    const Matrix truth = load_atoms(truth_path, truth_dataset);
    const Matrix learned = load_atoms(learned_path, dataset);
    const RecoveryScore score = score_dictionary(truth, learned, threshold);

    output.print_json({{"true_atoms", score.true_atoms},
                       {"learned_atoms", learned.rows()},
                       {"threshold", threshold},
                       {"nearest_recovered", score.nearest_recovered},
                       {"nearest_rate", score.nearest_rate()},
                       {"assigned_recovered", score.assigned_recovered},
                       {"assigned_rate", score.assigned_rate()},
                       {"nearest_distance", score.nearest_distance},
                       {"assigned_distance", score.assigned_distance},
                       {"assigned_to", score.assigned_to}});
    output.say(fmt::format(
        "nearest     {} of {} atoms recovered ({:.1f} %), median distance {:.3g}\n"
        "assigned    {} of {} atoms recovered ({:.1f} %), median distance {:.3g}\n",
        score.nearest_recovered, score.true_atoms, 100.0 * score.nearest_rate(), median(score.nearest_distance),
        score.assigned_recovered, score.true_atoms, 100.0 * score.assigned_rate(), median(score.assigned_distance)));
    return done;
}

}  // namespace sbdl::app
