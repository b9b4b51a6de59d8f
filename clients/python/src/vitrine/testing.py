"""A virtual device for the tests of other projects, started from a checkout of Vitrine. On Linux."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ._device import Device, connect
from ._errors import VitrineError

#: With a build of the image from nothing, in s.
START_S = 1800.0
#: Longer than `npm start` gives the device to power itself off, in s.
STOP_S = 80.0
POLL_S = 0.1
#: Of the output of `npm start`, kept for an error.
TAIL_BYTES = 4000


class VirtError(VitrineError):
    """The virtual device did not start. The message has the end of what `npm start` has printed."""


@dataclass
class Virt:
    """A running virtual device."""

    #: Connected over the network.
    device: Device
    #: All of its addresses: the ready file of `npm start`.
    ready: dict[str, Any]


@contextmanager
def start_virt(
    project: str | os.PathLike[str] | None = None, *, container: bool = True, timeout: float = START_S,
    on_progress: Callable[[str], None] | None = None,
) -> Iterator[Virt]:
    """
    A virtual device as it comes from the factory, in a container or in QEMU; any number may run side by side. It is powered
    down and erased at the end, also when this process is killed. `project` is a checkout of Vitrine (default:
    `$VITRINE_PROJECT`), `timeout` includes building the image, and `on_progress` gets each line of `npm start`.
    """
    folder = _project(project)
    name = f"virt-{os.getpid()}-{secrets.token_hex(3)}"
    ready_file = Path(tempfile.gettempdir(), f"vitrine-{name}-{secrets.token_hex(6)}.json")
    # Its end of the channel closes when this process ends, even by SIGKILL: it powers the device down then.
    ours, theirs = socket.socketpair()
    # Not a pipe, which would end with this process, before `npm start` has powered down.
    with tempfile.TemporaryFile() as log, ours:
        with theirs:
            # npm is left out, since it ends before what it has started.
            process = subprocess.Popen(
                ["node", "ci/run.mjs", "start", *(["--container"] if container else []), "--headless", "--discard",
                 "--port", "0", "--ready-json", str(ready_file), "--name", name],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                pass_fds=[theirs.fileno()], env={**os.environ, "NODE_CHANNEL_FD": str(theirs.fileno())},
            )
        try:
            ready = _wait_for_ready(process, ready_file, log, timeout, on_progress)
            with connect(ready["api"].removesuffix("/api/v1")) as device:
                yield Virt(device, ready)
        finally:
            _stop(process)
            ready_file.unlink(missing_ok=True)


def _project(given: str | os.PathLike[str] | None) -> Path:
    name = given or os.environ.get("VITRINE_PROJECT")
    if not name:
        raise VirtError("name a checkout of Vitrine: the argument project, or $VITRINE_PROJECT")
    folder = Path(name).resolve()
    if not (folder / "ci" / "run.mjs").exists():
        raise VirtError(f"{folder} is no checkout of Vitrine")
    return folder


def _wait_for_ready(
    process: subprocess.Popen[bytes], ready_file: Path, log: IO[bytes], timeout: float,
    on_progress: Callable[[str], None] | None,
) -> dict[str, Any]:
    end = time.monotonic() + timeout
    at, part = 0, b""
    while True:
        is_late, has_ended = time.monotonic() > end, process.poll() is not None
        # The position of the file belongs to the other process, too.
        while block := os.pread(log.fileno(), 65536, at):
            at += len(block)
            *lines, part = (part + block).split(b"\n")
            for line in lines:
                if on_progress:
                    on_progress(line.decode(errors="replace"))
        if ready_file.exists():
            ready: dict[str, Any] = json.loads(ready_file.read_text(encoding="utf-8"))
            return ready
        if has_ended or is_late:
            tail = os.pread(log.fileno(), TAIL_BYTES, max(0, at - TAIL_BYTES)).decode(errors="replace").strip()
            if has_ended:
                raise VirtError(f"the virtual device did not start:\n{tail}")
            raise VirtError(f"the virtual device was not ready within {timeout:g} s; the last of its output:\n{tail}")
        time.sleep(POLL_S)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
