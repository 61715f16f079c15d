#include "yoke/study/report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke::study {
namespace {

std::string in_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return line;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += fmt::format(" {} |", markdown_text(cell));
  return row + "\n";
}

std::string markdown_table(const Table& table) {
  if (table.rows.empty()) return "";
  std::string text = markdown_row(table.head) + "|";
  for (std::size_t i = 0; i < table.head.size(); ++i) text += " - |";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_~[]<>|&";
  std::string escaped;
  for (const char letter : in_one_line(text)) {
    if (kMarks.find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string markdown_page(const Document& document, const std::string& graphs,
                          const std::string& footer) {
  std::string text = fmt::format("# {}\n\n", markdown_text(document.title));
  for (const auto& section : document.sections) {
    text += fmt::format("## {}\n\n", markdown_text(section.heading));
    for (const auto& sentence : section.sentences) text += markdown_text(sentence) + "\n\n";
    for (const auto& table : section.tables) text += markdown_table(table);
    for (const auto& figure : section.figures) {
      text += fmt::format("![{}](<{}/{}.svg>)\n\n{}\n\n", markdown_text(figure.title), graphs,
                          figure.name, markdown_text(figure.caption));
    }
    if (section.commands.empty()) continue;
    for (const auto& command : section.commands) text += "    " + in_one_line(command) + "\n";
    text += "\n";
  }
  return text + markdown_text(footer) + "\n";
}

}  // namespace yoke::study
