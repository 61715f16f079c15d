// yoke/train/checkpoints/checkpoint_writer.h: checkpoints written while training goes on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {

/// Writes checkpoints in the background and keeps the newest `keep` good ones; those older than
/// them go, but for the best one, and only after a newer one was written and verified. Calls come
/// from one thread.
class CheckpointWriter {
 public:
  /// Removes what dead processes left half-written in `directory`, which need not exist yet.
  /// @throws UsageError when `keep` is below 1.
  CheckpointWriter(std::filesystem::path directory, std::int64_t keep);
  /// Waits for the write under way.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Waits for the write before, then starts this one and returns. No one may change the tensors of
  /// `snapshot` afterwards. The checkpoint of the step `best` is kept, which may be this one; 0:
  /// none. A failure is told by take_problems().
  void save(Checkpoint snapshot, std::int64_t best = 0);
  /// Waits for the write under way.
  void wait();
  /// The messages of the writes that failed since the last call.
  std::vector<std::string> take_problems();
  /// Whether the last save() that has ended succeeded; true before the first.
  bool last_was_written() const;
  /// The last checkpoint this object wrote, otherwise the newest good one in the directory.
  std::optional<std::filesystem::path> newest() const;

 private:
  void write(const Checkpoint& snapshot, std::int64_t best);
  std::vector<std::filesystem::path> found() const;
  void prune(const std::filesystem::path& written, std::int64_t best);
  bool is_good(const std::filesystem::path& checkpoint);

  const std::filesystem::path directory_;
  const std::int64_t keep_;
  std::set<std::filesystem::path> good_;  // known to be; used by the background thread alone
  mutable std::mutex mutex_;              // guards those below
  std::optional<std::filesystem::path> newest_;
  std::vector<std::string> problems_;
  bool last_was_written_ = true;
  std::thread thread_;
};

}  // namespace yoke
