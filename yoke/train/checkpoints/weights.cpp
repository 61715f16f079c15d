#include "yoke/train/checkpoints/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/data/formats/pt.h"
#include "yoke/models/module_parts.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/checkpoints/older_names.h"
#include "yoke/train/checkpoints/tensor_differences.h"
#include "yoke/train/checkpoints/wrapper_names.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCount = "num_batches_tracked";  // no result of a model depends on it

std::string form_of(const torch::Tensor& tensor) {
  const bool fraction = tensor.is_floating_point();
  return fmt::format("{}[{}]", fraction ? "" : "whole numbers ",
                     fmt::join(tensor.sizes().vec(), ", "));
}

/// What to do about modules that differ: mostly it is the last layer, for other classes.
std::string advise(const WeightsChoice& choice, const std::set<std::string>& modules) {
  constexpr std::size_t kFew = 3;
  if (modules.size() > kFew) return "give the model that these weights are of";
  auto skip = choice.skip;
  skip.insert(skip.end(), modules.begin(), modules.end());
  return fmt::format(
      "give the model that these weights are of, or train this part from its initial values: "
      "--weights {}:skip={}",
      choice.given, fmt::join(skip, "+"));
}

/// Takes what the file need not give, or shall not, out of both.
void leave_out(const WeightsChoice& choice, NamedTensors& wanted, NamedTensors& given) {
  for (const auto& part : choice.skip) {
    const auto is_skipped = [&](const auto& item) { return lies_in(item.first, part); };
    if (std::erase_if(wanted, is_skipped) + std::erase_if(given, is_skipped) > 0) continue;
    throw UsageError(
        fmt::format("skip={} of weights {}: neither the model nor the file has a tensor or module "
                    "of this name; give one, e.g. skip=fc",
                    part, choice.file.string()));
  }
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : given) names.insert(name);
  std::erase_if(wanted, [&](const auto& item) {
    return item.first.ends_with(kCount) && !names.contains(item.first);
  });
}

/// What is to be copied, and from what.
struct WeightsToTake {
  NamedTensors wanted;  // of the model
  NamedTensors given;   // of the file
};

/// Published weights are whole unless something has happened to the file.
NamedTensors read_chosen(const WeightsChoice& choice) {
  try {
    return read_weights(choice.file);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    if (choice.fetch_command.empty()) throw;
    throw Error(fmt::format("the file of weights {} is damaged: {}; bring it anew by `{}`",
                            choice.given, error.what(), choice.fetch_command));
  }
}

WeightsToTake read_both(const torch::nn::Module& module, const WeightsChoice& choice) {
  WeightsToTake both{.wanted = module_state(module), .given = read_chosen(choice)};
  strip_wrapper_names(both.given, both.wanted);
  take_newer_names(both.given, both.wanted);
  leave_out(choice, both.wanted, both.given);
  return both;
}

WeightsToTake without_head(const OtherHead& head, WeightsToTake both) {
  const auto belongs = [&](const auto& item) { return head.has(item.first); };
  std::erase_if(both.wanted, belongs);
  std::erase_if(both.given, belongs);
  return both;
}

/// @throws UsageError that lists what differs.
void require_fit(const WeightsToTake& both, const WeightsChoice& choice) {
  const TensorDifferences problems(both.wanted, both.given, form_of);
  if (problems.empty()) return;
  throw UsageError(fmt::format("{} does not fit the model:{}\n  {}", choice.file.string(),
                               problems.text(), advise(choice, problems.modules())));
}

}  // namespace

NamedTensors read_weights(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file)) {
    throw UsageError(fmt::format(
        "weights {}: {}; give a safetensors file or a .pt", file.string(),
        fs::exists(file) ? "this is no file that can be read" : "there is no such file"));
  }
  std::array<char, 9> start{};
  stream.read(start.data(), start.size());
  // First, for the length before this brace may be of any bytes.
  if (start[8] == '{') return read_safetensors(file);
  if (std::string_view(start.data(), 2) == "PK" || start[0] == '\x80') return read_pt(file);
  throw Error(
      fmt::format("{} is neither a safetensors file nor a .pt of PyTorch 1.6 or later; write one "
                  "in Python: torch.save(model.state_dict(), 'FILE')",
                  file.string()));
}

void load_weights(torch::nn::Module& module, const WeightsChoice& choice) {
  const WeightsToTake both = read_both(module, choice);
  require_fit(both, choice);
  copy_tensors(both.wanted, both.given);
}

std::optional<OtherHead> begin_with_weights(torch::nn::Module& module, const WeightsChoice& choice,
                                            std::int64_t classes) {
  const WeightsToTake both = read_both(module, choice);
  const auto head = find_other_head(both.wanted, both.given, classes);
  const WeightsToTake rest = head ? without_head(*head, both) : both;
  if (!TensorDifferences(rest.wanted, rest.given, form_of).empty()) require_fit(both, choice);
  copy_tensors(rest.wanted, rest.given);
  return head;
}

}  // namespace yoke
