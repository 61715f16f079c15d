// yoke/export/onnx/operators/linear.cpp: products of matrices.
#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {

void lower_linear(Lowering& lowering) {
  const bool has_bias = !lowering.is_none(2);
  std::vector<std::string> inputs = {lowering.value(0), lowering.value(1)};
  if (lowering.sizes(0).size() == 2) {
    if (has_bias) inputs.push_back(lowering.value(2));
    return lowering.give(lowering.add("Gemm", inputs, {{"transB", 1}}));
  }
  inputs[1] = lowering.add("Transpose", {inputs[1]}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  const auto product = lowering.add("MatMul", inputs);
  lowering.give(has_bias ? lowering.add("Add", {product, lowering.value(2)}) : product);
}

void lower_addmm(Lowering& lowering) {
  lowering.give(lowering.add("Gemm", {lowering.value(1), lowering.value(2), lowering.value(0)},
                             {{"beta", lowering.number(3)}, {"alpha", lowering.number(4)}}));
}

void lower_matmul(Lowering& lowering) {
  lowering.give(lowering.add("MatMul", {lowering.value(0), lowering.value(1)}));
}

}  // namespace yoke::onnx_export
