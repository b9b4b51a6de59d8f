"""Serial ports that cannot be used, with real terminals."""

import os
import pty
import subprocess
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

import vitrine
from vitrine._ports import open_error
from vitrine._serial import SerialLink


@pytest.fixture
def port() -> Iterator[str]:
    """A serial port where nobody answers."""
    device, host = pty.openpty()
    tty.setraw(host)
    yield os.ttyname(host)
    os.close(device)
    os.close(host)


@pytest.fixture
def other(port: str) -> Iterator[int]:
    """Another program that has it open, without a lock."""
    with open(port, "rb") as file, subprocess.Popen(["sleep", "60"], stdin=file) as process:
        yield process.pid
        process.kill()


def test_a_port_in_use_is_refused_at_once_with_the_name_of_the_program(port: str, other: int) -> None:
    start = time.monotonic()
    with pytest.raises(vitrine.PortError, match=rf"another program has it open: sleep \(pid {other}\)") as failed:
        vitrine.connect(port)
    assert failed.value.code == "busy"
    # It takes a tenth of that, but not on a busy computer.
    assert time.monotonic() - start < 2


def test_a_port_where_nobody_answers_says_so(port: str) -> None:
    with pytest.raises(vitrine.PortError, match=r"answers nothing within 0.2 s: does another program use it") as failed:
        SerialLink(port, "/api/v1", 0.2)
    assert failed.value.code == "silent"


def test_a_port_that_this_program_has_open_is_not_opened_again(port: str) -> None:
    import serial

    with serial.Serial(port, exclusive=True), pytest.raises(vitrine.PortError, match="this program has it open already"):
        vitrine.connect(port)


def test_a_port_or_socket_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(vitrine.PortError, match="there is no such port") as failed:
        vitrine.connect("/dev/no-such-port")
    assert failed.value.code == "missing"


@pytest.mark.parametrize(
    ("reason", "code", "text"),
    [
        ("[Errno 13] could not open port /dev/ttyACM0: [Errno 13] Permission denied: '/dev/ttyACM0'", "denied", "dialout"),
        ("[Errno 16] could not open port /dev/ttyACM0: [Errno 16] Device or resource busy", "busy", "another program"),
        ("could not open port 'COM3': PermissionError(13, 'Access is denied.', None, 5)", "busy", "another program"),
        ("could not open port 'COM3': FileNotFoundError(2, 'The system cannot find the file', None, 2)", "missing", "no such"),
        ("Could not configure port: (5, 'Input/output error')", "failed", "Input/output error"),
    ],
)
def test_the_reason_of_the_system_becomes_a_hint(reason: str, code: str, text: str) -> None:
    error = open_error("/dev/ttyACM0", reason)
    assert (error.code, text in str(error)) == (code, True)
