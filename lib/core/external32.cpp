// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/external32.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/abi.h"

namespace tidings {
namespace {

/// Numbers of one kind within an element.
struct Numbers {
  enum class Kind { Signed, Unsigned, Float, LongDouble };
  Kind kind;
  std::size_t bytes;     ///< here
  std::size_t external;  ///< there
  std::size_t count;
};

/// What an element of a predefined type is made of; the second is empty but for pairs.
using Shape = std::array<Numbers, 2>;

constexpr std::size_t kExternalLongDouble = 16;

bool is(const Datatype& type, MPI_Datatype handle) { return type.handle() == reinterpret_cast<std::intptr_t>(handle); }

Shape shape_of(const Datatype& type) {
  using Kind = Numbers::Kind;
  const std::size_t size = type.size();
  const auto alone = [](Kind kind, std::size_t bytes, std::size_t external, std::size_t count = 1) {
    return Shape{{{kind, bytes, external, count}, {kind, 0, 0, 0}}};
  };
  const auto with_int = [](Kind kind, std::size_t bytes, std::size_t external) {
    return Shape{{{kind, bytes, external, 1}, {Kind::Signed, sizeof(int), 4, 1}}};
  };
  switch (type.basic()) {
    case Basic::Float:
    case Basic::Double:
      return alone(Kind::Float, size, size);
    case Basic::LongDouble:
      return alone(Kind::LongDouble, size, kExternalLongDouble);
    case Basic::ComplexFloat:
    case Basic::ComplexDouble:
    case Basic::TwoFloat:
    case Basic::TwoDouble:
      return alone(Kind::Float, size / 2, size / 2, 2);
    case Basic::ComplexLongDouble:
      return alone(Kind::LongDouble, size / 2, kExternalLongDouble, 2);
    case Basic::TwoInt:
      return alone(Kind::Signed, size / 2, 4, 2);
    case Basic::FloatInt:
      return with_int(Kind::Float, sizeof(float), 4);
    case Basic::DoubleInt:
      return with_int(Kind::Float, sizeof(double), 8);
    case Basic::LongInt:
      return with_int(Kind::Signed, sizeof(long), 4);
    case Basic::ShortInt:
      return with_int(Kind::Signed, sizeof(short), 2);
    case Basic::LongDoubleInt:
      return with_int(Kind::LongDouble, sizeof(long double), kExternalLongDouble);
    case Basic::None:
      if (is(type, MPI_COMPLEX4) || is(type, MPI_COMPLEX32)) return alone(Kind::Float, size / 2, size / 2, 2);
      return alone(Kind::Float, size, size);
    default:
      break;
  }
  // Sizes that are not those of the processor.
  if (is(type, MPI_LONG)) return alone(Kind::Signed, size, 4);
  if (is(type, MPI_UNSIGNED_LONG)) return alone(Kind::Unsigned, size, 4);
  if (is(type, MPI_WCHAR)) return alone(Kind::Unsigned, size, 2);
  if (is(type, MPI_AINT)) return alone(Kind::Signed, size, 8);
  return alone(Kind::Signed, size, size);
}

/// Copy with the bytes in the other order on a little-endian processor, and with zeros or copies of the sign in front,
/// or without what does not fit.
void copy_number(const Numbers& numbers, bool outwards, const std::byte* from, std::byte* to) {
  const std::size_t have = outwards ? numbers.bytes : numbers.external;
  const std::size_t want = outwards ? numbers.external : numbers.bytes;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  const bool from_little = outwards && kLittle;
  const bool to_little = !outwards && kLittle;
  // Byte i counts from the least significant one.
  const auto byte = [&](std::size_t i) { return from[from_little ? i : have - 1 - i]; };
  const bool negative = numbers.kind == Numbers::Kind::Signed && (byte(have - 1) & std::byte{0x80}) != std::byte{0};
  for (std::size_t i = 0; i < want; ++i) {
    const std::byte value = i < have ? byte(i) : std::byte(negative ? 0xff : 0);
    to[to_little ? i : want - 1 - i] = value;
  }
}

constexpr std::uint64_t kExponentMask = 0x7fff;
constexpr unsigned kFractionBits = 48;  ///< of the upper half

/// The upper and lower half of a number of IEEE 754's binary128.
struct Quad {
  std::uint64_t high;
  std::uint64_t low;
};

/// A long double of 80 bits, as x86 has it: 64 bits with the leading one, then exponent and sign.
Quad quad_of(const std::byte* from) {
  std::uint64_t fraction = 0;
  std::uint16_t top = 0;
  std::memcpy(&fraction, from, sizeof fraction);
  std::memcpy(&top, from + sizeof fraction, sizeof top);
  std::uint64_t exponent = top & kExponentMask;
  if (exponent == 0 && (fraction >> 63) != 0) exponent = 1;  // a normal number in the clothes of a subnormal one
  const std::uint64_t hidden = fraction << 1;                // the leading bit is not stored there
  return {static_cast<std::uint64_t>(top >> 15) << 63 | exponent << kFractionBits | hidden >> 16, hidden << 48};
}

/// Digits that do not fit are rounded to the nearest even number.
void to_long_double(const Quad& quad, std::byte* to, std::size_t bytes) {
  std::uint64_t exponent = quad.high >> kFractionBits & kExponentMask;
  const std::uint64_t upper = (quad.high << 16) | (quad.low >> 48);  // 64 bits of the fraction
  const std::uint64_t lower = quad.low << 16;
  const std::uint64_t leading = exponent == 0 ? 0 : std::uint64_t{1} << 63;
  std::uint64_t fraction = leading | upper >> 1;
  const bool special = exponent == kExponentMask;
  const bool half = (upper & 1U) != 0;
  if (!special && half && (lower != 0 || (fraction & 1U) != 0)) {
    ++fraction;
    if (fraction == 0) {
      fraction = std::uint64_t{1} << 63;
      ++exponent;
    } else if (exponent == 0 && (fraction >> 63) != 0) {
      exponent = 1;
    }
  } else if (special && half && (upper >> 1) == 0) {
    fraction |= 1U;  // not a number stays none
  }
  const auto top = static_cast<std::uint16_t>((quad.high >> 63) << 15 | exponent);
  std::memset(to, 0, bytes);
  std::memcpy(to, &fraction, sizeof fraction);
  std::memcpy(to + sizeof fraction, &top, sizeof top);
}

std::uint64_t big_endian(const std::byte* from) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}
void big_endian(std::uint64_t value, std::byte* to) {
  for (std::size_t i = sizeof value; i-- > 0; value >>= 8) to[i] = static_cast<std::byte>(value & 0xff);
}

/// The processor's long double has a format of its own.
constexpr bool kExtended = std::numeric_limits<long double>::digits == 64;

void convert(const Numbers& numbers, bool outwards, const std::byte* from, std::byte* to) {
  if (numbers.kind != Numbers::Kind::LongDouble || numbers.bytes == 0) return copy_number(numbers, outwards, from, to);
  if constexpr (kExtended) {
    if (outwards) {
      const Quad quad = quad_of(from);
      big_endian(quad.high, to);
      big_endian(quad.low, to + sizeof quad.high);
    } else {
      to_long_double({big_endian(from), big_endian(from + sizeof(std::uint64_t))}, to, numbers.bytes);
    }
  } else {
    copy_number(numbers, outwards, from, to);
  }
}

std::size_t external_bytes(const Shape& shape) {
  return shape[0].external * shape[0].count + shape[1].external * shape[1].count;
}

void convert(const Datatype& type, std::size_t count, bool outwards, const std::byte* from, std::byte* to) {
  type.visit_signature(count, [&](const Datatype& basic, std::size_t elements) {
    const Shape shape = shape_of(basic);
    for (std::size_t i = 0; i < elements; ++i) {
      for (const Numbers& numbers : shape) {
        for (std::size_t n = 0; n < numbers.count; ++n) {
          convert(numbers, outwards, from, to);
          from += outwards ? numbers.bytes : numbers.external;
          to += outwards ? numbers.external : numbers.bytes;
        }
      }
    }
    return true;
  });
}

}  // namespace

std::size_t external_size(const Datatype& type, std::size_t count) {
  std::size_t bytes = 0;
  type.visit_signature(1, [&](const Datatype& basic, std::size_t elements) {
    bytes += elements * external_bytes(shape_of(basic));
    return true;
  });
  return bytes * count;
}

void to_external(const Datatype& type, std::size_t count, const std::byte* packed, std::byte* external) {
  convert(type, count, true, packed, external);
}

void from_external(const Datatype& type, std::size_t count, const std::byte* external, std::byte* packed) {
  convert(type, count, false, external, packed);
}

}  // namespace tidings
