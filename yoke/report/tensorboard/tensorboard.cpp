#include "yoke/report/tensorboard/tensorboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/network.h"
#include "yoke/report/tensorboard/record.h"
#include "yoke/report/tensorboard/tensorboard.pb.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using tensorboard::Event;

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::chrono::seconds kFlushPeriod{10};

double unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The second in the new file's name: TensorBoard reads files in the order of their names, so it is
/// later than that of every file there.
std::int64_t name_second(const fs::path& directory) {
  auto second = static_cast<std::int64_t>(unix_seconds());
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    std::string_view rest = std::string_view(name).substr(kPrefix.size());
    const std::int64_t other = take_number<std::int64_t>(rest).value_or(0);
    // A name from the far future is no clock that is a little ahead; leave it alone.
    if (other < second + 24L * 3600) second = std::max(second, other + 1);
  }
  return second;
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const fs::path& directory,
                                     std::optional<std::int64_t> purge_step)
    : flushed_(std::chrono::steady_clock::now()) {
  make_folder(directory);
  const std::int64_t second = name_second(directory);
  for (int n = 0; !file_; ++n) {
    path_ =
        directory / fmt::format("{}{:010}.{}.{}.{}", kPrefix, second, host_name(), ::getpid(), n);
    if (fs::exists(path_)) continue;
    file_.emplace(path_, O_EXCL);
  }
  Event version;
  version.set_step(purge_step.value_or(0));
  version.set_file_version("brain.Event:2");
  add(version);
  if (purge_step) {
    Event start;
    start.set_step(*purge_step);
    start.mutable_session_log()->set_status(tensorboard::SessionLog::START);
    add(start);
  }
  flush();
}

TensorBoardWriter::~TensorBoardWriter() {
  try {
    flush();
  } catch (const Error&) {
    // The destructor is no place to complain.
  }
}

void TensorBoardWriter::add_scalar(std::string_view tag, double value, std::int64_t step) {
  Event event;
  event.set_step(step);
  auto& point = *event.mutable_summary()->add_value();
  point.set_tag(std::string(tag));
  point.set_simple_value(static_cast<float>(value));
  add(event);
}

void TensorBoardWriter::add_text(std::string_view tag, std::string_view markdown,
                                 std::int64_t step) {
  Event event;
  event.set_step(step);
  auto& text = *event.mutable_summary()->add_value();
  text.set_tag(std::string(tag));
  text.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  auto& tensor = *text.mutable_tensor();
  tensor.set_dtype(tensorboard::DT_STRING);
  tensor.mutable_tensor_shape()->add_dim()->set_size(1);
  tensor.add_string_val(std::string(markdown));
  add(event);
}

void TensorBoardWriter::add_graph(const tensorboard::GraphDef& graph) {
  Event event;
  event.set_graph_def(graph.SerializeAsString());
  add(event);
  // The page of graphs wants the devices of one step, too.
  tensorboard::RunMetadata metadata;
  metadata.mutable_step_stats()->add_dev_stats()->set_device("/device:CPU:0");
  Event tagged;
  tagged.mutable_tagged_run_metadata()->set_tag("step1");
  tagged.mutable_tagged_run_metadata()->set_run_metadata(metadata.SerializeAsString());
  add(tagged);
}

void TensorBoardWriter::add(Event& event) {
  event.set_wall_time(unix_seconds());
  file_->add(frame_record(event.SerializeAsString()));
  if (file_->waiting_bytes() >= kBufferBytes ||
      std::chrono::steady_clock::now() - flushed_ >= kFlushPeriod) {
    flush();
  }
}

void TensorBoardWriter::flush() {
  flushed_ = std::chrono::steady_clock::now();
  file_->flush();
}

}  // namespace yoke
