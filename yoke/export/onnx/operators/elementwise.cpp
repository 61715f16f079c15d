// yoke/export/onnx/operators/elementwise.cpp: activations, and what is done number by number.
#include <cmath>
#include <numbers>

#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {
namespace {

std::string times(Lowering& lowering, const std::string& a, const std::string& b) {
  return lowering.add("Mul", {a, b});
}

/// 1 + erf(x / sqrt(2)).
std::string exact_gelu(Lowering& lowering, const std::string& x) {
  const auto scaled = times(lowering, x, lowering.constant(std::numbers::sqrt2 / 2));
  return lowering.add("Add", {lowering.add("Erf", {scaled}), lowering.constant(1)});
}

/// 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
std::string tanh_gelu(Lowering& lowering, const std::string& x) {
  const auto cube = times(lowering, times(lowering, x, x), x);
  const auto sum = lowering.add("Add", {x, times(lowering, cube, lowering.constant(0.044715))});
  const auto scaled = times(lowering, sum, lowering.constant(std::sqrt(2 * std::numbers::inv_pi)));
  return lowering.add("Add", {lowering.add("Tanh", {scaled}), lowering.constant(1)});
}

}  // namespace

void lower_gelu(Lowering& lowering) {
  const auto x = lowering.value(0);
  const bool is_tanh = !lowering.is_none(1) && lowering.text(1) == "tanh";
  const auto factor = is_tanh ? tanh_gelu(lowering, x) : exact_gelu(lowering, x);
  lowering.give(times(lowering, times(lowering, x, lowering.constant(0.5)), factor));
}

void lower_silu(Lowering& lowering) {
  const auto x = lowering.value(0);
  lowering.give(times(lowering, x, lowering.add("Sigmoid", {x})));
}

void lower_softplus(Lowering& lowering) {
  // Above a threshold of 20 the exact value is the input too, in fp32.
  if (lowering.number(1) != 1 || lowering.number(2) < 20) lowering.unsupported("it is scaled");
  lowering.give(lowering.add("Softplus", {lowering.value(0)}));
}

void lower_hardsigmoid(Lowering& lowering) {
  lowering.give(
      lowering.add("HardSigmoid", {lowering.value(0)}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}));
}

void lower_leaky_relu(Lowering& lowering) {
  lowering.give(lowering.add("LeakyRelu", {lowering.value(0)}, {{"alpha", lowering.number(1)}}));
}

void lower_elu(Lowering& lowering) {
  if (lowering.number(2) != 1 || lowering.number(3) != 1) lowering.unsupported("it is scaled");
  lowering.give(lowering.add("Elu", {lowering.value(0)}, {{"alpha", lowering.number(1)}}));
}

void lower_clamp(Lowering& lowering) {
  const auto bound = [&](std::size_t i) {
    return lowering.is_none(i) ? std::string() : lowering.constant(lowering.number(i));
  };
  lowering.give(lowering.add("Clip", {lowering.value(0), bound(1), bound(2)}));
}

void lower_relu6(Lowering& lowering) {
  lowering.give(
      lowering.add("Clip", {lowering.value(0), lowering.constant(0), lowering.constant(6)}));
}

void lower_softmax(Lowering& lowering) {
  const bool is_log = lowering.op() == "aten::log_softmax";
  lowering.give(lowering.add(is_log ? "LogSoftmax" : "Softmax", {lowering.value(0)},
                             {{"axis", lowering.integer(1)}}));
}

void lower_add(Lowering& lowering) {
  auto other = lowering.value(1);
  const double factor = lowering.is_none(2) ? 1 : lowering.number(2);
  if (factor != 1) other = times(lowering, other, lowering.constant(factor));
  const bool is_sum = lowering.op() == "aten::add";
  lowering.give(lowering.add(is_sum ? "Add" : "Sub", {lowering.value(0), other}));
}

void lower_multiply(Lowering& lowering) {
  if (!lowering.is_none(2)) lowering.unsupported("it rounds");
  const bool is_product = lowering.op() == "aten::mul";
  lowering.give(lowering.add(is_product ? "Mul" : "Div", {lowering.value(0), lowering.value(1)}));
}

}  // namespace yoke::onnx_export
