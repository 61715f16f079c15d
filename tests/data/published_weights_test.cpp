#include "yoke/data/download/published_weights.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/data/http_server.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/data/download/fetch.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using testing::HasSubstr;

TEST(PublishedWeightsTable, IsWellFormed) {
  std::set<std::string> names, digests;
  for (const auto& weights : published_weights()) {
    SCOPED_TRACE(weights.full_name());
    const std::string digest(weights.sha256);
    EXPECT_THAT(digest, testing::MatchesRegex("[0-9a-f]+"));
    EXPECT_THAT(digest.size(), testing::AnyOf(8u, 64u));
    const auto file = weights.remote().files.front();
    EXPECT_EQ(file.size_bytes, weights.exact() ? weights.size_bytes : 0);
    EXPECT_EQ(file.most_bytes, weights.exact() ? 0 : weights.size_bytes + 1024);
    // torchvision puts these digits into the name.
    EXPECT_THAT(std::string(weights.file), testing::EndsWith("-" + digest.substr(0, 8) + ".pth"));
    EXPECT_GT(weights.top1, 1);
    EXPECT_LT(weights.top1, 100);
    EXPECT_THAT(weights.remote().mirrors, testing::Each(testing::MatchesRegex("https://.*/")));
    names.insert(weights.full_name());
    digests.insert(digest);
  }
  EXPECT_EQ(names.size(), published_weights().size());
  EXPECT_EQ(digests.size(), published_weights().size());
}

TEST(PublishedWeightsTable, IsThatOfTheDocument) {
  const auto text = read_file(fs::path(YOKE_SOURCE_DIR) / "docs/models.md");
  for (const auto& weights : published_weights()) {
    EXPECT_THAT(
        text, HasSubstr(fmt::format("\n| `{}` | {} | {} | {:.3f} |\n", weights.full_name(),
                                    weights.file, format_bytes(weights.size_bytes), weights.top1)));
  }
}

TEST(PublishedWeightsTable, AnswersUnknownNamesByTheNearest) {
  EXPECT_EQ(find_published_weights("resnet50:imagenet-v2").file, "resnet50-11ad3fa6.pth");
  try {
    find_published_weights("resnet18:imagnet");
    ADD_FAILURE() << "was found";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'resnet18:imagenet'?"));
  }
}

TEST(Digest, IsThatOfAFileWithAllItsDigits) {
  const std::string found = "0123456789abcdef0123456789abcdef";
  const auto is = [&](const std::string& digits) { return Digest{.digits = digits}.is(found); };
  EXPECT_TRUE(is(found));
  EXPECT_TRUE(is("01234567"));
  EXPECT_FALSE(is("01234566"));
  EXPECT_FALSE(is("0123456789abcdef0123456789abcdee"));
  EXPECT_FALSE(is(found + "0"));
  EXPECT_FALSE(is(""));
  EXPECT_EQ(Digest{.digits = found}.str(), found);
  EXPECT_EQ(Digest{.digits = "01234567"}.str(), "01234567...");
}

/// A server that has a file under the name of weights, whose table knows this file.
class FetchWeights : public testing::Test {
 protected:
  FetchWeights() {
    ::setenv("no_proxy", "127.0.0.1", 1);
    remote_.mirrors = {"http://127.0.0.1:1/"};
    for (int i = 0; content_.size() < 200'000; ++i) content_ += fmt::format("{:07} ", i);
    remote_.files.front().digest.digits = checksum("sha256", std::as_bytes(std::span(content_)));
    remote_.files.front().size_bytes = static_cast<std::int64_t>(content_.size());
  }

  fs::path run(const std::string& mirror) {
    FetchInput input{.data_dir = data_dir_, .mirror = mirror, .policy = {}};
    input.policy.attempts = 1;
    return fetch(remote_, input, {});
  }

  const PublishedWeights weights_ = find_published_weights("resnet18:imagenet");
  RemoteFiles remote_ = weights_.remote();
  std::string content_;
  const test::TemporaryDirectory directory_;
  const fs::path data_dir_ = directory_.path() / "data";
  const fs::path file_ = weights_.path(data_dir_);
};

TEST_F(FetchWeights, PutsThemWhereTrainingLooks) {
  HttpServer server([&](const HttpRequest& request) { return test::serve(request, content_); });
  EXPECT_EQ(run(server.url()), file_.parent_path());
  EXPECT_EQ(read_file(file_), content_);
  EXPECT_EQ(server.requests().front().path, "/resnet18-f37072fd.pth");
  run(server.url());
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(FetchWeights, KeepsNothingThatWasTamperedWith) {
  std::string tampered = content_;
  tampered[100'000] ^= 1;
  HttpServer server([&](const HttpRequest& request) { return test::serve(request, tampered); });
  try {
    run(server.url());
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected " + remote_.files.front().digest.digits));
  }
  EXPECT_TRUE(fs::is_empty(file_.parent_path()));
}

TEST_F(FetchWeights, KnowsAFileByTheFirstDigitsAlone) {
  RemoteFile& file = remote_.files.front();
  file.digest.digits.resize(8);
  file.size_bytes = 0;
  HttpServer server([&](const HttpRequest& request) { return test::serve(request, content_); });
  std::string told;
  for (int i = 0; i < 2; ++i) {  // the second finds it there
    fetch(remote_, {.data_dir = data_dir_, .mirror = server.url(), .policy = {}},
          {.message = [&](std::string_view line) { (told += line) += '\n'; }, .progress = {}});
  }
  EXPECT_EQ(read_file(file_), content_);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(told, HasSubstr(": 200.0 kB, sha256 is right\n"));
  EXPECT_THAT(told, HasSubstr(": already there, sha256 is right\n"));

  content_[100'000] ^= 1;
  fs::remove(file_);
  EXPECT_THROW(run(server.url()), Error);
  EXPECT_TRUE(fs::is_empty(file_.parent_path()));
}

TEST_F(FetchWeights, TakesNoMoreThanAFileOfUnknownSizeCanHave) {
  RemoteFile& file = remote_.files.front();
  file.digest.digits.resize(8);
  file.most_bytes = std::exchange(file.size_bytes, 0);
  HttpServer server([&](const HttpRequest& request) { return test::serve(request, content_); });
  run(server.url());
  EXPECT_EQ(read_file(file_), content_);

  fs::remove(file_);
  --file.most_bytes;
  try {
    run(server.url());
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("than the expected {}", file.most_bytes)));
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("(sha256 {}...)", file.digest.digits)));
  }
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(FetchWeights, GoesOnWithADownloadThatBroke) {
  bool cut = true;
  HttpServer server([&](const HttpRequest& request) {
    if (request.path != "/resnet18-f37072fd.pth") return HttpReply{.status = 404};
    HttpReply reply = test::serve(request, content_);
    if (cut) reply.cut_after = request.range_start < 0 ? 70'000 : 0;
    return reply;
  });
  EXPECT_THROW(run(server.url()), Error);
  EXPECT_FALSE(fs::exists(file_));
  cut = false;
  run(server.url());
  EXPECT_EQ(server.requests().back().range_start, 70'000);
  EXPECT_EQ(read_file(file_), content_);
}

TEST_F(FetchWeights, TakesAFolderOfThisMachineAsAMirror) {
  const fs::path mirror = directory_.path() / "häuser #1 100%41";
  fs::create_directories(mirror / "weights");
  write_file(mirror / "weights" / weights_.file, content_);
  run(mirror);
  EXPECT_EQ(read_file(file_), content_);
}

}  // namespace
}  // namespace yoke
