// `yoke list`, and the tables of options in documents, which are what it prints. After a change of
// options, YOKE_WRITE_DOCS=1 in the environment of this program writes them afresh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;

TEST(YokeList, ShowsEveryKind) {
  const auto result = run_yoke({"list"});
  EXPECT_EQ(result.status, 0) << result.output;
  for (const char* kind : {"models:", "datasets:", "optimizers:", "schedules:", "averages:",
                           "strategies:", "compressions:", "communicators:"}) {
    EXPECT_THAT(result.output, HasSubstr(kind));
  }
  const auto one = run_yoke({"list", "schedules"});
  EXPECT_THAT(one.output, AllOf(HasSubstr("onecycle"), testing::Not(HasSubstr("models:"))));
}

TEST(YokeList, ShowsTheOptionsOfANameWithDefaultsAndRanges) {
  const auto result = run_yoke({"list", "adam"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("optimizer adam: Adam (Kingma"),
                    testing::ContainsRegex("eps +1e-8 +a number of at least 0 +added.*epsilon"),
                    testing::ContainsRegex("clip +0 +a number of at least 0")));
  EXPECT_THAT(run_yoke({"list", "cifar-net"}).output, HasSubstr("no options"));
  EXPECT_THAT(run_yoke({"list", "image-folder"}).output, testing::ContainsRegex("flip +true"));
  EXPECT_THAT(run_yoke({"list", "lenet", "constant"}).output,
              AllOf(HasSubstr("model lenet"), HasSubstr("schedule constant")));
}

TEST(YokeList, SaysWhatThereIsWhereANameIsUnknown) {
  const auto result = run_yoke({"list", "planets"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, AllOf(HasSubstr("'planets'"), HasSubstr("optimizers")));
}

/// What `command`, as a document quotes it, prints.
std::string print(const std::string& command) {
  std::istringstream words(command);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  arguments.erase(arguments.begin());  // yoke
  const auto result = run_yoke(arguments);
  EXPECT_EQ(result.status, 0) << command << ": " << result.output;
  return result.output;
}

/// `text` with what its commands print between their lines and the next `<!-- end -->`.
std::string rewritten(const std::string& text, std::vector<std::string>& commands) {
  static const std::string begin = "<!-- yoke list ", mark = " -->\n", end = "<!-- end -->";
  std::string result;
  std::size_t at = 0;
  for (std::size_t from; (from = text.find(begin, at)) != std::string::npos;) {
    const std::size_t after = text.find(mark, from) + mark.size();
    const std::string command = text.substr(from + 5, after - mark.size() - from - 5);
    commands.push_back(command);
    result += text.substr(at, after - at) + print(command);
    at = text.find(end, after);
    if (at == std::string::npos) {
      ADD_FAILURE() << command << " has no " << end;
      return text;
    }
  }
  return result + text.substr(at);
}

TEST(Documents, ShowTheOptionsThatTheProgramHas) {
  const bool write = std::getenv("YOKE_WRITE_DOCS") != nullptr;
  std::vector<std::string> commands;
  for (const auto& entry : fs::directory_iterator(fs::path(YOKE_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = read_file(entry.path());
    const std::string expected = rewritten(text, commands);
    if (text == expected) continue;
    if (write) {
      write_file(entry.path(), expected);
    } else {
      ADD_FAILURE() << entry.path() << " differs from what the program prints; YOKE_WRITE_DOCS=1 "
                    << "in the environment of this test writes it afresh";
    }
  }
  for (const char* kind :
       {"models", "datasets", "optimizers", "schedules", "compressions", "communicators",
        "allreduce", "averaging", "hogwild", "parameter-server"}) {
    EXPECT_THAT(commands, testing::Contains(std::string("yoke list --markdown ") + kind));
  }
}

}  // namespace
}  // namespace yoke
