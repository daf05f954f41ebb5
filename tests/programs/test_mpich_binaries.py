# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A binary that MPICH's compiler wrapper has made for MPICH's own ABI runs on a machine, and prints the same."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.programs import harness

from tidings.layout import include_folder, library_folder

_RANKS = 4
#: Programs whose arguments differ in the two ABIs: constants, callbacks, statuses, arrays of handles, windows.
_PROGRAMS = (
    "alltoall",
    "attributes",
    "buffered_sends",
    "cancelled_receives",
    "comm_group",
    "comm_idup",
    "elements",
    "error_codes",
    "error_handler",
    "errors_return",
    "file_pointers",
    "files",
    "generalized_requests",
    "group_arithmetic",
    "in_place",
    "intercomm_collectives",
    "matched_probe",
    "memory",
    "minloc_maxloc",
    "names",
    "neighbourhoods",
    "nonblocking_collectives",
    "partitioned",
    "persistent_messages",
    "probe",
    "proc_null",
    "random_traffic",
    "request_status",
    "send_modes",
    "session_communicators",
    "test_polling",
    "tool_variables",
    "topologies",
    "type_constructors",
    "type_contents",
    "user_operations",
    "waitany",
    "window_lock",
    "window_objects",
    "window_post_start",
    "with_info",
)


#: Programs that print a constant, or what depends on one: they are compared with themselves under MPICH.
_PRINTS_CONSTANTS = {"buffered_sends", "error_codes", "type_contents"}


@pytest.mark.parametrize("program", _PROGRAMS)
def test_program_prints_the_same(program: str) -> None:
    source = harness.source_of(program)
    binary = harness.build(source, compiler=("mpicc",))
    expected = harness.run_mpich(binary if program in _PRINTS_CONSTANTS else harness.build(source), _RANKS)
    outcome = harness.run_tidings([binary], _RANKS, harness.MACHINES[_PROGRAMS.index(program) % len(harness.MACHINES)])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


#: MPICH's library still has what MPI-3.0 removed, and its header has not: old binaries call it.
_REMOVED = """
#include <mpi.h>
typedef MPI_Comm_errhandler_function MPI_Handler_function;
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* places, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types, MPI_Datatype* made);
"""


def test_names_that_were_removed_do_the_same_in_an_old_binary(tmp_path: Path) -> None:
    header = tmp_path / "removed.h"
    header.write_text(_REMOVED)
    source = harness.source_of("removed_names")
    expected = harness.run_mpich(harness.build(source), _RANKS)
    outcome = harness.run_tidings([harness.build(source, ("-include", str(header)), ("mpicc",))], _RANKS)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


_PROFILED = """
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}
int main(void) {
  int rank, value = 7;
  MPI_Status status;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    printf("from %d, tag %d\\n", status.MPI_SOURCE, status.MPI_TAG);
  }
  if (rank == 0) printf("%d calls\\n", sends);
  return MPI_Finalize();
}
"""


def test_tool_stands_between_a_binary_and_the_library(tmp_path: Path) -> None:
    (tmp_path / "profiled.c").write_text(_PROFILED)
    outcome = harness.run_tidings([harness.build(tmp_path / "profiled.c", compiler=("mpicc",))], 2)
    assert outcome.status == 0, outcome.stderr
    assert sorted(outcome.stdout.splitlines()) == ["1 calls", "from 0, tag 3"]


def test_binary_with_the_address_sanitizer_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASAN_OPTIONS", "alloc_dealloc_mismatch=0:detect_leaks=0")
    source = tmp_path / "sanitized.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char** argv) {\n"
        "  char* const data = malloc(8);\n  MPI_Init(&argc, &argv);\n  data[argc] = 1;\n"
        "  MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD);\n  data[7 * argc] = 1;\n  free(data);\n"
        "  return MPI_Finalize();\n}\n"
    )
    binary = harness.build(source, ["-g", "-fsanitize=address"], ("mpicc",))
    assert harness.run_tidings([binary], 2).status == 0
    wrong = harness.run_tidings([binary, "more"], 2)
    assert wrong.status == 1
    assert "heap-buffer-overflow" in wrong.stderr
    assert "sanitized.c:8" in wrong.stderr


# ---------------------------------------------------------------- Fortran, and C++

