"""What deletes or overwrites for good: commands of shells and git, statements of SQL, as they are spelled in the wild.

A text is read as a shell would: quotes, backslashes and `${IFS}` hide nothing. What is built at run time (a variable, a
script that is downloaded, an encoded text) is not seen: this is a guard rail against accidents, not a sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import fold_look_alikes

MAX_READ_CHARS: Final = 1_000_000
"""What is longer is not read, and counts as destructive."""

Words: TypeAlias = Sequence[str]

# ------------------------------------------------------------------------------------------------------------- shells
_CONTINUED: Final = lazy_pattern(r"\\\r?\n")
_BLANK_VARIABLE: Final = lazy_pattern(r"\$\{?ifs\}?")
_HIDING: Final = lazy_pattern(r"[\"'\\]|\$(?=[\"'])")
_BRACES: Final = lazy_pattern(r"\{([^{}\s]{2,1000})\}")
_COMMANDS: Final = lazy_pattern(r"[;&|\n\r`(){}\[\]]+")
_DEVICE: Final = lazy_pattern(r">\s{0,5}/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper)")
_FORK_BOMB: Final = lazy_pattern(r":\s{0,3}\(\s{0,3}\)\s{0,3}\{\s{0,3}:\s{0,3}\|")
_CLUSTER: Final = lazy_pattern(r"-[a-z]{1,20}")
_CODE: Final = lazy_pattern(
    r"\b(?:shutil\.rmtree|fs\.rm(?:dir)?sync|deletetree|remove_dir_all|os\.removeall|flushall|flushdb)\b"
)
_BLANKS: Final = lazy_pattern(r"[^\S\n]+")
_LINE_ENDS: Final = lazy_pattern(r" ?\n[ \n]*+")
_SHORTEST_OPTION: Final = len("--r")
_DELETERS: Final = frozenset({"rm", "shred", "unlink"})


def is_destructive(text: str) -> bool:
    """Whether a text holds a command or statement that deletes or overwrites for good."""
    if len(text) > MAX_READ_CHARS:
        return True
    plain = fold_look_alikes(text)
    return _is_destructive_command(plain) or _is_destructive_sql(plain) or _is_destructive_code(_even(plain))


def _even(text: str) -> str:
    """Return a text with one blank, or one end of a line, where there are many."""
    return _LINE_ENDS.sub("\n", _BLANKS.sub(" ", text))


def _is_destructive_code(text: str) -> bool:
    return any(form.search(text) for form in (_CODE, _DEVICE, _FORK_BOMB))


def _is_destructive_command(text: str) -> bool:
    return any(_destroys(words) for words in _commands(text))


def _commands(text: str) -> Iterator[Words]:
    """Yield the words of each command, with nothing left that only hides them."""
    shown = _BLANK_VARIABLE.sub(" ", _CONTINUED.sub("", text))
    shown = _HIDING.sub("", shown)
    shown = _BRACES.sub(lambda found: found[1].replace(",", " "), shown)
    for command in _COMMANDS.split(shown):
        if words := command.replace(",", " ").split():
            yield words


def _destroys(words: Words) -> bool:
    """Whether a command destroys. It may stand after others, as after `sudo`; its first place sees all that follows."""
    asked: set[str] = set()
    for place, word in enumerate(words):
        name = _name(word)
        name = "mkfs" if name.startswith(("mkfs.", "newfs")) else name
        test = None if name in asked else _TESTS.get(name)
        asked.add(name)
        if test is not None and test(words[place + 1 :]):
            return True
    return False


def _name(word: str) -> str:
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def _has(words: Words, *options: str) -> bool:
    """Whether an option is among the words: `-rf` has `-r` and `-f`; `--force=x` and `--for` are `--force`."""
    for word in words:
        name = word.partition("=")[0]
        if name in options or (len(name) >= _SHORTEST_OPTION and any(it.startswith(name) for it in options)):
            return True
        letters = _CLUSTER.match(word)
        if letters and any(option[1:] in letters[0] for option in options if not option.startswith("--")):
            return True
    return False


def _is_rm(rest: Words) -> bool:
    is_forced = _has(rest, "-f", "--force") and any("*" in word or word in {"/", "~", "."} for word in rest)
    return is_forced or _has(rest, "-r", "--recursive", "--no-preserve-root")


def _is_git(rest: Words) -> bool:
    if "push" in rest:
        after = rest[rest.index("push") + 1 :]
        forced = ("-f", "-d", "--force", "--force-with-lease", "--force-if-includes", "--delete", "--mirror", "--prune")
        return _has(after, *forced) or any(word.startswith(("+", ":")) for word in after)
    return (
        ("reset" in rest and _has(rest, "--hard"))
        or ("clean" in rest and _has(rest, "-f", "--force"))
        or "filter-branch" in rest
        or ("reflog" in rest and "expire" in rest)
    )


def _is_find(rest: Words) -> bool:
    return "-delete" in rest or (_any_of("-exec", "-execdir", "-ok", "-okdir")(rest) and _has_deleter(rest))


def _has_deleter(rest: Words) -> bool:
    return any(_name(word) in _DELETERS for word in rest)


def _is_dd(rest: Words) -> bool:
    return any(word.startswith("of=/dev/") and not word.startswith("of=/dev/null") for word in rest)


def _has_target(rest: Words) -> bool:
    return bool(rest)


def _is_windows_delete(rest: Words) -> bool:
    return any(word in {"/s", "/q", "-recurse", "-r", "-rec"} for word in rest)


def _is_format(rest: Words) -> bool:
    return bool(rest) and re.fullmatch(r"[a-z]:", rest[0]) is not None


def _any_of(*verbs: str) -> Callable[[Words], bool]:
    return lambda rest: any(verb in rest for verb in verbs)


def _is_docker(rest: Words) -> bool:
    return "prune" in rest or ("volume" in rest and ("rm" in rest or "remove" in rest))


def _is_aws(rest: Words) -> bool:
    return "rb" in rest or ("rm" in rest and _has(rest, "--recursive")) or any(it.startswith("delete-") for it in rest)


_TESTS: Final[dict[str, Callable[[Words], bool]]] = {
    "rm": _is_rm,
    "git": _is_git,
    "find": _is_find,
    "xargs": _has_deleter,
    "dd": _is_dd,
    "mkfs": _has_target,
    "mke2fs": _has_target,
    "mkswap": _has_target,
    "wipefs": _has_target,
    "blkdiscard": _has_target,
    "shred": _has_target,
    "dropdb": _has_target,
    "truncate": lambda rest: _has(rest, "-s", "--size"),
    "rmdir": _is_windows_delete,
    "rd": _is_windows_delete,
    "del": _is_windows_delete,
    "erase": _is_windows_delete,
    "remove-item": _is_windows_delete,
    "ri": _is_windows_delete,
    "format": _is_format,
    "format-volume": _has_target,
    "terraform": _any_of("destroy", "-destroy"),
    "tofu": _any_of("destroy", "-destroy"),
    "kubectl": _any_of("delete"),
    "helm": _any_of("uninstall", "delete"),
    "docker": _is_docker,
    "podman": _is_docker,
    "aws": _is_aws,
    "gsutil": _any_of("rm", "rb"),
}

# ---------------------------------------------------------------------------------------------------------------- SQL
_COMMENT_SIGNS: Final = lazy_pattern(r"/\*!?\d{0,6}|\*/")
_LINE_COMMENT: Final = lazy_pattern(r"(?:--|#)[^\n]*+")
_QUOTES: Final = str.maketrans({'"': "'", "`": None, "[": None, "]": None})
_LITERAL: Final = lazy_pattern(r"'[^';]{0,1000}'")
_THINGS: Final = (
    r"(?:table|database|schema|view|materialized\s{1,5}view|index|column|user|role|tablespace|collection|keyspace"
    r"|sequence|function|procedure|trigger|type|constraint|partition)"
)
_DROPS: Final = lazy_pattern(rf"\bdrop\s{{1,50}}(?:temporary\s{{1,50}}|external\s{{1,50}})?{_THINGS}\s{{1,50}}\S")
_NAME: Final = r"[\w$.'@#-]{1,200}"
_ENDS: Final = r"\s{0,50}(?:$|[;,'\")]|cascade\b|restart\b|restrict\b|returning\b|limit\b|order\s+by\b|using\b|where\b)"
_TRUNCATES: Final = lazy_pattern(
    rf"\btruncate\s{{1,50}}table\s{{1,50}}\S|(?:^|[;'\"(\n]\s{{0,5}})truncate\s{{1,50}}(?:only\s{{1,50}})?{_NAME}{_ENDS}",
    re.MULTILINE,
)
_DELETE: Final = r"\bdelete\s(?:(?:low_priority|quick|ignore|top\s?\(?\d{1,20}\)?(?:\spercent)?)\s){0,4}"
_DELETES: Final = lazy_pattern(rf"{_DELETE}from\s(?:only\s)?{_NAME}(?:\s(?:as\s)?\w{{1,60}})?{_ENDS}")
_ALIASED: Final = rf"(?:{_NAME}\s(?:as\s)?)?'?\1\b'?"
_DELETES_NAMED: Final = lazy_pattern(  # what is named before FROM is named behind it again, else it is English
    rf"{_DELETE}(?:from\s)?'?(?!from\b)([\w$@#-]{{1,100}}(?:\.[\w$@#-]{{1,100}}){{0,3}})'?(?:\.\*)?"
    rf"(?:\s?,\s?[\w$.*'@#-]{{1,200}}){{0,9}}\sfrom\s"
    rf"(?:{_ALIASED}(?:{_ENDS}|\s(?:\w{{1,10}}\s){{0,2}}join\b)|[^;]{{1,200}}?(?:,\s?|\bjoin\s){_ALIASED})"
)
_DELETES_SHORTLY: Final = lazy_pattern(  # without FROM, as T-SQL may: where it is said to be SQL, else it is English
    rf"(?:sql|database|statement)[^;\n]{{0,100}}['(]\s?(delete\s(?!from\b){_NAME}){_ENDS}"
    rf"|(?:^|;)\s?(delete\s(?!from\b){_NAME});",
    re.MULTILINE,
)
_UPDATES: Final = lazy_pattern(
    rf"\bupdate\s(?:(?:low_priority|ignore|only)\s){{0,3}}{_NAME}(?:\s(?:as\s)?(?!set\b)\w{{1,60}})?\sset\s[^=;\n]{{1,200}}="
)
_WHERE_OR_DEPTH: Final = lazy_pattern(r"\bwhere\b|[()]")
_CONSTANT: Final = r"(?:\?|\d{1,30}(?:\.\d{1,30})?)"
_ALWAYS: Final = lazy_pattern(
    r"\b(?:where|x?or)\b[\s(]*+(?:true\b|not[\s(]*+(?:false\b|0\b)"
    r"|[1-9]\d{0,30}\b(?!\s?(?:[.=<>!+*/%|-]|(?:in|is|not|like|between)\b))"
    rf"|{_CONSTANT}\s?(?:[=<>!]{{1,3}}|like\b)\s?{_CONSTANT}(?![\w.(])"
    r"|([\w.]{1,60})\s?(?:[<>]?=|<=>|like\b)\s?\1(?![\w.(]))"
)
_LIKE_ANYTHING: Final = lazy_pattern(r"\blike\s?'%{1,20}'")
_MONGO: Final = lazy_pattern(r"\.(?:dropdatabase\(\)|drop\(\)|deletemany\(\s{0,5}\{\s{0,5}\})")


def _is_destructive_sql(text: str) -> bool:
    """Look both behind comments and into them: what one database skips another one executes."""
    views = {_even(view.translate(_QUOTES)) for view in (_uncommented(text), _COMMENT_SIGNS.sub(" ", text))}
    return any(_drops(view) or _changes_all(view) for view in views) or _MONGO.search(_even(text)) is not None


def _uncommented(text: str) -> str:
    pieces, place = [], 0
    while (start := text.find("/*", place)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        pieces.append(text[place:start])
        place = end + 2
    return _LINE_COMMENT.sub(" ", " ".join([*pieces, text[place:]]))


def _drops(text: str) -> bool:
    return _DROPS.search(text) is not None or _TRUNCATES.search(text) is not None


def _changes_all(text: str) -> bool:
    """Whether rows are deleted or updated without a condition, or with one that is always true."""
    if any(not _is_bounded(text[found.start(found.lastindex or 0) :]) for found in _DELETES_SHORTLY.finditer(text)):
        return True
    statements = text.split(";")
    found = (
        (it, match) for it in statements for form in (_DELETES, _DELETES_NAMED, _UPDATES) for match in form.finditer(it)
    )
    return any(not _is_bounded(statement[match.start() :]) for statement, match in found)


def _is_bounded(statement: str) -> bool:
    """Whether a statement has a condition of its own, outside of what stands in parentheses, that may be false."""
    if _LIKE_ANYTHING.search(statement):
        return False
    bare, depth = _LITERAL.sub(" ? ", statement.partition(";")[0]), 0
    for found in _WHERE_OR_DEPTH.finditer(bare):
        if found[0] == "where" and depth == 0:
            return _ALWAYS.search(_even(bare[found.start() :])) is None
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:  # the end of what stands around it
            return False
    return False
