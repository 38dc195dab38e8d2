// doctest, with a CAPTURE that takes structured bindings: lambdas of clang before 16 cannot capture them.
#pragma once

#include <doctest/doctest.h>

#include "armature/rooms.hpp"

#undef CAPTURE
#define ARMATURE_CAPTURE_AS(name, expression) \
  const auto& name = expression;              \
  INFO(#expression " := ", name)
#define ARMATURE_CAPTURE_NAME(number) captured_##number
#define ARMATURE_CAPTURE_NUMBER(number, expression) ARMATURE_CAPTURE_AS(ARMATURE_CAPTURE_NAME(number), expression)
#define CAPTURE(expression) ARMATURE_CAPTURE_NUMBER(__COUNTER__, expression)
