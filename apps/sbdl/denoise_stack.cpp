// sbdl denoise for a stack: page by page, with the pages that are done on disk until the stack is written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "denoise.hpp"
#include "denoise/denoise_options.hpp"
#include "denoise/stack_journal.hpp"
#include "denoise/whole_progress.hpp"
#include "interrupt.hpp"
#include "kept_stack.hpp"
#include "learning_stage.hpp"
#include "noise_found.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "stack_page.hpp"
#include "stack_pages.hpp"

namespace sbdl::app {
namespace {

using nlohmann::ordered_json;

/// Lines about the noise of the pages: what was found, and where.
std::string noise_of_pages(const ordered_json& pages) {
    struct Kind {
        const char* words;
        bool (*is)(const NoiseFound& noise);
    };
    constexpr std::array kinds{
        Kind{"noise that grows with brightness",
             [](const NoiseFound& noise) { return noise.kind == NoiseKind::poisson_gaussian; }},
        Kind{"correlated noise",
             [](const NoiseFound& noise) {
                 return std::ranges::any_of(noise.correlation, [](double value) { return value != 0.0; });
             }},
        Kind{"1 % and more of clipped samples",
             [](const NoiseFound& noise) {
                 return std::ranges::any_of(noise.planes,
                                            [](const PlaneNoise& plane) { return plane.clipped >= 0.01; });
             }},
        Kind{"stripes", [](const NoiseFound& noise) { return noise.striped(); }},
        Kind{"salt-and-pepper noise", [](const NoiseFound& noise) { return noise.impulses > 0.0; }},
        Kind{"strong compression (JPEG)", [](const NoiseFound& noise) { return noise.compressed; }},
        Kind{"nearly no noise", [](const NoiseFound& noise) { return noise.nearly_none; }}};
    std::string text;
    for (const Kind& kind : kinds) {
        std::vector<std::size_t> with;
        for (std::size_t page = 0; page < pages.size(); ++page)
            if (pages[page].contains("noise") && kind.is(noise_in(pages[page].at("noise")))) with.push_back(page);
        if (!with.empty()) text += fmt::format("found       {} in {}\n", kind.words, listed(with));
    }
    return text;
}

class StackTask final : public FileTask {
public:
    explicit StackTask(const DenoiseArguments& a)
        : a_(a), files_{"denoise", "noisy", a.noisy, a.truth, a.clean, a.std} {
        if (!a.save_model.empty() && a.stack.dictionary == StackDictionary::own)
            throw InputError("--save-model does not apply with --dictionary own: each page has a model of its own");
        if (!a.model.empty() && a.fields.given("dictionary"))
            throw InputError("--dictionary does not apply with --model: nothing is learned");
        a_.options.std = !a.std.empty();  // the page about a stack does not show them
        choose_checkpoint(files_, a_.context.checkpoint);
        check_pages();
        StackJournal::check_folder(a_.context.checkpoint.path);
    }

    [[nodiscard]] double seconds() const override { return seconds_; }

    DenoisedFile run(const ShowProgress& show) override {
        const auto start = std::chrono::steady_clock::now();
        StackJournal journal(a_.context.checkpoint,
                             stack_fingerprint(facts_.data, a_.options, a_.stack, a_.context.seed), a_.options.std);
        warnings_.insert(warnings_.end(), journal.warnings().begin(), journal.warnings().end());
        const std::size_t resumed_at = journal.done();
        const auto seconds = [start] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        StackResult result;
        try {
            result = clean(journal, show);
            warnings_.insert(warnings_.end(), result.warnings.begin(), result.warnings.end());
            if (result.done == facts_.pages) write(journal, seconds(), resumed_at);
        } catch (const FileError& error) {
            give_up(files_, facts_, a_.context.checkpoint, journal, error);
        }
        DenoisedFile file = described(journal, result, seconds());
        const bool kept =
            describe_kept(files_, facts_, a_.context.checkpoint, journal, outputs_, file.object, file.text);
        file.interrupted = kept || end_learning_;
        return file;
    }

private:
    void check_pages() {
        const std::unique_ptr<PageSource> pages = open_pages(a_.noisy, a_.accept_size(a_.noisy));
        bool first = true;
        facts_ = check_stack(
            files_, *pages,
            {.read = [](PageSource& from, std::size_t page) { return from.read(page); },
             .written = [this](Samples samples) { return output_samples(a_, samples); },
             .outputs = [this](const Image& noisy) { check_outputs(a_, noisy, /*stacked=*/true); },
             .page =
                 [&](const Image& noisy, const std::string& name) {
                     check_noisy(a_, noisy, name);
                     const bool learns = a_.stack.dictionary == StackDictionary::own || std::exchange(first, false);
                     seconds_ += usual_seconds(a_.options, noisy.height(), noisy.width(), noisy.planes.size(),
                                               a_.context.execution.threads, learns);
                 },
             .accept_truth = a_.truth.empty() ? AcceptSize{} : a_.accept_size(a_.truth)});
        warnings_ = facts_.warnings;
    }

