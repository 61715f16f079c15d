#include "yoke/engine/trace_constants.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace yoke {

using torch::jit::toIValue, torch::jit::Value;

bool is_none(const Value& value) {
  const auto constant = toIValue(&value);
  return constant && constant->isNone();
}

std::optional<std::int64_t> constant_integer(const Value& value) {
  const auto constant = toIValue(&value);
  if (!constant || !constant->isInt()) return std::nullopt;
  return constant->toInt();
}

std::optional<double> constant_number(const Value& value) {
  const auto constant = toIValue(&value);
  if (constant && constant->isTensor() && constant->toTensor().dim() == 0) {
    return constant->toTensor().item<double>();
  }
  if (!constant || !constant->isScalar()) return std::nullopt;
  return constant->toScalar().to<double>();
}

std::optional<bool> constant_flag(const Value& value) {
  const auto constant = toIValue(&value);
  if (!constant || !constant->isBool()) return std::nullopt;
  return constant->toBool();
}

std::optional<std::string> constant_text(const Value& value) {
  const auto constant = toIValue(&value);
  if (!constant || !constant->isString()) return std::nullopt;
  return constant->toStringRef();
}

std::optional<std::vector<std::int64_t>> constant_integers(const Value& value) {
  if (const auto constant = toIValue(&value)) {
    if (constant->isInt()) return std::vector<std::int64_t>{constant->toInt()};
    if (!constant->isIntList()) return std::nullopt;
    return constant->toIntVector();
  }
  std::vector<std::int64_t> numbers;
  for (const auto* element : value.node()->inputs()) {
    const auto number = constant_integer(*element);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace yoke
