// What the verbs that work on stacks have in common: the kinds of pages, and how they are named.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl::app {

constexpr std::size_t most_warnings = 5;  ///< of one kind; 200 pages may have the same

/// What a page is like in display orientation, written with these samples, with or without alpha.
std::string kind_of(const Image& page, Samples samples, bool alpha);
std::string kind_of(const Image& page);

std::size_t bytes_of_sample(Samples samples);

bool is_npy(const std::filesystem::path& path);

/// "stack.tif, page 2 of 7"; pages are counted from 0 here.
std::string page_name(const std::filesystem::path& file, std::size_t page, std::size_t pages);

/// "page 2", "pages 2, 7 and 8"; of many, the first few and how many more there are.
std::string listed(const std::vector<std::size_t>& pages);

/// Looks at the pages of a stack, one after another.
class PageKinds {
public:
    PageKinds(std::filesystem::path file, std::size_t pages) : file_(std::move(file)), pages_(pages) {}

    /// Whether it is the first page of its kind. Throws InputError unless `written`, its kind in a .npy file that is
    /// written, is that of the first page.
    bool add(const Image& page, const std::string& written);

    /// Which pages differ from the first, for people; empty: none.
    [[nodiscard]] std::string difference() const;

private:
    std::filesystem::path file_;
    std::size_t pages_, seen_ = 0;
    std::string first_kind_, first_written_;
    std::set<std::string> kinds_;
    std::vector<std::size_t> others_;
};

}  // namespace sbdl::app
