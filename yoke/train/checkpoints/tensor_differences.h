// yoke/train/checkpoints/tensor_differences.h: how the tensors that a file holds differ from those
// of a model.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// What differs between tensors that should have the same names and forms.
class TensorDifferences {
 public:
  /// What must be equal of two tensors of a name, in words, e.g. "Float [5, 3]".
  using Describe = std::string (*)(const torch::Tensor& tensor);

  TensorDifferences(const NamedTensors& wanted, const NamedTensors& given, Describe describe);

  bool empty() const { return missing_.empty() && unexpected_.empty() && different_.empty(); }

  /// A line for each kind of difference, eight names at most in each.
  std::string text() const;

  /// The modules of all these tensors: their names up to the last dot.
  std::set<std::string> modules() const;

 private:
  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> different_;
  std::vector<std::string> changes_;  // of `different_`, in words
};

}  // namespace yoke
