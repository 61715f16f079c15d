#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

TEST(Doctor, PrintsALineForEachCheck) {
  const auto result = test::run_yoke({"doctor"});
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto* what :
       {"cpu", "cores", "memory", "blas", "libtorch", "disk", "network", "onednn"}) {
    EXPECT_THAT(result.output, testing::ContainsRegex(std::string("(ok|warn) +") + what + " "));
  }
}

TEST(Doctor, PrintsOneJsonObjectAsTheLastLine) {
  const auto result = test::run_yoke({"doctor", "--json"});
  const auto end = result.output.find_last_not_of('\n');
  ASSERT_NE(end, std::string::npos);
  const auto begin = result.output.rfind('\n', end) + 1;
  const auto json = nlohmann::json::parse(result.output.substr(begin, end + 1 - begin));
  EXPECT_EQ(json.at("ok"), result.status == 0);
  EXPECT_GE(json.at("checks").size(), 10u);
  EXPECT_TRUE(json.at("hardware").contains("cpu"));
  EXPECT_TRUE(json.at("versions").contains("libtorch"));
}

/// `yoke doctor --hosts localhost,HOSTS`, where ssh is a stand-in that knows `answers` by host.
test::ProgramResult doctor_of(const std::map<std::string, std::string>& answers) {
  const test::TemporaryDirectory folder;
  write_file(folder.path() / "ssh",
             "#!/bin/bash\nif [ \"$1\" = -G ]; then echo hostname $3; exit; fi\nhost=${@: -2:1}\n"
             "sed s/NOW/$(date +%s.%N)/ $(dirname $0)/$host && exit\necho ssh: no way to "
             "$host\nexit 255\n");
  std::filesystem::permissions(folder.path() / "ssh", std::filesystem::perms::owner_all);
  std::string hosts = "localhost";
  for (const auto& [host, answer] : answers) {
    hosts += "," + host;
    if (!answer.empty()) write_file(folder.path() / host, answer + "\n");
  }
  const std::string path = folder.path().string() + ":" + std::getenv("PATH");
  return test::run_program({"env", "PATH=" + path, YOKE_PROGRAM, "doctor", "--hosts", hosts});
}

TEST(DoctorOfHosts, SaysWhatKeepsThemFromTrainingTogether) {
  const auto answer = [](const std::string& version, const std::string& time) {
    return fmt::format(
        R"({{"checks":[{{"level":"warn","what":"disk","detail":"full","advice":"empty it"}}],)"
        R"("hardware":{{"cpu":"Z80","cores":1,"cpu_features":["none"]}},)"
        R"("versions":{{"yoke":"{}"}},"time":{}}})",
        version, time);
  };
  const auto result =
      doctor_of({{"a.invalid", answer("0.0.7", "NOW")},
                 {"b.invalid", answer(kVersion, std::to_string(seconds_since_1970() - 100))},
                 {"c.invalid", "no such program"},
                 {"e.invalid", R"({"checks":[{"what":7}]})"},
                 {"d.invalid", ""}});
  EXPECT_EQ(result.status, 1) << result.output;
  const auto has = [&](const char* line) {
    EXPECT_THAT(result.output, testing::ContainsRegex(line));
  };
  has("ok +localhost +yoke ");
  has("fail +a.invalid +yoke 0.0.7 +-> install the same version");
  has("warn +a.invalid +1 cores, Z80 +-> .*round differently");
  has("ok +a.invalid +clock like here");
  has("warn +a.invalid +disk: full +-> empty it");
  has("warn +b.invalid +clock -1[0-9][0-9][.][0-9] s from here +-> let NTP");
  has("fail +c.invalid +no such program +-> install the same yoke");
  has("fail +e.invalid +[{]\"checks.* +-> install the same yoke");
  has("fail +d.invalid .*no way to d.invalid +-> .*ssh d.invalid true");
}

}  // namespace
}  // namespace yoke
