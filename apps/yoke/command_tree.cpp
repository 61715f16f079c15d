#include "apps/yoke/command_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "apps/yoke/option_tables.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

bool is_for_people(const CLI::Option& option) { return !option.get_group().empty(); }

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  return command.get_options([positional](const CLI::Option* option) {
    return is_for_people(*option) && option->get_positional() == positional;
  });
}

/// `data set` as in DATASET.
std::string in_capitals(const std::string& kind) {
  std::string capitals;
  for (const unsigned char letter : kind) {
    if (letter != ' ') capitals += static_cast<char>(std::toupper(letter));
  }
  return capitals;
}

std::vector<std::string> plugins_of(const std::string& capitals) {
  std::vector<std::string> names;
  for (const auto& kind : plugin_kinds()) {
    if (in_capitals(kind.kind) != capitals) continue;
    for (const auto& plugin : kind.plugins) names.push_back(plugin.name);
  }
  return names;
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '-';
  });
}

void add_part(ValueShape& shape, const std::string& part) {
  using Path = ValueShape::Path;
  if (part == "FILE" || part == "PATH") {
    shape.path = Path::kAny;
  } else if (part == "DIR") {
    shape.path = Path::kFolder;
  } else if (is_word(part)) {
    shape.words.push_back(part);
  } else {
    const auto names = plugins_of(part);
    shape.words.insert(shape.words.end(), names.begin(), names.end());
  }
}

/// Names that CLI11 gives to types by itself.
bool is_number(std::string_view type) { return type == "INT" || type == "UINT" || type == "FLOAT"; }

/// The bounds in "INT in [1 - 4096]", CLI11's word for a range; other texts as they are.
std::string range_of(const std::string& check) {
  const auto open = check.find(" in ["), between = check.find(" - ", open);
  if (open == std::string::npos || between == std::string::npos) return check;
  return fmt::format("from {} to {}", check.substr(open + 5, between - open - 5),
                     check.substr(between + 3, check.size() - between - 4));
}

/// `a/b` of "{a,b}", CLI11's word for a choice.
std::string alternatives_of(std::string check) {
  check = check.substr(1, check.size() - 2);
  std::replace(check.begin(), check.end(), ',', '/');
  return check;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands(
      [](const CLI::App* sub) { return !sub->get_name().empty() && !sub->get_group().empty(); });
}

std::vector<const CLI::Option*> flags_of(const CLI::App& command) {
  return options_of(command, /*positional=*/false);
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return options_of(command, /*positional=*/true);
}

std::vector<std::string> headings_of(const CLI::App& command) {
  std::vector<std::string> headings;
  for (const auto* flag : flags_of(command)) {
    if (std::find(headings.begin(), headings.end(), flag->get_group()) == headings.end()) {
      headings.push_back(flag->get_group());
    }
  }
  return headings;
}

std::string full_name(const CLI::App& command) {
  const auto* const parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : fmt::format("{} {}", full_name(*parent), command.get_name());
}

std::vector<std::string> names_of(const CLI::Option& flag) {
  std::vector<std::string> names;
  for (const auto& name : flag.get_snames()) names.push_back("-" + name);
  for (const auto& name : flag.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string name_of(const CLI::Option& argument) {
  return argument.get_name(/*positional=*/true, /*all_options=*/false);
}

bool takes_several(const CLI::Option& argument) { return argument.get_expected_max() > 1; }

bool is_switch(const CLI::Option& flag) { return flag.get_items_expected_min() == 0; }

ValueShape value_of(const CLI::Option& flag) {
  ValueShape shape;
  if (is_switch(flag)) return shape;
  const std::string type = flag.get_type_name();
  const auto colon = type.find(':');
  const std::string own = type.substr(0, colon);  // CLI11 puts what is checked behind it
  const std::string check = colon == std::string::npos ? "" : type.substr(colon + 1);
  if (is_number(own)) {
    shape.name = "N";
    if (!check.empty()) shape.range = range_of(check);
    return shape;
  }
  shape.name = check.starts_with('{') ? alternatives_of(check) : type;
  const std::string alternatives = shape.name.substr(0, shape.name.find('['));
  for (const auto part : split(alternatives, '/')) add_part(shape, std::string(part));
  return shape;
}

std::string description_of(const CLI::Option& flag) {
  std::string text = flag.get_description();
  const auto range = value_of(flag).range;
  if (!range.empty()) text += "; " + range;
  std::string fallback = flag.get_default_str();
  std::erase_if(fallback,
                [](char letter) { return letter == '[' || letter == ']' || letter == '"'; });
  if (!fallback.empty()) text += fmt::format(" [{}]", fallback);
  return text;
}

}  // namespace yoke
