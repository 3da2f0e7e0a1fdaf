#include "learners/chains/pooling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "diagnostics/assignment.hpp"
#include "diagnostics/convergence.hpp"
#include "sbdl/settling.hpp"

namespace sbdl {
namespace {

using Records = std::vector<const ChainRecord*>;

/// Those that kept most sweeps. A chain that was stopped early has fewer.
Records whole_chains(const std::vector<ChainRecord>& chains) {
    std::size_t most = 0;
    for (const ChainRecord& record : chains) most = std::max(most, record.kept());
    Records whole;
    for (const ChainRecord& record : chains)
        if (record.kept() == most) whole.push_back(&record);
    return whole;
}

/// The convergence of one recorded series. series(record) returns it.
template <class Series>
Convergence convergence_of(const Records& chains, const Series& series) {
    std::vector<std::vector<double>> all;
    for (const ChainRecord* record : chains) all.push_back(series(*record));
    return measure_convergence(all);
}

/// What is unknown of one is passed over.
Convergence worse(const Convergence& one, const Convergence& other) {
    return {std::fmax(one.rhat, other.rhat), std::fmin(one.ess, other.ess), std::fmin(one.ess_tail, other.ess_tail)};
}

struct Comparison {
    const ChainRecord* record = nullptr;
    AtomPairs pairs;
    int different = 0;             ///< pairs of atoms, both determined, that are not the same
    int missing = 0, further = 0;  ///< atoms that only the best chain has determined, only this one
    bool same_noise = true;

