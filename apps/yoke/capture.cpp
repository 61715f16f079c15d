#include "apps/yoke/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/yoke/environment.h"
#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/core/system/process.h"

namespace yoke {
namespace {

/// A file in memory that holds `text`, at its begin.
Descriptor memory_file(const std::string& text) {
  Descriptor file(::memfd_create("yoke", MFD_CLOEXEC));
  if (file.get() < 0 ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0) {
    throw Error("cannot make a file in memory");
  }
  return file;
}

std::string contents(const Descriptor& file) {
  std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  const auto read = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  return text;
}

/// What main() printed before and after the message of an error goes.
std::string message_of(std::string text) {
  constexpr std::string_view kBefore = "yoke: ";
  if (text.starts_with(kBefore)) text.erase(0, kBefore.size());
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::filesystem::path own_program() { return std::filesystem::canonical("/proc/self/exe"); }

std::string capture(const std::vector<std::string>& arguments, const std::string& input) {
  const Descriptor in = memory_file(input), out = memory_file(""), err = memory_file("");
  Process process({.arguments = arguments,
                   .environment = whole_environment(),
                   .in = in.get(),
                   .out = out.get(),
                   .err = err.get()});
  pollfd ended{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
  auto status = process.poll();
  while (!status) {
    ::poll(&ended, 1, /*timeout=*/-1);
    status = process.poll();
  }
  if (*status == kWrongUsage) throw UsageError(message_of(contents(err)));
  if (*status == kUnavailable) throw UnavailableError(message_of(contents(err)));
  if (*status != 0) {
    throw Error(fmt::format("'{}' failed ({}):\n{}{}", fmt::join(arguments, " "), *status,
                            contents(out), contents(err)));
  }
  return contents(out);
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace yoke
