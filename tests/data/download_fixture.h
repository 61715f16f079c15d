// tests/data/download_fixture.h: a file to download, and what to look at afterwards.
#pragma once
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "tests/data/http_server.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/data/download/download.h"

namespace yoke::test {

namespace fs = std::filesystem;

inline std::string md5_of(const std::string& text) {
  return checksum("md5", std::as_bytes(std::span(text)));
}

/// 300 000 bytes that repeat nowhere, so that a misplaced piece shows.
inline std::string make_content() {
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) text += fmt::format("{:07} ", i);
  text.resize(300'000);
  return text;
}

class DownloadTest : public testing::Test {
 protected:
  DownloadTest() { ::setenv("no_proxy", "127.0.0.1", 1); }

  Download file(std::vector<std::string> urls) const {
    return {.urls = std::move(urls),
            .path = path_,
            .digest = {.algorithm = "md5", .digits = md5_of(content_)},
            .size_bytes = static_cast<std::int64_t>(content_.size())};
  }

  DownloadOutcome get(const Download& file) {
    const DownloadObserver observer{
        .message = [this](std::string_view line) { messages_ += std::string(line) + "\n"; },
        .progress =
            [this](std::string_view name, std::int64_t done, std::int64_t total) {
              EXPECT_EQ(name, "content.gz");
              EXPECT_GE(done, 0);
              done_ = done;
              total_ = total;
            }};
    return download(file, policy_, observer);
  }

  std::string failure_of(const Download& file) {
    try {
      get(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    if (!fs::exists(path_.parent_path())) return names;
    for (const auto& entry : fs::directory_iterator(path_.parent_path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  void expect_whole() const {
    EXPECT_EQ(names(), std::set<std::string>{"content.gz"});
    EXPECT_TRUE(read_file(path_) == content_);
  }

  fs::path part() const { return path_.string() + ".part"; }

  void leave_part(const std::string& bytes) const {
    fs::create_directories(path_.parent_path());
    write_file(part(), bytes);
  }

  const TemporaryDirectory directory_;
  const fs::path path_ = directory_.path() / "some" / "folder" / "content.gz";
  const std::string content_ = make_content();
  DownloadPolicy policy_{.attempts = 3,
                         .pause = std::chrono::milliseconds(1),
                         .connect_timeout = std::chrono::seconds(10),
                         .stall_timeout = std::chrono::seconds(20)};
  std::string messages_;
  std::int64_t done_ = -1, total_ = -1;
};

}  // namespace yoke::test
