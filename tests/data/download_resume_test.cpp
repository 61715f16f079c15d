#include "tests/data/download_fixture.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using DownloadResumeTest = test::DownloadTest;  // a broken download, gone on with
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using test::serve;
using testing::HasSubstr;

TEST_F(DownloadResumeTest, GoesOnWhereTheConnectionWasCut) {
  int count = 0;
  HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = serve(request, content_);
    if (++count < 6) reply.cut_after = 50'000;  // more cuts than attempts, but each brings bytes
    return reply;
  });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(requests[i].range_start, static_cast<long>(50'000 * i));
  }
}

TEST_F(DownloadResumeTest, GoesOnWhereAnEarlierCallWasBroken) {
  leave_part(content_.substr(0, 123'457));
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].range_start, 123'457);
}

TEST_F(DownloadResumeTest, KeepsThePartOfAFailedCallForTheNext) {
  HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = serve(request, content_);
    reply.cut_after = request.range_start < 0 ? 1'000 : 0;
    return reply;
  });
  EXPECT_THAT(failure_of(file({server.url()})), HasSubstr(server.url()));
  EXPECT_EQ(names(), std::set<std::string>{"content.gz.part"});
  EXPECT_EQ(fs::file_size(part()), 1'000u);
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(DownloadResumeTest, StartsOverWhenTheServerIgnoresRanges) {
  leave_part("old bytes of something else");
  int count = 0;
  HttpServer server([&](const HttpRequest&) {
    return HttpReply{.body = content_, .cut_after = ++count == 1 ? 70'000 : std::string::npos};
  });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(DownloadResumeTest, StartsOverWhenThePartIsOfAnotherFile) {
  leave_part(std::string(100, 'x'));
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_THAT(messages_, HasSubstr("starting over"));
}

TEST_F(DownloadResumeTest, StartsOverWhenTheServerGivesAnotherRangeThanAsked) {
  leave_part(content_.substr(0, 1'000));
  HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = serve(request, content_);
    if (request.range_start >= 0) {
      reply.headers = "Content-Range: bytes 900-299999/300000\r\n";
      reply.body = content_.substr(900);
    }
    return reply;
  });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
}

TEST_F(DownloadResumeTest, StartsOverWhenThePartIsTooLong) {
  leave_part(content_ + "x");
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  Download unknown = file({server.url()});
  unknown.size_bytes = 0;  // so that the server says it, with status 416
  EXPECT_EQ(get(unknown), DownloadOutcome::kDownloaded);
  expect_whole();
  leave_part(content_ + "x");
  fs::remove(path_);
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
}

TEST_F(DownloadResumeTest, AsksNoServerWhenThePartIsWholeAlready) {
  leave_part(content_);
  EXPECT_EQ(get(file({"http://127.0.0.1:1/nobody"})), DownloadOutcome::kDownloaded);
  expect_whole();
}

}  // namespace
}  // namespace yoke
