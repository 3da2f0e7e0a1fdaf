// sbdl inpaint for a stack: page by page, with one mask for all pages.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "image_bar.hpp"
#include "inpaint.hpp"
#include "outputs.hpp"
#include "sbdl/error.hpp"
#include "stack_pages.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A stack that is being written. When a page cannot be, the rest of this file is given up, and not the run.
class StackFile {
public:
    void add(const fs::path& path, const Image& page, std::size_t pages, std::size_t bytes) {
        attempt([&] {
            if (!writer_) writer_ = write_pages(path, page, pages, bytes);
            writer_->add(page);
        });
    }
    /// Returns why it could not be written, or nothing.
    std::string commit() {
        attempt([this] { writer_->commit(); });
        return why_;
    }
    [[nodiscard]] const std::string& why() const { return why_; }

private:
    void attempt(const std::function<void()>& step) {
        if (!why_.empty()) return;
        try {
            step();
        } catch (const FileError& error) {
            why_ = error.what();
            writer_.reset();
        }
    }

    std::unique_ptr<StackWriter> writer_;
    std::string why_;
};

class InpaintStack {
public:
    explicit InpaintStack(const InpaintArguments& a) : a_(a) {
        if (!a.report.empty())
            throw InputError(fmt::format("--report does not apply to stacks, and {} is one; --json has every page",
                                         a.input.string()));
        if (!a.mask.empty()) mask_ = read_image(a.mask, accept_inpainted(a, a.mask));
        check_pages();
    }

    /// Returns the exit status.
    int run() {
        const auto start = std::chrono::steady_clock::now();
        const std::unique_ptr<PageSource> pages = open_incomplete_pages(a_.input), truth = open_truth();
        ImageBar bar(a_.output.quiet);
        for (std::size_t page = 0; page < count_; ++page) {
            const Image incomplete = read_page(*pages, page);
            const InpaintResult result = inpaint(incomplete, a_.options, a_.context, [&](DenoiseProgress now) {
                now.share = (double(page) + now.share) / double(count_);
                now.seconds_left = seconds_since(start) * (1.0 - now.share) / std::max(now.share, 1e-3);
                bar.show(fmt::format("page {}/{}  {}", page + 1, count_, now.stage), now);
            });
            add(incomplete, result, truth == nullptr ? std::nullopt : std::optional(truth->read(page)));
        }
        Outputs outputs("the stack");
        outputs.add("image", a_.target, full_.commit());
        if (!a_.std.empty()) outputs.add("std", a_.std, std_.commit());
        outputs.require_any();
        say(seconds_since(start), outputs);
        return inpaint_status(outputs);
    }

private:
    [[nodiscard]] Image read_page(PageSource& pages, std::size_t page) const {
        Image image = pages.read(page);
        if (a_.mask.empty()) return image;
        const Image turned = with_orientation(mask_, image.metadata.orientation);
        try {
            return with_missing(std::move(image), turned, a_.mask.string());
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", page_name(a_.input, page, count_), error.what()));
        }
    }

    [[nodiscard]] std::unique_ptr<PageSource> open_truth() const {
        if (a_.truth.empty()) return nullptr;
        std::unique_ptr<PageSource> truth = open_pages(a_.truth, accept_inpainted(a_, a_.truth));
        if (truth->count() != count_)
            throw InputError(fmt::format("{}: has {} {}, the incomplete stack {}", a_.truth.string(), truth->count(),
                                         truth->count() == 1 ? "page" : "pages", count_));
        return truth;
    }

