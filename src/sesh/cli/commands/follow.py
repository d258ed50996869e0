"""`sesh follow`: keep a message store up to date while clients write."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType

import click

from sesh.cli import here, moving
from sesh.cli.options import home_option, json_asked, quiet_option
from sesh.cli.output import remark, write_bytes
from sesh.cli.storing import default_url, opened, points, storing_options, told
from sesh.errors import StoreFailed
from sesh.files.follow import wakes
from sesh.format import jsontext
from sesh.ingest.many import Failed, Sessions
from sesh.ingest.patience import Patience
from sesh.ingest.session import Ingest, Taken
from sesh.stores.shown import shown


@click.command(
    epilog="Ctrl-C ends it; `sesh ingest --all` or the next `sesh follow` goes on where it was. A step that is still "
    "being written is added when the next one begins, or when the session has been quiet for a minute. A store that "
    "fails while it is followed into (a server that restarts, a full disk) is waited for.",
)
@storing_options
@click.option("--once", is_flag=True, help="Take what there is now, and end.")
@home_option
@quiet_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,
    callback=json_asked,
    help="JSON Lines on stdout: one object for each session taken.",
)
def command(
    url: str | None,
    agent_id: str | None,
    run_id: str | None,
    keep_raw: bool,
    once: bool,
    home: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Keep a message store up to date with live sessions."""
    homes = moving.homes(home)
    folders = [folder / root for provider, folder in homes.values() for root in provider.layout.search_roots()]
    cache = here.cards()

    def tell(taken: Taken | Failed) -> None:
        if as_json:
            write_bytes(jsontext.dumps(taken) + b"\n")
        elif not quiet:
            remark(told(taken))

    def follow() -> None:
        """Take what is due, round after round. Raises StoreFailed."""
        with opened(url) as store:
            ingest = Ingest(
                store,
                moving.book(),
                homes,
                agent_id=agent_id,
                run_id=run_id,
                keep_raw=keep_raw,
                points=points(url),
            )
            sessions = Sessions(store, ingest, homes, cache)
            if patience.opened() and not quiet and not once:
                remark(f"Following into {shown(url or default_url())}. Ctrl-C ends it.")
            for _ in wakes(folders, stop):
                for found in sessions.due(time.time_ns()):
                    if stop.is_set():
                        break
                    taken = sessions.take(found, time.time_ns())
                    if not (isinstance(taken, Failed) and taken.empty):
                        tell(taken)
                cache.save()
                patience.well()
                if once:
                    break

    with _until_told() as stop:
        patience = Patience(stop.wait, remark)
        goes_on = True
        while goes_on:
            try:
                follow()
                goes_on = False
            except StoreFailed as e:  # a restarted server, a full disk: it may pass, and nothing is done twice
                if once or stop.is_set():
                    raise
                goes_on = patience.again(e)


@contextmanager
def _until_told() -> Iterator[Event]:
    """An event that Ctrl-C and a service manager's SIGTERM set: the session at hand is finished first."""
    stop = Event()

    def set_stop(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            sys.exit(130)  # the second Ctrl-C does not wait
        stop.set()

    before = {number: signal.signal(number, set_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
