#include "yoke/core/files/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr int kMaxDepth = 3;  // {"name": {"shape": [

struct Dtype {
  std::string_view name;
  torch::ScalarType type;
};

constexpr std::array kDtypes{Dtype{"F64", torch::kFloat64}, Dtype{"F32", torch::kFloat32},
                             Dtype{"F16", torch::kFloat16}, Dtype{"BF16", torch::kBFloat16},
                             Dtype{"I64", torch::kInt64},   Dtype{"I32", torch::kInt32},
                             Dtype{"I16", torch::kInt16},   Dtype{"I8", torch::kInt8},
                             Dtype{"U8", torch::kUInt8},    Dtype{"BOOL", torch::kBool}};

std::string_view dtype_name(torch::ScalarType type) {
  const auto* const found = std::find_if(kDtypes.begin(), kDtypes.end(),
                                         [&](const Dtype& dtype) { return dtype.type == type; });
  if (found == kDtypes.end()) {
    throw Error(fmt::format("safetensors has no dtype for {}", c10::toString(type)));
  }
  return found->name;
}

torch::ScalarType parse_dtype(const json& value) {
  for (const auto& dtype : kDtypes) {
    if (value.is_string() && value.get_ref<const std::string&>() == dtype.name) return dtype.type;
  }
  std::vector<std::string_view> names;
  for (const auto& dtype : kDtypes) names.push_back(dtype.name);
  throw Error(fmt::format("dtype is {}; known: {}", value.dump(), fmt::join(names, ", ")));
}

std::vector<std::uint64_t> parse_numbers(const char* key, const json& value) {
  std::vector<std::uint64_t> numbers;
  const bool numeric = value.is_array() && std::all_of(value.begin(), value.end(), [](auto& item) {
                         return item.is_number_unsigned();
                       });
  if (!numeric) throw Error(fmt::format("{} is not a list of whole numbers from 0", key));
  for (const auto& item : value) numbers.push_back(item.template get<std::uint64_t>());
  return numbers;
}

/// The bytes of a tensor, where zero dimensions may not hide others that overflow.
std::uint64_t size_of(const std::vector<std::uint64_t>& shape, torch::ScalarType dtype) {
  std::int64_t size = static_cast<std::int64_t>(c10::elementSize(dtype));
  bool empty = false;
  for (const auto dimension : shape) {
    empty = empty || dimension == 0;
    if (__builtin_mul_overflow(size, std::max<std::uint64_t>(dimension, 1), &size)) {
      throw Error(fmt::format("shape [{}] overflows", fmt::join(shape, ", ")));
    }
  }
  return empty ? 0 : static_cast<std::uint64_t>(size);
}

SafetensorsEntry parse_entry(const std::string& name, const json& value, std::uint64_t data_bytes) {
  if (!value.is_object()) throw Error("not an object");
  for (const auto* const key : {"dtype", "shape", "data_offsets"}) {
    if (!value.contains(key)) throw Error(fmt::format("{} is missing", key));
  }
  if (value.size() != 3) throw Error("keys other than dtype, shape and data_offsets");
  SafetensorsEntry entry;
  entry.name = name;
  entry.dtype = parse_dtype(value["dtype"]);
  const auto shape = parse_numbers("shape", value["shape"]);
  const auto expected = size_of(shape, entry.dtype);
  entry.shape.assign(shape.begin(), shape.end());
  const auto offsets = parse_numbers("data_offsets", value["data_offsets"]);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    throw Error(fmt::format("data_offsets [{}] are not two ascending places in {} bytes of data",
                            fmt::join(offsets, ", "), data_bytes));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.size_bytes() != expected) {
    throw Error(fmt::format("shape [{}] of {} takes {} bytes, but data_offsets hold {}",
                            fmt::join(shape, ", "), dtype_name(entry.dtype), expected,
                            entry.size_bytes()));
  }
  return entry;
}

std::map<std::string, std::string> parse_metadata(const json& value) {
  if (!value.is_object()) throw Error("not an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, item] : value.items()) {
    if (!item.is_string()) throw Error("a value is not a string");
    metadata.emplace(key, item.get<std::string>());
  }
  return metadata;
}

/// Every byte of the data belongs to one tensor.
void check_coverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes) {
  std::vector<const SafetensorsEntry*> ordered;
  for (const auto& entry : entries) ordered.push_back(&entry);
  std::sort(ordered.begin(), ordered.end(), [](const auto* left, const auto* right) {
    return std::pair(left->begin, left->end) < std::pair(right->begin, right->end);
  });
  std::uint64_t place = 0;
  for (const auto* const entry : ordered) {
    if (entry->begin != place) {
      throw Error(fmt::format("tensor '{}' begins at byte {} of the data, expected {}: {}",
                              entry->name, entry->begin, place,
                              entry->begin > place ? "a hole" : "an overlap"));
    }
    place = entry->end;
  }
  if (place != data_bytes) {
    throw Error(fmt::format("{} bytes of data, but the tensors take {}", data_bytes, place));
  }
}

/// Parses JSON that has no repeated keys; `names` gets the outermost keys in their order.
json parse_json(std::string_view text, std::vector<std::string>& names) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (depth >= kMaxDepth) throw Error("the header's JSON is nested too deep");
      if (event == json::parse_event_t::object_start) keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) throw Error(fmt::format("key '{}' is repeated", key));
      if (depth == 1) names.push_back(key);
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw Error(fmt::format("the header is not JSON: {}", error.what()));
  }
}

}  // namespace

std::vector<SafetensorsEntry> place_safetensors(const NamedTensors& tensors) {
  std::vector<SafetensorsEntry> entries;
  std::set<std::string> names{kMetadata};
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second) {
      throw Error(fmt::format("tensor name '{}' is repeated or reserved", name));
    }
    dtype_name(tensor.scalar_type());
    entries.push_back({.name = name, .dtype = tensor.scalar_type(), .shape = tensor.sizes().vec()});
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return c10::elementSize(entries[left].dtype) > c10::elementSize(entries[right].dtype);
  });
  std::uint64_t place = 0;
  for (const auto index : order) {
    entries[index].begin = place;
    place += tensors[index].second.numel() * c10::elementSize(entries[index].dtype);
    entries[index].end = place;
  }
  return entries;
}

std::string safetensors_header(const std::vector<SafetensorsEntry>& entries,
                               const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  for (const auto& entry : entries) {
    header[entry.name] = {{"dtype", dtype_name(entry.dtype)},
                          {"shape", entry.shape},
                          {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception& error) {
    throw Error(fmt::format("a name cannot be written as JSON: {}", error.what()));
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxSafetensorsHeader) {
    throw Error(fmt::format("the header would have {} bytes; at most {} are allowed", text.size(),
                            kMaxSafetensorsHeader));
  }
  return text;
}

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes) {
  if (!text.starts_with('{')) throw Error("the header does not begin with '{'");
  std::vector<std::string> names;
  const auto json = parse_json(text, names);
  SafetensorsHeader header;
  for (const auto& name : names) {
    try {
      if (name == kMetadata) {
        header.metadata = parse_metadata(json[name]);
      } else {
        header.entries.push_back(parse_entry(name, json[name], data_bytes));
      }
    } catch (const Error& error) {
      throw Error(fmt::format("tensor '{}': {}", name, error.what()));
    }
  }
  check_coverage(header.entries, data_bytes);
  return header;
}

}  // namespace yoke
