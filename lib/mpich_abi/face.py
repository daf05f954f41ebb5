#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate the face of the MPI library for programs that were compiled for MPICH's ABI.

``python face.py STANDARD MPICH FOLDER`` reads the headers of the standard ABI and of MPICH, and writes into the folder

- ``constants.h``: the constants that both headers have, as functions from one ABI to the other;
- ``entry_points.h``: the library's functions, which the face finds by their names;
- ``functions.cpp``: MPICH's functions, which convert their arguments and call the library's. Compiled for PMPI they are
  ``PMPI_X`` (``lib/mpich_abi/convert.h``).

``lib/mpi`` and ``lib/fortran`` are on Python's path.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bindings import CHANGES, HANDLES, Wrapper, is_callback, is_choice, is_handle, stem
from bindings import LENGTHS as LENGTHS_IN_FORTRAN

from generate import Function, Parameter, parse_header

#: Kinds of constants that calls take or give back: the names of each kind. ``MPI_UNDEFINED`` is the same in both.
KINDS = {
    "Rank": r"MPI_(ANY_SOURCE|PROC_NULL|ROOT)",
    "Tag": r"MPI_ANY_TAG",
    "Error": r"MPI_SUCCESS|MPI_(T_)?ERR_(?!LASTCODE)\w+",
    "Comparison": r"MPI_(IDENT|CONGRUENT|SIMILAR|UNEQUAL)",
    "Topology": r"MPI_(GRAPH|CART|DIST_GRAPH)",
    "Thread": r"MPI_THREAD_\w+",
    "Combiner": r"MPI_COMBINER_\w+",
    "Order": r"MPI_ORDER_\w+",
    "Distribution": r"MPI_DISTRIBUTE_(BLOCK|CYCLIC|NONE)",
    "DistributionArgument": r"MPI_DISTRIBUTE_DFLT_DARG",
    "TypeClass": r"MPI_TYPECLASS_\w+",
    "SplitType": r"MPI_COMM_TYPE_\w+",
    "Lock": r"MPI_LOCK_\w+",
    "Flavor": r"MPI_WIN_FLAVOR_\w+",
    "Model": r"MPI_WIN_(SEPARATE|UNIFIED)",
    "Whence": r"MPI_SEEK_\w+",
    "Keyval": r"MPI_(KEYVAL_INVALID|TAG_UB|IO|HOST|WTIME_IS_GLOBAL|APPNUM|LASTUSEDCODE|UNIVERSE_SIZE|"
    r"WIN_(BASE|DISP_UNIT|SIZE|CREATE_FLAVOR|MODEL))",
    "Displacement": r"MPI_DISPLACEMENT_CURRENT",
    "Verbosity": r"MPI_T_VERBOSITY_\w+",
    "Binding": r"MPI_T_BIND_\w+",
    "Scope": r"MPI_T_SCOPE_\w+",
    "VariableClass": r"MPI_T_PVAR_CLASS_\w+",
    "Safety": r"MPI_T_CB_REQUIRE_\w+",
    "SourceOrder": r"MPI_T_SOURCE_\w+",
    "Address": r"MPI_(BOTTOM|IN_PLACE|BUFFER_AUTOMATIC)",
} | {name: rf"MPI_{name}" for name in HANDLES}
#: Constants whose values are added to one another.
FLAGS = {"Mode": r"MPI_MODE_\w+"}
#: Constants that differ and are converted by hand, or that no call takes, with what is done about them.
BY_ITSELF = {
    r"MPI_STATUS(ES)?_IGNORE": "the constructors of statuses (convert.h)",
    r"MPI_ERR_LASTCODE": "code_to_abi() and code_to_mpich() (convert.h)",
    r"MPI_BSEND_OVERHEAD": "the buffers of buffered sends (by_hand.cpp)",
    r"MPI_MAX_(PORT_NAME|PROCESSOR_NAME|INFO_KEY)": "texts that the library writes (TEXTS)",
    r"MPI_MAX_(STRINGTAG|PSET_NAME)_LEN": "the program says how much room it has, or passes the text",
    r"MPI_F_\w+": "the layout of a status (convert.h)",
}