    StackResult clean(StackJournal& journal, const ShowProgress& show) {
        const std::unique_ptr<PageSource> pages = open_pages(a_.noisy), truth = open_truth(files_, facts_.pages);
        DenoiseOptions options = a_.options;
        if (journal.model() != nullptr) options.model = journal.model();
        Context context = a_.context;
        context.checkpoint = {};
        StackHooks hooks;
        hooks.stop = &work_ends();
        hooks.end_learning = &end_learning_;
        const char* const notice = "\nending the learning, then cleaning the pages; press Ctrl-C again to quit now\n";
        // Of several files, the current one is abandoned.
        LearningStage learning(/*can_end=*/a_.inputs.size() == 1, a_.output.quiet ? nullptr : notice);
        hooks.learned = [&](const Model& model) {
            Model named = model;
            named.program_version = program_text();
            named.command = a_.command;
            journal.learned(named);
        };
        hooks.progress = [&](const DenoiseProgress& now) {
            const bool shared = now.page == facts_.pages && now.stage != "done";  // what is learned serves all pages
            learning.follow(shared ? now.stage : "");
            // Not by SIGTERM and SIGHUP: a run that is resumed then learns to the end.
            if (shared && a_.inputs.size() == 1 && learning_ends() && !work_ends() && signal_status() == ctrl_c_status)
                end_learning_ = true;
            show(now.page == facts_.pages ? std::string(now.stage)
                                          : fmt::format("page {}/{}  {}", now.page + 1, facts_.pages, now.stage),
                 now);
        };
        hooks.page = [&](std::size_t page, DenoiseResult result) {
            const Image noisy = pages->read(page);
            ordered_json note = page_note(a_, result);
            if (truth != nullptr)
                compare(checked_truth(truth->read(page), noisy, files_.input_is, a_.truth.string()), noisy, result,
                        note);
            journal.add(as_written(a_, std::move(result.image)),
                        a_.std.empty() ? Image{} : std_as_written(a_, std::move(result.std), noisy.samples),
                        json_text(note));
        };
        return denoise_stack(*pages, options, a_.stack, context, hooks, journal.done());
    }

    // That of the shared dictionary, or of the first page that learned; as for a single image.
    [[nodiscard]] std::string method_used(const StackJournal& journal, const ordered_json& pages) const {
        for (const ordered_json& page : pages)
            if (journal.model() == nullptr && !page.at("unchanged")) return page.at("method");
        if (!a_.model.empty()) return "model";
        return journal.model() == nullptr ? a_.options.method : journal.model()->method;
    }

    void compare(const Image& truth, const Image& noisy, const DenoiseResult& result, ordered_json& note) const {
        const Quality before = quality_of(truth, noisy, facts_.range),
                      after = quality_of(truth, result.image, facts_.range);
        note["psnr_before"] = before.psnr;
        note["psnr_after"] = after.psnr;
        note["ssim_before"] = before.ssim;
        note["ssim_after"] = after.ssim;
        if (result.std.planes.empty() || result.unchanged) return;
        note["within_1_std"] = share_within(truth, result.image, result.std, 1.0);
        note["within_2_std"] = share_within(truth, result.image, result.std, 2.0);
    }

    void write(StackJournal& journal, double seconds, std::size_t resumed_at) {
        write_kept(files_, facts_, journal, outputs_);
        const Model* const model = a_.options.model != nullptr ? a_.options.model : journal.model();
        if (!a_.save_model.empty() && model != nullptr)
            outputs_.write("model", a_.save_model, [&] { save_model(*model, a_.save_model); });
        if (!a_.report.empty())
            outputs_.write("report", a_.report, [&] {
                write_stack_page(a_, journal, {model, warnings_, seconds, resumed_at, facts_.range});
            });
        outputs_.require_any();
        if (!outputs_.miss_data()) journal.remove();
    }

