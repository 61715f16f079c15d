#include "apps/yoke/man_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "apps/yoke/command_tree.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

/// `text` as roff prints it unchanged.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '-') {
      safe += "\\-";
    } else if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '\'') {
      safe += "\\(aq";
    } else if (letter == '.' && (safe.empty() || safe.back() == '\n')) {
      safe += "\\&.";
    } else {
      safe += letter;
    }
  }
  return safe;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

/// `yoke-train`.
std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string synopsis(const CLI::App& command) {
  std::string line = fmt::format(".B {}\n[\\fIFLAGS\\fR]", roff(full_name(command)));
  for (const auto* argument : arguments_of(command)) {
    const std::string name = fmt::format("\\fI{}\\fR{}", roff(name_of(*argument)),
                                         takes_several(*argument) ? " ..." : "");
    line += argument->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return line + (commands_of(command).empty() ? "\n" : " \\fICOMMAND\\fR\n");
}

std::string entry(const std::string& title, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", title, text.empty() ? "\\&" : roff(text));
}

std::string entry(const CLI::Option& flag) {
  std::vector<std::string> names;
  for (const auto& name : names_of(flag)) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
  const auto value = value_of(flag).name;
  return entry(fmt::format("{}{}", fmt::join(names, ", "),
                           value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(value))),
               description_of(flag));
}

/// Arguments and flags; `heading` is the macro of their headings.
std::string flags_text(const CLI::App& command, const char* heading) {
  std::string text;
  const auto arguments = arguments_of(command);
  if (!arguments.empty()) text += fmt::format("{} ARGUMENTS\n", heading);
  for (const auto* argument : arguments) {
    text += entry(fmt::format("\\fI{}\\fR", roff(name_of(*argument))), description_of(*argument));
  }
  for (const auto& group : headings_of(command)) {
    text += fmt::format("{} {}\n", heading, roff(upper(group)));
    for (const auto* flag : flags_of(command)) {
      if (flag->get_group() == group) text += entry(*flag);
    }
  }
  return text;
}

/// A footer as it is in the help, line by line.
std::string notes(const CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.empty()) return {};
  std::string text = ".SH NOTES\n.nf\n";
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) text += roff(line) + '\n';
  return text + ".fi\n";
}

std::string page_of(const CLI::App& command, const std::string& middle,
                    const std::string& see_also) {
  return fmt::format(
      ".TH {} 1 \"\" \"yoke {}\" \"Yoke\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}{}{}"
      ".SH SEE ALSO\n{}\n",
      roff(upper(page_name(command))), kVersion, roff(page_name(command)),
      roff(command.get_description()), synopsis(command), middle, notes(command), see_also);
}

std::string link(const CLI::App& command) {
  return fmt::format("\\fB{}\\fR(1)", roff(page_name(command)));
}

ManPage program_page(const CLI::App& program) {
  std::string commands = ".SH COMMANDS\n";
  std::vector<std::string> links;
  for (const auto* sub : commands_of(program)) {
    commands += entry(fmt::format("\\fB{}\\fR", roff(sub->get_name())), sub->get_description());
    links.push_back(link(*sub));
  }
  const std::string statuses =
      ".SH EXIT STATUS\n" + entry("0", "Done.") + entry(std::to_string(kFailed), "Failed.") +
      entry(std::to_string(kWrongUsage), "Used wrongly; the message says what is allowed.") +
      entry(std::to_string(kUnavailable),
            "This machine lacks what was asked for, as a GPU; the message says what.") +
      entry(std::to_string(kStopped), "Stopped with its state kept, so that it can go on.");
  return {page_name(program) + ".1",
          page_of(program, commands + flags_text(program, ".SH") + statuses,
                  fmt::format("{}", fmt::join(links, ",\n")))};
}

ManPage command_page(const CLI::App& command) {
  std::string below;
  for (const auto* sub : commands_of(command)) {
    below +=
        fmt::format(".SH {}\n{}\n.PP\n{}{}", roff(upper(full_name(*sub))),
                    roff(sub->get_description()) + ".", synopsis(*sub), flags_text(*sub, ".SS"));
  }
  return {page_name(command) + ".1",
          page_of(command, flags_text(command, ".SH") + below, link(*command.get_parent()))};
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& program) {
  std::vector<ManPage> pages = {program_page(program)};
  for (const auto* command : commands_of(program)) pages.push_back(command_page(*command));
  return pages;
}

}  // namespace yoke
