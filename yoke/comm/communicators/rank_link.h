// yoke/comm/communicators/rank_link.h: the link of a rank in a model of a network, which all that
// it sends and receives at once shares.
#pragma once
#include <chrono>
#include <memory>
#include <mutex>

namespace yoke {

/// One way of a link: bytes pass it one after the other, whoever sends them. Any thread may call.
class Way {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Passes bytes for `seconds`, from `from` on or, if later, once those before have passed.
  /// Returns when they have passed.
  Time pass(Time from, double seconds);

 private:
  std::mutex mutex_;
  Time free_;
};

/// A link that sends and receives at the same time.
struct RankLink {
  Way out;
  Way in;

  /// The link of `rank` of the run, the same for all of this process that ask while one has it.
  static std::shared_ptr<RankLink> of(int rank);
};

}  // namespace yoke
