#include "yoke/export/onnx/operators.h"

#include <string_view>

namespace yoke::onnx_export {

#define SAME(name, onnx_name)
#define OPERATOR(id, name) void lower_##id(Lowering& lowering);
#include "yoke/export/onnx/operators.def"
#undef OPERATOR
#undef SAME

bool lower_operator(Lowering& lowering) {
  static const std::unordered_map<std::string_view, const char*> same = {
#define SAME(name, onnx_name) {name, onnx_name},
#define OPERATOR(id, name)
#include "yoke/export/onnx/operators.def"
#undef OPERATOR
#undef SAME
  };
  static const std::unordered_map<std::string_view, LowerOperator> others = {
#define SAME(name, onnx_name)
#define OPERATOR(id, name) {name, &lower_##id},
#include "yoke/export/onnx/operators.def"
#undef OPERATOR
#undef SAME
  };
  const std::string op = lowering.op();
  if (const auto found = same.find(op); found != same.end()) {
    lowering.give(lowering.add(found->second, {lowering.value(0)}));
    return true;
  }
  const auto found = others.find(op);
  if (found == others.end()) return false;
  found->second(lowering);
  return true;
}

}  // namespace yoke::onnx_export
