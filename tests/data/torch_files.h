// tests/data/torch_files.h: pickles of state dicts, written by hand as torch.save does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/data/pickle_files.h"

namespace yoke::test {

/// A string as Python 3 pickles it.
inline std::string python3_string(std::string_view text) {
  std::string bytes = "X";
  return bytes.append(little_endian(text.size(), 4)).append(text);
}

/// An int of 64 bits.
inline std::string python3_int(std::int64_t value) {
  std::string bytes = "\x8a\x08";
  return bytes.append(little_endian(static_cast<std::uint64_t>(value), 8));
}

inline std::string python3_tuple(const std::vector<std::int64_t>& values) {
  std::string bytes = "(";
  for (const auto value : values) bytes += python3_int(value);
  return bytes + "t";
}

inline const std::string kOrderedDict = "ccollections\nOrderedDict\n)R";

/// A tensor as torch.save pickles it.
struct PickledTensor {
  std::string record = "0";
  std::int64_t elements = 6;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<std::int64_t> strides = {3, 1};
  std::string storage = "FloatStorage";

  std::string bytes() const {
    return "ctorch._utils\n_rebuild_tensor_v2\n((" + python3_string("storage") + "ctorch\n" +
           storage + "\n" + python3_string(record) + python3_string("cpu") + python3_int(elements) +
           "tQ" + python3_int(offset) + python3_tuple(shape) + python3_tuple(strides) + "\x89" +
           kOrderedDict + "tR";
  }
};

/// A dict of values, which are pickled already, by name.
inline std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = kOrderedDict + "(";
  for (const auto& [name, value] : items) bytes += python3_string(name) + value;
  return bytes + "u";
}

/// A whole pickle of protocol 2.
inline std::string pickle_of(const std::string& value) { return "\x80\2" + value + "."; }

}  // namespace yoke::test
