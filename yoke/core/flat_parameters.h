// yoke/core/flat_parameters.h: all parameters of a module as one contiguous fp32 vector.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace yoke {

/// One parameter's place in the flat vector.
struct ParameterSlice {
  std::string name;                 ///< As in named_parameters(): `conv1.weight`.
  std::vector<std::int64_t> shape;  ///< Of the whole parameter, also in a part.
  std::int64_t offset = 0;          ///< In elements.
  std::int64_t elements = 0;
  std::int64_t begin = 0;  ///< In the whole parameter, before these.
  bool frozen = false;     ///< It did not require a gradient: no optimizer moves it.
  double lr_scale = 1;     ///< Its learning rate is so many times that of others; at least 0.
};

/// The parameters and gradients of a module, each one flat contiguous fp32 tensor [P] of which the
/// module's own tensors are views. The module must outlive no one: views keep the storage alive.
class FlatParameters {
 public:
  /// Makes zeros, fp32 [elements], for the gradients or values of a module on the CPU.
  using Allocate = std::function<torch::Tensor(std::int64_t elements)>;

  /// Moves the parameters of `module` into one tensor on their device, in the order of
  /// named_parameters(). @throws Error when a parameter is not fp32 or two share memory.
  explicit FlatParameters(torch::nn::Module& module, const Allocate& gradients = {},
                          const Allocate& values = {});

  /// Elements [begin, end) of both vectors, in place; of every slice what lies there, if only
  /// nothing, by its offset in the part.
  FlatParameters part(std::int64_t begin, std::int64_t end) const;

  /// The same numbers in memory of its own.
  FlatParameters clone() const;

  torch::Tensor& values() { return values_; }        ///< fp32 [P].
  torch::Tensor& gradients() { return gradients_; }  ///< fp32 [P].
  std::int64_t size() const { return values_.numel(); }
  const std::vector<ParameterSlice>& slices() const { return slices_; }
  /// Sets `lr_scale` of slice `i`, for optimizers that are made later.
  void set_lr_scale(std::size_t i, double scale) { slices_.at(i).lr_scale = scale; }

 private:
  FlatParameters() = default;

  torch::Tensor values_;
  torch::Tensor gradients_;
  std::vector<ParameterSlice> slices_;
};

}  // namespace yoke
