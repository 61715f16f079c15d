// yoke/core/files/checksum.h: digests of bytes and files (OpenSSL).
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace yoke {

/// A digest computed piece by piece.
class Checksum {
 public:
  /// `algorithm` is "md5" or "sha256". @throws Error when OpenSSL lacks it.
  explicit Checksum(const char* algorithm);
  ~Checksum();

  void update(std::span<const std::byte> bytes);
  /// The digest in lower-case hexadecimal digits; ends the use of this object.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string checksum(const char* algorithm, std::span<const std::byte> bytes);

/// The digest of a file, read in pieces. @throws Error when it cannot be read.
std::string file_checksum(const char* algorithm, const std::filesystem::path& path);

}  // namespace yoke
