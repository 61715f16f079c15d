// tests/conformance/options_test.cpp: what holds for the options of every plug-in of every
// registry.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <set>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/data/dataset.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A plug-in of any kind.
struct Declared {
  std::string kind;
  std::string name;
  std::vector<OptionSpec> options;
  /// All options with their values, by the text `name:key=value,...`.
  std::function<std::vector<Options::Pair>(const std::string& text)> choose;
};

template <typename Plugin>
void add(std::vector<Declared>& all, const Registry<Plugin>& registry) {
  for (const auto& entry : registry.entries()) {
    if (!entry.available()) continue;
    all.push_back({registry.kind(), entry.name, entry.plugin.options(),
                   [&registry](const std::string& text) { return registry.choose(text).options; }});
  }
}

std::vector<Declared> every_plugin() {
  std::vector<Declared> all;
  add(all, models());
  add(all, datasets());
  add(all, optimizers());
  add(all, schedules());
  add(all, strategies());
  add(all, compressions());
  add(all, communicators());
  return all;
}

class EveryPlugin : public testing::TestWithParam<Declared> {
 protected:
  /// The values of all options where these are given.
  static std::vector<std::string> values(const std::string& options) {
    std::vector<std::string> values;
    const auto text = fmt::format("{}{}{}", GetParam().name, options.empty() ? "" : ":", options);
    for (const auto& pair : GetParam().choose(text)) {
      values.push_back(pair.key + "=" + pair.value);
    }
    return values;
  }

  static std::string refusal(const std::string& options) {
    try {
      values(options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return options + " was taken";
  }

  /// Values outside what an option takes; none where it takes any text.
  static std::vector<std::string> wrong(const OptionSpec& spec) {
    if (spec.kind == OptionKind::kText) return {};
    if (spec.kind == OptionKind::kSwitch || spec.kind == OptionKind::kWord) return {"no-such-word"};
    std::vector<std::string> values = {"", "x", "nan", "inf"};
    if (spec.kind == OptionKind::kWholeNumber) values.emplace_back("1.5");
    if (std::isfinite(spec.range.least)) values.push_back(fmt::format("{}", spec.range.least - 1));
    if (std::isfinite(spec.range.most)) {
      values.push_back(fmt::format("{}", spec.range.most + (spec.range.open ? 0 : 1)));
    }
    return values;
  }
};

TEST_P(EveryPlugin, DeclaresEachNameOnceWithAMeaningThatFitsATable) {
  std::set<std::string> names;
  for (const auto& spec : GetParam().options) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    for (const auto& alias : spec.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    EXPECT_FALSE(spec.meaning.empty()) << spec.name;
    EXPECT_FALSE(spec.allowed.empty()) << spec.name;
    for (const auto& cell : {spec.meaning, spec.allowed, spec.fallback}) {
      EXPECT_EQ(cell.find_first_of("|\n"), std::string::npos) << spec.name << ": " << cell;
    }
  }
}

TEST_P(EveryPlugin, TakesItsDefaultsAndIsTheSameWithThem) {
  const auto plain = values("");
  ASSERT_EQ(plain.size(), GetParam().options.size());
  std::string all;
  for (const auto& spec : GetParam().options) {
    if (!spec.can_be_given) continue;
    const std::string pair = spec.name + "=" + spec.fallback;
    EXPECT_EQ(values(pair), plain) << pair;
    if (const auto number = parse_number<double>(spec.fallback)) {
      EXPECT_TRUE(spec.range.contains(*number)) << pair;
    }
    all += (all.empty() ? "" : ",") + pair;
  }
  EXPECT_EQ(values(all), plain) << all;
}

TEST_P(EveryPlugin, RefusesWhatIsOutOfRangeAndSaysTheRange) {
  for (const auto& spec : GetParam().options) {
    for (const auto& value : wrong(spec)) {
      const auto message = refusal(spec.name + "=" + value);
      EXPECT_THAT(message, AllOf(HasSubstr("'" + value + "'"), HasSubstr("; allowed: ")));
      if (spec.kind != OptionKind::kWord) {
        EXPECT_THAT(message, HasSubstr(spec.allowed));
      }
    }
  }
}

TEST_P(EveryPlugin, TakesOlderNamesButNotTwoNamesAtOnce) {
  for (const auto& spec : GetParam().options) {
    for (const auto& alias : spec.aliases) {
      const std::string older = alias + "=" + spec.fallback;
      EXPECT_EQ(values(older), values("")) << older;
      EXPECT_THAT(refusal(spec.name + "=" + spec.fallback + "," + older),
                  AllOf(HasSubstr("'" + alias + "'"), HasSubstr("give it once")));
    }
  }
}

TEST_P(EveryPlugin, ListsItsOptionsWhereOneIsUnknown) {
  const auto message = refusal("no_such_option=1");
  EXPECT_THAT(message, AllOf(HasSubstr("unknown option 'no_such_option'"), HasSubstr("; allowed: "),
                             HasSubstr(GetParam().kind + " '" + GetParam().name + "'")));
  for (const auto& spec : GetParam().options) EXPECT_THAT(message, HasSubstr(spec.name));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPlugin, testing::ValuesIn(every_plugin()),
                         [](const auto& info) {
                           std::string name = info.param.kind + "_" + info.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(OptionNames, AreThoseOfTheFieldWithTheOlderOnesAsAliases) {
  const std::vector<std::pair<std::string, std::string>> optimizer_texts = {
      {"adam:eps=1e-3", "adam:epsilon=1e-3"},
      {"adamw:eps=1e-3", "adamw:epsilon=1e-3"},
      {"lamb:eps=1e-3", "lamb:epsilon=1e-3"},
      {"muon:eps=1e-3", "muon:epsilon=1e-3"},
      {"lars:trust_coefficient=0.1", "lars:trust=0.1"}};
  const auto expect_same = [](const auto& registry, const auto& name, const auto& older) {
    const auto one = registry.choose(name).options, other = registry.choose(older).options;
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].value, other[i].value) << older;
  };
  for (const auto& [name, older] : optimizer_texts) expect_same(optimizers(), name, older);
  expect_same(datasets(), "image-folder:scale=0.5,crop_pct=1", "image-folder:area=0.5,centre=1");
}

}  // namespace
}  // namespace yoke
