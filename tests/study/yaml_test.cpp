// YAML as text, and read back by Python.
#include "yoke/study/emit/yaml.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace yoke::study {
namespace {

using Json = nlohmann::ordered_json;

TEST(Yaml, WritesBlocks) {
  const Json value = {{"kind", "Job"},
                      {"none", Json::object()},
                      {"list", Json::array({1, Json{{"a", true}, {"b", Json::array({"x"})}}})},
                      {"cpu", "4"}};
  EXPECT_EQ(yaml_text(value),
            "kind: Job\nnone: {}\nlist:\n  - 1\n  - a: true\n    b:\n      - x\ncpu: \"4\"\n");
}

TEST(Yaml, IsReadBackAsItWas) {
  Json value = {{"numbers", {0, -1, 2.5}}, {"empty", Json::array()}, {"null", nullptr}};
  for (const char* const text : {"",           " ",         "no",     "Yes",         "null",
                                 "~",          "1e3",       "0x10",   "12:30:00",    "2001-01-01",
                                 "- a",        "a: b",      "# x",    "it's \"so\"", "back\\slash",
                                 "two\nlines", "tab\t",     "$(X)",   "*a",          "&b",
                                 "%c",         "gr\u00fcn", "=",      "x=1,y=2",     "a/b.c-d",
                                 "on",         "[1]",       "{a: b}", "!t",          "|",
                                 "@",          "`"}) {
    value["texts"].push_back(text);
    value[text] = text;
  }
  const auto result = test::run_python(
      "yaml", "import sys, yaml, json\nprint(json.dumps(yaml.safe_load(sys.argv[1])))",
      {yaml_text(value)});
  if (!result) GTEST_SKIP() << "no python3-yaml: sudo scripts/install-dependencies --tests";
  ASSERT_EQ(result->status, 0) << result->output;
  EXPECT_EQ(nlohmann::json::parse(result->output), nlohmann::json(value)) << yaml_text(value);
}

}  // namespace
}  // namespace yoke::study
