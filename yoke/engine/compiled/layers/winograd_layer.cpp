#include "yoke/engine/compiled/layers/winograd_layer.h"

#include <cstring>

namespace yoke::compiled {

Epilogue epilogue_of(Builder& builder, const Convolution& layer) {
  Epilogue result;
  if (layer.bias) {
    const dnnl::memory::dims dims{layer.kernel[0]};
    result.bias = static_cast<const float*>(
        builder.weights(*layer.bias, dims, contiguous_desc(dims)).get_data_handle());
  }
  if (layer.activation) result.slope = layer.activation->eltwise.alpha;
  return result;
}

ParameterGradients::ParameterGradients(Builder& builder, const Convolution& layer)
    : weight_(builder.gradient_of(layer.weight, layer.kernel, contiguous_desc(layer.kernel))) {
  if (!layer.bias) return;
  const dnnl::memory::dims dims{layer.kernel[0]};
  bias_ = builder.gradient_of(*layer.bias, dims, contiguous_desc(dims));
}

float* ParameterGradients::weight(bool accumulate) const {
  return static_cast<float*>(weight_.memory(accumulate).get_data_handle());
}

float* ParameterGradients::zeroed_bias(bool accumulate) const {
  if (!bias_) return nullptr;
  const dnnl::memory& memory = bias_->memory(accumulate);
  return static_cast<float*>(
      std::memset(memory.get_data_handle(), 0, memory.get_desc().get_size()));
}

void ParameterGradients::finish(bool accumulate, dnnl::stream& stream) const {
  weight_.finish(accumulate, stream);
  if (bias_) bias_->finish(accumulate, stream);
}

void add_pass(Builder& builder, const Convolution& layer, std::string operation,
              std::function<void(const MicroBatch&)> run) {
  Step& step = builder.add(std::move(operation), std::move(run));
  step.primitive = true;
  step.flops = layer.flops() * static_cast<double>(builder.batch());
}

}  // namespace yoke::compiled
