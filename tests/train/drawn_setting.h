// tests/train/drawn_setting.h: trainings drawn at random, with what docs/parallel.md promises them.
#pragma once
#include <cstdint>
#include <string>

namespace yoke::test {

/// A short training.
struct DrawnSetting {
  int ranks = 1;
  std::string flags;      ///< Of `yoke train`, but `--out` and what says where it goes on.
  std::int64_t save = 1;  ///< Steps between two checkpoints, from which it goes on exactly.
  /// Whether one rank that sums all gradients comes to the same within rounding; by these flags.
  bool equals_one_rank = false;
  std::string flags_of_one_rank;
};

/// The setting of `seed`: equal on every machine.
DrawnSetting draw_setting(std::uint64_t seed);

}  // namespace yoke::test
