#include "apps/yoke/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "apps/yoke/command_tree.h"

namespace yoke {
namespace {

constexpr std::size_t kColumns = 80, kIndent = 2;
constexpr std::size_t kFlagRight = 28, kCommandRight = 14;  // where meanings begin

/// `text` in lines that begin at the column `from` and, but for the first, with blanks up to there.
std::string wrapped(std::string_view text, std::size_t from) {
  std::string lines;
  std::size_t column = from;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (column > from && column + 1 + word.size() > kColumns) {
      lines += '\n' + std::string(from, ' ');
      column = from;
    }
    if (column > from) lines += ' ';
    column += word.size() + (column > from ? 1 : 0);
    lines += word;
  }
  return lines;
}

/// A name on the left and its meaning on the right, below it where the name is long.
std::string row(const std::string& name, const std::string& meaning, std::size_t right) {
  std::string line = std::string(kIndent, ' ') + name;
  if (!meaning.empty()) {
    line += line.size() + 2 > right ? '\n' + std::string(right, ' ')
                                    : std::string(right - line.size(), ' ');
    line += wrapped(meaning, right);
  }
  return line + '\n';
}

/// Several arguments are told by dots.
std::string argument_name(const CLI::Option& argument) {
  return name_of(argument) + (takes_several(argument) ? "..." : "");
}

}  // namespace

std::string Help::make_help(const CLI::App* command, std::string name,
                            CLI::AppFormatMode mode) const {
  std::string text = fmt::format("{}\n\n{}{}{}", wrapped(command->get_description(), 0),
                                 make_usage(command, std::move(name)),
                                 make_subcommands(command, mode), make_positionals(command));
  for (const auto& heading : headings_of(*command)) {
    auto flags = flags_of(*command);
    std::erase_if(flags, [&](const auto* flag) { return flag->get_group() != heading; });
    text += make_group(heading, /*is_positional=*/false, flags);
  }
  const std::string footer = command->get_footer();
  return footer.empty() ? text : fmt::format("{}\n{}\n", text, footer);
}

std::string Help::make_usage(const CLI::App* command, std::string /*name*/) const {
  std::string line = "Usage: " + full_name(*command) + " [FLAGS]";
  for (const auto* argument : arguments_of(*command)) {
    const auto name = argument_name(*argument);
    line += argument->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return line + (commands_of(*command).empty() ? "\n" : " COMMAND\n");
}

std::string Help::make_positionals(const CLI::App* command) const {
  const auto arguments = arguments_of(*command);
  return arguments.empty() ? "" : make_group("Arguments", /*is_positional=*/true, arguments);
}

std::string Help::make_subcommand(const CLI::App* command) const {
  return row(command->get_name(), command->get_description(), kCommandRight);
}

std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return row(argument_name(*option), description_of(*option), kFlagRight);
  std::string name = fmt::format("{}", fmt::join(names_of(*option), ", "));
  const auto value = value_of(*option).name;
  if (!value.empty()) name += " " + value;
  return row(name, description_of(*option), kFlagRight);
}

}  // namespace yoke
