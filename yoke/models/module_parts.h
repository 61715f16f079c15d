// yoke/models/module_parts.h: parts of a network by the names of its modules.
#pragma once
#include <string_view>
#include <vector>

namespace torch::nn {
class Module;
}

namespace yoke {

/// Whether the tensor `name` is `part`, or lies in the module `part`.
bool lies_in(std::string_view name, std::string_view part);

/// By the order of `module.parameters()`, which of them `text` means: those of the modules, or the
/// single parameters, `NAME+NAME`; those of all others, `all-but=NAME+NAME`; or `backbone`, all but
/// the last module that has any. `flag` is what the text was given to. @throws UsageError on a name
/// that is not there, with what is.
std::vector<bool> parameters_of(const torch::nn::Module& module, std::string_view text,
                                std::string_view flag);

/// No optimizer moves the parameters that `text` means (see parameters_of()), and no gradient of
/// them is computed. @throws UsageError likewise, and where nothing is left that learns.
void freeze(torch::nn::Module& module, std::string_view text);

/// Puts `module` into training or evaluation mode. In training, batch norms whose parameters are
/// all frozen stay in evaluation: they normalise by their statistics, and keep them.
void set_training(torch::nn::Module& module, bool training);

}  // namespace yoke
