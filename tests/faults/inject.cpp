// A library for LD_PRELOAD that makes calls of a program fail: memory that is not given, disks that are full or broken,
// reads and writes that do less than they were asked to. faults.py says what is done with it. Variables:
//
//   SBDL_FAULT       what fails; see Kind
//   SBDL_FAULT_AT    the number of the call that fails, counted from 1; 0: none fails, calls are only counted
//   SBDL_FAULT_EVER  1: all later calls fail too
//   SBDL_FAULT_LOG   a file. Each failure adds a line "failed CALL NAME"; the end of a program that only counts adds
//                    "calls N", and with memory a line "NUMBER BYTES LIBRARY" for each call from a place not seen
//                    before
//
// Calls count from the beginning of main(): nothing can be done about memory that is missing before. Standard error is
// left alone: messages are what is tested.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// What malloc and its family call; replacing those by functions of the same names is supported by glibc.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum class Kind {
    none,
    memory,       // allocations
    full,         // everything that needs space on a disk: ENOSPC
    broken,       // everything that changes a disk: EIO
    unreadable,   // reads: EIO
    short_calls,  // no call fails; reads and writes transfer half of what they were asked to, at least one byte
    interrupted,  // no call fails; every second read and write is interrupted by a signal before it begins: EINTR
};

struct Plan {
    Kind kind = Kind::none;
    long at = 0;
    bool ever = false;
    int log = -1;
};

constexpr int first_free_descriptor = 900;  // out of the way of those that the program gets
constexpr int most_descriptors = 1024;

Plan plan;
std::atomic<long> calls{0};
std::atomic<bool> written_to[most_descriptors];
thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;

void log_line(const char* format, ...) __attribute__((format(printf, 1, 2)));
void log_line(const char* format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    const int length = std::vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (plan.log >= 0 && length > 0) syscall(SYS_write, plan.log, line, std::min(std::size_t(length), sizeof line - 1));
}

Kind kind_named(const char* name) {
    constexpr struct {
        const char* name;
        Kind kind;
    } kinds[] = {{"memory", Kind::memory},         {"full", Kind::full},         {"broken", Kind::broken},
                 {"unreadable", Kind::unreadable}, {"short", Kind::short_calls}, {"interrupted", Kind::interrupted}};
    for (const auto& entry : kinds)
        if (std::strcmp(entry.name, name) == 0) return entry.kind;
    std::fprintf(stderr, "SBDL_FAULT: '%s' is not a fault\n", name);
    std::_Exit(99);
}

// Places from which memory was asked for: hashes of call stacks.
constexpr std::size_t most_places = std::size_t{1} << 17;
std::uint64_t places[most_places];

bool is_new_place(std::uint64_t place) {
    for (std::size_t i = place % most_places;; i = (i + 1) % most_places) {
        if (places[i] == place) return false;
        if (places[i] == 0) {
            places[i] = place;
            return true;
        }
    }
}

// Logs an allocation of a program that runs in one thread, if its call stack is new. The library is the one that asked,
// not the one of operator new and the containers, nor this one; what others ask for on behalf of HDF5 is HDF5's.
void note_place(long number, std::size_t size) {
    constexpr int depth = 16, compared = 9;
    void* stack[depth];
    const int frames = backtrace(stack, depth);
    std::uint64_t hash = 1469598103934665603U;
    for (int i = 0; i < std::min(frames, compared); ++i)
        hash = (hash ^ reinterpret_cast<std::uintptr_t>(stack[i])) * 1099511628211U;
    if (!is_new_place(hash | 1)) return;
    const char* library = "?";
    bool found = false;
    for (int i = 0; i < frames; ++i) {
        Dl_info info;
        if (dladdr(stack[i], &info) == 0) continue;
        const char* slash = std::strrchr(info.dli_fname, '/');
        const char* const name = slash == nullptr ? info.dli_fname : slash + 1;
        const auto is = [name](const char* part) { return std::strstr(name, part) != nullptr; };
        if (is("libhdf5") || (!found && !is("libstdc++") && !is("inject") && !is("libc.so"))) {
            library = name;
            found = true;
        }
    }
    log_line("%ld %zu %s\n", number, size, library);
}

