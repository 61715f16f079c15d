// yoke/core/files/safetensors.h: files of named tensors, in the safetensors format.
//
// u64 little-endian header length N | N bytes of JSON, padded with spaces | data. Each entry of the
// JSON is "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, in bytes from
// the start of the data; "__metadata__" maps strings to strings.
// https://github.com/huggingface/safetensors
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// What a writer says that it wrote, to compare with what is on the disk.
struct WrittenFile {
  std::uint64_t size_bytes = 0;
  std::string sha256;  ///< 64 lower-case hexadecimal digits.
};

/// Writes `tensors` (any device and strides) to the new file `path` and waits for the disk. Holds a
/// copy of one tensor at a time, and only of those that are not contiguous in the host's memory.
/// @throws Error when writing fails, a name repeats, or a dtype has no place in the format.
WrittenFile write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata = {});

/// The tensors of a file in the order of its header, on the CPU.
/// @throws Error that names the file, the tensor, what was expected and what was found.
NamedTensors read_safetensors(const std::filesystem::path& path);

/// What the writer of a file said of it; the tensors are not read. @throws Error likewise.
std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path);

}  // namespace yoke
