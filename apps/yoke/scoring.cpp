#include "apps/yoke/scoring.h"

#include <algorithm>
#include <iostream>

#include "apps/yoke/environment.h"
#include "apps/yoke/number_flag.h"
#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

PhotoFiles find_photos(const std::vector<std::string>& paths) {
  PhotoFiles files;
  for (const auto& path : paths) {
    if (path != "-") {
      files.add(path);
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty()) files.add(line);
    }
  }
  if (files.size() == 0) {
    throw UsageError(
        "there are no photos in what is given; wanted are files, or folders or tar files with "
        ".jpg, .jpeg or .png files in them");
  }
  return files;
}

ClassifierOptions options_of(const GivenScoring& given, std::int64_t photos, int threads) {
  constexpr std::int64_t kWorthCompiling = 512;  // photos
  auto engine = parse_word<EngineKind>("--engine", given.engine);
  const auto precision = parse_word<Precision>("--precision", given.precision);
  if (engine == EngineKind::kAuto && precision == Precision::kFp32 && photos < kWorthCompiling) {
    engine = EngineKind::kEager;
  }
  return {.engine = engine,
          .precision = precision,
          .threads = threads,
          .views = parse_word<Views>("--tta", given.tta)};
}

int threads_of(const GivenScoring& given) {
  const std::int64_t threads = given.threads > 0 ? given.threads : threads_from_environment();
  return static_cast<int>(threads > 0 ? threads : cpu_budget().threads(1));
}

}  // namespace

Scoring::Scoring(const GivenScoring& given)
    : threads_(threads_of(given)),
      loader_threads_(given.loader_threads > 0 ? static_cast<int>(given.loader_threads)
                                               : std::max(1, threads_ / 2)),
      files_(find_photos(given.paths)) {
  set_threads(threads_);
  classifier_ =
      std::make_unique<Classifier>(given.model, options_of(given, files_.size(), threads_));
  photos_ = std::make_shared<PhotoList>(files_, classifier_->data());
  sampler_ = std::make_unique<Sampler>(files_.size(), std::min(given.batch_size, files_.size()),
                                       /*rank=*/0, /*ranks=*/1, /*seed=*/0, /*shuffle=*/false);
}

std::unique_ptr<Loader> Scoring::load() const {
  return std::make_unique<Loader>(
      photos_, *sampler_, Transform(classifier_->data(), Augmentation{}), /*seed=*/0,
      /*first_step=*/0, batches(), LoaderOptions{.threads = loader_threads_});
}

void add_scoring_flags(CLI::App& command, GivenScoring& given) {
  command
      .add_option("MODEL", given.model,
                  "A model.safetensors of 'yoke train', a run directory, or a checkpoint")
      ->type_name("PATH")
      ->required();
  command
      .add_option("PATHS", given.paths,
                  "Photos, folders or tar files of them; - reads names from standard input, one "
                  "per line")
      ->type_name("PATH")
      ->required();
  command
      .add_option("--tta", given.tta,
                  "Test-time augmentation: means over the image and its mirror image (flip), and "
                  "both moved by a pixel (flip-shift)")
      ->type_name(words_of<Views>("/"))
      ->capture_default_str();
  command
      .add_option(as_flag(flag::kEngine), given.engine,
                  "What computes scores; auto compiles the model where there are photos enough")
      ->type_name(words_of<EngineKind>("/"))
      ->capture_default_str();
  command.add_option("--precision", given.precision, "Number format of the forward pass")
      ->type_name("fp32/bf16")
      ->capture_default_str();
  command.add_option(as_flag(flag::kBatchSize), given.batch_size, "Images per forward pass")
      ->check(above_zero())
      ->capture_default_str();
  command.add_option(as_flag(flag::kThreads), given.threads, "Threads; 0 is one per core allowed")
      ->check(CLI::Range(std::int64_t{0}, kMostThreads))
      ->capture_default_str();
  command
      .add_option("-j," + as_flag(flag::kLoaderThreads), given.loader_threads,
                  "Threads that decode photos; 0 chooses")
      ->check(CLI::Range(std::int64_t{0}, kMostThreads))
      ->capture_default_str();
}

}  // namespace yoke
