// apps/yoke/classify.cpp: `yoke classify`, names for photos.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/contact_sheet.h"
#include "apps/yoke/label_output.h"
#include "apps/yoke/output_file.h"
#include "apps/yoke/scoring.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/clock.h"
#include "yoke/data/formats/jpeg_write.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenPhotos {
  GivenScoring scoring;
  std::size_t top = 3;
  bool json = false, csv = false;
  fs::path sheet;
  bool force = false;
};

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

LabelledPhoto label_photo(const Scoring& scoring, std::int64_t index,
                          const torch::Tensor& probabilities, std::size_t top) {
  const std::string& problem = scoring.photos().problem(index);
  const Classifier& classifier = scoring.classifier();
  return {.name = scoring.files().name(index),
          .folder = folder_of(scoring.files(), index, classifier),
          .labels = problem.empty() ? likeliest(probabilities, classifier.classes(), top)
                                    : std::vector<Label>(),
          .problem = problem};
}

void write_sheet(const GivenPhotos& given, const std::vector<LabelledPhoto>& labelled,
                 const PhotoList& photos) {
  const auto& shape = photos.info().image;
  std::vector<std::uint8_t> scratch;
  const auto thumbnail = [&](std::size_t i) {
    return write_jpeg(photos.pixels(static_cast<std::int64_t>(i), scratch), shape);
  };
  write_file(given.sheet, contact_sheet(fmt::format("Photos labelled by {}", given.scoring.model),
                                        labelled, thumbnail));
}

int classify(const GivenPhotos& given) {
  const Stopwatch watch;
  if (!given.sheet.empty()) check_output("--sheet", given.sheet, given.force);
  const Scoring scoring(given.scoring);
  const auto loader = scoring.load();
  LabelOutput output(form_of(given), given.top, scoring.files());
  std::vector<LabelledPhoto> labelled;  // for the sheet
  std::int64_t index = 0;
  for (std::int64_t batch = 0; batch < scoring.batches(); ++batch) {
    const auto probabilities = scoring.classifier().probabilities(loader->next().input);
    for (std::int64_t row = 0; row < probabilities.size(0); ++row, ++index) {
      LabelledPhoto photo = label_photo(scoring, index, probabilities[row], given.top);
      output.add(photo);
      if (!given.sheet.empty()) labelled.push_back(std::move(photo));
    }
  }
  if (!given.sheet.empty()) write_sheet(given, labelled, scoring.photos());
  return output.finish(watch.seconds());
}

}  // namespace

void add_classify_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("classify", "Label photos with a trained model");
  const auto given = std::make_shared<GivenPhotos>();
  add_scoring_flags(*command, given->scoring);
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
  command->callback([given, &run] { run = [given] { return classify(*given); }; });
}

}  // namespace yoke
