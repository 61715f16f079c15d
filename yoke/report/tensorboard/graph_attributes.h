// yoke/report/tensorboard/graph_attributes.h: constants, shapes and dtypes of a traced graph as
// TensorBoard's.
#pragma once
#include <ATen/core/ivalue.h>

#include <optional>
#include <vector>

#include "yoke/report/tensorboard/tensorboard.pb.h"

namespace yoke {

/// A number, text or list of them as it is; anything else (tensor, device, ...) as text; nothing
/// for None.
std::optional<tensorboard::AttrValue> graph_attribute(const c10::IValue& value);

/// A list whose elements are all of one of the types int, double and bool; else as text.
tensorboard::AttrValue graph_attribute(const std::vector<c10::IValue>& values);

/// The shape of a value of type `type`; its rank is unknown unless traced.
tensorboard::TensorShapeProto graph_shape(const c10::Type& type);

/// The dtype of a tensor of type `type`; DT_INVALID where there is none.
tensorboard::DataType graph_dtype(const c10::Type& type);

}  // namespace yoke
