"""What comes back is marked as it would be, had it never been away, and a mark goes from both."""

from __future__ import annotations

from typing import Final

import pytest

from langchain_agentmem import GovernanceError
from tests.conftest import Call
from tests.contracts.coming_back_contract import WAYS, Returner, Returning
from tests.contracts.profiles_contract import Clock
from tests.contracts.undo_later_contract import ALICE, LEEDS, YORK

KROGER: Final = "I always buy my groceries at Kroger"
ALDI: Final = "Since the Kroger shut I buy my groceries at Aldi"
TWO: Final = "I have two dogs, Rex and Bella"
ONE: Final = "I have a dog called Rex"


class MarkedBackContract(Returning):
    """Subclass it beside a fixture `sql_url`."""

    @pytest.mark.parametrize("way", WAYS)
    async def test_what_was_likely_left_out_of_date_meanwhile_is_marked(self, mover: Returner, way: str) -> None:
        """As if it had never been away: signs mark both, and end neither."""
        await mover.say(KROGER)
        await mover.go(way, KROGER)
        await mover.say(ALDI)
        await mover.back(way, KROGER)
        assert await mover.contradicts(KROGER, ALDI) == [[ALDI], [KROGER]]

    async def test_what_was_marked_once_is_marked_by_both_again(self, mover: Returner) -> None:
        """One dog stood in the place of two, which were undone, and come back: no rule reads that one or other goes."""
        await mover.say(TWO)
        one = await mover.call(mover.memory.long_term, "correct", mover.ids[TWO], ONE, scope=ALICE)
        mover.ids[ONE] = one.require().id
        await mover.undo("remembered", TWO, with_later=True)
        await mover.restore(TWO)
        assert await mover.contradicts(TWO, ONE) == [[ONE], [TWO]]

    async def test_a_mark_is_taken_back_from_both(self, mover: Returner) -> None:
        """Who undoes what signs marked has neither name the other; undone again, each does."""
        await mover.say(KROGER, ALDI)
        done = await mover.undo("contradicted", KROGER)
        assert await mover.contradicts(KROGER, ALDI) == [[], []]
        await mover.call(mover.memory.timeline, "undo", done[0].event, scope=ALICE)
        assert await mover.contradicts(KROGER, ALDI) == [[ALDI], [KROGER]]

    async def test_what_a_rule_reads_as_contrary_stays_marked(self, sql_url: str, call: Call, clock: Clock) -> None:
        """Both are in force, and nobody may see one without the other: the mark is not undone."""
        async with self.opened(sql_url, call, clock, "keep_both") as mover:
            await mover.say(LEEDS, YORK)
            with pytest.raises(GovernanceError) as refused:
                await mover.undo("contradicted", LEEDS)
            assert refused.value.rule == "contradiction"
            assert await mover.contradicts(LEEDS, YORK) == [[YORK], [LEEDS]]
