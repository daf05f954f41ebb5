# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is known of a program before it runs: whether it can, which MPI it is linked with, and what it will miss."""

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection
from elftools.elf.segments import InterpSegment

from tidings.errors import ProgramMissingError, ProgramNotExecutableError
from tidings.layout import library_folder, rank_library_folder, share_folder

#: The library that programs for the standard ABI ask for.
LIBRARY = "libmpi_abi.so.1"
#: The library that programs for MPICH's ABI ask for: Tidings has one of that name, too.
MPICH_LIBRARY = "libmpi.so.12"
#: It and those beside it, for Fortran and C++, also by the names that Debian gives them.
MPICH_LIBRARIES = frozenset(
    f"lib{name}.so.12" for name in ("mpi", "mpifort", "mpicxx", "mpich", "mpichfort", "mpichcxx")
)
#: Libraries of other MPIs, by the beginnings of their names.
_OTHER_LIBRARIES = {
    "libmpich": "MPICH",
    "libmpicxx": "MPICH",
    "libmpifort": "MPICH",
    "libmpi.so.": "Open MPI",
    "libmpi_": "Open MPI",
}
#: Runtimes of sanitizers, by the beginnings of their names.
_SANITIZERS = ("libasan.so.", "libubsan.so.")
#: What binaries of MPICH may name: the classes of its library for C++, and what its modules for Fortran have.
_CLASSES = re.compile(r"_ZNK?3MPI\d")
_MODULES = re.compile(r"__mpi_\w+_MOD_|mpi_\w+_mp_|p?mpix?r?_\w+_f08(ts)?(_large)?_|MPIR_F08_")
#: The libraries that may have these classes.
_CLASS_LIBRARIES = ("libmpicxx.so.12", "libmpichcxx.so.12")
_COMPILE_AGAIN = "compile it with tidings cc (c++, fc), or after: source <(tidings env)"
#: A line of the dynamic loader about a library: its name, and the file or "not found".
_LOADED = re.compile(r"^\t(?P<name>\S+) => (?P<file>.*?)(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)


def check_program(program: str) -> None:
    """Check that a program can be run here: it exists, can be executed, and has no other MPI in it.

    Raises
    ------
    ProgramMissingError
        If there is none of that name.
    ProgramNotExecutableError
        If it cannot be run; the message says why and what to do.
    """
    path = _found(program)
    binary = _read(path)
    if binary is None:
        return
    if binary.machine != "x64":
        _refuse(program, f"is for another processor ({binary.machine}): compile it for x86-64")
    if binary.loader is None:
        _refuse(program, f"is linked statically, and the library of its rank must be loaded: {_COMPILE_AGAIN}")
    libraries = _libraries(binary.loader, path)
    _check_libraries(program, libraries)
    if MPICH_LIBRARIES.isdisjoint(libraries):
        return
    if _names_classes(binary) and library_of_classes(program) is None:
        _refuse(
            program,
            "uses the classes of C++ that MPI-3.0 has removed: install an MPICH that has them (4.0 of Debian 12), "
            "name the folder of its library in LD_LIBRARY_PATH, or call the functions of C instead",
        )
    if missing := sorted(filter(_MODULES.match, binary.undefined - _in_fortran())):
        _refuse(program, f"uses what is only in MPICH's own modules ({missing[0]}): {_COMPILE_AGAIN}")


def is_for_mpich(program: str) -> bool:
    """Whether a program, or a library that it is linked with, was compiled for MPICH's ABI."""
    path = _found(program)
    binary = _read(path)
    if binary is None or binary.loader is None:
        return False
    return not MPICH_LIBRARIES.isdisjoint(_libraries(binary.loader, path))


def library_of_classes(program: str) -> str | None:
    """Return the user's own library with MPICH's classes of C++, if a program for MPICH's ABI uses these.

    The library of this name that is beside ours is empty. Theirs calls the functions of C, which are ours.
    """
    path = _found(program)
    binary = _read(path)
    if binary is None or binary.loader is None or not _names_classes(binary):
        return None
    ours = rank_library_folder().resolve()
    given = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [folder for folder in given if folder and Path(folder).resolve() != ours]
    libraries = _libraries(binary.loader, path, folders)
    for name in _CLASS_LIBRARIES:
        file = Path(libraries.get(name, "not found"))
        found = _read(file) if file.is_absolute() and file.resolve().parent != ours else None
        if found is not None and set(filter(_CLASSES.match, binary.undefined)) <= found.defined:
            return str(file)
    return None


def missing_functions(program: str) -> list[str]:
    """Return the MPI functions that a program names and the library lacks, in the order of their names.

    A program that never calls them runs all the same.
    """
    binary = _read(_found(program))
    if binary is None:
        return []
    missing = _not_implemented()
    in_fortran = {f"{function.lower()}{end}": function for function in missing for end in ("_", "_f08_")}
    return sorted(
        missing & binary.mpi_functions | {in_fortran[each] for each in binary.mpi_functions & in_fortran.keys()}
    )


def sanitizer_runtimes() -> list[str]:
    """Return the libraries of sanitizers that the libraries of ranks were built with: a rank loads them first."""
    if rank_library_folder() == library_folder():
        return []
    interpreter = _read(Path(sys.executable))
    if interpreter is None or interpreter.loader is None:
        return []
    libraries = _libraries(interpreter.loader, rank_library_folder() / LIBRARY)
    return [file for name, file in libraries.items() if name.startswith(_SANITIZERS)]


@dataclass(frozen=True)
class _Binary:
    """What is of interest in a file that the system can execute by itself."""

    machine: str
    loader: str | None  #: dynamic loader; a static program has none
    undefined: frozenset[str]  #: symbols that it wants from libraries
    defined: frozenset[str]  #: symbols that it has for others

    @property
    def mpi_functions(self) -> set[str]:
        """MPI functions among its symbols, without the profiling prefix."""
        names = {name: name.lower() for name in self.undefined}
        return {name[low.startswith("p") :] for name, low in names.items() if low.startswith(("mpi_", "pmpi_"))}


def _read(path: Path) -> _Binary | None:
    """Read a binary; a script, or a file that is damaged, is left to the system, which says what is wrong."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            undefined: set[str] = set()
            defined: set[str] = set()
            for each in _dynamic_symbols(elf):
                (undefined if each["st_shndx"] == "SHN_UNDEF" else defined).add(each.name)
            return _Binary(elf.get_machine_arch(), _loader(elf), frozenset(undefined), frozenset(defined))
    except (ELFError, OSError, ValueError):
        return None


def _names_classes(binary: _Binary) -> bool:
    return any(map(_CLASSES.match, binary.undefined))


def _found(program: str) -> Path:
    if "/" not in program:
        found = shutil.which(program)
        if found is not None:
            return Path(found)
        advice = f"; did you mean ./{program}?" if Path(program).is_file() else " and not in this folder"
        message = f"program {program!r} is not on PATH{advice}"
        raise ProgramMissingError(message)
    path = Path(program)
    if not path.exists():
        message = f"program {program!r} does not exist"
        raise ProgramMissingError(message)
    if path.is_dir() or not os.access(path, os.X_OK):
        _refuse(program, "is a folder" if path.is_dir() else f"is not executable: chmod +x {program}")
    return path


def _loader(elf: ELFFile) -> str | None:
    for segment in elf.iter_segments():
        if isinstance(segment, InterpSegment):
            return str(segment.get_interp_name())
    return None


def _libraries(loader: str, path: Path, folders: Sequence[str] | None = None) -> dict[str, str]:
    """Return the file of each library that the loader would load, or ``not found``; nothing if the loader fails.

    It looks first into some folders, which are those of a rank unless they are given.
    """
    if folders is None:
        folders = [str(rank_library_folder()), os.environ.get("LD_LIBRARY_PATH", "")]
    listing = {"LD_LIBRARY_PATH": ":".join(filter(None, folders)), "LD_TRACE_LOADED_OBJECTS": "1"}  # as ldd does
    try:
        listed = subprocess.run(
            [loader, path.absolute()], env=os.environ | listing, capture_output=True, text=True, check=False
        )
    except OSError:
        return {}
    return {match["name"]: match["file"] for match in _LOADED.finditer(listed.stdout)}


def _check_libraries(program: str, libraries: dict[str, str]) -> None:
    for name, file in libraries.items():
        if name in MPICH_LIBRARIES:
            _check_folder(program, name, file)
            continue
        other = next((mpi for start, mpi in _OTHER_LIBRARIES.items() if name.startswith(start)), None)
        if other is not None and name != LIBRARY:
            _refuse(program, f"is linked with another MPI, {other} ({name}): {_COMPILE_AGAIN}")
        if file == "not found":
            _refuse(program, f"needs {name}, which is not found: install it, or name its folder in LD_LIBRARY_PATH")


def _check_folder(program: str, name: str, file: str) -> None:
    """Check that a library of MPICH's ABI is ours, which a program can prevent that names a folder by itself."""
    if Path(file).resolve() != (rank_library_folder() / name).resolve():
        _refuse(program, f"loads MPICH itself ({file}), whose folder it names in DT_RPATH: {_COMPILE_AGAIN}")


def _dynamic_symbols(elf: ELFFile) -> Iterator[Symbol]:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection) and section.name == ".dynsym":
            yield from section.iter_symbols()


@cache
def _in_fortran() -> frozenset[str]:
    """Names in the library for programs in Fortran of MPICH's ABI."""
    with (rank_library_folder() / "libmpifort.so.12").open("rb") as file:
        return frozenset(symbol.name for symbol in _dynamic_symbols(ELFFile(file)))


@cache
def _not_implemented() -> frozenset[str]:
    with (share_folder() / "mpi_functions.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(row["function"] for row in csv.DictReader(file) if row["implemented"] == "no")


def _refuse(program: str, reason: str) -> NoReturn:
    message = f"program {program!r} {reason}"
    raise ProgramNotExecutableError(message)
