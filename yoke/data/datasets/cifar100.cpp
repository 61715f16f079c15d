// yoke/data/datasets/cifar100.cpp: CIFAR-100 (Krizhevsky 2009) with its 100 fine classes.
#include "yoke/data/datasets/cifar_files.h"

namespace yoke {
namespace {

DatasetInfo cifar100_info() {
  return {.name = "cifar100",
          .image = {.channels = 3, .height = 32, .width = 32},
          .class_names = {"apple",    "aquarium_fish", "baby",       "bear",         "beaver",
                          "bed",      "bee",           "beetle",     "bicycle",      "bottle",
                          "bowl",     "boy",           "bridge",     "bus",          "butterfly",
                          "camel",    "can",           "castle",     "caterpillar",  "cattle",
                          "chair",    "chimpanzee",    "clock",      "cloud",        "cockroach",
                          "couch",    "crab",          "crocodile",  "cup",          "dinosaur",
                          "dolphin",  "elephant",      "flatfish",   "forest",       "fox",
                          "girl",     "hamster",       "house",      "kangaroo",     "keyboard",
                          "lamp",     "lawn_mower",    "leopard",    "lion",         "lizard",
                          "lobster",  "man",           "maple_tree", "motorcycle",   "mountain",
                          "mouse",    "mushroom",      "oak_tree",   "orange",       "orchid",
                          "otter",    "palm_tree",     "pear",       "pickup_truck", "pine_tree",
                          "plain",    "plate",         "poppy",      "porcupine",    "possum",
                          "rabbit",   "raccoon",       "ray",        "road",         "rocket",
                          "rose",     "sea",           "seal",       "shark",        "shrew",
                          "skunk",    "skyscraper",    "snail",      "snake",        "spider",
                          "squirrel", "streetcar",     "sunflower",  "sweet_pepper", "table",
                          "tank",     "telephone",     "television", "tiger",        "tractor",
                          "train",    "trout",         "tulip",      "turtle",       "wardrobe",
                          "whale",    "willow_tree",   "wolf",       "woman",        "worm"},
          .mean = {0.5071F, 0.4865F, 0.4409F},
          .deviation = {0.2673F, 0.2564F, 0.2762F}};
}

DatasetSplits load_cifar100(const DatasetInput& input, const NoOptions&) {
  return read_cifar(
      input, cifar100_info(),
      {.binary = {.folder = "cifar-100-binary", .files = {{"train.bin"}, {"test.bin"}}},
       .pickled = {.folder = "cifar-100-python", .files = {{"train"}, {"test"}}},
       .label_bytes = 2,  // one of the 20 coarse classes before that of the fine
       .labels = "fine_labels"});
}

}  // namespace

DatasetPlugin cifar100_dataset() {
  return {no_options(), load_cifar100, DatasetTraits{.mirrors = true, .usual_crop = 4}};
}

}  // namespace yoke
