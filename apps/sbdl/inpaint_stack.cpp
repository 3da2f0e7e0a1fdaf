// sbdl inpaint for a stack: page by page, with one mask for all pages, and with the pages that are done on disk until
// the stack is written.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "denoise/stack_journal.hpp"
#include "image_bar.hpp"
#include "inpaint.hpp"
#include "interrupt.hpp"
#include "kept_stack.hpp"
#include "outputs.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "sbdl/stack_report.hpp"
#include "stack_pages.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using nlohmann::ordered_json;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the report says of a page, from its note.
StackPageFacts inpainted_page(const ordered_json& note) {
    const bool unchanged = note.at("unchanged");
    StackPageFacts facts{.noise_sd = unchanged ? std::numeric_limits<double>::quiet_NaN() : double(note.at("noise_sd")),
                         .noise = {},
                         .unchanged = unchanged,
                         .warnings = note.at("warnings"),
                         .missing = note.at("missing_share")};
    // JSON has no infinity.
    if (note.contains("psnr"))
        facts.psnr_after =
            note.at("psnr").is_null() ? std::numeric_limits<double>::infinity() : double(note.at("psnr"));
    return facts;
}

/// The warnings of single pages, each once, with the pages that have it. Those that differ in numbers alone are one.
std::vector<std::string> warnings_of_pages(const ordered_json& pages) {
    struct Kind {
        std::string words;  // without the numbers
        std::string text;   // of the first page
        bool numbers_differ = false;
        std::vector<std::size_t> pages;
    };
    std::vector<Kind> kinds;
    for (std::size_t page = 0; page < pages.size(); ++page)
        for (const ordered_json& warning : pages[page].at("warnings")) {
            const std::string text = warning;
            static const std::regex number("[0-9][0-9.e+-]*");
            const std::string words = std::regex_replace(text, number, "#");
            auto kind = std::ranges::find(kinds, words, &Kind::words);
            if (kind == kinds.end()) kind = kinds.insert(kind, {words, text, false, {}});
            kind->numbers_differ = kind->numbers_differ || text != kind->text;
            kind->pages.push_back(page);
        }
    std::vector<std::string> warnings;
    for (const Kind& kind : kinds)
        warnings.push_back(fmt::format(
            "{}: {}{}", listed(kind.pages), kind.text,
            kind.numbers_differ ? fmt::format(" (the numbers are those of page {})", kind.pages.front() + 1) : ""));
    return warnings;
}

class InpaintStack {
public:
    explicit InpaintStack(const InpaintArguments& a)
        : a_(a), files_{"inpaint", "incomplete", a.input, a.truth, a.target, a.std} {
        a_.options.std = !a.std.empty();  // the page about a stack does not show them
        if (!a.mask.empty()) mask_ = read_mask(a.mask, accept_inpainted(a, a.mask));
        choose_checkpoint(files_, a_.context.checkpoint);
        check_pages();
        StackJournal::check_folder(a_.context.checkpoint.path);
    }

    /// Returns the exit status.
    int run() {
        const auto start = std::chrono::steady_clock::now();
        StackJournal journal(a_.context.checkpoint, stack_fingerprint(facts_.data, a_.options), a_.options.std);
        facts_.warnings.insert(facts_.warnings.end(), journal.warnings().begin(), journal.warnings().end());
        const std::size_t resumed_at = journal.done();
        try {
            fill_in(journal);
            if (journal.done() == facts_.pages) write(journal, seconds_since(start), resumed_at);
        } catch (const FileError& error) {
            give_up(files_, facts_, a_.context.checkpoint, journal, error);
        }
        const bool interrupted = say(journal, seconds_since(start));
        const int status = inpaint_status(outputs_);
        return interrupted ? signal_status() : status;
    }

private:
    [[nodiscard]] Image read_page(PageSource& pages, std::size_t page) const {
        Image image = pages.read(page);
        if (a_.mask.empty()) return image;
        const Image turned = with_orientation(mask_, image.metadata.orientation);
        try {
            return with_missing(std::move(image), turned, a_.mask.string());
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", page_name(a_.input, page, pages.count()), error.what()));
        }
    }

