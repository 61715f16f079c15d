// yoke/data/formats/pickle_machine.cpp: the stack machine, by the opcodes of Python's pickletools.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "yoke/data/formats/pickle_cursor.h"
#include "yoke/data/formats/pickle_document.h"
#include "yoke/data/formats/pickle_stack.h"
#include "yoke/data/formats/pickle_vocabulary.h"

namespace yoke::pickle {
namespace {

constexpr Index kUnset = std::numeric_limits<Index>::max();

class Machine : ValueStack {
 public:
  Machine(Document& document, const Vocabulary& vocabulary)
      : ValueStack(document), vocabulary_(vocabulary) {}

  /// The value that the pickle makes.
  Index run() {
    const auto header = input_.take(2);
    if (header[0] != '\x80' || header[1] < 2 || header[1] > 5) {
      fail("not a pickle of protocol 2 to 5");
    }
    for (;;) {
      const auto opcode = static_cast<unsigned char>(input_.take(1)[0]);
      if (opcode == '.') break;
      if (!number(opcode) && !text(opcode) && !memory(opcode) && !container(opcode) &&
          !stack(opcode) && !object(opcode)) {
        fail(fmt::format("opcode 0x{:02x} is none of those that are read", opcode));
      }
    }
    if (stack_.size() != 1 || !marks_.empty()) fail("it does not end with one value");
    return stack_.back();
  }

  void expect_end() const {
    if (input_.left() > 0) fail(fmt::format("{} bytes follow its end", input_.left()));
  }

  std::size_t done() const { return document_.bytes.size() - input_.left(); }

 private:
  bool number(unsigned char opcode) {
    switch (opcode) {
      case 'K':
        push(static_cast<std::int64_t>(input_.little_endian(1)));
        return true;
      case 'M':
        push(static_cast<std::int64_t>(input_.little_endian(2)));
        return true;
      case 'J':
        push(input_.signed_integer(4));
        return true;
      case 0x8a:
        push(input_.signed_integer(input_.little_endian(1)));
        return true;
      case 0x8b:
        push(input_.signed_integer(input_.little_endian(4)));
        return true;
      case 'G':
        push(std::bit_cast<double>(__builtin_bswap64(input_.little_endian(8))));
        return true;
      case 'N':
        push(None{});
        return true;
      case 0x88:
      case 0x89:
        push(opcode == 0x88);
        return true;
      default:
        return false;
    }
  }

  void push_text(std::size_t length_bytes, bool is_unicode) {
    push(Text{.bytes = input_.take(input_.little_endian(length_bytes)), .is_unicode = is_unicode});
  }

  bool text(unsigned char opcode) {
    switch (opcode) {
      case 'U':
      case 'C':
        push_text(1, false);
        return true;
      case 'T':
      case 'B':
        push_text(4, false);
        return true;
      case 0x8e:
      case 0x96:
        push_text(8, false);
        return true;
      case 0x8c:
        push_text(1, true);
        return true;
      case 'X':
        push_text(4, true);
        return true;
      case 0x8d:
        push_text(8, true);
        return true;
      default:
        return false;
    }
  }

  void put(std::uint64_t place) {
    need(1);
    if (place >= document_.bytes.size()) fail(fmt::format("{} is out of range for a memo", place));
    if (place >= memo_.size()) memo_.resize(place + 1, kUnset);
    memo_[place] = stack_.back();
  }

  void get(std::uint64_t place) {
    if (place >= memo_.size() || memo_[place] == kUnset) {
      fail(fmt::format("the memo has nothing at {}", place));
    }
    stack_.push_back(memo_[place]);
  }

  bool memory(unsigned char opcode) {
    switch (opcode) {
      case 'q':
        put(input_.little_endian(1));
        return true;
      case 'r':
        put(input_.little_endian(4));
        return true;
      case 0x94:
        put(memo_.size());
        return true;
      case 'h':
        get(input_.little_endian(1));
        return true;
      case 'j':
        get(input_.little_endian(4));
        return true;
      default:
        return false;
    }
  }

  void append(const std::vector<Index>& items) {
    auto& list = top<List>("a list").items;
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const std::vector<Index>& items) {
    auto& entries = top<Dict>("a dict").entries;
    if (items.size() % 2 != 0) fail("a key without a value");
    for (std::size_t i = 0; i < items.size(); i += 2) entries.emplace_back(items[i], items[i + 1]);
  }

  bool container(unsigned char opcode) {
    switch (opcode) {
      case ']':
        push(List{});
        return true;
      case '}':
        push(Dict{});
        return true;
      case ')':
        push(Tuple{});
        return true;
      case 't':
        push(Tuple{pop_to_mark()});
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push(Tuple{pop(opcode - 0x84U)});
        return true;
      case 'a':
        append(pop(1));
        return true;
      case 'e':
        append(pop_to_mark());
        return true;
      case 's':
        set_items(pop(2));
        return true;
      case 'u':
        set_items(pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool stack(unsigned char opcode) {
    switch (opcode) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '0':
        pop();
        return true;
      case '1':
        pop_to_mark();
        return true;
      case '2':
        need(1);
        stack_.push_back(stack_.back());
        return true;
      case 0x95:
        input_.little_endian(8);
        return true;  // the length of a frame, a hint for streams
      default:
        return false;
    }
  }

  bool object(unsigned char opcode) {
    switch (opcode) {
      case 'c': {
        const auto module = input_.line();
        push(vocabulary_.find(document_, module, input_.line()));
        return true;
      }
      case 0x93: {
        const auto name = top<Text>("a name").bytes;
        pop();
        const auto module = top<Text>("a module").bytes;
        pop();
        push(vocabulary_.find(document_, module, name));
        return true;
      }
      case 'R': {
        const Tuple& arguments = top<Tuple>("the arguments of a call");
        pop();
        const Function function = top<Function>("a function");
        pop();
        push(vocabulary_.call(document_, function, arguments));
        return true;
      }
      case 'b': {
        const Index state = pop();
        need(1);
        vocabulary_.build(document_, document_.values[stack_.back()], document_.values[state]);
        return true;
      }
      case 'Q':
        push(vocabulary_.refer(document_, document_.values[pop()]));
        return true;
      default:
        return false;
    }
  }

  const Vocabulary& vocabulary_;
  std::vector<Index> memo_;
};

}  // namespace

void run(Document& document, const Vocabulary& vocabulary) {
  Machine machine(document, vocabulary);
  document.root = machine.run();
  machine.expect_end();
}

std::size_t run_first(Document& document, const Vocabulary& vocabulary) {
  Machine machine(document, vocabulary);
  document.root = machine.run();
  return machine.done();
}

}  // namespace yoke::pickle
