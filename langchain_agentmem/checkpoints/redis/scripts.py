"""What Redis does with a thread in one step, in Lua.

Keys of each script, unless it says otherwise: meta, items, digests, checkpoints, writes. Each checks first and writes
last, and what it writes gets the thread's expiry in the same step.

Fields of meta: `g` generation, `n` next number, `r` revision (of every change), `o` owner, `c` begun at, `u` last used
at, `x` expires at (microseconds, empty: never), `z` until when the registry keeps the thread (milliseconds or `never`),
`lc` number of labels, `k` number of the other keys that there are, `t` token of the last change, `h:…` head of a
namespace (after `=`), `l:…` a label.
"""

from __future__ import annotations

from typing import Final

from langchain_agentmem.redis.scripts import CHECK_WHOLE, Script

_THREAD: Final = (
    CHECK_WHOLE
    + """
local FIELDS = {'g', 'n', 'o', 'x', 'z', 'lc', 't', 'r', 'u', 'k'}
local function thread(at)
  local values = redis.call('HMGET', KEYS[1], unpack(FIELDS))
  local it = {}
  for i, field in ipairs(FIELDS) do it[field] = values[i] end
  local is_over = it.g and it.x ~= '' and tonumber(it.x) <= tonumber(at)
  if not is_over then check_whole(KEYS, 1 + (it.g and tonumber(it.k or 0) or #KEYS)) end
  if not it.g or is_over then it = {g = '0', n = '1', r = '0', lc = '0', is_over = is_over} end
  it.is_there = it.g ~= '0'
  return it
end
local function state(it, heads)
  return {it.g, it.n, it.o or '', it.z or '', it.r, heads}
end
local function covers(known, wanted)
  return known == 'never' or (wanted ~= 'never' and tonumber(known) >= tonumber(wanted))
end
local function is_registered(it, registered, count, wanted, has_new)
  local is_short = not it.is_there or not covers(it.z, wanted)
  if not is_short and not has_new then return true end
  if registered == '' or not covers(registered, wanted) then return false end
  if it.is_there and not covers(registered, it.z) then return false end
  return not is_short or count == it.lc
end
local function labels()
  local found = {}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field:sub(1, 2) == 'l:' then found[#found + 1] = field:sub(3) end
  end
  return found
end
local function heads()
  local all, found = redis.call('HGETALL', KEYS[1]), {}
  for i = 1, #all, 2 do
    if all[i]:sub(1, 2) == 'h:' then
      found[#found + 1] = all[i]:sub(3)
      found[#found + 1] = all[i + 1]
    end
  end
  return found
end
local function head(it, ns)
  return it.is_there and redis.call('HGET', KEYS[1], 'h:' .. ns) or ''
end
local function expire(at)
  for i = 1, 5 do
    if at == '' then redis.call('PERSIST', KEYS[i]) else redis.call('PEXPIREAT', KEYS[i], at) end
  end
end
local function note_keys(it)
  local count = redis.call('EXISTS', unpack(KEYS, 2, 5))
  if tostring(count) ~= it.k then redis.call('HSET', KEYS[1], 'k', count) end
end
local function above(prefix)
  return '(' .. prefix:sub(1, -2) .. '\\1'
end
"""
)

STATE: Final = Script(
    _THREAD
    + """
-- ARGV: now, namespaces. Returns a state.
local it, found = thread(ARGV[1]), {}
for i = 2, #ARGV do found[i - 1] = head(it, ARGV[i]) end
return state(it, found)
"""
)