    DenoisedFile described(const StackJournal& journal, const StackResult& result, double seconds) {
        ordered_json pages = ordered_json::array();
        std::vector<std::size_t> without_noise, without_other_noise, only_noise;
        double noise = 0.0, least = 0.0, most = 0.0;
        MeanPsnr before, after;
        for (const std::string& note : journal.notes()) {
            pages.push_back(ordered_json::parse(note));
            const ordered_json& page = pages.back();
            const double sd = page.at("noise_sd");
            const std::size_t number = pages.size() - 1;
            const bool foreign = page.contains("noise") && noise_in(page.at("noise")).foreign();
            if (page.at("unchanged")) (foreign ? without_other_noise : without_noise).push_back(number);
            if (page.at("only_noise")) only_noise.push_back(number);
            least = number == 0 ? sd : std::min(least, sd);
            most = std::max(most, sd);
            noise += sd * sd;
            if (a_.truth.empty()) continue;
            before.add(page.at("psnr_before"), number);
            after.add(page.at("psnr_after"), number);
        }
        const double done = std::max<double>(1.0, double(pages.size()));
        const std::string found = noise_of_pages(pages);
        DenoisedFile file;
        file.object = {{"image", a_.clean.string()},
                       {"pages", facts_.pages},
                       {"pages_done", journal.done()},
                       {"recipe", to_string(a_.options.recipe)},
                       {"method", method_used(journal, pages)},
                       {"dictionary", result.shared ? "shared" : "own"},
                       {"noise_sd", std::sqrt(noise / done)},
                       {"samples", to_string(output_samples(a_, facts_.first_samples))},
                       {"seed", a_.context.seed},
                       {"options", ordered_json::parse(to_json(a_.options))},
                       {"seconds", seconds},
                       {"each_page", std::move(pages)}};
        file.text = fmt::format("pages       {} of {}\n", journal.done(), facts_.pages);
        if (journal.done() > 0)
            file.text += fmt::format("noise       {:.4g} to {:.4g} ({})\n", least, most,
                                     a_.options.sigma ? "given" : "inferred");
        if (!a_.truth.empty() && journal.done() > 0) describe_quality(before, after, file);
        if (!a_.std.empty()) file.object["std"] = a_.std.string();
        if (!a_.report.empty() && journal.done() == facts_.pages) file.object["report"] = a_.report.string();
        file.text += found;
        const auto mention_unchanged = [&](const char* what, const std::vector<std::size_t>& unchanged) {
            if (!unchanged.empty())
                file.text += fmt::format("found       no {} in {}; left as {}\n", what, listed(unchanged),
                                         unchanged.size() == 1 ? "it is" : "they are");
        };
        mention_unchanged("noise", without_noise);
        mention_unchanged("other noise", without_other_noise);
        if (!only_noise.empty())
            file.text += fmt::format("found       almost nothing but noise in {}\n", listed(only_noise));
        file.text += fmt::format("seconds     {:.2f}\n", seconds);
        if (journal.done() == facts_.pages && !outputs_.has_failed("image"))
            file.text += fmt::format("file        {}\n", name_text(a_.clean));
        file.warnings = warnings_;
        file.object["warnings"] = warnings_;
        file.fail(outputs_);
        return file;
    }

    /// Over the pages that have it: some are too small for SSIM, or have no standard deviations.
    static std::optional<double> mean_of(const ordered_json& pages, const char* field) {
        double sum = 0.0, count = 0.0;
        for (const ordered_json& page : pages) {
            const auto value = page.find(field);
            if (value == page.end() || !value->is_number()) continue;
            sum += value->get<double>();
            count += 1.0;
        }
        return count > 0.0 ? std::optional(sum / count) : std::nullopt;
    }

    void describe_quality(const MeanPsnr& before, const MeanPsnr& after, DenoisedFile& file) const {
        const ordered_json& pages = file.object.at("each_page");  // until the object grows
        const std::optional<double> ssim_before = mean_of(pages, "ssim_before"), ssim = mean_of(pages, "ssim_after");
        const std::optional<double> within_1 = mean_of(pages, "within_1_std"),
                                    within_2 = mean_of(pages, "within_2_std");
        file.object["psnr_before"] = before.mean();
        file.object["psnr_after"] = after.mean();
        file.object["data_range"] = facts_.range.width();
        file.object["equal_to_truth_before"] = before.equal().size();
        file.object["equal_to_truth_after"] = after.equal().size();
        file.text += fmt::format("psnr        {} dB, was {} (mean of the pages; {})\n", after.text(), before.text(),
                                 range_text(facts_.range));
        file.text += after.left_out("equals", "equal") + before.left_out("equalled", "equalled");
        if (ssim_before && ssim) {
            file.text += fmt::format("ssim        {}, was {} (mean of the pages)\n", number_text(*ssim),
                                     number_text(*ssim_before));
            file.object["ssim_before"] = *ssim_before;
            file.object["ssim_after"] = *ssim;
        }
        if (within_1 && within_2) {
            file.text += within_std_text(*within_1, *within_2);
            file.object["within_1_std"] = *within_1;
            file.object["within_2_std"] = *within_2;
        }
    }

    DenoiseArguments a_;
    StackFiles files_;
    StackFacts facts_;
    double seconds_ = 0.0;
    std::vector<std::string> warnings_;
    Outputs outputs_{"the stack"};
    std::atomic<bool> end_learning_{false};  // of the shared dictionary, by Ctrl-C
};

}  // namespace

std::unique_ptr<FileTask> stack_task(const DenoiseArguments& a) {
    return std::make_unique<StackTask>(a);
}

}  // namespace sbdl::app
