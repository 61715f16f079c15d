#include "yoke/core/files/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <fstream>
#include <span>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors_header.h"

namespace yoke {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

/// Writes to a new file and sums what passes through.
class SummedFile {
 public:
  explicit SummedFile(const std::filesystem::path& path)
      : file_(path, O_WRONLY | O_CREAT | O_TRUNC), sum_("sha256") {}

  void write(std::span<const std::byte> bytes) {
    file_.write(bytes);
    sum_.update(bytes);
    size_bytes_ += bytes.size();
  }

  WrittenFile finish() {
    file_.sync();
    return {.size_bytes = size_bytes_, .sha256 = sum_.finish()};
  }

 private:
  FileDescriptor file_;
  Checksum sum_;
  std::uint64_t size_bytes_ = 0;
};

void read_exactly(std::ifstream& stream, void* target, std::uint64_t size_bytes) {
  stream.read(static_cast<char*>(target), static_cast<std::streamsize>(size_bytes));
  if (!stream) throw Error("reading failed, or the file became shorter meanwhile");
}

/// Reads the header and leaves `stream` at the start of the data.
SafetensorsHeader read_header(std::ifstream& stream, std::uint64_t file_bytes) {
  std::uint64_t header_bytes = 0;
  if (file_bytes < sizeof header_bytes) {
    throw Error(fmt::format("{} bytes are too few for a header length", file_bytes));
  }
  read_exactly(stream, &header_bytes, sizeof header_bytes);
  const auto rest = file_bytes - sizeof header_bytes;
  if (header_bytes > std::min(rest, kMaxSafetensorsHeader)) {
    throw Error(fmt::format("the header's length is given as {} bytes; at most {} are possible",
                            header_bytes, std::min(rest, kMaxSafetensorsHeader)));
  }
  std::string header(header_bytes, '\0');
  read_exactly(stream, header.data(), header_bytes);
  return parse_safetensors_header(header, rest - header_bytes);
}

torch::Tensor read_tensor(std::ifstream& stream, std::streamoff data_start,
                          const SafetensorsEntry& entry) {
  auto tensor = torch::empty(entry.shape, torch::dtype(entry.dtype));
  if (entry.size_bytes() == 0) return tensor;
  stream.seekg(data_start + static_cast<std::streamoff>(entry.begin));
  read_exactly(stream, tensor.data_ptr(), entry.size_bytes());
  if (entry.dtype == torch::kBool) {
    const std::span bytes(static_cast<const unsigned char*>(tensor.data_ptr()), entry.size_bytes());
    const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](auto byte) { return byte > 1; });
    if (wrong != bytes.end()) {
      throw Error(
          fmt::format("tensor '{}' is BOOL, expected bytes 0 and 1, found {}", entry.name, *wrong));
    }
  }
  return tensor;
}

/// Opens `path` and has `read` take what it wants, behind the header.
template <typename Read>
auto read_behind_header(const std::filesystem::path& path, const Read& read) {
  std::error_code failed;
  const auto file_bytes = std::filesystem::file_size(path, failed);
  std::ifstream stream(path, std::ios::binary);
  if (failed || !stream) {
    throw Error(fmt::format("cannot read {}: {}", path.string(),
                            failed ? failed.message() : "it does not open"));
  }
  try {
    return read(stream, read_header(stream, file_bytes));
  } catch (const Error& error) {
    throw Error(fmt::format("{} is not a sound safetensors file: {}", path.string(), error.what()));
  }
}

}  // namespace

WrittenFile write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  const auto entries = place_safetensors(tensors);
  const auto header = safetensors_header(entries, metadata);
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return entries[left].begin < entries[right].begin;
  });
  SummedFile file(path);
  const std::uint64_t header_bytes = header.size();
  file.write(std::as_bytes(std::span(&header_bytes, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const auto index : order) {
    const auto tensor = tensors[index].second.detach().cpu().contiguous();
    file.write({static_cast<const std::byte*>(tensor.data_ptr()), entries[index].size_bytes()});
  }
  return file.finish();
}

NamedTensors read_safetensors(const std::filesystem::path& path) {
  return read_behind_header(path, [](std::ifstream& stream, const SafetensorsHeader& header) {
    const std::streamoff data_start = stream.tellg();
    NamedTensors tensors;
    for (const auto& entry : header.entries) {
      tensors.emplace_back(entry.name, read_tensor(stream, data_start, entry));
    }
    return tensors;
  });
}

std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path) {
  return read_behind_header(path, [](std::ifstream& /*stream*/, const SafetensorsHeader& header) {
    return header.metadata;
  });
}

}  // namespace yoke
