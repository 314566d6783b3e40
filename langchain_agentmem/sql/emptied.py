"""How an episode leaves its row: without a word of it, and with a place in the order of changes.

Views of other processes hear of it by that. Whoever takes episodes out says it in these words, the log's owner and the
conversation's alike.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BindParameter, LargeBinary, Update, bindparam, null, update

from langchain_agentmem.sql.schema import EPISODES

HERE, FORGOTTEN, ENDED = range(3)
"""What `is_gone` of an episode says: it is there, it was taken out for good, or it ended and may come back."""

_HOW: Final[BindParameter[int]] = bindparam("how", type_=EPISODES.c.is_gone.type)
_REVISION: Final[BindParameter[int]] = bindparam("new_revision", type_=EPISODES.c.revision.type)


def empty_episodes(*conditions: Any) -> Update:
    """Return the statement that empties some episodes; its parameters are `how` they go and the `new_revision`."""
    nothing = {column.name: b"" for column in EPISODES.c if isinstance(column.type, LargeBinary)}
    unknown = dict.fromkeys(("expires_at", "session_ref"), null())
    return update(EPISODES).where(*conditions).values(is_gone=_HOW, revision=_REVISION, **nothing, **unknown)
