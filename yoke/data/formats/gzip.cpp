#include "yoke/data/formats/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

constexpr std::string_view kMagic = "\x1f\x8b";

class Inflater {
 public:
  Inflater(const std::filesystem::path& path, std::string_view input) : path_(path), input_(input) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error("zlib cannot be set up");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// All members of the file, one after the other; at most `limit` + 1 bytes of them.
  std::string run(std::size_t limit) {
    std::string output;
    std::size_t used = 0;
    for (;;) {
      if (used == output.size()) {
        if (used > limit) return output;
        output.resize(std::min(limit + 1, std::max(2 * used, 8 * input_.size() + 1024)));
      }
      const bool member_ends = step(output, used);
      if (!member_ends) continue;
      if (input_.empty()) break;
      if (!input_.starts_with(kMagic)) {
        fail(fmt::format("{} bytes follow its compressed data", input_.size()));
      }
      inflateReset(&stream_);
    }
    output.resize(used);
    return output;
  }

 private:
  /// Fills `output` from `used` on, which it moves; whether the member is at its end.
  bool step(std::string& output, std::size_t& used) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto input_bytes = static_cast<uInt>(std::min(kMost, input_.size()));
    const auto output_bytes = static_cast<uInt>(std::min(kMost, output.size() - used));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = input_bytes;
    stream_.next_out = reinterpret_cast<Bytef*>(output.data() + used);
    stream_.avail_out = output_bytes;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    input_.remove_prefix(input_bytes - stream_.avail_in);
    used += output_bytes - stream_.avail_out;
    if (status == Z_STREAM_END) return true;
    if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(fmt::format("its compressed data is damaged ({})",
                       stream_.msg != nullptr ? stream_.msg : zError(status)));
    }
    if (input_.empty() && stream_.avail_out > 0) {
      fail("its compressed data ends too early: the file is cut short");
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", path_.string(), what));
  }

  const std::filesystem::path& path_;
  std::string_view input_;
  z_stream stream_{};
};

}  // namespace

std::string read_plain_or_gzip(const std::filesystem::path& path, std::int64_t limit_bytes) {
  const auto limit = static_cast<std::size_t>(limit_bytes);
  std::error_code unknown;  // read_file() says why a file cannot be read
  const auto file_bytes = std::filesystem::file_size(path, unknown);
  std::string bytes;
  if (unknown || file_bytes <= limit) {
    bytes = read_file(path);
    if (bytes.starts_with(kMagic)) bytes = Inflater(path, bytes).run(limit);
  }
  if (bytes.size() > limit || (!unknown && file_bytes > limit)) {
    throw Error(fmt::format("{} holds more than {}, the most such a file may", path.string(),
                            format_bytes(limit_bytes)));
  }
  return bytes;
}

}  // namespace yoke
