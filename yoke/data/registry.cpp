// yoke/data/registry.cpp: the table of data sets, and the options that all of them have.
#include <fmt/format.h>

#include <limits>

#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/locate.h"
#include "yoke/data/subset.h"

namespace yoke {

#define DATASET(id, help) DatasetSplits make_##id(const DatasetInput& input, Options& options);
#include "yoke/data/datasets.def"
#undef DATASET

namespace {

void apply_common_options(DatasetSplits& splits, Options& options) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  splits.augmentation.crop = options.get("crop", std::int64_t{0}, 0, 1024);
  splits.augmentation.flip = options.get("flip", splits.augmentation.flip);
  const std::int64_t train_limit = options.get("train_limit", std::int64_t{0}, 0, kMost);
  const std::int64_t validation_limit = options.get("validation_limit", std::int64_t{0}, 0, kMost);
  if (train_limit > 0) splits.train = first_images(splits.train, train_limit);
  if (validation_limit > 0) splits.validation = first_images(splits.validation, validation_limit);
}

}  // namespace

const Registry<MakeDataset>& datasets() {
  static const Registry<MakeDataset> registry("data set", {
#define DATASET(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/data/datasets.def"
#undef DATASET
                                                          });
  return registry;
}

DatasetSplits make_dataset(std::string_view text, const DatasetInput& input) {
  Choice choice = Choice::parse(text, datasets().kind());
  const auto& entry = datasets().find(choice.name);
  DatasetSplits splits;
  try {
    splits = entry.make(input, choice.options);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string command = fetch_command(entry.name, input.data_dir);
    if (command.empty()) throw;
    throw Error(
        fmt::format("{}; remove what is damaged, then `{}` gets it afresh", error.what(), command));
  }
  apply_common_options(splits, choice.options);
  choice.options.finish();
  return splits;
}

}  // namespace yoke
