"""What a ledger promises of episodes, on every database and in both colours."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.base import ModelState
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import EpisodePlace
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Episode, Scope
from tests.conftest import Colour
from tests.ledgers import ALICE, BOB, KEY, MODEL, START, Clock, Drive, drive_of, length_of, put
from tests.ledgers import memory as some_memory
from tests.talks import OTHER_TALK, TALK, UPDATE, VECTOR, at, draft, episode, ids, read, remains, write

HELPER = Scope("alice", agent_id="helper", session_id="talk")
NEXT_MODEL = ModelState(name="next", dimension=2, is_current=False)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
IDS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1), max_size=3)
EPISODES_OF_ALICE = st.builds(
    Episode,
    id=st.just("ep"),
    scope=st.builds(Scope, st.just("alice"), agent_id=st.sampled_from([None, "helper"]), session_id=st.just("talk")),
    place=st.just(0),
    at=st.datetimes().map(lambda it: it.replace(tzinfo=START.tzinfo)),
    speaker=TEXT.filter(bool),
    text=TEXT,
    reply=TEXT,
    message_ids=IDS.map(tuple),
    purposes=st.sampled_from([(), ("support",), ("ads", "support")]),
    expires_at=st.none() | st.datetimes().map(lambda it: it.replace(tzinfo=START.tzinfo)),
)


class EpisodeLedgerContract:
    """Laws of one user's episodes. A subclass lives where its database does."""

    @pytest.fixture
    def ledger(self, sql_url: str) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, key=KEY, clock=Clock())
        database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    # ----------------------------------------------------------------------------------------------------------- keep
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(kept=st.lists(EPISODES_OF_ALICE, min_size=1, max_size=4))
    def test_what_is_kept_is_read_back_whole(self, ledger: SQLLedger, kept: list[Episode]) -> None:
        """Every field but place and revision, which the ledger gives, comes back as it was."""
        scope = Scope("alice", agent_id="helper")
        kept = [replace(one, id=f"ep-{uuid.uuid4().hex}") for one in kept]  # examples share the database
        run(write(ledger, lambda it: it.put([replace(draft(), episode=one) for one in kept], None), scope))
        found = run(read(ledger, lambda it: it.get([one.id for one in kept]), scope))
        stored = {it: replace(one.episode, place=0, revision=0) for it, one in found.items()}
        assert stored == {one.id: one for one in kept}

    async def test_episodes_stand_in_the_order_in_which_they_were_kept(self, ledger: SQLLedger, drive: Drive) -> None:
        """Each has a place of its own in its session, behind those before it, whoever numbered them."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2")], None)))
        await drive(write(ledger, lambda it: it.put([draft("ep-3"), draft("ep-x", OTHER_TALK)], None)))
        found = await drive(read(ledger, lambda it: it.get(["ep-1", "ep-2", "ep-3", "ep-x"])))
        assert [found[it].episode.place for it in ("ep-1", "ep-2", "ep-3", "ep-x")] == [0, 1, 2, 0]

    async def test_what_is_known_is_left_as_it_is(self, ledger: SQLLedger, drive: Drive) -> None:
        """Kept again with other words, an episode stays what it was, and no event is written."""
        await drive(write(ledger, lambda it: it.put([draft()], MODEL)))
        events = await drive(length_of(ledger))
        again = await drive(write(ledger, lambda it: it.put([draft(text="other words")], MODEL)))
        found = await drive(read(ledger, lambda it: it.get(["ep-1"])))
        assert (again, found["ep-1"].episode.text) == (0, "what ep-1 says")
        assert await drive(length_of(ledger)) == events

    async def test_a_turn_that_has_grown_is_kept_anew_in_its_place(self, ledger: SQLLedger, drive: Drive) -> None:
        """A reply that came later belongs to the turn; the turn stays where it was, corrected or not."""
        short = draft("ep-1", message_ids=("h",), reply="")
        await drive(write(ledger, lambda it: it.put([short, draft("ep-2")], MODEL)))
        await drive(write(ledger, lambda it: it.supersede(UPDATE, "told")))
        grown = await drive(write(ledger, lambda it: it.put([draft("ep-1", message_ids=("h", "a"))], MODEL)))
        found = (await drive(read(ledger, lambda it: it.get(["ep-1"]))))["ep-1"].episode
        links = await drive(read(ledger, lambda it: it.links(["ep-1", "ep-2"])))
        assert (grown, found.place, found.reply) == (1, 0, "what answers ep-1")
        assert [it.old_id for it in links["ep-2"]] == ["ep-1"]

    @pytest.mark.parametrize("names", [(), ("h",)])
    async def test_without_ids_a_reply_is_known_by_its_words(
        self, ledger: SQLLedger, drive: Drive, names: tuple[str, ...]
    ) -> None:
        """More replied behind what was replied is growth; other words are not, and no known message may be missing."""
        replies = {"": 1, "Yes.": 1, "Yes!": 0, "Yes.\nSure.": 1, "Yes.\nSure. ": 0, "Yes.\n": 0}
        told = [draft("ep-1", message_ids=names, reply=it) for it in replies]
        assert [await drive(write(ledger, lambda it: it.put([one], MODEL))) for one in told] == [*replies.values()]  # noqa: B023
        found = (await drive(read(ledger, lambda it: it.get(["ep-1"]))))["ep-1"].episode
        fewer = draft("ep-1", message_ids=(), reply="Yes.\nSure.\nIndeed.")
        assert (found.reply, await drive(write(ledger, lambda it: it.put([fewer], MODEL)))) == (
            "Yes.\nSure.",
            0 if names else 1,
        )

    async def test_a_turn_that_has_grown_keeps_its_time(self, ledger: SQLLedger, drive: Drive) -> None:
        """It was said when it was said, and ends no later than it would have without the reply."""
        short = draft("ep-1", message_ids=("h",), reply="", expires_at=at(60))
        await drive(write(ledger, lambda it: it.put([short], MODEL)))
        await drive(write(ledger, lambda it: it.put([draft("ep-1", at=at(5), expires_at=at(90))], MODEL)))
        found = (await drive(read(ledger, lambda it: it.get(["ep-1"]))))["ep-1"].episode
        assert (found.reply, found.at, found.expires_at) == ("what answers ep-1", START, at(60))

    @pytest.mark.parametrize(
        ("kept_for", "today", "left"),
        [
            (("support",), (), ("support",)),
            (("support",), ("ads", "support"), ("support",)),
            ((), ("ads",), ("ads",)),
            ((), (), ()),
        ],
    )
    async def test_growth_widens_no_purpose(
        self,
        ledger: SQLLedger,
        drive: Drive,
        kept_for: tuple[str, ...],
        today: tuple[str, ...],
        left: tuple[str, ...],
    ) -> None:
        """What has grown serves what both the turn and its reply may be used for."""
        short = draft("ep-1", message_ids=("h",), reply="", purposes=kept_for)
        await drive(write(ledger, lambda it: it.put([short], MODEL)))
        assert await drive(write(ledger, lambda it: it.put([draft("ep-1", purposes=today)], MODEL))) == 1
        assert (await drive(read(ledger, lambda it: it.get(["ep-1"]))))["ep-1"].episode.purposes == left

    async def test_a_reply_for_other_purposes_does_not_join_its_turn(self, ledger: SQLLedger, drive: Drive) -> None:
        """Nothing would be left to use both for: the turn stays as it was, and no event is written."""
        short = draft("ep-1", message_ids=("h",), reply="", purposes=("support",))
        await drive(write(ledger, lambda it: it.put([short], MODEL)))
        events = await drive(length_of(ledger))
        assert await drive(write(ledger, lambda it: it.put([draft("ep-1", purposes=("ads",))], MODEL))) == 0
        found = (await drive(read(ledger, lambda it: it.get(["ep-1"]))))["ep-1"].episode
        assert (found.purposes, found.reply, await drive(length_of(ledger))) == (("support",), "", events)

    async def test_a_turn_that_agents_share_is_no_news_of_one(self, ledger: SQLLedger, drive: Drive) -> None:
        """Nor one that they shared until it was forgotten; one that ended with its conversation is."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2"), draft("ep-3")], None)))
        await drive(write(ledger, lambda it: it.drop(["ep-2"], "asked")))
        await drive(write(ledger, lambda it: it.drop(["ep-3"], "ended", may_return=True)))
        offered = [replace(draft(f"ep-{it}h", HELPER), shared_id=f"ep-{it}") for it in (1, 2, 3, 4)]
        assert ids(await drive(read(ledger, lambda it: it.news(offered), HELPER))) == ["ep-3h", "ep-4h"]

    async def test_news_are_what_put_would_write(self, ledger: SQLLedger, drive: Drive) -> None:
        """Known ids, forgotten ids and repeated ids are no news; ended ones are."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2"), draft("ep-3")], None)))
        await drive(write(ledger, lambda it: it.drop(["ep-2"], "asked")))
        await drive(write(ledger, lambda it: it.drop(["ep-3"], "ended", may_return=True)))
        offered = [draft(f"ep-{it}") for it in (1, 2, 3, 4, 4)]
        news = await drive(read(ledger, lambda it: it.news(offered)))
        assert ids(news) == ["ep-3", "ep-4"]
        assert await drive(write(ledger, lambda it: it.put(offered, None))) == 2

    async def test_of_an_id_given_twice_what_was_said_first_is_kept(self, ledger: SQLLedger, drive: Drive) -> None:
        """A later turn of the same id replaces it only where it has grown by a reply."""
        first, other = draft("ep-1", text="first"), draft("ep-1", text="other")
        grown = draft("ep-2", text="grown", message_ids=("1", "2"))
        await drive(write(ledger, lambda it: it.put([first, other, draft("ep-2", message_ids=("1",)), grown], None)))
        kept = await drive(read(ledger, lambda it: it.get(["ep-1", "ep-2"])))
        assert {id_: it.episode.text for id_, it in kept.items()} == {"ep-1": "first", "ep-2": "grown"}

    async def test_a_batch_is_one_event_without_words(self, ledger: SQLLedger, drive: Drive) -> None:
        """The log says how many were kept, and nothing of what they say."""
        await drive(write(ledger, lambda it: it.put([draft(f"ep-{number}") for number in range(5)], None)))
        [event] = await drive(ledger.read(ALICE, lambda reader: reader.events()))
        assert (event.type, event.payload) == ("episodes_kept", {"note": {"kept": 5}})

    async def test_a_pointer_without_its_messages_is_not_kept(self, ledger: SQLLedger, drive: Drive) -> None:
        """What points into a conversation that is not there says nothing."""
        pointer = replace(draft(), is_pointer=True)
        assert await drive(write(ledger, lambda it: it.put([pointer], None))) == 0
        assert await drive(read(ledger, lambda it: it.get(["ep-1"]))) == {}

    # ----------------------------------------------------------------------------------------------------------- read
    async def test_a_listing_is_in_the_order_of_time(self, ledger: SQLLedger, drive: Drive) -> None:
        """Turns of one time stand as in their session; pages follow without a gap; a session can be chosen."""
        kept = [draft(f"ep-{it}", OTHER_TALK if it == 2 else TALK, at=at(-it // 2)) for it in range(5)]
        await drive(write(ledger, lambda it: it.put(kept, None)))
        every = await drive(read(ledger, lambda it: it.page(None, None, 10)))
        rest = await drive(read(ledger, lambda it: it.page(None, EpisodePlace.of(every[1].episode), 2)))
        one = await drive(read(ledger, lambda it: it.page("other", None, 10)))
        assert ids(every) == ["ep-3", "ep-4", "ep-2", "ep-1", "ep-0"]
        assert (ids(rest), ids(one)) == (["ep-2", "ep-1"], ["ep-2"])

    async def test_an_agent_sees_its_own_and_the_shared_ones(self, ledger: SQLLedger, drive: Drive) -> None:
        """Another agent's episode is not read, listed, found as a neighbour, superseded, dropped or cleared."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2", HELPER)], None), HELPER))
        for scope, seen in ((HELPER, ["ep-1", "ep-2"]), (ALICE, ["ep-1"])):
            assert sorted(await drive(read(ledger, lambda it: it.get(["ep-1", "ep-2"]), scope))) == seen
            assert sorted(ids(await drive(read(ledger, lambda it: it.page("talk", None, 9), scope)))) == seen
        await drive(write(ledger, lambda it: it.supersede(UPDATE, "told")))
        assert await drive(write(ledger, lambda it: it.drop(["ep-2"], "asked"))) == 0
        assert await drive(write(ledger, lambda it: it.clear(None, "asked"))) == 1
        assert await drive(read(ledger, lambda it: (list(it.get(["ep-2"])), it.links(["ep-2"])), HELPER)) == (
            ["ep-2"],
            {},
        )

    # ------------------------------------------------------------------------------------------------------- for views
    async def test_a_view_hears_of_every_change(self, ledger: SQLLedger, drive: Drive) -> None:
        """What was kept, superseded, embedded or dropped since a revision is what comes after it."""
        seen = 0
        heard: list[tuple[str, ...]] = []
        for change in (
            lambda it: it.put([draft("ep-1"), draft("ep-2")], MODEL),
            lambda it: it.supersede(UPDATE, "told"),
            lambda it: it.put_vectors([replace(draft("ep-2"), episode=it.get(["ep-2"])["ep-2"].episode)], MODEL),
            lambda it: it.drop(["ep-1"], "asked"),
            lambda it: it.clear("talk", "asked"),
        ):
            await drive(write(ledger, change))
            revision, rows = await drive(read(ledger, lambda it: (it.revision, it.rows(seen, MODEL.name))))  # noqa: B023
            heard.append(tuple(sorted(f"{row.episode_id}{'-' * row.is_gone}" for row in rows)))
            seen = revision
        assert heard == [("ep-1", "ep-2"), ("ep-2",), ("ep-2",), ("ep-1-",), ("ep-2-",)]

    async def test_a_row_holds_terms_and_vector_and_no_words(self, ledger: SQLLedger, drive: Drive) -> None:
        """Search sees hashes only, of every agent, with the vectors of the model that is asked for."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1", HELPER)], MODEL)))
        [row] = await drive(read(ledger, lambda it: it.rows(0, MODEL.name)))
        [other] = await drive(read(ledger, lambda it: it.rows(0, "another model")))
        assert (row.vector, other.vector, row.agent_id, row.session_id) == (VECTOR, None, "helper", "talk")
        assert b"says" not in row.terms + row.reply_terms

    async def test_vectors_of_another_model_stand_beside(self, ledger: SQLLedger, drive: Drive) -> None:
        """What lacks them is listed until it has them; what changed meanwhile gets none."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2", HELPER)], MODEL)))
        missing = await drive(read(ledger, lambda it: it.without_vector("next", 10)))
        drafts = [replace(draft(), episode=it.episode, vector=VECTOR) for it in missing]
        await drive(write(ledger, lambda it: it.supersede(UPDATE, "told"), HELPER))
        stored = await drive(write(ledger, lambda it: it.put_vectors(drafts, NEXT_MODEL)))
        left = await drive(read(ledger, lambda it: it.without_vector("next", 10)))
        assert (sorted(ids(missing)), stored, ids(left)) == (["ep-1", "ep-2"], 1, ["ep-2"])

    # ------------------------------------------------------------------------------------------------------------ end
    async def test_what_is_dropped_leaves_no_word(self, ledger: SQLLedger, drive: Drive) -> None:
        """Words, terms and vectors go; a place in the order of changes stays, and does not come back."""
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2")], MODEL)))
        assert await drive(write(ledger, lambda it: it.drop(["ep-1", "ep-9"], "asked"))) == 1
        assert remains(ledger.database) == []
        assert await drive(read(ledger, lambda it: sorted(it.get(["ep-1", "ep-2"])))) == ["ep-2"]
        assert await drive(write(ledger, lambda it: it.put([draft("ep-1")], MODEL))) == 0

    async def test_what_is_cleared_may_be_told_anew(self, ledger: SQLLedger, drive: Drive) -> None:
        """One session, or all; by one event that says how many, and none where there was nothing."""
        kept = [draft("ep-1"), draft("ep-2", OTHER_TALK), draft("ep-3", HELPER)]
        await drive(write(ledger, lambda it: it.put(kept, MODEL), HELPER))
        events = await drive(length_of(ledger))
        assert await drive(write(ledger, lambda it: it.clear("talk", "ended", of_every_agent=True))) == 2
        assert await drive(write(ledger, lambda it: it.clear("nowhere", "ended"))) == 0
        assert await drive(length_of(ledger)) == events + 1
        assert remains(ledger.database) == []
        assert await drive(write(ledger, lambda it: it.put([draft("ep-1")], MODEL))) == 1

    async def test_what_expired_is_taken_out_a_part_at_a_time(self, ledger: SQLLedger, drive: Drive) -> None:
        """Of every agent, whose time has come, and no other."""
        kept = [draft(f"ep-{it}", HELPER if it % 2 else TALK, expires_at=at(it)) for it in range(5)]
        await drive(write(ledger, lambda it: it.put([*kept, draft("ep-9")], MODEL), HELPER))
        now = to_micros(at(2)) or 0
        counts = [await drive(write(ledger, lambda it: it.drop_expired(now, 2))) for _ in range(3)]
        left = await drive(read(ledger, lambda it: sorted(it.get([f"ep-{n}" for n in range(10)])), HELPER))
        assert (counts, left) == ([2, 1, 0], ["ep-3", "ep-4", "ep-9"])
        assert remains(ledger.database) == []

    # -------------------------------------------------------------------------------------------------------- the log
    async def test_the_log_verifies_and_replays_with_episodes_in_it(self, ledger: SQLLedger, drive: Drive) -> None:
        """Events of episodes are links of the chain, and change no memory when it is played anew."""
        await drive(put(ledger, some_memory()))
        await drive(write(ledger, lambda it: it.put([draft("ep-1"), draft("ep-2")], MODEL)))
        await drive(write(ledger, lambda it: it.supersede(UPDATE, "told")))
        await drive(write(ledger, lambda it: it.drop(["ep-1"], "asked")))
        assert (await drive(ledger.verify(ALICE))).is_intact
        assert await drive(ledger.replay(ALICE)) == 1
        assert sorted(await drive(read(ledger, lambda it: it.get(["ep-1", "ep-2"])))) == ["ep-2"]

    async def test_users_do_not_meet(self, ledger: SQLLedger, drive: Drive) -> None:
        """The same id is two episodes for two users, and what one drops the other keeps."""
        bob = replace(TALK, user_id="bob")
        await drive(write(ledger, lambda it: it.put([draft()], MODEL)))
        await drive(write(ledger, lambda it: it.put([draft("ep-1", bob, text="of bob")], MODEL), BOB))
        await drive(write(ledger, lambda it: it.drop(["ep-1"], "asked")))
        found = await drive(read(ledger, lambda it: it.get(["ep-1"]), BOB))
        assert found["ep-1"].episode.text == "of bob"
        assert [row.is_gone for row in await drive(read(ledger, lambda it: it.rows(0, None), BOB))] == [False]

    def test_an_episode_equals_what_it_was_made_of(self) -> None:
        """As a memory it shows both sides, each with its speaker."""
        shown = episode(speaker="Mel", text="hi", reply="hello").as_memory()
        assert (shown.kind, shown.content, shown.subject) == ("episode", "Mel: hi\nassistant: hello", "Mel")
