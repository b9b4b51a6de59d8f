"""Against a real device: `VITRINE_HOST`, and `VITRINE_SERIAL` for its serial link."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import vitrine

PAGE = """<!doctype html><title>echo</title><script src="/display-client.js"></script><script>
  vitrine.onmessage = (value) => vitrine.send({ back: value });
</script>"""


@pytest.fixture(params=["network", "serial"])
def device(request: pytest.FixtureRequest, vitrine_device: vitrine.Device) -> Iterator[vitrine.Device]:
    if request.param == "network":
        yield vitrine_device
        return
    path = os.environ.get("VITRINE_SERIAL")
    if path is None:
        pytest.skip("VITRINE_SERIAL does not name a serial link")
    with vitrine.connect(path) as connected:
        yield connected


def test_shows_a_folder_and_talks_to_its_page(device: vitrine.Device, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "film.mp4").write_bytes(os.urandom(100_000))
    seen: list[float] = []
    assert device.push(tmp_path, name="py", show=True, on_progress=lambda _step, done: seen.append(done)) == "py"
    assert seen[-1] == 1
    assert device.get("/display")["bundle"] == "py"
    device.wait_channel_open()
    events = device.events(
        "page_message", "display_state", timeout=30, snapshot=True,
        on_connected=lambda: device.post("/page/message", {"hello": 1}),
    )
    # In any order: the message may come while the state is read.
    got = {event["topic"]: event["payload"] for event in (next(events), next(events))}
    events.close()
    assert got["page_message"] == {"back": {"hello": 1}}
    assert got["display_state"]["bundle"] == "py"
    device.show(waiting=True)
    device.delete("/content/py")
    assert len(device.download("/display/screenshot")) > 100


def test_says_what_is_wrong(device: vitrine.Device, tmp_path: Path) -> None:
    with pytest.raises(vitrine.WaitError) as failed:
        device.show(url="http://10.0.2.2:1/")
    assert failed.value.code == "load_failed"
    with pytest.raises(vitrine.RequestError, match="did you mean rotation") as refused:
        device.patch("/config", {"display": {"rotaton": 90}})
    assert (refused.value.status, refused.value.code) == (400, "bad_request")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").write_text("x")
    with pytest.raises(vitrine.BundleError, match="give 'dist' instead"):
        device.push(tmp_path, name="py")
    with pytest.raises(vitrine.BundleError, match="try my-app"):
        device.push(tmp_path, name="My App")
    with pytest.raises(ValueError, match="must be one of"):
        next(device.events("helth"))
    device.show(waiting=True)
