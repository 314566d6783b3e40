"""Plumbing of Redis: connections, one server or a cluster, transactions, scripts. Adapters beside their ports use it.

Every key is `prefix:{tag}:parts`; tag and parts are percent-encoded, so ids are data. What stands between the braces
decides where a key lives in a cluster: all keys of one thread, of one session's owner, or of one index share a slot.

| key | type | holds |
|---|---|---|
| `p:{thread}:thread:meta` | hash | generation, next number, revision, owner, times, heads, labels |
| `p:{thread}:thread:items` | hash | number → content, sealed |
| `p:{thread}:thread:digests` | string | 16 bytes per number |
| `p:{thread}:thread:checkpoints` | sorted set | namespace, id, parent, header, in the order of their bytes |
| `p:{thread}:thread:writes` | sorted set | namespace, checkpoint, task, place, path, channel, value, likewise |
| `p:{thread}:thread:lease` | string | until when, and whose |
| `p:{threads}:ids`, `:marks` | sorted set, hash | all threads, and until when their entry is kept |
| `p:{tenant%00user}:owner:ids`, `:marks` | sorted set, hash | threads of one owner |
| `p:{labels-NN}:ids`, `:marks` | sorted set, hash | threads by label, in 64 buckets |
| `p:{tenant%00user}:session:<id>:…`, `p:{tenant%00user}:sessions` | | conversations: see `sessions.redis.keys` |

The keys of a thread expire together, at the time that its last use said; its lease by itself; an index no earlier than
the threads in it.
"""
