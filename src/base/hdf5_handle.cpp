#include "base/hdf5_handle.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "base/file_present.hpp"
#include "sbdl/error.hpp"

namespace sbdl::h5 {

namespace {

std::recursive_mutex& library_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

// When memory runs out inside HDF5, it reads through null pointers or ends the program. These are more than a call
// needs for itself; arrays are ours.
constexpr std::size_t memory_for_a_call = std::size_t{100} << 10;
constexpr std::size_t memory_to_close = std::size_t{1} << 10;

bool is_available(std::size_t memory) {
    void* const piece = std::malloc(memory);
    std::free(piece);
    return piece != nullptr;
}

// HDF5 lists the outermost call first. The innermost entry, the last one, is the reason. Of a read that failed it also
// tells the time, on a line of its own, and addresses; the system's reason is in between.
herr_t keep_description(unsigned /*depth*/, const H5E_error2_t* entry, void* text) {
    if (entry->desc == nullptr || *entry->desc == '\0') return 0;
    const std::string_view all = entry->desc;
    std::string& reason = *static_cast<std::string*>(text);
    reason = all.substr(0, all.find(": time = "));
    constexpr std::string_view begin = "error message = '";
    if (const std::size_t at = all.find(begin); at != std::string_view::npos) {
        const std::string_view message = all.substr(at + begin.size());
        reason += ": ";
        reason += message.substr(0, message.find('\''));
    }
    return 0;
}

std::string last_error() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &text);
    return text.empty() ? "HDF5 gives no reason" : text;
}

std::string name_of(hid_t object, ssize_t (*ask)(hid_t, char*, size_t)) {
    const ssize_t length = ask(object, nullptr, 0);
    if (length <= 0) return {};
    std::string name(static_cast<std::size_t>(length), '\0');
    ask(object, name.data(), name.size() + 1);  // the terminating zero overwrites that of the string
    return name;
}

// How links are followed: not to other files. Tells afterwards whether there was such a link.
class LinkAccess {
public:
    LinkAccess() : list_(checked(H5Pcreate(H5P_LINK_ACCESS), H5Pclose, "HDF5")) {
        check(H5Pset_elink_cb(list_.get(), refuse, this), "HDF5");
    }
    LinkAccess(const LinkAccess&) = delete;
    LinkAccess& operator=(const LinkAccess&) = delete;

    [[nodiscard]] hid_t get() const { return list_.get(); }

    void check_inside(hid_t where, const std::string& name) const {
        if (left_file_)
            throw FileError(
                fmt::format("{}: '{}' is or is behind a link to another file, which is not opened; copy the "
                            "data into this file, for example with h5copy",
                            describe(where), name));
    }

private:
    static herr_t refuse(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* self) {
        static_cast<LinkAccess*>(self)->left_file_ = true;
        return -1;
    }

    Handle list_;
    bool left_file_ = false;
};

}  // namespace

void leave_open_at_exit() {
    if (is_available(memory_for_a_call)) H5dont_atexit();
}

Scope::Scope() : Scope(memory_for_a_call) {}

Scope::Scope(std::size_t memory) : lock_(library_mutex()) {
    if (!is_available(memory)) throw std::bad_alloc();
    H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Scope::~Scope() {
    H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

Handle& Handle::operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
}

bool Handle::close() noexcept {
    if (id_ < 0) return true;
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    try {
        const Scope scope(memory_to_close);
        return closer_(id) >= 0;
    } catch (const std::bad_alloc&) {  // it stays open
        return false;
    }
}

Handle checked(hid_t id, Handle::Closer closer, const std::string& message) {
    check(id < 0 ? -1 : 0, message);
    return {id, closer};
}

void check(herr_t status, const std::string& message) {
    if (status < 0) throw FileError(message + ": " + last_error());
}

std::string describe(hid_t object) {
    const Scope scope;
    std::string file = name_of(object, H5Fget_name);
    const std::string path = name_of(object, H5Iget_name);
    const H5I_type_t kind = H5Iget_type(object);
    if (path.empty() || path == "/" || kind == H5I_FILE) return file;
    return fmt::format("{}: {} '{}'", file, kind == H5I_GROUP ? "group" : "dataset", path);
}

bool is_hdf5(const std::filesystem::path& path) {
    const Scope scope;
    return H5Fis_hdf5(path.c_str()) > 0;
}

Handle open_file(const std::filesystem::path& path) {
    check_present(path);
    const Scope scope;
    return checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                   fmt::format("{}: cannot be opened as HDF5", path.string()));
}

Handle open_object(hid_t where, const std::string& name, H5I_type_t kind) {
    const Scope scope;
    const LinkAccess links;
    const char* const what = kind == H5I_GROUP ? "group" : kind == H5I_DATASET ? "dataset" : "object";
    const hid_t id = H5Oopen(where, name.c_str(), links.get());
    if (id < 0) links.check_inside(where, name);
    Handle object = checked(id, H5Oclose, fmt::format("{}: {} '{}' cannot be opened", describe(where), what, name));
    if (kind != H5I_BADID && H5Iget_type(object.get()) != kind)
        throw FileError(fmt::format("{}: '{}' is not a {}", describe(where), name, what));
    return object;
}

Handle create_group(hid_t where, const std::string& name) {
    const Scope scope;
    return checked(H5Gcreate2(where, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                   fmt::format("{}: group '{}' cannot be created", describe(where), name));
}

bool has_object(hid_t where, const std::string& name) {
    const Scope scope;
    const LinkAccess links;
    const bool found =
        H5Lexists(where, name.c_str(), links.get()) > 0 && H5Oexists_by_name(where, name.c_str(), links.get()) > 0;
    if (!found) links.check_inside(where, name);
    return found;
}

bool has_attribute(hid_t where, const std::string& name) {
    const Scope scope;
    return H5Aexists(where, name.c_str()) > 0;
}

bool is_stored_elsewhere(hid_t dataset) {
    const Scope scope;
    const Handle made = checked(H5Dget_create_plist(dataset), H5Pclose, describe(dataset));
    return H5Pget_layout(made.get()) == H5D_VIRTUAL || H5Pget_external_count(made.get()) > 0;
}

}  // namespace sbdl::h5
