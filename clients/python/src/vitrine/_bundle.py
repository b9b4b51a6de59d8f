"""Bundles: zip archives with index.html at their root."""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._errors import BundleError

#: Compressed already. They are stored as they are, so that players can jump in them (docs/content.md).
STORED = re.compile(
    r"\.(?:7z|aac|avif|br|gif|gz|jpe?g|m4[av]|mkv|mov|mp[34]|og[agv]|opus|png|web[mp]|woff2?|zip|zst)$", re.IGNORECASE
)
#: What computers leave everywhere, and no page needs.
LEFT_OUT = re.compile(r"(?:\.DS_Store|\.git|\.svn|\._.*|__MACOSX|Thumbs\.db|desktop\.ini)", re.IGNORECASE)


def name_for(file_name: str) -> str:
    """The name of a bundle that is closest to that of a file or folder."""
    text = unicodedata.normalize("NFKD", re.sub(r"\.zip$", "", file_name, flags=re.IGNORECASE).lower())
    plain = "".join(sign for sign in text if not unicodedata.combining(sign))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:63].rstrip("-") or "content"


@contextmanager
def packed(folder: Path) -> Iterator[Path]:
    """A temporary archive of a folder."""
    files = sorted(
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob("*")
        if path.is_file() and not any(LEFT_OUT.fullmatch(part) for part in path.relative_to(folder).parts)
    )
    _check([name for name, _ in files], str(folder))
    handle, name = tempfile.mkstemp(prefix="vitrine-push-", suffix=".zip")
    try:
        with os.fdopen(handle, "wb") as output, zipfile.ZipFile(output, "w", strict_timestamps=False) as archive:
            for path, file in files:
                method = zipfile.ZIP_STORED if STORED.search(path) else zipfile.ZIP_DEFLATED
                archive.write(file, path, method)
        yield Path(name)
    finally:
        os.unlink(name)


def check_archive(path: Path) -> None:
    """Raises BundleError with the reason why the device would refuse an archive."""
    if not zipfile.is_zipfile(path):
        raise BundleError(f"{path} is not a zip archive, or is damaged")
    with zipfile.ZipFile(path) as archive:
        if any(entry.flag_bits & 1 for entry in archive.infolist()):
            raise BundleError(f"{path} is encrypted, which the device cannot show")
        _check(archive.namelist(), str(path))


def _check(names: list[str], where: str) -> None:
    if "index.html" in names:
        return
    similar = next((name for name in names if re.fullmatch(r"index\.html?", name, re.IGNORECASE)), None)
    if similar:
        raise BundleError(f"the start page is {similar!r}: it must be named index.html")
    folder = next((name.split("/")[0] for name in names if re.fullmatch(r"[^/]+/index\.html", name)), None)
    if folder:
        raise BundleError(f"index.html is in a folder: give {folder!r} instead, whose content becomes the bundle")
    raise BundleError(f"{where} has no index.html at the top, which is the page that is shown first")