_FORTRAN = harness.HERE / "fortran"
_HEADER = Path(sys.executable).parents[1] / "include" / "mpi.h"
#: MPICH's common blocks, by the constants that they hold in this order; each of ours holds one.
_BLOCKS = {
    "mpipriv1": ("MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE"),
    "mpipriv2": ("MPI_STATUSES_IGNORE", "MPI_ERRCODES_IGNORE"),
    "mpiprivc": ("MPI_ARGVS_NULL", "MPI_ARGV_NULL"),
    "mpifcmb5": ("MPI_UNWEIGHTED",),
    "mpifcmb9": ("MPI_WEIGHTS_EMPTY",),
    "mpifcmba": ("MPI_BUFFER_AUTOMATIC",),
}
#: Fields of a status in MPICH, counted from one.
_STATUS = {"MPI_STATUS_SIZE": 5, "MPI_SOURCE": 3, "MPI_TAG": 4, "MPI_ERROR": 5}

needs_fortran = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler: install gfortran")


@pytest.fixture
def mpich_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write MPICH's mpif.h, which the package of its library has not, and return its folder.

    It is ours with the constants of MPICH's header for C. MPICH counts predefined keyvals from one in Fortran.
    """
    for folder in ("mpi", "fortran", "mpich_abi"):
        monkeypatch.syspath_prepend(str(harness.ROOT / "lib" / folder))
    face = importlib.import_module("face")
    values = {name: face.signed(each.value) for name, each in face.constants(_HEADER.read_text()).items()}
    keyvals = {name for name in values if re.fullmatch(face.KINDS["Keyval"], name)} - {"MPI_KEYVAL_INVALID"}

    def value(match: re.Match[str]) -> str:
        name = match["name"]
        less = -1 if name.startswith("MPI_MAX_") else 1 if name in keyvals else 0
        return f"({name}={_STATUS.get(name, values[name] + less if name in values else match['value'])})"

    text = (include_folder() / "mpif.h").read_text()
    text = re.sub(r"\((?P<name>MPI_\w+)=(?P<value>[^)]*)\)", value, text)
    text = re.sub(r" +COMMON .*\n", "", text)
    text += "".join(f"      COMMON /{block}/ {', '.join(names)}\n" for block, names in _BLOCKS.items())
    made = tmp_path / "mpich"
    made.mkdir()
    (made / "mpif.h").write_text(text)
    return made


def _fortran(source: Path, header: Path, libraries: tuple[str, ...], binary: Path) -> Path:
    """Compile a program as MPICH's wrapper does, which says nothing of where the libraries are."""
    flags = ["-O1", "-g", "-w", "-fallow-argument-mismatch", f"-I{header}", f"-L{library_folder()}"]
    shared = binary.parent / "say.f90"
    text = (_FORTRAN / "say.f90").read_text()
    shared.write_text(re.sub(r"use mpi\n( *implicit none\n)", r"\1  include 'mpif.h'\n", text))
    sources = [str(shared), str(source)]
    linked = [f"-l:{name}" for name in libraries]
    linking = [f"-Wl,--no-as-needed,--copy-dt-needed-entries,-rpath-link,{library_folder()}", *linked]
    command = ["gfortran", *flags, *sources, *linking, "-o", str(binary)]
    subprocess.run(command, check=True, timeout=harness.PATIENCE_SECONDS, cwd=binary.parent)
    return binary


@needs_fortran
@pytest.mark.parametrize("program", sorted(path.stem for path in _FORTRAN.glob("*_mpif.f")))
def test_program_in_fortran_prints_what_is_recorded(program: str, mpich_header: Path, tmp_path: Path) -> None:
    debian = program.startswith("c")  # which gives the libraries other names
    libraries = ("libmpichfort.so.12", "libmpich.so.12") if debian else ("libmpifort.so.12", "libmpi.so.12")
    binary = _fortran(_FORTRAN / f"{program}.f", mpich_header, libraries, tmp_path / program)
    for machine in ("spirit", "mesh8x8"):
        outcome = harness.run_tidings([binary, str(tmp_path / "file")], _RANKS, machine)
        assert outcome.status == 0, outcome.stderr
        assert outcome.stdout == (_FORTRAN / f"{program}.out").read_text()


@needs_fortran
def test_mistake_of_a_program_in_fortran_is_shown_with_its_line(mpich_header: Path, tmp_path: Path) -> None:
    source = tmp_path / "leak.f"
    lines = [
        *("program leak", "include 'mpif.h'", "integer copy, ierror", "call MPI_Init(ierror)"),
        *("call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)", "call MPI_Finalize(ierror)", "end"),
    ]
    source.write_text("".join(f"      {line}\n" for line in lines))
    binary = _fortran(source, mpich_header, ("libmpifort.so.12", "libmpi.so.12"), tmp_path / "leak")
    outcome = harness.run_tidings([binary], 1, options=["--check", "warn"])
    assert "MPI_Comm_dup at leak.f:5: the communicator is never freed" in outcome.stderr


