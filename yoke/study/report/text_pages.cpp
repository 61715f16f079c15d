#include "yoke/study/report/text_pages.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke::study {
namespace {

constexpr std::size_t kLetters = 150;  // of a line
constexpr std::size_t kLines = 44;     // of a page

using TextLines = std::vector<std::string>;

/// Letters of UTF-8, not bytes.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& name : table.head) widths.push_back(letters(name));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], letters(row[i]));
    }
  }
  std::size_t whole = 2 * (widths.size() - 1);
  for (const auto width : widths) whole += width;
  while (whole > kLetters) {  // the widest column gives way
    auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= 8) break;
    --*widest;
    --whole;
  }
  return widths;
}

void add_row(const TextLines& row, const std::vector<std::size_t>& widths, TextLines& out) {
  std::vector<TextLines> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells.push_back(wrap(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string part = line < cells[i].size() ? cells[i][line] : "";
      text += part + std::string(widths[i] - std::min(widths[i], letters(part)) + 2, ' ');
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out.push_back(text);
  }
}

void add_table(const Table& table, TextLines& out) {
  if (table.rows.empty()) return;
  const auto widths = widths_of(table);
  out.emplace_back();
  add_row(table.head, widths, out);
  for (const auto& row : table.rows) add_row(row, widths, out);
}

void add(const TextLines& more, TextLines& out) { out.insert(out.end(), more.begin(), more.end()); }

}  // namespace

TextLines wrap(const std::string& text, std::size_t width, const std::string& indent) {
  TextLines lines;
  std::string rest = text;
  while (letters(rest) > width) {
    std::size_t end = 0, count = 0;  // bytes and letters that fit
    while (end < rest.size() && count <= width) {
      ++end;
      while (end < rest.size() && (rest[end] & 0xC0) == 0x80) ++end;
      ++count;
    }
    const auto blank = rest.rfind(' ', end - 1);
    const bool between = blank != std::string::npos && blank > indent.size();
    if (!between) {  // a word that is longer than the line
      --end;
      while (end > 1 && (rest[end] & 0xC0) == 0x80) --end;
    }
    lines.push_back(rest.substr(0, between ? blank : end));
    rest.replace(0, between ? blank + 1 : end, indent);
  }
  lines.push_back(rest);
  return lines;
}

std::vector<TextLines> text_pages(const Document& document, const std::string& footer) {
  TextLines lines = {document.title, ""};
  for (const auto& section : document.sections) {
    const bool text =
        !section.sentences.empty() || !section.tables.empty() || !section.commands.empty();
    if (!text) continue;
    lines.emplace_back();
    lines.push_back(section.heading);
    lines.emplace_back(letters(section.heading), '-');
    for (const auto& sentence : section.sentences) add(wrap(sentence, kLetters), lines);
    for (const auto& table : section.tables) add_table(table, lines);
    for (const auto& command : section.commands) add(wrap(command, kLetters, "    "), lines);
  }
  lines.emplace_back();
  add(wrap(footer, kLetters), lines);
  std::vector<TextLines> pages;
  for (std::size_t begin = 0; begin < lines.size(); begin += kLines) {
    const std::size_t end = std::min(begin + kLines, lines.size());
    pages.emplace_back(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                       lines.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return pages;
}

}  // namespace yoke::study
