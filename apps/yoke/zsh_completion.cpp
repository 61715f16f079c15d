#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "apps/yoke/command_tree.h"
#include "apps/yoke/completion.h"

namespace yoke {
namespace {

/// `text` inside of single quotes, with what _arguments and _describe read as a sign kept as it is.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\'') {
      safe += "'\\''";
    } else {
      if (std::string_view("[]:\\").find(letter) != std::string_view::npos) safe += '\\';
      safe += letter;
    }
  }
  return safe;
}

/// `_yoke_data_fetch`.
std::string function_name(const CLI::App& command) {
  const auto* const parent = command.get_parent();
  return parent == nullptr ? "_yoke" : function_name(*parent) + "_" + command.get_name();
}

/// What is shown of a value and how it is completed: `DIR:_files -/`.
std::string message_and_action(const std::string& name, const ValueShape& value) {
  std::string does = " ";
  if (!value.words.empty() && value.path != ValueShape::Path::kNone) {
    does = fmt::format("{{_alternative \"words:word:({})\" \"files:file:_files\"}}",
                       fmt::join(value.words, " "));
  } else if (!value.words.empty()) {
    does = fmt::format("({})", fmt::join(value.words, " "));
  } else if (value.path != ValueShape::Path::kNone) {
    does = value.path == ValueShape::Path::kFolder ? "_files -/" : "_files";
  }
  return fmt::format("{}:{}", plain(name), does);
}

/// What _arguments is told of a flag: a word for each of its names, which exclude each other.
std::vector<std::string> flag_words(const CLI::Option& flag) {
  const auto names = names_of(flag);
  const auto value = value_of(flag);
  std::vector<std::string> words;
  for (const auto& name : names) {
    const char* const joined = is_switch(flag) ? "" : name.starts_with("--") ? "=" : "+";
    const std::string behind = is_switch(flag) ? "" : ":" + message_and_action(value.name, value);
    words.push_back(fmt::format("'({}){}{}[{}]{}'", fmt::join(names, " "), name, joined,
                                plain(description_of(flag)), behind));
  }
  return words;
}

std::vector<std::string> argument_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const auto* argument : arguments_of(command)) {
    const char* const count = takes_several(*argument) ? "*" : argument->get_required() ? "" : ":";
    words.push_back(
        fmt::format("'{}:{}'", count, message_and_action(name_of(*argument), value_of(*argument))));
  }
  return words;
}

/// Lines that complete the name of a command, then what belongs to it. `above` is the program for
/// `yoke run`, behind whose flags its commands stand.
std::string dispatch(const CLI::App& above) {
  std::string names, calls;
  for (const auto* sub : commands_of(above)) {
    names += fmt::format("        '{}:{}'\n", sub->get_name(), plain(sub->get_description()));
    calls += fmt::format("        {}) {} ;;\n", sub->get_name(), function_name(*sub));
  }
  return fmt::format(
      "  case $state in\n    command)\n      local -a commands=(\n{}      )\n"
      "      _describe command commands\n      ;;\n"
      "    words)\n      case $words[1] in\n{}      esac\n      ;;\n  esac\n",
      names, calls);
}

std::string function_of(const CLI::App& command, const CLI::App& program) {
  std::vector<std::string> words;
  for (const auto* flag : flags_of(command)) {
    const auto more = flag_words(*flag);
    words.insert(words.end(), more.begin(), more.end());
  }
  const bool starts_others = &command == program.get_subcommand("run");
  const bool leads = starts_others || !commands_of(command).empty();
  if (leads) {
    words.insert(words.end(), {"'(-)1:command:->command'", "'(-)*::word:->words'"});
  } else {
    const auto more = argument_words(command);
    words.insert(words.end(), more.begin(), more.end());
  }
  std::string text = fmt::format(
      "{}() {{\n{}  _arguments{} \\\n    {}\n{}}}\n\n", function_name(command),
      leads ? "  local curcontext=$curcontext context state line\n  local -A opt_args\n" : "",
      leads ? " -C" : "", fmt::join(words, " \\\n    "),
      leads ? dispatch(starts_others ? program : command) : "");
  for (const auto* sub : commands_of(command)) text += function_of(*sub, program);
  return text;
}

}  // namespace

std::string zsh_completion(const CLI::App& program) {
  return fmt::format(
      "#compdef yoke\n# zsh completion of yoke, made by 'yoke completion zsh'\n\n{}"
      "_yoke \"$@\"\n",
      function_of(program, program));
}

}  // namespace yoke
