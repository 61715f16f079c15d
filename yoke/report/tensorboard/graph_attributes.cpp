#include "yoke/report/tensorboard/graph_attributes.h"

#include <ATen/core/jit_type.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace yoke {
namespace {

using tensorboard::AttrValue;

std::string text_of(const c10::IValue& value) {
  std::ostringstream text;
  if (value.isTensor() && value.toTensor().defined()) {
    const auto& tensor = value.toTensor();
    text << "tensor " << tensor.scalar_type() << ' ' << tensor.sizes();
  } else {
    text << value;
  }
  return std::move(text).str();
}

bool is_number(const c10::IValue& value) {
  return value.isInt() || value.isDouble() || value.isBool();
}

}  // namespace

std::optional<AttrValue> graph_attribute(const c10::IValue& value) {
  AttrValue attribute;
  if (value.isNone()) return {};
  if (value.isInt()) {
    attribute.set_i(value.toInt());
  } else if (value.isDouble()) {
    attribute.set_f(static_cast<float>(value.toDouble()));
  } else if (value.isBool()) {
    attribute.set_b(value.toBool());
  } else if (value.isString()) {
    attribute.set_s(value.toStringRef());
  } else if (value.isList()) {
    const auto list = value.toListRef();
    return graph_attribute(std::vector<c10::IValue>(list.begin(), list.end()));
  } else {
    attribute.set_s(text_of(value));
  }
  return attribute;
}

AttrValue graph_attribute(const std::vector<c10::IValue>& values) {
  AttrValue attribute;
  const bool same = std::all_of(values.begin(), values.end(), [&](const c10::IValue& value) {
    return is_number(value) && value.tagKind() == values.front().tagKind();
  });
  auto& list = *attribute.mutable_list();
  for (const auto& value : values) {
    if (!same) {
      list.add_s(text_of(value));
    } else if (value.isInt()) {
      list.add_i(value.toInt());
    } else if (value.isDouble()) {
      list.add_f(static_cast<float>(value.toDouble()));
    } else {
      list.add_b(value.toBool());
    }
  }
  return attribute;
}

tensorboard::TensorShapeProto graph_shape(const c10::Type& type) {
  tensorboard::TensorShapeProto shape;
  const auto* const tensor = type.castRaw<c10::TensorType>();
  if (tensor == nullptr || !tensor->sizes().sizes()) {
    shape.set_unknown_rank(true);
    return shape;
  }
  const auto sizes = *tensor->sizes().sizes();
  for (const auto& size : sizes) shape.add_dim()->set_size(size.value_or(-1));
  return shape;
}

tensorboard::DataType graph_dtype(const c10::Type& type) {
  const auto* const tensor = type.castRaw<c10::TensorType>();
  if (tensor == nullptr || !tensor->scalarType()) return tensorboard::DT_INVALID;
  switch (*tensor->scalarType()) {
    case c10::ScalarType::Float:
      return tensorboard::DT_FLOAT;
    case c10::ScalarType::Double:
      return tensorboard::DT_DOUBLE;
    case c10::ScalarType::Half:
      return tensorboard::DT_HALF;
    case c10::ScalarType::BFloat16:
      return tensorboard::DT_BFLOAT16;
    case c10::ScalarType::Byte:
      return tensorboard::DT_UINT8;
    case c10::ScalarType::Char:
      return tensorboard::DT_INT8;
    case c10::ScalarType::Short:
      return tensorboard::DT_INT16;
    case c10::ScalarType::Int:
      return tensorboard::DT_INT32;
    case c10::ScalarType::Long:
      return tensorboard::DT_INT64;
    case c10::ScalarType::Bool:
      return tensorboard::DT_BOOL;
    default:
      return tensorboard::DT_INVALID;
  }
}

}  // namespace yoke
