#include "images/tiff_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

TiffMemory::TiffMemory(std::span<const std::byte> file, std::string name)
    : name_(std::move(name)), reading_(true), file_(file) {
    // libtiff itself needs little memory, except for the bytes of a strip or tile as they are in the file.
    constexpr std::size_t always = std::size_t{64} << 20;
    open("rm", static_cast<tmsize_t>(std::max(always, 2 * file.size())));
}

TiffMemory::TiffMemory(bool big, std::string name) : name_(std::move(name)), reading_(false) {
    open(big ? "w8" : "w", std::numeric_limits<tmsize_t>::max());
}

TiffMemory::~TiffMemory() {
    if (tiff_ != nullptr) TIFFCleanup(tiff_);  // unlike TIFFClose, writes nothing more
}

void TiffMemory::open(const char* mode, tmsize_t most_memory) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                   TIFFOpenOptionsFree);
    if (options == nullptr) throw FileError(fmt::format("{}: not enough memory", name_));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, this);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_memory);
    tiff_ = TIFFClientOpenExt(name_.c_str(), mode, this, on_read, on_write, on_seek, on_close, on_size, nullptr,
                              nullptr, options.get());
    if (tiff_ == nullptr) fail();
}

void TiffMemory::fail() const {
    const Message& message = error_[0] != '\0' ? error_ : warning_;
    throw FileError(fmt::format("{}: {}: {}", name_, reading_ ? "damaged TIFF file" : "cannot be written",
                                message[0] != '\0' ? message.data() : "no reason given"));
}

void TiffMemory::keep_first(Message& message, const char* format, va_list arguments) {
    if (message[0] == '\0') std::vsnprintf(message.data(), message.size(), format, arguments);
}

int TiffMemory::on_error(TIFF* /*tiff*/, void* self, const char* /*module*/, const char* format, va_list arguments) {
    keep_first(static_cast<TiffMemory*>(self)->error_, format, arguments);
    return 1;  // do not call the handlers of the whole process, which print
}

int TiffMemory::on_warning(TIFF* /*tiff*/, void* self, const char* /*module*/, const char* format, va_list arguments) {
    keep_first(static_cast<TiffMemory*>(self)->warning_, format, arguments);
    return 1;
}

tmsize_t TiffMemory::on_read(thandle_t self, void* to, tmsize_t count) {
    auto& memory = *static_cast<TiffMemory*>(self);
    const auto bytes = memory.bytes();
    if (count <= 0 || memory.at_ >= bytes.size()) return 0;
    const std::size_t found = std::min(static_cast<std::size_t>(count), bytes.size() - memory.at_);
    std::memcpy(to, bytes.data() + memory.at_, found);
    memory.at_ += found;
    return static_cast<tmsize_t>(found);
}

tmsize_t TiffMemory::on_write(thandle_t self, void* from, tmsize_t count) {
    auto& memory = *static_cast<TiffMemory*>(self);
    if (memory.reading_ || count < 0) return -1;
    const std::size_t end = memory.at_ + static_cast<std::size_t>(count);
    try {
        if (end > memory.written_.size()) memory.written_.resize(end);
    } catch (...) {  // no exception may pass through libtiff
        return -1;
    }
    std::memcpy(memory.written_.data() + memory.at_, from, static_cast<std::size_t>(count));
    memory.at_ = end;
    return count;
}

toff_t TiffMemory::on_seek(thandle_t self, toff_t offset, int whence) {
    auto& memory = *static_cast<TiffMemory*>(self);
    const std::size_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.at_ : memory.bytes().size();
    memory.at_ = start + offset;  // may be beyond the end: nothing is read there, and writing fills the gap
    return memory.at_;
}

toff_t TiffMemory::on_size(thandle_t self) {
    return static_cast<TiffMemory*>(self)->bytes().size();
}

int TiffMemory::on_close(thandle_t /*self*/) {
    return 0;
}

}  // namespace sbdl
