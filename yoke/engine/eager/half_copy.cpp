#include "yoke/engine/eager/half_copy.h"

#include <torch/nn/modules/batchnorm.h>

#include "yoke/engine/eager/copied_parameters.h"
#include "yoke/engine/eager/model_copy.h"

namespace yoke {
namespace {

using torch::Tensor;

bool is_batch_norm(const torch::nn::Module& module) {
  return module.as<torch::nn::BatchNorm1d>() != nullptr ||
         module.as<torch::nn::BatchNorm2d>() != nullptr ||
         module.as<torch::nn::BatchNorm3d>() != nullptr;
}

CopyFormat format_on(torch::Device device) {
  if (device.is_cpu()) return {.type = torch::kFloat32, .rounded_to = torch::kHalf};
  return {
      .type = torch::kHalf, .rounded_to = torch::kHalf, .order = torch::MemoryFormat::ChannelsLast};
}

class HalfCopy final : public Arithmetic {
 public:
  HalfCopy(Model& model, FlatParameters& masters, const std::function<Model()>& another)
      : format_(format_on(masters.values().device())),
        copy_(
            copy_model(another, model, masters.values().device(),
                       {.wanted_by = "--precision o2 needs", .instead = "--precision o1 or fp32"})),
        parameters_(*copy_.module, masters, all_but_batch_norms(), format_) {
    share_buffers(*copy_.module, *model.module);
  }

  torch::nn::Module& module() override { return *copy_.module; }

  void load() override { parameters_.load(); }

  /// On a processor, the gradient of the scores is rounded by autograd as the scores are.
  Tensor forward(const Tensor& input) override {
    return copy_.forward(input.to(torch::kHalf).to(format_.type)).to(torch::kHalf);
  }

  void store(std::int64_t begin, std::int64_t end) override { parameters_.store(begin, end); }

  std::string describe() const override {
    return format_.type == torch::kHalf ? "o2 (fp16, batch norm in fp32)"
                                        : "o2 (numbers rounded to fp16, computed in fp32)";
  }

 private:
  std::vector<bool> all_but_batch_norms() const {
    auto which = parameters_in(*copy_.module, is_batch_norm);
    which.flip();
    return which;
  }

  const CopyFormat format_;
  const Model copy_;
  CopiedParameters parameters_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_half_copy(Model& model, FlatParameters& parameters,
                                           const std::function<Model()>& another) {
  return std::make_unique<HalfCopy>(model, parameters, another);
}

}  // namespace yoke
