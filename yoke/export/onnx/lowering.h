// yoke/export/onnx/lowering.h: from LibTorch's operators to those of ONNX.
#pragma once
#include <onnx/onnx_pb.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "yoke/export/inference_graph.h"

namespace yoke::onnx_export {

/// The version of ONNX's operators that files are of; ONNX 1.12 (2022) brought it.
inline constexpr std::int64_t kOpset = 17;
inline constexpr std::int64_t kIrVersion = 8;

inline constexpr const char* kInput = "input";
inline constexpr const char* kScores = "scores";
inline constexpr const char* kImages = "N";  ///< The name of the size that is the batch's.

/// Of a tensor; nothing where it depends on the number of images.
using Sizes = std::vector<std::optional<std::int64_t>>;

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

/// Fills an ONNX graph, one operator after the other; also what an operator's function sees of it.
/// Tensors go by the names that they have in the file. @throws UsageError
class Lowering {
 public:
  Lowering(const InferenceGraph& inference, onnx::GraphProto& graph);

  void run();

  // The operator's arguments.
  std::string op() const;  ///< `aten::linear`.
  std::size_t arguments() const { return node_->inputs().size(); }
  bool is_none(std::size_t i) const;
  /// A tensor; a number as one of the result's type.
  std::string value(std::size_t i);
  std::vector<std::string> values(std::size_t i);  ///< The tensors of a list.
  std::int64_t integer(std::size_t i) const;
  double number(std::size_t i) const;
  bool flag(std::size_t i) const;
  std::string text(std::size_t i) const;
  std::vector<std::int64_t> integers(std::size_t i) const;
  /// A list of `count` numbers, where one stands for all.
  std::vector<std::int64_t> integers(std::size_t i, std::size_t count) const;
  /// A list of sizes, which may be multiples of the number of images, as a tensor int64 [count].
  std::string shape(std::size_t i);
  Sizes sizes(std::size_t i) const;                          ///< Of a tensor.
  std::int64_t size(std::size_t i, std::size_t axis) const;  ///< One that all batches have.
  /// Argument `i`, one of the axes of tensor argument 0, counted from the first.
  std::int64_t axis(std::size_t i) const;
  /// How many tensors it gives; those of a list count one by one.
  std::size_t results() const { return results_.size(); }
  Sizes output_sizes(std::size_t result = 0) const;

  // What becomes of it.
  std::string add(const std::string& op, const std::vector<std::string>& inputs,
                  const Attributes& attributes = {});
  /// One that gives `count` tensors.
  std::vector<std::string> add(const std::string& op, const std::vector<std::string>& inputs,
                               const Attributes& attributes, std::size_t count);
  std::string constant(const torch::Tensor& values);
  std::string constant(const std::vector<std::int64_t>& values);
  std::string constant(double value);  ///< Of the result's type.
  void give(const std::string& name);  ///< The operator's result.
  void give(const std::vector<std::string>& names);

  /// @throws UsageError that names the operator and its module.
  [[noreturn]] void unsupported(const std::string& why) const;

 private:
  template <typename T>
  T given(std::optional<T> (*constant)(const torch::jit::Value&), std::size_t i) const {
    auto found = constant(*node_->input(i));
    if (!found) unsupported("its argument " + std::to_string(i) + " is computed");
    return *std::move(found);
  }

  std::string value(const torch::jit::Value& value);
  std::string size_value(const torch::jit::Value& value);
  void add_initializer(const std::string& name, const torch::Tensor& values);
  void name_result(const torch::jit::Value& result);

  const InferenceGraph& inference_;
  onnx::GraphProto& graph_;
  const torch::jit::Node* node_ = nullptr;
  std::vector<const torch::jit::Value*> results_;  // of the node
  std::unordered_map<const torch::jit::Value*, std::string> names_;
  int next_ = 0;  // number of a value
};

/// Adds what the operator becomes at which `lowering` is.
using LowerOperator = void (*)(Lowering& lowering);

}  // namespace yoke::onnx_export
