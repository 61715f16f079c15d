#include "yoke/train/train.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "yoke/comm/communicators/thread_group.h"
#include "yoke/comm/rendezvous/join.h"
#include "yoke/comm/tell_after_others.h"
#include "yoke/core/error.h"
#include "yoke/core/system/thread_name.h"
#include "yoke/core/system/threads.h"
#include "yoke/parallel/workers/in_process.h"
#include "yoke/train/checkpoints/model_file.h"
#include "yoke/train/checkpoints/resume.h"
#include "yoke/train/config/augmentation_sets.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/train_rank.h"

namespace yoke {
namespace {

/// What was given, with the defaults that follow from other flags: nothing changes it after this.
TrainConfig completed(TrainConfig config) {
  validate(config);
  if (!config.epochs && !config.max_steps) config.epochs = kDefaultEpochs;
  if (!config.batch_size.given() && !config.batch_size_per_rank)
    config.batch_size = kDefaultBatchSize;
  apply_augmentation_set(config);
  if (!config.resume.empty() && config.out.empty()) config.out = resumed_run(config);
  if (!config.resume.empty()) config.model_file = kept_model_file(resumed_run(config));
  return config;
}

Timeouts patience(const TrainConfig& config) {
  return {.join = config.join_timeout, .operation = config.comm_timeout};
}

/// The data set, read once for all ranks of this process.
TrainParts with_data_read(const TrainConfig& config, TrainParts parts) {
  const DatasetInput input{.data_dir = config.data_dir, .seed = config.seed};
  auto splits = parts.data ? parts.data(input) : make_dataset(config.data, input);
  parts.data = [splits = std::move(splits)](const DatasetInput&) { return splits; };
  return parts;
}

/// What went wrong first.
class FirstFailure {
 public:
  void note(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// A run whose ranks are threads of this process.
TrainResult train_in_threads(const TrainConfig& config, const TrainParts& parts,
                             const TrainContext& context, int ranks) {
  const auto groups = thread_group(ranks, patience(config).operation);
  const TrainParts shared = with_data_read(config, parts);
  if (context.joined) context.joined();
  TrainResult result;
  FirstFailure failure;
  std::vector<std::thread> threads;
  for (const Group& group : groups) {
    threads.emplace_back([&] {
      name_thread(fmt::format("rank {}", group.rank));
      try {
        tell_after_others([&] {
          TrainResult own = train_rank(config, shared, context, group);
          if (group.rank == 0) result = std::move(own);
        });
      } catch (...) {
        failure.note(std::current_exception());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  failure.rethrow();
  return result;
}

}  // namespace

TrainResult train(const TrainConfig& given, const TrainParts& parts, const TrainContext& context) {
  const TrainConfig config = completed(given);
  const int cores = config.threads > 0 ? static_cast<int>(config.threads) : cpu_budget().threads(1);
  const int ranks = ranks_in_process(config.strategy, context.world.size, cores);
  if (ranks > 1) return train_in_threads(config, parts, context, ranks);
  TrainResult result;
  tell_after_others([&] {
    const Group group = join(context.world, patience(config));
    if (context.joined) context.joined();
    result = train_rank(config, parts, context, group);
  });
  return result;
}

}  // namespace yoke
