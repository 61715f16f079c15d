#include "yoke/report/tensorboard/graph_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace yoke {
namespace {

/// The levels that both paths begin with.
std::string common_scope(const std::string& a, const std::string& b) {
  const std::string left = a + "/", right = b + "/";
  const auto end = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  const auto slash = left.substr(0, end - left.begin()).rfind('/');
  return slash == std::string::npos ? "" : left.substr(0, slash);
}

}  // namespace

std::string graph_path(std::string_view dotted_name) {
  std::string path(dotted_name);
  for (char& letter : path) {
    if (letter == '.') letter = '/';
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '/' && letter != '-') {
      letter = '_';
    }
  }
  // A name begins with a letter or a digit.
  if (path.empty() || !std::isalnum(static_cast<unsigned char>(path.front()))) path = "x" + path;
  return path;
}

std::string graph_scope(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

std::string graph_join(const std::string& scope, const std::string& path) {
  return scope.empty() ? path : scope + "/" + path;
}

std::vector<std::string> fill_scopes(const std::vector<std::optional<std::string>>& scopes) {
  std::vector<std::string> next(scopes.size());
  std::string following;
  for (std::size_t i = scopes.size(); i-- > 0;) {
    if (scopes[i]) following = *scopes[i];
    next[i] = following;
  }
  std::vector<std::string> filled;
  std::string previous;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i]) previous = *scopes[i];
    filled.push_back(common_scope(previous, next[i]));
  }
  return filled;
}

std::string UniqueNames::operator()(const std::string& name) {
  std::string unique = name;
  while (!taken_.insert(unique).second) unique = fmt::format("{}_{}", name, ++counts_[name]);
  return unique;
}

}  // namespace yoke
