"""A pattern that is asked only where a text has one of a few words misses nothing that it would have found."""

from __future__ import annotations

from typing import Final

import pytest

from langchain_agentmem.english.reading import correction, facts, reading
from langchain_agentmem.english.reading.clause_patterns import RULES
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.text import contractions
from langchain_agentmem.english.words.caseless import caseless_words


class Anything(frozenset[str]):
    """Words of which every text has one."""

    __slots__ = ()

    def isdisjoint(self, other: object) -> bool:
        """Say that there is one."""
        return False


SAID: Final = """
My cat allergy is gone / her hay fever has cleared up / Tom's asthma went away / I've outgrown my eczema
I finally got over my allergy to nuts / The meeting was moved to Friday / I just pushed my exam until May 3
Our boss has rescheduled the review to 3 pm / I can't go / I cannot go / He won't / We shan\u2019t / It ain't
DON'T shout / I'M VEGAN / They're in / We've won / She'll go / I'd go / That's it / Nora's allergic / by e-mail
a FRONT-END job / my time zone / I use VS Code / my mother tongue is Greek / no-one knows / not only tea
no longer there / not anymore / I do not any longer / it fits after all / I can't bear it / I have to go
We have 3 bags of rice left / There are 2 on hand. / with effect from May / effective as of May
tea instead of coffee / tea rather than coffee / I gave up on tea / I quit smoking / I used to smoke / im vegan
Ive a dog / its private / she didnt / i cant / youll see / my wifes allergic / covids gone
my co-workers name is Al / No, tea / Correction: tea / I meant tea / to correct this / that's not right
that is not true / I was wrong / make that two / scratch that / I changed my mind / Actually, tea / tea instead
I moved from Rome to Paris / I'm now in Rome / now uses vim / from now on / We migrated / it switched
I was born on 3 May 1990 / I was born in Rome / I live in Rome / My address is 5 High Street / I'm from Rome
I work as a nurse / I joined Acme / I got a new job at Acme / I am married to Tom / I have a husband
I became vegan / I eat meat again / Call me Al / My dog is called Rex / I go by Al / I have a nut allergy
I have an allergy to nuts / I'm allergic to nuts / Blue is my favourite color / Vim is my usual editor
For notes I prefer vim / For notes I use vim / I favor vim for notes / I rely on vim for notes
It is due Friday / I turned 34 / I enjoy tea / I prefer tea / I use vim / I'm majoring in law / I drive a Fiat
I own a Fiat / I speak Greek / I have a cat / My rent = 900 / Rent: 900 / F\u0130RST, I L\u0130VE \u0130N ROME
\u017fhe l\u0131kes tea
"""
"""Sentences of which each pattern fits one, apart by strokes."""


@pytest.mark.parametrize("said", [it.strip() for line in SAID.split("\n") for it in line.split("/") if it.strip()])
def test_a_word_that_is_asked_first_hides_nothing(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: what is read of a sentence is the same where every pattern is asked, whatever words there are."""
    read = parse_statement(said)
    always = Anything()
    monkeypatch.setattr(reading, "_REWRITES", tuple((always, *rest) for _, *rest in reading._REWRITES))
    monkeypatch.setattr(facts, "RULES", tuple((relation, always, it) for relation, _, it in RULES))
    monkeypatch.setattr(correction, "_TELLING", always)
    monkeypatch.setattr(contractions, "_WORDS", always)
    assert parse_statement(said) == read


def test_letters_that_a_pattern_takes_for_others_are_those() -> None:
    """Law: a word has the letters of ASCII for which `re.IGNORECASE` takes its own."""
    assert caseless_words("L\u0130VE \u0131s \u017fo O\u212a") == {"live", "is", "so", "ok"}
