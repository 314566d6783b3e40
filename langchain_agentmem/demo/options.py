"""What the command `demo` can be told; one record, because a function takes six arguments at most."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from langchain_agentmem.errors import ConfigurationError


def procedures_of(database: Path) -> Path:
    """Return where the skills and policies are that go with a database of the demonstration."""
    return database.with_suffix(".procedures")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """Options of the demonstration.

    Raises:
        ConfigurationError: Two options do not go together, or `keep` names a file that exists.
    """

    model: Annotated[
        str | None,
        Option(metavar="PROVIDER:NAME", help="A LangChain chat model that answers; without one, an offline responder."),
    ] = None
    extract_with_model: Annotated[
        bool, Option("--extract-with-model", help="Let that model propose memories too, rather than rules.")
    ] = False
    keep: Annotated[
        Path | None,
        Option(metavar="PATH", help="Keep the database in this new file, and skills and policies beside it."),
    ] = None
    file: Annotated[
        Path | None,
        Option(metavar="JSON", help="Replay a conversation of the LoCoMo format (.json, .json.xz) and ask about it."),
    ] = None
    sample: Annotated[int | None, Option(metavar="N", help="Which conversation of the file, from 1.")] = None
    ask: Annotated[list[str] | None, Option(metavar="TEXT", help="Ask this and end; may be given more than once.")] = (
        None
    )
    questions: Annotated[
        int | None, Option(metavar="N", min=1, help="Ask the first N questions that came with the file, and end.")
    ] = None

    def __post_init__(self) -> None:
        """Refuse what would be ignored or overwritten."""
        if self.extract_with_model and self.model is None:
            msg = "--extract-with-model needs a model; add --model provider:name"
            raise ConfigurationError(msg)
        if self.file is None and (self.sample is not None or self.ask or self.questions):
            msg = "--sample, --ask and --questions are about a conversation; add --file conversation.json"
            raise ConfigurationError(msg)
        for path in () if self.keep is None else (self.keep, procedures_of(self.keep)):
            if path.exists():
                msg = f"--keep {self.keep}: {path} exists; name a new file, so that nothing is mixed"
                raise ConfigurationError(msg)
