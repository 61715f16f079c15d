#include "yoke/train/cores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "yoke/core/format.h"

namespace yoke {
namespace {

/// The ranks of this host whose processes may use exactly the same cores, ascending: mpirun and
/// srun may have shared them out already.
std::vector<int> sharers(const Group& group) {
  std::vector<int> ranks;
  if (group.size == 1) return {group.rank};
  const auto& own = group.peers[static_cast<std::size_t>(group.rank)];
  for (const int rank : group.neighbours()) {
    if (group.peers[static_cast<std::size_t>(rank)].cores == own.cores) ranks.push_back(rank);
  }
  return ranks;
}

std::string describe(const CoreShare& share, std::size_t place, std::size_t ranks, bool pinned) {
  return fmt::format("{} on core{} {} (rank {} of {} on this host{})",
                     format_count(share.threads, "thread"), share.cores.size() == 1 ? "" : "s",
                     fmt::join(share.cores, ","), place, ranks, pinned ? ", pinned" : "");
}

}  // namespace

CoreShare share_cores(const Group& group, const CpuBudget& budget, std::int64_t threads) {
  const auto ranks = sharers(group);
  const auto count = static_cast<int>(ranks.size());
  CoreShare share{.threads = threads > 0 ? static_cast<int>(threads) : budget.threads(count),
                  .cores = budget.cores,
                  .text = ""};
  if (group.size == 1) {
    share.text = fmt::format("{} threads on {}", share.threads, budget.str());
    return share;
  }
  const auto place =
      static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), group.rank) - ranks.begin());
  const auto each = static_cast<std::size_t>(share.threads);
  const bool enough = each * ranks.size() <= budget.cores.size();
  if (enough) {
    const auto first = budget.cores.begin() + static_cast<std::ptrdiff_t>(place * each);
    share.cores.assign(first, first + static_cast<std::ptrdiff_t>(each));
  }
  share.text = describe(share, place, ranks.size(), enough);
  return share;
}

}  // namespace yoke
