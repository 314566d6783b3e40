"""What the user asks not to have remembered leaves nothing; orders about work stay orders."""

from __future__ import annotations

from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

PRIVATE: Final = """
Don't store that I have diabetes.
Don’t store that I’m pregnant.
Do not save that I am pregnant.
Never keep my salary of 5000 euros.
Don't write down that I live in Bonn.
Please don't note that I smoke.
Please don't record my divorce.
Don't log what I earn.
Never memorise my address, please.
Please don't remember my divorce.
Never store what I told you about my ex.
Don't store my allergy to nuts.
Don't store anything about my health.
You should not remember my illness.
I don't want you to store my salary.
Stop saving my location.
Please do not store in your memory that I have diabetes.
Don't put in your notes that I am ill.
Could you please not store that I am ill?
I'd rather you didn't store that I have diabetes.
I have diabetes (don't store this).
My PIN is 1234, never store that!
Don't keep a record of my visits to the doctor.
Don't store this.
I have diabetes. Don't store this.
I have diabetes, but don't write it down.
Please don't record this: I am pregnant.
Don't store this, but I am pregnant.
I don't want you to know that I love pizza.
I'd rather you didn't know that Karen is strict.
please don't keep the thing about my mum's cancer
please don't hold on to the info about my tumour
I have a tumour, don't put that in my profile
The following is private and should not be stored. I have a tumour.
I have a tumour. (this is private, do not remember)
I have a tumour and I don't want that remembered
Don't save that, it's private.
don't tell mummy haha
Don't tell anyone at work
please don't tell anybody
Never tell my wife about this.
don't let my boss find out
""".strip().splitlines()

OF_WORK: Final = """
Don't store passwords in the repo.
Never save files to the desktop.
Never save my files to the desktop.
Don't tell customers about discounts.
Never share customer data with anyone.
Don't tell the client our margin.
Don't log my API keys in plain text.
Don't record my meetings.
Never write that I am angry in emails.
Do not save it in the repo.
Never keep customer data longer than 30 days.
Do not log personal data.
""".strip().splitlines()


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_not_to_be_stored_leaves_nothing(text: str) -> None:
    """No fact, and no order either, which would tell in every prompt what it is to keep secret."""
    assert RuleExtractor().extract([HumanMessage(text)], user_name="Ann") == []


@pytest.mark.parametrize("text", OF_WORK)
def test_an_order_about_work_stays_one(text: str) -> None:
    """Where something is kept besides memory, the order is a constraint."""
    assert [it.kind for it in RuleExtractor().extract([HumanMessage(text)])] == ["constraint"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Don't forget that I am vegan.", "Ann is vegan"),
        ("I don't keep meat at home.", "Ann does not keep meat at home"),
        ("I live in Bonn. I have diabetes. Please don't note that down.", "Ann lives in Bonn"),
        ("I live in Bonn, and don't store that I have diabetes.", "Ann lives in Bonn"),
        ("Don't store that I smoke. I live in Bonn.", "Ann lives in Bonn"),
        ("I live in Bonn. You can't remember that?", "Ann lives in Bonn"),
        ("I live in Bonn. Do you not remember that?", "Ann lives in Bonn"),
    ],
)
def test_what_else_is_said_is_kept(text: str, kept: str) -> None:
    """Only what the request is about is left out."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(text)], user_name="Ann")] == [kept]
