"""A chat model for a demonstration without any model: it quotes recalled memories and calls tools by rules.

It invents nothing, so that whatever it says of the user came from memory. With a real chat model in its place the rest
of the demonstration is the same.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import unescape

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.utterances import is_question
from langchain_agentmem.extraction import MARK, is_injected
from langchain_agentmem.nodes.telling import FORGETTING, NOTES, NOTHING_TO_FORGET

LABEL: Final = "offline responder"
NOTHING: Final = "I remember nothing that helps here."
UNDERSTOOD: Final = "Understood."
DEPLOY: Final = "deploy"
RUN: Final = "run_command"
MANAGE: Final = "manage_memory"

_MEMORY: Final = lazy_pattern(r"<memory (?P<attributes>[^>]*)>(?P<content>.*?)</memory>", re.DOTALL)
_KIND: Final = lazy_pattern(r'\bkind="(\w+)"')
_ORDER: Final = lazy_pattern(
    r"\bdeploy (?:the )?(?P<service>[\w-]+)(?: service)? to (?P<environment>staging|production)\b", re.IGNORECASE
)
_COMMAND: Final = lazy_pattern(r"\s*run `(?P<command>[^`]+)`", re.IGNORECASE)
_NOTE: Final = lazy_pattern(r"\s*note(?: that)?:? +(?P<what>.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A recalled memory as it stands in the prompt."""

    kind: str
    content: str


class OfflineResponder(BaseChatModel):
    """Answers a question with the best of what memory put into the prompt, word for word.

    It calls three tools, where they are bound. Asked to deploy something: `deploy`, to production at once, unless a
    recalled memory speaks of staging, then to staging before. Asked to run a command: `run_command`. Asked to note
    something: `manage_memory`.
    """

    @property
    def _llm_type(self) -> str:
        return "agentmem-offline-responder"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Make tools known; only their names matter here."""
        return self.bind(tools=[convert_to_openai_tool(each) for each in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        bound = {each["function"]["name"] for each in kwargs.get("tools", ())}
        return ChatResult(generations=[ChatGeneration(message=_reply(messages, bound))])


def quoted(messages: Sequence[BaseMessage]) -> list[Quoted]:
    """Return the memories in a prompt, each once, in their order; what users and tools say is not searched for any."""
    return list(dict.fromkeys(memory for text in _shown(messages) for memory in _memories(text)))


def _shown(messages: Sequence[BaseMessage]) -> list[str]:
    """Return what the application says, and not the user: the system message, and memory's note for the turn."""
    return [message.text for message in messages if message.type == "system" or is_injected(message)]


def _memories(text: str) -> Iterator[Quoted]:
    for match in _MEMORY.finditer(text):
        kind = _KIND.search(match["attributes"])
        yield Quoted(kind[1] if kind else "memory", unescape(match["content"]))


def _reply(messages: Sequence[BaseMessage], bound: set[str]) -> AIMessage:
    asked, since = _turn(messages)
    if notice := _notice(messages):
        return AIMessage(notice)
    answers = [message for message in since if isinstance(message, ToolMessage) and not _is_held(message)]
    if (order := _ORDER.search(asked)) and DEPLOY in bound:
        return _deploy(order["service"], order["environment"].lower(), quoted(messages), answers)
    if (order := _COMMAND.match(asked)) and RUN in bound:
        return _told(since) or _call(RUN, command=order["command"])
    if (note := _NOTE.fullmatch(asked)) and MANAGE in bound:
        return _note(note["what"], answers)
    return AIMessage(_quote(quoted(messages)) if is_question(asked) else UNDERSTOOD)


def _deploy(service: str, environment: str, known: Sequence[Quoted], answers: Sequence[ToolMessage]) -> AIMessage:
    failed = next((answer for answer in answers if answer.status == "error"), None)
    if failed is not None:
        return AIMessage(f"That failed: {failed.text}")
    plan = _plan(environment, known)
    if len(answers) >= len(plan):
        reason = f", because {_cite(_warnings(known)[0])}" if len(plan) > 1 else ""
        return AIMessage(f"Done: {', then '.join(plan)}{reason}.")
    return _call(DEPLOY, service=service, environment=plan[len(answers)])


def _is_held(answer: ToolMessage) -> bool:
    """Whether a call waits for a second thought; what a policy blocked is over."""
    return answer.additional_kwargs.get(MARK) == "hold"


def _told(since: Sequence[BaseMessage]) -> AIMessage | None:
    """Return an answer that tells what came of a command, whoever stopped it."""
    answers = [message for message in since if isinstance(message, ToolMessage)]
    if not answers:
        return None
    is_done = answers[-1].status != "error" and not is_injected(answers[-1])
    return AIMessage(f"{'Done' if is_done else 'Not done'}: {answers[-1].text}")


def _note(what: str, answers: Sequence[ToolMessage]) -> AIMessage:
    if not answers:
        return _call(MANAGE, action="create", content=what, evidence=what)
    decision = json.loads(answers[-1].text) if answers[-1].status != "error" else {}
    if decision.get("result") == "refused":
        return AIMessage(f"I do not keep that. {decision['reason']}")
    return AIMessage("Noted." if decision else f"That failed: {answers[-1].text}")


def _call(tool: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": uuid.uuid4().hex, "type": "tool_call"}])


def _notice(messages: Sequence[BaseMessage]) -> str | None:
    """Return what the prompt wants the user to be told about memory itself."""
    told = "\n".join(_shown(messages))
    if NOTES["no_consent"] in told:
        return "You have not agreed to a memory, so I recall nothing and keep this conversation alone."
    if NOTES["degraded"] in told:
        return "My memory is unavailable, so I answer without it."
    if NOTHING_TO_FORGET in told:
        return "I remember nothing that matches, so there is nothing to forget."
    _, _, doomed = told.partition(FORGETTING)
    if not doomed:
        return None
    return f"I forget: {'; '.join(f'“{memory.content}”' for memory in _memories(doomed.split('</memories>')[0]))}."


def _turn(messages: Sequence[BaseMessage]) -> tuple[str, Sequence[BaseMessage]]:
    """Return what the user said last, and all that followed."""
    places = [place for place, each in enumerate(messages) if isinstance(each, HumanMessage) and not is_injected(each)]
    if not places:
        return "", ()
    return messages[places[-1]].text, messages[places[-1] + 1 :]


def _plan(environment: str, known: Sequence[Quoted]) -> list[str]:
    """Return where to deploy, in order: to staging before production where memory speaks of it."""
    return ["staging", environment] if environment == "production" and _warnings(known) else [environment]


def _warnings(known: Sequence[Quoted]) -> list[Quoted]:
    """Return what speaks of staging, what was learned before what was said."""
    found = [memory for memory in known if "staging" in memory.content.lower()]
    return sorted(found, key=lambda memory: memory.kind == "episode")


def _quote(known: Sequence[Quoted]) -> str:
    """Quote the best of what was recalled; constraints come with every recall, and answer no question."""
    answers = [memory for memory in known if memory.kind != "constraint"]
    return f"I remember {_cite(answers[0])}." if answers else NOTHING


def _cite(memory: Quoted) -> str:
    return f"“{memory.content}” ({memory.kind})"
