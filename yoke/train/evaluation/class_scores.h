// yoke/train/evaluation/class_scores.h: accuracies in which each class counts as much as another,
// however many images it has.
#pragma once
#include <torch/types.h>

#include <vector>

namespace yoke {

/// Mean of `per_class_accuracy`, the recall of each class, over the classes that have images; NaN
/// marks one without. As scikit-learn's balanced_accuracy_score; NaN where no class has images.
double balanced_accuracy(const std::vector<double>& per_class_accuracy);

/// Mean over classes of F1 = 2 P R / (P + R), of precision P and recall R: twice the right answers
/// by the images of the class and those taken for it. Over the classes that occur among truths or
/// predictions, so one that has no image but is predicted counts as 0, as in scikit-learn's
/// f1_score(average='macro'). `confusion` is int64 [classes, classes] with true classes as rows;
/// NaN where it holds no image.
double macro_f1(const torch::Tensor& confusion);

}  // namespace yoke
