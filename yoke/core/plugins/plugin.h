// yoke/core/plugins/plugin.h: what a plug-in says of itself: its options, its traits, how to make
// it.
#pragma once
#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "yoke/core/plugins/option_table.h"

namespace yoke {

/// Of plug-ins of which generic code asks nothing.
struct NoTraits {};

/// A declaration that makes a product from arguments, as in Plugin<std::unique_ptr<Optimizer>(const
/// Shard&), OptimizerTraits>. `Traits` are what generic code asks of a choice without making it.
template <typename Signature, typename Traits = NoTraits>
class Plugin;

template <typename Product, typename... Args, typename Traits>
class Plugin<Product(Args...), Traits> {
 public:
  using Make = std::function<Product(Args...)>;

  /// A plug-in with its options read.
  struct Chosen {
    Make make;
    Traits traits;
    std::vector<Options::Pair> options;  ///< All that it has, with their values.
  };

  /// What this build lacks.
  Plugin() = default;

  /// `make(args..., values)` makes it, with the values of `table`.
  template <typename Values, typename Function>
  Plugin(OptionTable<Values> table, Function make, Traits traits = {})
      : Plugin(std::move(table), std::move(make), [traits](const Values&) { return traits; }) {}

  /// The same with traits that follow from the options.
  template <typename Values, typename Function, std::invocable<const Values&> TraitsOf>
  Plugin(OptionTable<Values> table, Function make, TraitsOf traits_of)
      : specs_([table] { return table.specs(); }),
        read_([table, make, traits_of](Options& options) {
          const Values values = table.read(options);
          return Chosen{
              .make = [make,
                       values](Args... args) { return make(std::forward<Args>(args)..., values); },
              .traits = traits_of(values),
              .options = table.pairs(values)};
        }) {}

  /// This one with options that all of its kind have: `apply(chosen, values)` changes what was
  /// chosen.
  template <typename Values, typename Apply>
  Plugin with(OptionTable<Values> table, Apply apply) const {
    Plugin both;
    both.specs_ = [own = specs_, table] {
      auto specs = own();
      for (auto& spec : table.specs()) {
        spec.common = true;
        specs.push_back(std::move(spec));
      }
      return specs;
    };
    both.read_ = [own = read_, table, apply](Options& options) {
      Chosen chosen = own(options);
      const Values values = table.read(options);
      for (auto& pair : table.pairs(values)) chosen.options.push_back(std::move(pair));
      apply(chosen, values);
      return chosen;
    };
    return both;
  }

  /// Whether this build has it.
  explicit operator bool() const { return read_ != nullptr; }

  /// Its options, in the order in which they were declared.
  std::vector<OptionSpec> options() const { return specs_(); }

  /// Takes its options out of `options`; nothing is made yet. @throws UsageError.
  Chosen read(Options& options) const { return read_(options); }

 private:
  std::function<std::vector<OptionSpec>()> specs_;
  std::function<Chosen(Options&)> read_;
};

}  // namespace yoke
