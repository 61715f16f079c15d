#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/data/http_server.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/data/download/published_weights.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The program with no way to servers but that of the test.
class WeightsCommand : public testing::Test {
 protected:
  WeightsCommand() {
    ::setenv("https_proxy", "http://127.0.0.1:1", 1);
    ::setenv("no_proxy", "127.0.0.1", 1);
  }
  ~WeightsCommand() override {
    ::unsetenv("https_proxy");
    ::unsetenv("YOKE_WEIGHTS");
  }

  test::ProgramResult fetch(const std::string& name) {
    return run_yoke({"weights", "fetch", name, "--data-dir", data_dir_.string()});
  }

  /// Bytes as many as those weights have, but not theirs.
  std::string wrong_bytes() const {
    return std::string(static_cast<std::size_t>(weights_.size_bytes), 'x');
  }

  const PublishedWeights weights_ = find_published_weights("resnet18:imagenet");
  const test::TemporaryDirectory directory_;
  const fs::path data_dir_ = directory_.path() / "data";
  const fs::path file_ = weights_.path(data_dir_);
  const fs::path part_ = file_.string() + ".part";
};

TEST_F(WeightsCommand, ListsAllWithTheirSizeAndAccuracy) {
  const std::vector<std::string> command = {"weights", "list", "--data-dir", data_dir_.string()};
  auto result = run_yoke(command);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              testing::ContainsRegex("resnet18:imagenet +fetch 46.8 MB +ImageNet, top-1 69.76 %"));
  EXPECT_THAT(result.output, testing::ContainsRegex("resnet50:imagenet-v2 +fetch 102.5 MB"));
  fs::create_directories(file_.parent_path());
  write_file(file_, "");
  result = run_yoke(command);
  EXPECT_THAT(result.output, testing::ContainsRegex("resnet18:imagenet +there +ImageNet"));
}

TEST_F(WeightsCommand, AnswersUnknownNamesByTheNearestBeforeAnythingIsFetched) {
  const auto result = run_yoke({"weights", "fetch", "resnet18:imagenet", "resnt50:imagenet",
                                "--data-dir", data_dir_.string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("did you mean 'resnet50:imagenet'?"));
  EXPECT_FALSE(fs::exists(data_dir_));
  EXPECT_THAT(fetch("vgg16").output, HasSubstr("resnet34:imagenet"));
  EXPECT_EQ(run_yoke({"weights"}).status, 2);
  EXPECT_EQ(run_yoke({"weights", "fetch"}).status, 2);
}

TEST_F(WeightsCommand, TriesTheGivenAddressFirstAndKeepsNothingThatIsWrong) {
  const std::string wrong = wrong_bytes();
  HttpServer server([&](const HttpRequest& request) { return test::serve(request, wrong); });
  ::setenv("YOKE_WEIGHTS", (server.url() + "mirror").c_str(), 1);
  const auto result = fetch("resnet18:imagenet");
  EXPECT_EQ(result.status, 1);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].path, "/mirror/resnet18-f37072fd.pth");
  EXPECT_EQ(server.requests()[1].path, "/mirror/weights/resnet18-f37072fd.pth");
  EXPECT_THAT(result.output, AllOf(HasSubstr("sha256 is "),
                                   HasSubstr("expected " + std::string(weights_.sha256))));
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_FALSE(fs::exists(part_));
}

TEST_F(WeightsCommand, GoesOnWithADownloadThatBroke) {
  const std::string bytes = wrong_bytes();
  HttpServer server([&](const HttpRequest& request) {
    if (request.path != "/resnet18-f37072fd.pth") return HttpReply{.status = 404};
    HttpReply reply = test::serve(request, bytes);
    reply.cut_after = request.range_start < 0 ? 100'000 : 0;
    return reply;
  });
  ::setenv("YOKE_WEIGHTS", server.url().c_str(), 1);
  EXPECT_EQ(fetch("resnet18:imagenet").status, 1);
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(fs::file_size(part_), 100'000u);
  const auto before = server.requests().size();
  EXPECT_EQ(fetch("resnet18:imagenet").status, 1);
  ASSERT_GT(server.requests().size(), before);
  EXPECT_EQ(server.requests()[before].range_start, 100'000);
}

TEST_F(WeightsCommand, TriesTheGivenFolderFirst) {
  const fs::path mirror = directory_.path() / "my 100% mirror";
  fs::create_directories(mirror);
  write_file(mirror / weights_.file, "");
  fs::resize_file(mirror / weights_.file, static_cast<std::uintmax_t>(weights_.size_bytes));
  ::setenv("YOKE_WEIGHTS", mirror.c_str(), 1);
  const auto result = fetch("resnet18:imagenet");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("my%20100%25%20mirror/resnet18-f37072fd.pth: sha256 is "));
  EXPECT_FALSE(fs::exists(file_));
  ::setenv("YOKE_WEIGHTS", "/no/such/folder", 1);
  const auto refused = fetch("resnet18:imagenet");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("'/no/such/folder'"));
}

TEST_F(WeightsCommand, FetchesFromACopyWithoutTheInternet) {
  const auto copy = test::real_data("weights");
  if (!copy) GTEST_SKIP() << "no copy of weights on this machine";
  ::setenv("YOKE_WEIGHTS", copy->c_str(), 1);
  auto result = fetch("resnet18:imagenet");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("46.8 MB, sha256 is right"),
                                   HasSubstr("next: yoke train PHOTOS --model resnet18 "
                                             "--weights imagenet --data-dir " +
                                             data_dir_.string())));
  ::setenv("YOKE_WEIGHTS", directory_.path().c_str(), 1);
  result = fetch("resnet18:imagenet");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("already there, sha256 is right"));
}

TEST_F(WeightsCommand, IsWhatATrainingAsksForThatLacksThem) {
  const auto result =
      run_yoke({"train", "--model", "resnet50", "--data", "glyphs", "--weights", "imagenet",
                "--data-dir", data_dir_.string(), "--out", (directory_.path() / "run").string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("`yoke weights fetch resnet50:imagenet --data-dir " +
                                       data_dir_.string() + "`"));
  EXPECT_FALSE(fs::exists(directory_.path() / "run"));
}

}  // namespace
}  // namespace yoke
