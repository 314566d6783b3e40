"""Places by name, and what else one moves to: a town is told from a brand, in whatever letters it is typed."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.lexicon import NOT_PLACES, REGIONS

CITIES: Final = frozenset(
    """
    london leeds york manchester birmingham liverpool bristol sheffield nottingham leicester newcastle cardiff swansea
    edinburgh glasgow aberdeen dundee belfast dublin cork galway oxford cambridge bath brighton norwich exeter plymouth
    southampton portsmouth reading durham coventry hull bradford kent essex sussex cornwall devon bournemouth derby
    paris lyon marseille lille nice toulouse bordeaux nantes strasbourg brussels antwerp ghent amsterdam rotterdam
    utrecht hague berlin hamburg munich cologne frankfurt stuttgart leipzig dresden bonn bremen hanover kiel ulm
    nuremberg freiburg mainz vienna graz linz salzburg zurich geneva basel bern madrid barcelona valencia seville
    malaga lisbon porto rome milan naples turin florence venice bologna athens istanbul ankara prague brno budapest
    warsaw krakow gdansk wroclaw bucharest sofia belgrade zagreb ljubljana copenhagen aarhus stockholm gothenburg malmo
    oslo bergen helsinki tallinn riga vilnius kyiv moscow tokyo osaka kyoto seoul beijing shanghai shenzhen taipei
    bangkok hanoi jakarta manila mumbai delhi bangalore chennai hyderabad pune kolkata karachi lahore dubai doha
    riyadh cairo lagos nairobi accra johannesburg durban sydney melbourne brisbane perth adelaide auckland wellington
    boston chicago seattle portland denver austin dallas houston miami atlanta philadelphia phoenix detroit
    minneapolis brooklyn manhattan toronto montreal vancouver ottawa calgary lima bogota santiago quito
    nyc new-york lanarkshire yorkshire lancashire
    """.split()
)
_BRANDS: Final = NOT_PLACES | frozenset(
    """
    vodafone bt zone ee o2 t-mobile telekom verizon sky giffgaff tesco lidl aldi sainsbury's asda monzo starling revolut
    n26 barclays hsbc santander natwest lloyds chase amex visa mastercard paypal klarna windows macos ubuntu debian
    fedora android ios iphone ipad pixel samsung chromebook zoom teams meet skype whatsapp signal telegram discord
    google gmail outlook proton protonmail hotmail chrome firefox safari edge brave bing duckduckgo spotify netflix
    tidal deezer youtube disney hulu kindle audible obsidian evernote onenote todoist trello asana basecamp clickup
    confluence bitbucket linear figma sketch canva photoshop excel sheets word docs dropbox icloud onedrive shopify
    stripe wordpress substack mastodon bluesky twitter threads facebook instagram reddit cursor vscode neovim helix
    zed sql sqlite databricks snowflake bigquery terraform heroku vercel netlify chatgpt claude copilot gemini
    vim emacs netbsd freebsd nixos arch mint c c++ c# ruby elixir scala haskell marketing sales hr it finance
    engineering
    """.split()
)
_HOMES: Final = frozenset("countryside village town city suburb suburbs coast seaside mountains island farm".split())
_FIRM_ENDS: Final = frozenset(
    "energy bank mobile insurance broadband telecom media group ltd inc gmbh plc cloud studio pro".split()
)


def is_place(words: list[str], *, is_moved: bool) -> bool:
    """Whether words name a place, rather than describe a home or name what else one moves to.

    Args:
        words: As they are written.
        is_moved: Somebody moved there, as one does to another bank and to decaf.

    Example:
        >>> (
        ...     is_place(["Leeds"], is_moved=True),
        ...     is_place(["Vodafone"], is_moved=True),
        ...     is_place(["jeans"], is_moved=False),
        ... )
        (True, False, False)
    """
    folded = [it.casefold() for it in words]
    if _is_brand(folded) and not (CITIES.intersection(folded) and not is_moved):
        return False
    if is_moved and not _HOMES.isdisjoint(folded):
        return True
    return any(it[:1].isupper() for it in words) or any(it in CITIES or it in REGIONS for it in folded)


def _is_brand(words: list[str]) -> bool:
    return bool(words) and (words[0] in _BRANDS or words[-1] in _FIRM_ENDS)
