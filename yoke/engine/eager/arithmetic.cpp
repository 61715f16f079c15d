#include "yoke/engine/eager/arithmetic.h"

#include <fmt/format.h>

#include "yoke/engine/eager/autocast.h"
#include "yoke/engine/eager/channels_last.h"
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

/// What autocast casts to on `device` for `precision`, bf16 or o1.
torch::ScalarType cast_type(Precision precision, torch::DeviceType device) {
  return scales_loss(precision, device) ? torch::kHalf : torch::kBFloat16;
}

/// The backward pass goes on in what the forward pass took: it needs no casts of its own.
class ByAutocast final : public Arithmetic {
 public:
  ByAutocast(Precision precision, Model& model, torch::DeviceType device)
      : model_(model),
        precision_(precision),
        device_(device),
        type_(cast_type(precision, device)) {}
  torch::nn::Module& module() override { return *model_.module; }

  Tensor forward(const Tensor& input) override {
    const Autocast casts(device_, type_);
    return model_.forward(input);
  }

  std::string describe() const override {
    return fmt::format("{} (autocast to {})", precision_ == Precision::kO1 ? "o1" : "bf16",
                       type_ == torch::kHalf ? "fp16" : "bf16");
  }

 private:
  Model& model_;
  const Precision precision_;
  const torch::DeviceType device_;
  const torch::ScalarType type_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_arithmetic(Precision precision, Model& model,
                                            FlatParameters& parameters,
                                            const std::function<Model()>& another) {
  if (precision == Precision::kO2) return make_half_copy(model, parameters, another);
  const torch::DeviceType device = parameters.values().device().type();
  const bool casts = precision != Precision::kFp32;
  const auto numbers = [=](Model& given) -> std::unique_ptr<Arithmetic> {
    if (casts) return std::make_unique<ByAutocast>(precision, given, device);
    return std::make_unique<Plain>(given);
  };
  if (device == torch::kCPU || !another || !has_convolutions(model)) return numbers(model);
  return make_channels_last(model, parameters, another,
                            casts ? cast_type(precision, device) : torch::kFloat32, numbers);
}

}  // namespace yoke
