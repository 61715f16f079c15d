// yoke/study/report/document.h: a report as text, tables and graphs, before it is a page.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/figures/figure.h"
#include "yoke/study/groups.h"
#include "yoke/study/report/photo_sheet.h"

namespace yoke::study {

/// Cells of text.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// A part of a report under a heading.
struct Section {
  std::string heading;
  std::vector<std::string> sentences = {};
  std::vector<Table> tables = {};
  std::vector<Figure> figures = {};
  std::vector<std::string> commands = {};  ///< Lines to be shown as they are.
  std::vector<SheetPhoto> photos = {};     ///< Of validation images; on pages of HTML alone.
};

/// A whole report.
struct Document {
  std::string title;
  std::vector<Section> sections;

  std::vector<Figure> figures() const;
};

/// All that can be said and drawn of the runs; parts without content are left out.
Document make_document(const std::string& title, const Comparison& comparison);

/// The tables: points, what they have less or more than the base, runs, machines and versions,
/// flags.
Table points_table(const Comparison& comparison);
Table pairs_table(const Comparison& comparison);
Table runs_table(const Comparison& comparison);
Table machine_table(const Comparison& comparison);
Table flags_table(const Comparison& comparison);

}  // namespace yoke::study
