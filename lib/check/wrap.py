#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate the functions of the MPI standard header that tell the checker what the program does.

``python wrap.py HEADER OUT SOURCE...`` writes ``OUT``, a C++ file with ``MPI_X`` for each function that makes, frees or
starts something and that the sources do not define. Each calls ``PMPI_X``. ``lib/mpi`` is on Python's path.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from generate import Function, Parameter, parse_header

#: Functions that give a handle back through a pointer.
FREES = re.compile(
    r"MPI_(Comm_(free|disconnect)|(Type|Win|Group|Op|Info|Errhandler)_free|File_close|Session_finalize|I?mrecv)(_c)?",
    re.IGNORECASE,
)
#: Functions with a pointer to a handle that they only use, or whose handles are not to be freed.
MAKES_NOTHING = re.compile(r"MPI_(T_.*|Cancel|Type_(commit|match_size|get_value_index|create_f90_.*)|Comm_get_parent)")
#: Functions whose buffers are followed by their counts and datatypes, and are the library's until they complete.
BUFFERS = re.compile(
    r"MPI_(I[bsr]?send|[BSR]?send_init|Irecv|Recv_init|Imrecv|Isendrecv(_replace)?|Rput|Rget|Raccumulate|"
    r"File_i(read|write)\w*)(_c)?",
    re.IGNORECASE,
)
#: Collectives whose first buffer is one block of this rank, with its count and datatype behind it.
BLOCKS = re.compile(r"MPI_(I(all)?gatherv?|(Allg|G)atherv?_init)(_c)?")
#: Collectives with two equal vectors, or with the first of these alone at ranks that are not the root.
VECTORS = re.compile(r"MPI_(I(allreduce|scan|exscan)|(Allreduce|Scan|Exscan)_init)(_c)?")
#: Functions that send a message which one receive of the program matches.
SENDS = re.compile(r"MPI_(I?[bsr]?send|I?sendrecv(_replace)?)(_c)?", re.IGNORECASE)
#: Functions whose requests belong to one message.
MESSAGES = re.compile(r"MPI_(I[bsr]?send|[BSR]?send_init|Irecv|Recv_init)(_c)?", re.IGNORECASE)

HANDLES = ("Comm", "Datatype", "Win", "Group", "Op", "Info", "Errhandler", "File", "Session", "Message")
BROADCAST = re.compile(r"MPI_(Ibcast|Bcast_init)(_c)?")
DEFINITION = re.compile(r"^int (?P<name>MPI_\w+)\(", re.MULTILINE)


def handles(function: Function) -> list[Parameter]:
    """Return the parameters through which a function gives a handle, or takes one back."""
    types = {f"MPI_{handle} *" for handle in HANDLES}
    return [each for each in function.parameters if each.type in types and not each.array]


def request(function: Function) -> str | None:
    """Return the parameter through which a function gives a request."""
    found = [each.name for each in function.parameters if each.type == "MPI_Request *"]
    return found[0] if found else None


def regions(function: Function) -> str:
    """Return the buffers of a request."""
    names = [each.name for each in function.parameters]
    made = "Regions()"
    if BROADCAST.fullmatch(function.name):
        return "broadcast_regions(buffer, count, datatype, root, comm)"
    if BLOCKS.fullmatch(function.name):
        return f"in_one_group(comm) ? Regions().reads({', '.join(names[:3])}) : Regions()"
    if VECTORS.fullmatch(function.name):
        return "Regions().reads(sendbuf, count, datatype).writes(recvbuf, count, datatype)"
    if BUFFERS.fullmatch(function.name):
        for at, parameter in enumerate(function.parameters):
            if parameter.type in ("const void *", "void *"):
                does = "reads" if parameter.type.startswith("const") else "writes"
                made += f".{does}({', '.join(names[at : at + 3])})"
    return made


def site(function: Function) -> str:
    """Return where a call comes from, and what is known of it."""
    names = {each.name for each in function.parameters}
    made = f'Site("{function.name.removesuffix("_c")}", __builtin_return_address(0))'
    one_message = MESSAGES.fullmatch(function.name) or SENDS.fullmatch(function.name)
    if one_message and "dest" in names:
        made += f".to(dest, {'tag' if 'tag' in names else 'sendtag'})"
    elif one_message and "source" in names:
        made += ".from(source, tag)"
    if Parameter("MPI_Comm", "comm", "") in function.parameters:
        made += ".in(comm)"
    return made


def told(function: Function) -> list[str]:
    """Return what the checker is told of a call that has succeeded."""
    lines = []
    if FREES.fullmatch(function.name):
        lines += [f"freed({each.name}_before);" for each in handles(function)]
    elif not MAKES_NOTHING.fullmatch(function.name):
        lines += [f"created(*{each.name}, site);" for each in handles(function)]
    made = request(function)
    if made is not None and not MAKES_NOTHING.fullmatch(function.name):
        persistent = "true" if re.search("_init(_c)?$", function.name) else "false"
        lines.append(f"requested(site, *{made}, {persistent}, {regions(function)});")
    if SENDS.fullmatch(function.name):
        lines.append("sent(site);")
    return lines


def wrappers(functions: list[Function], by_hand: set[str]) -> Iterator[str]:
    """Yield the definitions."""
    for function in functions:
        lines = told(function)
        if not lines or function.name in by_hand:
            continue
        if not function.has_twin:
            yield f'extern "C" {function.declare("P")};'
        yield f"{function.declare('')} {{"
        if any("site" in line for line in lines):
            yield f"  const Site site = {site(function)};"
        if FREES.fullmatch(function.name):
            for each in handles(function):
                yield f"  const {each.type.removesuffix(' *')} {each.name}_before = *{each.name};"
        yield f"  const int result = {function.call(f'P{function.name}')};"
        yield "  if (result == MPI_SUCCESS) {"
        yield from (f"    {line}" for line in lines)
        yield "  }"
        yield "  return result;"
        yield "}"


def main() -> int:
    """Run as a command."""
    header, out, *sources = map(Path, sys.argv[1:])
    by_hand = {match["name"] for source in sources for match in DEFINITION.finditer(source.read_text())}
    lines = [
        "// Generated by lib/check/wrap.py.",
        '#include "check/checker.h"',
        "using namespace tidings::check;",
        *wrappers(parse_header(header.read_text()), by_hand),
    ]
    out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