    void check_pages() {
        const std::unique_ptr<PageSource> pages = open_incomplete_pages(a_.input, accept_inpainted(a_, a_.input));
        facts_ =
            check_stack(files_, *pages,
                        {.read = [this](PageSource& from, std::size_t page) { return read_page(from, page); },
                         .written = [](Samples samples) { return samples; },
                         .outputs = [this](const Image& image) { check_inpaint_outputs(a_, image, /*stacked=*/true); },
                         .page =
                             [this](const Image& image, const std::string& name) {
                                 check_inpainted(a_, image, name);
                                 colour_ = colour_ || image.colour();
                             },
                         .accept_truth = accept_inpainted(a_, a_.truth)});
    }

    /// Until all pages are done or a signal ends the run.
    void fill_in(StackJournal& journal) {
        const std::unique_ptr<PageSource> pages = open_incomplete_pages(a_.input),
                                          truth = open_truth(files_, facts_.pages);
        const auto start = std::chrono::steady_clock::now();
        const std::size_t first = journal.done();
        ImageBar bar(a_.output.quiet);
        try {
            for (std::size_t page = first; page < facts_.pages; ++page) {
                look_for_stop();
                const Image incomplete = read_page(*pages, page);
                InpaintResult result = inpaint(incomplete, a_.options, a_.context, [&](DenoiseProgress now) {
                    now.share = (double(page - first) + now.share) / double(facts_.pages - first);
                    now.seconds_left = seconds_since(start) * (1.0 - now.share) / std::max(now.share, 1e-3);
                    bar.show(fmt::format("page {}/{}  {}", page + 1, facts_.pages, now.stage), now);
                });
                Image of_truth;
                if (truth != nullptr)
                    of_truth = checked_truth(truth->read(page), incomplete, files_.input_is, a_.truth.string());
                const std::string note = json_text(note_of(page, incomplete, result, of_truth));
                journal.add(result.image, result.std, note);
            }
        } catch (const Stopped&) {
            // Those before it are done.
        }
    }

    /// What the journal keeps of a page besides its pixels; the same is printed with --json.
    [[nodiscard]] ordered_json note_of(std::size_t page, const Image& incomplete, const InpaintResult& result,
                                       const Image& truth) const {
        ordered_json note = {
            {"missing", result.missing},   {"missing_share", double(result.missing) / double(facts_.samples[page])},
            {"noise_sd", result.noise_sd}, {"unchanged", result.unchanged},
            {"rounds", result.rounds},     {"warnings", result.warnings}};
        if (truth.planes.empty()) return note;
        const InpaintComparison comparison = compare_inpainted(truth, incomplete, result, facts_.range);
        note["psnr"] = comparison.quality.psnr;
        if (result.unchanged) return note;
        note["psnr_missing"] = comparison.missing_psnr;
        if (a_.options.std) {
            note["within_1_std"] = comparison.within_1;
            note["within_2_std"] = comparison.within_2;
        }
        return note;
    }

    void write(StackJournal& journal, double seconds, std::size_t resumed_at) {
        write_kept(files_, facts_, journal, outputs_);
        if (!a_.report.empty()) outputs_.write("report", a_.report, [&] { write_page(journal, seconds, resumed_at); });
        outputs_.require_any();
        if (!outputs_.miss_data()) journal.remove();
    }