#: What an integer by value means, by the name of its parameter.
VALUES = {
    **dict.fromkeys(("dest", "source", "root", "target_rank", "rank"), "rank_to_abi"),
    **dict.fromkeys(("tag", "sendtag", "recvtag"), "tag_to_abi"),
    **dict.fromkeys(("errorcode", "errorclass", "error"), "code_to_abi"),
    **dict.fromkeys(("amode", "assert"), "mode_to_abi"),
    **dict.fromkeys(("comm_keyval", "type_keyval", "win_keyval", "keyval"), "keyval_to_abi"),
    "lock_type": "lock_to_abi",
    "order": "order_to_abi",
    "split_type": "split_type_to_abi",
    "typeclass": "type_class_to_abi",
    "whence": "whence_to_abi",
    "required": "thread_to_abi",
    "var_class": "variable_class_to_abi",
    "cb_safety": "safety_to_abi",
}
#: What an integer means that the library writes, by the name of its parameter.
RESULTS = {
    **dict.fromkeys(("rank", "newrank", "rank_source", "rank_dest", "source"), "rank_to_mpich"),
    **dict.fromkeys(("errorcode", "errorclass", "error"), "code_to_mpich"),
    **dict.fromkeys(("comm_keyval", "type_keyval", "win_keyval", "keyval"), "keyval_to_mpich"),
    "tag": "tag_to_mpich",
    "amode": "mode_to_mpich",
    "result": "comparison_to_mpich",
    "status": "topology_to_mpich",
    "provided": "thread_to_mpich",
    "combiner": "combiner_to_mpich",
    "verbosity": "verbosity_to_mpich",
    "bind": "binding_to_mpich",
    "scope": "scope_to_mpich",
    "var_class": "variable_class_to_mpich",
    "ordering": "source_order_to_mpich",
}
#: What the integers of an array mean that the library reads, and its length.
ARRAYS = {
    "array_of_distribs": ("distribution_to_abi", "ndims"),
    "array_of_dargs": ("distribution_argument_to_abi", "ndims"),
    "ranks1": ("rank_to_abi", "n"),
}
#: The same of arrays that it writes.
ARRAYS_MADE = {"ranks2": ("rank_to_mpich", "n")}
#: Texts for which a program of MPICH has less room than the standard ABI says.
TEXTS = {
    ("Get_processor_name", "name"): "MPI_MAX_PROCESSOR_NAME",
    ("Info_get_nthkey", "key"): "MPI_MAX_INFO_KEY",
    ("Open_port", "port_name"): "MPI_MAX_PORT_NAME",
    ("Lookup_name", "port_name"): "MPI_MAX_PORT_NAME",
}
#: Lengths of arrays of handles, if it is not ``count``. The library has no events.
LENGTHS = {key: length.lstrip("*") for key, length in LENGTHS_IN_FORTRAN.items()} | {
    ("T_event_get_info", "array_of_datatypes"): "0"
}
#: The code that ends a run is the program's own.
OWN_CODE = {"Abort"}

#: Functions that ``by_hand.cpp`` defines, beside those with a callback.
BY_HAND = re.compile(
    r"MPI_((Comm|Type|Win)_(create_keyval|get_attr)|Attr_get|Abi_get_version|Pcontrol|Type_get_contents(_c)?|"
    r"(Buffer|Comm|Session)_(at|de)tach(_buffer)?(_c)?|\w+_(c2f|f2c|c2f08|f082c|f082f|f2f08|toint|fromint)|"
    r"Address|Errhandler_(create|free|get|set)|(Comm|File|Win)_[gs]et_errhandler|"
    r"Type_(extent|hindexed|hvector|lb|struct|ub)|Comm_spawn(_multiple)?|DUP_FN)"
    r"|MPIX_Query_\w+_support|MPIX_GPU_query_support"
)
#: Functions with a callback that the library never calls.
CALLS_NOTHING = re.compile(r"MPI_T_\w+")
#: Functions that change a status.
CHANGES_STATUS = re.compile(r"MPI_Status_set_\w+")


# ---------------------------------------------------------------- headers


@dataclass(frozen=True)
class Constant:
    """One constant of a header."""

    name: str
    type: str
    """What the header converts it to; empty for an integer."""
    value: int