def _unpacked(package: str, name: str) -> Path:
    """Return the folder of a package of Debian and Ubuntu, which is unpacked, and not installed."""
    made = harness.BUILD / name
    if not made.exists():
        scratch = made.with_suffix(".new")
        scratch.mkdir(parents=True, exist_ok=True)
        if shutil.which("apt-get") is None:
            pytest.skip(f"no apt-get, which has the package {package}")
        fetched = subprocess.run(["apt-get", "download", package], cwd=scratch, check=False)
        if fetched.returncode != 0:
            pytest.skip(f"the package {package} cannot be fetched: apt-get update")
        subprocess.run(["dpkg", "-x", *scratch.glob("*.deb"), "."], cwd=scratch, check=True)
        scratch.rename(made)
    return made


@pytest.fixture(scope="session")
def mpich_modules() -> Path:
    """Return the folder of MPICH's module mpi_f08. Programs here load our libraries."""
    return next(_unpacked("libmpich-dev", "mpich-modules").rglob("mpich/mpi_f08.mod")).parent


@pytest.fixture(scope="session")
def mpich_classes() -> tuple[Path, Path]:
    """Return the folders of the header and of the library with MPICH's classes of C++, if it has them."""
    header = next(_unpacked("libmpich-dev", "mpich-modules").rglob("mpicxx.h"), None)
    library = next(_unpacked("libmpich12", "mpich-libraries").rglob("libmpichcxx.so.12"), None)
    if header is None or library is None:
        pytest.skip("this system's MPICH has no classes of C++")
    return header.parent, library.parent


def _modern(program: str, modules: Path, tmp_path: Path) -> Path:
    """Compile a program with module mpi_f08 as MPICH's wrapper of Debian does."""
    binary = tmp_path / program
    flags = ["-O1", "-g", "-w", "-fallow-argument-mismatch", f"-I{modules}", f"-J{tmp_path}"]
    sources = [str(_FORTRAN / "say.f90"), str(_FORTRAN / f"{program}.f90")]
    linking = [f"-L{library_folder()}", "-l:libmpichfort.so.12", "-l:libmpich.so.12"]
    loading = f"-Wl,--no-as-needed,--copy-dt-needed-entries,-rpath-link,{library_folder()}"
    subprocess.run(["gfortran", *flags, *sources, loading, *linking, "-o", binary], check=True, timeout=120)
    return binary


#: Programs that MPICH 4.0 of Debian 12 can compile.
_MODERN = (
    *(f"{name}_f08" for name in ("attributes", "collectives", "derived", "files", "heat", "operations", "partitioned")),
    *(f"{name}_f08" for name in ("requests", "topologies", "transpose", "windows")),
    "sections",
)


@needs_fortran
@pytest.mark.parametrize("program", _MODERN)
def test_program_with_module_mpi_f08_prints_what_is_recorded(program: str, mpich_modules: Path, tmp_path: Path) -> None:
    binary = _modern(program, mpich_modules, tmp_path)
    machine = harness.MACHINES[_MODERN.index(program) % len(harness.MACHINES)]
    outcome = harness.run_tidings([binary, str(tmp_path / "file")], _RANKS, machine)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == (_FORTRAN / f"{program}.out").read_text()


@needs_fortran
@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("MPI_Ireduce(x(::2), y, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request)", "MPI_Ireduce"),
        ("MPI_Isend(x(::2), 5, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request)", "MPI_Isend"),
        ("MPI_Win_create(x(::2), 12_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)", "MPI_Win_create"),
    ],
)
def test_section_that_no_datatype_describes_is_refused(
    call: str, refused: str, mpich_modules: Path, tmp_path: Path
) -> None:
    source = tmp_path / "refused.f90"
    source.write_text(
        "use mpi_f08\ninteger :: x(6) = 1, y(6) = 2\ntype(MPI_Request) :: request\ntype(MPI_Win) :: window\n"
        f"call MPI_Init()\ncall {call}\nend\n"
    )
    outcome = harness.run_tidings([_modern(str(source.with_suffix("")), mpich_modules, tmp_path)], 1)
    assert outcome.status == 1
    assert f"{refused}: a section of an array that is not contiguous has no datatype here" in outcome.stderr


