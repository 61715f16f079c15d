// yoke/data/datasets/cifar10.cpp: CIFAR-10 (Krizhevsky 2009), its binary and its Python files.
#include <fmt/format.h>

#include "yoke/data/datasets/cifar_files.h"

namespace yoke {
namespace {

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

DatasetSplits load_cifar10(const DatasetInput& input, const NoOptions&) {
  return read_cifar(input, cifar10_info(),
                    {.binary = layout("cifar-10-batches-bin", ".bin"),
                     .pickled = layout("cifar-10-batches-py", ""),
                     .label_bytes = 1,
                     .labels = "labels"});
}

}  // namespace

DatasetPlugin cifar10_dataset() {
  return {no_options(), load_cifar10, DatasetTraits{.mirrors = true, .usual_crop = 4}};
}

}  // namespace yoke
