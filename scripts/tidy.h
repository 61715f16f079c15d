// scripts/tidy.h: lets clang read LibTorch's headers as C++20 with g++'s library.
//
// ATen/core/ivalue.h uses std::vector<IValue> before IValue is complete, which clang only takes
// while the vector's members are not constexpr; g++ takes it either way.
#pragma GCC system_header  // what follows is not ours to check
#include <memory>
#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_a1_of_vector_of_bool  // Declared constexpr before.
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
