"""Of what there is one at a time, the newer stands; of what there may be several, only a denial ends one."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.statements import named_so, parse_statement
from langchain_agentmem.policies.conflict import judge


def relation(old: str, new: str) -> str:
    return judge(parse_statement(new), parse_statement(old), similarity=None).relation


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm 34", "I'm 35 now"),
        ("I'm single", "I got married last week"),
        ("I'm single", "I just got engaged"),
        ("I'm single", "We got married in Rome"),
        ("I'm engaged to Tom", "I married Tom"),
        ("I'm married", "I got divorced"),
        ("I'm married to Tom", "I got divorced 2 weeks ago"),
        ("I'm single", "I'm married to Tom"),
        ("I'm single", "I have a girlfriend"),
        ("I'm married", "I'm widowed"),
        ("I'm vegetarian", "I've become vegan"),
        ("We have 40 crates in stock", "we have 12 crates left"),
        ("My rate is £300 a day", "My rate is £360 a day with effect from 1 May"),
        ("My rate is £300 a day", "My rate is £360 a day effective from May"),
        ("I'm a vegetarian", "I went vegan last year"),
        ("I'm vegan", "I started eating meat again"),
        ("My sister is single", "My sister got married"),
        ("The meeting is on Friday", "The meeting was moved to Monday"),
        ("The meeting is on Friday at 2 pm", "The meeting has been pushed back to Monday"),
        ("The meeting is on Friday", "We moved the meeting to Monday"),
        ("The meeting is at 3 pm", "The meeting got rescheduled to 4 pm"),
        ("My dentist appointment is on Friday", "I rescheduled my dentist appointment to Monday"),
        ("The deadline is June 3", "The deadline was pushed to June 10"),
        ("I'm allergic to cats", "My cat allergy is gone"),
        ("I'm allergic to cats", "My allergy to cats went away"),
        ("I'm allergic to cats", "I outgrew my cat allergy"),
        ("I have asthma", "My asthma is cured"),
        ("My brother is allergic to cats", "My brother's cat allergy has cleared up"),
        ("Max studies law", "Max studies medicine now"),
        ("Max studies law", "Max now studies medicine"),
        ("I'm studying law", "I study medicine now"),
        ("I drive a Skoda", "I drive a Volvo now"),
    ],
)
def test_what_says_otherwise_of_the_same_ends_it(old: str, new: str) -> None:
    """A newer value, a denial, or a new day of the same appointment."""
    assert relation(old, new) == "conflict"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have 20 days of leave", "I have 12 days of leave left"),
        ("We have 40 crates in stock", "We have 12 bottles left"),
        ("We have 40 crates in stock", "Tom has 12 crates left"),
        ("I'm 34", "I'm 35 minutes late"),
        ("I'm 34", "I'm 6 feet tall"),
        ("I'm 34", "My brother is 35 now"),
        ("I'm married", "I was single then"),
        ("I'm single", "My sister got married"),
        ("I'm single", "I want to get married"),
        ("I'm single", "I'm getting married in June"),
        ("I'm single", "I almost got married once"),
        ("I'm divorced", "I got married in 2010"),
        ("I'm divorced", "I got married when I was 20"),
        ("I'm divorced", "I've been married twice"),
        ("I got married in 2010", "I got divorced in 2015"),
        ("I'm divorced", "I'm single"),
        ("I'm single", "I'm widowed"),
        ("I'm married", "I have a wife"),
        ("I'm married", "I'm engaged in a project"),
        ("I'm single", "I'm married to my job"),
        ("I'm married", "I'm single-minded"),
        ("I'm vegetarian", "He's vegan now"),
        ("I'm vegetarian", "I'm a vegan chef"),
        ("I'm vegan on weekdays", "I'm vegetarian on weekends"),
        ("The meeting with Ann is on Friday", "The meeting with Bob was moved to Monday"),
        ("The meeting is on Friday", "The party was moved to Monday"),
        ("The meeting is on Friday", "The meeting was not moved to Monday"),
        ("The meeting is on Friday", "We almost moved the meeting to Monday"),
        ("The meeting is on Friday", "The meeting will be moved to Monday if Ann agrees"),
        ("The meeting is on Friday", "The meeting was moved to 4 pm"),
        ("My party is on Friday", "My sister's party was moved to Monday"),
        ("I'm allergic to cats", "I'm allergic to nuts"),
        ("I'm allergic to cats", "My nut allergy is gone"),
        ("I'm allergic to cats", "My brother's cat allergy is gone"),
        ("I'm allergic to cats", "My cat allergy is almost gone"),
        ("I'm allergic to cats", "My cat allergy is not gone"),
        ("I'm allergic to cats", "My cat is gone"),
        ("I like tea", "I like coffee"),
        ("I speak French", "I speak Spanish"),
        ("I have a dog called Rex", "I have a dog called Max"),
    ],
)
def test_what_may_be_true_beside_it_ends_nothing(old: str, new: str) -> None:
    """Of somebody or something else, past, planned, denied, or one of several."""
    assert relation(old, new) != "conflict"


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("The user's sister is called Anna", True),
        ("The user has a cat named Anna", True),
        ("Anna lives in Rome", False),
        ("The user likes the book Anna", False),
    ],
)
def test_a_name_is_known_where_somebody_is_called_so(text: str, is_named: bool) -> None:  # noqa: FBT001
    """What merely holds the name says of nobody that it is theirs."""
    assert named_so(text, "Anna") is is_named


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Max studies law", "Max studies medicine"),
        ("Max studies law", "Max also studies medicine now"),
        ("Max studies law", "Nora studies medicine now"),
        ("I study law", "My brother studies medicine now"),
        ("I study law", "I study at Leeds now"),
        ("I speak German", "I speak French now"),
        ("I play the piano", "I play the guitar now"),
    ],
)
def test_what_one_may_do_beside_another_is_not_ended_by_it(old: str, new: str) -> None:
    """Only of what is done for one thing at a time does "now" tell that the other is over."""
    assert relation(old, new) != "conflict"
