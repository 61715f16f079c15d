#include "yoke/data/formats/state_dict.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "yoke/data/formats/pickle_torch.h"
#include "yoke/data/formats/value_reader.h"

namespace yoke {
namespace {

using pickle::Dict;
using pickle::Index;
using pickle::Text;
using pickle::Tuple;

constexpr std::size_t kMostDimensions = 16;

class StateDict : pickle::ValueReader {
 public:
  using ValueReader::ValueReader;

  std::vector<TensorPlace> places() const {
    std::vector<TensorPlace> places;
    std::unordered_set<std::string_view> names;
    for (const auto& [key, value] : tensors().entries) {
      const auto name = get<Text>(document_.values[key], "the name of a tensor").bytes;
      if (!names.insert(name).second) {
        fail(fmt::format("the pickle has two tensors '{}'", name.substr(0, 100)));
      }
      places.push_back(place(name, document_.values[value]));
    }
    return places;
  }

  /// Those of all values, also of such as are no tensors of the dict.
  std::vector<StorageRecord> storages(const std::vector<TensorPlace>& places) const {
    std::unordered_map<std::string_view, StorageRecord> found;
    for (const auto& value : document_.values) {
      const auto* storage = std::get_if<pickle::Storage>(&value);
      if (storage == nullptr) continue;
      const auto [entry, fresh] =
          found.emplace(storage->record, StorageRecord{.name = std::string(storage->record),
                                                       .dtype = storage->dtype,
                                                       .elements = storage->elements});
      const auto& known = entry->second;
      if (known.dtype != storage->dtype || known.elements != storage->elements) {
        fail(fmt::format("the pickle tells of two storages '{}'", storage->record));
      }
    }
    for (const auto& place : places) found.at(place.record).used = true;
    std::vector<StorageRecord> storages;
    for (auto& [name, storage] : found) storages.push_back(std::move(storage));
    return storages;
  }

 private:
  const Dict& tensors() const {
    const Dict& root = get<Dict>(document_.values[document_.root], "the dict of tensors");
    for (const std::string_view wanted : {"state_dict", "model"}) {
      for (const auto& [key, value] : root.entries) {
        const auto* name = std::get_if<Text>(&document_.values[key]);
        const auto* inner = std::get_if<Dict>(&document_.values[value]);
        if (name != nullptr && inner != nullptr && name->bytes == wanted) return *inner;
      }
    }
    return root;
  }

  TensorPlace place(std::string_view name, const pickle::Value& value) const {
    const auto* tensor = std::get_if<pickle::Tensor>(&value);
    if (tensor == nullptr) {
      fail(
          fmt::format("'{}' is {} where a tensor is expected; save the tensors alone in Python: "
                      "torch.save(model.state_dict(), 'FILE')",
                      name.substr(0, 100), pickle::type_name(value)));
    }
    const auto& storage = std::get<pickle::Storage>(document_.values[tensor->storage]);
    TensorPlace place{.name = std::string(name),
                      .record = std::string(storage.record),
                      .dtype = storage.dtype,
                      .elements = storage.elements,
                      .offset = tensor->offset,
                      .shape = integers(tensor->shape),
                      .strides = integers(tensor->strides)};
    if (!fits(place)) {
      fail(fmt::format("shape, strides and offset of tensor '{}' do not fit its {} elements",
                       name.substr(0, 100), storage.elements));
    }
    return place;
  }

  std::vector<std::int64_t> integers(Index index) const {
    const auto& items = std::get<Tuple>(document_.values[index]).items;
    if (items.size() > kMostDimensions) fail("the pickle has a tensor of too many dimensions");
    std::vector<std::int64_t> values;
    for (const Index item : items) {
      values.push_back(get<std::int64_t>(document_.values[item], "a dimension of a tensor"));
    }
    return values;
  }

  static bool fits(const TensorPlace& place) {
    if (place.elements < 0 || place.offset < 0 || place.shape.size() != place.strides.size()) {
      return false;
    }
    std::int64_t count = 1, last = place.offset;  // the place of the last element
    bool empty = false;
    for (std::size_t i = 0; i < place.shape.size(); ++i) {
      const auto length = place.shape[i], stride = place.strides[i];
      std::int64_t distance = 0;
      if (length < 0 || stride < 0) return false;
      if (__builtin_mul_overflow(count, std::max<std::int64_t>(length, 1), &count) ||
          __builtin_mul_overflow(std::max<std::int64_t>(length, 1) - 1, stride, &distance) ||
          __builtin_add_overflow(last, distance, &last)) {
        return false;
      }
      empty = empty || length == 0;
    }
    return empty || (count <= place.elements && last < place.elements);
  }
};

}  // namespace

std::vector<TensorPlace> read_state_dict(std::string bytes, std::string source) {
  pickle::Document document{.bytes = std::move(bytes), .source = std::move(source)};
  pickle::run(document, pickle::TorchVocabulary());
  return StateDict(document).places();
}

StateDictPickle read_first_state_dict(std::string bytes, std::string source) {
  pickle::Document document{.bytes = std::move(bytes), .source = std::move(source)};
  StateDictPickle found;
  found.pickle_bytes = pickle::run_first(document, pickle::TorchVocabulary());
  const StateDict dict(document);
  found.places = dict.places();
  found.storages = dict.storages(found.places);
  return found;
}

}  // namespace yoke
