// tests/support/pch.h: the precompiled header of the tests.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/pch.h"
