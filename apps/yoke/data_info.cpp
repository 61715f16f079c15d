#include "apps/yoke/data_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "yoke/core/format.h"
#include "yoke/data/statistics.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

/// What is printed of a data set.
struct Report {
  DatasetInfo info;
  DatasetStatistics train;
  DatasetStatistics validation;
  std::optional<std::int64_t> damaged;  ///< Files; nothing where images are held in memory.

  std::int64_t size_bytes() const { return train.pixel_bytes + validation.pixel_bytes; }
};

template <typename Number>
std::string list(const std::vector<Number>& values) {
  std::string text;
  for (const Number value : values) text += fmt::format("{}{:.4f}", text.empty() ? "" : " ", value);
  return text;
}

void print_table(const Report& report) {
  const auto& info = report.info;
  fmt::print("data set     {}\n", info.name);
  fmt::print("train        {} images\n", report.train.images);
  fmt::print("validation   {} images\n", report.validation.images);
  fmt::print("image        {} (channels x height x width)\n", info.image.str());
  if (report.damaged) {
    fmt::print("damaged      {} files, for which others stand in\n", *report.damaged);
  } else {
    fmt::print("memory       {}\n", format_bytes(report.size_bytes()));
  }
  fmt::print("mean         {}  (training pixels in [0, 1], per channel; {} is subtracted)\n",
             list(report.train.mean), list(info.mean));
  fmt::print("deviation    {}  (likewise; {} divides)\n", list(report.train.deviation),
             list(info.deviation));
  std::size_t width = 5;
  for (const auto& name : info.class_names) width = std::max(width, name.size());
  fmt::print("\n{:<{}}  {:>8}  {:>10}\n", "class", width, "train", "validation");
  for (std::size_t index = 0; index < info.class_names.size(); ++index) {
    fmt::print("{:<{}}  {:>8}  {:>10}\n", info.class_names[index], width,
               report.train.class_counts[index], report.validation.class_counts[index]);
  }
}

void print_json(const Report& report) {
  const auto& info = report.info;
  const auto split = [](const DatasetStatistics& statistics) {
    return nlohmann::ordered_json{{"images", statistics.images},
                                  {"class_counts", statistics.class_counts}};
  };
  nlohmann::ordered_json object = {
      {"name", info.name},
      {"image", {info.image.channels, info.image.height, info.image.width}},
      {"classes", info.class_names},
      {"train", split(report.train)},
      {"validation", split(report.validation)},
      {"mean", report.train.mean},
      {"deviation", report.train.deviation},
      {"normalise_mean", info.mean},
      {"normalise_deviation", info.deviation},
      {"size_bytes", report.size_bytes()}};
  if (report.damaged) object[key::kDamagedImages] = *report.damaged;
  fmt::print("{}\n", object.dump());
}

}  // namespace

void print_data_info(const std::string& text, const DatasetInput& input, bool json) {
  const DatasetSplits splits = make_dataset(text, input);
  Report report{.info = splits.train->info(),
                .train = measure(*splits.train),
                .validation = measure(*splits.validation),
                .damaged = {}};
  if (splits.damage) {
    for (const auto& line : splits.damage->take_lines()) fmt::print("{}\n", line);
    report.damaged = splits.damage->count();
  }
  print_table(report);
  if (json) print_json(report);
}

}  // namespace yoke
