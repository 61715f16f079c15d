#include "yoke/data/formats/pt.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/state_dict.h"
#include "yoke/data/formats/zip.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(const torch::Tensor& bytes) {
  return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

/// The name of a file without the folder that all are in.
std::string_view below_folder(std::string_view name) {
  const auto slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
}

bool is_known(std::string_view name) {
  const auto known = below_folder(name);
  return known == kPickleRecord || known == "byteorder" || known == "constants.pkl" ||
         known.starts_with("data/");
}

class PtFile {
 public:
  explicit PtFile(const fs::path& path)
      : path_(path.string()), files_(read_stored_zip(path, is_known)), folder_(find_folder()) {
    const auto order = files_.find(folder_ + "byteorder");
    if (order != files_.end() && text_of(order->second) != "little") {
      fail("its byte order is not 'little'; save it on a little-endian machine");
    }
  }

  NamedTensors tensors() {
    NamedTensors tensors;
    const auto pickle = text_of(files_.at(folder_ + kPickleRecord));
    for (auto& place : read_state_dict(std::string(pickle), path_)) {
      auto tensor = view(place);
      tensors.emplace_back(std::move(place.name), std::move(tensor));
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", path_, what));
  }

  /// The `NAME/` of NAME/data.pkl.
  std::string find_folder() const {
    std::string folder;
    for (const auto& [name, bytes] : files_) {
      if (below_folder(name) != kPickleRecord) continue;
      if (!folder.empty()) fail("this zip archive holds more than one data.pkl");
      folder = name.substr(0, name.find('/') + 1);
    }
    if (folder.empty()) fail("this zip archive has no data.pkl, so it is not of torch.save");
    if (files_.contains(folder + "constants.pkl")) {
      fail(
          "this is a TorchScript archive; save its weights alone in Python: "
          "torch.save(torch.jit.load('FILE').state_dict(), 'WEIGHTS')");
    }
    return folder;
  }

  torch::Tensor view(const TensorPlace& place) {
    const auto& storage = storage_of(place);
    if (storage.numel() != place.elements) {
      fail(fmt::format("its record data/{} holds {} elements of tensor '{}', {} are expected",
                       place.record, storage.numel(), place.name.substr(0, 100), place.elements));
    }
    for (const auto length : place.shape) {
      if (length == 0) return torch::empty(place.shape, place.dtype);
    }
    return storage.as_strided(place.shape, place.strides, place.offset);
  }

  /// A whole record as numbers, checked once, however many tensors are views of it.
  const torch::Tensor& storage_of(const TensorPlace& place) {
    auto& storage = storages_[{place.record, place.dtype}];
    if (storage.defined()) return storage;
    const auto record = files_.find(fmt::format("{}data/{}", folder_, place.record));
    if (record == files_.end()) {
      fail(fmt::format("it lacks the record data/{} of tensor '{}'", place.record,
                       place.name.substr(0, 100)));
    }
    const auto& bytes = record->second;
    if (bytes.numel() % static_cast<std::int64_t>(c10::elementSize(place.dtype)) != 0) {
      fail(fmt::format("its record data/{} of {} bytes is no whole number of {}", place.record,
                       bytes.numel(), c10::toString(place.dtype)));
    }
    if (place.dtype == torch::kBool && bytes.gt(1).any().item<bool>()) {
      fail(fmt::format("its record data/{} has other values than true and false", place.record));
    }
    storage = bytes.view(place.dtype);
    return storage;
  }

  std::string path_;
  std::map<std::string, torch::Tensor> files_;  // uint8
  std::string folder_;                          // ends in a slash
  std::map<std::pair<std::string, torch::ScalarType>, torch::Tensor> storages_;
};

/// What torch.save wrote before 1.6 are pickles one after the other.
void refuse_old_form(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (stream.get() != 0x80) return;
  throw Error(
      fmt::format("{} is a .pt of PyTorch before 1.6, or a plain pickle; write it anew in Python: "
                  "torch.save(torch.load('FILE', map_location='cpu'), 'NEW')",
                  path.string()));
}

}  // namespace

NamedTensors read_pt(const fs::path& path) {
  refuse_old_form(path);
  return PtFile(path).tensors();
}

}  // namespace yoke