    void check_pages() {
        const std::unique_ptr<PageSource> pages = open_incomplete_pages(a_.input, accept_inpainted(a_, a_.input));
        count_ = pages->count();
        const std::unique_ptr<PageSource> truth = open_truth();
        PageKinds kinds(a_.input, count_);
        for (std::size_t page = 0; page < count_; ++page) {
            look_for_stop();
            const Image image = read_page(*pages, page);
            const std::string name = page_name(a_.input, page, count_);
            const std::string written = is_npy(a_.target) ? kind_of(image)
                                        : is_npy(a_.std)  ? kind_of(image, Samples::f32, false)
                                                          : "";
            if (kinds.add(image, written)) check_inpaint_outputs(a_, image, /*stacked=*/true);
            try {
                check_incomplete_image(image, a_.options);
            } catch (const InputError& error) {
                throw InputError(fmt::format("{}: {}", name, error.what()));
            }
            if (truth != nullptr)
                range_.include(checked_truth(truth->read(page), image, page_name(a_.truth, page, count_)));
            const std::size_t samples = image.height() * image.width() * image.planes.size();
            samples_ += samples;
            bytes_ += (samples + image.alpha.size()) * bytes_of_sample(image.samples);
            std_bytes_ += samples * bytes_of_sample(Samples::f32);
            for (const std::string& warning : image.metadata.warnings)
                if (warnings_.size() < most_warnings) warnings_.push_back(warning);
        }
        if (!kinds.difference().empty()) warnings_.push_back(kinds.difference());
    }

    void add(const Image& incomplete, const InpaintResult& result, std::optional<Image> truth) {
        full_.add(a_.target, result.image, count_, bytes_);
        if (!a_.std.empty()) std_.add(a_.std, result.std, count_, std_bytes_);
        if (!full_.why().empty() && (a_.std.empty() || !std_.why().empty())) throw FileError(full_.why());
        ordered_json note = {{"missing", result.missing},
                             {"noise_sd", result.noise_sd},
                             {"unchanged", result.unchanged},
                             {"rounds", result.rounds}};
        if (truth && !result.unchanged) {
            const Image turned = checked_truth(std::move(*truth), incomplete, a_.truth.string());
            const InpaintComparison comparison = compare_inpainted(turned, incomplete, result, range_);
            note["psnr"] = comparison.quality.psnr;
            note["psnr_missing"] = comparison.missing_psnr;
            psnr_ += comparison.quality.psnr;
            ++compared_;
            if (a_.options.std) {
                note["within_1_std"] = comparison.within_1;
                note["within_2_std"] = comparison.within_2;
            }
        }
        missing_ += result.missing;
        noise_ += result.noise_sd * result.noise_sd;
        notes_.push_back(std::move(note));
    }

    void say(double seconds, const Outputs& outputs) const {
        const double share = double(missing_) / double(samples_);
        const double noise_sd = std::sqrt(noise_ / double(count_));
        ordered_json object = {{"image", a_.target.string()}, {"pages", count_},
                               {"missing", missing_},         {"missing_share", share},
                               {"noise_sd", noise_sd},        {"options", ordered_json::parse(to_json(a_.options))},
                               {"seconds", seconds},          {"each_page", notes_},
                               {"warnings", warnings_}};
        if (!a_.std.empty()) object["std"] = a_.std.string();
        std::string text = fmt::format("pages       {}\nmissing     {:.4g} % ({})\nnoise       {:.4g} ({})\n", count_,
                                       100.0 * share, missing_, noise_sd, a_.options.sigma ? "given" : "inferred");
        if (compared_ > 0) {
            object["psnr"] = psnr_ / double(compared_);
            object["data_range"] = range_.width();
            text += fmt::format("psnr        {:.2f} dB (mean of the pages; {})\n", psnr_ / double(compared_),
                                range_text(range_));
        }
        for (const std::string& warning : warnings_) text += fmt::format("warning     {}\n", warning);
        text += fmt::format("seconds     {:.2f}\n", seconds);
        if (!outputs.has_failed("image")) text += fmt::format("file        {}\n", name_text(a_.target));
        outputs.remove_missing(object);
        a_.output.say(text);
        a_.output.print_json(object);
    }

    const InpaintArguments& a_;
    Image mask_;  // no planes: none was given
    std::size_t count_ = 0, samples_ = 0, bytes_ = 0, std_bytes_ = 0;
    DataRange range_;  // of all pages of the truth, so that pages can be compared
    StackFile full_, std_;
    std::vector<ordered_json> notes_;
    std::size_t missing_ = 0, compared_ = 0;
    double noise_ = 0.0, psnr_ = 0.0;  // sums
    std::vector<std::string> warnings_;
};

}  // namespace

int inpaint_stack(const InpaintArguments& a) {
    return InpaintStack(a).run();
}

}  // namespace sbdl::app
