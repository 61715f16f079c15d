#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "apps/yoke/command_tree.h"
#include "apps/yoke/completion.h"

namespace yoke {
namespace {

// The function below: {0} finds the command, {1} completes values of flags, {2} lists the flags of
// a command, {3} completes what has no name.
constexpr const char* kScript = R"(# bash completion of yoke, made by 'yoke completion bash'

# The words of $1 that begin as the current word does.
_yoke_words() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}}

# Files, or folders where $1 is -d.
_yoke_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}}

_yoke() {{
  local command= current=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}} i
  COMPREPLY=()
  # bash makes words of their own of = and :, as in --out=runs/mine and sgd:momentum=0.9.
  case $current in =) current= ;; esac
  case $flag in =) flag=${{COMP_WORDS[COMP_CWORD - 2]}} ;; esac
  case $flag$current in *:*) return ;; esac
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
{0}    esac
  done
  case "$command $flag" in
{1}  esac
  if [[ $current == -* ]]; then
    case $command in
{2}    esac
    return
  fi
  case $command in
{3}  esac
}}
complete -F _yoke yoke
)";

/// Below the program: `data fetch`; empty for the program itself.
std::string short_name(const CLI::App& command) {
  const auto* const parent = command.get_parent();
  if (parent == nullptr) return {};
  const std::string above = short_name(*parent);
  return above.empty() ? command.get_name() : above + " " + command.get_name();
}

/// What bash does to complete a value.
std::string action(const ValueShape& value) {
  std::string does;
  if (!value.words.empty()) does = fmt::format("_yoke_words '{}'", fmt::join(value.words, " "));
  if (value.path == ValueShape::Path::kNone) return does.empty() ? ":" : does;
  const char* const files =
      value.path == ValueShape::Path::kFolder ? "_yoke_files -d" : "_yoke_files -f";
  return does.empty() ? files : fmt::format("{}; ((${{#COMPREPLY[@]}})) || {}", does, files);
}

std::vector<std::string> names_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* sub : commands_of(command)) names.push_back(sub->get_name());
  return names;
}

/// The pieces of the script, each a list of cases.
struct Cases {
  std::string commands, flags, arguments;
  std::map<std::string, std::vector<std::string>> values;  ///< Of an action: "train --out", ...
};

void add_cases(Cases& cases, const CLI::App& command) {
  const std::string own = short_name(command);
  std::vector<std::string> names;
  for (const auto* flag : flags_of(command)) {
    for (const auto& name : names_of(*flag)) {
      names.push_back(name);
      if (is_switch(*flag)) continue;
      cases.values[action(value_of(*flag))].push_back(fmt::format("'{} {}'", own, name));
    }
  }
  cases.flags += fmt::format("      '{}') _yoke_words '{}' ;;\n", own, fmt::join(names, " "));
  const auto below = names_below(command);
  const auto arguments = arguments_of(command);
  std::string does = ":";
  if (!below.empty()) {
    does = fmt::format("_yoke_words '{}'", fmt::join(below, " "));
  } else if (!arguments.empty()) {
    does = action(value_of(*arguments.back()));
  }
  cases.arguments += fmt::format("    '{}') {} ;;\n", own, does);
  for (const auto* sub : commands_of(command)) {
    cases.commands +=
        fmt::format("      '{} {}') command='{}' ;;\n", own, sub->get_name(), short_name(*sub));
    add_cases(cases, *sub);
  }
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  Cases cases;
  add_cases(cases, program);
  for (const auto& name : names_below(program)) {  // behind the flags of `yoke run`
    cases.commands += fmt::format("      'run {0}') command='{0}' ;;\n", name);
  }
  std::string values;
  for (const auto& [does, flags] : cases.values) {
    values +=
        fmt::format("    {})\n      {}\n      return\n      ;;\n", fmt::join(flags, " | "), does);
  }
  return fmt::format(kScript, cases.commands, values, cases.flags, cases.arguments);
}

}  // namespace yoke
