// yoke/core/plugins/inner_plugin.h: options whose value is a plug-in.
#pragma once
#include <string>
#include <utility>

#include "yoke/core/plugins/option_table.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"

namespace yoke {

/// A registry, asked for when it is needed: what declares an option may be part of it.
template <typename Plugin>
using RegistryFunction = const Registry<Plugin>& (*)();

/// A plug-in named by an option, with its options read.
template <typename Plugin>
struct InnerPlugin {
  std::string name;
  typename Plugin::Make make = {};
  decltype(Plugin::Chosen::traits) traits = {};
};

/// The option names a plug-in whose own options stand beside it, as in
/// `warmup:epochs=5,then=cosine,min_lr=0.01`. `but` is one that it cannot name: its owner.
template <typename Values, typename Plugin>
Option<Values> beside(const OptionNames& names, InnerPlugin<Plugin> Values::*member,
                      RegistryFunction<Plugin> registry, const std::string& but,
                      std::string meaning) {
  const auto format = name_format([registry, but] {
    auto others = registry().names();
    std::erase(others, but);
    return others;
  });
  Option<Values> option(
      names, member,
      OptionFormat<InnerPlugin<Plugin>>{
          .kind = format.kind,
          .allowed = format.allowed,
          .parse = [format](const std::string& text) -> std::optional<InnerPlugin<Plugin>> {
            if (!format.parse(text)) return std::nullopt;
            return InnerPlugin<Plugin>{.name = text};
          },
          .print = [](const InnerPlugin<Plugin>& inner) { return inner.name; }},
      std::move(meaning));
  option.read = [name = option.read, member, registry](Options& options, Values& values) {
    name(options, values);
    InnerPlugin<Plugin>& inner = values.*member;
    auto chosen = registry().find(inner.name).plugin.read(options);
    inner.make = std::move(chosen.make);
    inner.traits = std::move(chosen.traits);
  };
  return option;
}

/// The value is a choice of `registry` in itself, as in `throttle:over=check:a=gloo+b=mpi`.
template <typename Plugin>
OptionFormat<std::string> choice_format(RegistryFunction<Plugin> registry) {
  return {
      .kind = OptionKind::kWord,
      .allowed =
          [registry] { return fmt::format("a {}, NAME:key=value+key=value", registry().kind()); },
      .parse =
          [registry](const std::string& text) {
            registry().choose(Choice::parse_inner(text, registry().kind()));
            return std::optional(text);
          },
      .print = [](const std::string& text) { return text; }};
}

}  // namespace yoke
