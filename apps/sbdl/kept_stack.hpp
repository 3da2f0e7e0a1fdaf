// What the verbs that make a stack of a stack have in common. All pages are read once to be checked. Those that are
// done are kept on disk until the stack is written, so that a run that was ended or killed can be resumed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "denoise/stack_journal.hpp"
#include "outputs.hpp"
#include "sbdl/context.hpp"
#include "sbdl/error.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::app {

/// The files of a run.
struct StackFiles {
    std::string verb;      ///< "denoise"
    std::string input_is;  ///< "noisy"
    std::filesystem::path input, truth, target, std;
};

/// How a verb reads and checks the pages.
struct PageChecks {
    std::function<Image(PageSource& pages, std::size_t page)> read;
    std::function<Samples(Samples input)> written;   ///< the samples of the output
    std::function<void(const Image& page)> outputs;  ///< throws unless the outputs can hold such a page
    std::function<void(const Image& page, const std::string& name)> page;
    AcceptSize accept_truth;
};

/// What is known once all pages have been read.
struct StackFacts {
    std::size_t pages = 0;
    std::vector<std::size_t> samples;      ///< of each page
    std::size_t bytes = 0, std_bytes = 0;  ///< of the samples that are written
    Samples first_samples = Samples::u8;   ///< of the first page of the input
    DataRange range;                       ///< of all pages of the truth, so that pages can be compared
    std::string data;                      ///< stands for the pixels of all pages
    std::vector<std::string> warnings;
};

/// Throws InputError, naming the page, for what is wrong with one.
StackFacts check_stack(const StackFiles& files, PageSource& pages, const PageChecks& checks);

/// Null where no truth was given. Throws InputError unless it has as many pages as the input.
std::unique_ptr<PageSource> open_truth(const StackFiles& files, std::size_t pages, const AcceptSize& accept = {});

/// Without --checkpoint the pages are kept beside the output. Throws InputError when those of another run are there.
void choose_checkpoint(const StackFiles& files, Checkpoint& checkpoint);

/// A run whose pages are all done: writes the stack and its standard deviations.
void write_kept(const StackFiles& files, const StackFacts& facts, const StackJournal& journal, Outputs& outputs);

/// Ends a run that cannot go on, for example because of a full disk. What is done is not lost.
[[noreturn]] void give_up(const StackFiles& files, const StackFacts& facts, const Checkpoint& checkpoint,
                          StackJournal& journal, const FileError& error);

/// Says what is kept, and how to resume: of a run that was interrupted, or whose outputs could not all be written.
/// Returns whether it was interrupted. A journal of nothing is removed.
bool describe_kept(const StackFiles& files, const StackFacts& facts, const Checkpoint& checkpoint,
                   StackJournal& journal, const Outputs& outputs, nlohmann::ordered_json& object, std::string& text);

/// The mean PSNR of the pages that differ from the truth; the others have none that is finite.
class MeanPsnr {
public:
    /// As in the note of a page: null for a page that equals the truth.
    void add(const nlohmann::ordered_json& psnr, std::size_t page);
    [[nodiscard]] const std::vector<std::size_t>& equal() const { return equal_; }
    [[nodiscard]] bool empty() const { return finite_ == 0 && equal_.empty(); }
    /// Infinite, which is null in JSON, if all pages equal the truth.
    [[nodiscard]] double mean() const;
    [[nodiscard]] std::string text() const;
    /// Which pages are not in the mean, for people; `one` and `several` say that a page equals the truth.
    [[nodiscard]] std::string left_out(const char* one, const char* several) const;

private:
    double sum_ = 0.0;
    std::size_t finite_ = 0;
    std::vector<std::size_t> equal_;
};

}  // namespace sbdl::app
