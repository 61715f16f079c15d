// apps/yoke/bench_training.cpp: `yoke bench training`, the steps of a training with its loader, as
// each rank of a host takes them by itself.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/bench.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/given_config.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/training_times.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/join.h"
#include "yoke/core/format.h"
#include "yoke/core/system/threads.h"
#include "yoke/forecast/calibration_file.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/cores.h"
#include "yoke/train/run_length.h"

namespace yoke {
namespace {

struct GivenTimes {
  GivenConfig config;
  std::vector<std::int64_t> images;
  double seconds = 1;
  bool json = false;
};

void print(const forecast::Calibration& found) {
  const forecast::Layout& layout = found.layouts.front();
  fmt::print(
      "{} beside each other, {} each\n{:>7} {:>9} {:>9} {:>9} {:>9} {:>9} ms "
      "{:>7} {:>12} {:>9}\n",
      format_count(layout.ranks, "rank"), format_count(layout.threads, "thread"), "images", "mean",
      "p25", "p75", "data wait", "gradient", "samples", "images/s", "memory");
  for (const auto& batch : layout.batches) {
    fmt::print("{:>7} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:9.3f}    {:>7} {:>12.0f} {:>9}\n",
               batch.images, 1e3 * batch.mean, 1e3 * batch.lower, 1e3 * batch.upper,
               1e3 * batch.data_wait, 1e3 * batch.gradient, batch.samples,
               static_cast<double>(batch.images) / batch.mean, format_bytes(batch.memory_bytes));
  }
  fmt::print("loader      {:.0f} images_per_second alone\n", found.loader_images_per_second);
  fmt::print("checkpoint  {}; the run waits {:.1f} ms, the disk takes {:.1f} ms\n",
             format_bytes(found.checkpoint.bytes), 1e3 * found.checkpoint.pause,
             1e3 * found.checkpoint.write);
}

int bench_training(const GivenTimes& given) {
  TrainConfig config = resolve(given.config);
  if (config.threads == 0) config.threads = threads_from_environment();
  const Group group = join(world_from_environment());
  const CoreShare share = share_cores(group, cpu_budget(), config.threads);
  if (group.size > 1) pin_to(share.cores);
  set_threads(share.threads);
  config.threads = share.threads;
  const auto ranks = make_communicator("auto", group);
  auto images = given.images;
  const std::int64_t most = global_batch_sizes(config, 1).all().back();
  if (images.empty()) images = images_to_measure(most, most);
  std::sort(images.begin(), images.end());
  const auto found = measure_training(config, images, given.seconds, *ranks);
  if (group.rank != 0) return 0;
  print(found);
  if (given.json) fmt::print("{}\n", forecast::to_json(found).dump());
  return 0;
}

}  // namespace

void add_bench_training_command(CLI::App& bench, Run& run) {
  auto* command = bench.add_subcommand("training",
                                       "Measure the steps of a training with its loader, of each "
                                       "rank by itself; several ranks beside "
                                       "each other with 'yoke run -np N bench training'");
  const auto given = std::make_shared<GivenTimes>();
  add_config_flags(*command, given->config, flags_that_are(kStepCost));
  command
      ->add_option("--images", given->images,
                   "Images a step, each measured (--batch-size, its half, quarter, ...)")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(above_zero());
  command->add_option("--seconds", given->seconds, "For each number of images, about")
      ->check(above_zero())
      ->capture_default_str();
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] { run = [given] { return bench_training(*given); }; });
}

}  // namespace yoke
