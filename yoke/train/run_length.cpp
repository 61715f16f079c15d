#include "yoke/train/run_length.h"

#include <algorithm>
#include <limits>

namespace yoke {

std::int64_t global_batch_size(const TrainConfig& config, int ranks) {
  if (config.batch_size_per_rank) return *config.batch_size_per_rank * ranks;
  return config.batch_size.value_or(kDefaultBatchSize);
}

std::int64_t count_steps(const TrainConfig& config, std::int64_t steps_per_epoch) {
  constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = config.max_steps.value_or(kUnlimited);
  if (!config.epochs) return config.max_steps ? most : kDefaultEpochs * steps_per_epoch;
  const bool huge = *config.epochs > kUnlimited / steps_per_epoch;
  return std::min(huge ? kUnlimited : *config.epochs * steps_per_epoch, most);
}

}  // namespace yoke