def without_comments(text: str) -> str:
    """Return a header without its comments."""
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def constants(text: str) -> dict[str, Constant]:
    """Return the constants of a header that have a value: those of enumerations, and its macros."""
    text = without_comments(text)
    found: dict[str, Constant] = {}

    def add(name: str, expression: str) -> None:
        made = _evaluate(name, expression, found)
        if made is not None:
            found.setdefault(name, made)

    for body in re.findall(r"\benum\b\s*\w*\s*\{([^}]*)\}", text):
        before = -1
        for entry in filter(None, map(str.strip, body.split(","))):
            name, _, expression = map(str.strip, entry.partition("="))
            add(name, expression or str(before + 1))
            before = found[name].value if name in found else before
    macros = re.findall(r"^#\s*define[ \t]+(\w+)[ \t]+(.+?)[ \t]*$", text, re.MULTILINE)
    for name, expression in [*macros, *macros]:  # a macro may be defined before what it is made of
        add(name, expression)
    return {name: each for name, each in found.items() if name.startswith("MPI_")}


def _evaluate(name: str, expression: str, known: dict[str, Constant]) -> Constant | None:
    cast = re.search(r"\(\s*((?:MPIX?_|void\b|int\b|char\b)\w*(?:\s*\*+)?)\s*\)", expression)
    rest = expression if cast is None else expression[: cast.start()] + expression[cast.end() :]
    rest = rest.replace("(", " ").replace(")", " ").strip()
    of = "" if cast is None else cast[1]
    if rest in known:
        return Constant(name, of or known[rest].type, known[rest].value)
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", rest) is None:
        return None
    return Constant(name, of, int(rest, 0))


def mpich_functions(text: str) -> list[Function]:
    """Return the functions that MPICH's header declares."""
    text = re.sub(r"\bMPICH_(API_PUBLIC|ATTR_\w+\([^()]*\))", " ", without_comments(text))
    lines = (" ".join(each.split()) for each in text.split(";"))
    return parse_header("".join(f"{each};\n" for each in lines))


def data_symbols(text: str) -> list[str]:
    """Return the variables that MPICH's header declares."""
    return re.findall(r"^extern [^;()]*?\b(\w+) MPICH_API_PUBLIC;", text, re.MULTILINE)


# ---------------------------------------------------------------- constants


def of_kind(pattern: str, known: dict[str, Constant]) -> dict[str, int]:
    """Return the constants of a kind, by their names."""
    if pattern.removeprefix("MPI_") in HANDLES:
        return {each.name: each.value for each in known.values() if each.type == pattern}
    return {each.name: each.value for each in known.values() if re.fullmatch(pattern, each.name)}


def unconverted(mpich: dict[str, Constant], standard: dict[str, Constant]) -> list[str]:
    """Return the constants with different values in the two ABIs that nothing converts."""
    converted = set().union(*(of_kind(each, standard) for each in [*KINDS.values(), *FLAGS.values()]))
    return [
        name
        for name, each in standard.items()
        if name in mpich
        and mpich[name].value != each.value
        and name not in converted
        and not any(re.fullmatch(pattern, name) for pattern in BY_ITSELF)
    ]


def snake(name: str) -> str:
    """Return the name of a kind as part of a function's name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def conversion(name: str, value: str, pairs: dict[int, int]) -> Iterator[str]:
    """Yield a function from one ABI to the other.

    A value that is none of the constants stays as it is, unless the other ABI gives it a meaning: then it becomes a
    value that has none there, so that no mistake is taken for something else, and comes back as it was.
    """
    here, there = set(pairs), set(pairs.values())
    without_meaning = zip(sorted(there - here), sorted(here - there), strict=True)
    yield f"constexpr {value} {name}({value} given) {{"
    yield "  switch (given) {"
    for each, other in sorted((pairs | dict(without_meaning)).items()):
        yield f"    case static_cast<{value}>({each:#x}): return static_cast<{value}>({other:#x});"
    yield "    default: return given;"
    yield "  }"
    yield "}"


def signed(value: int) -> int:
    """Return a handle of 32 bits as the integer that it is in C."""
    return value - (1 << 32) if value >= 1 << 31 else value


def constants_header(mpich: dict[str, Constant], standard: dict[str, Constant]) -> Iterator[str]:
    """Yield the lines of the header with the constants of both ABIs."""
    yield "// Generated by lib/mpich_abi/face.py."
    yield "#pragma once"
    yield "#include <cstdint>"
    yield "namespace tidings::mpich {"
    for kind, pattern in KINDS.items():
        ours, theirs = of_kind(pattern, standard), of_kind(pattern, mpich)
        if missing := [name for name in ours if name not in theirs]:
            raise ValueError(f"MPICH has no {', '.join(missing)}")
        there = {signed(theirs[name]): ours[name] for name in ours}
        back = {ours[name]: signed(theirs[name]) for name in ours}
        value = "std::int64_t" if kind in (*HANDLES, "Address", "Displacement") else "int"
        yield from conversion(f"{snake(kind)}_to_abi", value, there)
        yield from conversion(f"{snake(kind)}_to_mpich", value, back)
    for kind, pattern in FLAGS.items():
        ours, theirs = of_kind(pattern, standard), of_kind(pattern, mpich)
        yield f"struct {kind} {{ int mpich; int abi; }};"
        yield f"inline constexpr {kind} k{kind}s[] = {{"
        yield from (f"  {{{theirs[name]:#x}, {ours[name]:#x}}},  // {name}" for name in ours)
        yield "};"
    for name in ("MPI_ERR_LASTCODE", "MPI_BSEND_OVERHEAD", "MPI_F_STATUS_SIZE", *dict.fromkeys(TEXTS.values())):
        yield f"inline constexpr int kMpich_{name} = {mpich[name].value};"
    for name in ("MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE"):
        yield f"inline constexpr std::intptr_t kMpich_{name} = {mpich[name].value};"
    yield "}"


def entry_points(functions: list[Function]) -> Iterator[str]:
    """Yield the lines of the header that names the library's functions."""
    yield "// Generated by lib/mpich_abi/face.py."
    yield "#pragma once"
    yield "namespace tidings::mpich {"
    yield "enum class Function {"
    yield from (f"  {each.name}," for each in functions)
    yield "};"
    yield "inline constexpr const char* kFunctionNames[] = {"
    yield from (f'  "{each.name}",' for each in functions)
    yield "};"
    yield "}"


