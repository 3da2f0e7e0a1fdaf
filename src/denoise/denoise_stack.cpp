// A stack is denoised page by page. The shared dictionary is learned from some pages below one another, as if they were
// one image: the few patches across their seams do no harm.
#include "sbdl/denoise_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "denoise/learn_dictionary.hpp"
#include "denoise/whole_progress.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_pages_to_learn = 4;
constexpr std::size_t most_pixels_to_learn = std::size_t{1} << 22;  // unless a single page has more

bool same_kind(const Image& a, const Image& b) {
    return a.width() == b.width() && a.planes.size() == b.planes.size() && a.samples == b.samples;
}

bool same_samples(const Image& a, const Image& b) {
    return std::ranges::equal(a.planes, b.planes, [](const Matrix& x, const Matrix& y) {
        return x.rows() == y.rows() && std::equal(x.data(), x.data() + x.size(), y.data(), y.data() + y.size());
    });
}

void append_below(Image& image, const Image& page) {
    for (std::size_t k = 0; k < image.planes.size(); ++k) {
        const Matrix &above = image.planes[k], &below = page.planes[k];
        Matrix both(above.rows() + below.rows(), above.cols());
        std::copy_n(above.data(), above.size(), both.data());
        std::copy_n(below.data(), below.size(), both.data() + above.size());
        image.planes[k] = std::move(both);
    }
}

/// Pages that are spread over the stack and of one kind, below one another. A page that equals another teaches nothing,
/// and the image would seem to repeat itself as only images without noise do.
Image pages_to_learn(PageSource& pages) {
    const std::size_t wanted = std::min(most_pages_to_learn, pages.count());
    std::vector<Image> chosen;
    std::size_t height = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        Image page = pages.read((2 * i + 1) * pages.count() / (2 * wanted));
        const bool fits = chosen.empty() || (same_kind(chosen[0], page) &&
                                             (height + page.height()) * page.width() <= most_pixels_to_learn);
        if (!fits || std::ranges::any_of(chosen, [&](const Image& other) { return same_samples(other, page); }))
            continue;
        height += page.height();
        chosen.push_back(std::move(page));
    }
    Image image = std::move(chosen[0]);
    image.alpha = {};
    for (std::size_t i = 1; i < chosen.size(); ++i) append_below(image, chosen[i]);
    return image;
}

class StackDenoiser {
public:
    StackDenoiser(PageSource& pages, const DenoiseOptions& options, const StackOptions& stack, const Context& context,
                  const StackHooks& hooks, std::size_t first)
        : pages_(pages), options_(options), context_(context), hooks_(hooks), first_(first) {
        if (!context.checkpoint.path.empty())
            throw InputError("a stack has no checkpoints within its pages: the context must name none");
        if (hooks.stop != nullptr)
            context_.execution.stop = [this, own = context.execution.stop] { return stopping() || (own && own()); };
        result_.shared = stack.dictionary == StackDictionary::shared;
        result_.done = first;
    }

    StackResult run() {
        if (pages_.count() == 0) throw InputError("the stack has no pages");
        plan();
        try {
            learn();
            for (std::size_t page = first_; page < pages_.count(); ++page) clean(page);
        } catch (const Stopped&) {
            if (!stopping()) throw;  // Execution::stop, which is not that of the hooks
            return std::move(result_);
        }
        if (hooks_.progress) hooks_.progress({.stage = "done", .share = 1.0, .page = pages_.count() - 1});
        return std::move(result_);
    }

private:
    /// The first step learns; the others are pages.
    void plan() {
        const Image like = pages_.read(std::min(first_, pages_.count() - 1));
        const auto seconds = [&](bool with_learning) {
            return usual_seconds(options_, like.height(), like.width(), like.planes.size(), context_.execution.threads,
                                 with_learning);
        };
        const bool learns = options_.model == nullptr;
        const double cleaning = seconds(false), learning = learns ? seconds(true) - cleaning : 0.0;
        std::vector<WorkStep> steps{{result_.shared ? learning : 0.0, true}};
        steps.resize(1 + pages_.count() - first_, {cleaning + (result_.shared ? 0.0 : learning), false});
        progress_.emplace(std::move(steps));
    }

    [[nodiscard]] bool stopping() const { return hooks_.stop != nullptr && hooks_.stop->load(); }

    DenoiseHooks hooks_of(std::size_t page, std::size_t step) {
        DenoiseHooks hooks;
        hooks.progress = [this, page, step](const DenoiseProgress& of_page) {
            const std::string_view stage = of_page.stage;
            DenoiseProgress whole = progress_->at(step, of_page.share, stage);
            whole.page = page;
            if (hooks_.progress) hooks_.progress(whole);
        };
        return hooks;
    }

    void learn() {
        if (!result_.shared || options_.model != nullptr) return;
        const Image image = pages_to_learn(pages_);
        DenoiseHooks hooks = hooks_of(pages_.count(), 0);
        hooks.stop = hooks_.end_learning;
        DenoiseResult learned = learn_dictionary(image, options_, context_, hooks);
        result_.warnings = std::move(learned.warnings);
        if (learned.unchanged) {
            result_.shared = false;
            result_.warnings.emplace_back(
                "no noise that can be removed was found in the pages that a shared dictionary would be learned from; "
                "each page with such noise learns its own");
            return;
        }
        model_ = std::move(learned.model);
        options_.model = &*model_;
        if (hooks_.learned) hooks_.learned(*model_);
    }

    void clean(std::size_t page) {
        if (stopping()) throw Stopped();
        const Image noisy = pages_.read(page);
        try {
            DenoiseResult result = denoise(noisy, options_, context_, hooks_of(page, 1 + page - first_));
            if (hooks_.page) hooks_.page(page, std::move(result));
        } catch (const InputError& error) {
            throw InputError(fmt::format("page {} of {}: {}", page + 1, pages_.count(), error.what()));
        }
        result_.done = page + 1;
    }

    PageSource& pages_;
    DenoiseOptions options_;
    Context context_;
    const StackHooks& hooks_;
    std::size_t first_;
    std::optional<Model> model_;
    std::optional<WholeProgress> progress_;
    StackResult result_;
};

}  // namespace

StackResult denoise_stack(PageSource& pages, const DenoiseOptions& options, const StackOptions& stack,
                          const Context& context, const StackHooks& hooks, std::size_t first) {
    validate(options);
    return StackDenoiser(pages, options, stack, context, hooks, first).run();
}

}  // namespace sbdl
