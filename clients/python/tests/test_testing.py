"""Virtual devices: the fixture's own start with a script in place of `npm start`, and a real one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vitrine.testing import VirtError, start_virt

RUN = """
import { rmSync, writeFileSync } from 'node:fs';
const [script, ...args] = process.argv.slice(2);
const valueOf = (name) => args[args.indexOf(name) + 1];
const stop = () => {
  writeFileSync('stopped-' + process.pid, '');
  rmSync(valueOf('--ready-json'), { force: true });
  process.exit(0);
};
process.on('SIGTERM', stop);
process.once('disconnect', stop);
console.error('vitrine: ' + script + ' ' + args.join(' '));
"""
READY = RUN + """
writeFileSync(valueOf('--ready-json'), JSON.stringify({ name: valueOf('--name'), api: 'http://127.0.0.1:9/api/v1' }));
"""


def checkout(folder: Path, script: str) -> Path:
    (folder / "ci").mkdir(parents=True)
    (folder / "ci" / "run.mjs").write_text(script)
    return folder


def stopped(folder: Path) -> int:
    return len(list(folder.glob("stopped-*")))


def test_devices_are_started_side_by_side_and_stopped(tmp_path: Path) -> None:
    project, lines = checkout(tmp_path / "a", READY), list[str]()
    with start_virt(project, on_progress=lines.append) as first, start_virt(project, container=False) as second:
        assert first.ready["name"] != second.ready["name"]
        assert stopped(project) == 0
    assert stopped(project) == 2
    assert lines[0].startswith("vitrine: start --container --headless --discard --port 0 ")


def test_a_device_is_stopped_when_the_process_is_killed(tmp_path: Path) -> None:
    project = checkout(tmp_path / "a", READY)
    script = f"from vitrine.testing import start_virt\nwith start_virt({str(project)!r}): print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as user:
        assert user.stdout and user.stdout.readline()
        user.send_signal(signal.SIGKILL)
    end = time.monotonic() + 10
    while stopped(project) == 0:
        assert time.monotonic() < end, "the device was not stopped"
        time.sleep(0.05)


def test_a_device_that_does_not_start_says_why(tmp_path: Path) -> None:
    failing = checkout(tmp_path / "a", "console.error('vitrine: the disk is full.'); process.exit(1);")
    with pytest.raises(VirtError, match=r"did not start:\nvitrine: the disk is full\.$"), start_virt(failing):
        pass
    slow = checkout(tmp_path / "b", RUN + "console.error('vitrine: building'); setInterval(() => {}, 1000);")
    with pytest.raises(VirtError, match=r"within 1 s; the last of its output:(.|\n)*building$"), start_virt(slow, timeout=1):
        pass
    assert stopped(slow) == 1
    with pytest.raises(VirtError, match="is no checkout"), start_virt(tmp_path):
        pass


@pytest.mark.skipif("VITRINE_PROJECT" not in os.environ, reason="VITRINE_PROJECT names no checkout")
def test_a_real_device_answers() -> None:
    with start_virt() as virt:
        assert virt.device.get("/device")["serial"].startswith("VIRT-")
