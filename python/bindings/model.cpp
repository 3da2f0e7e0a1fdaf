// Model: what a run leaves behind. Arrays are read-only views of its memory, and keep it alive.
#include "sbdl/model.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <new>

#include "arrays.hpp"
#include "bindings.hpp"
#include "model/model_parts.hpp"
#include "sbdl/atoms_in_use.hpp"
#include "sbdl/settling.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

/// Calls visit(name, matrix) for each of a model's.
template <class ModelRef, class Visitor>
void for_each_matrix(ModelRef& model, Visitor&& visit) {
    visit("dictionary", model.dictionary);
    visit("dictionary_std", model.dictionary_std);
    visit("codes", model.codes);
    visit("codes_std", model.codes_std);
    visit("codes_probability", model.codes_probability);
    visit("stream_code_products", model.stream.code_products);
    visit("stream_signal_products", model.stream.signal_products);
}

/// Calls visit(name, vector) for each of a model's.
template <class ModelRef, class Visitor>
void for_each_vector(ModelRef& model, Visitor&& visit) {
    visit("atom_usage", model.atom_usage);
    visit("atom_norm", model.atom_norm);
    visit("code_sizes", model.code_sizes);
    visit("stream_users", model.stream.users);
}

template <class Value>
std::vector<Value> vector_from(nb::handle object) {
    const auto array = nb::cast<nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(object);
    return {array.data(), array.data() + array.shape(0)};
}

nb::dict trace_of(const nb::object& self) {
    nb::dict all;
    for_each_field(nb::cast<const Model&>(self).trace,
                   [&](const auto& field, const auto& values) { all[field.name] = view_in(values, self); });
    return all;
}

// A pickled model: a dict with everything, arrays as NumPy's.
nb::dict state_of(const nb::object& self) {
    const auto& model = nb::cast<const Model&>(self);
    nb::dict state;
    const auto put_text = [&](const char* name, const std::string& text) { state[name] = text; };
    for_each_text(model, put_text);
    for_each_optional_text(model, put_text);
    const auto put = [](nb::dict& to) { return [&to](const char* name, double number, Range) { to[name] = number; }; };
    for_each_number(model, put(state));
    nb::dict diagnostics;
    for_each_part_number(model.diagnostics, put(diagnostics));
    state["diagnostics"] = diagnostics;
    for_each_method_part(model, [&](const char* group, const auto& part) {
        nb::dict numbers;
        if (part) for_each_part_number(*part, put(numbers));
        state[group] = part ? nb::object(numbers) : nb::none();
    });
    if (model.on_off) state[probability_name] = view_in(model.on_off->atom_probability, self);
    if (model.svb) {
        state["svb_users"] = view_in(model.svb->users, self);
        state["svb_concentration"] = view_in(model.svb->concentration, self);
    }
    const auto put_count = [&](const auto& field, std::uint64_t count) { state[field.name] = count; };
    for_each_field(model.patch, put_count);
    for_each_field(model.stream, put_count);
    for_each_matrix(model,
                    [&](const char* name, const Matrix& matrix) { state[name] = optional_matrix(matrix, self); });
    for_each_vector(model, [&](const char* name, const auto& values) { state[name] = view_in(values, self); });
    state["trace"] = trace_of(self);
    state["seed"] = model.seed;
    state["signal_count"] = model.signal_count;
    return state;
}

Model model_from(const nb::dict& state) {
    Model model;
    const auto take_text = [&](const char* name, std::string& text) { text = nb::cast<std::string>(state[name]); };
    for_each_text(model, take_text);
    for_each_optional_text(model, take_text);
    const auto take = [](const nb::dict& from) {
        return [&from](const char* name, double& number, Range) { number = nb::cast<double>(from[name]); };
    };
    for_each_number(model, take(state));
    const auto diagnostics = nb::cast<nb::dict>(state["diagnostics"]);
    for_each_part_number(model.diagnostics, take(diagnostics));
    for_each_method_part(model, [&](const char* group, auto& part) {
        const nb::object numbers = state[group];
        if (!numbers.is_none()) {
            const auto values = nb::cast<nb::dict>(numbers);
            for_each_part_number(part.emplace(), take(values));
        }
    });
    if (model.on_off) model.on_off->atom_probability = vector_from<double>(state[probability_name]);
    if (model.svb) {
        model.svb->users = vector_from<double>(state["svb_users"]);
        model.svb->concentration = vector_from<double>(state["svb_concentration"]);
    }
    const auto take_count = [&](const auto& field, std::uint64_t& count) {
        count = nb::cast<std::uint64_t>(state[field.name]);
    };
    for_each_field(model.patch, take_count);
    for_each_field(model.stream, take_count);
    for_each_matrix(model, [&](const char* name, Matrix& matrix) {
        if (const nb::object rows = state[name]; !rows.is_none()) matrix = copy_of(nb::cast<Rows>(rows));
    });
    const auto read = [](const nb::dict& from, const char* name, auto& values) {
        values = vector_from<typename std::remove_cvref_t<decltype(values)>::value_type>(from[name]);
    };
    for_each_vector(model, [&](const char* name, auto& values) { read(state, name, values); });
    const auto trace = nb::cast<nb::dict>(state["trace"]);
    for_each_field(model.trace, [&](const auto& field, auto& values) { read(trace, field.name, values); });
    model.seed = nb::cast<std::uint64_t>(state["seed"]);
    model.signal_count = nb::cast<std::uint64_t>(state["signal_count"]);
    return model;
}

nb::dict diagnostics_of(const Model& model) {
    nb::dict found;
    for_each_part_number(model.diagnostics, [&](const char* name, double value, Range) { found[name] = value; });
    return found;
}

