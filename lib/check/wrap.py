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
    r"MPI_(I[bsr]?send|[BSR]?send_init|Irecv|Recv_init|Imrecv|Isendrecv(_replace)?|File_i(read|write)\w*)(_c)?",
    re.IGNORECASE,
)
#: Accesses to windows, whose buffers are the library's until one of the functions below is called.
ACCESSES = re.compile(r"MPI_(R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap)(_c)?", re.IGNORECASE)
COMPLETES = re.compile(r"MPI_Win_(fence|complete|free|(flush|flush_local|unlock)(_all)?)")
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
#: Functions that come back with a message to receive, and those that receive it.
MATCHES = re.compile(r"MPI_(Im|M)probe")
MATCHED = re.compile(r"MPI_(Im|M)recv(_c)?")
#: Halves of a partitioned message.
PARTITIONED = re.compile(r"MPI_P(send|recv)_init")
#: Collectives whose members have the same elements.
SHARES = re.compile(
    r"MPI_I?(bcast|gather|scatter|allgather|alltoall|(all)?reduce|(ex)?scan|reduce_scatter(_block)?)(_init)?(_c)?",
    re.IGNORECASE,
)
#: Collectives without elements.
BARRIERS = re.compile(r"MPI_I?barrier(_init)?", re.IGNORECASE)
#: Collectives in which each pair of members has elements of its own.
PAIRS = re.compile(r"MPI_I?((all)?gatherv|scatterv|alltoall[vw])(_init)?(_c)?", re.IGNORECASE)
#: Collectives in which each rank has elements for its neighbours in a topology.
NEIGHBOURS = re.compile(r"MPI_I?neighbor_(allgatherv?|alltoall[vw]?)(_init)?(_c)?", re.IGNORECASE)
#: Functions whose requests belong to one message.
MESSAGES = re.compile(r"MPI_(I[bsr]?send|[BSR]?send_init|Irecv|Recv_init)(_c)?", re.IGNORECASE)

#: Types of handles that a program has to give back: those that checker.h knows.
HANDLES = re.findall(r"kKindOf<(MPI_\w+)>\{", Path(__file__).with_name("checker.h").read_text(encoding="utf-8"))
BROADCAST = re.compile(r"MPI_(Ibcast|Bcast(_init)?)(_c)?")
DEFINITION = re.compile(r"^int (?P<name>MPI_\w+)\(", re.MULTILINE)


def handles(function: Function) -> list[Parameter]:
    """Return the parameters through which a function gives a handle, or takes one back."""
    types = {f"{handle} *" for handle in HANDLES}
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
    if ACCESSES.fullmatch(function.name):
        return accessed_regions(function)
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


def accessed_regions(function: Function) -> str:
    """Return the buffers of an access to a window, which nobody uses if there is no target."""
    names = [each.name for each in function.parameters]
    made = "Regions()"
    for at, parameter in enumerate(function.parameters):
        if parameter.type not in ("const void *", "void *"):
            continue
        does = "reads" if parameter.type.startswith("const") else "writes"
        unused = "target_rank == MPI_PROC_NULL"
        if does == "reads" and "op" in names and "result_addr" in names:
            unused += " || op == MPI_NO_OP"
        count, datatype = names[at + 1 : at + 3] if names[at + 1].endswith("_count") else ("1", "datatype")
        made += f".{does}({names[at]}, {unused} ? 0 : {count}, {datatype})"
    return made


def accessed_elements(function: Function) -> Iterator[str]:
    """Yield what the checker is told of the elements that an access names on both sides."""
    names = [each.name for each in function.parameters]
    if "target_count" not in names:
        return
    unused = {"origin": "op == MPI_NO_OP"} if "result_count" in names else {}
    for side in ("origin", "result"):
        if f"{side}_count" not in names:
            continue
        told = (
            f'accessed_elements(site, "{side}", Elements{{{side}_count, {side}_datatype}}, '
            "Elements{target_count, target_datatype});"
        )
        yield f"if (!({unused[side]})) {told}" if side in unused else told


def site(function: Function) -> str:
    """Return where a call comes from, and what is known of it."""
    names = {each.name for each in function.parameters}
    made = f'Site("{function.name.removesuffix("_c")}", __builtin_return_address(0))'
    if "target_rank" in names:
        made += ".at(target_rank)"
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


def family(function: Function) -> str:
    """Return the name of a collective, whatever its way."""
    name = re.sub(r"(_init)?(_c)?$", "", function.name.removeprefix("MPI_"))
    return re.sub("^I", "", name).lower()