void read_plan() {
    const char* kind = std::getenv("SBDL_FAULT");
    if (kind == nullptr) return;
    busy = true;
    if (const char* log = std::getenv("SBDL_FAULT_LOG")) {
        const int file = int(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
        plan.log = fcntl(file, F_DUPFD_CLOEXEC, first_free_descriptor);
        syscall(SYS_close, file);
    }
    if (const char* at = std::getenv("SBDL_FAULT_AT")) plan.at = std::atol(at);
    const char* ever = std::getenv("SBDL_FAULT_EVER");
    plan.ever = ever != nullptr && *ever == '1';
    void* stack[1];
    backtrace(stack, 1);  // loads what it needs
    plan.kind = kind_named(kind);
    busy = false;
}

__attribute__((destructor)) void say_calls() {
    if (plan.kind != Kind::none && plan.at == 0) log_line("calls %ld\n", calls.load());
    plan.kind = Kind::none;  // what other libraries do after this is not the program's doing
}

/// Whether this call fails.
bool fails(const char* call, const char* name) {
    if (busy) return false;
    const long number = ++calls;
    if (plan.at == 0 || number < plan.at || (number > plan.at && !plan.ever)) return false;
    if (number == plan.at) log_line("failed %s %s\n", call, name);
    return true;
}

bool no_memory(std::size_t size) {
    if (plan.kind != Kind::memory || busy) return false;
    if (plan.at == 0) {
        busy = true;
        note_place(++calls, size);
        busy = false;
        return false;
    }
    return fails("memory", "");
}

bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor != STDERR_FILENO && descriptor < first_free_descriptor;
}

/// Whether a call that changes a disk fails; errno says how. A call that needs no space works on a full disk.
bool change_fails(const char* call, const char* name, bool needs_space = true) {
    if (plan.kind == Kind::full ? !needs_space : plan.kind != Kind::broken) return false;
    if (!fails(call, name)) return false;
    errno = plan.kind == Kind::full ? ENOSPC : EIO;
    return true;
}

// What the kernel says about the machine can be read always.
bool is_on_disk(int descriptor) {
    struct statfs system = {};
    return fstatfs(descriptor, &system) == 0 && system.f_type != PROC_SUPER_MAGIC;
}

bool read_fails(int descriptor) {
    if (plan.kind != Kind::unreadable || !is_watched(descriptor) || !is_on_disk(descriptor)) return false;
    if (!fails("read", "")) return false;
    errno = EIO;
    return true;
}

bool is_interrupted(int descriptor) {
    if (plan.kind != Kind::interrupted || !is_watched(descriptor) || ++calls % 2 == 0) return false;
    errno = EINTR;
    return true;
}

std::size_t shortened(int descriptor, std::size_t size) {
    return plan.kind == Kind::short_calls && is_watched(descriptor) && size > 1 ? size / 2 : size;
}

using Main = int(int, char**, char**);
Main* program_main = nullptr;

int main_with_faults(int count, char** arguments, char** environment) {
    read_plan();
    return program_main(count, arguments, environment);
}

int open_file(int folder, const char* name, int flags, mode_t mode) {
    const bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    if (writes && change_fails("open", name, (flags & O_CREAT) != 0)) return -1;
    const int descriptor = int(syscall(SYS_openat, folder, name, flags, mode));
    if (writes && descriptor >= 0 && descriptor < most_descriptors) written_to[descriptor] = true;
    return descriptor;
}

mode_t mode_of(int flags, va_list values) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(values, mode_t) : 0;
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int count, char** arguments, void (*init)(), void (*fini)(), void (*end)(),
                      void* stack_end) {
    program_main = main;
    const auto start = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(main_with_faults, count, arguments, init, fini, end, stack_end);
}

