// yoke/data/formats/pickle_stack.h: the values that a pickle has built and not used yet.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "yoke/data/formats/pickle_cursor.h"
#include "yoke/data/formats/pickle_document.h"

namespace yoke::pickle {

/// The stack of the pickle machine; what is not there to take is an Error.
class ValueStack {
 protected:
  explicit ValueStack(Document& document)
      : document_(document), input_(document.bytes, document.source) {}

  [[noreturn]] void fail(const std::string& what) const { input_.fail(what); }

  void push(Value value) {
    if (document_.values.size() >= kMostValues) {
      fail(fmt::format("it holds more than {} values", kMostValues));
    }
    stack_.push_back(static_cast<Index>(document_.values.size()));
    document_.values.push_back(std::move(value));
  }

  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  void need(std::size_t count) const {
    if (available() < count) fail("a value is taken from an empty stack");
  }

  Index pop() {
    need(1);
    const Index index = stack_.back();
    stack_.pop_back();
    return index;
  }

  std::vector<Index> pop(std::size_t count) {
    need(count);
    std::vector<Index> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }

  std::vector<Index> pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    auto items = pop(available());
    marks_.pop_back();
    return items;
  }

  template <typename Type>
  Type& top(const char* what) {
    need(1);
    auto* value = std::get_if<Type>(&document_.values[stack_.back()]);
    if (value == nullptr)
      fail(
          fmt::format("{} where {} is expected", type_name(document_.values[stack_.back()]), what));
    return *value;
  }

  Document& document_;
  Cursor input_;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack

 private:
  static constexpr std::size_t kMostValues = std::size_t{1} << 22;
};

}  // namespace yoke::pickle
