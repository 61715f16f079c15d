// yoke/data/datasets/downsampled_imagenet.cpp: ImageNet's images at 32x32 and 64x64 (Chrabaszcz,
// Loshchilov and Hutter 2017, "A downsampled variant of ImageNet as an alternative to the CIFAR
// datasets").
#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/datasets/pickled_batch.h"
#include "yoke/data/datasets/split_cache.h"
#include "yoke/data/locate.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr int kTrainFiles = 10;

/// The official archives unpack side by side, or one into the other's folder.
DatasetLayout layout(const std::string& name, std::int64_t side) {
  DatasetLayout layout{.folder = name, .files = {}};
  for (int i = 1; i <= kTrainFiles; ++i) {
    const std::string file = fmt::format("train_data_batch_{}", i);
    layout.files.push_back({file, fmt::format("Imagenet{}_train/{}", side, file)});
  }
  layout.files.push_back({"val_data", fmt::format("Imagenet{}_val/val_data", side)});
  return layout;
}

std::vector<std::string> numbers_as_names() {
  std::vector<std::string> names;
  for (int label = 1; label <= 1000; ++label) names.push_back(std::to_string(label));
  return names;
}

/// Of the lines `wnid label name`, labels 1, 2, ... in any order.
std::vector<std::string> read_class_names(const fs::path& path) {
  std::istringstream text(read_file(path));
  std::vector<std::pair<std::size_t, std::string>> classes;
  std::size_t label = 0;
  for (std::string line, wnid, name; std::getline(text, line);) {
    std::istringstream words(line);
    if (!(words >> wnid)) continue;
    if (!(words >> label >> name)) {
      throw Error(
          fmt::format("{}: the line '{}' is not `wnid label name`, as in 'n02119789 1 "
                      "kit_fox'; without this file classes are called by their numbers",
                      path.string(), line));
    }
    classes.emplace_back(label, name);
  }
  std::vector<std::string> names(classes.size());
  for (auto& [number, name] : classes) {
    if (number < 1 || number > names.size() || !names[number - 1].empty()) {
      throw Error(
          fmt::format("{}: label {} is given twice or is not in [1, {}], the number of "
                      "lines; without this file classes are called by their numbers",
                      path.string(), number, names.size()));
    }
    names[number - 1] = std::move(name);
  }
  return names;
}

DatasetInfo make_info(const std::string& name, std::int64_t side, const fs::path& beside) {
  const fs::path names = beside.parent_path() / "map_clsloc.txt";
  return {.name = name,
          .image = {.channels = 3, .height = side, .width = side},
          .class_names = fs::exists(names) ? read_class_names(names) : numbers_as_names(),
          .mean = {0.4810F, 0.4574F, 0.4078F},
          .deviation = {0.2605F, 0.2533F, 0.2684F}};
}

void append(const fs::path& path, const DatasetInfo& info, ImageBatch& batch) {
  append_pickled_batch(path, info.image, info.classes(), {.first = 1}, batch);
}

std::shared_ptr<const Dataset> read_split(std::span<const fs::path> paths, DatasetInfo info) {
  ImageBatch batch;
  std::uintmax_t bytes = 0;
  for (const auto& path : paths) bytes += fs::file_size(path);
  batch.pixels.reserve(bytes);  // growing would need the memory twice
  for (const auto& path : paths) append(path, info, batch);
  return std::make_shared<InMemoryDataset>(std::move(info), std::move(batch.pixels),
                                           std::move(batch.labels));
}

struct DownsampledOptions {
  std::string cache = {};
};

OptionTable<DownsampledOptions> downsampled_options() {
  return {{"cache", &DownsampledOptions::cache,
           "folder for the images as one file, which all ranks of a host share"}};
}

DatasetSplits load(const std::string& name, std::int64_t side, const DatasetInput& input,
                   const DownsampledOptions& options) {
  const std::vector<DatasetLayout> layouts = {layout(name, side)};
  const auto found = locate(name, layouts, input.data_dir);
  const DatasetInfo info = make_info(name, side, found.paths.back());
  const auto read = [&](std::span<const fs::path> paths) {
    if (options.cache.empty()) return read_split(paths, info);
    return cached_split(options.cache, paths, info, [&](const fs::path& path, ImageBatch& batch) {
      append(path, info, batch);
    });
  };
  const std::span<const fs::path> paths = found.paths;
  return {.train = read(paths.first(kTrainFiles)), .validation = read(paths.last(1))};
}

DatasetPlugin plugin(const std::string& name, std::int64_t side) {
  return {downsampled_options(),
          [name, side](const DatasetInput& input, const DownsampledOptions& options) {
            return load(name, side, input, options);
          },
          DatasetTraits{.mirrors = true, .usual_crop = side / 8}};
}

}  // namespace

DatasetPlugin imagenet32_dataset() { return plugin("imagenet32", 32); }

DatasetPlugin imagenet64_dataset() { return plugin("imagenet64", 64); }

}  // namespace yoke
