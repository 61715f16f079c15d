// apps/yoke/step_flags.h: the flags of `yoke train` that decide what a step costs.
#pragma once
#include <string>
#include <vector>

namespace yoke {

/// Names, as of train_flags(), that calibrations depend on and `yoke bench training` takes.
inline const std::vector<std::string>& step_flags() {
  static const std::vector<std::string> names = {
      "model",           "data",     "data-dir",      "batch-size", "optimizer",
      "label-smoothing", "replicas", "micro-batch",   "engine",     "precision",
      "device",          "seed",     "deterministic", "threads",    "loader-threads"};
  return names;
}

}  // namespace yoke
