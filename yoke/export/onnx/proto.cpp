#include "yoke/export/onnx/proto.h"

namespace yoke::onnx_export {
namespace {

using onnx::AttributeProto, onnx::TensorProto;

std::optional<TensorProto::DataType> type_of(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32:
      return TensorProto::FLOAT;
    case torch::kFloat64:
      return TensorProto::DOUBLE;
    case torch::kFloat16:
      return TensorProto::FLOAT16;
    case torch::kBFloat16:
      return TensorProto::BFLOAT16;
    case torch::kInt64:
      return TensorProto::INT64;
    case torch::kInt32:
      return TensorProto::INT32;
    case torch::kBool:
      return TensorProto::BOOL;
    default:
      return std::nullopt;
  }
}

/// Sets one attribute by the type of its value.
struct SetAttribute {
  AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(AttributeProto::INTS);
    for (const auto value : values) proto.add_ints(value);
  }
};

}  // namespace

void describe(onnx::ValueInfoProto& proto, const std::string& name, const Sizes& sizes) {
  proto.set_name(name);
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(TensorProto::FLOAT);
  for (const auto& size : sizes) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    const bool is_first = tensor.shape().dim_size() == 1;
    if (size) dimension.set_dim_value(*size);
    if (!size && is_first) dimension.set_dim_param(kImages);  // others stay unknown
  }
}

void set(AttributeProto& proto, const std::string& name, const Attribute& attribute) {
  proto.set_name(name);
  std::visit(SetAttribute{proto}, attribute);
}

bool fill(TensorProto& proto, const std::string& name, const torch::Tensor& values) {
  const auto type = type_of(values);
  if (!type) return false;
  const auto whole = values.to(torch::kCPU).contiguous();
  proto.set_name(name);
  proto.set_data_type(*type);
  for (const auto size : whole.sizes()) proto.add_dims(size);
  proto.set_raw_data(whole.data_ptr(), whole.nbytes());  // little-endian, as the file wants it
  return true;
}

}  // namespace yoke::onnx_export
