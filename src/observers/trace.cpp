// The trace as JSON lines. Numbers that are not finite become null, since JSON cannot represent them.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"

namespace sbdl {

using Json = nlohmann::ordered_json;

namespace {

Json sweep_line(int chain, int sweep, bool kept, double objective, double noise_sd) {
    return {{"event", "sweep"},       {"chain", chain},      {"sweep", sweep}, {"phase", kept ? "kept" : "burn_in"},
            {"objective", objective}, {"noise_sd", noise_sd}};
}

}  // namespace

void TraceObserver::on_start(const RunPlan& plan) {
    file_.open(path_, std::ios::trunc);
    if (!file_) throw FileError(path_.string() + ": the trace file cannot be created");
    write_line(Json{{"event", "plan"},
                    {"method", plan.method},
                    {"signals", plan.signal_count},
                    {"dim", plan.signal_dim},
                    {"atoms", plan.atom_count},
                    {"chains", plan.chains},
                    {"sweeps", plan.sweeps}}
                   .dump());
}

void TraceObserver::on_resume(const Trace& before) {
    for (std::size_t i = 0; i < before.sweep.size(); ++i)
        write_line(
            sweep_line(before.chain[i], before.sweep[i], before.kept[i] != 0, before.objective[i], before.noise_sd[i])
                .dump());
}

Flow TraceObserver::on_sweep(const SweepReport& report) {
    Json line =
        sweep_line(report.chain, report.sweep, report.phase != Phase::burn_in, report.objective, report.noise_sd);
    line["atoms_refreshed"] = report.atoms_refreshed;
    line["seconds"] = report.seconds;
    if (!std::isnan(report.mean_nonzeros)) line["mean_nonzeros"] = report.mean_nonzeros;
    write_line(line.dump());
    return Flow::go_on;
}

void TraceObserver::on_finish() {
    file_.close();
}

void TraceObserver::write_line(const std::string& line) {
    file_ << line << '\n' << std::flush;
    if (!file_) throw FileError(path_.string() + ": writing the trace failed (is the disk full?)");
}

}  // namespace sbdl
