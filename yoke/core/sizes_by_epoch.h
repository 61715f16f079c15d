// yoke/core/sizes_by_epoch.h: a size that changes as a run goes on, as that of images or batches.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// Which sizes a flag takes, and how a message shows them by epoch.
struct SizeRange {
  std::int64_t most;
  std::string_view example;  ///< `0:96,6:128,14:160`
};

/// `0:96,6:128,14:160`, the size from which epoch on; or one for all epochs; or nothing.
class SizesByEpoch {
 public:
  /// What is in force from an epoch on.
  struct Stage {
    std::int64_t epoch = 0, size = 0;
    bool operator==(const Stage&) const = default;
  };

  SizesByEpoch() = default;  ///< Nothing.
  /// The same for all epochs.
  SizesByEpoch(std::int64_t size);  // NOLINT(google-explicit-constructor): a size is one of these

  /// Parses EPOCH:SIZE,..., the first of epoch 0 and each of a later epoch than the one before; or
  /// SIZE alone. Sizes are from 1 to `range.most`; `flag` is for messages.
  /// @throws UsageError on anything else.
  static SizesByEpoch parse(std::string_view text, std::string_view flag, const SizeRange& range);

  bool given() const { return !stages_.empty(); }
  std::string str() const;  ///< As parse() reads it.

  /// Of an epoch, from 0. Where none is given(), this and the others have no meaning.
  std::int64_t at(std::int64_t epoch) const;
  std::int64_t first() const { return stages_.front().size; }
  std::int64_t last() const { return stages_.back().size; }
  /// The epoch from which on the last size is in force.
  std::int64_t last_epoch() const { return stages_.back().epoch; }
  /// By epoch, ascending.
  const std::vector<Stage>& stages() const { return stages_; }
  /// Each size once, ascending.
  std::vector<std::int64_t> all() const;
  /// What `change` makes of each size.
  SizesByEpoch map(const std::function<std::int64_t(std::int64_t)>& change) const;
  /// Those from `epoch` on, which is counted as 0.
  SizesByEpoch from(std::int64_t epoch) const;

  bool operator==(const SizesByEpoch&) const = default;

 private:
  std::vector<Stage> stages_;
};

}  // namespace yoke