// True, False, or None when it is not known.
nb::object settled_of(const Model& model) {
    const Settled settled = judge_settling(model).settled;
    return settled == Settled::unknown ? nb::none() : nb::object(nb::bool_(settled == Settled::yes));
}

nb::list in_use(const Model& model) {
    nb::list used;
    for (const bool atom : atoms_in_use(model)) used.append(nb::bool_(atom));
    return used;
}

std::string text_of(const Model& model) {
    return "<sbdl.Model: " + model.method + ", " + std::to_string(model.atom_count()) + " atoms of length " +
           std::to_string(model.signal_dim()) + ", noise " + std::to_string(model.noise_sd) + ">";
}

// A getter of an array that lives in the model.
template <class Member>
auto array_getter(Member Model::*member) {
    return [member](const nb::object& self) { return view_in(nb::cast<const Model&>(self).*member, self); };
}
auto matrix_getter(Matrix Model::*member) {
    return [member](const nb::object& self) { return optional_matrix(nb::cast<const Model&>(self).*member, self); };
}

}  // namespace

void bind_model(nb::module_& module) {
    constexpr const char* optional_rows = "def (self) -> numpy.typing.NDArray[numpy.float64] | None";
    nb::class_<Model>(module, "Model", "A learned dictionary, how sure it is, the noise, and how the run went.")
        .def_ro("method", &Model::method)
        .def_ro("preset", &Model::preset, "standard, paper or custom")
        .def_ro("options_json", &Model::options_json, "Every option of the run, as JSON.")
        .def_ro("program_version", &Model::program_version)
        .def_ro("command", &Model::command, "Of the program that made the model; empty when unknown.")
        .def_ro("denoise_json", &Model::denoise_json,
                "Every option of the denoising, as JSON, when learned from an image; else empty.")
        .def_ro("stop_reason", &Model::stop_reason)
        .def_ro("seed", &Model::seed)
        .def_ro("signal_count", &Model::signal_count)
        .def_prop_ro(
            "signals_seen", [](const Model& model) { return model.stream.signals_seen; },
            "By streaming methods, in all runs that went on from each other.")
        .def_ro("noise_sd", &Model::noise_sd, "In the signals' units; of methods that infer none: of the residuals.")
        .def_ro("noise_sd_std", &Model::noise_sd_std, "Posterior standard deviation of noise_sd; NaN when unknown.")
        .def_ro("unit", &Model::unit, "What the signals were divided by.")
        .def_prop_ro("dictionary", array_getter(&Model::dictionary), "Atoms of unit norm, one per row.")
        .def_prop_ro("dictionary_std", matrix_getter(&Model::dictionary_std), nb::sig(optional_rows),
                     "Posterior standard deviation of the atoms' entries; None when unknown.")
        .def_prop_ro("atom_usage", array_getter(&Model::atom_usage),
                     "Root mean square code of each atom over the training signals.")
        .def_prop_ro(
            "atom_probability",
            [](const nb::object& self) {
                static const std::vector<double> unknown;
                const auto& model = nb::cast<const Model&>(self);
                return view_in(model.on_off ? model.on_off->atom_probability : unknown, self);
            },
            "Probability that a signal uses the atom; empty for models without on/off codes.")
        .def_prop_ro("atoms_in_use", &in_use, nb::sig("def atoms_in_use(self, /) -> list[bool]"),
                     "For each atom, whether the signals determine its direction.")
        .def_prop_ro("code_sizes", array_getter(&Model::code_sizes),
                     "Entry k: how many signals were coded with k atoms; empty when they were not counted.")
        .def_prop_ro("codes", matrix_getter(&Model::codes), nb::sig(optional_rows),
                     "Training codes, when they were kept.")
        .def_prop_ro("codes_std", matrix_getter(&Model::codes_std), nb::sig(optional_rows))
        .def_prop_ro("codes_probability", matrix_getter(&Model::codes_probability), nb::sig(optional_rows),
                     "Probability that a training code is not zero.")
        .def_prop_ro(
            "patch_shape",
            [](const Model& model) {
                return nb::make_tuple(model.patch.height, model.patch.width, model.patch.planes);
            },
            nb::sig("def patch_shape(self, /) -> tuple[int, int, int]"),
            "Height, width and planes when the signals were patches of an image; all 0 otherwise.")
        .def_prop_ro("trace", &trace_of, "chain, sweep, kept, objective, noise_sd: an array each, one entry a sweep.")
        .def_prop_ro("diagnostics", &diagnostics_of, "R-hat and effective sample sizes; NaN where unknown.")
        .def_prop_ro("settled", &settled_of, nb::sig("def settled(self, /) -> bool | None"),
                     "Whether the run had settled when it ended; None when that is not known.")
        .def_prop_ro(
            "settled_reason", [](const Model& model) { return judge_settling(model).reason; },
            "The numbers behind `settled`, in one line.")
        .def_prop_ro(
            "settling_advice", [](const Model& model) { return judge_settling(model).advice; },
            "What to try next, with the options of the program in backticks; empty for a run that settled.")
        .def_ro("estimate", &Model::estimate,
                "Which of several chains the estimate is of, in words; empty when there was one.")
        .def(
            "save", [](const Model& model, const std::filesystem::path& path) { save_model(model, path); }, "path"_a,
            "Write an HDF5 file that the sbdl program, h5py and others read; it appears whole or not at all.")
        .def("__repr__", &text_of)
        .def("__getstate__", &state_of)
        .def("__setstate__", [](Model& self, const nb::dict& state) { new (&self) Model(model_from(state)); });
    module.def("load_model", &load_model, "path"_a, "Read a model file.");
}

}  // namespace sbdl::python
