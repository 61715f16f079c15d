// yoke/core/plugins/option_table.h: the options of a plug-in, each declared once. A plug-in gives a
// struct, whose initialisers are the defaults, and a table of its members; from these come parsing,
// help, documents and tests.
#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "yoke/core/plugins/option_format.h"

namespace yoke {

/// What is known of an option without its plug-in.
struct OptionSpec {
  std::string name;
  std::vector<std::string> aliases;  ///< Older names of it.
  OptionKind kind;
  std::string fallback;       ///< What it is where it is not given.
  bool can_be_given = false;  ///< Whether that is a value, or words for people.
  Range range;                ///< Of numbers.
  std::string allowed;        ///< The values there are, in words.
  std::string meaning;        ///< One line.
  bool common = false;        ///< Whether all plug-ins of the kind have it.
};

/// The name of an option, `"lr"`, or its name and then older ones, `{"eps", "epsilon"}`.
struct OptionNames {
  OptionNames(const char* name) : all{name} {}
  OptionNames(std::initializer_list<const char*> names) : all(names.begin(), names.end()) {}
  std::vector<std::string> all;
};

/// An option that is a member of `Values`.
template <typename Values>
struct Option {
  /// A number in a range.
  template <typename T>
  Option(OptionNames names, T Values::*member, Range range, std::string meaning)
      : Option(std::move(names), member, number_format<T>(range), std::move(meaning)) {}

  /// A number in a range, or none.
  template <typename T>
  Option(OptionNames names, std::optional<T> Values::*member, Range range, WhereNone none,
         std::string meaning)
      : Option(std::move(names), member, optional_format(number_format<T>(range), std::move(none)),
               std::move(meaning)) {}

  /// One of a few words, each of which stands for a value.
  template <typename T>
  Option(OptionNames names, T Values::*member, Words<std::type_identity_t<T>> words,
         std::string meaning)
      : Option(std::move(names), member, word_format<T>(std::move(words)), std::move(meaning)) {}

  Option(OptionNames names, bool Values::*member, std::string meaning)
      : Option(std::move(names), member, switch_format(), std::move(meaning)) {}

  Option(OptionNames names, std::string Values::*member, std::string meaning)
      : Option(std::move(names), member, text_format(), std::move(meaning)) {}

  /// Written by `format`.
  template <typename T>
  Option(OptionNames names, T Values::*member, OptionFormat<std::type_identity_t<T>> format,
         std::string meaning)
      : name(names.all.front()),
        read([names, member, format](Options& options, Values& values) {
          if (auto given = read_option(options, names.all, format)) values.*member = *given;
        }),
        print([member, format](const Values& values) { return format.print(values.*member); }),
        spec([names, format, meaning](const std::string& fallback) {
          return OptionSpec{.name = names.all.front(),
                            .aliases = {names.all.begin() + 1, names.all.end()},
                            .kind = format.kind,
                            .fallback = fallback,
                            .can_be_given = format.parse(fallback).has_value(),
                            .range = format.range,
                            .allowed = format.allowed(),
                            .meaning = meaning};
        }) {}

  std::string name;
  /// Replaces its member where the option was given. @throws UsageError where that is not allowed.
  std::function<void(Options&, Values&)> read;
  /// Its value as one gives it.
  std::function<std::string(const Values&)> print;
  /// What is known of it where `fallback` is its default.
  std::function<OptionSpec(const std::string& fallback)> spec;
};

/// All options of a plug-in, and what they are where they are not given.
template <typename Values>
class OptionTable {
 public:
  OptionTable(std::initializer_list<Option<Values>> options) : options_(options) {}
  OptionTable(Values defaults, std::initializer_list<Option<Values>> options)
      : defaults_(std::move(defaults)), options_(options) {}

  /// The same, where a value that comes first without a name is that of `option`: `name:value`.
  OptionTable with_bare(std::string option) && {
    bare_ = std::move(option);
    return std::move(*this);
  }

  /// Takes its options out of `options`. @throws UsageError on a value that is not allowed.
  Values read(Options& options) const {
    Values values = defaults_;
    if (!bare_.empty()) options.name_bare(bare_);
    for (const auto& option : options_) option.read(options, values);
    return values;
  }

  std::vector<OptionSpec> specs() const {
    std::vector<OptionSpec> specs;
    for (const auto& option : options_) specs.push_back(option.spec(option.print(defaults_)));
    return specs;
  }

  /// Each option with its value in `values`.
  std::vector<Options::Pair> pairs(const Values& values) const {
    std::vector<Options::Pair> pairs;
    for (const auto& option : options_) {
      pairs.push_back({.key = option.name, .value = option.print(values)});
    }
    return pairs;
  }

 private:
  Values defaults_{};
  std::string bare_;  // an option's name, or empty
  std::vector<Option<Values>> options_;
};

/// Of plug-ins that have no options.
struct NoOptions {};

inline OptionTable<NoOptions> no_options() { return {}; }

}  // namespace yoke
