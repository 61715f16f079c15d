#include "yoke/core/plugins/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"
#include "yoke/core/plugins/option_text.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename Function>
std::string usage_error(const Function& function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

Options options(const std::string& text) { return Options(text, "optimizer 'sgd'"); }

TEST(Options, GivesValuesOrDefaults) {
  auto given = options("lr=2.5e-1,steps=7,nesterov=true,mode=fast");
  EXPECT_EQ(given.get("lr", 1.0), 0.25);
  EXPECT_EQ(given.get("steps", std::int64_t{1}), 7);
  EXPECT_TRUE(given.get("nesterov", false));
  EXPECT_EQ(given.get("mode", "slow", {"slow", "fast"}), "fast");
  EXPECT_EQ(given.get("absent", 3.5), 3.5);
  EXPECT_EQ(given.get("also", std::int64_t{-2}), -2);
  EXPECT_FALSE(given.get("off", false));
  EXPECT_EQ(given.get("word", std::string("text")), "text");
  EXPECT_NO_THROW(given.finish());
}

TEST(Options, KeepsACommaAfterABackslash) {
  auto given = options("root=/my\\, photos/a\\b,size=3");
  EXPECT_EQ(given.get("root", std::string()), "/my, photos/a\\b");
  EXPECT_EQ(given.get("size", std::int64_t{0}), 3);
  for (const std::string value : {"a,b", ",", "\\,", "a\\"}) {
    auto written = options("key=" + Options::written(value) + ",last=1");
    EXPECT_EQ(written.get("key", std::string()), value);
  }
}

TEST(Options, NamesTheKeyNobodyReadAndTheNearest) {
  auto given = options("momentun=0.9");
  given.get("momentum", 0.0);
  given.get("nesterov", false);
  EXPECT_THAT(usage_error([&] { given.finish(); }),
              AllOf(HasSubstr("'momentun'"), HasSubstr("optimizer 'sgd'"),
                    HasSubstr("did you mean 'momentum'?")));
}

TEST(Options, RejectsValuesOutOfRangeAndSaysTheRange) {
  EXPECT_THAT(usage_error([] { options("p=1.5").get("p", 0.5, 0.0, 1.0); }),
              AllOf(HasSubstr("'1.5'"), HasSubstr("[0, 1]")));
  EXPECT_THAT(usage_error([] { options("n=0").get("n", std::int64_t{1}, 1); }),
              HasSubstr("at least 1"));
  for (const char* text : {"p=", "p=x", "p=1x", "p=nan", "p=inf", "p=1e999", "p= 1"}) {
    EXPECT_THROW(options(text).get("p", 0.5), UsageError) << text;
  }
  EXPECT_THROW(options("n=1.5").get("n", std::int64_t{1}), UsageError);
  EXPECT_THROW(options("n=99999999999999999999").get("n", std::int64_t{1}), UsageError);
  EXPECT_THROW(options("b=yes").get("b", false), UsageError);
  EXPECT_THROW(options("m=x").get("m", "a", {"a", "b"}), UsageError);
}

TEST(Options, RejectsTextThatIsNoListOfPairs) {
  for (const char* text : {"=1", "a=1,,b=2", "a=1,a=2", "a=1,lr", "lr,b"}) {
    EXPECT_THROW(options(text), UsageError) << text;
  }
}

TEST(Options, TakeAValueWithoutAKeyOnlyWhereOneIsNamed) {
  EXPECT_THROW(options("a/b.ts").finish(), UsageError);
  Options given = options(R"(C:/a\,b.ts,size=3)");
  given.name_bare("file");
  EXPECT_EQ(given.get("file", std::string()), "C:/a,b.ts");
  EXPECT_EQ(given.get("size", std::int64_t{0}), 3);
  EXPECT_NO_THROW(given.finish());
  Options none = options("size=3");
  none.name_bare("file");
  EXPECT_EQ(none.get("file", std::string("none")), "none");
  EXPECT_THROW(options("x,file=y").name_bare("file"), UsageError);
}

TEST(Choice, SplitsNameAndOptions) {
  auto choice = Choice::parse("sgd:momentum=0.9", "optimizer");
  EXPECT_EQ(choice.name, "sgd");
  EXPECT_EQ(choice.options.get("momentum", 0.0), 0.9);
  EXPECT_EQ(Choice::parse("sgd", "optimizer").name, "sgd");
}

TEST(OptionText, TakesAnotherValueOrOneMore) {
  EXPECT_EQ(with_option("sgd", "lr", "2"), "sgd:lr=2");
  EXPECT_EQ(with_option("sgd:momentum=0.9", "lr", "2"), "sgd:momentum=0.9,lr=2");
  EXPECT_EQ(with_option("sgd:lr=1,lr_decay=3", "lr", "2"), "sgd:lr=2,lr_decay=3");
  EXPECT_EQ(with_option("f:a\\\\,b\\,c,x=y\\,z", "k", "p,q"), "f:a\\\\,b\\,c,x=y\\,z,k=p\\,q");
}

using Fruit = Plugin<int()>;

TEST(Registry, FindsByNameAndListsNamesOtherwise) {
  const Registry<Fruit> registry(
      "fruit",
      {{plugin_name("red_apple"), "an apple", {no_options(), [](const NoOptions&) { return 7; }}},
       {"kiwi", "not in this build: plant one", {}}});
  EXPECT_EQ(registry.choose("red-apple").make(), 7);
  EXPECT_THAT(registry.available(), testing::ElementsAre("red-apple"));
  EXPECT_THAT(usage_error([&] { registry.find("plum"); }),
              AllOf(HasSubstr("fruit 'plum'"), HasSubstr("red-apple, kiwi")));
  EXPECT_THAT(usage_error([&] { registry.find("kiwi"); }),
              AllOf(HasSubstr("not in this build"), HasSubstr("plant one")));
}

}  // namespace
}  // namespace yoke
