#include "yoke/data/formats/legacy_pt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/pickle.h"
#include "yoke/data/formats/state_dict.h"
#include "yoke/data/formats/tensor_records.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// An int of ten bytes, 0x1950a86a20f9469cfc6c, that ends its pickle.
constexpr auto kMark =
    "\x8a\x0al\xfc\x9c"
    "F\xf9 j\xa8P\x19."sv;
constexpr std::size_t kMostBefore = 16;  // what begins that pickle
constexpr std::int64_t kVersion = 1001;
constexpr std::int64_t kMostHeadBytes = std::int64_t{16} << 20;  // tens of thousands of tensors
constexpr std::size_t kSmallPickleBytes = 4096;                  // of the version, of the machine

/// Where the mark ends that `bytes` begin with; 0 where they do not.
std::size_t end_of_mark(std::string_view bytes) {
  const auto mark = bytes.substr(0, kMostBefore + kMark.size()).find(kMark);
  return mark == std::string_view::npos ? 0 : mark + kMark.size();
}

class LegacyPtFile {
 public:
  explicit LegacyPtFile(const fs::path& path)
      : path_(path.string()), stream_(path, std::ios::binary) {
    std::error_code failed;
    size_ = static_cast<std::int64_t>(fs::file_size(path, failed));
    if (failed) fail(failed.message());
  }

  LegacyForm form() {
    const auto start = take_at(0, std::min<std::int64_t>(size_, kMostBefore + kMark.size()));
    if (!start.starts_with('\x80')) return LegacyForm::kNone;
    return end_of_mark(start) == 0 ? LegacyForm::kOtherPickle : LegacyForm::kPt;
  }

  NamedTensors tensors() {
    head_ = take_at(0, std::min(size_, kMostHeadBytes));
    head_at_ = end_of_mark(head_);
    if (head_at_ == 0) fail("it is no .pt of PyTorch before 1.6");
    read_version();
    StateDictPickle dict = read_first_state_dict(head_.substr(head_at_), path_);
    head_at_ += dict.pickle_bytes;
    TensorRecords records(path_, "", read_storages(dict));
    return records.views(std::move(dict.places));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", path_, what));
  }

  void read_into(char* bytes, std::int64_t count) {
    stream_.read(bytes, count);
    if (stream_.gcount() == count) return;
    fail(stream_.bad() ? "it cannot be read" : "it is cut short");
  }

  std::string take_at(std::int64_t place, std::int64_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    stream_.seekg(place);
    read_into(bytes.data(), count);
    return bytes;
  }

  /// The next pickle of the head.
  Pickle next_pickle(std::size_t most_bytes) {
    auto pickle = Pickle::first(head_.substr(head_at_, most_bytes), path_);
    head_at_ += pickle.size_bytes();
    return pickle;
  }

  void read_version() {
    if (const auto version = next_pickle(kSmallPickleBytes).root().integer(); version != kVersion) {
      fail(fmt::format("it is of version {} of its format; {} is read", version, kVersion));
    }
    if (next_pickle(kSmallPickleBytes).root().at("little_endian").integer() != 1) {
      fail("its byte order is not 'little'; save it on a little-endian machine");
    }
  }

  /// The bytes of those storages that `dict` has tensors in, by name.
  std::map<std::string, torch::Tensor> read_storages(const StateDictPickle& dict) {
    std::map<std::string_view, const StorageRecord*> known;
    for (const auto& storage : dict.storages) known.emplace(storage.name, &storage);
    std::map<std::string, torch::Tensor> bytes;
    const auto names = next_pickle(head_.size());
    std::int64_t at = static_cast<std::int64_t>(head_at_);
    for (const auto& item : names.root().items()) {
      const std::string name(item.text());
      const auto storage = known.find(name);
      if (storage == known.end()) fail(fmt::format("no tensor is in its storage '{}'", name));
      auto record = read_storage(*storage->second, at);
      if (!bytes.emplace(name, std::move(record)).second) {
        fail(fmt::format("it holds the storage '{}' twice", name));
      }
    }
    return bytes;
  }

  /// The one at `at`, which is then after it.
  torch::Tensor read_storage(const StorageRecord& storage, std::int64_t& at) {
    std::int64_t elements = 0;
    const auto count = take_at(at, sizeof elements);
    std::memcpy(&elements, count.data(), sizeof elements);
    at += static_cast<std::int64_t>(sizeof elements);
    const auto each = static_cast<std::int64_t>(c10::elementSize(storage.dtype));
    if (elements < 0 || elements != storage.elements) {
      fail(fmt::format("its storage '{}' holds {} elements, {} are expected", storage.name,
                       elements, storage.elements));
    }
    if (elements > (size_ - at) / each) {
      fail(fmt::format("it is cut short within its storage '{}'", storage.name));
    }
    auto bytes = torch::empty({storage.used ? elements * each : 0}, torch::kUInt8);
    if (storage.used) read_into(static_cast<char*>(bytes.data_ptr()), bytes.numel());
    at += elements * each;
    return bytes;
  }

  std::string path_;
  std::ifstream stream_;
  std::int64_t size_ = 0;
  std::string head_;  // its first bytes, which have the pickles
  std::size_t head_at_ = 0;
};

}  // namespace

LegacyForm legacy_form(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? LegacyPtFile(path).form() : LegacyForm::kNone;
}

NamedTensors read_legacy_pt(const fs::path& path) { return LegacyPtFile(path).tensors(); }

}  // namespace yoke
