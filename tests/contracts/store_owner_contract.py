"""What a store of LangGraph's promises about whose namespaces are: subjects, erasure, sealing, templates."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest
import sqlalchemy as sa
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.items.base import Erased
from langchain_agentmem.items.values import terms_of, unpack_texts
from langchain_agentmem.sql.schema import STORE_ITEMS, STORE_NAMESPACES
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing.laws import StillClock, keys
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.contracts.sql_saver_contract import PersonalVault, ReversingVault
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open

ALICE, BOB = Scope("alice"), Scope("bob", tenant_id="acme")
TEMPLATE = ("memories", "{user_id}")
TEAM, BLUE = ("team", "{team_id}"), {"team_id": "blue"}
COMPOSED = ("memories", "{user_id}-{thread_id}")
ACME, GLOBEX = ({"user_id": "alice", "tenant_id": tenant, "thread_id": "b-c"} for tenant in ("acme", "globex"))
ALICE_B = {"user_id": "alice-b", "tenant_id": "acme", "thread_id": "c"}
SIDES: tuple[Literal["prefix", "suffix"], ...] = ("prefix", "suffix")
OTHERS = pytest.mark.parametrize(("template", "other"), [(TEMPLATE, GLOBEX), (COMPOSED, GLOBEX), (COMPOSED, ALICE_B)])


def subject(namespace: tuple[str, ...]) -> Scope | None:
    """Whose a namespace is: the user's whom its second label names."""
    return {"alice": ALICE, "bob": BOB}.get(namespace[1]) if len(namespace) > 1 else None


async def in_run(call: Call, configurable: dict[str, str], store: SQLStore, *ops: Any) -> list[Any]:
    """Answer a batch inside a run."""
    found: list[Any] = await in_run_call(call, configurable, store, "batch", list(ops))
    return found


async def in_run_call(call: Call, configurable: dict[str, str], store: SQLStore, method: str, *args: Any) -> Any:  # noqa: ANN401
    """Call a method inside a run."""

    async def made(_: None) -> Any:  # noqa: ANN401
        return await call(store, method, *args)

    return await RunnableLambda(made).ainvoke(None, {"configurable": configurable})


class State(TypedDict, total=False):
    found: list[str]


def dump(store: SQLStore) -> str:
    """Every row of the store's tables."""

    def read(connection: sa.Connection) -> str:
        return str([connection.execute(it.select()).all() for it in (STORE_ITEMS, STORE_NAMESPACES)])

    return run(store._database.read(read))


def contents(store: SQLStore) -> list[bytes]:
    """Everything that the tables hold, and of SQLite every file."""

    def read(connection: sa.Connection) -> list[Any]:
        return [
            value for it in (STORE_ITEMS, STORE_NAMESPACES) for row in connection.execute(it.select()) for value in row
        ]

    held = [it if isinstance(it, bytes) else str(it).encode() for it in run(store._database.read(read))]
    path = store._database.url.database
    files = Path(path).parent.glob("*.db*") if store._database.is_sqlite and path else []
    return [*held, *(file.read_bytes() for file in files)]


def vectors_of(store: SQLStore) -> dict[str, list[bytes]]:
    """The vectors of items by their keys."""
    found = run(store._database.read(lambda it: it.execute(sa.select(STORE_ITEMS.c.key, STORE_ITEMS.c.terms)).all()))
    return {key: [it.data for it in unpack_texts(terms).vectors.values()] for key, terms in found}


class StoreOwnerContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def store(self, open_store: Open) -> SQLStore:
        return open_store(subject=subject, index={"embed": WordEmbeddings(dim=32)})

    # -------------------------------------------------------------------------------------------------------- erasure
    async def test_erasing_a_user_takes_theirs_and_no_more(self, store: SQLStore, call: Call) -> None:
        """All namespaces of the user go, counted; others' items, order and answers stay."""
        places = [("m", "alice"), ("m", "alice", "deep"), ("n", "alice"), ("m", "bob"), ("m", "alicex"), ("m",)]
        await call(store, "batch", [PutOp(place, key, {"text": "tea"}) for place in places for key in "ab"])
        await call(store, "search", (), query="tea")
        assert await call(store, "erase", ALICE) == Erased(items=6, namespaces=3)
        assert await call(store, "list_namespaces") == sorted(places[3:])
        assert len(await call(store, "search", (), query="tea", limit=100)) == 6
        assert await call(store, "erase", ALICE) == Erased(items=0, namespaces=0)
        assert await call(store, "erase", Scope("bob")) == Erased(items=0, namespaces=0)

    async def test_erasure_finds_what_had_no_owner(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """What was written before anybody said whose it is, is erased with the user whose it is now."""
        await call(open_store(), "put", ("m", "alice"), "a", {"text": "tea"})
        assert await call(store, "erase", ALICE) == Erased(items=1, namespaces=1)

    async def test_nothing_is_left_of_what_was_erased(self, store: SQLStore, call: Call) -> None:
        """Neither a table nor a file of the database holds a word of it, a hash of one, or its vector."""
        await call(store, "put", ("m", "alice"), "a-needle", {"text": "the needle " * 500})
        await call(store, "put", ("m", "alice"), "a-needle", {"text": "a needle"}, ttl=5)
        await call(store, "put", ("m", "bob"), "a", {"text": "tea"})
        assert len(await call(store, "search", ("m",), query="needle")) == 2
        forms = [b"needle", terms_of(["needle"])[0][:8], *vectors_of(store)["a-needle"]]
        assert all(any(form in held for held in contents(store)) for form in forms)
        await call(store, "erase", ALICE)
        assert not any(form in held for held in contents(store) for form in forms)
        assert (len(store._stored._views), keys(await call(store, "search", (), query="needle"))) == (0, ["a"])

    async def test_deleting_a_namespace_takes_it_and_what_is_below(self, open_store: Open, call: Call) -> None:
        """Label by label, of whatever user, counted as they were seen; a dry run counts the same and takes nothing."""
        clock = StillClock()
        store = open_store(subject=subject, clock=clock, index={"embed": WordEmbeddings(dim=32)})
        places = [("m", "alice"), ("m", "bob", "deep"), ("m",), ("m%", "bob"), ("mm",), ("n", "m")]
        await call(store, "batch", [PutOp(place, key, {"text": "tea"}) for place in places for key in "ab"])
        await call(store, "batch", [PutOp(("m", place), "old", {"text": "tea"}, ttl=1) for place in ("alice", "gone")])
        clock.forward(minutes=2)
        before = await call(store, "search", (), query="tea", limit=100)
        assert await call(store, "delete_namespace", ("m",), dry_run=True) == Erased(items=6, namespaces=3)
        assert await call(store, "search", (), query="tea", limit=100) == before
        assert await call(store, "delete_namespace", ("m",)) == Erased(items=6, namespaces=3)
        assert await call(store, "list_namespaces") == sorted(places[3:])
        left = await call(store, "search", (), query="tea", limit=100)
        assert sorted((it.namespace, it.key) for it in left) == sorted((it, key) for it in places[3:] for key in "ab")
        assert all(place not in dump(store) for place in ("'m.'", "'m.alice.'", "'m.gone.'"))
        assert await call(store, "delete_namespace", ("m",)) == Erased(items=0, namespaces=0)
        await call(store, "put", ("m", "alice"), "a", {"text": "tea"})
        assert keys(await call(store, "search", ("m",), query="tea")) == ["a"]

    async def test_nothing_is_left_of_a_deleted_namespace(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """No table, file or view holds a word or vector of it; what another store remembered goes with its search."""
        other = open_store(subject=subject, index={"embed": WordEmbeddings(dim=32)})
        await call(store, "put", ("m", "alice"), "a-needle", {"text": "a needle"})
        await call(store, "put", ("n", "alice"), "a", {"text": "tea"})
        assert len(await call(other, "search", (), query="needle")) == 2
        forms = [b"needle", terms_of(["needle"])[0][:8], *vectors_of(store)["a-needle"]]
        assert all(any(form in held for held in contents(store)) for form in forms)
        await call(store, "delete_namespace", ("m", "alice"))
        assert not any(form in held for held in contents(store) for form in forms)
        assert len(store._stored._views) == 0
        assert keys(await call(other, "search", (), query="needle")) == ["a"]

    async def test_a_template_deletes_the_runs_users_alone(self, open_store: Open, call: Call) -> None:
        """Users of two tenants with the same id have one each under that name, and keep what is theirs."""
        store = open_store()
        for run_of in (ACME, GLOBEX):
            await in_run(call, run_of, store, PutOp(TEMPLATE, "k", {"of": run_of["tenant_id"]}))
        deleted = await in_run_call(call, ACME, store, "delete_namespace", TEMPLATE)
        assert deleted == Erased(items=1, namespaces=1)
        assert await in_run(call, ACME, store, GetOp(TEMPLATE, "k")) == [None]
        [found] = await in_run(call, GLOBEX, store, GetOp(TEMPLATE, "k"))
        assert found.value == {"of": "globex"}

    @pytest.mark.parametrize("prefix", [(), "m", None, ("",), ("a.b",), ("m", 1), TEMPLATE])
    async def test_a_prefix_that_cannot_be_meant_deletes_nothing(
        self,
        store: SQLStore,
        call: Call,
        prefix: Any,  # noqa: ANN401
    ) -> None:
        """Neither everything nor the letters of a label, and no template without a run."""
        await call(store, "put", ("m", "alice"), "a", {"n": 1})
        with pytest.raises((ConfigurationError, InvalidNamespaceError)):
            await call(store, "delete_namespace", prefix)
        with pytest.raises(ConfigurationError, match="dry_run"):
            await call(store, "delete_namespace", ("m",), dry_run="no")
        assert keys(await call(store, "search", ())) == ["a"]

    async def test_a_vault_needs_no_key_to_delete(self, open_store: Open, call: Call) -> None:
        """What nobody can read any more can be deleted, whosever it is."""
        vault = ReversingVault()
        store = open_store(subject=subject, vault=vault)
        for user in ("alice", "bob"):
            await call(store, "put", ("m", user), "a", {"n": 1})
        vault.asked.clear()
        assert await call(store, "delete_namespace", ("m",)) == Erased(items=2, namespaces=2)
        assert vault.asked == set()

    async def test_a_namespace_stays_its_users(self, store: SQLStore, open_store: Open, call: Call) -> None:
        """Nobody else's name can be put on a namespace, and nothing of such a batch is written."""
        await call(store, "put", ("m", "alice"), "a", {"n": 1})
        other = open_store(subject=lambda _: BOB)
        with pytest.raises(ScopeError, match="another user"):
            await call(other, "batch", [PutOp(("free",), "b", {"n": 1}), PutOp(("m", "alice"), "b", {"n": 1})])
        with pytest.raises(ScopeError, match="another user"):
            await call(other, "put", ("m", "alice"), "a", {"n": 2})
        assert keys(await call(store, "search", ())) == ["a"]

    @pytest.mark.parametrize("named", [Scope.anonymous("s"), "alice"])
    async def test_a_subject_is_a_user(self, open_store: Open, call: Call, named: Any) -> None:  # noqa: ANN401
        """A subject that is no scope of a user is refused before anything is written."""
        store = open_store(subject=lambda _: named)
        with pytest.raises((ScopeError, ConfigurationError)):
            await call(store, "put", ("m",), "a", {"n": 1})
        with pytest.raises((ScopeError, ConfigurationError)):
            await call(store, "erase", named)

    # -------------------------------------------------------------------------------------------------------- sealing
    async def test_a_vault_seals_values_and_terms(self, open_store: Open, call: Call) -> None:
        """Under a vault no column holds a value in clear, everything works, and each user's key is asked for."""
        vault = ReversingVault()
        store = open_store(subject=subject, vault=vault, index={"embed": WordEmbeddings(dim=32), "fields": ["text"]})
        for user in ("alice", "bob"):
            await call(store, "batch", [PutOp(("m", user), key, {"text": f"needle {key}"}, ttl=5) for key in "ab"])
        assert "needle" not in dump(store)
        assert (await call(store, "get", ("m", "bob"), "a")).value == {"text": "needle a"}
        assert len(await call(store, "search", ("m",), query="needle")) == 4
        assert keys(await call(store, "search", ("m", "alice"), filter={"text": "needle b"})) == ["b"]
        ops = [PutOp(("m", "bob"), "a", {"text": "needle c"}), ListNamespacesOp()]
        assert await call(store, "batch", ops) == [None, [("m", "alice"), ("m", "bob")]]
        assert vault.asked == {"alice", "bob"}

    async def test_a_sealed_row_opens_only_in_its_place(self, open_store: Open, call: Call) -> None:
        """A sealed value or sealed terms moved to another key are noticed."""
        store = open_store(subject=subject, vault=ReversingVault())
        await call(store, "batch", [PutOp(("m", "alice"), key, {"text": f"tea {key}"}) for key in "ab"])
        swapped = "UPDATE agentmem_store_items SET {0} = (SELECT {0} FROM agentmem_store_items WHERE key = 'a')"
        run(store._database.write(lambda it: it.exec_driver_sql(swapped.format("terms"))))
        with pytest.raises(IntegrityError):
            await call(store, "search", ("m",), query="tea")
        run(store._database.write(lambda it: it.exec_driver_sql(swapped.format("sealed"))))
        with pytest.raises(IntegrityError):
            await call(store, "get", ("m", "alice"), "b")

    @pytest.mark.usefixtures("unmarked")
    async def test_a_vault_needs_an_owner(self, open_store: Open, call: Call) -> None:
        """Under a vault what is nobody's is refused, and what was written in clear before is not read."""
        store = open_store(subject=subject, vault=ReversingVault())
        with pytest.raises(ScopeError, match="subject="):
            await call(store, "put", ("m", "nobody"), "a", {"n": 1})
        await call(open_store(), "put", ("m", "nobody"), "a", {"n": 1})
        with pytest.raises(IntegrityError, match="nobody"):
            await call(store, "get", ("m", "nobody"), "a")

    # ------------------------------------------------------------------------------------------------------ templates
    async def test_a_template_is_filled_from_the_run(self, store: SQLStore, colour: Colour) -> None:
        """In a graph each user has their own namespace; the context goes before the config."""
        for user in ("alice", "bob"):
            for _ in range(2):
                await remember_in_graph(store, colour, {"context": {"user_id": user}, "configured": "mallory"})
        await remember_in_graph(store, colour, {"configured": "carol"})
        names = [("memories", "user-alice"), ("memories", "user-bob"), ("memories", "user-carol")]
        assert store.list_namespaces(prefix=("memories",)) == names

    async def test_what_a_template_fills_belongs_to_the_user(self, open_store: Open, colour: Colour) -> None:
        """A namespace whose template named the user is the user's, sealed and erased as theirs, without a subject."""
        vault = ReversingVault()
        store = open_store(vault=vault)
        await remember_in_graph(store, colour, {"context": {"user_id": "alice", "tenant_id": "acme"}})
        assert vault.asked == {"alice"}
        assert store.erase(Scope("alice")) == Erased(items=0, namespaces=0)
        assert store.erase(Scope("alice", tenant_id="acme")) == Erased(items=1, namespaces=1)

    @pytest.mark.parametrize(
        "label", ["{user_id}", "user-{user_id}", "{user-id}", "{ user_id }", "{}", "{{user_id}}", "{x.y}"]
    )
    async def test_a_template_is_never_a_namespace(self, store: SQLStore, call: Call, label: str) -> None:
        """Where the run says nothing, or the template is none that can be filled, every operation is refused."""
        namespace = ("memories", label.replace(".", "\u2024"))
        calls: list[tuple[Any, ...]] = [
            ("put", namespace, "a", {"n": 1}),
            ("get", namespace, "a"),
            ("delete", namespace, "a"),
            ("search", namespace),
        ]
        for name, *args in calls:
            with pytest.raises(ConfigurationError, match="template"):
                await call(store, name, *args)
        with pytest.raises(ConfigurationError, match="template"):
            await call(store, "list_namespaces", suffix=namespace)
        assert await call(store, "search", ()) == []

    async def test_an_id_that_no_label_can_be_says_so(self, store: SQLStore, call: Call) -> None:
        """LangGraph allows no period in a label: the error names template, id and what to do."""
        with pytest.raises(InvalidNamespaceError, match=r"'\{user_id\}'.*'a@b\.org'.*by an id without it"):
            await in_run(call, {"user_id": "a@b.org"}, store, GetOp(("memories", "{user_id}"), "k"))

    async def test_one_brace_is_a_letter(self, store: SQLStore, call: Call) -> None:
        """A label with braces that are no pair is a label like any other."""
        await call(store, "put", ("a{", "}b"), "k", {"n": 1})
        assert await call(store, "list_namespaces") == [("a{", "}b")]

    @OTHERS
    async def test_a_filled_template_is_its_users_alone(
        self, open_store: Open, call: Call, template: tuple[str, ...], other: dict[str, str]
    ) -> None:
        """Another tenant's user of the same id, or one who fills the label alike, reads, lists and deletes nothing."""
        store = open_store()
        put = PutOp(template, "a", {"text": "tea"})
        reads: list[Any] = [GetOp(template, "a"), SearchOp(template), SearchOp(template, query="tea")]
        reads += [SearchOp(template, filter={"text": "tea"}), SearchOp(template, query="tea", filter={"text": "tea"})]
        reads += [ListNamespacesOp((MatchCondition(it, template),)) for it in SIDES]
        await in_run(call, ACME, store, put)
        before = await in_run(call, ACME, store, *reads)
        assert all(before)
        assert not any(await in_run(call, other, store, *reads))
        assert await in_run(call, other, store, *reads, PutOp(template, "a", None)) == [None, *[[]] * 6, None]
        assert await in_run(call, ACME, store, *reads) == before

    @OTHERS
    async def test_users_for_whom_a_template_is_filled_alike_have_one_each(
        self, open_store: Open, call: Call, template: tuple[str, ...], other: dict[str, str]
    ) -> None:
        """Each puts, finds, replaces, deletes and is erased alone; the name is the same, and the first keeps it."""
        store = open_store(index={"embed": WordEmbeddings(dim=32)})
        reads: list[Any] = [GetOp(template, "a"), SearchOp(template), SearchOp(template, query="tea")]
        for run_of, text in ((ACME, "green tea"), (other, "black tea"), (other, "white tea")):
            await in_run(call, run_of, store, PutOp(template, "a", {"text": text}), PutOp(("free",), "f", {"n": 1}))
        for run_of, text in ((ACME, "green tea"), (other, "white tea")):
            item, *found = await in_run(call, run_of, store, *reads)
            assert [it.value["text"] for it in (item, *found[0], *found[1])] == [text] * 3
        [place, free] = sorted(await call(store, "list_namespaces"), key=len, reverse=True)
        assert (item.namespace, (await call(store, "get", place, "a")).value) == (place, {"text": "green tea"})
        assert len(await call(store, "search", place, query="tea")) == 2
        erased = await call(store, "erase", Scope(ACME["user_id"], tenant_id=ACME["tenant_id"]))
        assert erased == Erased(items=1, namespaces=1)
        await in_run(call, other, store, PutOp(template, "b", {"text": "milk"}))
        assert [len(await call(store, "search", it)) for it in (place, free)] == [2, 1]
        for key in "ab":
            await in_run(call, other, store, PutOp(template, key, None))
        assert await call(store, "list_namespaces") == [free]

    async def test_what_is_read_beside_anothers_lives_on(self, open_store: Open, call: Call) -> None:
        """A read prolongs the second user's item and not the first one's of the same key; a sweep takes the first's."""
        clock = StillClock()
        store = open_store(clock=clock, ttl={"refresh_on_read": True})
        for run_of in (ACME, GLOBEX):
            await in_run(call, run_of, store, PutOp(TEMPLATE, "a", {"text": "tea"}, ttl=10))
        for _ in range(2):
            clock.forward(minutes=6)
            await in_run(call, GLOBEX, store, GetOp(TEMPLATE, "a"), PutOp(TEMPLATE, "b", {"n": 1}))
        assert await call(store, "sweep") == 1
        assert [await in_run(call, it, store, GetOp(TEMPLATE, "a")) != [None] for it in (ACME, GLOBEX)] == [False, True]

    async def test_a_vault_seals_for_each_of_them(self, open_store: Open, call: Call) -> None:
        """With a key of their own each opens what is theirs, also after a re-index."""
        store = open_store(vault=PersonalVault())
        runs = (ACME, ALICE_B)
        for run_of in runs:
            await in_run(call, run_of, store, PutOp(COMPOSED, "a", {"text": run_of["user_id"]}))
        assert (await call(store, "reindex")).damaged == 0
        for run_of in runs:
            [found] = await in_run(call, run_of, store, SearchOp(COMPOSED, query="alice"))
            assert [it.value for it in found] == [{"text": run_of["user_id"]}]

    # ----------------------------------------------------------------------------------------------- nobody's templates
    async def test_a_template_that_names_no_user_is_refused(self, open_store: Open, call: Call) -> None:
        """Whatever is asked, unless `shared` says that it is meant: then it is everybody's, but of one tenant."""
        asked: list[Any] = [PutOp(TEAM, "a", {"n": 1}), GetOp(TEAM, "a"), SearchOp(TEAM), PutOp(TEAM, "a", None)]
        asked += [ListNamespacesOp((MatchCondition("prefix", TEAM),))]
        store = open_store()
        for op in asked:
            with pytest.raises(ConfigurationError, match="names no user"):
                await in_run(call, BLUE, store, op)
        shared = open_store(shared=True)
        await in_run(call, BLUE, shared, PutOp(TEAM, "a", {"n": 1}))
        assert await in_run(call, {**BLUE, "user_id": "bob"}, shared, GetOp(TEAM, "a")) != [None]
        with pytest.raises(ConfigurationError, match="tenant_id"):
            await in_run(call, {**BLUE, "tenant_id": "acme"}, shared, GetOp(TEAM, "a"))
        assert await in_run(call, {**BLUE, **ACME}, shared, GetOp(("{tenant_id}", *TEAM), "a")) == [None]

    async def test_a_subject_says_whose_such_a_template_is(self, open_store: Open, call: Call) -> None:
        """What it fills is that user's, read and erased as theirs; what the subject does not know is refused."""
        store = open_store(subject=lambda namespace: ALICE if namespace[1:] == ("blue",) else None)
        await in_run(call, BLUE, store, PutOp(TEAM, "a", {"n": 1}))
        assert await in_run(call, {**BLUE, "user_id": "bob"}, store, GetOp(TEAM, "a")) != [None]
        with pytest.raises(ConfigurationError, match="names no user"):
            await in_run(call, {"team_id": "red"}, store, GetOp(TEAM, "a"))
        assert await call(store, "erase", ALICE) == Erased(items=1, namespaces=1)

    async def test_anothers_read_lets_nothing_live_on(self, open_store: Open, call: Call) -> None:
        """What another tenant's user asks for does not live longer for it."""
        clock = StillClock()
        store = open_store(clock=clock, ttl={"refresh_on_read": True})
        await in_run(call, ACME, store, PutOp(TEMPLATE, "a", {"text": "tea"}, ttl=10))
        clock.forward(minutes=6)
        await in_run(call, GLOBEX, store, GetOp(TEMPLATE, "a"), SearchOp(TEMPLATE), SearchOp(TEMPLATE, query="tea"))
        clock.forward(minutes=6)
        assert await call(store, "search", ()) == []

    async def test_nobodys_becomes_the_first_users(self, open_store: Open, call: Call) -> None:
        """Each finds by a template what is nobody's, until one of them puts something there; a view follows."""
        store = open_store()
        asked = [GetOp(TEMPLATE, "a"), SearchOp(TEMPLATE, query="tea")]
        await call(store, "put", ("memories", "alice"), "a", {"text": "tea"})
        assert all([*await in_run(call, ACME, store, *asked), *await in_run(call, GLOBEX, store, *asked)])
        await in_run(call, ACME, store, PutOp(TEMPLATE, "b", {"text": "tea"}))
        assert await in_run(call, GLOBEX, store, *asked) == [None, []]
        assert len((await in_run(call, ACME, store, *asked))[1]) == 2

    async def test_below_a_template_only_the_users(self, open_store: Open, call: Call) -> None:
        """Of what stands deeper under a filled template, others' namespaces are not there."""
        store = open_store()
        for run_of in (ACME, GLOBEX):
            deep = (*TEMPLATE, "{tenant_id}")
            await in_run(call, run_of, store, PutOp(deep, run_of["tenant_id"], {"text": "tea"}))
        for query in (None, "tea"):
            [found] = await in_run(call, GLOBEX, store, SearchOp(TEMPLATE, query=query))
            assert keys(found) == ["globex"]
        listing = ListNamespacesOp((MatchCondition("prefix", TEMPLATE),))
        assert await in_run(call, GLOBEX, store, listing) == [[("memories", "alice", "globex")]]

    async def test_anothers_key_is_never_asked_for(self, open_store: Open, call: Call) -> None:
        """Under a vault, what another user's run reads opens nothing."""
        await in_run(call, ACME, open_store(vault=ReversingVault()), PutOp(COMPOSED, "a", {"text": "tea"}))
        vault = ReversingVault()
        asked = [GetOp(COMPOSED, "a"), SearchOp(COMPOSED), SearchOp(COMPOSED, query="tea"), PutOp(COMPOSED, "a", None)]
        await in_run(call, ALICE_B, open_store(vault=vault), *asked)
        assert vault.asked == set()

    async def test_subject_and_template_agree(self, store: SQLStore, call: Call) -> None:
        """Where `subject` says that a filled namespace is another user's than the run's, nothing is written."""
        with pytest.raises(ScopeError, match="subject="):
            await in_run(call, ACME, store, PutOp(TEMPLATE, "a", {"n": 1}))
        await in_run(call, {"user_id": "alice"}, store, PutOp(TEMPLATE, "a", {"n": 1}))
        [item] = await in_run(call, {"user_id": "alice"}, store, GetOp(TEMPLATE, "a"))
        assert item.value == {"n": 1}

    async def test_a_users_name_is_no_wildcard(self, store: SQLStore, call: Call) -> None:
        """A user who is called `*` does not see everybody's namespaces."""

        def list_all(_: State) -> State:
            store.batch([ListNamespacesOp((MatchCondition("prefix", TEMPLATE),))])
            return {}

        builder: Any = StateGraph(State)
        graph = builder.add_node("list", list_all).add_edge(START, "list").compile()
        with pytest.raises(ConfigurationError, match="everybody"):
            graph.invoke({}, {"configurable": {"user_id": "*"}})


async def remember_in_graph(store: SQLStore, colour: Colour, run_of: dict[str, Any]) -> None:
    """Put, get and find in a node of a graph that was compiled with the store."""
    namespace = ("memories", "user-{user_id}")

    def blocking(_: State) -> State:
        store.put(namespace, "a", {"text": "tea"})
        assert store.get(namespace, "a")
        return {"found": keys(store.search(namespace))}

    async def awaited(_: State) -> State:
        await store.aput(namespace, "a", {"text": "tea"})
        assert await store.aget(namespace, "a")
        return {"found": keys(await store.asearch(namespace))}

    graph: Any = StateGraph(State, context_schema=dict)
    graph.add_node("remember", blocking if colour == "sync" else awaited)
    compiled = graph.add_edge(START, "remember").compile(store=store)
    config = {"configurable": {"user_id": run_of["configured"]} if "configured" in run_of else {}}
    context = run_of.get("context")
    if colour == "sync":
        state = await asyncio.to_thread(compiled.invoke, {}, config, context=context)
    else:
        state = await compiled.ainvoke({}, config, context=context)
    assert state["found"] == ["a"]
