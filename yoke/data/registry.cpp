// yoke/data/registry.cpp: the table of data sets, and the options that all of them have.
#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/subset.h"
#include "yoke/data/locate.h"

namespace yoke {

#define DATASET(id, help) DatasetPlugin id##_dataset();
#include "yoke/data/datasets.def"
#undef DATASET

namespace {

/// What every data set has.
struct CommonOptions {
  std::int64_t crop = 0;
  bool flip = false;
  std::int64_t train_limit = 0;
  std::int64_t validation_limit = 0;
};

OptionTable<CommonOptions> common_options(bool flip) {
  using O = CommonOptions;
  return {{.flip = flip},
          {{"crop", &O::crop, in(0, 1024),
            "random crop of training images after padding each side by so many black pixels"},
           {"flip", &O::flip, "random left-right flip of training images"},
           {"train_limit", &O::train_limit, at_least(0),
            "only the first so many training images; 0: all"},
           {kValidationLimit, &O::validation_limit, at_least(0), "likewise for validation"}}};
}

DatasetPlugin with_common_options(const DatasetPlugin& plugin) {
  Options none;
  const bool flip = plugin.read(none).traits.flip;
  return plugin.with(
      common_options(flip), [](DatasetPlugin::Chosen& chosen, const CommonOptions& options) {
        chosen.make = [make = chosen.make, options](const DatasetInput& input) {
          DatasetSplits splits = make(input);
          splits.augmentation = {.crop = options.crop, .flip = options.flip};
          if (options.train_limit > 0) {
            splits.train = first_images(splits.train, options.train_limit);
          }
          if (options.validation_limit > 0) {
            splits.validation = first_images(splits.validation, options.validation_limit);
          }
          return splits;
        };
      });
}

}  // namespace

const Registry<DatasetPlugin>& datasets() {
  static const Registry<DatasetPlugin> registry("data set", {
#define DATASET(id, help) {plugin_name(#id), help, with_common_options(id##_dataset())},
#include "yoke/data/datasets.def"
#undef DATASET
                                                            });
  return registry;
}

DatasetSplits make_dataset(std::string_view text, const DatasetInput& input) {
  const auto chosen = datasets().choose(text);
  try {
    return chosen.make(input);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string name = Choice::parse(text, datasets().kind()).name;
    const std::string command = fetch_command(name, input.data_dir);
    if (command.empty()) throw;
    throw Error(
        fmt::format("{}; remove what is damaged, then `{}` gets it afresh", error.what(), command));
  }
}

}  // namespace yoke
