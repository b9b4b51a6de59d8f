"""Why a serial port cannot be used: who has it open, and what to do."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

from ._errors import PortError

#: Where programs of old write their number (FHS 3.0, 5.9): minicom, picocom.
LOCK_FOLDERS = (Path("/run/lock"), Path("/var/lock"))
#: systemd's file of the running service. An ordinary user cannot see what it has open.
MODEM_MANAGER = Path("/run/systemd/units/invocation:ModemManager.service")
#: Time limit for the search, in s: what is found until then counts. It takes a fraction of a second.
SEARCH_S = 3.0

Holder = tuple[str, int]


def holders_of(path: str) -> list[Holder]:
    """Name and process of the programs that have a tty open, as far as this user may see that, or that have locked it."""
    if sys.platform != "linux" or not os.path.exists(path):
        return []
    tty = os.path.realpath(path)
    pids = set(_lockers_of([os.path.basename(tty), os.path.basename(path)]))
    end = time.monotonic() + SEARCH_S
    for process in Path("/proc").iterdir():
        if time.monotonic() > end:
            break
        if process.name.isdigit() and int(process.name) not in pids and _has_open(process, tty):
            pids.add(int(process.name))
    return [(_name_of(pid), pid) for pid in sorted(pids)]


def others_of(path: str) -> list[Holder]:
    """The same without this process."""
    return [(name, pid) for name, pid in holders_of(path) if pid != os.getpid()]


def busy(path: str, holders: list[Holder]) -> PortError:
    """The error of a port in use."""
    others = [(name, pid) for name, pid in holders if pid != os.getpid()]
    if others:
        who = f"another program has it open: {_listed(others)}. End it, or wait until it has closed the port"
    elif holders:
        who = "this program has it open already"
    else:
        who = "another program has it open"
    is_probed = any(name == "ModemManager" for name, _ in others) or (not holders and MODEM_MANAGER.exists())
    hint = (
        '. ModemManager looks for modems at new ports for some seconds; the udev rule ATTRS{idVendor}=="1d6b", '
        'ATTRS{idProduct}=="0104", ENV{ID_MM_DEVICE_IGNORE}="1" keeps it away'
        if is_probed
        else ""
    )
    return PortError("busy", f"{path} cannot be opened: {who}{hint}")


def open_error(path: str, reason: str) -> PortError:
    """Explains why a port does not open. `reason` is what pyserial says."""
    # On Windows, error 5 (access denied) is the error of a port in use.
    if re.search(r"lock port|busy|temporarily unavailable|PermissionError\(13, '[^']*', None, 5\)", reason, re.IGNORECASE):
        return busy(path, holders_of(path))
    failed = f"{path} cannot be opened: "
    if re.search(r"permission denied", reason, re.IGNORECASE):
        return PortError(
            "denied",
            f"{failed}this user may not. Add the user to the group of serial ports, then log in again: "
            "sudo usermod -a -G dialout $USER (on Arch: uucp)",
        )
    if re.search(r"no such file|FileNotFoundError|cannot find", reason, re.IGNORECASE):
        return PortError(
            "missing",
            f"{failed}there is no such port. A device shows its port up to 30 s after power-on, and needs a cable that "
            "carries data",
        )
    return PortError("failed", failed + reason)


def silent(path: str, seconds: float) -> PortError:
    """The error of a port that is open, but where no device answers."""
    others = others_of(path)
    why = (
        f"another program reads it, too: {_listed(others)}"
        if others
        else "does another program use it, or is it no Vitrine device?"
    )
    return PortError("silent", f"{path} answers nothing within {seconds:g} s: {why}")


def _listed(holders: list[Holder]) -> str:
    return ", ".join(f"{name} (pid {pid})" for name, pid in holders)


def _has_open(process: Path, tty: str) -> bool:
    targets: dict[str, str] = {}
    try:
        for file in os.listdir(process / "fd"):
            targets[file] = os.readlink(process / "fd" / file)
    except OSError:
        pass  # Of another user, or it has just ended.
    if not any(target == tty and _is_same(process / "fd" / file, tty) for file, target in targets.items()):
        return False
    # Another program at the other end of a pseudo-terminal may keep this end open, too. It does not take what comes.
    number = re.fullmatch(r"/dev/pts/(\d+)", tty) if process.name != str(os.getpid()) else None
    for file, target in targets.items():
        if number and target in ("/dev/ptmx", "/dev/pts/ptmx"):
            try:
                info = (process / "fdinfo" / file).read_text()
            except OSError:
                continue
            if re.search(rf"^tty-index:\s*{number[1]}$", info, re.MULTILINE):
                return False
    return True


def _is_same(file: Path, tty: str) -> bool:
    """Containers have other ttys of the same names."""
    try:
        return os.path.samefile(file, tty)
    except OSError:
        return False


def _lockers_of(names: list[str]) -> list[int]:
    pids = []
    for folder in LOCK_FOLDERS:
        for name in names:
            try:
                pid = int((folder / f"LCK..{name}").read_text())
            except (OSError, ValueError):
                continue
            if pid > 0 and pid != os.getpid() and Path(f"/proc/{pid}").exists():
                pids.append(pid)
    return pids


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "a program"
