// yoke/train/config/flag_kinds.h: how flags of each kind are read and written; for the table in
// flag_table.cpp.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "yoke/core/enum_words.h"
#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/train/config/flags.h"

namespace yoke::flag_kinds {

/// As the least value of a flag: every number above 0.
inline constexpr double kAboveZero = std::numeric_limits<double>::min();

/// Which numbers are allowed, for the help and messages: "from 0 to 1024", "above 0, at most 1".
template <typename Number>
std::string range_text(Number least, Number most) {
  const bool above_zero = std::is_floating_point_v<Number> && least == kAboveZero;
  const std::string from = above_zero ? "above 0" : fmt::format("from {}", least);
  const bool bounded = most != std::numeric_limits<Number>::max();
  if (bounded) return fmt::format("{}{} {}", from, above_zero ? ", at most" : " to", most);
  return above_zero ? from : from + " on";
}

template <typename Number>
Number number_of(const std::string& flag, const std::string& text, Number least, Number most) {
  const auto number = parse_number<Number>(text, least, most);
  if (number) return *number;
  throw UsageError(fmt::format("--{} is '{}'; allowed: a {}number {}", flag, text,
                               std::is_integral_v<Number> ? "whole " : "",
                               range_text(least, most)));
}

template <typename T>
struct Unwrap {
  using type = T;
};
template <typename T>
struct Unwrap<std::optional<T>> {
  using type = T;
};

/// A flag that is a number from `least` to `most`, or an optional one.
template <typename Field>
TrainFlag number(const char* name, Field TrainConfig::*field, typename Unwrap<Field>::type least,
                 typename Unwrap<Field>::type most, const std::string& help, const char* group) {
  using Number = typename Unwrap<Field>::type;
  return {name,
          "N",
          help,
          range_text(least, most),
          group,
          false,
          [=](TrainConfig& config, const std::string& text) {
            config.*field = number_of<Number>(name, text, least, most);
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            if constexpr (std::is_same_v<Field, Number>) {
              return fmt::format("{}", config.*field);
            } else {
              if (!(config.*field)) return std::nullopt;
              return fmt::format("{}", *(config.*field));
            }
          }};
}

template <typename Field>
TrainFlag at_least(const char* name, Field TrainConfig::*field, typename Unwrap<Field>::type least,
                   const std::string& help, const char* group) {
  using Number = typename Unwrap<Field>::type;
  return number(name, field, least, std::numeric_limits<Number>::max(), help, group);
}

template <typename Field>
TrainFlag count(const char* name, Field TrainConfig::*field, std::int64_t least,
                const std::string& help, const char* group) {
  return at_least(name, field, least, help, group);
}

inline TrainFlag seconds(const char* name, std::chrono::seconds TrainConfig::*field,
                         const std::string& help, const char* group) {
  constexpr std::int64_t kLeast = 1, kYear = 31'536'000;
  return {name,
          "N",
          help,
          range_text(kLeast, kYear),
          group,
          false,
          [=](TrainConfig& config, const std::string& text) {
            config.*field = std::chrono::seconds(number_of(name, text, kLeast, kYear));
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            return fmt::format("{}", (config.*field).count());
          }};
}

template <typename Field>  // std::string or path
TrainFlag text(const char* name, Field TrainConfig::*field, const char* value,
               const std::string& help, const char* group) {
  return {name,
          value,
          help,
          "",
          group,
          true,
          [=](TrainConfig& config, const std::string& given) { config.*field = given; },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            std::string given = std::filesystem::path(config.*field).string();
            if (given.empty()) return std::nullopt;
            return given;
          }};
}

/// A flag that takes one of the words of an enumeration, or an optional one.
template <typename Field>
TrainFlag choice(const char* name, Field TrainConfig::*field, const std::string& help,
                 const char* group) {
  using Enum = typename Unwrap<Field>::type;
  return {name,
          words_of<Enum>("/"),
          help,
          "",
          group,
          true,
          [=](TrainConfig& config, const std::string& given) {
            config.*field = parse_word<Enum>(fmt::format("--{}", name), given);
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            const std::optional<Enum> word = config.*field;
            if (!word) return std::nullopt;
            return word_of(*word);
          }};
}

/// A flag that is a size, or sizes by epoch; a single one is a number in TOML.
inline TrainFlag sizes(const char* name, SizesByEpoch TrainConfig::*field, const SizeRange& range,
                       const std::string& help, const char* group) {
  return {name,
          "N/EPOCH:N[,...]",
          help,
          range_text<std::int64_t>(1, range.most),
          group,
          false,
          [=](TrainConfig& config, const std::string& given) {
            config.*field = SizesByEpoch::parse(given, fmt::format("--{}", name), range);
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            if (!(config.*field).given()) return std::nullopt;
            return (config.*field).str();
          }};
}

/// A flag whose value parses itself and writes itself out, or an optional one.
template <typename Field>
TrainFlag parsed(const char* name, Field TrainConfig::*field, const char* value,
                 const std::string& help, const char* group) {
  using Value = typename Unwrap<Field>::type;
  return {name,
          value,
          help,
          "",
          group,
          true,
          [=](TrainConfig& config, const std::string& given) {
            config.*field = Value::parse(given, fmt::format("--{}", name));
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            const std::optional<Value> known = config.*field;
            if (!known) return std::nullopt;
            return known->str();
          }};
}

inline TrainFlag interval(const char* name, Interval TrainConfig::*field, const std::string& help,
                          const char* group) {
  return parsed(name, field, "1epoch/500steps/10min", help, group);
}

inline TrainFlag steps(const char* name, std::optional<StepRange> TrainConfig::*field,
                       const std::string& help, const char* group) {
  return parsed(name, field, "FIRST:LAST", help, group);
}

inline TrainFlag boolean(const char* name, bool TrainConfig::*field, const char* value,
                         const std::string& help, const char* group) {
  return {name,
          value,
          help,
          "",
          group,
          false,
          [=](TrainConfig& config, const std::string& given) {
            const bool yes = given == "on" || given == "true";
            if (!yes && given != "off" && given != "false") {
              throw UsageError(fmt::format("--{} is '{}'; allowed: on, off", name, given));
            }
            config.*field = yes;
          },
          [=](const TrainConfig& config) -> std::optional<std::string> {
            return config.*field ? "true" : "false";
          }};
}

/// `flag` with roles, and other names on the command line.
inline TrainFlag with(unsigned roles, TrainFlag flag, std::vector<std::string> aliases = {}) {
  flag.roles = roles;
  flag.aliases = std::move(aliases);
  return flag;
}

/// `flag`, whose value a run finds out where it is not given.
template <typename Number>
TrainFlag or_resolved(Number Resolved::*field, TrainFlag flag) {
  flag.resolved = [=](const Resolved& resolved) { return fmt::format("{}", resolved.*field); };
  return flag;
}

/// `flag`, of whose value ranks must have in common what `common` makes of it.
inline TrainFlag alike_in(std::string (*common)(const std::string&), TrainFlag flag) {
  flag.common = common;
  return flag;
}

}  // namespace yoke::flag_kinds
