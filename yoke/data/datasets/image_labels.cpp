#include "yoke/data/datasets/image_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_map>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/data/formats/csv.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);

/// Images by all that a file may call them.
class ImageNames {
 public:
  explicit ImageNames(const std::vector<FoundImage>& images) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::string& name = images[i].place.name;
      exact_.emplace(name, i);
      for (std::size_t begin = 0;;) {
        add(name.substr(begin), i);
        add(name.substr(begin, name.rfind('.') - begin), i);
        const auto slash = name.find('/', begin);
        if (slash == std::string::npos) break;
        begin = slash + 1;
      }
    }
  }

  /// Nothing where no image is called so; kSeveral where some are.
  std::optional<std::size_t> find(const std::string& given) const {
    const std::string name = fs::path(given).lexically_normal().string();
    if (const auto image = exact_.find(name); image != exact_.end()) return image->second;
    if (const auto image = short_.find(name); image != short_.end()) return image->second;
    return std::nullopt;
  }

 private:
  void add(const std::string& name, std::size_t image) {
    const auto [place, is_new] = short_.emplace(name, image);
    if (!is_new && place->second != image) place->second = kSeveral;
  }

  std::unordered_map<std::string, std::size_t> exact_, short_;
};

/// The first of `names` that is a column, else the column at `fallback`.
std::size_t column_of(const CsvTable& table, std::initializer_list<std::string_view> names,
                      std::size_t fallback) {
  for (const auto name : names) {
    if (const auto column = table.column(name)) return *column;
  }
  return fallback;
}

/// The file, as a table with the columns that matter.
class LabelFile {
 public:
  explicit LabelFile(const fs::path& path)
      : source_(path.string()),
        table_(parse_csv(read_file(path), source_)),
        image_(column_of(table_,
                         {"file_name", "file", "filename", "image", "image_id", "path", "id"}, 0)),
        label_(column_of(table_, {"label", "class", "category", "target"}, image_ == 0 ? 1 : 0)),
        split_(table_.column("split")) {
    if (table_.columns.size() < 2 || image_ == label_) {
      throw UsageError(
          fmt::format("{}:1: no columns of images and classes; begin with a line that names them, "
                      "as file,label",
                      source_));
    }
    if (table_.rows.empty()) {
      throw UsageError(fmt::format(
          "{} has no line of an image after the first, which names columns; write lines as "
          "cat/1.jpg,cat",
          source_));
    }
  }

  /// For each image whether the file has it.
  std::vector<bool> label(std::vector<FoundImage>& images) const {
    const auto places = places_in(images);
    std::vector<bool> given(images.size(), false);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& row = table_.rows[i];
      const std::size_t image = places[i];
      if (given[image]) fail(row, fmt::format("'{}' has a class already", row.fields[image_]));
      given[image] = true;
      take(row, images[image]);
    }
    return given;
  }

 private:
  /// Where the image of each row is.
  std::vector<std::size_t> places_in(const std::vector<FoundImage>& images) const {
    const ImageNames names(images);
    std::vector<std::size_t> places;
    std::vector<const CsvTable::Row*> missing;
    for (const auto& row : table_.rows) {
      const std::string& name = row.fields[image_];
      const auto image = names.find(name);
      if (image == kSeveral) {
        fail(row, fmt::format("several images are called '{}'; name it with its folders", name));
      }
      if (!image) missing.push_back(&row);
      places.push_back(image.value_or(0));
    }
    if (missing.empty()) return places;
    fail(*missing.front(),
         fmt::format("there is no image '{}'{}; images are {}, such as '{}'",
                     missing.front()->fields[image_],
                     missing.size() == 1 ? "" : fmt::format(", nor {} others", missing.size() - 1),
                     "files .jpg, .jpeg and .png below the root",
                     images.empty() ? "cat/1.jpg" : images.front().place.name));
  }

  void take(const CsvTable::Row& row, FoundImage& image) const {
    image.label = row.fields[label_];
    if (image.label.empty()) {
      fail(row, fmt::format("'{}' has no class; give it one, or leave its line out",
                            row.fields[image_]));
    }
    if (image.split.empty()) image.split = image.folder_split;
    if (!split_ || row.fields[*split_].empty()) return;
    image.split = split_of(row.fields[*split_]);
    if (image.split.empty()) {
      fail(row, fmt::format("split '{}'; allowed: train, val, valid, validation, test",
                            row.fields[*split_]));
    }
  }

  [[noreturn]] void fail(const CsvTable::Row& row, const std::string& what) const {
    throw UsageError(fmt::format("{}:{}: {}", source_, row.line, what));
  }

  const std::string source_;
  const CsvTable table_;
  const std::size_t image_, label_;
  const std::optional<std::size_t> split_;
};

}  // namespace

std::vector<std::string> apply_labels(std::vector<FoundImage>& images, const fs::path& path) {
  const auto given = LabelFile(path).label(images);
  std::vector<FoundImage> kept;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (given[i]) {
      kept.push_back(std::move(images[i]));
    } else {
      others.push_back(std::move(images[i].place.name));
    }
  }
  images = std::move(kept);
  std::sort(others.begin(), others.end());
  return others;
}

}  // namespace yoke
