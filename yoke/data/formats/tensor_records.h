// yoke/data/formats/tensor_records.h: the numbers of a `.pt` file, and its tensors as views of
// them.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "yoke/core/named_tensors.h"
#include "yoke/data/formats/state_dict.h"

namespace yoke {

/// Records of bytes, by name.
class TensorRecords {
 public:
  /// `bytes` are uint8, as `prefix` and a record's name call them; `source` names the file in
  /// messages.
  TensorRecords(std::string source, std::string prefix, std::map<std::string, torch::Tensor> bytes);

  /// Tensors at `places`, which fit the records that the pickle tells of.
  /// @throws Error where a record is not there or not as the pickle says.
  NamedTensors views(std::vector<TensorPlace> places);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  torch::Tensor view(const TensorPlace& place);
  const torch::Tensor& storage_of(const TensorPlace& place);

  std::string source_, prefix_;
  std::map<std::string, torch::Tensor> bytes_;
  std::map<std::pair<std::string, torch::ScalarType>, torch::Tensor> storages_;
};

}  // namespace yoke
