// yoke/data/datasets/fashion_mnist.cpp: Fashion-MNIST (Xiao, Rasul and Vollgraf 2017,
// arXiv:1708.07747).
#include "yoke/data/datasets/idx_dataset.h"

namespace yoke {

DatasetPlugin fashion_mnist_dataset() {
  return {no_options(),
          [](const DatasetInput& input, const NoOptions&) {
            return load_idx_dataset(
                {.name = "fashion-mnist",
                 .image = {},
                 .class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal",
                                 "Shirt", "Sneaker", "Bag", "Ankle boot"},
                 .mean = {0.2860F},
                 .deviation = {0.3530F}},
                "FashionMNIST/raw", input.data_dir);
          },
          DatasetTraits{.mirrors = true, .usual_crop = 3}};
}

}  // namespace yoke
