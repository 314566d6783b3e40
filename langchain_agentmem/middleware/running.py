"""A turn of an agent, hook by hook; each a flow, for both colours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from langchain.agents.middleware.types import (
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langchain_core.tools import BaseTool
from langgraph.types import Command

from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.extraction.record.conversation import MARK, executed, is_injected, is_of_user, with_executed
from langchain_agentmem.identity import in_tool
from langchain_agentmem.middleware.executing import Watch, watched
from langchain_agentmem.middleware.options import MiddlewareOptions
from langchain_agentmem.nodes import Queue, Retrieve, UpdateWorkingMemory
from langchain_agentmem.nodes.abandoned import answered_flow as left_flow
from langchain_agentmem.nodes.completing import Completing
from langchain_agentmem.nodes.consenting import ask_consent_flow, consent_of
from langchain_agentmem.nodes.guarding import Settled, guard_of, settle_flow
from langchain_agentmem.nodes.handing import handed_over, is_handoff, marked
from langchain_agentmem.nodes.intent import opened_flow, with_intent
from langchain_agentmem.nodes.looking import Look, Lookout, describe_action, is_memory_tool, looked, refused_call
from langchain_agentmem.nodes.placing import Placed, placed
from langchain_agentmem.nodes.settling import SettlingParts
from langchain_agentmem.nodes.state import MemoryText, Unshown, report_of
from langchain_agentmem.nodes.stopping import stopped
from langchain_agentmem.nodes.task_changes import with_possible_changes
from langchain_agentmem.nodes.telling import NOTES, answered_flow
from langchain_agentmem.nodes.turn import Turn, begin
from langchain_agentmem.nodes.working import working_of
from langchain_agentmem.prompts import load_prompt

Call = Callable[[Any], Any]
"""Calls a model or runs a tool; awaited where the flow is."""

_WRITE: Final = "__pregel_send"
_READ: Final = "__pregel_read"


class AgentTurns:
    """What memory does in each turn of one agent; it holds nothing of any turn.

    Args:
        memory: An `AgentMemory`.
        options: What was chosen.
        tool_names: Of the middleware's own tools.
    """

    def __init__(self, memory: SettlingParts, options: MiddlewareOptions, tool_names: Collection[str]) -> None:
        self._memory = memory
        self._options = options
        self._tool_names = frozenset(tool_names)
        self._own = options.prompt or ""
        self._prompt = options.prompt if options.prompt is not None else load_prompt("agent")
        self._retrieve = Retrieve(memory, settings=options)
        self._completing = Completing(memory, options)
        self._lookout = Lookout(
            long_term=flows_of(memory.long_term),
            query=options.asked,
            before_action=options.before_action,
            unguarded=frozenset(options.unguarded),
        )
        self._working: UpdateWorkingMemory | None = None
        if options.working:
            self._working = UpdateWorkingMemory(working_of(memory), rewriter=options.rewriter, settings=options)
        self._queue = Queue(memory, ignore=tool_names, settings=options)

    def begin(self, state: AgentState[Any]) -> Flow[dict[str, Any]]:
        """Return the report of a new turn, and answers to calls of tools that were left behind.

        Raises:
            ScopeError: The run has no user, or a malformed one.
        """
        turn = self._turn(state, is_opening=True)
        request = self._options.consent_request
        if request is not None:
            yield from ask_consent_flow(consent_of(self._memory), request, turn)
        report = yield from opened_flow(turn, self._memory)
        return {"memory": report, "memory_text": Unshown({}, _said(turn)), **(yield from left_flow(turn))}

    def ask(self, request: ModelRequest[Any], handler: Call) -> Flow[ExtendedModelResponse[Any]]:
        """Call the model with what memory has.

        Raises:
            ConfigurationError: A tool of the agent's has the name of one of memory's, and took its place.
        """
        self._check(request.tools)
        turn = self._turn(request.state)
        end = stopped(turn, self._options.max_refusals)
        if end is not None:
            return ExtendedModelResponse(model_response=ModelResponse(result=[end]))
        turn = yield from self._recalled(turn)
        system, messages = placed(Placed(request.system_message, request.messages), turn, self._prompt)
        asked = request.override(system_message=system, messages=messages)
        try:
            response: Any = yield from step(handler, handler, asked)
        except NotImplementedError as error:
            raise _explained(asked, error) from error
        response = _as_answer(getattr(response, "model_response", response))
        own = "" if request.system_message is None else request.system_message.text
        told = "\n".join(filter(None, [own, self._own]))
        turn = turn.after(
            (yield from answered_flow(flows_of(self._memory.long_term), turn, _answer_id(response.result), told))
        )
        words = Unshown(cast("MemoryText", turn.state["memory_text"]), _said(turn))
        update = {"memory": turn.report, "memory_text": words}
        return ExtendedModelResponse(model_response=response, command=Command(update=update))

    def act(self, request: ToolCallRequest, handler: Call) -> Flow[Any]:
        """Run a tool after a look at memory, if the policies let it run.

        What middleware behind this one makes of the call is looked at and checked in the same way when it reaches the
        tool, and only what ran is noted as done. A tool that hands over to another agent ends the turn of this one.
        """
        turn = self._turn(request.state, request.runtime.config)
        reached = partial(_note_reached, turn, str(request.tool_call["id"]))
        watch = Watch(partial(self._settled, turn), partial(_refusal, turn), reached)
        refusal = _refusal(turn, (yield from watch.judge_flow(request.tool_call, request.tool)))
        if refusal is not None:
            return refusal
        result: Any = yield from self._run(turn, watched(request, watch), handler)
        if watch.ran is None:
            return _unrun(Settled(looks=[]).told(result), request)
        ran = watch.ran.in_place_of(turn.messages)
        told = ran.told(_of_memory(result) if is_memory_tool(watch.tool) else result)
        if self._working is not None:
            told = with_possible_changes(told, [request.tool_call["id"]])
        done = _noted(_with_status(turn, ran.looks[0], told), ran.noted(told, turn))
        if not is_handoff(done):
            return done
        left = yield from self.end(request.state, request.runtime.config)  # no hook of this agent runs any more
        return handed_over(done, [request.tool_call["id"]], left or {})

    def end(self, state: Any, config: RunnableConfig | None = None) -> Flow[dict[str, Any] | None]:  # noqa: ANN401  (a state of any agent's)
        """Write what the turn leaves, or queue it."""
        try:
            turn = _of_what_ran(self._turn(state, config, is_over=True))
        except (ScopeError, ConfigurationError):  # the run ended before it began: nobody's turn
            return None
        update: dict[str, Any] = {}
        if turn.may_write:
            turn = yield from with_intent(self._options.detector, turn)
            turn = turn.after((yield from flows_of(self._queue).work(turn)))
            update = {"memory": turn.report}
        if self._working is not None:  # stored at once: the next turn is to go on from it
            given = {**state, "messages": turn.messages, "memory": turn.report}
            update |= yield from flows_of(self._working).work(given, turn.config)
        return update or None

    def _check(self, tools: Sequence[Any]) -> None:
        """Let no other tool stand in the place of one of memory's, which the prompt tells the model of."""
        given = {it.get("name") if isinstance(it, dict) else it.name: it for it in tools}
        taken = sorted(it for it in self._tool_names if it in given and not is_memory_tool(given[it]))
        if taken:
            msg = (
                f"the agent has tools of its own named {', '.join(taken)}, as memory's are, and the model would get "
                "those in their place; rename them, or pass memory.middleware(tools=False) to go without memory's"
            )
            raise ConfigurationError(msg)

    # ----------------------------------------------------------------------------------------------------------- steps
    def _settled(self, turn: Turn, call: ToolCall, tool: BaseTool | None) -> Flow[Settled]:
        """Return what memory and policies say to a call; a tool of memory itself is not looked up."""
        look = Look(call=call, action=describe_action(call), verdict="run")
        if not is_memory_tool(tool):
            look = yield from self._lookout.look(turn, call)
        elif turn.scope.is_anonymous:
            note = NOTES["off" if turn.mode == "off" else "anonymous"]
            return Settled(looks=[replace(look, verdict="memory", reason=note)])
        return (yield from settle_flow(guard_of(self._memory, {call["name"]: tool}), turn, [look]))

    def _run(self, turn: Turn, request: ToolCallRequest, handler: Call) -> Flow[Any]:
        """Run a tool as the agent, whichever the call reaches; what runs within says nothing in the user's words."""

        def blocking(asked: ToolCallRequest) -> Any:  # noqa: ANN401  (what the tool returns)
            with in_tool(turn.mode, turn.scope.agent_id):
                return handler(asked)

        async def awaited(asked: ToolCallRequest) -> Any:  # noqa: ANN401  (as above)
            with in_tool(turn.mode, turn.scope.agent_id):
                return await handler(asked)

        return (yield from step(blocking, awaited, request))

    def _recalled(self, turn: Turn) -> Flow[Turn]:
        """Return the turn with what memory has for it: recalled when the model is first asked, and then made whole."""
        if turn.report["intent"]:
            return (yield from self._completing.complete_flow(turn))
        turn = yield from with_intent(self._options.detector, turn)
        return turn.after((yield from flows_of(self._retrieve).work(turn)))

    # ------------------------------------------------------------------------------------------------------------ turn
    def _turn(self, state: Any, config: RunnableConfig | None = None, **where: bool) -> Turn:  # noqa: ANN401  (a state of any agent's)
        """Return the turn as it stands; a user's message that a summary took the place of is put back."""
        config = ensure_config(config)
        messages: list[BaseMessage] = state["messages"]
        known, words = state.get("memory"), state.get("memory_text")
        if known and words is not None and all(message.id != known["turn"] for message in reversed(messages)):
            messages = _reopened(messages, words.opening)
        given = {**state, "messages": messages, "memory_text": None if words is None else words.text}
        turn = begin(given, config, self._options, **where)
        return turn if turn.id or not known else replace(turn, id=known["turn"], report=report_of(state, known["turn"]))


