"""Scripts of the Redis sessions: each a whole transaction, and one round trip.

Each reads every key before it writes to one, so that a key of a foreign type is found while nothing is changed yet.
An element of the list of messages is `links NUL id NUL sealed`. The links say, by fingerprints, which tool calls a
message makes (`C`) or answers (`R`), so that a script can cut without opening anything; without tools there are none.
An empty element is the place of a result that went with its call.
"""

from __future__ import annotations

from typing import Final

from langchain_agentmem.redis.scripts import CHECK_WHOLE, Script

LINK_BYTES: Final = 8
"""Of a fingerprint; two of the thousands of calls of one session are equal with a chance below 10^-11."""

_LIFE: Final = """
local call = redis.call
local messages, ids, meta, sessions = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ttl = ARGV[1] ~= '' and ARGV[1]

-- A session has all of its keys or none. They have one expiry, and `meta`, by which it is there or not, is never the
-- last to go. The index of a user lives as long as the longest-lived of the sessions in it.
local function live(left)
  if not ttl then
    for _, key in ipairs(KEYS) do call('PERSIST', key) end
    return
  end
  call('PEXPIRE', meta, ttl)
  call('PEXPIRE', ids, ttl)
  call('PEXPIRE', messages, ttl)
  if left and left ~= -1 and left < tonumber(ttl) then call('PEXPIRE', sessions, ttl) end
end
"""

_ROOM: Final = """
local gone, unanswered, waiting, dropped_ids = {}, {}, 0, {}

local function note_call(link)
  gone[link] = true
  if not unanswered[link] then unanswered[link], waiting = true, waiting + 1 end
end

local function note_answer(link)
  if unanswered[link] then unanswered[link], waiting = nil, waiting - 1 end
end

-- Drop the oldest messages, and remember the calls that went with them.
local function cut()
  local excess, dropped = length - holes - most, 0
  while excess > 0 do
    for _, element in ipairs(call('LRANGE', messages, dropped, dropped + math.min(excess + holes, CHUNK) - 1)) do
      if excess == 0 then break end
      dropped = dropped + 1
      if element == '' and holes > 0 then holes = holes - 1 else excess = excess - 1 end
      local kind, found = links(element)
      local id = string.match(element, '^[^%z]*%z([^%z]*)%z')
      if id then dropped_ids[#dropped_ids + 1] = id end
      if kind == 'R' then note_answer(found) end
      if kind == 'C' then for link in string.gmatch(found, LINK) do note_call(link) end end
    end
  end
  call('LTRIM', messages, dropped, -1)
  first, length = first + dropped, length - dropped
end

-- Empty the results of those calls, until every call is answered, and those that directly follow. What is not answered
-- yet is remembered: its result will not be stored. A call that stays and uses an id again has the results behind it.
local function cut_results()
  local place = 0
  while next(gone) and place < length do
    for _, element in ipairs(call('LRANGE', messages, place, place + CHUNK - 1)) do
      local kind, link = links(element)
      if kind == 'C' then
        for again in string.gmatch(link, LINK) do
          gone[again] = nil
          note_answer(again)
        end
      end
      if kind == 'R' and gone[link] then
        call('LSET', messages, place, '')
        holes = holes + 1
        note_answer(link)
      elseif waiting == 0 and kind ~= 'R' and element ~= '' then
        return
      end
      place = place + 1
    end
  end
end

-- One stays where all would go: a list without an element is no key, and a session has all of its keys.
local function drop_leading_holes()
  while holes > 0 and length > 1 and call('LINDEX', messages, 0) == '' do
    call('LPOP', messages)
    first, length, holes = first + 1, length - 1, holes - 1
  end
end

cut()
call('ZREMRANGEBYSCORE', ids, '-inf', '(' .. (first - 1 - kept_ids))
cut_results()
drop_leading_holes()
if #dropped_ids > 0 then made_room = dropped_ids end
for link in pairs(unanswered) do lost = lost .. link end
call('HSET', meta, 'first', first, 'holes', holes, 'lost', string.sub(lost, -MOST_LOST))
"""

_INDEX_END: Final = """
-- An index is without an end while a session in it is. When such a session goes, or gets an end, the index gets that of
-- the longest-lived one left. Their keys are of the same slot, and what fails here only leaves the index as it is.
local function key_of(base, id)
  local part = string.gsub(id, '[^%w_.~-]', function(byte) return string.format('%%%02X', string.byte(byte)) end)
  return base .. part .. ':meta'
end

local function end_index(sessions, meta, session)
  local base = string.sub(meta, 1, #meta - #key_of('', session))
  local place, longest, CHUNK = 0, 1, 1000
  repeat
    local found = redis.call('ZRANGE', sessions, place, place + CHUNK - 1)
    for _, id in ipairs(found) do
      local left = redis.pcall('PTTL', key_of(base, id))
      if type(left) ~= 'number' or left == -1 then return end
      longest = math.max(longest, left)
    end
    place = place + CHUNK
  until #found < CHUNK
  redis.call('PEXPIRE', sessions, longest)
end
"""

