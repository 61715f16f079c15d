// yoke/report/tensorboard/graph_names.h: names of the nodes of a graph; levels are split by '/'.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// `layer1.0.conv1.weight` as a path of the picture, `layer1/0/conv1/weight`; characters that
/// TensorBoard refuses become '_'.
std::string graph_path(std::string_view dotted_name);

/// What comes before the last '/', or nothing.
std::string graph_scope(std::string_view path);

/// `path` within `scope`, which may be empty.
std::string graph_join(const std::string& scope, const std::string& path);

/// Fills the gaps of `scopes`, in the order of execution: an operator without a layer of its own is
/// in what the nearest layers before and after it have in common.
std::vector<std::string> fill_scopes(const std::vector<std::optional<std::string>>& scopes);

/// Gives each name once: `relu`, `relu_1`, `relu_2`.
class UniqueNames {
 public:
  std::string operator()(const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> counts_;
};

}  // namespace yoke
