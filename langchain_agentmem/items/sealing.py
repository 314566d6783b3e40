"""Keys for items: fetched before a transaction, used in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.items.base import ItemRow
from langchain_agentmem.items.paths import plain_path
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import Cipher, NullCipher, NullVault, Vault

T = TypeVar("T")

_PLAIN: Final = NullCipher()


class MissingKeysError(Exception):
    """A transaction met owners whose keys were not fetched; it is repeated with them."""

    def __init__(self, owners: set[Owner]) -> None:
        super().__init__(f"{len(owners)} owners")
        self.owners = owners


class Keys:
    """The ciphers of owners, for one call.

    Args:
        vault: Where keys are.
    """

    def __init__(self, vault: Vault) -> None:
        """Nothing is fetched yet."""
        self._vault = vault
        self.is_plain = isinstance(vault, NullVault)
        self._ciphers: dict[Owner, Cipher] = {}

    def expect(self, owners: Iterable[Owner | None]) -> None:
        """Raise unless the keys of all owners are here.

        Raises:
            MissingKeysError: Keys have to be fetched.
            IntegrityError: There is a vault, and an item that belongs to nobody: it was never sealed.
        """
        if self.is_plain:
            return
        named = set(owners)
        if None in named:
            msg = "a namespace belongs to nobody, so that nothing sealed its items; move them while there is no vault"
            raise IntegrityError(msg)
        missing = {owner for owner in named if owner is not None} - self._ciphers.keys()
        if missing:
            raise MissingKeysError(missing)

    def fetch(self, owners: Iterable[Owner]) -> Flow[None]:
        """Fetch the keys of owners."""
        if not self.is_plain:
            for owner in sorted(set(owners) - self._ciphers.keys()):
                scope = Scope(owner.user_id, tenant_id=owner.tenant_id)
                self._ciphers[owner] = yield from self._vault.cipher(scope)

    def cipher(self, owner: Owner | None) -> Cipher:
        """Return the cipher of an owner whose key is here."""
        return _PLAIN if self.is_plain or owner is None else self._ciphers[owner]

    def value(self, row: ItemRow) -> bytes:
        """Return the plain bytes of a row's value."""
        if self.is_plain:
            return row.sealed
        return self.cipher(row.owner).open(row.sealed, value_name(row.path, row.key))


def with_keys(keys: Keys, make: Callable[[], Flow[T]]) -> Flow[T]:
    """Run a flow, again and again while it misses keys, which are fetched in between."""
    while True:
        try:
            return (yield from make())
        except MissingKeysError as missing:
            owners = missing.owners
        yield from keys.fetch(owners)


def value_name(path: str, key: str) -> str:
    """Return what a value is sealed as: no path holds NUL, so two items of one owner never share a name."""
    return f"item/{plain_path(path)}\x00{key}"


def terms_name(path: str, key: str) -> str:
    """Return what the terms of an item are sealed as."""
    return f"item-terms/{plain_path(path)}\x00{key}"
