// yoke/export/onnx/operators.h: which operators have a form in ONNX, by operators.def.
#pragma once
#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {

/// Adds what the operator becomes at which `lowering` is; false where operators.def lacks it.
bool lower_operator(Lowering& lowering);

}  // namespace yoke::onnx_export
