#include "pass/shared_parts.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_part = 512;  // at least
constexpr std::size_t most_parts = 16;        // each may have its own sums

}  // namespace

std::size_t signal_parts(std::size_t signals) {
    return std::clamp(signals / signals_in_part, std::size_t{1}, most_parts);
}

SharedParts::SharedParts(std::size_t signals, RankGroup ranks)
    : ranks_(ranks),
      all_(signals, signal_parts(signals)),
      signals_(signals_of(ranks.mine())),
      own_(all_.part(ranks.my_part(all_.number()).first, ranks.my_part(all_.number()).size)) {}

void SharedParts::each(int threads, const PartBody& body) const {
    parallel_for(own_, threads, [&](const IndexRange& part, int) { body(part.number, part.first, part.size); });
}

Vec SharedParts::signal(const SignalShare& all, std::size_t l) const {
    RankGroup ranks = ranks_;
    int owner = 0;
    while (signals_of(owner).end() <= l) ++owner;
    Vec found = owner == ranks.mine() ? all.signal(l) : Vec::Zero(all.dim());
    ranks.share(owner, std::span(found.data(), static_cast<std::size_t>(found.size())));
    return found;
}

IndexRange SharedParts::signals_of(int rank) const {
    const IndexRange parts = ranks_.part_of(rank, all_.number());
    return {0, all_.first(parts.first), all_.first(parts.end()) - all_.first(parts.first)};
}

}  // namespace sbdl
