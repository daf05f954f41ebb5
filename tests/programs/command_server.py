# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs ``tidings`` in forked copies of one process that has imported its modules.

Most of a short run is the start of Python. A copy has done that already; from there it is the command, with the
arguments, environment, streams and session of its own that a new process would have.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tidings import cli
from tidings.errors import UserError

#: Bytes of a message that only says that descriptors come with it, and of a number.
_MARK = b"!"
_NUMBER_BYTES = 8
#: The commands that copies are asked for.
_COMMANDS = ("run", "cc", "c++", "fc")
#: It imports all modules before it finds that something is wrong.
_WRONG = ("run", "-n", "1", "-m", "crossbar", "/missing")


def run(command: Sequence[str], environment: Mapping[str, str], patience: float) -> subprocess.CompletedProcess[str]:
    """Run ``tidings`` with nothing on standard input.

    Parameters
    ----------
    command
        The path of ``tidings``, and its arguments.
    environment
        All of its environment variables.
    patience
        Seconds after which the command and all processes of its session are killed.

    Raises
    ------
    subprocess.TimeoutExpired
        After that time.
    """
    ours, theirs = socket.socketpair()
    with ours, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with theirs:
            socket.send_fds(_server(), [_MARK], [theirs.fileno(), stdout.fileno(), stderr.fileno()])
        ours.sendall(json.dumps([list(command), dict(environment), str(Path.cwd())]).encode())
        ours.shutdown(socket.SHUT_WR)
        session = _number(ours)
        ours.settimeout(patience)
        try:
            status = _number(ours)
        except TimeoutError:
            os.killpg(session, signal.SIGKILL)
            ours.settimeout(None)
            _number(ours)
            raise subprocess.TimeoutExpired(list(command), patience) from None
        printed = []
        for file in (stdout, stderr):
            file.seek(0)
            printed.append(file.read().decode())
    return subprocess.CompletedProcess(list(command), status, *printed)


@cache
def _server() -> socket.socket:
    """Start the process that is copied; it ends when this process does."""
    ours, theirs = socket.socketpair()
    with theirs:
        subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    return ours


def _number(connection: socket.socket) -> int:
    data = connection.recv(_NUMBER_BYTES, socket.MSG_WAITALL)
    if len(data) != _NUMBER_BYTES:
        raise RuntimeError("the process that runs tidings for the tests has ended; what it says is above")
    return int.from_bytes(data, "little", signed=True)


def _send_number(connection: socket.socket, number: int) -> None:
    connection.sendall(number.to_bytes(_NUMBER_BYTES, "little", signed=True))


def _serve(requests: socket.socket) -> None:
    """Fork a copy per request; return in the copies alone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for the commands
    while True:
        mark, descriptors, _, _ = socket.recv_fds(requests, len(_MARK), 3)
        if not mark:
            sys.exit()
        if os.fork() == 0:
            requests.close()
            _become_command(descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)


def _become_command(descriptors: Sequence[int]) -> None:
    """Fork once more: return as the command in the child, and tell the other end how it ended from here."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=descriptors[0]) as connection:
        command, environment, folder = json.loads(b"".join(iter(lambda: connection.recv(1 << 16), b"")))
        child = os.fork()
        if child:
            _send_number(connection, child)
            _send_number(connection, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            os._exit(0)
    os.setsid()
    for place, descriptor in enumerate(descriptors[1:], start=1):
        os.dup2(descriptor, place)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command


if __name__ == "__main__":
    for name in _COMMANDS:
        cli.command_line([name])
    with suppress(UserError):
        cli.command_line(_WRONG)(_WRONG, standalone_mode=False)
    _serve(socket.socket(fileno=int(sys.argv[1])))
    cli.main()
