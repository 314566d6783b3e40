"""An order to forget that is denied, put off or made under a condition is none; what only sounds so is one."""

from __future__ import annotations

import time

import pytest

from langchain_agentmem.english.requests.forget_asked import forget_asked
from langchain_agentmem.english.requests.withheld import is_withheld


@pytest.mark.parametrize(
    "text",
    [
        "Do not, under any circumstances, forget my nut allergy.",
        "Please do not, whatever happens, forget my nut allergy.",
        "I have kids, so do not, ever, forget my nut allergy.",
        "Don't, I repeat, forget my nut allergy.",
        "Never ever, please, forget my nut allergy.",
        "You must not, under any circumstances, forget my nut allergy.",
        "Under no circumstances, forget my nut allergy.",
        "At no point, forget my nut allergy.",
        "Please don't - ever - forget my nut allergy.",
        "Whatever you do, do not, please, forget my nut allergy.",
        "Do not, under any circumstances, forget everything about me.",
        "Never, whatever I say, delete my address.",
    ],
)
def test_what_is_denied_before_a_comma_is_no_order(text: str) -> None:
    """The denial is completed by what follows the words in between."""
    assert forget_asked(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "If I ever recover, forget my nut allergy.",
        "If my doctor clears me, please forget about my nut allergy.",
        "If I say 'purge', forget everything about me.",
        "If I leave the company, delete everything you know about me.",
        "In case I die, forget everything about me.",
        "Should I ever recover, forget my nut allergy.",
        "Once the trial is over, forget my nut allergy.",
        "When I turn 40, forget my age.",
        "As soon as we move, forget our address.",
        "Next year, forget my nut allergy.",
        "In two weeks, forget my appointment.",
        "Not now, but later, forget my nut allergy.",
        "Forget my age once I'm 40.",
        "Forget my job if I ever leave it.",
    ],
)
def test_what_is_put_off_is_no_order_yet(text: str) -> None:
    """A condition, or a day to come, before the order or behind it."""
    assert forget_asked(text) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I do not live in Rome, forget my address.", "my address"),
        ("I'm not, forget that I'm vegan.", "that I'm vegan"),
        ("Don't worry, forget my address.", "my address"),
        ("Never mind, forget my address.", "my address"),
        ("I can't, forget my appointment.", "my appointment"),
        ("No, forget my address.", "my address"),
        ("If you can, forget my address.", "my address"),
        ("If possible, forget my address.", "my address"),
        ("If you don't mind, please forget my address.", "my address"),
        ("If I told you my salary, forget my salary.", "my salary"),
        ("When I said I'm vegan I lied, forget that I'm vegan.", "that I'm vegan"),
        ("I was ill when I wrote that, so forget my illness.", "my illness"),
        ("Once more, forget my address.", "my address"),
        ("Before we start, forget my address.", "my address"),
        ("After all, forget my age.", "my age"),
        ("Now, forget my age.", "my age"),
        ("I moved last year, forget my address.", "my address"),
        ("Forget my age in case you know it.", "my age"),
        ("Forget my address if you have it.", "my address"),
        ("Forget my job, if that's ok.", "my job"),
        ("Forget that I fly to Rome next week.", "that I fly to Rome next week"),
    ],
)
def test_what_only_sounds_so_is_an_order(text: str, what: str) -> None:
    """A denial or a condition that is whole by itself, or met, takes nothing back."""
    found = forget_asked(text)
    assert found is not None
    assert found.what == what


@pytest.mark.parametrize("filling", ["do not, ", "if ", "please ", "when I ", ", ", " ", "-", "once "])
def test_long_texts_are_read_in_linear_time(filling: str) -> None:
    """Whatever a message repeats."""
    text = filling * (8_000 // len(filling)) + "forget my age"
    begun = time.process_time()
    is_withheld(text, len(text) - len("forget my age"))
    assert time.process_time() - begun < 0.5
