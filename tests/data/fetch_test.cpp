#include "yoke/data/download/fetch.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/data/archive.h"
#include "tests/data/http_server.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using test::serve;
using testing::HasSubstr;

constexpr auto kNowhere = "http://127.0.0.1:1/";

RemoteFile remote_file(const std::string& name, const std::string& content) {
  return {
      .name = name,
      .digest = {.algorithm = "md5", .digits = checksum("md5", std::as_bytes(std::span(content)))},
      .size_bytes = static_cast<std::int64_t>(content.size())};
}

class FetchTest : public testing::Test {
 protected:
  FetchTest() { ::setenv("no_proxy", "127.0.0.1", 1); }

  fs::path run(const RemoteFiles& dataset, const std::string& mirror = "") {
    messages_.clear();
    FetchInput input{.data_dir = data_dir_, .mirror = mirror, .policy = {}};
    input.policy.attempts = 1;
    const DownloadObserver observer{
        .message = [this](std::string_view line) { messages_ += std::string(line) + "\n"; },
        .progress = {}};
    return fetch(dataset, input, observer);
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(data_dir_)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  const test::TemporaryDirectory directory_;
  const fs::path data_dir_ = directory_.path() / "data";
  std::string messages_;
};

TEST_F(FetchTest, PutsFilesInTheirFolderAndKeepsThemWhenCalledAgain) {
  HttpServer server([](const HttpRequest& request) {
    return serve(request, request.path == "/sets/a.gz" ? "first" : "second");
  });
  const RemoteFiles dataset{.name = "letters",
                            .mirrors = {server.url() + "sets/"},
                            .folder = "Letters/raw",
                            .files = {remote_file("a.gz", "first"), remote_file("b.gz", "second")}};
  EXPECT_EQ(run(dataset), data_dir_ / "Letters/raw");
  EXPECT_EQ(read_file(data_dir_ / "Letters/raw/a.gz"), "first");
  EXPECT_EQ(read_file(data_dir_ / "Letters/raw/b.gz"), "second");
  EXPECT_EQ(server.requests().size(), 2u);
  run(dataset);
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(messages_, HasSubstr("b.gz: already there"));
}

TEST_F(FetchTest, AsksTheGivenMirrorFirstForTheFileAloneAndInItsFolder) {
  HttpServer server([](const HttpRequest& request) {
    const bool there = request.path == "/copy/a.gz" || request.path == "/copy/Letters/raw/b.gz";
    return there ? serve(request, "content") : HttpReply{.status = 404};
  });
  const RemoteFiles dataset{
      .name = "letters",
      .mirrors = {kNowhere},
      .folder = "Letters/raw",
      .files = {remote_file("a.gz", "content"), remote_file("b.gz", "content")}};
  run(dataset, server.url() + "copy");
  EXPECT_EQ(read_file(data_dir_ / "Letters/raw/b.gz"), "content");
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(FetchTest, FallsBackFromTheGivenMirrorToTheKnownOnes) {
  HttpServer server([](const HttpRequest& request) { return serve(request, "content"); });
  const RemoteFiles dataset{
      .name = "letters", .mirrors = {server.url()}, .files = {remote_file("a.gz", "content")}};
  run(dataset, kNowhere);
  EXPECT_EQ(read_file(data_dir_ / "a.gz"), "content");
}

TEST_F(FetchTest, RefusesAMirrorThatIsNoAddress) {
  const RemoteFiles dataset{.name = "letters", .mirrors = {}, .files = {}};
  EXPECT_THROW(run(dataset, "/mnt/copy"), UsageError);
  EXPECT_THROW(run(dataset, "ftp://host/copy"), UsageError);
}

class FetchArchiveTest : public FetchTest {
 protected:
  RemoteFiles dataset_of(const std::vector<test::ArchiveEntry>& entries) {
    fs::create_directories(directory_.path() / "server");
    const auto archive = directory_.path() / "server" / "set.tar.gz";
    test::write_archive(archive, entries);
    return {.name = "set",
            .mirrors = {"file://" + (directory_.path() / "server").string() + "/"},
            .files = {remote_file("set.tar.gz", read_file(archive))},
            .unpacked_folder = "set-bin",
            .unpacked_files = {{"a.bin", 3}, {"b.bin", 4}}};
  }

  const std::vector<test::ArchiveEntry> good_ = {{.name = "set-bin/", .type = AE_IFDIR},
                                                 {.name = "set-bin/a.bin", .content = "aaa"},
                                                 {.name = "set-bin/b.bin", .content = "bbbb"},
                                                 {.name = "set-bin/note", .content = "hello"}};
};

TEST_F(FetchArchiveTest, UnpacksAndNeedsTheArchiveNoMore) {
  const auto dataset = dataset_of(good_);
  EXPECT_EQ(run(dataset), data_dir_ / "set-bin");
  EXPECT_EQ(read_file(data_dir_ / "set-bin/b.bin"), "bbbb");
  EXPECT_EQ(names(), (std::set<std::string>{"set-bin", "set.tar.gz"}));
  fs::remove(data_dir_ / "set.tar.gz");
  run(dataset);
  EXPECT_EQ(names(), std::set<std::string>{"set-bin"});
  EXPECT_THAT(messages_, HasSubstr("set-bin: already there"));
}

TEST_F(FetchArchiveTest, ReplacesAFolderWithMissingOrShortFiles) {
  fs::create_directories(data_dir_ / "set-bin");
  write_file(data_dir_ / "set-bin/a.bin", "aaa");
  write_file(data_dir_ / "set-bin/b.bin", "b");
  run(dataset_of(good_));
  EXPECT_EQ(read_file(data_dir_ / "set-bin/b.bin"), "bbbb");
  EXPECT_EQ(names(), (std::set<std::string>{"set-bin", "set.tar.gz"}));
}

TEST_F(FetchArchiveTest, LeavesNothingUnpackedOfABadArchive) {
  EXPECT_THROW(run(dataset_of({{.name = "set-bin/a.bin", .content = "aaa"}})), Error);
  EXPECT_EQ(names(), std::set<std::string>{"set.tar.gz"});
  EXPECT_THROW(run(dataset_of({{.name = "set-bin/a.bin", .content = "aaa"},
                               {.name = "../../outside", .content = "x"}})),
               Error);
  EXPECT_EQ(names(), std::set<std::string>{"set.tar.gz"});
}

}  // namespace
}  // namespace yoke