# ---------------------------------------------------------------- functions


def by_hand(function: Function) -> bool:
    """Whether a function's wrapper is not generated."""
    if BY_HAND.fullmatch(function.name):
        return True
    return any(map(is_callback, function.parameters)) and CALLS_NOTHING.fullmatch(function.name) is None


def number_of(handle: str) -> str:
    """Return MPICH's type of a handle."""
    return "void*" if handle == "MPI_File" else "int"


def wrapped(function: Function) -> Wrapper:
    """Return how a function's arguments are converted."""
    made = Wrapper()
    for parameter in function.parameters:
        name = parameter.name
        base = parameter.type.removeprefix("const ").removesuffix(" *")
        if is_choice(parameter) and name != "obj_handle":
            made.take(parameter.declare(), f"buffer_to_abi({name})")
        elif is_handle(base):
            _take_handle(made, function, parameter, base)
        elif base == "MPI_Status":
            _take_status(made, function, parameter)
        elif (stem(function), name) in TEXTS:
            _take_text(made, function, parameter)
        elif parameter.array:
            _take_array(made, parameter)
        elif parameter.type in ("int *", "MPI_T_source_order *"):
            made.take(parameter.declare(), name)
            if CHANGES.fullmatch(function.name) and name in VALUES:  # a keyval that is freed
                made.arguments[-1] = f"&{name}_abi"
                made.before.append(f"int {name}_abi = {VALUES[name]}(*{name});")
                made.always.append(f"*{name} = {RESULTS[name]}({name}_abi);")
            elif name in RESULTS:
                made.on_success.append(f"convert({name}, {RESULTS[name]});")
        elif parameter.type == "MPI_Offset" and name == "disp":
            made.take(parameter.declare(), f"displacement_to_abi({name})")
        elif parameter.type == "int" and name in VALUES and stem(function) not in OWN_CODE:
            made.take(parameter.declare(), f"{VALUES[name]}({name})")
        elif parameter.type == "MPI_T_cb_safety":
            made.take(parameter.declare(), f"static_cast<MPI_T_cb_safety>({VALUES[name]}({name}))")
        else:
            made.take(parameter.declare(), name)
    return made


def _take_handle(made: Wrapper, function: Function, parameter: Parameter, handle: str) -> None:
    name, used = parameter.name, parameter.type.startswith("const ")
    number = number_of(handle)
    if parameter.array:
        length = LENGTHS.get((stem(function), name), "count")
        if name in ("sendtypes", "recvtypes"):
            length = "partners(comm)"
            if "eighbor" in function.name:
                length = f"neighbours(comm).{'destinations' if name == 'sendtypes' else 'sources'}"
        made.take(f"{'const ' if used else ''}{number} {name}[]", f"{name}_abi")
        made.before.append(f"HandlesOf<{handle}> {name}_abi({name}, {length});")
        if not used:
            made.always.append(f"{name}_abi.to({name});")
    elif parameter.type.endswith("*"):
        changes = CHANGES.fullmatch(function.name) is not None
        made.take(f"{number}* {name}", f"{name}_abi")
        made.before.append(f"HandleOf<{handle}> {name}_abi{f'({name})' if changes else ''};")
        (made.always if changes else made.on_success).append(f"{name}_abi.to({name});")
    else:
        made.take(f"{number} {name}", f"Of<{handle}>::to_abi({name})")


