// tests/data/dataset_files.h: small data sets as files.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke::test {

/// `bytes` as a gzip file.
inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string output(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  deflate(&stream, Z_FINISH);
  output.resize(stream.total_out);
  deflateEnd(&stream);
  return output;
}

/// An idx file of `values` with the dimensions `shape`.
inline std::string idx_file(const std::vector<std::uint32_t>& shape, std::string_view values) {
  std::string bytes{0, 0, 8, static_cast<char>(shape.size())};
  for (const std::uint32_t length : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(length >> shift);
  }
  return bytes.append(values);
}

/// Writes MNIST's four files, with three training images of 2x2 (bytes 0 to 11; labels 7, 0, 9) and
/// one of validation (bytes 50 to 53; label 4).
inline void write_small_mnist(const std::filesystem::path& folder) {
  std::string pixels(12, '\0');
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i);
  std::filesystem::create_directories(folder);
  write_file(folder / "train-images-idx3-ubyte", idx_file({3, 2, 2}, pixels));
  write_file(folder / "train-labels-idx1-ubyte", idx_file({3}, std::string("\7\0\11", 3)));
  write_file(folder / "t10k-images-idx3-ubyte", idx_file({1, 2, 2}, "2345"));
  write_file(folder / "t10k-labels-idx1-ubyte", idx_file({1}, "\4"));
}

/// The message of the `Failure` that `function` throws, or a word on what else happened.
template <typename Failure = Error, typename Function>
std::string failure_of(const Function& function) {
  try {
    function();
  } catch (const Failure& failure) {
    return failure.what();
  } catch (const std::exception& other) {
    return std::string("another exception: ") + other.what();
  }
  return "no exception";
}

}  // namespace yoke::test
