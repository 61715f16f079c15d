// yoke/core/options.h: the `key=value` options of a plug-in, and the choice `name:key=value,...`.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// Options as text, read once by the plug-in that owns them; a key nobody read is an error.
class Options {
 public:
  Options() = default;

  /// `text` is `key=value,key=value`; `owner` names the plug-in in messages, e.g. "optimizer
  /// 'sgd'".
  /// @throws UsageError on a pair without `=`, an empty or a repeated key.
  Options(std::string_view text, std::string owner);

  /// The value of `key`, or `fallback`. @throws UsageError when it is not a number in [least,
  /// most].
  double get(const std::string& key, double fallback,
             double least = std::numeric_limits<double>::lowest(),
             double most = std::numeric_limits<double>::max());
  std::int64_t get(const std::string& key, std::int64_t fallback,
                   std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                   std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// @throws UsageError unless the value is true, false, on, off, 1 or 0.
  bool get(const std::string& key, bool fallback);
  /// `allowed`, unless empty, lists the values there are. @throws UsageError on any other.
  std::string get(const std::string& key, const std::string& fallback,
                  const std::vector<std::string>& allowed = {});

  bool contains(const std::string& key) const { return values_.contains(key); }

  /// Ends reading. @throws UsageError that names each key nobody read and lists the allowed ones.
  void finish() const;

  /// Every key that was asked for with its default, `momentum=0, nesterov=false`: the plug-in's
  /// help.
  std::string describe() const;

 private:
  const std::string* find(const std::string& key, std::string fallback);
  [[noreturn]] void reject(const std::string& key, const std::string& value,
                           const std::string& allowed) const;

  std::string owner_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> defaults_;  // every key asked for
};

/// A plug-in by name, with its options: the value of `--model`, `--optimizer` and the like.
struct Choice {
  std::string name;
  Options options;

  /// Parses `name` or `name:key=value,...`. `kind` is the word of messages, e.g. "model".
  static Choice parse(std::string_view text, std::string_view kind);
  /// The same of a choice that is itself the value of an option: `name:key=value+key=value`.
  static Choice parse_inner(std::string_view text, std::string_view kind);
};

}  // namespace yoke