    void write_page(const StackJournal& journal, double seconds, std::size_t resumed_at) const {
        StackReportContent content{.pages = {},
                                   .title = a_.input.filename().string(),
                                   .command = a_.command,
                                   .range = facts_.range,
                                   .warnings = facts_.warnings,
                                   .seconds = seconds,
                                   .resumed_at = resumed_at,
                                   .program = program_text()};
        for (const std::string& note : journal.notes())
            content.pages.push_back(inpainted_page(ordered_json::parse(note)));
        const std::unique_ptr<PageSource> pages = open_incomplete_pages(a_.input);
        // Files hold the pixels as the input has them; a page shows them in display orientation.
        content.images = [&](std::size_t page) {
            return StackPageImages{with_orientation(read_page(*pages, page), 1),
                                   with_orientation(journal.clean(page), 1)};
        };
        write_stack_report(a_.report, content);
    }

    /// Returns whether the run was interrupted.
    bool say(StackJournal& journal, double seconds) const {
        ordered_json pages = ordered_json::array();
        std::size_t missing = 0, samples = 0;
        std::vector<std::size_t> copied;
        double noise = 0.0;
        MeanPsnr psnr;
        for (const std::string& note : journal.notes()) {
            const ordered_json& page = pages.emplace_back(ordered_json::parse(note));
            missing += page.at("missing").get<std::size_t>();
            samples += facts_.samples[pages.size() - 1];
            if (page.at("unchanged")) copied.push_back(pages.size() - 1);
            noise += std::pow(page.at("noise_sd").get<double>(), 2);  // 0 of a copied page, whose noise is not known
            if (page.contains("psnr")) psnr.add(page.at("psnr"), pages.size() - 1);
        }
        const std::size_t filled = pages.size() - copied.size();
        std::vector<std::string> warnings = facts_.warnings;
        for (std::string& warning : warnings_of_pages(pages)) warnings.push_back(std::move(warning));
        const double share = double(missing) / std::max(1.0, double(samples));
        const double noise_sd = std::sqrt(noise / std::max(1.0, double(filled)));
        ordered_json object = {{"image", a_.target.string()},
                               {"pages", facts_.pages},
                               {"pages_done", journal.done()},
                               {"missing", missing},
                               {"missing_share", share},
                               {"noise_sd", filled > 0 ? ordered_json(noise_sd) : ordered_json()},
                               {"options", ordered_json::parse(to_json(a_.options))},
                               {"seconds", seconds},
                               {"each_page", std::move(pages)},
                               {"warnings", warnings}};
        if (!a_.std.empty()) object["std"] = a_.std.string();
        const bool all = journal.done() == facts_.pages;
        if (!a_.report.empty() && all) object["report"] = a_.report.string();
        std::string text = fmt::format("pages       {} of {}\n", journal.done(), facts_.pages);
        if (journal.done() > 0) text += missing_line(missing, share, colour_);
        if (filled > 0)
            text += fmt::format("noise       {:.4g} ({})\n", noise_sd, a_.options.sigma ? "given" : "inferred");
        if (!copied.empty()) text += fmt::format("found       nothing missing on {}: copied\n", listed(copied));
        if (!psnr.empty()) {
            object["psnr"] = psnr.mean();
            object["data_range"] = facts_.range.width();
            text += fmt::format("psnr        {} dB (mean of the pages; {})\n", psnr.text(), range_text(facts_.range)) +
                    psnr.left_out("equals", "equal");
        }
        for (const std::string& warning : warnings) text += fmt::format("warning     {}\n", warning);
        text += fmt::format("seconds     {:.2f}\n", seconds);
        if (all && !outputs_.has_failed("image")) text += fmt::format("file        {}\n", name_text(a_.target));
        const bool interrupted = describe_kept(files_, facts_, a_.context.checkpoint, journal, outputs_, object, text);
        outputs_.remove_missing(object);
        a_.output.say(text);
        a_.output.print_json(object);
        return interrupted;
    }

    InpaintArguments a_;
    StackFiles files_;
    Image mask_;  // no planes: none was given
    StackFacts facts_;
    bool colour_ = false;  // at least one page
    Outputs outputs_{"the stack"};
};

}  // namespace

int inpaint_stack(const InpaintArguments& a) {
    return InpaintStack(a).run();
}

}  // namespace sbdl::app
