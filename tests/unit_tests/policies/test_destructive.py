from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.policies.actions import Action
from langchain_agentmem.policies.destructive import MAX_READ_CHARS, is_destructive

DESTRUCTIVE: Final = r"""
rm -rf /
rm -fr ~/x
sudo rm -r -f /var
/bin/rm --recursive --force x
RM -RF /
r\m -rf x
"rm" -rf /
rm --recurs x
find / -execdir rm {} +
find / -exec /bin/rm {} +
redis(FLUSHALL)
WITH g AS (DELETE FROM users RETURNING *) SELECT * FROM g WHERE id=1
UPDATE u SET p=(SELECT id FROM plans WHERE name='x')
DELETE FROM users WHERE id=1 OR 1=1
DELETE FROM users WHERE 'a'='a'
DELETE FROM users WHERE ((1=1))
DELETE FROM users WHERE 2>1
DELETE FROM users WHERE name LIKE '%'
DELETE IGNORE FROM users
DELETE u FROM users u
DELETE users FROM users
DELETE u FROM users AS u JOIN b ON b.i = u.i
DELETE b FROM users u INNER JOIN banned b ON b.i = u.i
DELETE u, b FROM users u, banned b
DELETE QUICK u.* FROM users u
DELETE FROM u FROM users u
DELETE TOP (10) u FROM dbo.users AS u
DELETE `u` FROM `users` `u`
DELETE u FROM users u WHERE 1=1
sql(DELETE users)
DELETE users;
DROP                                                            TABLE x
rm${IFS}-rf${IFS}/
rm -r${x}f /
{rm,-rf,/}
ls && rm / -rf
ls | xargs rm
find . -name x -delete
find / -exec rm {} +
DROP TABLE users
drop   database x
DROP/**/TABLE users
/*!50000 DROP TABLE x*/
DELETE FROM users
delete from users -- where id=1
DELETE FROM users WHERE 1=1
delete from users where true
psql -c 'DELETE FROM users'
psql -c "TRUNCATE users"
TRUNCATE TABLE x
TRUNCATE ONLY x
UPDATE users SET admin = 1
update users u set a='where'
git push --force
git push -f origin main
git -C x push origin +main
git push --force-with-lease
git push origin :main
git reset --hard HEAD~1
git clean -fdx
mkfs.ext4 /dev/sda1
dd if=/dev/zero of=/dev/sda
echo x > /dev/sda
:(){ :|:& };:
terraform destroy
kubectl delete ns x
del /s /q c:\x
Remove-Item -Recurse x
shutil.rmtree(path)
""".strip().splitlines()
CONFUSABLE: Final = (
    "\uff52\uff4d\u3000\uff0d\uff52\uff46 /",  # full width
    "r\u200bm -r\u00adf /",  # invisible characters
    "rm \u2212rf /",  # a minus for a hyphen
    "DR\u041eP TABLE users",  # a Cyrillic O
    "DELETE\u00a0FROM users",
    "rm\t-rf\t/",
    "rm \\\n-rf /",
    "r\\\nm -rf /",
)
HARMLESS: Final = """
rm file.txt
ls -la
DELETE FROM users WHERE id = 3
UPDATE users SET a=1 WHERE id='x'
psql -c "DELETE FROM users WHERE name = 'x'"
DELETE users WHERE id = 3;
DELETE FROM users WHERE id = 10 OR id = 11
DELETE FROM users WHERE name = 'x' AND id IN (SELECT id FROM y WHERE z = 1)
UPDATE users SET a='or 1=1', b=(SELECT 1) WHERE id='x' OR 5 < id
DELETE u FROM users u WHERE u.id = 3
DELETE u FROM users AS u JOIN b ON b.i = u.i WHERE b.gone = 'x'
delete photos from gallery
Delete it from cart, then join us on Monday
delete the notes of monday from my notes app
delete account
git push -u origin main
git commit -m "force"
git reset HEAD~1
select * from drop_table
please drop by the table at noon
remove the format
update the settings please
update: set the table for dinner
truncate the text
find . -name x
docker run --rm x
I will delete from time to time some items
""".strip().splitlines()


@pytest.mark.parametrize("text", [*DESTRUCTIVE, *CONFUSABLE])
def test_what_deletes_for_good_is_seen_however_it_is_spelled(text: str) -> None:
    """Quotes, spaces, case, comments, options in any order and letters that look alike hide nothing."""
    assert is_destructive(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_deletes_nothing_for_good_is_let_through(text: str) -> None:
    """Whoever is asked about everything reads nothing any more."""
    assert not is_destructive(text)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("exec", {"command": "rm", "args": ["-rf", "/data"]}),
        ("exec", {"args": ["-rf", "/data"], "command": "rm"}),
        ("run", {"program": "git", "argv": ["push", "--force"]}),
        ("git", {"command": "push --force origin main"}),
        ("git", {"command": "push", "force": True}),
        ("kubectl", {"args": "delete namespace prod"}),
        ("terraform", {"command": "destroy -auto-approve"}),
        ("run_sql", {"query": "DELETE users"}),
    ],
)
def test_a_command_in_the_pieces_of_a_call_is_seen(tool: str, args: dict[str, Any]) -> None:
    """A tool and its arguments are read as one command, whatever their order."""
    assert Action(tool=tool, args=args).is_destructive


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("search", {"query": "delete account"}),
        ("delete", {"id": "x"}),
        ("git", {"command": "commit", "message": "force"}),
        ("git", {"command": "push", "force": False}),
        ("docker", {"command": "run", "rm": True, "image": "x"}),
        ("sql", {"query": "DELETE FROM users WHERE id = 3"}),
    ],
)
def test_a_harmless_call_is_let_through(tool: str, args: dict[str, Any]) -> None:
    """What only has the words is no command."""
    assert not Action(tool=tool, args=args).is_destructive


def test_what_is_too_long_to_read_counts_as_destructive() -> None:
    """Nothing hides behind a million blanks."""
    assert is_destructive(" " * (MAX_READ_CHARS + 1))


@settings(max_examples=50)
@given(st.text("rm -f/;'\"\\{},$\n", max_size=40))
def test_a_command_is_found_between_others(around: str) -> None:
    """What stands on the lines around a command does not hide it."""
    assert is_destructive(f"{around.replace(chr(92), '')}\nrm -rf /\n{around}")
