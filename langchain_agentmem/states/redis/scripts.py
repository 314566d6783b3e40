"""Scripts of the Redis states: each a whole transaction, and one round trip.

Each reads before it writes, so that a key of a foreign type is found while nothing is changed yet. Every key has an
end: a state that of its last use, the index that of the longest-lived state in it.
"""

from __future__ import annotations

from typing import Final

from langchain_agentmem.redis.scripts import Script

_LIFE: Final = """
local call = redis.call
local state, index, ttl = KEYS[1], KEYS[2], tonumber(ARGV[1])

local function live()
  call('PEXPIRE', state, ttl)
  if index and call('PTTL', index) < ttl then call('PEXPIRE', index, ttl) end
end
"""

WRITE: Final = Script(
    _LIFE
    + """
-- ARGV: lifetime, the version and the beginning that are expected, those to be, the time, the id, title, state, and who
-- writes: the last of them are known, so that a write that is repeated is done once. Returns whether it is stored, how
-- often it was used, and some of the index to look after where it is new.
local expected, begun, version, created = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local at, session, title, sealed, writer, KEPT = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], 16
local known = call('HMGET', state, 'version', 'created', 'writers', 'used', 'accesses')
local writers = known[3] or ''
if string.find(writers, writer, 1, true) then return {1, tonumber(known[5])} end
if (known[1] or '0') ~= expected or (known[2] or '') ~= begun then return {0, 0} end
local used, suspects = at, {}
if known[4] and tonumber(known[4]) > tonumber(at) then used = known[4] end
if index then
  if not known[1] then suspects = call('ZRANDMEMBER', index, 10) end
  call('ZADD', index, used, session)
end
writers = string.sub(writers .. writer, -KEPT * #writer)
call('HSET', state, 'version', version, 'created', created, 'used', used, 'writers', writers)
call('HSET', state, 'title', title, 'state', sealed)
local accesses = call('HINCRBY', state, 'accesses', 1)
live()
return {1, accesses, suspects}
"""
)

READ: Final = Script(
    _LIFE
    + """
local known = call('HMGET', state, 'version', 'state')
if not known[1] then return {} end
if index then call('ZCARD', index) end
local accesses = call('HINCRBY', state, 'accesses', 1)
live()
return {known[1], known[2], accesses}
"""
)

DELETE: Final = Script("""
-- ARGV: the id, and the version and the beginning it must have, or nothing.
local state, index = KEYS[1], KEYS[2]
local known = redis.call('HMGET', state, 'version', 'created')
if ARGV[2] ~= '' and (known[1] ~= ARGV[2] or known[2] ~= ARGV[3]) then return 0 end
if index then redis.call('ZREM', index, ARGV[1]) end
redis.call('DEL', state)
return known[1] and 1 or 0
""")

FORGET: Final = Script("""
-- KEYS: the index, and states. ARGV: their ids; those whose states are gone leave the index.
for number = 2, #KEYS do
  if redis.call('EXISTS', KEYS[number]) == 0 then redis.call('ZREM', KEYS[1], ARGV[number - 1]) end
end
return 0
""")
