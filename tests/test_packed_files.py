"""Records in packed files and archives of every kind, and what is said of damaged ones."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from plypilot.data import RecordError, read_texts

TEXT = "1. e4 e5 ½-½\n"


def tar(path: Path, mode: str, names: tuple[str, ...] = ("x/a.pgn", "x/b.pgn")) -> None:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        folder = tarfile.TarInfo("x")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(TEXT.encode())
            archive.addfile(member, io.BytesIO(TEXT.encode()))
        link = tarfile.TarInfo("x/link.pgn")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)


@pytest.mark.parametrize(
    ("name", "mode"),
    [("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz")],
)
def test_the_files_of_a_tar_archive_are_read_but_links_are_not_followed(tmp_path: Path, name: str, mode: str) -> None:
    tar(tmp_path / name, mode)
    assert list(read_texts(tmp_path / name)) == [("x/a.pgn", TEXT), ("x/b.pgn", TEXT)]


@pytest.mark.parametrize(("name", "pack"), [("a.pgn.gz", gzip), ("a.pgn.bz2", bz2), ("a.pgn.xz", lzma)])
def test_packed_files_lose_the_suffix_of_their_packing(tmp_path: Path, name: str, pack: object) -> None:
    path = tmp_path / name
    path.write_bytes(pack.compress(TEXT.encode()))  # type: ignore[attr-defined]
    assert list(read_texts(path)) == [("a.pgn", TEXT)]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(RecordError, match="cannot be unpacked"):
        list(read_texts(path))
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(RecordError, match="cannot be unpacked"):
        list(read_texts(path))


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
def test_damaged_archives_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"nothing of the kind")
    with pytest.raises(RecordError, match="cannot be unpacked"):
        list(read_texts(tmp_path / name))
    with pytest.raises(FileNotFoundError):
        list(read_texts(tmp_path / f"no-{name}"))


def test_texts_that_are_too_long_are_refused_before_they_fill_the_memory(tmp_path: Path) -> None:
    tar(tmp_path / "a.tar.gz", "w:gz")
    (tmp_path / "a.pgn.xz").write_bytes(lzma.compress(bytes(10_000)))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.pgn", TEXT)
    for name in ("a.tar.gz", "a.pgn.xz", "a.zip"):
        with pytest.raises(RecordError, match="more than 5 bytes"):
            list(read_texts(tmp_path / name, most_bytes=5))
