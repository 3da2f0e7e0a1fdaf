#include "kept_stack.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/stop.hpp"
#include "common.hpp"
#include "denoise.hpp"
#include "interrupt.hpp"
#include "stack_pages.hpp"

namespace sbdl::app {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::string resume_command(const StackFiles& files, const std::string& checkpoint) {
    return fmt::format("to resume: sbdl {} --resume {}", files.verb, checkpoint);
}

}  // namespace

StackFacts check_stack(const StackFiles& files, PageSource& pages, const PageChecks& checks) {
    StackFacts facts;
    facts.pages = pages.count();
    const std::unique_ptr<PageSource> truth = open_truth(files, facts.pages, checks.accept_truth);
    PageKinds kinds(files.input, facts.pages);
    std::uint64_t hash = 0;
    for (std::size_t page = 0; page < facts.pages; ++page) {
        look_for_stop();
        const Image image = checks.read(pages, page);
        const Samples written = checks.written(image.samples);
        if (page == 0) facts.first_samples = image.samples;
        // The pages of a .npy file are of one kind.
        const std::string in_npy = is_npy(files.target) ? kind_of(image, written, !image.alpha.empty())
                                   : is_npy(files.std)  ? kind_of(image, Samples::f32, false)
                                                        : "";
        if (kinds.add(image, in_npy)) checks.outputs(image);
        checks.page(image, page_name(files.input, page, facts.pages));
        if (truth != nullptr)
            facts.range.include(
                checked_truth(truth->read(page), image, files.input_is, page_name(files.truth, page, facts.pages)));
        hash = hash_page(image, hash);
        const std::size_t samples = image.height() * image.width() * image.planes.size();
        facts.samples.push_back(samples);
        facts.bytes += (samples + image.alpha.size()) * bytes_of_sample(written);
        facts.std_bytes += samples * bytes_of_sample(Samples::f32);
        for (const std::string& warning : image.metadata.warnings)
            if (facts.warnings.size() < most_warnings) facts.warnings.push_back(warning);
    }
    facts.data = fmt::format("{:016x} {} pages", hash, facts.pages);
    if (!kinds.difference().empty()) facts.warnings.push_back(kinds.difference());
    return facts;
}

std::unique_ptr<PageSource> open_truth(const StackFiles& files, std::size_t pages, const AcceptSize& accept) {
    if (files.truth.empty()) return nullptr;
    std::unique_ptr<PageSource> truth = open_pages(files.truth, accept);
    if (truth->count() != pages)
        throw InputError(fmt::format("{}: has {} {}, the {} stack {}", files.truth.string(), truth->count(),
                                     truth->count() == 1 ? "page" : "pages", files.input_is, pages));
    return truth;
}

void choose_checkpoint(const StackFiles& files, Checkpoint& checkpoint) {
    if (!checkpoint.path.empty()) return;
    checkpoint.path = files.target;
    checkpoint.path += ".checkpoint";
    std::error_code ignored;  // that it can be written is checked with the outputs
    if (fs::exists(checkpoint.path, ignored))
        throw InputError(
            fmt::format("{0}: exists; to resume the run that left it: sbdl {1} --resume {0}; to start over, remove it",
                        checkpoint.path.string(), files.verb));
}

void write_kept(const StackFiles& files, const StackFacts& facts, const StackJournal& journal, Outputs& outputs) {
    const auto write_stack = [&](const fs::path& path, std::size_t bytes, auto page_of) {
        const std::unique_ptr<StackWriter> out = write_pages(path, page_of(0), facts.pages, bytes);
        for (std::size_t page = 0; page < facts.pages; ++page) out->add(page_of(page));
        out->commit();
    };
    outputs.write("image", files.target, [&] {
        write_stack(files.target, facts.bytes, [&](std::size_t page) { return journal.clean(page); });
    });
    if (!files.std.empty())
        outputs.write("std", files.std, [&] {
            write_stack(files.std, facts.std_bytes, [&](std::size_t page) { return journal.std(page); });
        });
}

void give_up(const StackFiles& files, const StackFacts& facts, const Checkpoint& checkpoint, StackJournal& journal,
             const FileError& error) {
    if (journal.empty()) {
        journal.remove();
        throw FileError(error.what());
    }
    throw FileError(fmt::format(
        "{}; {} kept; {}", error.what(),
        journal.done() == 0 ? "the dictionary is" : fmt::format("{} of {} pages are", journal.done(), facts.pages),
        resume_command(files, checkpoint.path.string())));
}

bool describe_kept(const StackFiles& files, const StackFacts& facts, const Checkpoint& checkpoint,
                   StackJournal& journal, const Outputs& outputs, ordered_json& object, std::string& text) {
    const std::string resume = resume_command(files, name_text(checkpoint.path));
    if (journal.done() == facts.pages) {
        if (!outputs.miss_data()) return false;
        object["kept"] = journal.folder().string();
        text += fmt::format("all pages are kept; {}\n", resume);
        return false;
    }
    object["interrupted"] = true;
    if (journal.empty()) {
        journal.remove();
        text += "interrupted before the first page was done; nothing is written\n";
        say_what_is_left("nothing is written");
        return true;
    }
    if (journal.done() == 0) {
        text += "interrupted before the first page was done; the dictionary is kept\n";
    } else {
        object["kept"] = journal.folder().string();
        text += fmt::format("interrupted: {} of {} pages are done, and kept in {}\n", journal.done(), facts.pages,
                            name_text(journal.folder()));
    }
    text += resume + "\n";
    say_what_is_left(resume);
    return true;
}

void MeanPsnr::add(const ordered_json& psnr, std::size_t page) {
    if (psnr.is_null()) return equal_.push_back(page);
    sum_ += psnr.get<double>();
    ++finite_;
}

double MeanPsnr::mean() const {
    return finite_ == 0 ? std::numeric_limits<double>::infinity() : sum_ / double(finite_);
}

std::string MeanPsnr::text() const {
    return finite_ == 0 ? "infinite" : fmt::format("{:.2f}", mean());
}

std::string MeanPsnr::left_out(const char* one, const char* several) const {
    if (equal_.empty()) return "";
    return fmt::format("            {} {} the truth, and {} not in the mean\n", listed(equal_),
                       equal_.size() == 1 ? one : several, equal_.size() == 1 ? "is" : "are");
}

}  // namespace sbdl::app
