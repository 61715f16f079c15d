#include "yoke/report/machine/resources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/run/resource_samples.h"

namespace yoke {
namespace {

using Count = std::optional<std::int64_t>;

std::optional<double> number(const Count& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::optional<double> since(const Count& first, const Count& now) {
  if (!first || !now) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, *now - *first));
}

/// Keeps other processes from writing; several ranks share a file.
class OneWriter {
 public:
  explicit OneWriter(int file) : file_(file) { ::flock(file_, LOCK_EX); }
  ~OneWriter() { ::flock(file_, LOCK_UN); }
  OneWriter(const OneWriter&) = delete;
  OneWriter& operator=(const OneWriter&) = delete;

 private:
  const int file_;
};

/// The header and the whole lines of `text` but those of `rank`, or any, from `end_seconds` on.
std::string kept_lines(const std::string& text, double end_seconds, std::optional<int> rank) {
  std::istringstream lines(text);
  std::string kept = resources_header();
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    const auto fields = split(line, ',');
    const auto seconds = parse_number<double>(fields[0]);
    const auto writer = fields.size() > 1 ? parse_number<int>(fields[1]) : std::nullopt;
    if (!seconds || !writer) continue;
    if (*seconds < end_seconds || (rank && *writer != *rank)) kept += line + "\n";
  }
  return kept;
}

}  // namespace

void drop_resources(const std::filesystem::path& path, double end_seconds,
                    std::optional<int> rank) {
  if (!std::filesystem::exists(path)) return;
  try {
    // In place, for other ranks may have opened it.
    FileDescriptor file(path, O_WRONLY);
    const OneWriter lock(file.get());
    const std::string before = read_file(path), kept = kept_lines(before, end_seconds, rank);
    if (kept == before) return;
    file.write(std::as_bytes(std::span(kept)));
    [[maybe_unused]] const int ignored = ::ftruncate(file.get(), static_cast<::off_t>(kept.size()));
  } catch (const Error&) {
    return;  // the sampler will tell of it
  }
}

ResourceSampler::ResourceSampler(const std::filesystem::path& path, int rank,
                                 std::chrono::milliseconds period, double first_second,
                                 GpuCounters gpus)
    : rank_(rank), period_(period), first_second_(first_second), gpus_(std::move(gpus)) {
  try {
    file_ = std::make_unique<FileDescriptor>(path, O_WRONLY | O_CREAT | O_APPEND);
    write("");
  } catch (const Error& error) {
    error_ = error.what();
    return;
  }
  thread_ = std::thread([this] { run(); });
}

ResourceSampler::~ResourceSampler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<std::string> ResourceSampler::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void ResourceSampler::run() {
  auto next = start_;
  bool last = false;
  while (!last) {
    next = std::max(next + period_, std::chrono::steady_clock::now());
    {
      std::unique_lock lock(mutex_);
      last = wake_.wait_until(lock, next, [this] { return stopping_; });
    }
    try {
      if (!last && last_seconds_ == 0) write_start();
      sample();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      error_ = error.what();
      return;
    }
  }
}

void ResourceSampler::sample() {
  const ResourceReading now = counters_.read();
  const GpuUse gpus = gpus_.read();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double elapsed = std::max(seconds - last_seconds_, 1e-9);
  // A line right after another would tell of this thread's work alone.
  if (last_seconds_ > 0 && elapsed < std::chrono::duration<double>(period_).count() / 10) return;
  const double cpu_percent = 100 * (now.cpu_seconds - last_cpu_seconds_) / elapsed;
  last_seconds_ = seconds;
  last_cpu_seconds_ = now.cpu_seconds;
  peak_rss_bytes_ = std::max(peak_rss_bytes_.load(), now.rss_bytes.value_or(0));
  write(to_line(
      {.seconds = first_second_ + seconds,
       .rank = rank_,
       .cpu_percent = cpu_percent,
       .rss_bytes = number(now.rss_bytes),
       .disk_read_bytes = since(first_.disk_read_bytes, now.disk_read_bytes),
       .disk_write_bytes = since(first_.disk_write_bytes, now.disk_write_bytes),
       .network_receive_bytes = since(first_.network_receive_bytes, now.network_receive_bytes),
       .network_send_bytes = since(first_.network_send_bytes, now.network_send_bytes),
       .gpu_percent = number(gpus.percent),
       .gpu_memory_bytes = number(gpus.memory_bytes)}));
}

void ResourceSampler::write_start() {
  write(to_line({.seconds = first_second_, .rank = rank_, .rss_bytes = number(first_.rss_bytes)}));
}

/// With the header before it where the file is empty.
void ResourceSampler::write(const std::string& line) {
  const OneWriter lock(file_->get());
  const auto size_bytes = ::lseek(file_->get(), 0, SEEK_END);
  const std::string text = size_bytes == 0 ? resources_header() + line : line;
  try {
    file_->write(std::as_bytes(std::span(text)));
  } catch (const Error&) {
    [[maybe_unused]] const int ignored = ::ftruncate(file_->get(), size_bytes);
    throw;
  }
}

}  // namespace yoke
