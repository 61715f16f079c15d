#include "yoke/train/run_length.h"

#include <algorithm>
#include <limits>

namespace yoke {

SizesByEpoch global_batch_sizes(const TrainConfig& config, int ranks) {
  if (config.batch_size_per_rank) return *config.batch_size_per_rank * ranks;
  return config.batch_size.given() ? config.batch_size : kDefaultBatchSize;
}

std::int64_t count_steps(const TrainConfig& config, const Epochs& epochs) {
  constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = config.max_steps.value_or(kUnlimited);
  if (!config.epochs && config.max_steps) return most;
  return std::min(epochs.first_step(config.epochs.value_or(kDefaultEpochs)), most);
}

}  // namespace yoke
