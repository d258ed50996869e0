"""sesh's own form as JSON Lines: a thread record, its messages, then each child thread followed by its messages.

It is read and written like a client's session, so that `convert` needs no second road. It is no client: there is no
folder that holds such files and nothing to resume, and the registry does not count it among the providers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import EmitOptions, EmitResult, IngestResult, Provider, ReadOptions, Source
from sesh.providers.canonical.detect import detect
from sesh.providers.canonical.layout import LAYOUT


def _parse(source: Source, /, **options: Unpack[ReadOptions]) -> IngestResult:
    from sesh.providers.canonical.reader import parse_canonical  # only when a file is read

    return parse_canonical(source, **options)


def _emit(thread: Thread, messages: Sequence[Message], /, **options: Unpack[EmitOptions]) -> EmitResult:
    from sesh.providers.canonical.writer import emit_canonical  # only when a file is written

    return emit_canonical(thread, messages, **options)


PROVIDER = Provider(
    name="canonical",
    title="sesh (canonical JSON Lines)",
    program="sesh",
    detect=detect,
    parse=_parse,
    emit=_emit,
    layout=LAYOUT,
)
