// yoke/data/formats/pickle_document.h: the values of a pickle in one flat table, so that neither
// cycles nor deep nesting cost anything.
#pragma once
#include <c10/core/ScalarType.h>

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

/// A class such as torch.FloatStorage, which stands for its dtype.
struct StorageClass {
  c10::ScalarType dtype = c10::kFloat;
};

/// The memory of torch's tensors: a record of the archive that the pickle lies in.
struct Storage {
  c10::ScalarType dtype = c10::kFloat;
  std::string_view record;
  std::int64_t elements = 0;
};

/// A tensor of torch's: a view of a storage, whose parts are other values.
struct Tensor {
  Index storage = 0, shape = 0, strides = 0;
  std::int64_t offset = 0;  // in elements
};

/// Every function a pickle may name: numpy's, then torch's.
enum class Function {
  kReconstruct,
  kFromBuffer,
  kArrayClass,
  kDataType,
  kEncode,
  kBytes,
  kOrderedDict,
  kTensor,
  kParameter
};

using Value = std::variant<None, bool, std::int64_t, double, Text, List, Tuple, Dict, DataType,
                           PickleArray, StorageClass, Storage, Tensor, Function>;

struct Document {
  std::string bytes;
  std::string source;
  std::deque<std::string> decoded{};
  std::size_t decoded_bytes = 0;  // of what `decoded` is from
  std::vector<Value> values{};
  Index root = 0;
};

/// The word for the type of `value` in messages.
std::string type_name(const Value& value);

}  // namespace yoke::pickle
