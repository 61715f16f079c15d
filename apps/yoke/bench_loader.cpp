// apps/yoke/bench_loader.cpp: `yoke bench loader`, the speed at which batches are made.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "apps/yoke/bench.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/samples.h"
#include "yoke/core/system/clock.h"
#include "yoke/data/loader.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/train/config/config.h"

namespace yoke {
namespace {

struct GivenLoader {
  std::string data = TrainConfig().data;
  std::string data_dir = "data";
  std::int64_t batch_size = 64;
  int loader_threads = 1;
  double seconds = 5;
  bool json = false;
};

/// What some time of making batches gave.
struct Measured {
  Samples samples;  ///< Waits for a batch.
  double images_per_second = 0;
};

Measured measure(Loader& loader, const GivenLoader& given) {
  // What is made ahead before the clock starts would count as made in no time.
  for (std::int64_t i = 0; i < LoaderOptions().prefetch + given.loader_threads; ++i) loader.next();
  constexpr std::size_t kLeast = 5;
  std::vector<double> milliseconds;
  std::int64_t images = 0;
  const Stopwatch total;
  while (total.seconds() < given.seconds || milliseconds.size() < kLeast) {
    const Stopwatch watch;
    images += loader.next().size();
    milliseconds.push_back(1e3 * watch.seconds());
  }
  const double seconds = total.seconds();
  return {Samples(std::move(milliseconds)), static_cast<double>(images) / seconds};
}

int bench_loader(const GivenLoader& given) {
  constexpr std::uint64_t kSeed = 1;
  const DatasetSplits data = make_dataset(given.data, {.data_dir = given.data_dir, .seed = kSeed});
  const Transform transform(data.train->info(), data.augmentation);
  const Sampler sampler(data.train->size(), given.batch_size, /*rank=*/0, /*ranks=*/1, kSeed,
                        /*shuffle=*/true);
  Loader loader(data.train, sampler, transform, kSeed, /*first_step=*/0,
                std::numeric_limits<std::int64_t>::max(), {.threads = given.loader_threads});
  const Measured measured = measure(loader, given);
  const double per_thread = measured.images_per_second / given.loader_threads;
  fmt::print("data    {}, {} training images, {}, batch {}\nloader  {} threads\n",
             data.train->info().name, data.train->size(), transform.output_shape().str(),
             given.batch_size, given.loader_threads);
  fmt::print("batch   {}\nspeed   {:.0f} images_per_second, {:.0f} per thread\n",
             measured.samples.str(), measured.images_per_second, per_thread);
  if (!given.json) return 0;
  nlohmann::ordered_json json = {{"data", given.data},
                                 {"images", data.train->size()},
                                 {key::kBatchSize, given.batch_size},
                                 {"loader_threads", given.loader_threads},
                                 {key::kImagesPerSecond, measured.images_per_second}};
  measured.samples.add_to(json);
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

void add_bench_loader_command(CLI::App& bench, Run& run) {
  auto* command = bench.add_subcommand(
      "loader", "Measure how fast training batches are read, decoded, augmented and normalised");
  const auto given = std::make_shared<GivenLoader>();
  command->add_option("--data", given->data, "Data set; see 'yoke list datasets'")
      ->type_name("DATASET[:k=v,...]")
      ->capture_default_str();
  command->add_option(as_flag(flag::kDataDir), given->data_dir, "Where data sets are")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option(as_flag(flag::kBatchSize), given->batch_size, "Images per batch")
      ->check(above_zero())
      ->capture_default_str();
  command
      ->add_option(as_flag(flag::kLoaderThreads), given->loader_threads,
                   "Threads that make batches")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--seconds", given->seconds, "How long to measure")
      ->check(above_zero())
      ->capture_default_str();
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] { run = [given] { return bench_loader(*given); }; });
}

}  // namespace yoke
