"""What of a conversation may be looked at: who said which words, and what the tools answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, ToolCall, ToolMessage

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.intent import is_small_talk
from langchain_agentmem.english.text.folding import Folded, fold, sentences
from langchain_agentmem.english.text.utterances import is_question
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.record.calls import has_any
from langchain_agentmem.extraction.record.play import LASTING, Play, may_open
from langchain_agentmem.extraction.record.quarantine import folded, plain
from langchain_agentmem.extraction.record.spoken import beginning_of, kept, spoken, through
from langchain_agentmem.policies.shortening import beginning, shortened
from langchain_agentmem.types import Provenance, Speaker

MARK: Final = "agentmem"
"""Key in `additional_kwargs` or `response_metadata` of a message that this package put into the conversation."""

SKIPPED: Final = " \u2026 "
"""In a quote: what somebody said of something else between these words."""

MAX_TOOLS: Final = 32
"""Names of tools that something rests on; more are no better known."""

_EXECUTED: Final = "agentmem_executed"
"""Key in `additional_kwargs` of a tool's answer: the call that ran in the place of the one it answers."""

_NOTE: Final = "agentmem_note"
"""Key in `additional_kwargs` of a tool's answer: the words that memory added to it for the model."""

_REVIEWED: Final = " Executed instead: "
_RESPONSE: Final = "\n\nTool response:"
"""How `HumanInTheLoopMiddleware` ends its note: behind its own words, with the call that ran, as JSON."""

_HARNESS_KEY: Final = "lc_source"  # langchain_core.messages.add_notification_metadata sets it
_MAX_ID_CHARS: Final = 200  # of a label (langchain_agentmem._checks); a longer id could not be stored
_TOLD: Final = lazy_pattern(r"\w+ \w+ [^.!?]*\w[.!?](?:\s|$)")
_LOOKED_AT: Final = 1_000  # characters of an argument: whoever tells something has ended a sentence by then
_ARGUMENT_CHARS: Final = 60  # of one tool argument: enough to recognise the action, too little to copy a document
_DETAIL_CHARS: Final = 200  # of a tool's answer: the first lines of an error name it

_REQUEST: Final = lazy_pattern(r"(?:\w+,? ){0,3}?(?:can|could|would|will) you\b", re.IGNORECASE)

