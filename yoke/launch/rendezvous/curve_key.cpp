#include "yoke/launch/rendezvous/curve_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_no_curve() {
  throw Error("ZeroMQ on this host is built without CURVE, by which agents know each other");
}

[[noreturn]] void throw_not_written(const fs::path& file, int error) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(error)));
}

constexpr std::size_t kTextBytes = 40, kBinaryBytes = 32;

using Binary = std::array<std::uint8_t, kBinaryBytes>;

Binary decoded(const std::string& text) {
  Binary bytes{};
  ::zmq_z85_decode(bytes.data(), text.c_str());
  return bytes;
}

std::string to_hexadecimal(const Binary& bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::optional<Binary> from_hexadecimal(std::string_view text) {
  Binary bytes;
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [stop, error] = std::from_chars(digits, digits + 2, bytes[i], /*base=*/16);
    if (error != std::errc() || stop != digits + 2) return std::nullopt;
  }
  return bytes;
}

/// The pair with this secret.
CurveKey key_of(const Binary& secret) {
  std::array<char, kTextBytes + 1> secret_key, public_key;
  ::zmq_z85_encode(secret_key.data(), secret.data(), secret.size());
  if (::zmq_curve_public(public_key.data(), secret_key.data()) != 0) throw_no_curve();
  return {.public_key = public_key.data(), .secret_key = secret_key.data()};
}

/// A whole file, or none: another host may make its own at the same time, and the first one stays.
void make_key_file(const fs::path& file) {
  const auto folder = folder_of(file);
  if (fs::create_directories(folder)) fs::permissions(folder, fs::perms::owner_all);
  std::string temporary = file.string() + ".XXXXXX";
  const int made = ::mkstemp(temporary.data());  // of mode 0600
  if (made < 0) throw_not_written(file, errno);
  ::close(made);
  try {
    const std::string text = to_hexadecimal(decoded(new_curve_key().secret_key)) + "\n";
    FileDescriptor writing(temporary, O_WRONLY);
    writing.write(std::as_bytes(std::span(text)));
    writing.sync();
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const bool first = ::link(temporary.c_str(), file.c_str()) == 0;
  const int error = errno;
  ::unlink(temporary.c_str());
  if (!first && error != EEXIST) throw_not_written(file, error);
}

void check_owner(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    throw UsageError(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  }
  const bool own = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (!own || (status.st_mode & (S_IWGRP | S_IRWXO)) != 0) {
    throw UsageError(fmt::format(
        "{}, by which hosts know each other, is of user {} and mode {:04o}; allowed: your own or "
        "root's, which others can neither read nor write: chmod 600 {}",
        file.string(), status.st_uid, status.st_mode & 07777, file.string()));
  }
}

}  // namespace

CurveKey new_curve_key() {
  std::array<char, kTextBytes + 1> public_key, secret_key;
  if (::zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) throw_no_curve();
  return {.public_key = public_key.data(), .secret_key = secret_key.data()};
}

CurveKey kept_curve_key(const fs::path& file, const std::function<void()>& made) {
  if (!fs::exists(file)) {
    make_key_file(file);
    made();
  }
  check_owner(file);
  std::string text = read_file(file);
  while (text.ends_with('\n')) text.pop_back();
  const auto secret = from_hexadecimal(text);
  if (!secret) {
    throw UsageError(fmt::format(
        "{} is no key by which hosts know each other; allowed: 64 hexadecimal digits. Where it is "
        "removed, the next yoke run makes one",
        file.string()));
  }
  return key_of(*secret);
}

}  // namespace yoke::launch