def test_all_names_of_module_mpi_f08_are_there(mpich_modules: Path) -> None:
    symbols = subprocess.run(
        ["nm", "--defined-only", "-D", library_folder() / "libmpifort.so.12"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    ours = {line.split()[-1] for line in symbols.splitlines()}
    archive = next(mpich_modules.parents[3].rglob("libmpichfort.a"))
    listed = subprocess.run(["nm", "--defined-only", "-A", archive], check=True, capture_output=True, text=True).stdout
    theirs = {line.split()[-1] for line in listed.splitlines() if "_f08" in line}
    # Its own extensions, those by their later names, and what converts between it and C, which it alone calls.
    extensions = r"p?mpi(x|xr|r)?_(comm_(agree|failure|revoke|shrink)|\w+_support|delete_error_)\w+"
    beside = rf"{extensions}|__mpi_f08_types_MOD_(\w+_(c2f|f2c)|mpi_status_\w+_assign_\w+)|\w+_MOD___\w+"
    procedures = {name for name in theirs if re.fullmatch(r"p?mpir?_\w+_f08(ts)?(_large)?_|__mpi_f08_\w+", name)}
    assert len(procedures) > 900
    left = {name for name in procedures - ours if not re.fullmatch(beside, name)}
    assert {name for name in left if "compile_constants" not in name} == set()


@pytest.mark.parametrize("name", ["libmpicxx.so.12", "libmpichcxx.so.12"])
def test_program_that_is_linked_with_the_library_of_classes_runs(name: str) -> None:
    flags = ["-Wl,--no-as-needed", f"-L{library_folder()}", f"-l:{name}", f"-Wl,-rpath-link,{library_folder()}"]
    source = harness.source_of("ring")
    outcome = harness.run_tidings([harness.build(source, flags, ("mpicc",))], _RANKS)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == harness.run_mpich(harness.build(source), _RANKS).stdout


def _with_classes(header: Path, library: Path, flags: tuple[str, ...], binary: Path) -> Path:
    """Compile the program with classes of C++ as MPICH's wrapper of Debian does."""
    linking = [f"-L{library}", "-l:libmpichcxx.so.12", "-l:libmpich.so.12", "-Wl,--allow-shlib-undefined", *flags]
    source = harness.HERE / "classes" / "classes.cpp"
    subprocess.run(["g++", "-O1", "-w", f"-I{header}", source, *linking, "-o", binary], check=True, timeout=120)
    return binary


@pytest.mark.parametrize(("where", "machine"), [("environment", "spirit"), ("binary", "mesh8x8")])
def test_program_with_classes_of_cpp_prints_what_is_recorded(
    where: str, machine: str, mpich_classes: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, library = mpich_classes
    flags = (f"-Wl,--enable-new-dtags,-rpath,{library}",) if where == "binary" else ()
    binary = _with_classes(header, library, flags, tmp_path / "classes")
    if where == "environment":
        refused = harness.run_tidings([binary], _RANKS, machine)
        assert refused.status == 126
        assert "name the folder of its library in LD_LIBRARY_PATH" in refused.stderr
        monkeypatch.setenv("LD_LIBRARY_PATH", str(library))
    outcome = harness.run_tidings([binary], _RANKS, machine, options=["--check", "warn"])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == (harness.HERE / "classes" / "classes.out").read_text()
    assert "never freed" not in outcome.stderr


def test_program_with_classes_of_cpp_and_one_of_another_abi_are_refused(
    mpich_classes: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, library = mpich_classes
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library))
    binary = _with_classes(header, library, (), tmp_path / "classes")
    outcome = harness.run_tidings([binary, ":", "-n", "1", harness.build(harness.source_of("ring"))], 1)
    assert outcome.status != 0
    assert "runs with none of another ABI" in outcome.stderr


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [
        ("_ZN3MPI4InitERiRPPc", "uses the classes of C++ that MPI-3.0 has removed"),
        ("mpi_greet_f08ts_", "is only in MPICH's own modules (mpi_greet_f08ts_): compile it with tidings"),
    ],
)
def test_program_that_needs_what_these_libraries_lack_is_refused(symbol: str, reason: str, tmp_path: Path) -> None:
    library, source = tmp_path / "libmpifort.so.12", tmp_path / "lacking.c"
    named = f'void lacking(void) __asm__("{symbol}");\n'
    source.write_text(f"{named}void lacking(void) {{}}\n")
    making = ["-shared", "-fPIC", f"-Wl,-soname,{library.name}", str(source), "-o", str(library)]
    subprocess.run(["cc", *making], check=True)
    source.write_text(f"#include <mpi.h>\n{named}int main(void) {{\n  lacking();\n  return MPI_Init(0, 0);\n}}\n")
    outcome = harness.run_tidings([harness.build(source, [str(library)], ("mpicc",))], 1)
    assert outcome.status == 126
    assert reason in outcome.stderr
