#include "stack_pages.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {

std::string kind_of(const Image& page, Samples samples, bool alpha) {
    const bool exchanged = page.metadata.orientation >= 5;
    return fmt::format("{} x {} pixels, {}{}, {}", exchanged ? page.height() : page.width(),
                       exchanged ? page.width() : page.height(), page.colour() ? "colour" : "grey",
                       alpha ? " with alpha" : "", to_string(samples));
}

std::string kind_of(const Image& page) {
    return kind_of(page, page.samples, !page.alpha.empty());
}

std::size_t bytes_of_sample(Samples samples) {
    switch (samples) {
        case Samples::u8:
            return 1;
        case Samples::u16:
            return 2;
        case Samples::f32:
            return 4;
        default:
            return 8;
    }
}

bool is_npy(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending.size() == 4 && CLI::detail::to_lower(ending) == ".npy";
}

std::string listed(const std::vector<std::size_t>& pages) {
    constexpr std::size_t most = 6;
    if (pages.size() == 1) return fmt::format("page {}", pages[0] + 1);
    const std::size_t named = pages.size() > most ? most - 1 : pages.size() - 1;  // before the "and"
    std::string text;
    for (std::size_t i = 0; i < named; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", pages[i] + 1);
    return pages.size() > most ? fmt::format("pages {} and {} more", text, pages.size() - named)
                               : fmt::format("pages {} and {}", text, pages.back() + 1);
}

std::string page_name(const std::filesystem::path& file, std::size_t page, std::size_t pages) {
    return fmt::format("{}, page {} of {}", file.string(), page + 1, pages);
}

bool PageKinds::add(const Image& page, const std::string& written) {
    const std::string kind = kind_of(page);
    if (seen_ == 0) {
        first_kind_ = kind;
        first_written_ = written;
    }
    if (kind != first_kind_) others_.push_back(seen_);
    if (written != first_written_)
        throw InputError(fmt::format("{}: has {}, and the first page {}; a .npy file cannot hold both, .tif can",
                                     page_name(file_, seen_, pages_), written, first_written_));
    ++seen_;
    return kinds_.insert(kind).second;
}

std::string PageKinds::difference() const {
    if (others_.empty()) return "";
    return fmt::format("{}: the pages differ: the first has {}, {} {} not", file_.string(), first_kind_,
                       listed(others_), others_.size() == 1 ? "does" : "do");
}

}  // namespace sbdl::app
