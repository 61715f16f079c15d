#include "yoke/data/formats/pt.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/legacy_pt.h"
#include "yoke/data/formats/state_dict.h"
#include "yoke/data/formats/tensor_records.h"
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
    const auto pickle = text_of(files_.at(folder_ + kPickleRecord));
    auto places = read_state_dict(std::string(pickle), path_);
    std::map<std::string, torch::Tensor> records;
    for (auto& [name, bytes] : files_) records.emplace(below_folder(name), bytes);
    return TensorRecords(path_, "data/", std::move(records)).views(std::move(places));
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

  std::string path_;
  std::map<std::string, torch::Tensor> files_;  // uint8
  std::string folder_;                          // ends in a slash
};

}  // namespace

NamedTensors read_pt(const fs::path& path) {
  const LegacyForm form = legacy_form(path);
  if (form == LegacyForm::kPt) return read_legacy_pt(path);
  if (form == LegacyForm::kNone) return PtFile(path).tensors();
  throw Error(fmt::format(
      "{} begins like a .pt of PyTorch before 1.6 and goes on otherwise: it is cut short, or "
      "another pickle; write it anew in Python: torch.save(torch.load('FILE', "
      "map_location='cpu'), 'NEW')",
      path.string()));
}

}  // namespace yoke
