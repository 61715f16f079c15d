#include "yoke/data/formats/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "yoke/core/error.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

/// Takes fields and lines off a text.
class Cursor {
 public:
  Cursor(std::string_view text, char separator, const std::string& source)
      : text_(text), separator_(separator), source_(source) {}

  bool at_end() const { return text_.empty(); }
  std::int64_t line() const { return line_; }

  std::vector<std::string> take_line() {
    std::vector<std::string> fields = {take_field()};
    while (!text_.empty() && text_.front() == separator_) {
      text_.remove_prefix(1);
      fields.push_back(take_field());
    }
    if (text_.starts_with("\r\n")) text_.remove_prefix(1);
    if (!text_.empty()) text_.remove_prefix(1);
    ++line_;
    return fields;
  }

 private:
  std::string take_field() {
    std::string field;
    if (text_.starts_with('"')) field = take_quoted();
    while (!text_.empty() && text_.front() != separator_ && text_.front() != '\n' &&
           !text_.starts_with("\r\n")) {
      field += text_.front();
      text_.remove_prefix(1);
    }
    return field;
  }

  std::string take_quoted() {
    const std::int64_t begin = line_;
    std::string field;
    text_.remove_prefix(1);
    while (!text_.empty()) {
      const char letter = text_.front();
      text_.remove_prefix(1);
      if (letter == '"') {
        if (!text_.starts_with('"')) return field;
        text_.remove_prefix(1);
      }
      if (letter == '\n') ++line_;
      field += letter;
    }
    throw UsageError(
        fmt::format("{}:{}: a quote is not closed; a quote inside quotes is written "
                    "twice",
                    source_, begin));
  }

  std::string_view text_;
  char separator_;
  const std::string& source_;
  std::int64_t line_ = 1;
};

char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  for (const char separator : {',', ';', '\t'}) {
    if (first.find(separator) != std::string_view::npos) return separator;
  }
  return ',';
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const std::string& each) { return same_word(each, name); });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

CsvTable parse_csv(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvTable table;
  Cursor cursor(text, separator_of(text), source);
  while (!cursor.at_end()) {
    const std::int64_t line = cursor.line();
    auto fields = cursor.take_line();
    if (fields == std::vector<std::string>{""}) continue;
    if (table.columns.empty()) {
      table.columns = std::move(fields);
    } else if (fields.size() == table.columns.size()) {
      table.rows.push_back({.line = line, .fields = std::move(fields)});
    } else {
      throw UsageError(fmt::format(
          "{}:{}: {} are here, and the first line names {}; put a field that holds a separator in "
          "quotes",
          source, line, format_count(std::ssize(fields), "field"),
          format_count(std::ssize(table.columns), "column")));
    }
  }
  return table;
}

}  // namespace yoke
