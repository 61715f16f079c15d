#include "yoke/comm/communicators/rank_link.h"

#include <algorithm>
#include <map>

namespace yoke {

Way::Time Way::pass(Time from, double seconds) {
  const std::lock_guard lock(mutex_);
  const std::chrono::duration<double> takes(seconds);
  free_ = std::max(free_, from) + std::chrono::duration_cast<Time::duration>(takes);
  return free_;
}

std::shared_ptr<RankLink> RankLink::of(int rank) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<RankLink>> links;
  const std::lock_guard lock(mutex);
  auto link = links[rank].lock();
  if (!link) links[rank] = link = std::make_shared<RankLink>();
  return link;
}

}  // namespace yoke
