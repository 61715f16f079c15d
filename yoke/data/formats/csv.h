// yoke/data/formats/csv.h: tables of comma-separated values (RFC 4180), as spreadsheets write them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// A table whose first line names its columns.
struct CsvTable {
  struct Row {
    std::int64_t line = 0;            ///< In the file, from 1.
    std::vector<std::string> fields;  ///< One for each column.
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;

  /// The place of the column `name`, in any case of letters; nothing where there is none.
  std::optional<std::size_t> column(std::string_view name) const;
};

/// Fields stand between commas, or between the semicolons or tabs that the first line has in their
/// place; those in quotes may hold them, line ends, and quotes written twice. A byte order mark and
/// empty lines are passed over.
/// @throws UsageError that names `source` and the line, of a quote that is not closed or a line of
/// another number of fields than the first has.
CsvTable parse_csv(std::string_view text, const std::string& source);

}  // namespace yoke
