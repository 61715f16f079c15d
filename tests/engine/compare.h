// tests/engine/compare.h: the compiled engine against the eager one.
#pragma once
#include <functional>
#include <string>

#include "yoke/engine/compiled.h"
#include "yoke/models/model.h"

namespace yoke::test {

/// How to compare.
struct Comparison {
  std::int64_t batch = 17;
  int replicas = 1;
  std::int64_t micro_batch = 0;
  Precision precision = Precision::kFp32;
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::kAuto;
  LossOptions loss = {.label_smoothing = 0.1};
  bool early_gradients = false;
  bool mixed = false;       ///< Whether each image is of two classes.
  double slack = 1;         ///< What "equal" allows is multiplied by this.
  std::int64_t images = 5;  ///< The seed of the images.
  bool cancels = false;     ///< Whether some gradients are sums that cancel.
};

/// Takes two steps of SGD with each engine, on models that `make` makes and that start equal, and
/// tells which losses, scores, gradients, buffers, weights or, afterwards, predictions are not
/// equal; empty where all are.
///
/// Equal means: no further apart than 2e-5 of a tensor's largest number (sums of some hundred
/// products in another order differ by some hundred roundings of 6e-8) plus three times what the
/// eager engine's own result moves at most, in three tries, when its weights are multiplied by
/// 1 + noise of 2e-6. The latter is for ReLUs and poolings whose choice hangs on a rounding, which
/// change a gradient by a jump; it is next to nothing in small networks. In bf16 both the fraction
/// and the noise are 2^-8, and tensors are compared by their norms.
///
/// A gradient that a batch norm after it takes back has nothing in it but roundings. Of a model
/// that `cancels`, a tensor that is next to nothing beside others of its module may be as far off
/// as these, and a fourth try is one in the precision that is compared.
std::string differences_from_eager(const std::function<Model()>& make,
                                   const Comparison& comparison);

/// Expects no differences.
void compare_with_eager(const std::function<Model()>& make, const Comparison& comparison);

/// Likewise for some batches, one that two replicas share, and in bf16 where there is any.
void compare_throughout(const std::function<Model()>& make, bool cancels = false);

}  // namespace yoke::test
