// yoke/data/datasets/cifar_files.h: the files of CIFAR-10 and CIFAR-100 (Krizhevsky 2009).
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "yoke/data/dataset.h"
#include "yoke/data/locate.h"

namespace yoke {

/// Where images and labels of one of the two are.
struct CifarFiles {
  DatasetLayout binary;     ///< Files of training, and last that of validation.
  DatasetLayout pickled;    ///< Of Python, likewise.
  std::size_t label_bytes;  ///< Before the pixels of a binary record; the last is the class.
  std::string labels;       ///< Key of the classes in the pickled dict.
};

/// Reads the binary or the pickled files, whichever are there.
DatasetSplits read_cifar(const DatasetInput& input, const DatasetInfo& info,
                         const CifarFiles& files);

}  // namespace yoke
