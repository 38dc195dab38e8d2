// Fewer operations by algebra: shared products, shared sums, common factors.
#pragma once

#include <cstdint>

#include "armature/codegen/network/network.hpp"

namespace armature::codegen {

/// Extracts, while it pays, the part whose extraction saves the most operations; ties are broken by the seed:
///     a product of two factors, or of a number and a factor, that several terms contain;
///     a sum of two terms, up to a common factor, that several sums contain: a x + b x y = x (a + b y);
///     cos a cos b ± sin a sin b and sin a cos b ± cos a sin b, one function each.
/// Greedy extraction of two-term divisors as in logic synthesis [Rajski1992], with coefficients.
void factor(Network& net, std::uint64_t seed);

/// Writes sums with the help of others: a + 2 b + c = (a + b) + b + c, where a + b is there already. True if it saved anything.
bool resubstitute(Network& net);

/// Chooses the scale of each sum so that few coefficients differ from one; changes at random where it makes no difference.
void rescale(Network& net, std::uint64_t seed);

}  // namespace armature::codegen
