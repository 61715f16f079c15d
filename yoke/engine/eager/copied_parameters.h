// yoke/engine/eager/copied_parameters.h: parameters of a copy of a model, in other numbers or in
// another order than the flat ones.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "yoke/core/flat_parameters.h"

namespace yoke {

/// How parameters are copied.
struct CopyFormat {
  torch::ScalarType type = torch::kFloat32;  ///< That the copy computes in.
  /// Of `type` or narrower: what numbers, and their gradients, are rounded to.
  torch::ScalarType rounded_to = torch::kFloat32;
  /// Of those with four dimensions.
  torch::MemoryFormat order = torch::MemoryFormat::Contiguous;
};

/// By the order of parameters, which of them are those of modules that `chosen` holds for.
std::vector<bool> parameters_in(const torch::nn::Module& module,
                                const std::function<bool(const torch::nn::Module&)>& chosen);

/// Gives some parameters of a module memory of their own; all others become the flat ones.
class CopiedParameters {
 public:
  /// `module` is a copy of the one that `masters` are of; `copied` says which of its parameters, by
  /// their order, get memory of their own. `masters` must outlive this.
  CopiedParameters(torch::nn::Module& module, FlatParameters& masters,
                   const std::vector<bool>& copied, const CopyFormat& format);

  /// Takes the numbers of the flat parameters; has no gradients then.
  void load();

  /// Puts the gradients of those that begin in elements [begin, end) into the flat ones.
  void store(std::int64_t begin, std::int64_t end);

 private:
  struct Copied {
    std::int64_t begin;               // among the flat ones
    torch::Tensor parameter;          // of the copy
    torch::Tensor values, gradients;  // views of the flat ones, of its shape
  };

  torch::Tensor rounded(const torch::Tensor& numbers) const;

  const CopyFormat format_;
  std::vector<Copied> copied_;
};

}  // namespace yoke
