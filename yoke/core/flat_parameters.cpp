#include "yoke/core/flat_parameters.h"

#include <fmt/format.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <set>

#include "yoke/core/error.h"

namespace yoke {

FlatParameters::FlatParameters(torch::nn::Module& module, const Allocate& gradients,
                               const Allocate& values) {
  const torch::NoGradGuard no_grad;
  const auto parameters = module.named_parameters();
  std::int64_t total = 0;
  std::set<const void*> seen;
  for (const auto& item : parameters) {
    const auto& parameter = item.value();
    if (parameter.scalar_type() != torch::kFloat32) {
      throw Error(fmt::format("parameter {} is {}; flat parameters are fp32", item.key(),
                              c10::toString(parameter.scalar_type())));
    }
    if (parameter.numel() > 0 && !seen.insert(parameter.data_ptr()).second) {
      throw Error(
          fmt::format("parameter {} shares its memory with another; flat parameters are "
                      "each one of their own",
                      item.key()));
    }
    slices_.push_back({.name = item.key(),
                       .shape = parameter.sizes().vec(),
                       .offset = total,
                       .elements = parameter.numel(),
                       .frozen = !parameter.requires_grad()});
    total += parameter.numel();
  }
  const auto device =
      parameters.is_empty() ? torch::Device(torch::kCPU) : parameters.front().value().device();
  const auto make = [&](const Allocate& allocate) {
    const auto options = torch::dtype(torch::kFloat32).device(device);
    return allocate && device.is_cpu() ? allocate(total) : torch::zeros({total}, options);
  };
  gradients_ = make(gradients);
  values_ = make(values);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    auto parameter = parameters[i].value();
    const auto& slice = slices_[i];
    const auto view = values_.narrow(0, slice.offset, slice.elements).view(slice.shape);
    view.copy_(parameter);
    parameter.set_data(view);
    parameter.mutable_grad() = gradients_.narrow(0, slice.offset, slice.elements).view(slice.shape);
  }
}

FlatParameters FlatParameters::part(std::int64_t begin, std::int64_t end) const {
  FlatParameters part;
  part.values_ = values_.narrow(0, begin, end - begin);
  part.gradients_ = gradients_.narrow(0, begin, end - begin);
  for (const auto& slice : slices_) {
    const std::int64_t first = std::clamp(slice.offset, begin, end);
    const std::int64_t last = std::clamp(slice.offset + slice.elements, begin, end);
    const std::int64_t before = first < last ? slice.begin + first - slice.offset : 0;
    part.slices_.push_back({slice.name, slice.shape, first - begin, last - first, before,
                            slice.frozen, slice.lr_scale});
  }
  return part;
}

FlatParameters FlatParameters::clone() const {
  FlatParameters copy = *this;
  copy.values_ = values_.clone();
  copy.gradients_ = gradients_.clone();
  return copy;
}

}  // namespace yoke
