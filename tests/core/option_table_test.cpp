// A small kind of plug-ins: what comes of a declaration.
#include "yoke/core/plugins/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"
#include "yoke/core/plugins/inner_plugin.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Form { kRound, kLong };

struct BreadOptions {
  double salt = 0.02;
  std::int64_t grams = 500;
  int slices = 1;
  bool crust = true;
  std::string name = {};
  Form form = Form::kLong;
  std::optional<double> proof = {};
  std::optional<std::int64_t> every = 16;
};

OptionTable<BreadOptions> bread_options() {
  using O = BreadOptions;
  return {
      {{"salt", "nacl"}, &O::salt, in(0, below(1)), "part of the flour"},
      {"grams", &O::grams, at_least(1), "of flour"},
      {"slices", &O::slices, in(1, 100), "to cut it into"},
      {"crust", &O::crust, "whether it has one"},
      {"name", &O::name, "what it is called"},
      {"form", &O::form, {{"round", Form::kRound}, {"long", Form::kLong}}, "as seen from above"},
      {"proof", &O::proof, at_least(0), unset("by its look"), "hours of rest"},
      {"every", &O::every, at_least(1), or_word("never"), "days between two"},
  };
}

BreadOptions read(const std::string& text) {
  Options options(text, "food 'bread'");
  const BreadOptions values = bread_options().read(options);
  options.finish();
  return values;
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

OptionSpec spec(const std::string& name) {
  for (const auto& spec : bread_options().specs()) {
    if (spec.name == name) return spec;
  }
  throw Error("no such option");
}

TEST(OptionTable, FillsTheStructAndLeavesItsInitialisers) {
  const BreadOptions plain = read("");
  EXPECT_EQ(plain.salt, 0.02);
  EXPECT_EQ(plain.form, Form::kLong);
  EXPECT_EQ(plain.proof, std::nullopt);
  EXPECT_EQ(plain.every, 16);
  const auto given =
      read("salt=0.5,grams=7,slices=9,crust=off,name=a=b,form=round,proof=2.5,every=never");
  EXPECT_EQ(given.salt, 0.5);
  EXPECT_EQ(given.grams, 7);
  EXPECT_EQ(given.slices, 9);
  EXPECT_FALSE(given.crust);
  EXPECT_EQ(given.name, "a=b");
  EXPECT_EQ(given.form, Form::kRound);
  EXPECT_EQ(given.proof, 2.5);
  EXPECT_EQ(given.every, std::nullopt);
}

TEST(OptionTable, TakesDefaultsOfItsOwn) {
  Options none;
  const OptionTable<BreadOptions> table(BreadOptions{.grams = 3},
                                        {{"grams", &BreadOptions::grams, at_least(1), "of flour"}});
  EXPECT_EQ(table.read(none).grams, 3);
  EXPECT_EQ(table.specs().front().fallback, "3");
}

TEST(OptionTable, RefusesWhatIsNotAllowedAndSaysWhatIs) {
  EXPECT_EQ(refusal("salt=1"), "option 'salt' of food 'bread' is '1'; allowed: a number in [0, 1)");
  EXPECT_THAT(refusal("nacl=-0.1"), HasSubstr("option 'nacl' of food 'bread' is '-0.1'"));
  EXPECT_THAT(refusal("grams=0"), HasSubstr("a whole number of at least 1"));
  EXPECT_THAT(refusal("grams=1.5"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("slices=99999999999"), HasSubstr("a whole number in [1, 100]"));
  EXPECT_THAT(refusal("crust=yes"), HasSubstr("allowed: true, false"));
  EXPECT_THAT(refusal("form=square"), HasSubstr("allowed: round, long"));
  EXPECT_THAT(refusal("every=end"), HasSubstr("a whole number of at least 1, or never"));
  EXPECT_THAT(refusal("proof=by its look"), HasSubstr("allowed: a number of at least 0"));
  for (const char* text : {"salt=", "salt=x", "salt=nan", "proof=inf", "proof=1e999", "grams= 1"}) {
    EXPECT_NE(refusal(text), "taken") << text;
  }
}

TEST(OptionTable, TakesAnOlderNameButNotBoth) {
  EXPECT_EQ(read("nacl=0.3").salt, 0.3);
  EXPECT_THAT(refusal("salt=0.3,nacl=0.3"),
              AllOf(HasSubstr("'salt'"), HasSubstr("'nacl'"), HasSubstr("give it once")));
}

TEST(OptionTable, ListsItsNamesWhereOneIsUnknown) {
  EXPECT_EQ(refusal("sugar=1"),
            "unknown option 'sugar' of food 'bread'; allowed: crust, every, form, grams, name, "
            "proof, salt, slices");
}

TEST(OptionTable, TellsItsOptionsToOthers) {
  const auto salt = spec("salt");
  EXPECT_THAT(salt.aliases, ElementsAre("nacl"));
  EXPECT_EQ(salt.fallback, "0.02");
  EXPECT_TRUE(salt.can_be_given);
  EXPECT_EQ(salt.allowed, "a number in [0, 1)");
  EXPECT_EQ(salt.meaning, "part of the flour");
  EXPECT_EQ(spec("form").fallback, "long");
  EXPECT_EQ(spec("every").fallback, "16");
  EXPECT_EQ(spec("proof").fallback, "by its look");
  EXPECT_FALSE(spec("proof").can_be_given);
}

TEST(Range, IsWrittenAsPeopleRead) {
  EXPECT_EQ(in(0, 0.5).str("a number"), "a number in [0, 0.5]");
  EXPECT_EQ(at_least(1e-6).str("a number"), "a number of at least 1e-6");
  EXPECT_EQ(Range{.most = 7}.str("a number"), "a number of at most 7");
  EXPECT_EQ((Range{.most = 7, .open = true}).str("a number"), "a number below 7");
  EXPECT_EQ(Range{}.str("a whole number"), "a whole number");
}

/// Food is made of guests; traits are what it weighs.
using Food = Plugin<std::string(int guests), std::int64_t>;
const Registry<Food>& foods();

struct MealOptions {
  InnerPlugin<Food> with = {.name = "bread"};
  std::string drink = "water";
};

struct WaterOptions {
  double litres = 1;
};

struct PlateOptions {
  int plates = 1;
};

Food on_plates(const Food& food) {
  const OptionTable<PlateOptions> table = {
      {"plates", &PlateOptions::plates, at_least(1), "of all foods"}};
  return food.with(table, [](Food::Chosen& chosen, const PlateOptions& options) {
    chosen.traits += options.plates;
    chosen.make = [make = chosen.make](int guests) { return make(guests) + " on a plate"; };
  });
}

Food bread() {
  return {bread_options(),
          [](int guests, const BreadOptions& options) {
            return fmt::format("bread of {} g for {}", options.grams, guests);
          },
          [](const BreadOptions& options) { return options.grams; }};
}

Food water() {
  const OptionTable<WaterOptions> table = {{"litres", &WaterOptions::litres, at_least(0), "of it"}};
  return {table,
          [](int guests, const WaterOptions&) { return fmt::format("water for {}", guests); },
          std::int64_t{1000}};
}

Food meal() {
  const OptionTable<MealOptions> table = {
      beside("with", &MealOptions::with, foods, "meal", "what there is to eat"),
      {"drink", &MealOptions::drink, choice_format(foods), "and to drink"}};
  return {table, [](int guests, const MealOptions& options) { return options.with.make(guests); }};
}

const Registry<Food>& foods() {
  static const Registry<Food> registry("food", {{"bread", "of wheat", on_plates(bread())},
                                                {"water", "still", on_plates(water())},
                                                {"meal", "more than one", on_plates(meal())},
                                                {"wine", "not in this build: grow grapes", {}}});
  return registry;
}

std::string food_refusal(const std::string& text) {
  try {
    foods().choose(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Plugin, MakesWithItsOptionsAndThoseOfItsKind) {
  const auto chosen = foods().choose("bread:grams=70,plates=2");
  EXPECT_EQ(chosen.make(3), "bread of 70 g for 3 on a plate");
  EXPECT_EQ(chosen.traits, 72);
  EXPECT_EQ(chosen.options.at(1).key, "grams");
  EXPECT_EQ(chosen.options.at(1).value, "70");
  EXPECT_EQ(chosen.options.back().key, "plates");
  EXPECT_EQ(chosen.options.back().value, "2");
  EXPECT_EQ(foods().choose("water").traits, 1001);
}

TEST(Plugin, TellsWhichOptionsAreThoseOfItsKind) {
  const auto specs = foods().find("water").plugin.options();
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "litres");
  EXPECT_FALSE(specs[0].common);
  EXPECT_EQ(specs[1].name, "plates");
  EXPECT_TRUE(specs[1].common);
}

TEST(InnerPlugin, HasItsOptionsBesideThoseOfItsOwner) {
  EXPECT_EQ(foods().choose("meal:with=bread,grams=20").make(1),
            "bread of 20 g for 1 on a plate on a plate");
  EXPECT_EQ(foods().choose("meal:with=water,litres=2").make(1),
            "water for 1 on a plate on a plate");
  EXPECT_THAT(food_refusal("meal:litres=2"),
              AllOf(HasSubstr("unknown option 'litres'"), HasSubstr("grams"), HasSubstr("with")));
  EXPECT_THAT(food_refusal("meal:with=meal"), HasSubstr("allowed: bread, water, wine"));
  EXPECT_THAT(food_refusal("meal:with=wine"), HasSubstr("not in this build: grow grapes"));
  EXPECT_EQ(foods().find("meal").plugin.options().front().fallback, "bread");
}

TEST(InnerPlugin, IsAChoiceInItself) {
  EXPECT_EQ(food_refusal("meal:drink=water:litres=2+plates=1"), "taken");
  EXPECT_THAT(food_refusal("meal:drink=milk"), HasSubstr("unknown food 'milk'"));
  EXPECT_THAT(food_refusal("meal:drink=water:litres=-2"), HasSubstr("of food 'water' is '-2'"));
  EXPECT_EQ(foods().find("meal").plugin.options().at(1).allowed,
            "a food, NAME:key=value+key=value");
}

}  // namespace
}  // namespace yoke
