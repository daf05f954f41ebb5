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
#: Functions that have used their buffers when they return.
USES = re.compile(
    r"MPI_([BSR]?send|M?recv|Sendrecv(_replace)?|Bcast|Allreduce|Scan|Exscan|(Allg|G)atherv?)(_c)?", re.IGNORECASE
)
#: Collectives whose first buffer is one block of this rank, with its count and datatype behind it.
BLOCKS = re.compile(r"MPI_(I(all)?gatherv?|(Allg|G)atherv?(_init)?)(_c)?")
#: Collectives with two equal vectors, or with the first of these alone at ranks that are not the root.
VECTORS = re.compile(r"MPI_(I(allreduce|scan|exscan)|(Allreduce|Scan|Exscan)(_init)?)(_c)?")
#: Functions that send a message which one receive of the program matches.
SENDS = re.compile(r"MPI_(I?[bsr]?send|I?sendrecv(_replace)?)(_c)?", re.IGNORECASE)
#: Functions that come back with a message, and those that match one with a receive to come.
RECEIVES = re.compile(r"MPI_(Recv|Sendrecv(_replace)?|I?mprobe)(_c)?", re.IGNORECASE)
#: Functions with one request for a send and a receive.
EXCHANGES = re.compile(r"MPI_Isendrecv(_replace)?(_c)?")
#: Collectives whose members have the same elements.
SHARES = re.compile(r"MPI_I?(bcast|gather|scatter|allgather|alltoall)(_c)?", re.IGNORECASE)
#: Functions whose requests belong to one message.
MESSAGES = re.compile(r"MPI_(I[bsr]?send|[BSR]?send_init|Irecv|Recv_init)(_c)?", re.IGNORECASE)

HANDLES = ("Comm", "Datatype", "Win", "Group", "Op", "Info", "Errhandler", "File", "Session", "Message")
BROADCAST = re.compile(r"MPI_(Ibcast|Bcast(_init)?)(_c)?")
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
    """Return the buffers of a request, or of a call."""
    names = [each.name for each in function.parameters]
    made = "Regions()"
    if BROADCAST.fullmatch(function.name):
        return "broadcast_regions(buffer, count, datatype, root, comm)"
    if BLOCKS.fullmatch(function.name):
        return f"in_one_group(comm) ? Regions().reads({', '.join(names[:3])}) : Regions()"
    if VECTORS.fullmatch(function.name):
        return "Regions().reads(sendbuf, count, datatype).writes(recvbuf, count, datatype)"
    if BUFFERS.fullmatch(function.name) or USES.fullmatch(function.name):
        for at, parameter in enumerate(function.parameters):
            if parameter.type in ("const void *", "void *"):
                does = "reads" if parameter.type.startswith("const") else "writes"
                buffer, count, datatype = names[at : at + 3]
                if "_replace" in function.name:
                    peers = ["dest", "source"]
                else:
                    peers = [each for each in ("dest" if does == "reads" else "source",) if each in names]
                if peers:  # nobody uses a buffer for a peer that is none
                    count = f"{' && '.join(f'{each} == MPI_PROC_NULL' for each in peers)} ? 0 : {count}"
                made += f".{does}({buffer}, {count}, {datatype})"
    return made


def site(function: Function) -> str:
    """Return where a call comes from, and what is known of it."""
    names = {each.name for each in function.parameters}
    made = f'Site("{function.name.removesuffix("_c")}", __builtin_return_address(0))'
    one_message = MESSAGES.fullmatch(function.name) or SENDS.fullmatch(function.name)
    if one_message and "dest" in names:
        made += f".to(dest, {'tag' if 'tag' in names else 'sendtag'})" + carrying(function, ("count", "sendcount"))
    elif one_message and "source" in names:
        made += ".from(source, tag)" + carrying(function, ("count",))
    if Parameter("MPI_Comm", "comm", "") in function.parameters:
        made += ".in(comm)"
    return made


def carrying(function: Function, counts: tuple[str, ...]) -> str:
    """Return what the elements of a call's message are: a count, and the datatype behind it."""
    names = [each.name for each in function.parameters]
    at = next((names.index(each) for each in counts if each in names), None)
    return "" if at is None else f".carrying({names[at]}, {names[at + 1]})"


def receiving(function: Function) -> str:
    """Return where a call comes from, as that of a receive."""
    tag = "recvtag" if "recvtag" in {each.name for each in function.parameters} else "tag"
    made = f'Site("{function.name.removesuffix("_c")}", __builtin_return_address(0)).from(source, {tag}).in(comm)'
    return made + carrying(function, ("recvcount", "count"))


def sharing(function: Function) -> Iterator[str]:
    """Yield what the checker is told of a collective: the elements of a block, which all members have."""
    at_root = "is_root(root, comm) ? {} : {}"
    match function.name.removesuffix("_c").removeprefix("MPI_").removeprefix("I").lower():
        case "bcast":
            elements = "count, datatype"
        case "gather":
            elements = f"{at_root.format('recvcount', 'sendcount')}, {at_root.format('recvtype', 'sendtype')}"
        case "scatter":
            elements = f"{at_root.format('sendcount', 'recvcount')}, {at_root.format('sendtype', 'recvtype')}"
        case _:
            elements = "recvcount, recvtype"
            yield f"if (sendbuf != MPI_IN_PLACE) shared({site(function)}.carrying(sendcount, sendtype), true);"
    yield f"shared({site(function)}.carrying({elements}));"


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
    if USES.fullmatch(function.name):
        lines.append(f"if (any_in_use()) used(site, {regions(function)});")
    if EXCHANGES.fullmatch(function.name):
        lines.append(f"receiving(*request, {receiving(function)});")
    if SENDS.fullmatch(function.name):
        lines.append("sent(site);")
    if RECEIVES.fullmatch(function.name):
        known = f"received({receiving(function)}, *known);"
        lines.append(f"if (*flag != 0) {known}" if "improbe" in function.name.lower() else known)
    if SHARES.fullmatch(function.name):
        lines += reversed(list(sharing(function)))
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
        call = function.call(f"P{function.name}")
        if RECEIVES.fullmatch(function.name):
            yield "  MPI_Status own;"
            yield "  MPI_Status* const known = status == MPI_STATUS_IGNORE ? &own : status;"
            call = call.replace(", status)", ", known)")
        yield f"  const int result = {call};"
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
