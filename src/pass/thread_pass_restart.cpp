// How a ThreadPass gives signals with improbable on/off codes a second chance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pass/noise_cooling.hpp"
#include "pass/rank_sums.hpp"
#include "pass/thread_pass.hpp"

namespace sbdl {
namespace {

constexpr BlockNeeds signals_alone{.entries = false, .on_off = false, .statistics = false};
constexpr BlockNeeds on_off_alone{.entries = false, .on_off = true, .statistics = false};

}  // namespace

OnOffRestarted ThreadPass::restart(const OnOffRestart& restart) {
    begin_on_off_codes();
    std::vector<BlockRestart> blocks(on_off_.blocks());
    const OnOffEvidence evidence(*restart.state);
    const std::size_t shown = restart.show_unexplained ? chunk_stats_.size() : 0;
    std::vector<Mat> unexplained(shown, Mat::Zero(share_.dim(), share_.dim()));
    std::vector<Vec> energy(shown, Vec::Zero(static_cast<Eigen::Index>(atom_count())));
    const auto chunk_of = [this](const SufficientStats& sums) {
        return static_cast<std::size_t>(&sums - chunk_stats_.data());
    };
    const double most_on = most_entries_on(restart.state->probability);
    std::vector<std::size_t> begun(blocks.size());
    run(
        [&](const BlockView& view, const SufficientStats& sums, const Workspace& workspace) {
            const std::size_t b = block_of(view);
            const SparseCodes& codes = on_off_.load(b, bench_of(workspace).present);
            begun[b] = blocks[b].choose(evidence, signals_in(view), codes, restart.share,
                                        restart.crowded_only ? most_on : -1.0);
            if (restart.show_unexplained) blocks[b].add_energy_of_others(codes, energy[chunk_of(sums)]);
        },
        on_off_alone);

    OnOffRestarted result;
    result.begun = sum_of(ranks_, begun);
    if (result.begun == 0) return result;

    constexpr double coarse_contrast = 10.0;  // enough to see atoms, too little to make up for one with several others
    const double signals = restart.signal_precision, level = restart.state->noise_precision;
    const double decided = std::min(level, most_contrast * signals);
    const NoiseCooling cooling(signals, decided, 1.0, restart.sweeps);
    const auto precision = [&](int sweep) {
        if (sweep <= restart.sweeps) return cooling.precision(sweep);
        return decided * std::pow(level / decided, double(sweep - restart.sweeps) / restart.deep_sweeps);
    };
    int coarse = 0;  // the sweep that shows what is left unexplained
    while (coarse < restart.sweeps / 2 && cooling.precision(coarse) < coarse_contrast * signals) ++coarse;
    const double most_pulling = restart.deep_sweeps > 0 ? most_on : std::numeric_limits<double>::infinity();
    OnOffState state = *restart.state;
    OnOffNumbers draw = restart.draw;
    draw.support = Purpose::restart_support;
    draw.value = Purpose::restart_value;
    for (int sweep = 0; sweep <= restart.sweeps + restart.deep_sweeps; ++sweep, ++draw.sweep) {
        state.noise_precision = precision(sweep);
        const OnOffSampler sampler(state, draw, restart.gram);
        std::vector<Vec> pull(restart.fitted_atom ? chunk_stats_.size() : 0, Vec::Zero(share_.dim()));
        run(
            [&](const BlockView& view, SufficientStats& sums, Workspace& workspace) {
                BlockRestart& block = blocks[block_of(view)];
                const Mat& left = block.sweep(sampler, view.first_signal, signals_in(view), bench_of(workspace));
                if (restart.show_unexplained && sweep == coarse) unexplained[chunk_of(sums)] += left * left.transpose();
                if (restart.fitted_atom)
                    block.add_pull_on(*restart.fitted_atom, state.D.col(*restart.fitted_atom), left, most_pulling,
                                      pull[chunk_of(sums)]);
            },
            signals_alone);
        if (!restart.fitted_atom) continue;
        Vec direction = Vec::Zero(share_.dim());
        add_terms(ranks_, pull, direction);
        if (direction.norm() > 0.0) state.D.col(*restart.fitted_atom) = direction.normalized();
    }
    state.noise_precision = level;
    const OnOffEvidence fitted_evidence(state);

    std::vector<std::size_t> replaced_in(blocks.size(), 0), users_in(blocks.size(), 0);
    run(
        [&](const BlockView& view, SufficientStats&, const Workspace& workspace) {
            const std::size_t b = block_of(view);
            OnOffStore::Room& room = bench_of(workspace).present;
            SparseCodes& codes = on_off_.load(b, room);
            const std::vector<std::size_t> replaced =
                blocks[b].replace(fitted_evidence, restart.draw, view.first_signal, signals_in(view), codes);
            if (!replaced.empty()) on_off_.save(b, codes, room);
            replaced_in[b] = replaced.size();
            if (!restart.fitted_atom) return;
            for (const std::size_t row : replaced) {
                const auto on = entries_on(codes, row);
                if (std::find(on.begin(), on.end(), *restart.fitted_atom) != on.end()) ++users_in[b];
            }
        },
        on_off_alone);
    result.replaced = sum_of(ranks_, replaced_in);
    result.users = sum_of(ranks_, users_in);
    if (restart.fitted_atom) result.fitted_atom = state.D.col(*restart.fitted_atom);
    if (!restart.show_unexplained) return result;
    result.unexplained = Mat::Zero(share_.dim(), share_.dim());
    add_terms(ranks_, unexplained, result.unexplained);
    result.energy_of_others = Vec::Zero(static_cast<Eigen::Index>(atom_count()));
    add_terms(ranks_, energy, result.energy_of_others);
    return result;
}

}  // namespace sbdl
