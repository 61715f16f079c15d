// yoke/data/datasets/cifar10.cpp: CIFAR-10 (Krizhevsky 2009), its binary and its Python files.
#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/datasets/pickled_batch.h"
#include "yoke/data/formats/gzip.h"
#include "yoke/data/locate.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBinaryBytes = std::int64_t{1} << 30;

DatasetInfo cifar10_info() {
  return {.name = "cifar10",
          .image = {.channels = 3, .height = 32, .width = 32},
          .class_names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
                          "ship", "truck"},
          .mean = {0.4914F, 0.4822F, 0.4465F},
          .deviation = {0.2470F, 0.2435F, 0.2616F}};
}

DatasetLayout layout(const char* folder, const std::string& extension) {
  DatasetLayout layout{.folder = folder, .files = {}};
  for (int i = 1; i <= 5; ++i) {
    layout.files.push_back({fmt::format("data_batch_{}{}", i, extension)});
  }
  layout.files.push_back({"test_batch" + extension});
  return layout;
}

using AppendBatch = void (*)(const fs::path& path, const DatasetInfo& info, ImageBatch& batch);

/// Records of a label and the red, green and blue plane.
void append_binary(const fs::path& path, const DatasetInfo& info, ImageBatch& batch) {
  const std::string bytes = read_plain_or_gzip(path, kMostBinaryBytes);
  const auto elements = static_cast<std::size_t>(info.image.elements());
  const std::size_t record = 1 + elements;
  if (bytes.empty() || bytes.size() % record != 0) {
    throw Error(
        fmt::format("{} has {} bytes, no whole number of records of {}; it is cut short or "
                    "no CIFAR-10 file",
                    path.string(), bytes.size(), record));
  }
  std::vector<std::int64_t> labels;
  batch.pixels.reserve(batch.pixels.size() + bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    labels.push_back(static_cast<unsigned char>(bytes[at]));
    const auto image = std::string_view(bytes).substr(at + 1, elements);
    batch.pixels.insert(batch.pixels.end(), image.begin(), image.end());
  }
  check_labels(labels, info.classes(), path.string());
  batch.labels.insert(batch.labels.end(), labels.begin(), labels.end());
}

void append_python(const fs::path& path, const DatasetInfo& info, ImageBatch& batch) {
  append_pickled_batch(path, info.image, info.classes(), 0, batch);
}

std::shared_ptr<const Dataset> read_split(std::span<const fs::path> paths, AppendBatch append) {
  DatasetInfo info = cifar10_info();
  ImageBatch batch;
  for (const auto& path : paths) append(path, info, batch);
  return std::make_shared<InMemoryDataset>(std::move(info), std::move(batch.pixels),
                                           std::move(batch.labels));
}

DatasetSplits load_cifar10(const DatasetInput& input, const NoOptions&) {
  const std::vector<DatasetLayout> layouts = {layout("cifar-10-batches-bin", ".bin"),
                                              layout("cifar-10-batches-py", "")};
  const auto found = locate("cifar10", layouts, input.data_dir);
  const AppendBatch append = found.layout == 0 ? append_binary : append_python;
  const std::span<const fs::path> paths = found.paths;
  return {.train = read_split(paths.first(5), append),
          .validation = read_split(paths.last(1), append)};
}

}  // namespace

DatasetPlugin cifar10_dataset() {
  return {no_options(), load_cifar10, DatasetTraits{.mirrors = true, .usual_crop = 4}};
}

}  // namespace yoke
