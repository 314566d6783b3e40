"""`chat`: a conversation with an agent that remembers, in a session that another process can go on with."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Final

from typer import Argument, Option

from langchain_agentmem._checks import install_hint
from langchain_agentmem.cli.places import opened, writing_parts_at
from langchain_agentmem.cli.program import TRYING, app, later, screen, taking
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import every

_THREAD: Final = "chat:"
_converse: Final = later("langchain_agentmem.cli.conversing", "converse")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Options of the command `chat`."""

    place: Annotated[
        str,
        Argument(metavar="PLACE", help="A SQLite file (made where it is missing), a URL, or a configuration."),
    ]
    user: Annotated[str, Option(help="Who talks.")]
    session: Annotated[str, Option(help="Which conversation; one that is known goes on.")] = "main"
    model: Annotated[
        str | None,
        Option(
            metavar="PROVIDER:NAME",
            help="A LangChain chat model; without one, that of the configuration, or an offline responder.",
        ),
    ] = None
    say: Annotated[list[str] | None, Option(metavar="TEXT", help="Say this and end; may be given more than once.")] = (
        None
    )
    consent: Annotated[bool, Option("--consent", help="Record first that the user has agreed to a memory.")] = False
    sessions: Annotated[bool, Option("--sessions", help="Show the user's conversations, and end.")] = False
    words_only: Annotated[bool, Option("--words-only", help="Without an embedding model: recall by words.")] = False
    tenant: Annotated[str, Option(help="The user's tenant.")] = "default"

    @property
    def scope(self) -> Scope:
        """Whose conversation it is, and which."""
        return Scope(self.user, tenant_id=self.tenant, session_id=_THREAD + self.session)

    @property
    def thread_id(self) -> str:
        """The thread of the conversation: no two users share one."""
        return f"{_THREAD}{self.tenant}/{self.user}/{self.session}"


@app.command(rich_help_panel=TRYING)
@taking(ChatOptions)
def chat(options: ChatOptions) -> None:
    """Talk to an agent that remembers you, across sessions and processes."""
    parts = opened(options.place, writing_parts_at(options.place, words_only=options.words_only))
    if parts["embeddings"] == LOCAL and find_spec("sentence_transformers") is None:
        parts["embeddings"] = None
        screen().note(f"recall by words only: sentence-transformers is not installed; {install_hint('local')}")
    with AgentMemory(**parts) as memory:
        if options.sessions:
            _show_sessions(memory, options)
            return
        _converse(memory, options, parts["options"])


def _show_sessions(memory: AgentMemory, options: ChatOptions) -> None:
    prefix = f"{_THREAD}{options.tenant}/{options.user}/"
    found = [it for it in every(memory.checkpointer.threads, options.scope) if it.thread_id.startswith(prefix)]
    if not found:
        screen().note(f"{options.user} has no conversation here")
        return
    rows = [(it.thread_id.removeprefix(prefix), f"{it.last_used_at:%Y-%m-%d %H:%M}") for it in found]
    screen().table(("session", "last used"), rows)