CHANGE: Final = Script(
    _THREAD
    + """
-- Returns {1, revision}: done. {0, state, digests}: the thread is not what it was taken for; digests from a number on,
-- if the generation still is. {2, z, labels}: register the thread first, then ask again.
local now, expires, ends, token = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local generation, next_no, owner = ARGV[5], ARGV[6], ARGV[7]
local new_generation, new_next_no, new_owner = ARGV[8], ARGV[9], ARGV[10]
local replaces, registered, count, first, digests = ARGV[11] == '1', ARGV[12], ARGV[13], tonumber(ARGV[14]), ARGV[15]
local counts, place = {}, 21
for i = 16, 20 do counts[i - 15] = tonumber(ARGV[i]) end
local function take()
  place = place + 1
  return ARGV[place - 1]
end
local it = thread(now)
if it.t == token then return {1, tonumber(it.r)} end

local is_same, found = it.g == generation and it.n == next_no and (it.o or '') == owner, {}
for i = 1, counts[1] do
  found[i] = head(it, take())
  is_same = take() == found[i] and is_same
end
if not is_same then
  local tail = it.g == generation and redis.call('GETRANGE', KEYS[3], (first - 1) * 16, -1) or ''
  return {0, state(it, found), tail}
end
local fields, has_new_owner, lc = {}, new_owner ~= '' and owner == '', tonumber(it.lc)
for _ = 1, counts[2] do
  local label = 'l:' .. take()
  if not it.is_there or redis.call('HEXISTS', KEYS[1], label) == 0 then
    lc, fields[#fields + 1], fields[#fields + 2] = lc + 1, label, ''
  end
end
local wanted = ends == '' and 'never' or ends
if not is_registered(it, registered, count, wanted, has_new_owner or #fields > 0) then
  return {2, it.z or '', it.is_there and labels() or {}}
end

if it.is_over then redis.call('DEL', unpack(KEYS)) end
local revision = tonumber(it.r) + 1
local function note(field, value) fields[#fields + 1], fields[#fields + 2] = field, value end
local function set(key, values, from)
  for i = from, #values, 1000 do redis.call('HSET', key, unpack(values, i, math.min(i + 999, #values))) end
end
if not it.is_there then
  note('g', new_generation)
  note('c', now)
end
note('n', new_next_no)
note('x', expires)
note('t', token)
note('r', revision)
note('lc', lc)
if tonumber(now) > tonumber(it.u or 0) then note('u', now) end
if not it.is_there or not covers(it.z, wanted) then note('z', registered) end
if has_new_owner then note('o', new_owner) end
for _ = 1, counts[3] do note('h:' .. take(), take()) end
set(KEYS[1], fields, 1)
local function put(key, is_replacing)
  local prefix, rest = take(), take()
  local old = redis.call('ZRANGEBYLEX', key, '[' .. prefix, above(prefix), 'LIMIT', 0, 1)[1]
  if old and not is_replacing then return end
  if old then redis.call('ZREM', key, old) end
  redis.call('ZADD', key, 0, prefix .. rest)
end
for _ = 1, counts[4] do put(KEYS[4], true) end
for _ = 1, counts[5] do put(KEYS[5], replaces) end
set(KEYS[2], ARGV, place)
if digests ~= '' then redis.call('SETRANGE', KEYS[3], (tonumber(next_no) - 1) * 16, digests) end
if it.k ~= '4' then note_keys(it) end  -- no change takes one away
if ends ~= '' or (it.x or '') ~= '' then expire(ends) end
return {1, revision}
"""
)

PAGE: Final = Script(
    _THREAD
    + """
-- ARGV: now, expires, ends, registered, count, limit (empty: none), kind, then of `one`: namespace; `range`: namespace,
-- from, to; `all`: from, to, namespace up to which that holds, and to for those after it; `heads`: nothing.
-- Returns {0, state, rows}; {2, state, z, labels}: register the thread first, then ask again.
local now, expires, ends, registered, count, limit, kind = unpack(ARGV, 1, 7)
local it = thread(now)
if not it.is_there then return {0, state(it, {}), {}} end
local found = {}
if kind == 'one' or kind == 'range' then found = {ARGV[8], head(it, ARGV[8])} else found = heads() end
if ends ~= '' and not is_registered(it, registered, count, ends, false) then
  return {2, state(it, found), it.z, labels()}
end
if ends ~= '' then
  redis.call('HSET', KEYS[1], 'x', expires)
  if not covers(it.z, ends) then redis.call('HSET', KEYS[1], 'z', registered) end
  expire(ends)
end

local rows = {}
local function add(ns, from, to)
  local low = '[' .. ns .. '\\0' .. from
  local high = to == '' and '(' .. ns .. '\\1' or '(' .. ns .. '\\0' .. to
  local members
  if limit == '' then
    members = redis.call('ZREVRANGEBYLEX', KEYS[4], high, low)
  else
    members = redis.call('ZREVRANGEBYLEX', KEYS[4], high, low, 'LIMIT', 0, limit)
  end
  for _, member in ipairs(members) do
    local key = member:match('^[^%z]*%z[^%z]*%z')
    rows[#rows + 1] = {member, redis.call('ZRANGEBYLEX', KEYS[5], '[' .. key, above(key))}
  end
end
local function add_all(low, high, from, to)
  local first = redis.call('ZRANGEBYLEX', KEYS[4], low, high, 'LIMIT', 0, 1)[1]
  while first do
    local ns = first:match('^[^%z]*')
    add(ns, from, to)
    first = redis.call('ZRANGEBYLEX', KEYS[4], '[' .. ns .. '\\1', high, 'LIMIT', 0, 1)[1]
  end
end
if kind == 'range' then
  add(ARGV[8], ARGV[9], ARGV[10])
elseif kind == 'all' then
  local middle = ARGV[10] .. '\\1'
  add_all('-', '(' .. middle, ARGV[8], ARGV[9])
  add_all('[' .. middle, '+', ARGV[8], ARGV[11])
else
  for i = 1, #found, 2 do
    local id = found[i + 1]:sub(2)
    if found[i + 1] ~= '' then add(found[i], id .. '\\0', id .. '\\1') end
  end
end
return {0, state(it, found), rows}
"""
)

