// yoke/export/onnx/proto.h: the parts of an ONNX file.
#pragma once
#include <onnx/onnx_pb.h>
#include <torch/types.h>

#include <string>

#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {

/// Makes `proto` the fp32 tensor `name` of these sizes.
void describe(onnx::ValueInfoProto& proto, const std::string& name, const Sizes& sizes);

/// Makes `proto` an attribute.
void set(onnx::AttributeProto& proto, const std::string& name, const Attribute& attribute);

/// Makes `proto` the tensor `values` by the name `name`; false where ONNX lacks its type.
bool fill(onnx::TensorProto& proto, const std::string& name, const torch::Tensor& values);

}  // namespace yoke::onnx_export
