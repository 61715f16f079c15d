// yoke/report/tensorboard/tensorboard.h: writes a TensorBoard event file.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "yoke/core/files/appended_file.h"

namespace yoke {

namespace tensorboard {
class Event;
class GraphDef;
}  // namespace tensorboard

/// Appends events to a new file `events.out.tfevents.<unix>.<host>.<pid>.<n>`. Not thread safe.
///
/// Events are buffered and reach the file at `flush`, at the latest with the first event after 10 s
/// or 64 KiB, and on destruction. A write that fails leaves the file as it was, whole records only,
/// and keeps what is buffered, to be tried again at the next flush.
class TensorBoardWriter {
 public:
  /// Makes `directory` if need be. `purge_step` is the first step a resumed run writes: TensorBoard
  /// hides what earlier files of the directory hold from that step on.
  /// @throws Error when the file cannot be made.
  explicit TensorBoardWriter(const std::filesystem::path& directory,
                             std::optional<std::int64_t> purge_step = {});
  /// Flushes; loses what is buffered when the disk fails.
  ~TensorBoardWriter();
  TensorBoardWriter(const TensorBoardWriter&) = delete;
  TensorBoardWriter& operator=(const TensorBoardWriter&) = delete;

  /// A point of the curve `tag`, e.g. "Loss/train". @throws Error when the disk fails.
  void add_scalar(std::string_view tag, double value, std::int64_t step);
  /// `markdown` for the text page. @throws Error when the disk fails.
  void add_text(std::string_view tag, std::string_view markdown, std::int64_t step = 0);
  /// The model's graph. @throws Error when the disk fails.
  void add_graph(const tensorboard::GraphDef& graph);
  /// Hands what is buffered to the system. @throws Error when the disk fails.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  void add(tensorboard::Event& event);

  std::filesystem::path path_;
  std::optional<AppendedFile> file_;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace yoke
