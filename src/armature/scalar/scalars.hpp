// The numbers every algorithm is instantiated for. Included by .cpp files, last.
#pragma once

#include "armature/scalar/dual.hpp"
#include "armature/scalar/expr.hpp"
#include "armature/scalar/pack.hpp"

/// In a .cpp: #define ARMATURE_INSTANTIATE(S) template ...; then ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)
#define ARMATURE_FOR_EACH_SCALAR(F) \
  F(double) F(::armature::scalar::Dual) F(::armature::scalar::Expr) F(::armature::scalar::Pack)
