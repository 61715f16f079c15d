#include "yoke/train/checkpoints/export.h"

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "yoke/core/files/atomic.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/data/formats/pt.h"

namespace yoke {
namespace {

/// The bytes of torch::pickle_save(), but without the type annotation of the dict, a call which
/// `torch.load` refuses by default since PyTorch 2.6.
std::string pickle_dict(const c10::Dict<std::string, torch::Tensor>& dict) {
  std::string pickled;
  torch::jit::Pickler pickler(
      [&](const char* bytes, std::size_t size) { pickled.append(bytes, size); }, nullptr, nullptr,
      nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(dict);
  pickler.stop();

  std::string archive;
  caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, std::size_t size) {
    archive.append(static_cast<const char*>(bytes), size);
    return size;
  });
  writer.writeRecord(kPickleRecord, pickled.data(), pickled.size());
  std::size_t index = 0;
  for (const auto& tensor : pickler.tensorData()) {
    writer.writeRecord(fmt::format("data/{}", index++), tensor.data_ptr(), tensor.nbytes());
  }
  writer.writeEndOfFile();
  return archive;
}

}  // namespace

void write_pt(const std::filesystem::path& path, const NamedTensors& tensors) {
  c10::Dict<std::string, torch::Tensor> dict;
  for (const auto& [name, tensor] : tensors) {
    // A copy, for the file holds all of a tensor's storage, and views share a large one.
    dict.insert(name, tensor.detach().to(torch::kCPU).clone(torch::MemoryFormat::Contiguous));
  }
  write_file(path, pickle_dict(dict));
}

void write_weights(const std::filesystem::path& path, WeightFormat format,
                   const NamedTensors& tensors, std::map<std::string, std::string> metadata) {
  if (format == WeightFormat::kPt) return write_pt(path, tensors);
  metadata.emplace("format", "pt");  // as Python's readers expect
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    write_safetensors(temporary, tensors, metadata);
  });
}

}  // namespace yoke
