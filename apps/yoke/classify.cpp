// apps/yoke/classify.cpp: `yoke classify`, names for photos.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/contact_sheet.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/label_output.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/output_file.h"
#include "yoke/classify/classifier.h"
#include "yoke/classify/photo_files.h"
#include "yoke/classify/photo_list.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/threads.h"
#include "yoke/data/formats/jpeg_write.h"
#include "yoke/data/loader.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenPhotos {
  std::string model;
  std::vector<std::string> paths;
  std::size_t top = 3;
  bool json = false, csv = false;
  fs::path sheet;
  bool force = false;
  std::string tta = word_of(Views::kOne);
  std::string engine = word_of(EngineKind::kAuto);
  std::string precision = word_of(Precision::kFp32);
  std::int64_t batch_size = 64;
  std::int64_t threads = 0, loader_threads = 0;
};

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

ClassifierOptions options_of(const GivenPhotos& given, std::int64_t photos, int threads) {
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

LabelForm form_of(const GivenPhotos& given) {
  if (given.json) return LabelForm::kJson;
  return given.csv ? LabelForm::kCsv : LabelForm::kTable;
}

/// The class that the folder of a photo names, if the model has it.
std::string folder_of(const PhotoFiles& files, std::int64_t index, const Classifier& classifier) {
  const auto& classes = classifier.classes();
  const std::string& folder = files.folder(index);
  return std::find(classes.begin(), classes.end(), folder) == classes.end() ? "" : folder;
}

void write_sheet(const GivenPhotos& given, const std::vector<LabelledPhoto>& labelled,
                 const PhotoList& photos) {
  const auto& shape = photos.info().image;
  std::vector<std::uint8_t> scratch;
  const auto thumbnail = [&](std::size_t i) {
    return write_jpeg(photos.pixels(static_cast<std::int64_t>(i), scratch), shape);
  };
  write_file(given.sheet,
             contact_sheet(fmt::format("Photos labelled by {}", given.model), labelled, thumbnail));
}

int classify(const GivenPhotos& given) {
  const Stopwatch watch;
  if (!given.sheet.empty()) check_output("--sheet", given.sheet, given.force);
  const PhotoFiles files = find_photos(given.paths);
  std::int64_t threads = given.threads > 0 ? given.threads : threads_from_environment();
  if (threads == 0) threads = cpu_budget().threads(1);
  set_threads(static_cast<int>(threads));
  const Classifier classifier(given.model,
                              options_of(given, files.size(), static_cast<int>(threads)));
  const auto photos = std::make_shared<PhotoList>(files, classifier.data());
  const Sampler sampler(files.size(), std::min(given.batch_size, files.size()), /*rank=*/0,
                        /*ranks=*/1, /*seed=*/0, /*shuffle=*/false);
  const auto spare = static_cast<int>(std::max<std::int64_t>(1, threads / 2));
  Loader loader(
      photos, sampler, Transform(classifier.data(), Augmentation{}), /*seed=*/0,
      /*first_step=*/0, sampler.steps_per_epoch(),
      {.threads = given.loader_threads > 0 ? static_cast<int>(given.loader_threads) : spare});
  LabelOutput output(form_of(given), given.top, files);
  std::vector<LabelledPhoto> labelled;  // for the sheet
  std::int64_t index = 0;
  for (std::int64_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    const auto probabilities = classifier.probabilities(loader.next().input);
    for (std::int64_t row = 0; row < probabilities.size(0); ++row, ++index) {
      const bool decoded = photos->problem(index).empty();
      LabelledPhoto photo{
          .name = files.name(index),
          .folder = folder_of(files, index, classifier),
          .labels = decoded ? likeliest(probabilities[row], classifier.classes(), given.top)
                            : std::vector<Label>(),
          .problem = photos->problem(index)};
      output.add(photo);
      if (!given.sheet.empty()) labelled.push_back(std::move(photo));
    }
  }
  if (!given.sheet.empty()) write_sheet(given, labelled, *photos);
  return output.finish(watch.seconds());
}

}  // namespace

void add_classify_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("classify", "Label photos with a trained model");
  const auto given = std::make_shared<GivenPhotos>();
  command
      ->add_option("MODEL", given->model,
                   "A model.safetensors of 'yoke train', a run directory, or a checkpoint")
      ->type_name("PATH")
      ->required();
  command
      ->add_option("PATHS", given->paths,
                   "Photos, folders or tar files of them; - reads names from standard input, one "
                   "per line")
      ->type_name("PATH")
      ->required();
  command->add_option("--top", given->top, "Likeliest classes shown of each photo")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  auto* json = command->add_flag("--json", given->json, "Print a JSON object per line");
  command->add_flag("--csv", given->csv, "Print comma-separated values")->excludes(json);
  command
      ->add_option("--sheet", given->sheet,
                   "Also write a page with the photos and their labels: mistakes and the least "
                   "certain first")
      ->type_name("FILE.html");
  command->add_flag("--force", given->force, "Replace --sheet if it exists");
  command
      ->add_option("--tta", given->tta,
                   "Test-time augmentation: means over the image and its mirror image (flip), and "
                   "both moved by a pixel (flip-shift)")
      ->type_name(words_of<Views>("/"))
      ->capture_default_str();
  command
      ->add_option(as_flag(flag::kEngine), given->engine,
                   "What computes scores; auto compiles the model where there are photos enough")
      ->type_name(words_of<EngineKind>("/"))
      ->capture_default_str();
  command->add_option("--precision", given->precision, "Number format of the forward pass")
      ->type_name("fp32/bf16")
      ->capture_default_str();
  command->add_option(as_flag(flag::kBatchSize), given->batch_size, "Images per forward pass")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option(as_flag(flag::kThreads), given->threads, "Threads; 0 is one per core allowed")
      ->check(CLI::Range(std::int64_t{0}, kMostThreads))
      ->capture_default_str();
  command
      ->add_option("-j," + as_flag(flag::kLoaderThreads), given->loader_threads,
                   "Threads that decode photos; 0 chooses")
      ->check(CLI::Range(std::int64_t{0}, kMostThreads))
      ->capture_default_str();
  command->callback([given, &run] { run = [given] { return classify(*given); }; });
}

}  // namespace yoke
