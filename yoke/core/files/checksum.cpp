#include "yoke/core/files/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

#include "yoke/core/error.h"

namespace yoke {

struct Checksum::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

Checksum::Checksum(const char* algorithm) : context_(std::make_unique<Context>()) {
  const EVP_MD* const digest = EVP_get_digestbyname(algorithm);
  if (digest == nullptr || EVP_DigestInit_ex(context_->evp, digest, nullptr) != 1) {
    throw Error(fmt::format("OpenSSL has no digest '{}'", algorithm));
  }
}

Checksum::~Checksum() = default;

void Checksum::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size());
}

std::string Checksum::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context_->evp, digest.data(), &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string checksum(const char* algorithm, std::span<const std::byte> bytes) {
  Checksum sum(algorithm);
  sum.update(bytes);
  return sum.finish();
}

std::string file_checksum(const char* algorithm, const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(fmt::format("cannot read {}", path.string()));
  Checksum sum(algorithm);
  std::vector<char> piece(1 << 20);
  do {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.update(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(stream.gcount()))));
  } while (stream);
  if (stream.bad()) throw Error(fmt::format("cannot read {}", path.string()));
  return sum.finish();
}

}  // namespace yoke