INVENTORY: Final = Script(
    _THREAD
    + """
-- ARGV: now. Returns a state and everything but what the items hold.
local it = thread(ARGV[1])
if not it.is_there then return {state(it, {}), {}, {}, {}} end
local checkpoints, writes = redis.call('ZRANGE', KEYS[4], 0, -1), redis.call('ZRANGE', KEYS[5], 0, -1)
return {state(it, heads()), checkpoints, writes, redis.call('HKEYS', KEYS[2])}
"""
)

REMOVE: Final = Script(
    _THREAD
    + """
-- ARGV: now, generation, revision, generation after it, counts of what follows: checkpoints to remove, writes to
-- remove, items to remove, checkpoints to add, heads to set, heads to remove, writes to add, items to set, each with
-- its digest. Returns 1: done, 0: it has changed.
local it, place, counts = thread(ARGV[1]), 13, {}
if not it.is_there or it.g ~= ARGV[2] or it.r ~= ARGV[3] then return 0 end
for i = 5, 12 do counts[i - 4] = tonumber(ARGV[i]) end
local function take()
  place = place + 1
  return ARGV[place - 1]
end
-- What frees memory comes first: removing works when memory is out, too.
for _ = 1, counts[1] do redis.call('ZREM', KEYS[4], take()) end
for _ = 1, counts[2] do redis.call('ZREM', KEYS[5], take()) end
local nothing = string.rep('\\0', 16)
for _ = 1, counts[3] do
  local no = take()
  redis.call('HDEL', KEYS[2], no)
  redis.call('SETRANGE', KEYS[3], (tonumber(no) - 1) * 16, nothing)
end
for _ = 1, counts[4] do redis.call('ZADD', KEYS[4], 0, take()) end
for _ = 1, counts[5] do redis.call('HSET', KEYS[1], 'h:' .. take(), take()) end
for _ = 1, counts[6] do redis.call('HDEL', KEYS[1], 'h:' .. take()) end
for _ = 1, counts[7] do redis.call('ZADD', KEYS[5], 0, take()) end
for _ = 1, counts[8] do
  local no = take()
  redis.call('HSET', KEYS[2], no, take())
  redis.call('SETRANGE', KEYS[3], (tonumber(no) - 1) * 16, take())
end
note_keys(it)
redis.call('HSET', KEYS[1], 'g', ARGV[4])
redis.call('HINCRBY', KEYS[1], 'r', 1)
if it.x ~= '' then expire(math.ceil(tonumber(it.x) / 1000)) end  -- also of a key that was emptied and filled again
return 1
"""
)

RELAX: Final = Script(
    _THREAD
    + """
-- ARGV: now, until when the registry is to keep the thread, from when on (by the server) nobody can change it on the
-- strength of an older registration, owner and number of labels that it was taken for.
-- Returns 1: the thread was kept for ever, and now until then; 0: it is not what it was taken for, or it is too early.
local it, time = thread(ARGV[1]), redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) < tonumber(ARGV[3]) then return 0 end
if it.z ~= 'never' or it.x == '' or tonumber(it.x) > tonumber(ARGV[2]) * 1000 then return 0 end
if (it.o or '') ~= ARGV[4] or it.lc ~= ARGV[5] then return 0 end
redis.call('HSET', KEYS[1], 'z', ARGV[2])
return 1
"""
)

DELETE: Final = Script(
    """
-- KEYS: as above, and lease, where it is to go too.
-- ARGV: now, expired by (or empty), owner and number of labels that it was taken for.
-- Returns {-1}: it has others; {keys removed, whether it was there, whether any is left}.
local known = redis.call('HMGET', KEYS[1], 'g', 'o', 'lc', 'x')
if ARGV[2] ~= '' then
  local ends = tonumber(known[4] or '')
  if not (known[1] and ends) or ends > tonumber(ARGV[2]) then return {0, 0, 0} end
end
if (known[2] or '') ~= ARGV[3] or (known[3] or '0') ~= ARGV[4] then return {-1} end
local is_there = known[1] and not ((tonumber(known[4] or '') or math.huge) <= tonumber(ARGV[1]))
local removed = redis.call('UNLINK', unpack(KEYS))
return {removed, is_there and 1 or 0, redis.call('EXISTS', unpack(KEYS))}
"""
)

LEASE: Final = Script(
    """
-- KEYS: lease. ARGV: holder, at, until. The time in it counts by the callers' clocks, its expiry by the server's.
local held = redis.call('GET', KEYS[1])
local until_at = tonumber(ARGV[3])
if held then
  local ends, holder = held:match('^(%d+) (.*)$')
  if holder ~= ARGV[1] and tonumber(ends) > tonumber(ARGV[2]) then return 0 end
  if holder == ARGV[1] and tonumber(ends) > until_at then return 1 end
end
local left = math.ceil((until_at - tonumber(ARGV[2])) / 1000)
if left <= 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[3] .. ' ' .. ARGV[1], 'PX', left)
return 1
"""
)

RELEASE: Final = Script(
    """
-- KEYS: lease. ARGV: holder.
local held = redis.call('GET', KEYS[1])
if held and held:match('^%d+ (.*)$') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
"""
)
