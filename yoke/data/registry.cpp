// yoke/data/registry.cpp: the table of data sets, and the options that all of them have.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/subset.h"
#include "yoke/data/locate.h"

namespace yoke {

#define DATASET(id, help) DatasetPlugin id##_dataset();
#include "yoke/data/datasets.def"
#undef DATASET

namespace {

OptionTable<Augmentation> augmentation_options(bool flip) {
  using A = Augmentation;
  using Policy = AutoAugmentPolicy;
  return {
      {.flip = flip},
      {{kCrop, &A::crop, in(0, 1024),
        "random crop of training images after padding each side by so many black pixels"},
       {kFlip, &A::flip, "random left-right flip of training images"},
       {kAutoAugment,
        &A::auto_augment,
        {{kNoAutoAugment, Policy::kNone},
         {kTrivialAugmentWide, Policy::kTrivialAugmentWide},
         {"rand-augment", Policy::kRandAugment}},
        "training images are changed by random operations, after crop and flip, as torchvision's "
        "TrivialAugmentWide or RandAugment change them"},
       {"magnitude", &A::magnitude, in(0, kMagnitudeBins - 1),
        "with rand-augment, how strong its operations are"},
       {"num_ops", &A::num_ops, at_least(1),
        "with rand-augment, how many operations an image gets"},
       {kRandomErase, &A::random_erase, in(0, 1),
        "probability that a random rectangle of a training image is set to the mean"}}};
}

/// How many images of each split there are at most (0: all), and how rare classes are made.
struct Limits {
  std::int64_t train = 0;
  std::int64_t validation = 0;
  double imbalance = 1;
};

OptionTable<Limits> limit_options() {
  return {
      {"train_limit", &Limits::train, at_least(0),
       "only so many training images, of each class its share; 0: all"},
      {kValidationLimit, &Limits::validation, at_least(0), "likewise for validation"},
      {"imbalance", &Limits::imbalance, at_least(1),
       "training images of the first class for one of the last, whose images are left out as of "
       "those between (a long tail, Cui et al. 2019); 1: none are"}};
}

/// `chosen` with splits that `change` has seen.
void change_splits(DatasetPlugin::Chosen& chosen, std::function<void(DatasetSplits&)> change) {
  chosen.make = [make = chosen.make, change = std::move(change)](const DatasetInput& input) {
    DatasetSplits splits = make(input);
    change(splits);
    return splits;
  };
}

void limit(const Limits& limits, DatasetSplits& splits) {
  if (limits.train > 0) splits.train = limited(splits.train, limits.train);
  splits.train = long_tailed(splits.train, limits.imbalance);
  if (limits.validation > 0) splits.validation = limited(splits.validation, limits.validation);
}

DatasetPlugin with_common_options(const DatasetPlugin& plugin) {
  Options none;
  return plugin
      .with(augmentation_options(plugin.read(none).traits.flip),
            [](DatasetPlugin::Chosen& chosen, const Augmentation& augmentation) {
              change_splits(chosen, [=](auto& splits) { splits.augmentation = augmentation; });
            })
      .with(limit_options(), [](DatasetPlugin::Chosen& chosen, const Limits& limits) {
        change_splits(chosen, [=](auto& splits) { limit(limits, splits); });
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