void* malloc(std::size_t size) {
    if (!no_memory(size)) return __libc_malloc(size);
    errno = ENOMEM;
    return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
    if (!no_memory(count * size)) return __libc_calloc(count, size);
    errno = ENOMEM;
    return nullptr;
}

void* realloc(void* old, std::size_t size) {
    if (size == 0 || !no_memory(size)) return __libc_realloc(old, size);
    errno = ENOMEM;
    return nullptr;
}

void* memalign(std::size_t alignment, std::size_t size) {
    if (!no_memory(size)) return __libc_memalign(alignment, size);
    errno = ENOMEM;
    return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    void* const got = memalign(alignment, size);
    if (got == nullptr) return ENOMEM;
    *memory = got;
    return 0;
}

int open(const char* name, int flags, ...) {
    va_list values;
    va_start(values, flags);
    const mode_t mode = mode_of(flags, values);
    va_end(values);
    return open_file(AT_FDCWD, name, flags, mode);
}

int open64(const char* name, int flags, ...) {
    va_list values;
    va_start(values, flags);
    const mode_t mode = mode_of(flags, values);
    va_end(values);
    return open_file(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char* name, int flags, ...) {
    va_list values;
    va_start(values, flags);
    const mode_t mode = mode_of(flags, values);
    va_end(values);
    return open_file(folder, name, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
    if (is_interrupted(descriptor)) return -1;
    if (is_watched(descriptor) && change_fails("write", "")) return -1;
    return syscall(SYS_write, descriptor, bytes, shortened(descriptor, size));
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off64_t offset) {
    if (is_interrupted(descriptor)) return -1;
    if (is_watched(descriptor) && change_fails("write", "")) return -1;
    return syscall(SYS_pwrite64, descriptor, bytes, shortened(descriptor, size), offset);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
    return pwrite64(descriptor, bytes, size, offset);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
    if (is_interrupted(descriptor)) return -1;
    if (is_watched(descriptor) && change_fails("write", "")) return -1;
    if (plan.kind == Kind::short_calls && is_watched(descriptor) && count > 0)  // its first part alone
        return syscall(SYS_write, descriptor, parts[0].iov_base, shortened(descriptor, parts[0].iov_len));
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t read(int descriptor, void* bytes, std::size_t size) {
    if (is_interrupted(descriptor) || read_fails(descriptor)) return -1;
    return syscall(SYS_read, descriptor, bytes, shortened(descriptor, size));
}

ssize_t pread64(int descriptor, void* bytes, std::size_t size, off64_t offset) {
    if (is_interrupted(descriptor) || read_fails(descriptor)) return -1;
    return syscall(SYS_pread64, descriptor, bytes, shortened(descriptor, size), offset);
}

ssize_t pread(int descriptor, void* bytes, std::size_t size, off_t offset) {
    return pread64(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
    return change_fails("fsync", "") ? -1 : int(syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
    return change_fails("fsync", "") ? -1 : int(syscall(SYS_fdatasync, descriptor));
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t size) {
    return change_fails("fallocate", "") ? -1 : int(syscall(SYS_fallocate, descriptor, mode, offset, size));
}

int fallocate(int descriptor, int mode, off_t offset, off_t size) {
    return fallocate64(descriptor, mode, offset, size);
}

int ftruncate(int descriptor, off_t size) {
    return change_fails("ftruncate", "", /*needs_space=*/false) ? -1 : int(syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate64(int descriptor, off64_t size) {
    return ftruncate(descriptor, size);
}

int close(int descriptor) {
    const bool changes = descriptor >= 0 && descriptor < most_descriptors && written_to[descriptor].exchange(false);
    const bool fault = changes && change_fails("close", "");  // it is closed nevertheless
    const int error = errno;
    const int status = int(syscall(SYS_close, descriptor));
    if (fault) errno = error;
    return fault ? -1 : status;
}

int rename(const char* from, const char* to) {
    return change_fails("rename", to) ? -1 : int(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int mkdir(const char* name, mode_t mode) {
    return change_fails("mkdir", name) ? -1 : int(syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}

}  // extern "C"
