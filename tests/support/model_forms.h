// tests/support/model_forms.h: the models that tests of the whole registry run over.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/models/model.h"

namespace yoke::test {

/// `form` (`name:key=value,...`) with one more option.
inline std::string with_option(const std::string& form, std::string_view option) {
  return fmt::format("{}{}{}", form, form.find(':') == std::string::npos ? ':' : ',', option);
}

/// Every model of the registry but what a file says, in the form that is quick to try: its name, or
/// `name:key=value,...`.
inline std::vector<std::string> model_forms() {
  std::vector<std::string> forms;
  for (const auto& name : models().names()) {
    const auto traits = models().choose(name).traits;
    if (traits.from_file) continue;  // its tests make files
    forms.push_back(traits.small_form.empty() ? name : with_option(name, traits.small_form));
  }
  return forms;
}

/// `form` with nothing left out at random in training.
inline std::string without_dropout(std::string form) {
  for (const auto& spec : models().find(form.substr(0, form.find(':'))).plugin.options()) {
    if (spec.name == "dropout" || spec.name == "stochastic_depth") {
      form = with_option(form, spec.name + "=0");
    }
  }
  return form;
}

/// `text` as the name of a test.
inline std::string test_name(std::string text) {
  const auto is_other = [](unsigned char c) { return std::isalnum(c) == 0; };
  std::replace_if(text.begin(), text.end(), is_other, '_');
  return text;
}

}  // namespace yoke::test
