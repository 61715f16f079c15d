// yoke/engine/trace_constants.h: what the operators of a trace are given besides tensors.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torch::jit {
struct Value;
}

namespace yoke {

/// Whether `value` is None.
bool is_none(const torch::jit::Value& value);

// Each gives the constant that `value` is, or nothing where it is computed or of another kind.

std::optional<std::int64_t> constant_integer(const torch::jit::Value& value);
/// Also of a tensor of no dimensions: so a number is recorded that an operator takes as a tensor.
std::optional<double> constant_number(const torch::jit::Value& value);
std::optional<bool> constant_flag(const torch::jit::Value& value);
std::optional<std::string> constant_text(const torch::jit::Value& value);
/// Of a list, or one of one number.
std::optional<std::vector<std::int64_t>> constant_integers(const torch::jit::Value& value);

}  // namespace yoke
