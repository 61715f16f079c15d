#include "yoke/engine/eager/half_copy.h"

#include <torch/nn/modules/batchnorm.h>

#include <algorithm>
#include <set>
#include <vector>

#include "yoke/engine/eager/model_copy.h"

namespace yoke {
namespace {

using torch::Tensor;

bool is_batch_norm(const torch::nn::Module& module) {
  return module.as<torch::nn::BatchNorm1d>() != nullptr ||
         module.as<torch::nn::BatchNorm2d>() != nullptr ||
         module.as<torch::nn::BatchNorm3d>() != nullptr;
}

std::set<const void*> parameters_of_batch_norms(const torch::nn::Module& module) {
  std::set<const void*> found;
  for (const auto& part : module.modules()) {
    if (!is_batch_norm(*part)) continue;
    for (const auto& parameter : part->parameters(/*recurse=*/false)) {
      found.insert(parameter.unsafeGetTensorImpl());
    }
  }
  return found;
}

/// Elements [begin, end) of the flat vectors.
struct Range {
  std::int64_t begin = 0, end = 0;
};

class HalfCopy final : public Arithmetic {
 public:
  HalfCopy(Model& model, FlatParameters& masters, const std::function<Model()>& another)
      : masters_(masters),
        copy_(
            copy_model(another, model, masters.values().device(),
                       {.wanted_by = "--precision o2 needs", .instead = "--precision o1 or fp32"})),
        type_(masters.values().is_cpu() ? torch::kFloat32 : torch::kHalf),
        values_(torch::zeros_like(masters.values(), type_)),
        gradients_(torch::zeros_like(values_)) {
    attach_parameters();
    const auto buffers = model.module->buffers();
    auto copies = copy_.module->buffers();
    for (std::size_t i = 0; i < copies.size(); ++i) copies[i].set_data(buffers[i]);
  }

  torch::nn::Module& module() override { return *copy_.module; }

  void load() override {
    const torch::NoGradGuard no_grad;
    values_.copy_(masters_.values().to(torch::kHalf));
    gradients_.zero_();
  }

  /// On a processor, the gradient of the scores is rounded by autograd as the scores are.
  Tensor forward(const Tensor& input) override {
    return copy_.forward(input.to(torch::kHalf).to(type_)).to(torch::kHalf);
  }

  void store(std::int64_t begin, std::int64_t end) override {
    const torch::NoGradGuard no_grad;
    for (const Range& range : rounded_) {
      const std::int64_t first = std::max(range.begin, begin), last = std::min(range.end, end);
      if (first >= last) continue;
      masters_.gradients()
          .narrow(0, first, last - first)
          .copy_(gradients_.narrow(0, first, last - first).to(torch::kHalf));
    }
  }

  std::string describe() const override {
    return type_ == torch::kHalf ? "o2 (fp16, batch norm in fp32)"
                                 : "o2 (numbers rounded to fp16, computed in fp32)";
  }

 private:
  /// Makes the copy's parameters views: of the rounded vector, those of batch norms of the masters.
  void attach_parameters() {
    const torch::NoGradGuard no_grad;
    const auto exact = parameters_of_batch_norms(*copy_.module);
    auto parameters = copy_.module->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& slice = masters_.slices()[i];
      const bool rounds = !exact.contains(parameters[i].unsafeGetTensorImpl());
      const auto view = [&](const Tensor& flat) {
        return flat.narrow(0, slice.offset, slice.elements).view(slice.shape);
      };
      parameters[i].set_data(view(rounds ? values_ : masters_.values()));
      parameters[i].mutable_grad() = view(rounds ? gradients_ : masters_.gradients());
      if (rounds) add_rounded({slice.offset, slice.offset + slice.elements});
    }
  }

  void add_rounded(const Range& range) {
    if (!rounded_.empty() && rounded_.back().end == range.begin) {
      rounded_.back().end = range.end;
    } else {
      rounded_.push_back(range);
    }
  }

  FlatParameters& masters_;  // fp32
  const Model copy_;
  const torch::ScalarType type_;  // that the copy computes in
  const Tensor values_;           // [P] of type_, rounded to fp16
  const Tensor gradients_;        // [P] of type_
  std::vector<Range> rounded_;    // all but the parameters of batch norms
};

}  // namespace

std::unique_ptr<Arithmetic> make_half_copy(Model& model, FlatParameters& parameters,
                                           const std::function<Model()>& another) {
  return std::make_unique<HalfCopy>(model, parameters, another);
}

}  // namespace yoke
