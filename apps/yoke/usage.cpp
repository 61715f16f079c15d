#include "apps/yoke/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "apps/yoke/command_tree.h"
#include "yoke/core/nearest_name.h"

namespace yoke {
namespace {

/// The innermost command that was named.
const CLI::App& named_command(const CLI::App& program) {
  const auto named = program.get_subcommands();
  return named.empty() ? program : named_command(*named.front());
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* sub : commands_of(command)) names.push_back(sub->get_name());
  return names;
}

/// In place of `unknown`.
std::vector<std::string> allowed_words(const CLI::App& command, const std::string& unknown) {
  std::vector<std::string> words;
  if (!unknown.starts_with('-')) words = names_of_commands(command);
  if (!words.empty()) return words;
  for (const auto* flag : flags_of(command)) words.push_back(names_of(*flag).back());
  return words;
}

/// What was typed and is none of `command`'s, a flag without its value; empty where that is not
/// what was wrong.
std::string unknown_word(const CLI::App& command) {
  const auto left = command.remaining();
  return left.empty() ? "" : left.front().substr(0, left.front().find('='));
}

/// In whole sentences what CLI11 says shortly of a flag that has too many values, or none.
std::string in_sentences(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string name = text.substr(0, text.find(':'));
  const std::string twice = name + ": At Most 1 required but received ";
  if (text.starts_with(twice)) {
    return fmt::format("{} is given {} times; give it once", name, text.substr(twice.size()));
  }
  if (text.starts_with(name + ": 1 required ") && text.ends_with(" missing")) {
    return fmt::format("{} has no value; give it one", name);
  }
  return text;
}

}  // namespace

std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = named_command(program);
  const std::string help = fmt::format("run '{} --help'", full_name(command));
  const std::string unknown = unknown_word(command);
  const auto commands = names_of_commands(command);
  if (!unknown.empty()) {
    const auto allowed = allowed_words(command, unknown);
    const bool near = !nearest_name(unknown, allowed).empty();
    const char* const what = unknown.starts_with('-') ? "unknown flag"
                             : commands.empty()       ? "unexpected"
                                                      : "unknown command";
    return fmt::format("{} '{}'; {}{}", what, unknown, suggest(unknown, allowed),
                       near ? "" : "; " + help);
  }
  const bool lacks_command =
      !commands.empty() && std::string_view(error.what()).find("subcommand") != std::string::npos;
  if (!lacks_command) return fmt::format("{}; {}", in_sentences(error), help);
  return fmt::format("{}; allowed: {}; {}", in_sentences(error), fmt::join(commands, ", "), help);
}

}  // namespace yoke
