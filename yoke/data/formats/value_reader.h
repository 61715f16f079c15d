// yoke/data/formats/value_reader.h: the values of a pickle, taken as what they should be.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "yoke/core/error.h"
#include "yoke/data/formats/pickle_document.h"

namespace yoke::pickle {

/// Reads a document's values; one of another type than asked for is an Error that names the file.
class ValueReader {
 public:
  explicit ValueReader(const Document& document) : document_(document) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", document_.source, what));
  }

  template <typename Type>
  const Type& get(const Value& value, const char* what) const {
    const auto* found = std::get_if<Type>(&value);
    if (found == nullptr) fail(fmt::format("the pickle gives {} as {}", type_name(value), what));
    return *found;
  }

  const Value& value(Index index) const { return document_.values[index]; }

  template <typename Type>
  const Type& item(const Tuple& tuple, std::size_t i, const char* what) const {
    if (i >= tuple.items.size()) fail(fmt::format("the pickle lacks {}", what));
    return get<Type>(document_.values[tuple.items[i]], what);
  }

  std::int64_t integer(const Value& value, const char* what) const {
    const auto* boolean = std::get_if<bool>(&value);  // an int where Python 2 wrote it
    return boolean != nullptr ? std::int64_t{*boolean} : get<std::int64_t>(value, what);
  }

 protected:
  const Document& document_;
};

}  // namespace yoke::pickle
