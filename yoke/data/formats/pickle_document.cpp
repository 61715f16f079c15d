#include "yoke/data/formats/pickle_document.h"

#include <array>

namespace yoke::pickle {

std::string type_name(const Value& value) {
  static constexpr std::array<std::string_view, std::variant_size_v<Value>> kNames = {
      "None",   "a bool",  "an int",   "a float",         "text",      "a list",   "a tuple",
      "a dict", "a dtype", "an array", "a storage class", "a storage", "a tensor", "a function"};
  return std::string(kNames[value.index()]);
}

}  // namespace yoke::pickle
