"""Names of things of which people use one of a kind at a time: who switched to Firefox has Chrome no more. English.

A closed list, of what people tell of every day. What is a word as well ("Word", "Edge", "Golf") counts with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL

_NAMES: Final[Mapping[str, str]] = {
    "browser": "firefox Chrome Safari Edge Brave Opera vivaldi chromium Arc",
    "editor": """vim neovim emacs vscode vs_code pycharm intellij webstorm Sublime Sublime_Text Helix Zed notepad++
        Cursor xcode eclipse""",
    "writing": "Word microsoft_word google_docs scrivener libreoffice Pages ulysses",
    "notes": "evernote Obsidian Notion onenote Roam logseq joplin apple_notes",
    "chat": "Slack Teams microsoft_teams mattermost zulip rocket.chat",
    "messenger": "whatsapp Signal Telegram threema viber",
    "mail": "gmail Outlook protonmail proton_mail fastmail thunderbird hotmail",
    "calls": "Zoom skype webex google_meet",
    "phone": "iphone Pixel Galaxy fairphone oneplus huawei xiaomi nokia tecno android_phone",
    "laptop": "thinkpad macbook chromebook xps surface_laptop",
    "os": "linux ubuntu debian Fedora Arch Mint Windows macos",
    "passwords": "lastpass bitwarden 1password dashlane keepass",
    "cloud": "dropbox icloud onedrive google_drive nextcloud",
    "music": "spotify Tidal deezer apple_music youtube_music",
    "database": "mysql postgresql postgres mongodb mariadb",
    "builds": "jenkins github_actions circleci travis gitlab_ci",
    "tracking": "jira Linear asana trello Monday.com clickup",
    "framework": "React vue angular svelte",
    "code": "Python Ruby Rust Go Golang Java Kotlin php typescript javascript",
    "hosting": "aws Azure heroku vercel netlify hetzner",
    "bank": """Barclays hsbc monzo revolut n26 Starling santander natwest Lloyds Nationwide wells_fargo Chase citibank
        bank_of_america ing dkb Sparkasse commerzbank""",
    "carrier": "o2 vodafone giffgaff verizon t-mobile telekom at&t",
    "energy": "eon e.on Octopus british_gas edf vattenfall enbw",
    "groceries": "Kroger aldi lidl tesco sainsbury's waitrose asda walmart Safeway rewe edeka",
    "car": """Golf Polo yaris corsa civic passat Fiesta Focus Clio zoe ioniq Leaf prius corolla Astra octavia fabia
        twingo Panda Outback camry""",
}
"""By kind; an underscore stands for the space in a name."""

KINDS: Final = frozenset(_NAMES)

_OF_NAME: Final[Mapping[str, tuple[str, bool]]] = {
    name.replace("_", " ").casefold(): (kind, name[0].isupper())
    for kind, names in _NAMES.items()
    for name in names.split()
}
"""The kind of each name, and whether it is a word as well."""

_MODEL: Final = r"(?: (?:\d+\w{0,3}|[a-z]\d{1,3}|Pro|Max|Plus|Air|Mini|Ultra)(?![\w-]))*"
_ABOUT_IT: Final = (
    r"(?! (?:themes?|extensions?|plugins?|tickets?|shares|mugs?|tab|tablets?|watch|buds|account|festival|tournament"
    r"|course|class)\b)"
)
"""Behind a name: something of it, and not the thing."""

_NAME: Final = lazy_pattern(
    rf"(?<![\w&.-])(?P<name>{'|'.join(re.escape(it) for it in sorted(_OF_NAME, key=len, reverse=True))})(?![\w&-])"
    rf"{_MODEL}(?! {CAPITAL}){_ABOUT_IT}",
    re.IGNORECASE,
)


def kinds_in(text: str) -> Mapping[str, frozenset[str]]:
    """Return the names in a text by what kind of thing they are, each with its model.

    Example:
        >>> kinds_in("I use Vim on Linux"), kinds_in("an iPhone 12"), kinds_in("I go for a word")
        ({'editor': frozenset({'vim'}), 'os': frozenset({'linux'})}, {'phone': frozenset({'iphone 12'})}, {})
    """
    found: dict[str, frozenset[str]] = {}
    for it in _NAME.finditer(text):
        kind, is_word = _OF_NAME[it["name"].casefold()]
        if it["name"][0].isupper() or not is_word:
            found[kind] = found.get(kind, frozenset()) | {it[0].casefold()}
    return found
