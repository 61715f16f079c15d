#include "yoke/engine/eager/arithmetic.h"

#include <fmt/format.h>

#include "yoke/engine/eager/autocast.h"
#include "yoke/engine/eager/half_copy.h"

namespace yoke {
namespace {

using torch::Tensor;

class Plain final : public Arithmetic {
 public:
  explicit Plain(Model& model) : model_(model) {}
  torch::nn::Module& module() override { return *model_.module; }
  Tensor forward(const Tensor& input) override { return model_.forward(input); }
  std::string describe() const override { return "fp32"; }

 private:
  Model& model_;
};

/// The backward pass goes on in what the forward pass took: it needs no casts of its own.
class ByAutocast final : public Arithmetic {
 public:
  ByAutocast(Precision precision, Model& model, torch::DeviceType device)
      : model_(model), precision_(precision), device_(device) {}
  torch::nn::Module& module() override { return *model_.module; }

  Tensor forward(const Tensor& input) override {
    const Autocast casts(device_, in_half() ? torch::kHalf : torch::kBFloat16);
    return model_.forward(input);
  }

  std::string describe() const override {
    return fmt::format("{} (autocast to {})", precision_ == Precision::kO1 ? "o1" : "bf16",
                       in_half() ? "fp16" : "bf16");
  }

 private:
  bool in_half() const { return scales_loss(precision_, device_); }

  Model& model_;
  const Precision precision_;
  const torch::DeviceType device_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_arithmetic(Precision precision, Model& model,
                                            FlatParameters& parameters,
                                            const std::function<Model()>& another) {
  if (precision == Precision::kFp32) return std::make_unique<Plain>(model);
  if (precision == Precision::kO2) return make_half_copy(model, parameters, another);
  return std::make_unique<ByAutocast>(precision, model, parameters.values().device().type());
}

}  // namespace yoke
