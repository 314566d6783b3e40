"""Whether consent covers a use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.consents import dump_consent, load_consent
from langchain_agentmem.policies.consent import Consented, common_purposes, consent_after, judge_consent
from langchain_agentmem.policies.consent_request import ConsentRequest, entries, read_answer
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import KINDS, ConsentState, Kind
from tests.ledgers import START


@pytest.mark.parametrize("mode", ["required", "assumed"])
def test_a_withdrawal_counts_in_either_mode(mode: ConsentMode) -> None:
    """Assumed consent does not outlive a no."""
    ruling = judge_consent(ConsentState(status="withdrawn"), mode)
    assert ruling is not None
    assert "grant(scope)" in ruling.reason


def test_a_grant_without_purposes_covers_all() -> None:
    """Unrestricted consent covers whatever is asked."""
    assert judge_consent(ConsentState(status="granted"), "required", ("support", "research")) is None


def test_a_restricted_grant_covers_its_purposes_only() -> None:
    """Each purpose must be among those granted."""
    state = ConsentState(status="granted", purposes=("support",))
    assert judge_consent(state, "required", ("support",)) is None
    assert judge_consent(state, "required", ()) is None
    assert judge_consent(state, "assumed", ("support", "ads")) is not None


def test_unknown_consent_is_enough_only_where_it_is_assumed() -> None:
    """The default asks first."""
    assert judge_consent(ConsentState(), "assumed") is None
    assert judge_consent(ConsentState(), "required") is not None


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        ((), (), ()),
        (("support",), (), ("support",)),
        ((), ("ads",), ("ads",)),
        (("ads", "support"), ("support", "tax"), ("support",)),
        (("ads",), ("support",), None),
    ],
)
def test_two_restrictions_allow_what_both_do(
    first: tuple[str, ...], second: tuple[str, ...], common: tuple[str, ...] | None
) -> None:
    """Where one allows all, the other counts; where nothing is common, nothing is allowed."""
    assert common_purposes(first, second) == common


# ------------------------------------------------------------------------------------------------- kinds and purposes
PURPOSES = ("ads", "research", "support")
_KINDS = st.none() | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True)
_STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["consent_granted", "consent_withdrawn"]),
            "kinds": _KINDS,
            "purposes": st.lists(st.sampled_from(PURPOSES), max_size=2, unique=True),
            "days": st.none() | st.integers(1, 5),
        }
    ),
    max_size=6,
)


def folded(steps: Sequence[Mapping[str, Any]]) -> ConsentState:
    """Return what some answers leave, a day after each other."""
    state = ConsentState()
    for day, it in enumerate(steps):
        at = START + timedelta(days=day)
        ends = {} if it["days"] is None else {"expires_at": (at + timedelta(days=it["days"])).isoformat()}
        named = {} if it["kinds"] is None else {"kinds": it["kinds"]}
        state = consent_after(state, it["type"], {"purposes": it["purposes"], **named, **ends}, at)
    return state


def allowed(steps: Sequence[Mapping[str, Any]], kind: Kind, purpose: str, now: datetime) -> bool:
    """Whether a use is allowed, told as simply as it can be: each use by itself, answer by answer."""
    until: datetime | None = None
    is_allowed = False
    for day, it in enumerate(steps):
        is_meant = it["kinds"] is None or kind in it["kinds"]
        is_named = not it["purposes"] or purpose in it["purposes"]
        if is_meant and it["type"] == "consent_granted":
            is_allowed = is_named
            until = None if it["days"] is None else START + timedelta(days=day + it["days"])
        elif is_meant and is_named:
            is_allowed = False
    return is_allowed and (until is None or now < until)


@given(steps=_STEPS, kind=st.sampled_from(KINDS), purpose=st.sampled_from(PURPOSES), day=st.integers(0, 12))
def test_each_use_is_allowed_as_its_own_answers_say(
    steps: list[dict[str, Any]], kind: Kind, purpose: str, day: int
) -> None:
    """Whatever was answered about other kinds and purposes, before or after; and when it is over, it is."""
    now = START + timedelta(days=day)
    state = folded(steps).as_of(now)
    expected = allowed(steps, kind, purpose, now)
    assert (judge_consent(state, "required", (purpose,), kind=kind) is None) is expected
    consented = Consented(state=state)
    assert (consented.allows(kind) and consented.serves(kind, purpose)) is expected
    assert not expected or consented.may_read(purpose, [kind])


@given(steps=_STEPS)
def test_what_is_stored_of_consent_is_what_was_said(steps: list[dict[str, Any]]) -> None:
    """Nothing of it is lost on the way to the database and back, and the text is always the same."""
    state = folded(steps)
    stored = dump_consent(state)
    assert load_consent(state.status, stored, to_micros(state.at)) == state
    assert dump_consent(load_consent(state.status, stored, to_micros(state.at))) == stored


@given(
    steps=_STEPS,
    said=st.sampled_from(["allow", "refuse"]),
    kinds=_KINDS,
    purposes=st.lists(st.sampled_from(PURPOSES), unique=True),
)
def test_what_was_answered_is_not_asked_again(
    steps: list[dict[str, Any]], said: str, kinds: list[Kind] | None, purposes: list[str]
) -> None:
    """Neither after a yes nor after a no; and a yes allows what was asked, a no nothing of it."""
    state = folded(steps)
    request = ConsentRequest(kinds=kinds, purposes=purposes)
    still = request.open_in(state, "required")
    if still is None:
        return
    answer = read_answer(said, still)
    assert answer is not None
    for entry in entries(state, still, answer):
        named = {} if entry.kinds is None else {"kinds": entry.kinds}
        name = "consent_granted" if entry.is_granted else "consent_withdrawn"
        state = consent_after(state, name, {"purposes": entry.purposes, **named}, START)
    assert request.open_in(state, "required") is None
    for kind in still.kinds or ():
        rulings = [judge_consent(state, "required", (it,), kind=kind) for it in still.purposes]
        assert all((ruling is None) is (said == "allow") for ruling in rulings)


@pytest.mark.parametrize(
    "answer", ["perhaps", None, 1, {}, {"decision": "some"}, {"decision": "some", "kinds": "fact"}]
)
def test_an_unclear_answer_is_none(answer: object) -> None:
    """Who does not say clearly what they allow is asked again."""
    assert read_answer(answer, ConsentRequest(kinds=["fact"])) is None


def test_a_reason_names_kind_purpose_and_remedy() -> None:
    """So that whoever reads it knows what to do."""
    state = consent_after(ConsentState(), "consent_granted", {"kinds": ["fact"], "purposes": ["support"]}, START)
    missing, beyond = (
        judge_consent(state, "required", kind="goal"),
        judge_consent(state, "required", ("ads",), kind="fact"),
    )
    assert missing is not None
    assert beyond is not None
    assert "memory.consent.grant(scope, kinds=['goal'])" in missing.reason
    assert "'ads'" in beyond.reason
    assert "'fact'" in beyond.reason


LABELS = st.lists(st.sampled_from(["support", "ads", "tax"]), unique=True).map(tuple)


@given(LABELS, st.none() | st.sampled_from(["support", "ads", "tax"]), st.sampled_from(KINDS))
def test_consent_that_is_limited_to_purposes_serves_no_use_without_one(
    purposes: tuple[str, ...], purpose: str | None, kind: Kind
) -> None:
    """A use that names no purpose is served where none need be named, and one that does by what covers it."""
    given = Consented(state=ConsentState(status="granted", purposes=purposes))
    assert given.serves(kind, purpose) is (not purposes or purpose in purposes)


@given(LABELS, LABELS, LABELS)
@example(("support",), ("ads",), ())
@example(("support",), ("ads",), ("support", "ads", "tax"))
def test_a_withdrawal_takes_nothing_from_those_before_it(
    one: tuple[str, ...], other: tuple[str, ...], granted: tuple[str, ...]
) -> None:
    """Two withdrawals of purposes leave what neither names, whichever came first."""
    state = consent_after(ConsentState(), "consent_granted", {"purposes": list(granted)}, START)
    for named in (one, other):
        if named:
            state = consent_after(state, "consent_withdrawn", {"purposes": list(named)}, START)
    given, taken = Consented(state=state), {*one, *other}
    for purpose in ("support", "ads", "tax"):
        is_left = (not granted or purpose in granted) and purpose not in taken
        assert (given.allows("fact") and given.serves("fact", purpose)) is is_left
