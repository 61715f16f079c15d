#include "yoke/train/checkpoints/checkpoint_writer.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/files/atomic.h"
#include "yoke/core/system/thread_name.h"

namespace yoke {

namespace fs = std::filesystem;

CheckpointWriter::CheckpointWriter(fs::path directory, std::int64_t keep)
    : directory_(std::move(directory)), keep_(keep) {
  if (keep < 1) throw UsageError(fmt::format("--keep {}: at least 1 checkpoint is kept", keep));
  remove_leftovers(directory_);
}

CheckpointWriter::~CheckpointWriter() { wait(); }

void CheckpointWriter::save(Checkpoint snapshot, std::int64_t best) {
  wait();
  thread_ = std::thread([this, snapshot = std::move(snapshot), best] { write(snapshot, best); });
}

void CheckpointWriter::wait() {
  if (thread_.joinable()) thread_.join();
}

std::vector<std::string> CheckpointWriter::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

bool CheckpointWriter::last_was_written() const {
  const std::lock_guard lock(mutex_);
  return last_was_written_;
}

std::optional<fs::path> CheckpointWriter::newest() const {
  {
    const std::lock_guard lock(mutex_);
    if (newest_) return newest_;
  }
  for (const auto& path : found()) {
    try {
      verify_checkpoint(path);
      return path;
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

void CheckpointWriter::write(const Checkpoint& snapshot, std::int64_t best) {
  name_thread("checkpoint");
  RECORD_USER_SCOPE("checkpoint: write");
  try {
    const auto written = write_checkpoint(directory_, snapshot);
    {
      const std::lock_guard lock(mutex_);
      newest_ = written;
      last_was_written_ = true;
    }
    prune(written, best);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    last_was_written_ = false;
    problems_.push_back(
        fmt::format("the checkpoint of step {} was not written: {}", snapshot.step, error.what()));
  }
}

void CheckpointWriter::prune(const fs::path& written, std::int64_t best) {
  good_.insert(written);
  std::int64_t kept = 0;
  for (const auto& path : found()) {
    if (kept < keep_) {
      if (is_good(path)) ++kept;
    } else if (path != written && checkpoint_step(path) != best) {
      give_up(path);
      good_.erase(path);
    }
  }
  remove_leftovers(directory_);
}

std::vector<fs::path> CheckpointWriter::found() const {
  try {
    return list_checkpoints(directory_);
  } catch (const Error&) {  // none of them is known, so none goes
    return {};
  }
}

bool CheckpointWriter::is_good(const fs::path& checkpoint) {
  if (good_.contains(checkpoint)) return true;
  try {
    verify_checkpoint(checkpoint);
  } catch (const Error&) {
    return false;
  }
  good_.insert(checkpoint);
  return true;
}

}  // namespace yoke
