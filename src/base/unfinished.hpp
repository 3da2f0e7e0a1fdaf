// Files and folders that must not stay if the program ends in the middle of its work.
#pragma once

#include <cstddef>
#include <filesystem>

namespace sbdl {

/// While an object of this class exists, the file or empty folder of this name is unfinished.
class Unfinished {
public:
    explicit Unfinished(const std::filesystem::path& name);
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished();

private:
    std::size_t place_;  // in the list of this process
};

/// Removes all unfinished files, and then folders, of this process. For a program that ends at once: it may be called
/// by a signal handler. Files that another thread is about to finish are gone, too.
void remove_unfinished() noexcept;

}  // namespace sbdl