def _take_status(made: Wrapper, function: Function, parameter: Parameter) -> None:
    name = parameter.name
    if parameter.type.startswith("const "):
        made.take(f"const Status* {name}", f"StatusOf({name})")
        return
    made.take(f"Status* {name}", f"{name}_abi")
    if name == "array_of_statuses":
        length = "incount" if any(each.name == "incount" for each in function.parameters) else "count"
        made.before.append(f"StatusesOf {name}_abi({name}, {length});")
    else:
        made.before.append(f"StatusOf {name}_abi({name});")
    made.always.append(f"{name}_abi.to({name});")


def _take_text(made: Wrapper, function: Function, parameter: Parameter) -> None:
    name, longest = parameter.name, TEXTS[stem(function), parameter.name]
    made.take(parameter.declare(), f"{name}_abi")
    made.before.append(f"char {name}_abi[{longest}] = {{}};")
    counted = [each.name for each in function.parameters if each.name == "resultlen"]
    arguments = ", ".join([name, f"{name}_abi", f"kMpich_{longest}", *counted])
    made.on_success.append(f"put_text({arguments});")


def _take_array(made: Wrapper, parameter: Parameter) -> None:
    name = parameter.name
    if name in ARRAYS:
        convert, length = ARRAYS[name]
        made.take(parameter.declare(), f"{name}_abi")
        made.before.append(f"Integers {name}_abi({name}, {length}, {convert});")
        return
    made.take(parameter.declare(), name)
    if name in ARRAYS_MADE:
        convert, length = ARRAYS_MADE[name]
        made.on_success.append(f"for (int i = 0; i < {length}; ++i) convert({name} + i, {convert});")


def wrapper(function: Function) -> Iterator[str]:
    """Yield the definition of one of MPICH's functions."""
    made = wrapped(function)
    call = f"TIDINGS_C({function.name})({', '.join(made.arguments)})"
    yield f"TIDINGS_FACE({', '.join([function.result, function.name, *made.parameters])}) {{"
    if function.result != "int":
        yield f"  return {call};"
        yield "}"
        return
    yield "  const Entry entry(__builtin_return_address(0));"
    yield from (f"  {line}" for line in made.before)
    yield f"  const int returned = {call};"
    yield from (f"  {line}" for line in made.always)
    if made.on_success:
        yield "  if (returned == MPI_SUCCESS) {"
        yield from (f"    {line}" for line in made.on_success)
        yield "  }"
    yield "  return ended(returned);"
    yield "}"


def functions_file(mpich: list[Function], standard: list[Function]) -> Iterator[str]:
    """Yield the lines of the C++ file."""
    there = {each.name for each in standard}
    yield "// Generated by lib/mpich_abi/face.py."
    yield '#include "mpich_abi/convert.h"'
    yield "using namespace tidings::mpich;"
    for function in mpich:
        if function.name in there and not by_hand(function):
            yield from wrapper(function)
        elif function.name not in there and BY_HAND.fullmatch(function.name) is None:
            yield f'TIDINGS_FACE(int, {function.name}, void) {{ return left_out("{function.name}"); }}'


def main() -> int:
    """Run as a command."""
    standard_path, mpich_path, folder = map(Path, sys.argv[1:])
    standard_text, mpich_text = standard_path.read_text(), mpich_path.read_text()
    mpich, standard = constants(mpich_text), constants(standard_text)
    if left := unconverted(mpich, standard):
        raise ValueError(f"nothing converts {', '.join(left)}, whose values differ: extend KINDS")
    theirs = mpich_functions(mpich_path.with_name("mpi_proto.h").read_text())
    ours = parse_header(standard_text)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (
        ("constants.h", constants_header(mpich, standard)),
        ("entry_points.h", entry_points(ours)),
        ("functions.cpp", functions_file(theirs, ours)),
    ):
        (folder / name).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
