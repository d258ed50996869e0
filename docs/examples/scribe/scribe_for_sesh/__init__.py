"""Scribe, a client made up for this example, as a provider of sesh."""

from scribe_for_sesh.detect import detect
from scribe_for_sesh.layout import LAYOUT
from scribe_for_sesh.listing import card, spoken
from scribe_for_sesh.reader import parse
from scribe_for_sesh.writer import emit
from sesh.providers.api import Provider

PROVIDER = Provider(
    name="scribe",
    title="Scribe",
    program="scribe",
    detect=detect,
    parse=parse,
    emit=emit,
    layout=LAYOUT,
    card=card,
    spoken=spoken,
    home_variable="SCRIBE_HOME",
    covered=("1.0",),
)
