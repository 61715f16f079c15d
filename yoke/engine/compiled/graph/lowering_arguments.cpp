// What an operator's lowering sees of its node: arguments and the shape of the result.
#include <fmt/format.h>

#include "yoke/engine/compiled/graph/check_trace.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/trace_constants.h"

namespace yoke::compiled {
namespace {

/// `relu_` computes what `relu` does: in a trace, each result has a name of its own.
std::string without_in_place(std::string op) {
  if (op.size() > 1 && op.back() == '_') op.pop_back();
  return op;
}

bool is_tensor(const torch::jit::Value& value) {
  return value.type()->kind() == c10::TypeKind::TensorType;
}

}  // namespace

std::string Lowering::op() const { return without_in_place(node_->kind().toQualString()); }

bool Lowering::is_in_place() const { return op() != node_->kind().toQualString(); }

std::size_t Lowering::arguments() const { return node_->inputs().size(); }

const torch::jit::Value* Lowering::input(std::size_t i) const { return node_->inputs().at(i); }

bool Lowering::is_none(std::size_t i) const { return yoke::is_none(*input(i)); }

bool Lowering::is_value(std::size_t i) const { return values_.contains(input(i)); }

ValueId Lowering::value(std::size_t i) const {
  const ValueId id = value_in_any_order(i);
  if (order_of(i) != Order::kChannelsFirst) {
    unsupported(fmt::format("the channels of its argument {} are not in dimension 1", i));
  }
  return id;
}

Order Lowering::order_of(std::size_t i) const {
  const auto found = orders_.find(input(i));
  return found == orders_.end() ? Order::kChannelsFirst : found->second;
}

ValueId Lowering::value_of(const torch::jit::Value& traced, Order order) const {
  const auto found = values_.find(&traced);
  const auto shown = orders_.find(&traced);
  if (found == values_.end() || shown == orders_.end() || shown->second != order) {
    unsupported("a part is not computed from the images, or has its channels elsewhere");
  }
  return found->second;
}

ValueId Lowering::value_in_any_order(std::size_t i) const {
  const auto found = values_.find(input(i));
  if (found == values_.end()) {
    unsupported(fmt::format("its argument {} is not computed from the images", i));
  }
  return found->second;
}

std::int64_t Lowering::integer(std::size_t i) const { return given(constant_integer, i); }

double Lowering::number(std::size_t i) const { return given(constant_number, i); }

bool Lowering::flag(std::size_t i) const { return given(constant_flag, i); }

std::string Lowering::text(std::size_t i) const { return given(constant_text, i); }

std::vector<std::int64_t> Lowering::integers(std::size_t i) const {
  return given(constant_integers, i);
}

std::pair<std::int64_t, std::int64_t> Lowering::pair(std::size_t i) const {
  const auto numbers = integers(i);
  if (numbers.empty() || numbers.size() > 2) unsupported("it is not of two dimensions");
  return {numbers.front(), numbers.back()};
}

std::vector<ValueId> Lowering::values(std::size_t i) const {
  std::vector<ValueId> ids;
  for (const auto* element : input(i)->node()->inputs()) {
    const auto found = values_.find(element);
    if (found == values_.end()) unsupported("a part is not computed from the images");
    if (orders_.contains(element)) unsupported("the channels of a part are not in dimension 1");
    ids.push_back(found->second);
  }
  return ids;
}

bool Lowering::is_parameter(std::size_t i) const { return parameters_.contains(input(i)); }

std::optional<ParameterId> Lowering::repeated_parameter_of_list(std::size_t i) const {
  const auto elements = input(i)->node()->inputs();
  const auto found = elements.empty() ? repeated_.end() : repeated_.find(elements[0]);
  if (found == repeated_.end()) return std::nullopt;
  return found->second;
}

std::optional<ParameterId> Lowering::parameter(std::size_t i) const {
  const auto found = parameters_.find(input(i));
  if (found != parameters_.end()) {
    return found->second.id;
  }
  if (is_none(i)) return std::nullopt;
  unsupported(fmt::format("its argument {} is not a parameter of the model", i));
}

ParameterId Lowering::transposed_parameter(std::size_t i) const {
  const auto found = transposed_.find(input(i));
  if (found == transposed_.end()) {
    unsupported(fmt::format("its argument {} is not a parameter of the model", i));
  }
  return found->second;
}

torch::Tensor Lowering::buffer(std::size_t i) const {
  const auto found = buffers_.find(input(i));
  return found == buffers_.end() ? torch::Tensor() : found->second;
}

std::vector<std::int64_t> Lowering::parameter_shape(ParameterId id) const {
  return by_id_[static_cast<std::size_t>(id)].tensor.sizes().vec();
}

std::string Lowering::module_of(ParameterId id) const {
  const std::string& name = by_id_[static_cast<std::size_t>(id)].name;
  return name.substr(0, name.rfind('.'));
}

std::vector<std::int64_t> Lowering::output_sizes() const {
  const auto* output = node_->output();
  if (!is_tensor(*output)) unsupported("its result is not a tensor");
  const auto sizes = output->type()->expect<c10::TensorType>()->sizes().concrete_sizes();
  if (!sizes || sizes->empty() || sizes->front() != kTracedImages) {
    unsupported("its result does not keep images apart");
  }
  return *sizes;
}

ImageShape Lowering::output_shape() const {
  const auto sizes = output_sizes();
  if (sizes.size() == 2) return {sizes[1], 1, 1};
  if (sizes.size() != 4) {
    unsupported(fmt::format("its result has {} dimensions; 2 and 4 compile", sizes.size()));
  }
  return {sizes[1], sizes[2], sizes[3]};
}

ImageShape Lowering::output_shape(Order order) const {
  const auto sizes = output_sizes();
  if (const auto shape = image_shape(sizes, order)) return *shape;
  unsupported(fmt::format("its result has {} dimensions; 2 to 4 compile", sizes.size()));
}

}  // namespace yoke::compiled
