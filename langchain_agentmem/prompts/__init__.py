"""The prompts of this package as Markdown files; each can be replaced by a text or a file of one's own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from langchain_agentmem.errors import ConfigurationError

__all__ = ["load_prompt"]


def load_prompt(name: str, *, folder: Path | None = None) -> str:
    """Return the text of a prompt, without surrounding blank lines.

    Args:
        name: `agent`, `contradict`, `evaluate`, `extract`, `link`, `plan`, `relations`, `summarize` or `working`.
        folder: Where `<name>.md` is looked for first; what it lacks comes from the package.

    Raises:
        ConfigurationError: There is no prompt of this name.
    """
    shipped = {
        entry.name.removesuffix(".md"): entry for entry in files(__name__).iterdir() if entry.name.endswith(".md")
    }
    own = folder / f"{name}.md" if folder is not None and name in shipped else None
    if own is not None and own.is_file():
        return own.read_text(encoding="utf-8").strip()
    if name not in shipped:
        msg = f"there is no prompt {name!r}; use one of {', '.join(sorted(shipped))}"
        raise ConfigurationError(msg)
    return shipped[name].read_text(encoding="utf-8").strip()
