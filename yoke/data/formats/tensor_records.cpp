#include "yoke/data/formats/tensor_records.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

TensorRecords::TensorRecords(std::string source, std::string prefix,
                             std::map<std::string, torch::Tensor> bytes)
    : source_(std::move(source)), prefix_(std::move(prefix)), bytes_(std::move(bytes)) {}

NamedTensors TensorRecords::views(std::vector<TensorPlace> places) {
  NamedTensors tensors;
  for (auto& place : places) {
    auto tensor = view(place);
    tensors.emplace_back(std::move(place.name), std::move(tensor));
  }
  return tensors;
}

void TensorRecords::fail(const std::string& what) const {
  throw Error(fmt::format("{}: {}", source_, what));
}

torch::Tensor TensorRecords::view(const TensorPlace& place) {
  const auto& storage = storage_of(place);
  if (storage.numel() != place.elements) {
    fail(fmt::format("its record {}{} holds {} elements of tensor '{}', {} are expected", prefix_,
                     place.record, storage.numel(), place.name.substr(0, 100), place.elements));
  }
  for (const auto length : place.shape) {
    if (length == 0) return torch::empty(place.shape, place.dtype);
  }
  return storage.as_strided(place.shape, place.strides, place.offset);
}

/// A whole record as numbers, checked once, however many tensors are views of it.
const torch::Tensor& TensorRecords::storage_of(const TensorPlace& place) {
  auto& storage = storages_[{place.record, place.dtype}];
  if (storage.defined()) return storage;
  const auto record = bytes_.find(prefix_ + place.record);
  if (record == bytes_.end()) {
    fail(fmt::format("it lacks the record {}{} of tensor '{}'", prefix_, place.record,
                     place.name.substr(0, 100)));
  }
  const auto& bytes = record->second;
  if (bytes.numel() % static_cast<std::int64_t>(c10::elementSize(place.dtype)) != 0) {
    fail(fmt::format("its record {}{} of {} bytes is no whole number of {}", prefix_, place.record,
                     bytes.numel(), c10::toString(place.dtype)));
  }
  if (place.dtype == torch::kBool && bytes.gt(1).any().item<bool>()) {
    fail(
        fmt::format("its record {}{} has other values than true and false", prefix_, place.record));
  }
  storage = bytes.view(place.dtype);
  return storage;
}

}  // namespace yoke
