#include "tests/data/download_fixture.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::DownloadTest;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using test::md5_of;
using test::serve;
using testing::HasSubstr;

TEST_F(DownloadTest, BringsAWholeFileAndTellsItsProgress) {
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({server.url() + "content.gz"})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_EQ(done_, 300'000);
  EXPECT_EQ(total_, 300'000);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/content.gz");
  EXPECT_THAT(server.requests()[0].text, HasSubstr("User-Agent: yoke/"));
}

TEST_F(DownloadTest, BringsAFileOfUnknownSizeFromAServerThatTellsNoLength) {
  HttpServer server(
      [&](const HttpRequest&) { return HttpReply{.body = content_, .tell_length = false}; });
  Download unknown = file({server.url()});
  unknown.size_bytes = 0;
  EXPECT_EQ(get(unknown), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_EQ(total_, 0);
}

TEST_F(DownloadTest, TriesAgainAfterAServerError) {
  int count = 0;
  HttpServer server([&](const HttpRequest& request) {
    return ++count < 3 ? HttpReply{.status = 503, .body = "busy"} : serve(request, content_);
  });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_THAT(messages_, HasSubstr("HTTP status 503; trying again"));
}

TEST_F(DownloadTest, TriesAgainAfterAStall) {
  int count = 0;
  HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = serve(request, content_);
    if (++count == 1) {
      reply.cut_after = 10;
      reply.stall = true;
    }
    return reply;
  });
  policy_.stall_timeout = std::chrono::seconds(1);
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_THAT(messages_, HasSubstr("the last 1 seconds"));
}

TEST_F(DownloadTest, FollowsRedirects) {
  HttpServer server([&](const HttpRequest& request) {
    if (request.path == "/new") return serve(request, content_);
    return HttpReply{.status = 302, .headers = "Location: /new\r\n"};
  });
  leave_part(content_.substr(0, 10));
  EXPECT_EQ(get(file({server.url() + "old"})), DownloadOutcome::kDownloaded);
  expect_whole();
}

TEST_F(DownloadTest, RefusesARedirectToAFile) {
  write_file(directory_.path() / "secret", content_);
  HttpServer server([&](const HttpRequest&) {
    return HttpReply{
        .status = 302,
        .headers = fmt::format("Location: file://{}/secret\r\n", directory_.path().string())};
  });
  EXPECT_THAT(failure_of(file({server.url()})), HasSubstr("cannot download"));
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(DownloadTest, TakesTheNextMirrorAndSaysWhyTheFirstFailed) {
  HttpServer bad([](const HttpRequest&) { return HttpReply{.status = 404, .body = "no"}; });
  HttpServer good([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({bad.url() + "a", good.url() + "b"})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_EQ(bad.requests().size(), 1u);  // asking again would not help
  EXPECT_THAT(messages_, HasSubstr(bad.url() + "a: HTTP status 404"));
}

TEST_F(DownloadTest, TakesTheNextMirrorWhenTheContentIsWrong) {
  std::string wrong = content_;
  wrong[200'000] ^= 1;
  HttpServer bad([&](const HttpRequest& request) { return serve(request, wrong); });
  HttpServer good([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({bad.url(), good.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_THAT(messages_, HasSubstr(md5_of(wrong)));
  ASSERT_EQ(good.requests().size(), 1u);
  EXPECT_EQ(good.requests()[0].range_start, -1);  // nothing of the wrong file is kept
}

TEST_F(DownloadTest, LeavesNothingWhenAllMirrorsAreWrong) {
  HttpServer other([&](const HttpRequest& request) {
    return serve(request, std::string(content_.size(), 'x'));
  });
  HttpServer page([](const HttpRequest&) { return HttpReply{.body = "<html>Log in!</html>"}; });
  HttpServer endless([&](const HttpRequest&) {
    return HttpReply{.body = content_ + content_, .tell_length = false};
  });
  const auto failure = failure_of(file({other.url(), page.url(), endless.url()}));
  EXPECT_THAT(failure, HasSubstr("expected " + md5_of(content_)));
  EXPECT_THAT(failure, HasSubstr(page.url() + ": it is 20 bytes there, expected 300000"));
  EXPECT_THAT(failure, HasSubstr(endless.url() + ": it is longer there than the expected 300000"));
  EXPECT_THAT(failure, HasSubstr("--mirror URL"));
  EXPECT_THAT(failure, HasSubstr(path_.string()));
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(DownloadTest, NamesAServerThatIsNotThere) {
  EXPECT_THAT(failure_of(file({"http://127.0.0.1:1/x"})), HasSubstr("http://127.0.0.1:1/x: "));
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(DownloadTest, RefusesOtherProtocols) {
  EXPECT_THAT(failure_of(file({"ftp://127.0.0.1/x"})), HasSubstr("ftp://127.0.0.1/x: Protocol"));
}

TEST_F(DownloadTest, KeepsAFileThatIsRight) {
  fs::create_directories(path_.parent_path());
  write_file(path_, content_);
  EXPECT_EQ(get(file({"http://127.0.0.1:1/nobody"})), DownloadOutcome::kAlreadyThere);
  expect_whole();
  EXPECT_EQ(messages_, "");
}

TEST_F(DownloadTest, ReplacesAFileThatIsWrong) {
  fs::create_directories(path_.parent_path());
  write_file(path_, "half of it");
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_EQ(get(file({server.url()})), DownloadOutcome::kDownloaded);
  expect_whole();
  EXPECT_THAT(messages_, HasSubstr("is damaged"));
}

TEST_F(DownloadTest, ReadsFilesOfThisMachineAndGoesOnInThem) {
  write_file(directory_.path() / "my copy", content_);
  const std::string url = "file://" + (directory_.path() / "my copy").string();
  EXPECT_EQ(get(file({"file:///no/such/file", url})), DownloadOutcome::kDownloaded);
  expect_whole();
  fs::remove(path_);
  leave_part(content_.substr(0, 299'000));
  EXPECT_EQ(get(file({url})), DownloadOutcome::kDownloaded);
  expect_whole();
}

TEST_F(DownloadTest, SaysWhyWhenTheFolderCannotBeMade) {
  write_file(directory_.path() / "some", "a file where a folder should be");
  EXPECT_THAT(failure_of(file({"http://127.0.0.1:1/nobody"})),
              HasSubstr("cannot make the folder " + path_.parent_path().string()));
}

TEST_F(DownloadTest, SaysWhyWhenTheDiskIsFull) {
  fs::create_directories(path_.parent_path());
  fs::create_symlink("/dev/full", part());
  HttpServer server([&](const HttpRequest& request) { return serve(request, content_); });
  EXPECT_THAT(failure_of(file({server.url(), server.url()})), HasSubstr("No space left on device"));
  EXPECT_EQ(server.requests().size(), 1u);  // another mirror would not help
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(DownloadTest, LeavesAFileAloneThatAnotherProcessWrites) {
  const PartFile other(path_);
  EXPECT_THAT(failure_of(file({"http://127.0.0.1:1/nobody"})), HasSubstr("another process"));
  EXPECT_TRUE(fs::exists(part()));
}

}  // namespace
}  // namespace yoke
