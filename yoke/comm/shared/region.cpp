#include "yoke/comm/shared/region.h"

#include <fmt/format.h>

#include <thread>
#include <utility>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"

namespace yoke::shared {
namespace {

std::vector<std::size_t> region_bytes(int size) {
  const auto ranks = static_cast<std::size_t>(size);
  return std::vector(ranks, sizeof(RankArea) + ranks * sizeof(Channel));
}

}  // namespace

// Who has a core of his own may wait awake.
SharedRegion::SharedRegion(const Group& group)
    : rank_(group.rank),
      timeout_(group.timeout),
      spins_(group.size <= static_cast<int>(std::thread::hardware_concurrency())),
      segments_(exchange(group, "region", region_bytes(group.size))) {}

SharedRegion::~SharedRegion() {
  own().left.set(1);
  own().arrived.set(meetings_);  // wakes those who wait for it
}

RankArea& SharedRegion::area(int rank) const {
  return *reinterpret_cast<RankArea*>(segments_[static_cast<std::size_t>(rank)]->data());
}

Channel& SharedRegion::channel(int from, int to) const {
  auto* const posts = reinterpret_cast<Channel*>(segments_[static_cast<std::size_t>(from)]->data() +
                                                 sizeof(RankArea));
  return posts[to];
}

// Nobody announces the operation after next before all have met for the next: two places do.
void SharedRegion::announce(const Signature& signature) {
  own().doing[++announcements_ % 2] = signature;
  announced_ = true;
}

void SharedRegion::barrier() {
  own().arrived.set(++meetings_);
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != rank_) await(area(peer).arrived, meetings_, peer);
  }
  if (!std::exchange(announced_, false)) return;
  std::vector<Signature> doing;
  for (int rank = 0; rank < size(); ++rank) doing.push_back(area(rank).doing[announcements_ % 2]);
  check_same(doing);
}

void SharedRegion::await(Counter& counter, std::uint32_t value, int peer) {
  if (counter.wait(value, spins_)) return;
  const Stopwatch watch;
  do {
    const bool gone =
        !segments_[static_cast<std::size_t>(peer)]->alive() || area(peer).left.value() != 0;
    if (counter.reached(value)) return;  // asked last: it may have come, then gone
    if (gone) throw CommError(fmt::format("rank {} is gone", peer));
    if (watch.seconds() > std::chrono::duration<double>(timeout_).count()) {
      throw CommError(fmt::format("rank {} did not come within {:.1f} s", peer, watch.seconds()));
    }
  } while (!counter.wait(value, false));
}

}  // namespace yoke::shared