_ERROR_WORDS: Final = lazy_pattern(
    r"\A[\s*#>(\[]*(?:(?:tool |fatal |internal |unexpected )?(?:error|exception|failure|failed|traceback|panic"
    r"|denied|forbidden|unauthori[sz]ed"
    r"|timeout|time-?out|aborted)\b|\w*(?:Error|Exception)\b|HTTP[ /\d.]*[45]\d\d\b"
    rf"|[45]\d\d (?:{CAPITAL}[a-z]+ ?|(?:not|bad|internal|service|gateway|too many|client|server)\b ?){{1,4}}\b)"
    r"|\A(?![^\n]{0,80}\b(?:0|no|none|nothing|zero|never|not)\b)[\w][\w ./-]{0,60} (?:has )?failed"
    r"(?::| with\b| because\b| due to\b|[.!]?\s*\Z)"
    r"|\b[1-9]\d{0,6} (?:tests? |checks? |cases? )?failed(?=[,;.]| in\b|\s*\Z)"
    r"|\bTraceback \(most recent call last\)|\bexit(?:ed with)?(?: (?:code|status))?:? ?[1-9]\d*\b"
    r"|\b(?:exit|return)[ _-]?(?:code|status)[\"']?\s{0,5}[:=]\s{0,5}[\"']?-?[1-9]\d*\b"
    r"|[\"']is_?error[\"']\s*:\s*true"
    r"|[\"'](?:error|errors)[\"']\s*:\s*(?:[\"'][^\"']|\{|\[\s*[^\]\s]|true)"
    r"|[\"'](?:ok|success|successful|succeeded|passed)[\"']\s*:\s*false"
    r"|\"status\"\s*:\s*(?:\"(?:error|failed|failure)\"|[45]\d\d\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The words of one message that its speaker says in their own voice.

    Attributes:
        text: What may be read: quotes, code and recalled memory are blanked; see `contractions.as_read`.
        original: What evidence is cut from.
        places: Where each character of `text` stands in `original`; none where it stands where it stood.
    """

    text: str
    original: str
    speaker: Speaker
    message_ids: tuple[str, ...] = ()
    places: Sequence[int] = field(default=(), repr=False)

    def cut(self, start: int, end: int) -> str:
        """Return the exact words between two positions of `text`, without the space around them."""
        if self.places and start < end:
            start, end = self.places[start], self.places[end - 1] + 1
        return self.original[start:end].strip()

    def holds(self, words: str) -> bool:
        """Whether words stand in it, in any case, with any spaces between them and with or without apostrophes."""
        return folded(words) in folded(self.text)

    def asks(self, words: str) -> bool:
        """Whether words of it stand in a sentence that asks: who asks whether something is so did not say that it is.

        A request ("could you note that …?") is none.
        """
        wanted = folded(words)
        asked = [it for it in sentences(fold(self.text).text) if wanted in folded(it)]
        return any(is_question(it) and not _REQUEST.match(it) for it in asked or [words])


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One call of a tool together with what came of it."""

    tool: str
    action: str
    succeeded: bool
    detail: str
    provenance: Provenance
    call_id: str = ""
    was_told: bool = False
    """Whether it was handed sentences, as an agent hands them to another: a model's words, not what the action is."""


def is_injected(message: BaseMessage) -> bool:
    """Whether a harness put this message into the conversation, recalled memories included."""
    extra = message.additional_kwargs
    return bool(extra.get(_HARNESS_KEY)) or MARK in extra or MARK in message.response_metadata


def is_of_user(message: BaseMessage) -> bool:
    """Whether a message is the user's own: human, and not put there by a harness."""
    return _is_human(message) and not is_injected(message)


def _is_human(message: BaseMessage) -> bool:
    """Whether a message is a person's; the plain classes are told apart first, pydantic takes long to say it."""
    kind = type(message)
    return kind is HumanMessage or (kind is not AIMessage and isinstance(message, HumanMessage))


def message_ids(message: BaseMessage) -> tuple[str, ...]:
    """Return the message's id as provenance, or nothing where it has none that can be stored."""
    id_ = message.id
    return (id_,) if id_ and id_.strip() and len(id_) <= _MAX_ID_CHARS else ()


def with_mark(answer: ToolMessage, name: str, value: Any) -> ToolMessage:  # noqa: ANN401  (what JSON can hold)
    """Return a tool's answer with a mark of memory's own; without a value with none, whatever the tool had put."""
    if not value and name not in answer.additional_kwargs:
        return answer
    marks = {other: it for other, it in answer.additional_kwargs.items() if other != name}
    return answer.model_copy(update={"additional_kwargs": {**marks, name: value} if value else marks})


def with_executed(answer: ToolMessage, call: ToolCall | None) -> ToolMessage:
    """Return a tool's answer with a note of the call that ran in the place of the model's; of no other, with none."""
    return with_mark(answer, _EXECUTED, None if call is None else {"name": call["name"], "args": call["args"]})


def executed(answer: ToolMessage, call: ToolCall | None) -> ToolCall | None:
    """Return the call that a tool's answer is of: the model's, or the one that a person or a middleware put there."""
    noted = answer.additional_kwargs.get(_EXECUTED)
    if not isinstance(noted, Mapping) or not isinstance(noted.get("args"), Mapping):
        return call
    return ToolCall(name=str(noted.get("name")), args=dict(noted["args"]), id=answer.tool_call_id, type="tool_call")


def with_note(answer: ToolMessage, note: str) -> ToolMessage:
    """Return a tool's answer with words of memory's own added for the model; of another such mark, with none.

    Whatever reads what the tool said reads it `without_note`. Without a note the tool's own mark is taken off, so that
    no tool hides its words by it.
    """
    marked = with_mark(answer, _NOTE, note)
    if not note:
        return marked
    content = answer.content
    told = content + note if isinstance(content, str) else [*content, {"type": "text", "text": note}]
    return marked.model_copy(update={"content": told})


def without_note(message: BaseMessage) -> BaseMessage:
    """Return a tool's answer as the tool gave it, without what memory added; any other message as it is."""
    if not isinstance(message, ToolMessage):
        return message
    note = note_of(message)
    if not note:
        return message
    return with_mark(message.model_copy(update={"content": _cut(message.content, note)}), _NOTE, None)


def note_of(answer: ToolMessage) -> str:
    """Return the words that memory added to a tool's answer for the model, see `with_note`; mostly, none."""
    note = answer.additional_kwargs.get(_NOTE)
    return note if isinstance(note, str) else ""


def said_by_tool(answer: ToolMessage, call: ToolCall | None) -> str:
    """Return what a tool said: without memory's note, and without LangChain's where a person changed the call."""
    text = str(without_note(answer).text)
    if call is None or _REVIEWED not in text:
        return text
    note = f"{_REVIEWED}{call['name']} with arguments {json.dumps(call['args'], default=str)}."
    _, found, said = text.partition(note)
    if not found:
        return text
    return said.partition(_RESPONSE)[2].removeprefix("\n") if said.startswith(_RESPONSE) else said.strip()


def speaker_of(message: BaseMessage) -> Speaker | None:
    """Return whether the user or the assistant says a message; `None` for instructions, results of tools and others."""
    if _is_human(message):
        return "user"
    is_answer = type(message) is AIMessage
    # Pydantic takes long to say that there is no such attribute, and every message of a conversation is asked.
    extra = message.__pydantic_extra__
    role = message.role if not is_answer and isinstance(message, ChatMessage) else extra.get("role") if extra else None
    if role in {"user", "human"}:
        return "user"
    return "assistant" if is_answer or isinstance(message, AIMessage) or role in {"assistant", "ai"} else None


def passages(messages: Sequence[BaseMessage], *, user_name: str | None = None) -> list[Passage]:
    """Return what the user and the assistant said themselves, in order; injected and hostile messages are left out."""
    found = (_passage(message, user_name) for message in messages)
    return [passage for passage in found if passage is not None]


def kept_passages(messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0) -> list[Passage]:
    """Return the passages of `messages[new_from:]` that are meant, with what is not to be remembered blanked."""
    return kept_apart(messages, user_name=user_name, new_from=new_from)[1]


def kept_apart(
    messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
) -> tuple[list[Passage], list[Passage]]:
    """Return the passages before `new_from` and from there on: nothing is read from what is blanked in them.

    Blanked is what is said in play, be it one that an earlier message began, and what the user asks not to keep.
    """
    play, kept = Play(), ([], [])  # type: tuple[Play, tuple[list[Passage], list[Passage]]]
    for place, message in enumerate(messages):
        passage = _meant(message, play, user_name)
        if passage is not None:
            kept[place >= new_from].append(passage)
    return kept


def _meant(message: BaseMessage, play: Play, user_name: str | None) -> Passage | None:
    """Return a message's passage without what is said in play, and follow that; it may begin in a hostile message."""
    passage = _passage(message, user_name)
    if passage is None:
        if speaker_of(message) == "user" and not is_injected(message):
            play.meant(plain(beginning_of(message.text)))
        return None
    if passage.speaker == "assistant":
        return replace(passage, text=play.answered(passage.text))
    meant = play.meant(passage.text)
    read = through(Folded(meant, passage.places), kept(meant))
    return replace(passage, text=read.text, places=read.places)


def with_context(messages: Sequence[BaseMessage], new_from: int, size: int) -> tuple[list[BaseMessage], int]:
    """Return new messages behind those that explain them, and where they begin; see `context_of`."""
    before = [messages[place] for place in context_of(messages, new_from, size)]
    return [*before, *messages[new_from:]], len(before)


def context_of(messages: Sequence[BaseMessage], new_from: int, size: int) -> list[int]:
    """Return the places of the last `size` messages before new ones, and of what began the play that goes on there."""
    first = max(0, new_from - size)
    began = max(0, first - LASTING)
    return [*(began + place for place in _opener(messages[began:first])), *range(first, new_from)]


def _opener(messages: Sequence[BaseMessage]) -> list[int]:
    """Return the place of the message that began the play which goes on behind messages, alone, or none."""
    if not any(speaker_of(it) == "user" and may_open(it.text) for it in messages):
        return []
    play, opener = Play(), 0
    for place, message in enumerate(messages):
        was_on = play.is_on
        _meant(message, play, None)
        opener = place if play.is_on and not was_on else opener
    return [opener] if play.is_on else []


def tool_runs(messages: Sequence[BaseMessage], *, new_from: int = 0) -> Iterator[ToolRun]:
    """Yield the calls whose answer stands in `messages[new_from:]`; the call itself may stand earlier."""
    new = messages[new_from:]
    if not has_any(new, ToolMessage):
        return
    calls = {call["id"]: call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
    for message in new:
        if isinstance(message, ToolMessage) and not is_injected(message):
            call = executed(message, calls.get(message.tool_call_id))
            yield _tool_run(message, call)


def tools_read(messages: Sequence[BaseMessage]) -> tuple[str, ...]:
    """Return the names of the tools whose answers stand among messages, memory's own apart."""
    calls = {call["id"]: call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
    answers = (it for it in messages if isinstance(it, ToolMessage) and not is_injected(it))
    found = ((it, executed(it, calls.get(it.tool_call_id))) for it in answers)
    names = (name for it, call in found for name in names_of_tool(it, call["name"] if call else None))
    return tuple(dict.fromkeys(names))[:MAX_TOOLS]


def names_of_tool(message: ToolMessage, called: str | None) -> tuple[str, ...]:
    """Return the names of a tool that answered: by its answer, and by the call, for an answer may be named anything."""
    named = (name[:_MAX_ID_CHARS] for name in (message.name, called) if name and name.strip())
    return tuple(dict.fromkeys(named)) or ("tool",)


def action_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call of a tool in one line, long arguments shortened."""
    return f"{tool}({_show(arguments)})"


def looks_like_error(text: str) -> bool:
    """Whether a tool's answer reports a failure although its status does not."""
    return _ERROR_WORDS.search(text) is not None


def said_before(messages: Sequence[BaseMessage], passage: Passage, count: int = 1) -> list[Passage]:
    """Return what the user had said last before a passage of theirs, the latest first, without small talk."""
    said = [it for it in passages(messages) if it.speaker == "user"]
    place = said.index(passage) if passage in said else 0
    return [it for it in reversed(said[:place]) if not is_small_talk(it.original)][:count]


def _cut(content: str | list[Any], note: str) -> str | list[Any]:
    """Return a content without the last place in which a note stands, whatever was put behind it."""
    if isinstance(content, str):
        before, _, after = content.rpartition(note)
        return before + after
    for place in reversed(range(len(content))):
        block = content[place]
        text = block.get("text") if isinstance(block, Mapping) else block
        if isinstance(text, str) and note in text:
            left = _cut(text, note)
            kept = {**block, "text": left} if isinstance(block, Mapping) else left
            return [*content[:place], *([kept] if left else []), *content[place + 1 :]]
    return content


def _passage(message: BaseMessage, user_name: str | None) -> Passage | None:
    speaker = speaker_of(message)
    if speaker is None or is_injected(message):
        return None
    original = plain(message.text)
    said = spoken(original, user_name)
    if said is None:
        return None
    ids = message_ids(message)
    return Passage(text=said.text, original=original, speaker=speaker, message_ids=ids, places=said.places)


def _tool_run(message: ToolMessage, call: ToolCall | None) -> ToolRun:
    tools = names_of_tool(message, call["name"] if call else None)
    arguments: Mapping[str, Any] = call["args"] if call else {}
    tool = message.name or tools[-1]
    answer = plain(said_by_tool(message, call))
    detail = " ".join(answer.split())
    return ToolRun(
        tool=tool,
        action=action_of(tool, arguments),
        succeeded=message.status != "error" and not looks_like_error(answer),
        detail=shortened(detail, _DETAIL_CHARS),
        provenance=Provenance(
            speaker="tool",
            message_ids=message_ids(message),
            evidence=beginning(answer.strip(), _DETAIL_CHARS) or None,
            tools=tools,
        ),
        call_id=message.tool_call_id,
        was_told=any(isinstance(it, str) and _TOLD.search(it[:_LOOKED_AT]) for it in arguments.values()),
    )


def _show(arguments: Mapping[str, Any]) -> str:
    shown = (f"{name}={shortened(_one_line(value), _ARGUMENT_CHARS)}" for name, value in arguments.items())
    return ", ".join(shown)


def _one_line(value: Any) -> str:  # noqa: ANN401  (a tool argument is any JSON value)
    return " ".join(plain(json.dumps(value, ensure_ascii=False, default=str)).split())
