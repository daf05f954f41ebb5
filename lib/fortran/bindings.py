#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate MPI for Fortran from the MPI standard header.

``python bindings.py HEADER FOLDER`` writes into the folder

- ``wrappers.cpp``: the subroutines that Fortran calls, ``mpi_x_``, which call ``MPI_X``. Compiled for PMPI they are
  ``pmpi_x_`` (``lib/fortran/convert.h``);
- ``mpif.h``, and the modules ``mpi_types.f90`` (handles and statuses), ``mpi.f90`` and ``mpi_f08.f90``. They have
  interfaces and constants alone, so a compiler makes ``.mod`` files of them and no code.

``lib/mpi`` is on Python's path.
"""

import re
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from generate import Function, Parameter, parse_header

#: Functions that Fortran has not: those for tools, extensions of the header, and what turns handles into integers,
#: which Fortran's handles are.
C_ONLY = re.compile(r"MPI_T_\w+|MPIX_\w+|MPI_\w+_(from|to)int")
#: Functions of MPI-1 whose attributes are default integers; module mpi_f08 has none of them.
OLD = re.compile(r"MPI_(Keyval_(create|free)|Attr_(get|put|delete))")
#: Functions that ``by_hand.cpp`` defines, beside those with a callback, an attribute or a command line.
BY_HAND = re.compile(r"MPI_(Info_get(_string)?|Session_get_nth_pset)")
BY_HAND_PARAMETERS = {"extra_state", "attribute_val", "buffer_addr", "argv", "array_of_argv"}
#: Functions that change a handle, or take it back, where others with a pointer to it make one.
CHANGES = re.compile(
    r"MPI_(\w+_free|Comm_disconnect|File_close|Session_finalize|Type_commit|Wait|Test|Start|Cancel|I?mrecv(_c)?)",
    re.IGNORECASE,
)
#: Functions that use a buffer after they have returned.
ASYNCHRONOUS = re.compile(
    r"MPI_(I(?!nit|nfo|ntercomm)[a-z]\w*|\w+_init(_c)?|R(put|get|accumulate|get_accumulate)(_c)?|Put(_c)?|Get(_c)?|"
    r"(Get_a|A)ccumulate(_c)?|Fetch_and_op|Compare_and_swap|Win_(create|attach|detach)(_c)?|Free_mem|"
    r"File_(i(read|write)\w*|(read|write)\w*_(begin|end))(_c)?|(Buffer|Comm|Session)_(at|de)tach\w*)"
)

HANDLES = (*("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"),)
#: Integers of C that are logical values of Fortran.
LOGICALS = {"flag", "reorder", "commute", "high", "weighted", "is_set", "periods", "remain_dims"}
#: Parameters of C by the names that the standard has in Fortran.
RENAMED = {"indx": "index"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
#: Lengths of arrays of handles, if it is not ``count``.
LENGTHS = {
    ("Waitsome", "array_of_requests"): "*incount",
    ("Testsome", "array_of_requests"): "*incount",
    ("Request_get_status_some", "array_of_requests"): "*incount",
    ("Type_get_contents", "array_of_datatypes"): "*max_datatypes",
}
COMM = "Of<MPI_Comm>::handle(*comm)"

#: The kinds of integers: the Fortran constant of each, by the type of C.
KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND", "MPI_Count": "MPI_COUNT_KIND"}
_KIND_BYTES = struct.calcsize("P")

#: Variables that stand for an address of C: the common block of each has its name (``constants.cpp``).
ADDRESSES = {
    "MPI_BOTTOM": "integer",
    "MPI_IN_PLACE": "integer",
    "MPI_BUFFER_AUTOMATIC": "integer",
    "MPI_STATUS_IGNORE": "status",
    "MPI_STATUSES_IGNORE": "statuses",
    "MPI_ERRCODES_IGNORE": "integer(1)",
    "MPI_UNWEIGHTED": "integer(1)",
    "MPI_WEIGHTS_EMPTY": "integer(1)",
    "MPI_ARGV_NULL": "character(1)",
    "MPI_ARGVS_NULL": "character(1,1)",
}

#: Interfaces of the callbacks of module mpi_f08. Module mpi has them as external procedures.
CALLBACKS = """\
subroutine MPI_User_function(invec, inoutvec, len, datatype)
  type(c_ptr), value :: invec, inoutvec
  integer :: len
  type(MPI_Datatype) :: datatype
subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
  type(c_ptr), value :: invec, inoutvec
  integer(MPI_COUNT_KIND) :: len
  type(MPI_Datatype) :: datatype
subroutine MPI_Grequest_query_function(extra_state, status, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  type(MPI_Status) :: status
  integer :: ierror
subroutine MPI_Grequest_free_function(extra_state, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
  integer(MPI_ADDRESS_KIND) :: extra_state
  logical :: complete
  integer :: ierror
subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
  type(MPI_Datatype) :: datatype
  integer(MPI_ADDRESS_KIND) :: extent, extra_state
  integer :: ierror
subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer :: count, ierror
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer(MPI_COUNT_KIND) :: count
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
"""
_OF_OBJECTS = """\
subroutine MPI_{0}_copy_attr_function(old{1}, {1}_keyval, extra_state, attribute_val_in, \
attribute_val_out, flag, ierror)
  type(MPI_{2}) :: old{1}
  integer :: {1}_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
  logical :: flag
subroutine MPI_{0}_delete_attr_function({1}, {1}_keyval, attribute_val, extra_state, ierror)
  type(MPI_{2}) :: {1}
  integer :: {1}_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
"""
_OF_ERRORS = """\
subroutine MPI_{0}_errhandler_function({1}, error_code)
  type(MPI_{0}) :: {1}
  integer :: error_code
"""
#: Callbacks that exist already.
PREDEFINED = {
    f"MPI_{name}_{callback}": f"MPI_{name.capitalize()}_{kind}_attr_function"
    for name in ("COMM", "TYPE", "WIN")
    for callback, kind in (("NULL_COPY_FN", "copy"), ("DUP_FN", "copy"), ("NULL_DELETE_FN", "delete"))
} | {
    "MPI_CONVERSION_FN_NULL": "MPI_Datarep_conversion_function",
    "MPI_CONVERSION_FN_NULL_C": "MPI_Datarep_conversion_function_c",
}
PREDEFINED_OLD = ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN")


def stem(function: Function) -> str:
    """Name of a function without its prefix and without the suffix for large counts."""
    return function.name.removeprefix("MPI_").removesuffix("_c")


def is_handle(type_of_c: str) -> bool:
    """Whether a type of C is a handle."""
    return type_of_c.removeprefix("MPI_") in HANDLES


def is_callback(parameter: Parameter) -> bool:
    """Whether a parameter is a function."""
    return re.search(r"_function(_c)?\b", parameter.type) is not None


def is_choice(parameter: Parameter) -> bool:
    """Whether a parameter is a buffer, of any type."""
    return parameter.type in ("void *", "const void *") and parameter.name not in {*BY_HAND_PARAMETERS, "baseptr"}


def by_hand(function: Function) -> bool:
    """Whether a function's wrapper is not generated."""
    names = {parameter.name for parameter in function.parameters}
    return BY_HAND.fullmatch(function.name) is not None or not BY_HAND_PARAMETERS.isdisjoint(names)


def fortran_functions(functions: Iterable[Function]) -> list[Function]:
    """Return the functions that Fortran has."""
    return [function for function in functions if not C_ONLY.fullmatch(function.name)]


# ---------------------------------------------------------------- wrappers


@dataclass
class Wrapper:
    """What a wrapper is put together from."""

    parameters: list[str] = field(default_factory=list)
    lengths: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    always: list[str] = field(default_factory=list)
    on_success: list[str] = field(default_factory=list)

    def take(self, declaration: str, argument: str) -> None:
        """Add a parameter."""
        self.parameters.append(declaration)
        self.arguments.append(argument)


def wrapped(function: Function) -> Wrapper:
    """Return how a function's arguments are converted."""
    made = Wrapper()
    for parameter in function.parameters:
        base = parameter.type.removeprefix("const ").removesuffix(" *")
        if is_choice(parameter):
            made.take(f"const void* {parameter.name}", f"buffer_of({parameter.name})")
        elif is_handle(base):
            _take_handle(made, function, parameter, base)
        elif base == "MPI_Status":
            convert = "statuses_of" if parameter.name == "array_of_statuses" else "status_of"
            made.take(f"void* {parameter.name}", f"{convert}({parameter.name})")
        elif base == "char":
            _take_text(made, function, parameter)
        elif parameter.name in LOGICALS and parameter.type == "int *":
            made.take(f"Integer* {parameter.name}", f"&{parameter.name}_c")
            made.before.append(f"int {parameter.name}_c = 0;")
            made.on_success.append(f"*{parameter.name} = {parameter.name}_c != 0 ? 1 : 0;")
        elif parameter.name in WEIGHTS:
            made.take(f"const Integer* {parameter.name}", f"weights_of({parameter.name})")
        elif is_callback(parameter) or parameter.name == "baseptr":
            made.take(parameter.declare(), parameter.name)
        elif parameter.array or "*" in parameter.type:
            made.take(parameter.declare(), parameter.name)
            if parameter.type == "int *" and parameter.name == "indx":
                made.on_success.append("from_one(indx);")
            elif parameter.name == "array_of_indices":
                made.on_success.append("from_one(array_of_indices, *outcount);")
        else:
            made.take(f"const {base}* {parameter.name}", f"*{parameter.name}")
    return made


def _take_handle(made: Wrapper, function: Function, parameter: Parameter, handle: str) -> None:
    name, used = parameter.name, parameter.type.startswith("const ")
    if parameter.array:
        length = LENGTHS.get((stem(function), name), "*count")
        if name in ("sendtypes", "recvtypes"):
            length = f"partners({COMM})"
            if "eighbor" in function.name:
                length = f"neighbours({COMM}).{'destinations' if name == 'sendtypes' else 'sources'}"
        writes = name == "array_of_datatypes"
        made.take(f"{'const ' if used else ''}Integer* {name}", f"{name}_c")
        kind = f"DatatypesMade {name}_c({length})" if writes else f"HandlesOf<{handle}> {name}_c({name}, {length})"
        made.before.append(f"{kind};")
        if not used:
            (made.on_success if writes else made.always).append(f"{name}_c.to({name});")
    elif parameter.type.endswith("*"):
        changes = CHANGES.fullmatch(function.name) is not None
        made.take(f"Integer* {name}", f"{name}_c")
        made.before.append(f"HandleOf<{handle}> {name}_c{f'({name})' if changes else ''};")
        (made.always if changes else made.on_success).append(f"{name}_c.to({name});")
    else:
        made.take(f"const Integer* {name}", f"Of<{handle}>::handle(*{name})")


def _take_text(made: Wrapper, function: Function, parameter: Parameter) -> None:
    name = parameter.name
    made.lengths.append(f"std::size_t {name}_length")
    if parameter.type.startswith("const "):
        convert = "stripped" if function.name.startswith("MPI_Info_") else "text"
        made.take(f"const char* {name}", f"{convert}({name}, {name}_length).c_str()")
    else:
        made.take(f"char* {name}", f"{name}_c")
        made.before.append(f"TextMade {name}_c;")
        made.on_success.append(f"{name}_c.to({name}, {name}_length);")


def wrappers(functions: list[Function]) -> Iterator[str]:
    """Yield the lines of the C++ file."""
    yield "// Generated by lib/fortran/bindings.py."
    yield '#include "fortran/convert.h"'
    yield "using namespace tidings::fortran;"
    for each in KINDS:
        yield f"static_assert(sizeof({each}) == {_KIND_BYTES});"
    for function in functions:
        name = function.name.removeprefix("MPI_").lower()
        if not by_hand(function):
            yield from _wrapper(function, name)
            large = "_LARGE" if function.name.endswith("_c") else ""
            yield f"TIDINGS_ALSO{large}_F08({name.removesuffix('_c')});"
        if any(each.name == "baseptr" for each in function.parameters):
            yield f"TIDINGS_ALSO({name}, {name}_cptr);"


def _wrapper(function: Function, name: str) -> Iterator[str]:
    made = wrapped(function)
    call = f"TIDINGS_C({function.name})({', '.join(made.arguments)})"
    if function.result != "int":
        yield f"TIDINGS_EXPORT {function.result} TIDINGS_FORTRAN({name})({', '.join(made.parameters)}) {{"
        yield f"  return {call};"
        yield "}"
        return
    parameters = [*made.parameters, "Integer* ierror", *made.lengths]
    yield f"TIDINGS_EXPORT void TIDINGS_FORTRAN({name})({', '.join(parameters)}) {{"
    yield "  const Entry entry(__builtin_return_address(0));"
    yield from (f"  {line}" for line in made.before)
    yield f"  const int returned = {call};"
    yield from (f"  {line}" for line in made.always)
    if made.on_success:
        yield "  if (returned == MPI_SUCCESS) {"
        yield from (f"    {line}" for line in made.on_success)
        yield "  }"
    yield "  give(ierror, returned);"
    yield "}"


# ---------------------------------------------------------------- constants


@dataclass(frozen=True)
class Constant:
    """One constant of the header."""

    name: str
    type: str
    """A handle's type in C, ``int`` or ``MPI_Offset``."""
    value: int


def constants(header: str) -> list[Constant]:
    """Return the constants that Fortran has, with the values that they have there."""
    found = {}
    handle = r"#define (?P<name>MPIX?_\w+)\s+\(\((?P<type>MPI_[A-Z][a-z]+)\)(?P<value>-?\w+)\)"
    number = r"(?:#define +|    )(?P<name>MPIX?_\w+)\s+(?:=\s+)?(?P<value>-?(?:0x)?[0-9a-fA-F]+)\s*,?\s*(?:/\*.*)?$"
    alias = r"#define (?P<name>MPI_\w+)\s+(?P<of>MPI_\w+)$"
    for match in re.finditer(handle, header):
        found[match["name"]] = Constant(match["name"], match["type"], int(match["value"], 0))
    for match in re.finditer(number, header, re.MULTILINE):
        # Texts of C have a zero at the end, for which Fortran needs no room.
        less = 1 if match["name"].startswith("MPI_MAX_") else 0
        found[match["name"]] = Constant(match["name"], "int", int(match["value"], 0) - less)
    for match in re.finditer(alias, header, re.MULTILINE):
        if match["of"] in found:
            found[match["name"]] = Constant(match["name"], found[match["of"]].type, found[match["of"]].value)
    of_status = {
        "MPI_STATUS_SIZE": found["MPI_F_STATUS_SIZE"].value,
        **{f"MPI_{part}": found[f"MPI_F_{part}"].value + 1 for part in ("SOURCE", "TAG", "ERROR")},
    }
    made = [each for each in found.values() if not each.name.startswith(("MPI_T_", "MPI_F_", "MPIX_"))]
    return made + [Constant(name, "int", value) for name, value in of_status.items()]


def address_block(name: str) -> str:
    """Name of the common block of a constant that stands for an address."""
    return f"tidings_{name.lower()}"


def mpif_h(known: list[Constant]) -> Iterator[str]:
    """Yield the lines of mpif.h, which are right in fixed and in free form."""
    yield "! MPI for Fortran; generated by lib/fortran/bindings.py of Tidings."
    for kind in (*KINDS.values(), "MPI_INTEGER_KIND"):
        yield from _old_parameter("INTEGER", kind, str(4 if kind == "MPI_INTEGER_KIND" else _KIND_BYTES))
    for each in known:
        kind = f"INTEGER(KIND={KINDS[each.type]})" if each.type in KINDS else "INTEGER"
        yield from _old_parameter(kind, each.name, str(each.value))
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        yield from _old_parameter("LOGICAL", name, ".FALSE.")
    old = {"status": ("INTEGER", "(MPI_STATUS_SIZE)"), "statuses": ("INTEGER", "(MPI_STATUS_SIZE,1)")}
    for name, shape in ADDRESSES.items():
        kind, dimensions = old.get(shape) or (
            shape.partition("(")[0].upper(),
            shape[shape.find("(") :] * ("(" in shape),
        )
        yield f"      {kind} {name}{dimensions}"
        yield f"      COMMON /{address_block(name)}/ {name}"
    for name in (*PREDEFINED, *PREDEFINED_OLD):
        yield f"      EXTERNAL {name}"
    for prefix in ("", "P"):
        for name, kind in (("WTIME", "DOUBLE PRECISION"), ("WTICK", "DOUBLE PRECISION")):
            yield f"      {kind} {prefix}MPI_{name}"
            yield f"      EXTERNAL {prefix}MPI_{name}"
        for name in ("ADD", "DIFF"):
            yield f"      INTEGER(KIND=MPI_ADDRESS_KIND) {prefix}MPI_AINT_{name}"
            yield f"      EXTERNAL {prefix}MPI_AINT_{name}"


def _old_parameter(kind: str, name: str, value: str) -> Iterator[str]:
    yield f"      {kind} {name}"
    yield f"      PARAMETER ({name}={value})"


# ---------------------------------------------------------------- modules


@dataclass(frozen=True)
class Module:
    """How one of the two modules declares what both have."""

    f08: bool

    def handle(self, name: str) -> str:
        """Type of a handle, by its name in C."""
        return f"type({name})" if self.f08 else "integer"

    def declare(self, function: Function, parameter: Parameter) -> list[str]:
        """Return the declarations of a dummy argument."""
        name = RENAMED.get(parameter.name, parameter.name)
        base = parameter.type.removeprefix("const ").removesuffix(" *")
        by_value = not parameter.array and "*" not in parameter.type
        intent = ", intent(in)" if by_value or parameter.type.startswith("const ") else ""
        shape = "(*)" if parameter.array or name in WEIGHTS else ""
        if is_choice(parameter) or (name == "buffer_addr" and not self.f08):
            return self._choice(function, name, intent)
        if is_callback(parameter):
            return [f"procedure({base}) :: {name}" if self.f08 else f"external :: {name}"]
        if name == "argv":
            return [f"character(len=*), intent(in) :: {name}(*)"]
        if name == "array_of_argv":
            return [f"character(len=*), intent(in) :: {name}(count, *)"]
        if name == "array_of_commands":
            return [f"character(len=*), intent(in) :: {name}(*)"]
        if base == "char":
            return [f"character(len=*){intent} :: {name}"]
        if name in ("baseptr", "buffer_addr"):
            return [f"{'type(c_ptr)' if self.f08 else 'integer(MPI_ADDRESS_KIND)'} :: {name}"]
        if base == "MPI_Status":
            several = name == "array_of_statuses"
            if self.f08:
                return [f"type(MPI_Status){intent} :: {name}{'(*)' if several else ''}"]
            return [f"integer{intent} :: {name}(MPI_STATUS_SIZE{', *' if several else ''})"]
        if parameter.array == "[][3]":
            shape = "(3, *)"
        return [f"{self._type(function, name, base)}{self._intent(function, name, intent)} :: {name}{shape}"]

    def _type(self, function: Function, name: str, base: str) -> str:
        if name in ("extra_state", "attribute_val"):
            return "integer" if OLD.fullmatch(function.name) else "integer(MPI_ADDRESS_KIND)"
        if is_handle(base):
            return self.handle(base)
        if name in LOGICALS:
            return "logical"
        return f"integer({KINDS[base]})" if base in KINDS else "integer"

    @staticmethod
    def _intent(function: Function, name: str, intent: str) -> str:
        given = name == "extra_state" or (name == "attribute_val" and not function.name.endswith("_get"))
        return ", intent(in)" if given and not function.name.endswith("get_attr") else intent

    def _choice(self, function: Function, name: str, intent: str) -> list[str]:
        asynchronous = ", asynchronous" if self.f08 and ASYNCHRONOUS.fullmatch(function.name) else ""
        return [
            f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}",
            f"!DIR$ IGNORE_TKR {name}",
            f"type(*), dimension(*){intent}{asynchronous} :: {name}",
        ]

    def interface(self, function: Function, name: str) -> Iterator[str]:
        """Yield an interface body. `name` is that of the procedure."""
        parameters = [each for each in function.parameters if each.name not in ("argc",)]
        if function.name in ("MPI_Init", "MPI_Init_thread", "MPI_Info_create_env"):
            parameters = [each for each in parameters if each.name != "argv"]
        names = [RENAMED.get(each.name, each.name) for each in parameters]
        if function.result == "int":
            kind, names = "subroutine", [*names, "ierror"]
        else:
            result = "double precision" if function.result == "double" else f"integer({KINDS[function.result]})"
            kind = f"{result} function"
        yield from _continued(f"{kind} {name}({', '.join(names)})")
        yield "  import"
        for parameter in parameters:
            yield from (f"  {line}" for line in self.declare(function, parameter))
        if function.result == "int":
            yield f"  integer, {'optional, ' if self.f08 else ''}intent(out) :: ierror"
        yield f"end {kind.split()[-1]}"

    def constant(self, each: Constant) -> str:
        """Return the declaration of a constant."""
        if is_handle(each.type) and self.f08:
            return f"type({each.type}), parameter :: {each.name} = {each.type}({each.value})"
        kind = f"integer({KINDS[each.type]})" if each.type in KINDS else "integer"
        value = f"{each.value}_{KINDS[each.type]}" if each.type in KINDS else str(each.value)
        return f"{kind}, parameter :: {each.name} = {value}"

    def address(self, name: str, shape: str) -> Iterator[str]:
        """Yield the declaration of a constant that stands for an address."""
        status = "type(MPI_Status) :: {}" if self.f08 else "integer :: {}(MPI_STATUS_SIZE)"
        statuses = "type(MPI_Status) :: {}(1)" if self.f08 else "integer :: {}(MPI_STATUS_SIZE, 1)"
        kind, _, dimensions = shape.partition("(")
        pattern = {"status": status, "statuses": statuses}.get(
            shape, f"{kind} :: {{}}{'(' * bool(dimensions)}{dimensions}"
        )
        yield pattern.format(name)
        yield f"common /{address_block(name)}/ {name}"


def _continued(line: str, width: int = 110) -> Iterator[str]:
    """Yield a line of free form in pieces that are short enough."""
    while len(line) > width:
        cut = line.rfind(" ", 0, width) + 1
        yield f"{line[:cut]}&"
        line = "    " + line[cut:]
    yield line


def mpi_types() -> Iterator[str]:
    """Yield the lines of the module that both others share: handles and statuses, and what compares them."""
    yield "! Generated by lib/fortran/bindings.py of Tidings."
    yield "module tidings_mpi_types"
    yield "  implicit none"
    yield "  public"
    for handle in HANDLES:
        yield f"  type, bind(C) :: MPI_{handle}"
        yield "    integer :: MPI_VAL"
        yield "  end type"
    yield "  type, bind(C) :: MPI_Status"
    yield "    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR"
    yield "    integer, private :: internal(5)"
    yield "  end type"
    for operator, name in (("==", "same"), ("/=", "other")):
        yield f"  interface operator({operator})"
        for handle in HANDLES:
            yield f"    pure logical function tidings_mpi_{handle.lower()}_{name}(a, b)"
            yield "      import"
            yield f"      type(MPI_{handle}), intent(in) :: a, b"
            yield "    end function"
        yield "  end interface"
    yield "  interface"
    for prefix in ("", "P"):
        for name, first, second in (("f2f08", "f_status", "f08_status"), ("f082f", "f08_status", "f_status")):
            yield f"    subroutine {prefix}MPI_Status_{name}({first}, {second}, ierror)"
            yield "      import"
            for status, intent in ((first, "in"), (second, "out")):
                kind, shape = ("integer", "(8)") if status == "f_status" else ("type(MPI_Status)", "")
                yield f"      {kind}, intent({intent}) :: {status}{shape}"
            yield "      integer, optional, intent(out) :: ierror"
            yield "    end subroutine"
    yield "  end interface"
    yield "  interface MPI_Sizeof"
    yield '    subroutine tidings_mpi_sizeof(x, size, ierror) bind(C, name="tidings_mpi_sizeof")'
    yield "      type(*), dimension(..), intent(in) :: x"
    yield "      integer, intent(out) :: size"
    yield "      integer, optional, intent(out) :: ierror"
    yield "    end subroutine"
    yield "  end interface"
    yield "end module"


def _indented(lines: Iterable[str], by: int) -> Iterator[str]:
    for line in lines:
        yield " " * by + line if not line.startswith("!") else line


def module(name: str, known: list[Constant], functions: list[Function]) -> Iterator[str]:
    """Yield the lines of module mpi or mpi_f08."""
    made = Module(name == "mpi_f08")
    yield "! Generated by lib/fortran/bindings.py of Tidings."
    yield f"module {name}"
    yield "  use, intrinsic :: iso_c_binding, only: c_ptr"
    yield "  use tidings_mpi_types"
    yield "  implicit none"
    yield "  public"
    yield "  private :: c_ptr"
    for kind in KINDS.values():
        yield f"  integer, parameter :: {kind} = {_KIND_BYTES}"
    yield "  integer, parameter :: MPI_INTEGER_KIND = kind(0)"
    for each in known:
        yield f"  {made.constant(each)}"
    for constant in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        yield f"  logical, parameter :: {constant} = .false."
    for constant, shape in ADDRESSES.items():
        yield from _indented(made.address(constant, shape), 2)
    if made.f08:
        yield from _callbacks()
        for callback, interface in PREDEFINED.items():
            yield f"  procedure({interface}) :: {callback}"
    else:
        for callback in (*PREDEFINED, *PREDEFINED_OLD):
            yield f"  external :: {callback}"
    yield "  interface"
    yield "    subroutine MPI_F_sync_reg(buf)"
    yield from _indented(Module(f08=False)._choice(functions[0], "buf", ""), 6)
    yield "    end subroutine"
    yield "  end interface"
    for prefix in ("", "P"):
        yield from _indented(_f08(made, functions, prefix) if made.f08 else _mpi(made, functions, prefix), 2)
    yield "end module"


def _callbacks() -> Iterator[str]:
    text = CALLBACKS
    for name in HANDLES:
        if name in ("Comm", "Datatype", "Win"):
            short = "Type" if name == "Datatype" else name
            text += _OF_OBJECTS.format(short, name.lower() if name == "Datatype" else short.lower(), name)
        if name in ("Comm", "File", "Session", "Win"):
            text += _OF_ERRORS.format(name, name.lower())
    yield "  abstract interface"
    for body in re.findall(r"^subroutine.*\n(?:  .*\n)+", text, re.MULTILINE):
        head, *rest = body.splitlines()
        yield from _indented(_continued(head), 4)
        yield "      import"
        yield from (f"    {line}" for line in rest)
        yield "    end subroutine"
    yield "  end interface"


def _mpi(made: Module, functions: list[Function], prefix: str) -> Iterator[str]:
    for function in functions:
        if function.name.endswith("_c"):
            continue
        name = prefix + function.name
        with_pointer = any(each.name == "baseptr" for each in function.parameters)
        yield f"interface {name}" if with_pointer else "interface"
        yield from _indented(made.interface(function, name), 2)
        if with_pointer:
            for line in made.interface(function, f"{name}_cptr"):
                yield "  " + re.sub(r"integer\(MPI_ADDRESS_KIND\)( :: baseptr)", r"type(c_ptr)\1", line)
        yield "end interface"


def _f08(made: Module, functions: list[Function], prefix: str) -> Iterator[str]:
    by_name = {function.name: function for function in functions}
    for function in functions:
        large = function.name.endswith("_c") and function.name.removesuffix("_c") in by_name
        if OLD.fullmatch(function.name) or (large and _is_overload(made, function, by_name)):
            continue
        if large and not any(is_callback(each) for each in function.parameters):
            continue  # the same as with plain counts
        name = prefix + function.name
        yield f"interface {name}"
        yield from _indented(made.interface(function, f"{name}_f08"), 2)
        wide = by_name.get(f"{function.name}_c")
        if wide is not None and _is_overload(made, wide, by_name):
            yield from _indented(made.interface(wide, f"{prefix}{wide.name}_f08"), 2)
        yield "end interface"


def _is_overload(made: Module, wide: Function, by_name: dict[str, Function]) -> bool:
    """Whether a compiler can tell a function with large counts from that with plain ones."""

    def kinds(function: Function) -> list[str]:
        lines = [line for each in function.parameters for line in made.declare(function, each)]
        kinds = [re.sub(r"MPI_(ADDRESS|COUNT|OFFSET)_KIND", "8", line) for line in lines]
        return [re.sub(r"procedure\(\w+\)", "procedure", line) for line in kinds]

    return kinds(wide) != kinds(by_name[wide.name.removesuffix("_c")])


def main() -> int:
    """Run as a command."""
    header_path, folder = map(Path, sys.argv[1:])
    header = header_path.read_text()
    functions = fortran_functions(parse_header(header))
    known = constants(header + header_path.with_name("mpi_removed.h").read_text())
    files = {
        "wrappers.cpp": wrappers(functions),
        "mpif.h": mpif_h(known),
        "mpi_types.f90": mpi_types(),
        "mpi.f90": module("mpi", known, functions),
        "mpi_f08.f90": module("mpi_f08", known, functions),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
