// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file fortran_types.cpp
/// Predefined datatypes by size, precision or parts.
#include <array>
#include <map>
#include <string>

#include "mpi/call.h"
#include "mpi/types.h"

using namespace tidings;

namespace {

/// A type for numbers with up to a number of decimal digits, and a largest power of ten.
struct Precision {
  int digits;
  int range;
  MPI_Datatype type;
};

/// The smallest type that will do, which the program never frees: the same one for the same question.
MPI_Datatype with_precision(Library& lib, int combiner, const Precision* types, std::size_t count, int digits,
                            int range, std::vector<int> arguments) {
  static auto* const made = new std::map<std::pair<int, std::vector<int>>, MPI_Datatype>;
  const auto known = made->find({combiner, arguments});
  if (known != made->end()) return known->second;
  for (std::size_t i = 0; i < count; ++i) {
    if (digits > types[i].digits || range > types[i].range) continue;
    const DatatypePointer basic = lib.type(types[i].type);
    Datatype copy = Datatype::duplicate(*basic);
    copy.set_recipe({combiner, arguments, {}, {}, {}});
    copy.set_predefined();
    const MPI_Datatype handle = add_type(lib, std::move(copy));
    made->emplace(std::pair(combiner, std::move(arguments)), handle);
    return handle;
  }
  throw Error(
      MPI_ERR_ARG,
      "no type has " + std::to_string(digits) + " decimal digits and powers of ten up to " + std::to_string(range),
      "Ask for fewer digits or a smaller range.");
}

int requested(int value) { return value == MPI_UNDEFINED ? 0 : value; }

int of_real(const char* name, int combiner, const std::array<Precision, 3>& types, int p, int r,
            MPI_Datatype* newtype) {
  return serve(name, [&](Library& lib, Call&) {
    if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
      throw Error(MPI_ERR_ARG, "both precision and range are undefined", "Give one of them.");
    *newtype = with_precision(lib, combiner, types.data(), types.size(), requested(p), requested(r), {p, r});
  });
}

}  // namespace

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  return of_real("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL,
                 {{{6, 37, MPI_REAL4}, {15, 307, MPI_REAL8}, {33, 4931, MPI_REAL16}}}, p, r, newtype);
}

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return of_real("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX,
                 {{{6, 37, MPI_COMPLEX8}, {15, 307, MPI_COMPLEX16}, {33, 4931, MPI_COMPLEX32}}}, p, r, newtype);
}

int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_f90_integer", [&](Library& lib, Call&) {
    static const std::array<Precision, 5> kTypes{{{2, 2, MPI_INTEGER1},
                                                  {4, 4, MPI_INTEGER2},
                                                  {9, 9, MPI_INTEGER4},
                                                  {18, 18, MPI_INTEGER8},
                                                  {38, 38, MPI_INTEGER16}}};
    *newtype = with_precision(lib, MPI_COMBINER_F90_INTEGER, kTypes.data(), kTypes.size(), r, r, {r});
  });
}

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  return serve("MPI_Type_match_size", [&](Library& lib, Call&) {
    struct Row {
      int typeclass;
      MPI_Datatype type;
    };
    static const Row kRows[] = {
        {MPI_TYPECLASS_REAL, MPI_REAL2},        {MPI_TYPECLASS_REAL, MPI_REAL4},
        {MPI_TYPECLASS_REAL, MPI_REAL8},        {MPI_TYPECLASS_REAL, MPI_REAL16},
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER1},  {MPI_TYPECLASS_INTEGER, MPI_INTEGER2},
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER4},  {MPI_TYPECLASS_INTEGER, MPI_INTEGER8},
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER16}, {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX4},
        {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX8},  {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX16},
        {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX32}, {MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL1},
        {MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL2}, {MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL4},
        {MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL8}, {MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL16},
    };
    for (const Row& row : kRows) {
      if (row.typeclass == typeclass && lib.type(row.type)->size() == static_cast<std::size_t>(size)) {
        *datatype = row.type;
        return;
      }
    }
    throw Error(MPI_ERR_ARG,
                "no type of class " + std::to_string(typeclass) + " has " + std::to_string(size) + " bytes",
                "Give a size that a type of the class has.");
  });
}

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  return serve("MPI_Type_get_value_index", [&](Library& lib, Call&) {
    struct Row {
      MPI_Datatype value;
      MPI_Datatype index;
      MPI_Datatype pair;
    };
    static const Row kRows[] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},          {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };
    static_cast<void>(lib.type(value_type));
    static_cast<void>(lib.type(index_type));
    *pair_type = MPI_DATATYPE_NULL;
    for (const Row& row : kRows) {
      if (row.value == value_type && row.index == index_type) *pair_type = row.pair;
    }
  });
}
