// The one list of methods. A method is its own folder and a line here.
#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

extern const MethodInfo gibbs_method, vb_method, ksvd_method, mod_method, simco_method, majorization_method,
    apru_method, online_method, rls_method, sgd_method, dct_method, bpfa_method, svb_method;

namespace {

std::vector<const MethodInfo*>& list() {
    static std::vector<const MethodInfo*> all{
        &gibbs_method, &vb_method,     &svb_method, &ksvd_method, &mod_method, &simco_method, &majorization_method,
        &apru_method,  &online_method, &rls_method, &sgd_method,  &dct_method, &bpfa_method,
    };
    return all;
}

}  // namespace

const std::vector<const MethodInfo*>& method_list() {
    return list();
}

void register_method(const MethodInfo& info) {
    list().push_back(&info);
}

const MethodInfo& method_info(std::string_view name) {
    std::vector<std::string_view> known;
    for (const MethodInfo* info : list()) {
        if (info->method.name == name) return *info;
        known.push_back(info->method.name);
    }
    throw InputError(
        fmt::format("'{}' is not a method; there are: {}{}", name, fmt::join(known, ", "), did_you_mean(name, known)));
}

std::vector<Method> methods() {
    std::vector<Method> all;
    for (const MethodInfo* info : list()) all.push_back(info->method);
    return all;
}

Method method_named(std::string_view name) {
    return method_info(name).method;
}

std::optional<Method> find_method(std::string_view name) {
    for (const MethodInfo* info : list())
        if (info->method.name == name) return info->method;
    return std::nullopt;
}

AnyOptions method_options(std::string_view name, Preset preset, int atoms) {
    return method_info(name).options(preset, atoms);
}

double memory_needed(const AnyOptions& options, const SignalSource& signals, bool reconstruct) {
    const double reconstructions =
        reconstruction_doubles * static_cast<double>(signals.count()) * static_cast<double>(signals.dim());
    return method_info(options.method()).memory(options, signals) + (reconstruct ? reconstructions : 0.0);
}

}  // namespace sbdl
