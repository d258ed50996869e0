"""providers/detect.py: what a file is that is no session, said so that one can mend it."""

from __future__ import annotations

import pytest

from sesh.errors import NotASession
from sesh.providers.detect import provider_of
from tests.sessions import session


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"])
@pytest.mark.parametrize(
    "name", ["codex/0.169.0/rich.jsonl", "2-1-328-tools/70405639-be60-4298-83ce-8ae759fd065b.jsonl"]
)
def test_a_session_in_another_encoding_is_named_as_one(name: str, encoding: str) -> None:
    """PowerShell's `>` before version 7 writes UTF-16."""
    data = session(name).path.read_bytes()
    assert provider_of(data) is provider_of(b"\xef\xbb\xbf" + data)
    with pytest.raises(NotASession, match=f"copy.jsonl is {encoding[:6]}") as said:
        provider_of(data.decode().encode(encoding), "copy.jsonl")
    assert f"iconv -f {encoding}" in str(said.value.hint)


@pytest.mark.parametrize("data", [b"no session", b"\0\0\0\1", b"{}", b"\x1f\x8b\x08\x00"])
def test_what_is_no_text_at_all_is_not_called_so(data: bytes) -> None:
    with pytest.raises(NotASession, match="is no session of"):
        provider_of(data)