def _said(turn: Turn) -> list[BaseMessage]:
    """Return the message of the user that began a turn."""
    return [message for message in turn.messages[turn.new_from :] if is_of_user(message)]


def _reopened(messages: list[BaseMessage], opening: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return a conversation with the user's message behind the summary that covers it."""
    summaries = next((place for place, it in enumerate(messages) if not _is_lead(it)), len(messages))
    return [*messages[:summaries], *opening, *messages[summaries:]]


def _is_lead(message: BaseMessage) -> bool:
    return isinstance(message, SystemMessage) or is_injected(message)


def _as_answer(response: Any) -> Any:  # noqa: ANN401  (a response of a model, as LangChain makes it)
    """Return a response in which an answer in the form of `response_format` is marked: it is no action of a tool.

    LangChain answers the call that holds it itself, as it does one that does not fit the form.
    """
    is_formed = any(isinstance(it, ToolMessage) for it in response.result)
    result = [marked(it, "answer") if isinstance(it, ToolMessage) else it for it in response.result]
    return replace(response, result=result) if is_formed else response


def _answer_id(result: list[BaseMessage]) -> str | None:
    return next((message.id for message in result if isinstance(message, AIMessage)), None)


def _refusal(turn: Turn, settled: Settled) -> Any:  # noqa: ANN401  (what a tool returns)
    """Return the answer to a call that may not run now; `None` where it may."""
    look = settled.looks[0]
    if look.verdict == "hold":
        held = refused_call(look.call, "hold", look.reason)
        return Command(update={"messages": [held], **turn.update(added=looked(turn, [look]))})
    if look.verdict == "run":
        return None
    return _with_status(turn, look, refused_call(look.call, look.verdict, look.reason))


def _of_memory(result: Any) -> Any:  # noqa: ANN401  (as above)
    return marked(result, "memory") if isinstance(result, ToolMessage) else result


def _unrun(result: Any, request: ToolCallRequest) -> Any:  # noqa: ANN401  (as above)
    """Return an answer to a call that reached no tool, marked: nobody learns from it, least of all that it was done."""
    if not isinstance(result, ToolMessage) or MARK in result.additional_kwargs:
        return result
    is_made_up = request.tool is None and result.status == "error"
    return marked(result, "unknown" if is_made_up else "unrun")


def _note_reached(turn: Turn, call_id: str, settled: Settled) -> None:
    """Note in the state that a call reaches its tool, and as what.

    Where the tool raises, or is waited for no longer, another middleware makes the answer, and that takes no note. It
    is a write of the task that LangGraph runs, kept with the answer, so that it is known after an interrupt of
    another call. Written once: several writes of a key show as several updates in a stream.
    """
    write, read = (turn.config.get("configurable", {}).get(key) for key in (_WRITE, _READ))
    if write is None or read is None:
        return
    if call_id not in (read("memory", True) or {}).get("ran", ()):  # noqa: FBT003  (with what this task has written)
        replaced = [*settled.in_place_of(turn.messages).swapped.values()]
        added = {"ran": [call_id], **({"replaced": replaced} if replaced else {})}
        write([*turn.update(added=added).items()])


def _of_what_ran(turn: Turn) -> Turn:
    """Return a turn in which the answer to a call that memory did not see run is marked, whoever answered it.

    An answer to another call than the model's is marked as that one's.

    Middleware that stands before memory may answer a call itself: from a cache, in a person's words, or made up; and a
    limit answers one that it does not let run. A failure counts where the tool was reached: whoever stands there
    answers for a tool that raised, too.
    """
    ran = turn.report["ran"]
    calls = {it["id"]: it for it in turn.report["replaced"]}

    def seen(it: BaseMessage) -> BaseMessage:
        if not isinstance(it, ToolMessage) or is_injected(it):
            return it
        if it.tool_call_id not in ran:
            return marked(it, "unrun")
        return with_executed(it, executed(it, calls.get(it.tool_call_id)))

    new = [seen(it) for it in turn.messages[turn.new_from :]]
    return replace(turn, messages=[*turn.messages[: turn.new_from], *new])


def _noted(result: Any, noted: Mapping[str, Any]) -> Any:  # noqa: ANN401  (what a tool returns)
    """Return a tool's answer with the note of what ran; a command whose update is no mapping takes none."""
    if not noted:
        return result
    if isinstance(result, ToolMessage):
        return Command(update={"messages": [result], **noted})
    if isinstance(result, list):
        return [*result, Command(update=dict(noted))]
    if not (isinstance(result, Command) and isinstance(result.update, dict)):
        return result
    return replace(result, update={**result.update, **noted})


def _explained(request: ModelRequest[Any], error: NotImplementedError) -> Exception:
    """Return what to do about a model that takes no tools, which says of that no more than this."""
    if not request.tools:
        return error
    name = type(request.model).__name__
    return ConfigurationError(f"{name} takes no tools; pass memory.middleware(tools=False), or a model with bind_tools")


def _with_status(turn: Turn, look: Look, result: Any) -> Any:  # noqa: ANN401  (what a tool returns)
    """Return a tool's answer; where the look failed, the report tells so, unless the tool has commands of its own."""
    if look.status is None or not isinstance(result, ToolMessage):
        return result
    return Command(update={"messages": [result], **turn.update(status=look.status)})