def shared_elements(function: Function) -> list[str]:
    """Return counts and datatypes that all members of a collective must name alike."""
    at_root = "is_root(root, comm) ? {} : {}"
    in_place = "sendbuf == MPI_IN_PLACE ? {} : {}"
    match family(function):
        case "gather":
            return [f"{at_root.format('recvcount', 'sendcount')}, {at_root.format('recvtype', 'sendtype')}"]
        case "scatter":
            return [f"{at_root.format('sendcount', 'recvcount')}, {at_root.format('sendtype', 'recvtype')}"]
        case "allgather" | "alltoall":
            sent = f"{in_place.format('recvcount', 'sendcount')}, {in_place.format('recvtype', 'sendtype')}"
            return [sent, "recvcount, recvtype"]
        case "reduce_scatter":
            return ["recvcounts, datatype"]
        case "reduce_scatter_block":
            return ["recvcount, datatype"]
        case _:
            return ["count, datatype"]


def beginning(function: Function) -> list[str]:
    """Return what the checker is told of a collective before the library looks at its arguments."""
    if not any(each.fullmatch(function.name) for each in (SHARES, PAIRS, BARRIERS)):
        return []
    shared = shared_elements(function) if SHARES.fullmatch(function.name) else []
    if family(function) == "allgatherv":
        shared = ["recvcounts, recvtype"]  # each member may have a datatype of its own, but no other total
    elements = [
        f"all_blocks({each}, comm)" if each.startswith("recvcounts") else f"Elements{{{each}}}" for each in shared
    ]
    root = "root" if Parameter("int", "root", "") in function.parameters else "std::nullopt"
    return [f"if (comparable(comm)) begins(site, {root}, {{{', '.join(elements)}}});"]


def exchanging(function: Function) -> Iterator[str]:
    """Yield what the checker is told of a collective: what each member gets from this one, and gives to it."""
    given, expected = "sendcounts[i], sendtype", "recvcounts[i], recvtype"
    gives = expects = ""  # if not always
    in_place = "sendbuf == MPI_IN_PLACE"
    match family(function):
        case "gatherv":
            given = "sendcount, sendtype"
            gives = f"i == root && {in_place.replace('==', '!=')}"
            expects = f"is_root(root, comm) && (i != root || {gives.partition(' && ')[2]})"
        case "scatterv":
            expected = "recvcount, recvtype"
            expects = "i == root && recvbuf != MPI_IN_PLACE"
            gives = "is_root(root, comm) && (i != root || recvbuf != MPI_IN_PLACE)"
        case "allgatherv":
            own = "recvcounts[rank_in(comm)]"
            given = f"{in_place} ? {own} : sendcount, {in_place} ? recvtype : sendtype"
        case "alltoallw":
            given = f"{in_place} ? recvcounts[i] : sendcounts[i], {in_place} ? recvtypes[i] : sendtypes[i]"
            expected = "recvcounts[i], recvtypes[i]"
        case _:
            given = f"{in_place} ? recvcounts[i] : sendcounts[i], {in_place} ? recvtype : sendtype"
    made = [
        f"[&]([[maybe_unused]] int i) {{ return {when + ' ? ' if when else ''}Elements{{{what}}}"
        f"{' : Elements{}' if when else ''}; }}"
        for when, what in ((gives, given), (expects, expected))
    ]
    yield f"exchanged(site, {', '.join(made)});"


def exchanging_between(function: Function) -> str | None:
    """Return what the checker is told of a collective between two groups, as for one in which pairs have elements."""
    names = {each.name for each in function.parameters}

    def elements(side: str) -> str:
        values = [f"{side}{what}s[i]" if f"{side}{what}s" in names else f"{side}{what}" for what in ("count", "type")]
        return f"Elements{{{', '.join(values)}}}"

    at_root, to_root = "root == MPI_ROOT", "i == root"  # that is no rank but in the group that has not the root
    same = "Elements{count, datatype}"
    match family(function):
        case "bcast":
            sides = (at_root, same), (to_root, same)
        case "reduce":
            sides = (to_root, same), (at_root, same)
        case "gather" | "gatherv":
            sides = (to_root, elements("send")), (at_root, elements("recv"))
        case "scatter" | "scatterv":
            sides = (at_root, elements("send")), (to_root, elements("recv"))
        case "allgather" | "allgatherv" | "alltoall" | "alltoallv" | "alltoallw":
            sides = ("true", elements("send")), ("true", elements("recv"))
        case "allreduce" | "reduce_scatter" | "reduce_scatter_block":
            whole = {
                "allreduce": same,
                "reduce_scatter": "Elements{sum(recvcounts, own_members_of(comm)), datatype}",
                "reduce_scatter_block": "Elements{MPI_Count{recvcount} * own_members_of(comm), datatype}",
            }[family(function)]
            sides = ("i == 0", whole), ("rank_in(comm) == 0", whole)
        case _:  # there is none between groups
            return None
    made = [f"[&]([[maybe_unused]] int i) {{ return {when} ? {what} : Elements{{}}; }}" for when, what in sides]
    return f"exchanged(site, {', '.join(made)});"


