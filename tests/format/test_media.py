"""What data is, by its first bytes."""

from __future__ import annotations

import base64

import pytest

from sesh.format import media


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x12\x34\x56\x78WEBPVP8 ", "image/webp"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", None),
        (b"%PDF-1.4", "application/pdf"),
        (b"BM", None),
        (b"", None),
    ],
)
def test_media_of(begins: bytes, kind: str | None) -> None:
    assert media.media_of(base64.b64encode(begins + b"rest" * 9 if begins else b"").decode()) == kind


@pytest.mark.parametrize(
    ("given", "good"),
    [
        ("aGk=", "aGk="),
        ("aGk", "aGk="),
        ("a\nG k\r\n=", "aGk="),
        ("", None),
        ("a", None),
        ("no!!", None),
        ("é===", None),
    ],
)
def test_as_base64(given: str, good: str | None) -> None:
    assert media.as_base64(given) == good


def test_in_url() -> None:
    assert media.in_url("data:image/png;name=a.png;base64,aGk=") == ("image/png", "aGk=")
    assert media.in_url("data:;base64,aGk=") == (None, "aGk=")
    assert media.in_url("data:,hello") is None
    assert media.in_url("https://example.com/a.png") is None
