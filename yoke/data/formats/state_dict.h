// yoke/data/formats/state_dict.h: the pickle of a `.pt` file, which says what tensors there are and
// where their numbers lie.
#pragma once
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yoke {

/// A tensor whose numbers lie in a record of the archive.
struct TensorPlace {
  std::string name;
  std::string record;  ///< Its name; in an archive, that below `data/`.
  c10::ScalarType dtype = c10::kFloat;
  std::int64_t elements = 0;          ///< Of the whole record.
  std::int64_t offset = 0;            ///< Of the tensor's first element, in elements.
  std::vector<std::int64_t> shape;    ///< Its product is at most `elements`.
  std::vector<std::int64_t> strides;  ///< In elements; no element lies beyond the record.
};

/// The tensors of the dict that `bytes`, a pickle of torch.save, holds: its own, or where it has a
/// dict as `state_dict` or `model`, as checkpoints of training programs do, those of that one.
/// `source` names it in messages. Executes nothing; memory and time are linear in the size.
/// @throws Error on whatever else a pickle can hold, a name that comes twice, and numbers that do
/// not fit.
std::vector<TensorPlace> read_state_dict(std::string bytes, std::string source);

/// A record that the pickle tells of.
struct StorageRecord {
  std::string name;
  c10::ScalarType dtype = c10::kFloat;
  std::int64_t elements = 0;
  bool used = false;  ///< By a tensor of the dict.
};

struct StateDictPickle {
  std::vector<TensorPlace> places;
  std::vector<StorageRecord> storages;  ///< Each once.
  std::size_t pickle_bytes = 0;
};

/// The same of the pickle that `bytes` begins with, and all storages of it, for in a file of
/// pickles they can be told apart only so.
StateDictPickle read_first_state_dict(std::string bytes, std::string source);

}  // namespace yoke
