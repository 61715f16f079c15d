// yoke/data/datasets/mnist.cpp: MNIST (LeCun, Cortes and Burges 1998).
#include "yoke/data/datasets/idx_dataset.h"

namespace yoke {

DatasetPlugin mnist_dataset() {
  return {no_options(),
          [](const DatasetInput& input, const NoOptions&) {
            return load_idx_dataset(
                {.name = "mnist",
                 .image = {},
                 .class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
                 .mean = {0.1307F},
                 .deviation = {0.3081F}},
                "MNIST/raw", input.data_dir);
          },
          DatasetTraits{.usual_crop = 3}};
}

}  // namespace yoke
