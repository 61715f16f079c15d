#include "yoke/engine/eager/copied_parameters.h"

#include <torch/utils.h>

#include <set>

namespace yoke {

using torch::Tensor;

std::vector<bool> parameters_in(const torch::nn::Module& module,
                                const std::function<bool(const torch::nn::Module&)>& chosen) {
  std::set<const void*> inside;
  for (const auto& part : module.modules()) {
    if (!chosen(*part)) continue;
    for (const auto& parameter : part->parameters(/*recurse=*/false)) {
      inside.insert(parameter.unsafeGetTensorImpl());
    }
  }
  std::vector<bool> which;
  for (const auto& parameter : module.parameters()) {
    which.push_back(inside.contains(parameter.unsafeGetTensorImpl()));
  }
  return which;
}

CopiedParameters::CopiedParameters(torch::nn::Module& module, FlatParameters& masters,
                                   const std::vector<bool>& copied, const CopyFormat& format)
    : format_(format) {
  const torch::NoGradGuard no_grad;
  auto parameters = module.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& slice = masters.slices()[i];
    const auto view = [&](const Tensor& flat) {
      return flat.narrow(0, slice.offset, slice.elements).view(slice.shape);
    };
    const Tensor values = view(masters.values()), gradients = view(masters.gradients());
    if (copied[i]) {
      const bool ordered = slice.shape.size() == 4;
      parameters[i].set_data(
          torch::empty_like(values, values.options().dtype(format.type),
                            ordered ? format.order : torch::MemoryFormat::Contiguous));
      copied_.push_back({slice.offset, parameters[i], values, gradients});
    } else {
      parameters[i].set_data(values);
      parameters[i].mutable_grad() = gradients;
    }
  }
}

void CopiedParameters::load() {
  const torch::NoGradGuard no_grad;
  for (Copied& each : copied_) {
    each.parameter.copy_(rounded(each.values));
    // So autograd hands over what it made, and adds it to nothing.
    each.parameter.mutable_grad() = Tensor();
  }
}

void CopiedParameters::store(std::int64_t begin, std::int64_t end) {
  const torch::NoGradGuard no_grad;
  for (Copied& each : copied_) {
    const Tensor& gradient = each.parameter.grad();
    if (each.begin < begin || each.begin >= end || !gradient.defined()) continue;
    each.gradients.copy_(rounded(gradient));
  }
}

/// As they are where the copy into a tensor of the type rounds them.
Tensor CopiedParameters::rounded(const Tensor& numbers) const {
  return format_.rounded_to == format_.type ? numbers : numbers.to(format_.rounded_to);
}

}  // namespace yoke
