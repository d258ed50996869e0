"""Forms of secrets that detect-secrets lacks, or has too broadly: tokens by their beginnings, values by their names.

A form that has a group `secret` loses that part only; any other goes whole. Beginnings and lengths are those that the
services document for their tokens (as of 2026). A token never begins inside of a word, so `task-…` holds no `sk-…`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

ASSIGNED: Final = "assigned secret"
_PASSWORD: Final = "password"

_BEGIN: Final = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
"""Where a word begins; in JSON inside of a text, an escaped line feed may stand before it."""

_TOKENS: Final[Sequence[tuple[str, tuple[str, ...], str]]] = (
    ("Anthropic key", ("sk-ant-",), r"sk-ant-[\w-]{16,}"),
    ("OpenAI key", ("sk-",), r"sk-(?:proj|svcacct|admin|None)-(?=[\w-]*\d)[\w-]{24,}"),
    # One long run, after at most two short words (`sk-or-v1-…`): others make keys of this form, too.
    ("API key", ("sk-",), r"sk-(?!x{6})(?:[a-z0-9]{1,8}-){0,2}[A-Za-z0-9]{24,}"),
    ("xAI key", ("xai-",), r"xai-[A-Za-z0-9]{40,}"),
    ("Groq key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}"),
    ("Perplexity key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}"),
    ("Hugging Face token", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("Replicate token", ("r8_",), r"r8_[A-Za-z0-9]{30,}"),
    ("LangSmith key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("Cursor key", ("key_",), r"key_[0-9a-f]{60,}"),
    ("GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}"),
    ("GitLab token", ("gl",), r"gl(?:pat|rt|dt|cbt|ptt|ft|imt|agent|soat|oas)-[\w.-]{20,}"),
    ("Bitbucket token", ("ATBB", "ATCTT3"), r"(?:ATBB[A-Za-z0-9]{28,}|ATCTT3[\w=-]{60,})"),
    ("Atlassian token", ("ATATT3",), r"ATATT3[\w=-]{60,}"),
    ("Google API key", ("AIza",), r"AIza[\w-]{35}"),
    ("Google OAuth token", ("ya29.",), r"ya29\.[\w-]{20,}"),
    ("Google refresh token", ("1//0",), r"1//0[\w-]{40,}"),
    ("Google client secret", ("GOCSPX-",), r"GOCSPX-[\w-]{20,}"),
    ("Azure client secret", ("8Q~", "7Q~"), r"[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,}"),
    ("Slack token", ("xapp-", "xox"), r"xapp-\d-[A-Z0-9]+-\d+-[0-9a-f]{40,}"),
    ("Slack token", ("xapp-", "xox"), r"xox[a-z]-[A-Za-z0-9%-]{20,}"),
    ("Discord webhook", ("/api/webhooks/",), r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{40,}"),
    ("Stripe key", ("sk_", "rk_", "whsec_"), r"(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    ("Square token", ("EAAA", "sq0"), r"(?:EAAA|sq0(?:atp|csp|idp)-)[\w-]{40,}"),
    ("Facebook token", ("EAA",), r"EAA[A-Z][A-Za-z0-9]{80,}"),
    ("Shopify token", ("shp",), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    ("crates.io token", ("cio",), r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("RubyGems token", ("rubygems_",), r"rubygems_[0-9a-f]{48}"),
    ("Clojars token", ("CLOJARS_",), r"CLOJARS_[0-9a-z]{60}"),
    ("Docker token", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{20,}"),
    ("Mailgun key", ("key-",), r"key-[0-9a-f]{32}(?![0-9a-f])"),
    ("DigitalOcean token", ("_v1_",), r"do[opr]_v1_[0-9a-f]{64}"),
    ("Heroku key", ("HRKU-",), r"HRKU-[\w-]{36,}"),
    ("Linear key", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("Notion token", ("ntn_", "secret_"), r"(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    ("Figma token", ("fig",), r"fig[dou]h?_[\w-]{36,}"),
    ("Airtable token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("Vault token", ("hv",), r"hv[sbr]\.[\w-]{24,}"),
    ("Terraform token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
    ("Pulumi token", ("pul-",), r"pul-[0-9a-f]{40}"),
    ("Databricks token", ("dapi",), r"dapi[0-9a-f]{32}(?:-\d)?(?![0-9a-f])"),
    ("Grafana token", ("glsa_", "glc_"), r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})"),
    ("Sentry token", ("sntry",), r"sntry[su]_[\w+/=-]{40,}"),
    ("New Relic key", ("NR",), r"NR(?:AK|II|JS|RA)-[A-Za-z0-9-]{19,}"),
    ("Supabase key", ("sbp_", "sb_secret_"), r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    ("PlanetScale token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}"),
    ("Fly token", ("fm1", "fm2"), r"fm[12][ar]?_[A-Za-z0-9+/=,_-]{60,}"),
    ("Doppler token", ("dp.",), r"dp\.(?:pt|st|ct|scim|sa|audit)\.[\w.-]{40,}"),
    ("1Password token", ("ops_eyJ",), r"ops_eyJ[\w+/=-]{100,}"),
    ("Tailscale key", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
    ("Postman key", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("age key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("JSON Web Token", ("eyJ",), r"eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?"),
)

_NAME: Final = (
    r"(?:(?:api|access|secret|private|signing|encryption|master|auth|account)[_-]?key|secret|token"
    r"|passwd|password|passphrase|pwd|(?<![A-Za-z])pass|credentials?)"
)
_QUOTE: Final = r"\\{0,2}[\"'`]"
_BARE: Final = r"(?P<secret>[^\s\"'`,;<>{}()\[\]$\\]{8,})"
_PASSWORDS: Final = r"(?:passwd|password|passphrase|pwd|(?<![A-Za-z])pass)"

_VALUES: Final[Sequence[tuple[str, str]]] = (
    # name = value, "name": "value", --name value; also as JSON inside of a text (\"name\": \"value\")
    (ASSIGNED, rf"{_NAME}(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?{_BARE}"),
    (ASSIGNED, rf"(?<!\S)--?[\w-]{{0,40}}?{_NAME}\s+(?:{_QUOTE})?(?!-){_BARE}"),
    # In quotes a value may hold any sign; with a sign of its own or a digit it is no label ("Your password").
    (
        ASSIGNED,
        rf"{_NAME}(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?P<quote>[\"'])"
        r"(?P<secret>(?=[^\"'\n]*[0-9!#$%^&*+=~])[^\"'\n\\]{8,})(?P=quote)",
    ),
    (
        _PASSWORD,
        rf"{_PASSWORDS}(?:{_QUOTE})?\s?[:=]\s?(?:{_QUOTE})?(?P<secret>(?=[^\s\d]*\d)(?=\S*[a-z])[\w!#%&*+-]{{6,7}})(?!\S)",
    ),
    (
        _PASSWORD,
        r"(?<!\S)(?:curl|wget|https?)\s[^\n]{0,200}?(?<=\s)(?:-u|--user)[ =]?[\"']?[^\s:\"'$]+:"
        r"(?P<secret>(?!\$)[^\s\"']{4,})",
    ),
    (_PASSWORD, r"(?<!\S)sshpass\s+-p\s?[\"']?(?P<secret>(?!\$)[^\s\"']{4,})"),
    (_PASSWORD, r"(?<!\S)(?:mysql\w*|mariadb[\w-]*)\s[^\n]{0,200}?(?<=\s)-p[\"']?(?P<secret>(?!\$)[^\s\"'$]{4,})"),
    (_PASSWORD, r"(?<!\S)login\s+\S+\s+password\s+(?P<secret>\S{4,})"),
    ("credentials in a URL", r"(?<=://)[^\s/:@\"'<>]{0,64}:(?P<secret>(?!\$)[^\s/@\"'<>]{3,})@(?=[\w.\[-])"),
    ("credentials in a URL", r"(?<=://)(?P<secret>(?=\w*\d)[\w-]{20,})@(?=[\w.-])"),
    ("signature in a URL", r"[?&;](?:sig|signature|x-(?:amz|goog)-signature)=(?P<secret>[\w%+/=-]{20,})"),
    ("bearer token", r"(?<=bearer )(?=[\w.~+/-]*\d)[\w.~+/-]{16,}=*"),
    (
        "authorization header",
        rf"(?<![a-z])authorization(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?"
        r"(?:basic|token|digest|apikey|key)\s(?P<secret>(?=[^\s\"']*[\dA-Z=])[\w.~+/=-]{8,})",
    ),
    (
        "cookie",
        rf"(?<![a-z])(?:set-)?cookie(?:{_QUOTE})?:\s{{0,3}}(?:{_QUOTE})?(?P<secret>[\w.-]{{1,60}}=[^\s\"'\\;]{{8,}}(?:;\s?[^\"'\\\n]*)?)",
    ),
)

STAND_IN: Final = re.compile(
    r"[a-z_.]+|\*+|x+|\.+|[\d.,]{1,12}|%\w*|"
    r"(?:your|my|an?|the|some|example|dummy|fake|placeholder|change|replace|insert|enter)(?:[-_. ]?[a-z]+)+",
    re.IGNORECASE,
)
"""What follows a secret's name and is a name itself, a count or a stand-in, not a value."""


class Form(NamedTuple):
    """A kind and its pattern. A text without any of `hints` has none of it; looking for them is fast."""

    kind: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()


def forms() -> list[Form]:
    """All of them: tokens first, which need no name beside them."""
    tokens = [Form(kind, re.compile(_BEGIN + form), hints) for kind, hints, form in _TOKENS]
    return [*tokens, *(Form(kind, re.compile(form, re.IGNORECASE)) for kind, form in _VALUES)]