def exchanging_near(function: Function) -> str:
    """Return what the checker is told of a collective of neighbours: what each gets, and what each gives."""
    names = {each.name for each in function.parameters}
    sides = []
    for side in ("send", "recv"):
        values = [f"{side}{what}s[i]" if f"{side}{what}s" in names else f"{side}{what}" for what in ("count", "type")]
        sides.append(f"[&]([[maybe_unused]] int i) {{ return Elements{{{', '.join(values)}}}; }}")
    return f"exchanged_near(site, {', '.join(sides)});"


def told(function: Function) -> list[str]:
    """Return what the checker is told of a call that has succeeded."""
    lines = []
    if FREES.fullmatch(function.name):
        lines += [f"freed({each.name}_before);" for each in handles(function)]
    elif not MAKES_NOTHING.fullmatch(function.name):
        lines += [f"created(*{each.name}, site);" for each in handles(function)]
    if ACCESSES.fullmatch(function.name):
        lines += accessed_elements(function)
    made = request(function)
    if made is not None and not MAKES_NOTHING.fullmatch(function.name):
        persistent = "true" if re.search("_init(_c)?$", function.name) else "false"
        if ACCESSES.fullmatch(function.name):
            lines.append(f"accessed(site, win, *{made}, {regions(function)});")
        else:
            lines.append(f"requested(site, *{made}, {persistent}, {regions(function)});")
    elif ACCESSES.fullmatch(function.name):
        lines.append(f"accessed(site, win, MPI_REQUEST_NULL, {regions(function)});")
    if USES.fullmatch(function.name):
        lines.append(f"if (any_in_use()) used(site, {regions(function)});")
    if EXCHANGES.fullmatch(function.name):
        lines.append(f"receiving(*request, {receiving(function)});")
    if SENDS.fullmatch(function.name):
        lines.append("sent(site);")
    if RECEIVES.fullmatch(function.name):
        known = f"received({receiving(function)}, *known);"
        if MATCHES.fullmatch(function.name):
            known = f"matched({receiving(function)}, *message, *known);"
        lines.append(f"if (*flag != 0) {known}" if "improbe" in function.name.lower() else known)
    if MATCHED.fullmatch(function.name):
        lines.append(f"received(Site(site){carrying(function, ('count',))}, message_before);")
    if PARTITIONED.fullmatch(function.name):
        # The header calls the peer of a receive its destination, too.
        peer = "to" if "Psend" in function.name else "from"
        lines.append(f"partitioned(Site(site).{peer}(dest, tag).carrying(partitions * count, datatype));")
    return lines


def told_of_collective(function: Function) -> list[str]:
    """Return what the checker is told of a collective in which this rank has taken part."""
    if NEIGHBOURS.fullmatch(function.name):
        return [exchanging_near(function)]
    shared = shared_elements(function) if SHARES.fullmatch(function.name) else []
    within = [f"shared(Site(site).carrying({each}));" for each in shared]
    within += exchanging(function) if PAIRS.fullmatch(function.name) else []
    between = exchanging_between(function) if within else None
    if not within:
        return []
    made = ["if (in_one_group(comm)) {", *(f"  {line}" for line in within)]
    return [*made, *([] if between is None else ["} else {", f"  {between}"]), "}"]


def wrappers(functions: list[Function], by_hand: set[str]) -> Iterator[str]:
    """Yield the definitions."""
    for function in functions:
        lines = told(function)
        begins = beginning(function)
        collective = told_of_collective(function)
        completes = COMPLETES.fullmatch(function.name)
        if not (lines or begins or collective or completes) or function.name in by_hand:
            continue
        if not function.has_twin:
            yield f'extern "C" {function.declare("P")};'
        yield f"{function.declare('')} {{"
        if completes or any("site" in line for line in lines + begins + collective):
            yield f"  const Site site = {site(function)};"
        if FREES.fullmatch(function.name):
            for each in handles(function):
                yield f"  const {each.type.removesuffix(' *')} {each.name}_before = *{each.name};"
        if completes:
            target = "rank" if any(each.name == "rank" for each in function.parameters) else "MPI_ANY_SOURCE"
            yield "  {"
            yield "    const Lock lock;"
            yield f"    completing(site, {'*win' if FREES.fullmatch(function.name) else 'win'}, {target});"
            yield "  }"
        if begins:
            yield "  {"
            yield "    const Lock lock;"
            yield from (f"    {line}" for line in begins)
            yield "  }"
        call = function.call(f"P{function.name}")
        if RECEIVES.fullmatch(function.name):
            yield "  MPI_Status own;"
            yield "  MPI_Status* const known = status == MPI_STATUS_IGNORE ? &own : status;"
            call = call.replace(", status)", ", known)")
        yield f"  const int result = {call};"
        if lines:
            yield "  if (result == MPI_SUCCESS) {"
            yield "    const Lock lock;"
            yield from (f"    {line}" for line in lines)
            yield "  }"
        if collective:
            yield "  if (took_part(result)) {"
            yield "    const Lock lock;"
            yield from (f"    {line}" for line in collective)
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
