// sbdl report: one HTML page about a run.
#include "sbdl/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "pipes.hpp"
#include "program_text.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;

std::optional<Image> read_if_named(const fs::path& path) {
    if (path.empty()) return std::nullopt;
    return with_orientation(read_image(path), 1);
}

const Image* pointer(const std::optional<Image>& image) {
    return image ? &*image : nullptr;
}

}  // namespace

int run_report(int count, char** arguments) {
    fs::path model_path, page_path, before_path, after_path, std_path, truth_path;
    std::string title;
    Output output;
    CLI::App app(
        "Write one HTML page about a run: whether it settled, what it learned, how certain it is. The page needs no "
        "network.",
        "sbdl report");
    app.footer(
        "Example:\n  sbdl report model.h5 -o report.html\n"
        "  sbdl report model.h5 -o report.html --before noisy.png --after clean.png --std clean_std.npy");
    app.add_option("MODEL", model_path, "Model file written by learn or denoise, or - for standard input")
        ->required()
        ->type_name("FILE");
    app.add_option("-o,--output", page_path, "File for the page (.html), or - for standard output")
        ->required()
        ->type_name("PAGE.html");
    app.add_option("--before", before_path, "The noisy image")->type_name("FILE");
    app.add_option("--after", after_path, "The denoised image")->type_name("FILE");
    app.add_option("--std", std_path, "Standard deviation of each pixel of the denoised image")->type_name("FILE");
    app.add_option("--truth", truth_path, "The clean image, if you have it")->type_name("FILE");
    app.add_option("--title", title, "Title of the page [name of the model file]")->type_name("TEXT");
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;

    Pipes pipes;
    for (fs::path* const path : {&model_path, &before_path, &after_path, &std_path, &truth_path})
        pipes.take_input(*path);
    pipes.take_output(page_path, ".html", output);
    const Model model = load_model(model_path);
    std::vector<fs::path> inputs{model_path};
    for (const fs::path& path : {before_path, after_path, std_path, truth_path})
        if (!path.empty()) inputs.push_back(path);
    check_output(page_path, {".html", ".htm"}, inputs);
    const std::optional<Image> before = read_if_named(before_path);
    const std::optional<Image> after = read_if_named(after_path);
    const std::optional<Image> spread = read_if_named(std_path);
    const std::optional<Image> truth = read_if_named(truth_path);

    write_report(page_path,
                 {.model = &model,
                  .title = title.empty() ? fs::path(with_pipe_names(model_path.string())).filename().string() : title,
                  .command = {},
                  .before = pointer(before),
                  .after = pointer(after),
                  .std = pointer(spread),
                  .truth = pointer(truth),
                  .program = program_text()});
    pipes.finish();
    output.print_json({{"report", page_path.string()}, {"model", model_path.string()}, {"atoms", model.atom_count()}});
    output.say(fmt::format("report      {}\n", name_text(page_path)));
    return done;
}

}  // namespace sbdl::app
