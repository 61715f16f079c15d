// yoke/train/class_weights.h: classes that count for more, in the loss or by how often they come.
#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "yoke/data/dataset.h"

namespace yoke {

/// What `text`, given to `flag`, says that each class weighs, fp32 [classes]; undefined where it is
/// empty. `balanced` gives all classes the same part of the whole: images / (classes * images of
/// the class), over the images of `train` and the classes that have any, as scikit-learn does; its
/// mean over images is 1. Anything else is a file with a line for each class, its name and a number
/// from 0, white space or a comma between them; a class that is not in it weighs 1.
/// @throws UsageError on a file that says anything else, and where all classes weigh 0.
torch::Tensor class_weights_of(const std::string& flag, const std::string& text,
                               const Dataset& train);

/// Of each image of `train` that of its class.
std::vector<double> weights_of_images(const torch::Tensor& class_weights, const Dataset& train);

/// What ranks must have in common of it: `text`, and of a file what is in it, for each rank reads
/// its own. @throws Error when the file cannot be read.
std::string class_weights_setting(const std::string& text);

}  // namespace yoke
