#include "yoke/report/tensorboard/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

#include "tests/support/file_size_limit.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/report/tensorboard/record.h"
#include "yoke/report/tensorboard/tensorboard.pb.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using tensorboard::Event;

template <typename Integer>
Integer take(std::string_view& bytes) {
  Integer value{};
  if (bytes.size() < sizeof(value)) throw Error("record is cut off");
  bytes.copy(reinterpret_cast<char*>(&value), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return value;
}

/// The events of a file's bytes. @throws Error where a record is cut off or a checksum is wrong.
std::vector<Event> parse_events(std::string_view bytes) {
  std::vector<Event> events;
  while (!bytes.empty()) {
    const auto length_bytes = bytes.substr(0, 8);
    const auto length = take<std::uint64_t>(bytes);
    if (take<std::uint32_t>(bytes) != masked_crc32c(length_bytes)) throw Error("length is damaged");
    if (bytes.size() < length) throw Error("record is cut off");
    const auto payload = bytes.substr(0, length);
    bytes.remove_prefix(length);
    if (take<std::uint32_t>(bytes) != masked_crc32c(payload)) throw Error("payload is damaged");
    if (!events.emplace_back().ParseFromArray(payload.data(), static_cast<int>(length))) {
      throw Error("no event");
    }
  }
  return events;
}

std::vector<Event> read_events(const fs::path& path) { return parse_events(read_file(path)); }

TEST(Crc32c, EqualsTheKnownSums) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(FrameRecord, EqualsTensorFlowsBytes) {
  // The first record of every event file: its 8 bytes of length and their sum.
  const std::string record = frame_record(std::string(24, 'x'));
  EXPECT_EQ(record.size(), 40u);
  EXPECT_EQ(record.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
}

TEST(TensorBoardWriter, WritesScalarsThatAreReadBack) {
  const test::TemporaryDirectory directory;
  const double before =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  TensorBoardWriter writer(directory.path() / "run");
  writer.add_scalar("Loss/train", 2.5, 10);
  writer.add_scalar("Accuracy/val", 0.975, 20);
  writer.flush();

  const auto events = read_events(writer.path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[1].step(), 10);
  EXPECT_EQ(events[1].summary().value(0).tag(), "Loss/train");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(events[2].step(), 20);
  EXPECT_EQ(events[2].summary().value(0).tag(), "Accuracy/val");
  EXPECT_EQ(events[2].summary().value(0).simple_value(), 0.975f);
  for (const auto& event : events) EXPECT_GE(event.wall_time(), before);
  EXPECT_LT(events[2].wall_time(), before + 1e6);
}

TEST(TensorBoardWriter, NamesTheFileAsTensorBoardExpects) {
  const test::TemporaryDirectory directory;
  const TensorBoardWriter writer(directory.path());
  EXPECT_THAT(writer.path().filename().string(),
              testing::MatchesRegex("events\\.out\\.tfevents\\.[0-9]+\\..+\\.[0-9]+\\.[0-9]+"));
}

TEST(TensorBoardWriter, FlushesWhenDestroyed) {
  const test::TemporaryDirectory directory;
  fs::path path;
  {
    TensorBoardWriter writer(directory.path());
    path = writer.path();
    writer.add_scalar("lr", 0.1, 1);
    EXPECT_EQ(read_events(path).size(), 1u);
  }
  EXPECT_EQ(read_events(path).size(), 2u);
}

TEST(TensorBoardWriter, FlushesWhenTheBufferIsLarge) {
  const test::TemporaryDirectory directory;
  TensorBoardWriter writer(directory.path());
  for (int step = 0; step < 2000; ++step) writer.add_scalar("Loss/train", 1, step);
  EXPECT_GT(read_events(writer.path()).size(), 1000u);
}

TEST(TensorBoardWriter, HidesLaterPointsWhenResumed) {
  const test::TemporaryDirectory directory;
  const TensorBoardWriter first(directory.path());
  const TensorBoardWriter resumed(directory.path(), 300);
  // TensorBoard reads files in the order of their names.
  EXPECT_LT(first.path(), resumed.path());

  const auto events = read_events(resumed.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[0].step(), 300);
  EXPECT_EQ(events[1].session_log().status(), tensorboard::SessionLog::START);
  EXPECT_EQ(events[1].step(), 300);
}

TEST(TensorBoardWriter, WritesTheGraphAndItsMetadata) {
  const test::TemporaryDirectory directory;
  tensorboard::GraphDef graph;
  graph.add_node()->set_name("input");
  TensorBoardWriter writer(directory.path());
  writer.add_graph(graph);
  writer.flush();

  const auto events = read_events(writer.path());
  ASSERT_EQ(events.size(), 3u);
  tensorboard::GraphDef read;
  ASSERT_TRUE(read.ParseFromString(events[1].graph_def()));
  ASSERT_EQ(read.node_size(), 1);
  EXPECT_EQ(read.node(0).name(), "input");
  EXPECT_EQ(events[2].tagged_run_metadata().tag(), "step1");
  tensorboard::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(events[2].tagged_run_metadata().run_metadata()));
  EXPECT_EQ(metadata.step_stats().dev_stats(0).device(), "/device:CPU:0");
}

TEST(TensorBoardWriter, WritesText) {
  const test::TemporaryDirectory directory;
  TensorBoardWriter writer(directory.path());
  writer.add_text("config", "**bold**");
  writer.flush();
  const auto text = read_events(writer.path()).at(1).summary().value(0);
  EXPECT_EQ(text.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(text.tensor().dtype(), tensorboard::DT_STRING);
  EXPECT_EQ(text.tensor().string_val(0), "**bold**");
}

TEST(TensorBoardWriter, ChecksumsCatchADamagedByteAnywhere) {
  const test::TemporaryDirectory directory;
  TensorBoardWriter writer(directory.path());
  writer.add_scalar("Loss/train", 2.5, 10);
  writer.flush();
  const std::string bytes = read_file(writer.path());
  ASSERT_NO_THROW(parse_events(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(parse_events(damaged), Error) << "byte " << i;
  }
}

TEST(TensorBoardWriter, ThrowsWhenTheDirectoryCannotBeMade) {
  const test::TemporaryDirectory directory;
  write_file(directory.path() / "file", "");
  EXPECT_THROW(TensorBoardWriter(directory.path() / "file" / "run"), Error);
}

TEST(TensorBoardWriter, KeepsWholeRecordsAndTheBufferWhenTheDiskIsFull) {
  const test::TemporaryDirectory directory;
  TensorBoardWriter writer(directory.path());
  writer.add_scalar("Loss/train", 1, 1);
  writer.flush();
  const auto size_bytes = fs::file_size(writer.path());
  writer.add_scalar("Loss/train", 2, 2);
  {
    const test::FileSizeLimit full(size_bytes + 10);
    EXPECT_THROW(writer.flush(), Error);
    EXPECT_EQ(fs::file_size(writer.path()), size_bytes);
    EXPECT_EQ(read_events(writer.path()).size(), 2u);
  }
  writer.flush();
  EXPECT_EQ(read_events(writer.path()).size(), 3u);
}

TEST(TensorBoardWriter, DestructorIsSilentWhenTheDiskIsFull) {
  const test::TemporaryDirectory directory;
  fs::path path;
  {
    auto writer = std::make_unique<TensorBoardWriter>(directory.path());
    path = writer->path();
    writer->add_scalar("Loss/train", 1, 1);
    const test::FileSizeLimit full(fs::file_size(path));
    EXPECT_NO_THROW(writer.reset());
  }
  EXPECT_EQ(read_events(path).size(), 1u);
}

}  // namespace
}  // namespace yoke