    [[nodiscard]] bool agrees() const { return different == 0 && missing == 0 && further == 0 && same_noise; }
};

Comparison compare_chains(const ChainRecord& best, const ChainRecord& other, const ChainScale& scale) {
    const std::vector<bool> in_best = determined_atoms(best.average, scale),
                            in_other = determined_atoms(other.average, scale);
    Comparison found{&other, match_atoms(best.average, other.average, in_best, in_other)};
    for (std::size_t n = 0; n < in_best.size(); ++n) {
        const Eigen::Index partner = found.pairs.partner[n];
        if (partner < 0 || found.pairs.cosine[static_cast<Eigen::Index>(n)] >= same_atom_cosine) continue;
        if (!in_best[n])
            ++found.further;
        else if (!in_other[static_cast<std::size_t>(partner)])
            ++found.missing;
        else
            ++found.different;
    }
    // NaN: the noise never moved in either.
    found.same_noise = !(measure_convergence({best.noise_sd, other.noise_sd}).rhat > settled_rhat);
    return found;
}

std::string atoms_text(int count) {
    return fmt::format("{} atom{}", count, count == 1 ? "" : "s");
}

/// "chain 2 differs in 4 atoms and in the noise and has 1 atom more"
std::string difference_of(const Comparison& found) {
    std::vector<std::string> places, all;
    if (found.different > 0) places.push_back("in " + atoms_text(found.different));
    if (!found.same_noise) places.emplace_back("in the noise");
    if (!places.empty()) all.push_back(fmt::format("differs {}", fmt::join(places, " and ")));
    if (found.missing > 0) all.push_back("lacks " + atoms_text(found.missing));
    if (found.further > 0) all.push_back(fmt::format("has {} more", atoms_text(found.further)));
    return fmt::format("chain {} {}", found.record->chain + 1, fmt::join(all, " and "));
}

/// Why nothing can be pooled; empty if it can.
std::string obstacle(const ChainRecord& best, bool average) {
    if (!average) return "chains are pooled only where their sweeps are averaged";
    if (best.kept() < least_kept) return "too few sweeps were kept to compare the chains";
    return {};
}

std::string note_on(const std::vector<Comparison>& compared, const ChainRecord& best, int planned, bool average) {
    const auto ended = static_cast<int>(compared.size()) + 1, cut_short = planned - ended;
    std::vector<std::string> left_out;
    for (const Comparison& found : compared)
        if (!found.agrees()) left_out.push_back(difference_of(found));
    const int pooled = ended - static_cast<int>(left_out.size());
    constexpr std::size_t most_named = 3;
    const bool many = left_out.size() > most_named;

    std::string text;
    const std::string hindered = obstacle(best, average);
    if (ended > 1 && hindered.empty() && pooled > 1) {
        text = pooled == planned ? fmt::format("all {} chains pooled", planned)
                                 : fmt::format("{} of {} chains pooled", pooled, planned);
        for (std::size_t i = 0; i < left_out.size() && !many; ++i)
            text += fmt::format("; {} and is left out", left_out[i]);
        if (many) text += fmt::format("; {} chains differ and are left out", left_out.size());
    } else {
        text = fmt::format("chain {} of {}", best.chain + 1, planned);
        if (ended > 1) text += ", the one with the highest mean log density; ";
        if (ended > 1 && hindered.empty())
            text += many ? "no other chain agrees with it"
                         : fmt::format("no other chain agrees with it ({})", fmt::join(left_out, ", "));
        else if (ended > 1)
            text += hindered;
    }
    if (cut_short > 0) text += fmt::format("; {} chain{} did not end", cut_short, cut_short == 1 ? "" : "s");
    return text;
}

/// The means and standard deviations of all draws from those of the chains.
void pool_codes(const ChainRecord& best, const std::vector<Comparison>& others, PooledChains& pooled) {
    if (!best.codes || best.codes->count() == 0) return;
    if (others.empty()) {
        pooled.codes = best.codes->mean();
        if (best.codes->count() >= 2) pooled.codes_std = best.codes->std();
        pooled.codes_probability = best.codes->probability();
        return;
    }
    struct Part {
        Matrix mean, std, probability;
        double count;
        const AtomPairs* pairs;  // null: those of the best chain, as they are

        /// The column of the best chain's atom n; negative: it has none.
        [[nodiscard]] Eigen::Index column(std::size_t n) const {
            return pairs == nullptr ? static_cast<Eigen::Index>(n) : pairs->partner[n];
        }
        /// The mean of its code for the best chain's atom n.
        [[nodiscard]] double entry(std::size_t l, std::size_t n) const {
            const double sign = pairs == nullptr ? 1.0 : pairs->sign[static_cast<Eigen::Index>(n)];
            return sign * mean(l, static_cast<std::size_t>(column(n)));
        }
    };
    std::vector<Part> parts{
        {best.codes->mean(), best.codes->std(), best.codes->probability(), double(best.codes->count()), nullptr}};
    for (const Comparison& other : others) {
        const CodeRecord& codes = *other.record->codes;
        parts.push_back({codes.mean(), codes.std(), codes.probability(), double(codes.count()), &other.pairs});
    }
    const Part& own = parts.front();
    pooled.codes = own.mean;
    pooled.codes_std = own.std;
    pooled.codes_probability = own.probability;
    std::vector<std::vector<const Part*>> having(own.mean.cols());  // of each atom: those that have it
    std::vector<double> count(having.size(), 0.0);
    for (std::size_t n = 0; n < having.size(); ++n)
        for (const Part& part : parts)
            if (part.column(n) >= 0) {
                having[n].push_back(&part);
                count[n] += part.count;
            }
    for (std::size_t l = 0; l < pooled.codes.rows(); ++l)
        for (std::size_t n = 0; n < having.size(); ++n) {
            if (having[n].size() == 1) continue;
            double mean = 0.0, squares = 0.0, on = 0.0;
            for (const Part* part : having[n]) mean += part->count / count[n] * part->entry(l, n);
            for (const Part* part : having[n]) {
                const auto from = static_cast<std::size_t>(part->column(n));
                const double std = part->std(l, from), away = part->entry(l, n) - mean;
                squares += (part->count - 1.0) * std * std + part->count * away * away;
                if (!part->probability.empty()) on += part->count / count[n] * part->probability(l, from);
            }
            pooled.codes(l, n) = mean;
            pooled.codes_std(l, n) = std::sqrt(squares / (count[n] - 1.0));
            if (!pooled.codes_probability.empty()) pooled.codes_probability(l, n) = on;
        }
}

/// All that add up over the draws of a chain.
void merge(ChainRecord& into, const Comparison& other) {
    const ChainRecord& from = *other.record;
    into.average.merge(from.average, other.pairs);
    for (Eigen::Index n = 0; n < into.probability.size(); ++n) {
        const Eigen::Index partner = other.pairs.partner[static_cast<std::size_t>(n)];
        if (partner >= 0) into.probability[n] += from.probability[partner];
    }
    into.code_precision += from.code_precision;
    if (into.reconstruction.size() > 0) into.reconstruction += from.reconstruction;
}

}  // namespace

AtomPairs match_atoms(const PosteriorAverage& one, const PosteriorAverage& other, const std::vector<bool>& determined,
                      const std::vector<bool>& other_determined) {
    const Mat cosines = other.mean_atoms().transpose() * one.mean_atoms();  // column n: of atom n of `one`
    Matrix cost = to_rows((1.0 - cosines.array().abs()).matrix());
    for (std::size_t n = 0; n < cost.rows(); ++n)
        for (std::size_t p = 0; p < cost.cols(); ++p)
            cost(n, p) *= static_cast<double>(determined[n]) + static_cast<double>(other_determined[p]);
    AtomPairs pairs{.partner = {}, .sign = Vec(cosines.cols()), .cosine = Vec(cosines.cols())};
    for (const std::ptrdiff_t partner : cheapest_assignment(cost)) {
        const auto n = static_cast<Eigen::Index>(pairs.partner.size());
        const double cosine = cosines(partner, n);
        const bool pair =
            determined[static_cast<std::size_t>(n)] || other_determined[static_cast<std::size_t>(partner)];
        pairs.partner.push_back(pair ? partner : -1);
        pairs.sign[n] = cosine < 0.0 ? -1.0 : 1.0;
        pairs.cosine[n] = std::abs(cosine);
    }
    return pairs;
}

PooledChains pool_chains(std::vector<ChainRecord> chains, const ChainScale& scale, int planned, bool average) {
    const Records whole = whole_chains(chains);
    const ChainRecord* best = *std::max_element(
        whole.begin(), whole.end(),
        [](const ChainRecord* x, const ChainRecord* y) { return x->mean_log_joint() < y->mean_log_joint(); });
    std::vector<Comparison> compared;
    for (const ChainRecord* record : whole)
        if (record != best) compared.push_back(compare_chains(*best, *record, scale));

    PooledChains pooled;
    if (planned > 1) pooled.note = note_on(compared, *best, planned, average);
    const bool hindered = !obstacle(*best, average).empty();
    std::erase_if(compared, [&](const Comparison& found) { return hindered || !found.agrees(); });
    pool_codes(*best, compared, pooled);
    pooled.record = std::move(chains[static_cast<std::size_t>(best - chains.data())]);
    for (const Comparison& other : compared) merge(pooled.record, other);
    if (!compared.empty()) pooled.record.dictionary = pooled.record.average.mean_atoms();
    pooled.count = static_cast<int>(compared.size()) + 1;
    return pooled;
}

Diagnostics diagnose(const std::vector<ChainRecord>& chains, const ChainScale& scale) {
    const Records whole = whole_chains(chains);
    const Convergence noise = convergence_of(whole, [](const ChainRecord& record) { return record.noise_sd; });
    const Convergence density = convergence_of(whole, [](const ChainRecord& record) { return record.log_joint; });
    const Convergence codes =
        worse(convergence_of(whole, [](const ChainRecord& record) { return record.code_rms; }),
              convergence_of(whole, [](const ChainRecord& record) { return record.mean_nonzeros; }));
    Convergence atoms;
    const std::vector<bool> telling = telling_atoms(whole.front()->average, scale);
    for (std::size_t k = 0; k < whole.front()->atoms.atoms(); ++k)
        if (telling[whole.front()->atoms.atom(k)])
            atoms =
                worse(atoms, convergence_of(whole, [k](const ChainRecord& record) { return record.atoms.cosines(k); }));
    return {.noise_rhat = noise.rhat,
            .noise_ess = noise.ess,
            .noise_ess_tail = noise.ess_tail,
            .objective_rhat = density.rhat,
            .objective_ess = density.ess,
            .objective_ess_tail = density.ess_tail,
            .atoms_rhat = atoms.rhat,
            .atoms_ess = atoms.ess,
            .atoms_ess_tail = atoms.ess_tail,
            .codes_rhat = codes.rhat,
            .codes_ess = codes.ess,
            .codes_ess_tail = codes.ess_tail};
}

double worst_rhat(const Diagnostics& d) {
    double rhat = 0.0;
    for (const double known : {d.noise_rhat, d.objective_rhat, d.atoms_rhat, d.codes_rhat})
        if (known > rhat) rhat = known;
    return rhat;
}

std::optional<int> draws_to_settle(const Diagnostics& d, int draws, int least) {
    const double rhat = worst_rhat(d);
    double ess = std::numeric_limits<double>::infinity();  // the worst; unknown ones are passed over
    for (const double known : {d.noise_ess, d.objective_ess, d.atoms_ess, d.codes_ess})
        if (known < ess) ess = known;
    if (rhat <= settled_rhat && ess >= settled_ess) return std::nullopt;
    if (!(ess > 0.0) || std::isinf(ess)) return std::nullopt;
    if (rhat > mixed_rhat || (rhat > settled_rhat && draws < least)) return std::nullopt;
    constexpr double margin = 1.2;  // the sample size of a short chain is itself rough
    double needed = margin * draws * settled_ess / ess;
    // The halves of a chain that has mixed differ by chance, the less the longer it is.
    constexpr double least_growth = 1.25, most_growth = 2.0;
    if (rhat > settled_rhat) needed = std::max(needed, least_growth * draws);
    return static_cast<int>(std::min(needed, most_growth * draws));
}

}  // namespace sbdl