APPEND: Final = Script(
    _LIFE
    + CHECK_WHOLE
    + """
local most, at, session, title = tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local kept_ids, CHUNK, FEW, MOST_LOST, LINK = ARGV[6], 1000, 50, 1024, string.rep('.', 16)
local known = call('HMGET', meta, 'first', 'holes', 'used', 'title', 'lost')
local first, used, length = known[1], at, call('LLEN', messages)
local holes = math.max(0, math.min(tonumber(known[2] or 0), length))
local lost, left, suspects, made_room = most and known[5] or ''
if known[3] and tonumber(known[3]) > tonumber(at) then used = known[3] end
check_whole({messages, ids, meta}, 3)

-- The index first: what it says too much is taken out of it when it is read.
if sessions then
  left = call('PTTL', sessions)
  if not first then suspects = call('ZRANDMEMBER', sessions, 10) end
  call('ZADD', sessions, used, session)
end
if not first then
  length = 0
  call('DEL', messages, ids, meta)
  call('HSET', meta, 'created', at, 'first', 1, 'holes', 0)
end

local function links(element)
  return string.sub(element, 1, 1), string.match(element, '^[CR]([0-9a-f]*)') or ''
end

-- Whether a call that went was the last of its id: then its result has no place any more.
local function is_lost(link)
  if not string.find(lost, link, 1, true) then return false end
  for stop = length - 1, 0, -FEW do
    local found = call('LRANGE', messages, math.max(0, stop - FEW + 1), stop)
    for place = #found, 1, -1 do
      local kind, calls = links(found[place])
      if kind == 'C' then for each in string.gmatch(calls, LINK) do if each == link then return false end end end
    end
  end
  return true
end

-- An id goes by the end of the last call that named it: a call is remembered whole, or its repeat would add a part.
local added, call_end = 0, (first or 1) + length + (#ARGV - 6) / 2 - 1
for number = 7, #ARGV, 2 do
  if call('ZADD', ids, call_end, ARGV[number]) == 1 then
    local kind, link = links(ARGV[number + 1])
    if not (kind == 'R' and is_lost(link)) then length = call('RPUSH', messages, ARGV[number + 1]) end
    added = added + 1
  end
end
if title ~= '' and not known[4] then call('HSET', meta, 'used', used, 'title', title)
elseif used ~= known[3] then call('HSET', meta, 'used', used) end
if most and length - holes > most then
  first = tonumber(first or 1)
"""
    + _ROOM
    + """
end
local was_endless = ttl and left == -1 and known[1] and call('PTTL', meta) == -1
live(left)
if was_endless then
"""
    + _INDEX_END
    + """
  end_index(sessions, meta, session)
end
if not (suspects or made_room) then return added end
return {added, known[1] and 0 or 1, suspects or {}, made_room or {}}
"""
)

READ: Final = Script(
    _LIFE
    + CHECK_WHOLE
    + """
local direction, position, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local length = call('LLEN', messages)
local known = call('HMGET', meta, 'first', 'holes')
local first, holes = tonumber(known[1] or 1), tonumber(known[2] or 0)
local start, stop
if (length == 0) == (known[1] and true or false) then check_whole({messages, ids, meta}, 3) end
if direction == 'after' then
  start = math.max(0, math.min(position + 1 - first, length))
  stop = math.min(start + limit + holes, length) - 1
else
  stop = math.min(position - first, length) - 1
  start = math.max(0, stop + 1 - limit - holes)
end
if ttl and known[1] and call('PTTL', meta) >= 0 then live(sessions and call('PTTL', sessions)) end
local found = stop < start and {} or call('LRANGE', messages, start, stop)
return {first, first + start, found}
"""
)

CLEAR: Final = Script(
    _INDEX_END
    + """
local call = redis.call
local messages, ids, meta, sessions, session = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
local length = call('LLEN', messages)
local holes = tonumber(call('HGET', meta, 'holes') or 0) or 0
local was_endless = sessions and call('PTTL', meta) < 0 and call('PTTL', sessions) == -1
if sessions then call('ZREM', sessions, session) end
call('DEL', messages, ids, meta)
if was_endless then end_index(sessions, meta, session) end
return length - holes
"""
)

REWRITE: Final = Script("""
local call, messages, meta = redis.call, KEYS[1], KEYS[3]
local anew, count = {}, 0
for number = 2, #ARGV, 2 do anew[ARGV[number]] = ARGV[number + 1] end
for place, element in ipairs(call('LRANGE', messages, 0, -1)) do
  local before = string.find(element, '\\0', 1, true)
  local behind = before and string.find(element, '\\0', before + 1, true)
  local found = behind and anew[string.sub(element, before + 1, behind - 1)]
  if found then
    call('LSET', messages, place - 1, found)
    count = count + 1
  end
end
if ARGV[1] ~= '' and call('EXISTS', meta) == 1 then call('HSET', meta, 'title', ARGV[1]) end
return count
""")

KEEP: Final = Script("""
local ids, meta = KEYS[2], KEYS[3]
local version, about, sealed = ARGV[1], ARGV[2], ARGV[3]
local known = redis.call('HMGET', meta, 'created', 'summary', 'summary_version')
if not known[1] then return 0 end
if known[2] == sealed and known[3] == version then return 1 end
if tonumber(known[3] or 0) >= tonumber(version) or not redis.call('ZSCORE', ids, about) then return 0 end
redis.call('HSET', meta, 'summary', sealed, 'summary_version', version)
return 1
""")

FORGET: Final = Script(
    _INDEX_END
    + """
-- KEYS: the index, and messages, ids and meta of sessions. ARGV: their ids; those without any key leave the index.
local sessions, removed = KEYS[1], 0
for number, id in ipairs(ARGV) do
  if redis.call('EXISTS', unpack(KEYS, 3 * number - 1, 3 * number + 1)) == 0 then
    removed = removed + redis.call('ZREM', sessions, id)
  end
end
if removed > 0 and redis.call('PTTL', sessions) == -1 then end_index(sessions, KEYS[4], ARGV[1]) end
return 0
"""
)
