#include "apps/yoke/training_times.h"

#include <algorithm>

#include "apps/yoke/random_batch.h"
#include "apps/yoke/samples.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/files/temporary_folder.h"
#include "yoke/core/system/clock.h"
#include "yoke/forecast/stragglers.h"
#include "yoke/report/machine/process_usage.h"
#include "yoke/train/config/mixing.h"
#include "yoke/train/trainer.h"

namespace yoke {
namespace {

/// Takes steps that leave the weights next to unchanged, so that the loss stays finite.
TrainConfig step_config(TrainConfig config, std::int64_t images) {
  config.batch_size = images;
  config.batch_size_per_rank.reset();
  config.epochs.reset();
  config.max_steps = 1'000'000'000;
  config.lr = 1e-6;
  config.schedule = "constant";
  config.strategy = "allreduce";
  return config;
}

forecast::BatchTimes to_times(std::vector<double> milliseconds, double mean, double data_wait) {
  const double spread = forecast::spread_of_samples(milliseconds);
  const Samples samples(std::move(milliseconds));
  return {.images = 0,
          .samples = static_cast<std::int64_t>(samples.count()),
          .mean = mean,
          .lower = samples.quantile(0.25) / 1e3,
          .upper = samples.quantile(0.75) / 1e3,
          .spread = spread,
          .data_wait = data_wait,
          .gradient = 0,
          .memory_bytes = process_usage().rss_bytes};
}

forecast::BatchTimes measure_steps(Trainer& trainer, double seconds, Communicator& ranks) {
  constexpr int kWarmUp = 3;
  constexpr std::size_t kLeast = 5;
  trainer.begin();
  for (int i = 0; i < kWarmUp; ++i) trainer.run(trainer.state().step + 1);
  trainer.check_loss();
  ranks.all_reduce(torch::zeros({1}));  // all begin together
  std::vector<double> milliseconds;
  const double waited = trainer.state().data_wait_seconds;
  const Stopwatch total;
  while (milliseconds.size() < kLeast || total.seconds() < seconds) {
    const Stopwatch watch;
    trainer.run(trainer.state().step + 1);
    trainer.check_loss();  // which on a GPU waits for the step
    milliseconds.push_back(1e3 * watch.seconds());
  }
  const auto count = static_cast<double>(milliseconds.size());
  const double mean = total.seconds() / count;
  return to_times(std::move(milliseconds), mean,
                  (trainer.state().data_wait_seconds - waited) / count);
}

/// Seconds of a gradient, and the fraction of them after which each parameter's part is final.
struct GradientTimes {
  double seconds = 0;
  std::vector<double> ready;
};

GradientTimes measure_gradient(Workload& workload, std::int64_t images) {
  constexpr int kRepetitions = 5;
  const auto& slices = workload.parameters.slices();
  const Batch batch =
      random_batch(images, workload.model.input, workload.data.train->info().classes());
  GradientTimes times{.seconds = 0, .ready = std::vector<double>(slices.size())};
  for (int i = -1; i < kRepetitions; ++i) {  // the first does not count
    std::vector<double> seconds(slices.size());
    const Stopwatch watch;
    workload.engine.engine->gradient(
        batch, {.seed = 1, .step = i + 1}, [&](std::int64_t begin, std::int64_t end) {
          for (std::size_t s = 0; s < slices.size(); ++s) {
            const bool meets =
                slices[s].offset < end && slices[s].offset + slices[s].elements > begin;
            if (meets) seconds[s] = watch.seconds();
          }
        });
    const double all = watch.seconds();
    if (i < 0) continue;
    times.seconds += all / kRepetitions;
    for (std::size_t s = 0; s < slices.size(); ++s)
      times.ready[s] += seconds[s] / all / kRepetitions;
  }
  return times;
}

double measure_loader(const Workload& workload, const TrainConfig& config, double seconds) {
  const Sampler sampler(workload.data.train->size(), config.batch_size, 0, 1, config.seed, true);
  Loader loader(workload.data.train, sampler,
                Transform(workload.data.train->info(), workload.data.augmentation), config.seed, 0,
                *config.max_steps, workload.loader, mixing_of(config));
  loader.next();
  double images = 0;
  const Stopwatch watch;
  do {
    images += static_cast<double>(loader.next().size());
  } while (watch.seconds() < seconds);
  return images / watch.seconds();
}

std::int64_t bytes_of(const NamedTensors& tensors) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

/// Medians of three.
void measure_checkpoints(Trainer& trainer, forecast::Calibration& found) {
  const TemporaryFolder folder;
  std::vector<double> pauses, writes;
  for (int i = 1; i <= 3; ++i) {
    Stopwatch watch;
    Checkpoint checkpoint = trainer.checkpoint({});
    pauses.push_back(1e3 * watch.lap());
    checkpoint.step = i;
    found.optimizer_state_bytes = bytes_of(checkpoint.optimizer);
    found.checkpoint.bytes = bytes_of(checkpoint.model) + found.optimizer_state_bytes;
    watch.lap();
    write_checkpoint(folder.path(), checkpoint);
    writes.push_back(1e3 * watch.seconds());
  }
  found.checkpoint.pause = Samples(pauses).p50() / 1e3;
  found.checkpoint.write = Samples(writes).p50() / 1e3;
}

}  // namespace

std::vector<std::int64_t> images_to_measure(std::int64_t most, std::int64_t least) {
  const std::int64_t fewest = std::min<std::int64_t>(most, 2);
  std::vector<std::int64_t> images = {std::max(fewest, std::min(least, most / 64))};
  for (const std::int64_t divisor : {64, 16, 4, 2, 1}) {
    const std::int64_t part = std::max(most / divisor, fewest);
    if (part > images.back()) images.push_back(part);
  }
  return images;
}

forecast::Calibration measure_training(const TrainConfig& config,
                                       const std::vector<std::int64_t>& images, double seconds,
                                       Communicator& ranks) {
  Workload workload(config, config.threads, {}, {}, {}, /*early_gradients=*/true);
  const auto single = make_communicator("single");
  forecast::Calibration found;
  found.train_images = workload.data.train->size();
  for (const auto& slice : workload.parameters.slices()) found.parameters.push_back(slice.elements);
  forecast::Layout layout{.ranks = ranks.size(), .threads = static_cast<int>(config.threads)};
  std::int64_t most = 0;
  for (const std::int64_t count : images) {
    if (count > found.train_images) break;
    most = count;
    const TrainConfig own = step_config(config, count);
    {
      Trainer trainer(own, workload, *single);
      layout.batches.push_back(measure_steps(trainer, seconds, ranks));
    }
    const GradientTimes gradient = measure_gradient(workload, count);
    layout.batches.back().images = count;
    layout.batches.back().gradient = gradient.seconds;
    layout.ready = gradient.ready;
  }
  if (most == 0) {
    throw UsageError(fmt::format("the data set has {} training images; give fewer images a step",
                                 found.train_images));
  }
  const TrainConfig own = step_config(config, most);
  found.loader_images_per_second = measure_loader(workload, own, seconds / 2);
  if (ranks.rank() == 0) {
    Trainer trainer(own, workload, *single);
    trainer.begin();
    trainer.run(trainer.state().step + 1);
    measure_checkpoints(trainer, found);
  }
  ranks.all_reduce(torch::zeros({1}));  // nobody leaves while others measure
  found.layouts.push_back(std::move(layout));
  return found;
}

}  // namespace yoke
