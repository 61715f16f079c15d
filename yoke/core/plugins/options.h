// yoke/core/plugins/options.h: the `key=value` options of a plug-in, and the choice
// `name:key=value,...`.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// Options as text, read once by the plug-in that owns them; a key nobody read is an error. A comma
/// inside a value is written `\,`, a backslash before one `\\`. Plug-ins declare theirs in an
/// OptionTable, which reads them from here.
class Options {
 public:
  /// A pair of the text.
  struct Pair {
    std::string key;
    std::string value;
  };

  Options() = default;

  /// `value` as it is written in a text of options.
  static std::string written(std::string_view value);

  /// `text` is `key=value,key=value`; `owner` names the plug-in in messages, e.g. "optimizer
  /// 'sgd'".
  /// The first may be a value alone, see name_bare(). @throws UsageError on any other pair without
  /// `=`, an empty or a repeated key.
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

  /// What was given by the first of `names` or by one of the others, which are its older names.
  /// @throws UsageError when it was given by two of them.
  std::optional<Pair> take(const std::vector<std::string>& names);

  /// @throws UsageError that says what is `allowed` in place of the value of `given`.
  [[noreturn]] void reject(const Pair& given, const std::string& allowed) const;

  /// The value that came first without a key, if one did, is that of `key`. @throws UsageError when
  /// it was given by its key too.
  void name_bare(const std::string& key);

  /// Ends reading. @throws UsageError that names a key nobody read and lists those there are.
  void finish() const;

 private:
  std::string owner_;
  std::map<std::string, std::string> values_;
  std::optional<std::string> bare_;  // the value that came first, without a key
  std::set<std::string> known_;      // every key asked for
  std::set<std::string> older_;      // keys that were given by an older name
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
