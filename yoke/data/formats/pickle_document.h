// yoke/data/formats/pickle_document.h: the values of a pickle in one flat table, so that neither
// cycles nor deep nesting cost anything.
#pragma once
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "yoke/data/formats/pickle.h"

namespace yoke::pickle {

/// Place of a value in the table.
using Index = std::uint32_t;

struct None {};

struct Text {
  std::string_view bytes;   // into the file, or into Document::decoded
  bool is_unicode = false;  // then in UTF-8
};

struct List {
  std::vector<Index> items;
};

struct Tuple {
  std::vector<Index> items;
};

struct Dict {
  std::vector<std::pair<Index, Index>> entries;  // a later one replaces an earlier one
};

/// A numpy.dtype.
struct DataType {
  char kind = 0;
  std::int64_t item_bytes = 0;
  bool is_big_endian = false;
};

/// Everything a pickle may name.
enum class Function { kReconstruct, kFromBuffer, kArrayClass, kDataType, kEncode, kBytes };

using Value = std::variant<None, bool, std::int64_t, double, Text, List, Tuple, Dict, DataType,
                           PickleArray, Function>;

struct Document {
  std::string bytes;
  std::string source;
  std::deque<std::string> decoded;
  std::size_t decoded_bytes = 0;  // of what `decoded` is from
  std::vector<Value> values;
  Index root = 0;
};

/// The word for the type of `value` in messages.
std::string type_name(const Value& value);

/// The function that a pickle names. @throws Error on any other, naming it.
Function find_function(std::string_view module, std::string_view name, std::string_view source);

/// What `function` gives for `arguments`, for the few uses that pickles make of it.
Value call(Document& document, Function function, const Tuple& arguments);

/// Gives the array or dtype `target` the state that its pickle holds for it.
void build(Document& document, Value& target, const Value& state);

/// Runs the pickle in `document.bytes`.
void run(Document& document);

}  // namespace yoke::pickle
