#include "images/open_tiff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

// Some messages of libtiff begin with the name of the file, which is in front of every message anyway.
void drop_file_name(TIFF* tiff, char* message) {
    if (tiff == nullptr) return;
    const std::string begin = fmt::format("{}: ", TIFFFileName(tiff));
    if (std::string_view(message).starts_with(begin))
        std::memmove(message, message + begin.size(), std::strlen(message) - begin.size() + 1);
}

}  // namespace

OpenTiff::OpenTiff(std::span<const std::byte> file, std::string name)
    : name_(std::move(name)), reading_(true), file_(file) {
    // libtiff itself needs little memory, except for the bytes of a strip or tile as they are in the file.
    constexpr std::size_t always = std::size_t{64} << 20;
    open_memory("rm", static_cast<tmsize_t>(std::max(always, 2 * file.size())));
}

OpenTiff::OpenTiff(bool big, std::string name) : name_(std::move(name)), reading_(false) {
    open_memory(big ? "w8" : "w", std::numeric_limits<tmsize_t>::max());
}

OpenTiff::OpenTiff(const std::filesystem::path& file, bool big, std::string name)
    : name_(std::move(name)), reading_(false) {
    open(std::numeric_limits<tmsize_t>::max(),
         [&](TIFFOpenOptions* options) { return TIFFOpenExt(file.c_str(), big ? "w8" : "w", options); });
}

OpenTiff::~OpenTiff() {
    release();
}

int OpenTiff::release() {
    if (tiff_ == nullptr) return 0;
    const TIFFCloseProc close_file = TIFFGetCloseProc(tiff_);
    const thandle_t client = TIFFClientdata(tiff_);
    TIFFCleanup(std::exchange(tiff_, nullptr));  // unlike TIFFClose, writes nothing more
    return close_file(client);
}

void OpenTiff::close() {
    if (release() != 0) fail();
}

std::string OpenTiff::take_message() {
    std::string message = error_.data();
    if (!message.empty() && warned()) message += "; ";
    message += warning_.data();
    error_ = warning_ = {};
    return message;
}

template <class Open>
void OpenTiff::open(tmsize_t most_memory, const Open& open) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                   TIFFOpenOptionsFree);
    if (options == nullptr) throw FileError(fmt::format("{}: out of memory", name_));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, this);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_memory);
    tiff_ = open(options.get());
    if (tiff_ == nullptr) fail();
}

void OpenTiff::open_memory(const char* mode, tmsize_t most_memory) {
    open(most_memory, [&](TIFFOpenOptions* options) {
        return TIFFClientOpenExt(name_.c_str(), mode, this, on_read, on_write, on_seek, on_close, on_size, nullptr,
                                 nullptr, options);
    });
}

void OpenTiff::fail() const {
    const Message& message = error_[0] != '\0' ? error_ : warning_;
    throw FileError(fmt::format("{}: {}: {}", name_, reading_ ? "damaged TIFF file" : "cannot be written",
                                message[0] != '\0' ? message.data() : "no reason given"));
}

void OpenTiff::keep_first(Message& message, const char* format, va_list arguments) {
    if (message[0] == '\0') std::vsnprintf(message.data(), message.size(), format, arguments);
}

int OpenTiff::on_error(TIFF* tiff, void* self, const char* /*module*/, const char* format, va_list arguments) {
    Message& error = static_cast<OpenTiff*>(self)->error_;
    keep_first(error, format, arguments);
    drop_file_name(tiff, error.data());
    return 1;  // do not call the handlers of the whole process, which print
}

int OpenTiff::on_warning(TIFF* tiff, void* self, const char* /*module*/, const char* format, va_list arguments) {
    Message& all = static_cast<OpenTiff*>(self)->warning_;
    Message next = {};
    keep_first(next, format, arguments);
    drop_file_name(tiff, next.data());
    const std::size_t used = std::strlen(all.data());
    std::snprintf(all.data() + used, all.size() - used, "%s%s", used > 0 ? "; " : "", next.data());
    return 1;
}

tmsize_t OpenTiff::on_read(thandle_t self, void* to, tmsize_t count) {
    auto& memory = *static_cast<OpenTiff*>(self);
    const auto bytes = memory.bytes();
    if (count <= 0 || memory.at_ >= bytes.size()) return 0;
    const std::size_t found = std::min(static_cast<std::size_t>(count), bytes.size() - memory.at_);
    std::memcpy(to, bytes.data() + memory.at_, found);
    memory.at_ += found;
    return static_cast<tmsize_t>(found);
}

tmsize_t OpenTiff::on_write(thandle_t self, void* from, tmsize_t count) {
    auto& memory = *static_cast<OpenTiff*>(self);
    if (memory.reading_ || count < 0) return -1;
    const std::size_t end = memory.at_ + static_cast<std::size_t>(count);
    try {
        if (end > memory.written_.size()) memory.written_.resize(end);
    } catch (...) {  // no exception may pass through libtiff
        if (!memory.failed()) std::snprintf(memory.error_.data(), memory.error_.size(), "out of memory");
        return -1;
    }
    std::memcpy(memory.written_.data() + memory.at_, from, static_cast<std::size_t>(count));
    memory.at_ = end;
    return count;
}

toff_t OpenTiff::on_seek(thandle_t self, toff_t offset, int whence) {
    auto& memory = *static_cast<OpenTiff*>(self);
    const std::size_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.at_ : memory.bytes().size();
    memory.at_ = start + offset;  // may be beyond the end: nothing is read there, and writing fills the gap
    return memory.at_;
}

toff_t OpenTiff::on_size(thandle_t self) {
    return static_cast<OpenTiff*>(self)->bytes().size();
}

int OpenTiff::on_close(thandle_t /*self*/) {
    return 0;
}

}  // namespace sbdl
