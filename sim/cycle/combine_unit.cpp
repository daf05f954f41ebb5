// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/combine_unit.h"

namespace tidings::cycle {

CombineUnit::CombineUnit(std::uint32_t fpu_stages) : adder_(fpu_stages), oldest_tag_(kTagBits * (fpu_stages - 1)) {}

CombineUnit::Output CombineUnit::output(Operation operation) const {
  Output shown;
  show(operation, shown);
  return shown;
}

void CombineUnit::clock(Operation operation, const Inputs& inputs, Output& shown) {
  // What most programs do has code of its own: the compiler knows the operation.
  if (operation == kSumOfDoubles) {
    clock_for(kSumOfDoubles, inputs, shown);
  } else if (operation == kUnchanged) {
    clock_for(kUnchanged, inputs, shown);
  } else {
    clock_for(operation, inputs, shown);
  }
}

}  // namespace tidings::cycle
