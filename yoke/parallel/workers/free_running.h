// yoke/parallel/workers/free_running.h: workers that take steps as each is ready.
#pragma once
#include "yoke/comm/communicator.h"
#include "yoke/parallel/workers/workers.h"

namespace yoke {

/// Ranks that share a pool of steps, of which a fast one takes more than a slow one, each with its
/// own share of the images. They meet only where a stretch ends: by then all of them together have
/// taken as many steps as if each had taken every one.
class FreeRunning final : public Workers {
 public:
  /// What a strategy does when ranks go apart, and before they meet.
  struct Hooks {
    std::function<DataShard()> data_shard;           ///< May count fewer ranks after `rest`.
    std::function<void()> depart;                    ///< All ranks call it alike, as the next.
    std::function<std::vector<std::string>()> rest;  ///< Returns events, see StretchResult.
  };

  /// `communicator` must outlive it.
  FreeRunning(Communicator& communicator, Hooks hooks);

  DataShard data_shard() const override { return hooks_.data_shard(); }
  std::int64_t next_meeting(std::int64_t step) const override;
  std::int64_t most_steps(std::int64_t steps) const override { return steps * data_shard().count; }
  StretchResult run(const Stretch& stretch) override;

 private:
  Communicator& communicator_;
  const Hooks hooks_;
  std::int64_t stretches_ = 0;  // so far
};

}  // namespace yoke
