/** A fleet without a change for this long is dropped, and read again when a request needs it. */
const KEPT_S = 7 * 86_400

/**
 * The states of an organization's objects are one hash. Each object has its entry (`state-entry.ts`),
 * which begins with the number of the change that stored it, or 0 if it was read from the store.
 *
 * The hash was started empty as of change `b`. Since then `n` changes have arrived in any order, and `l`
 * is the newest of them. None is missing up to `l` exactly if `b + n` equals `l`. `e` is unique to the
 * hash, so `e` and `n` together identify its contents.
 */
const BEGIN = `
local function begin(key, base, epoch)
  redis.call('DEL', key)
  redis.call('HSET', key, 'b', base, 'n', 0, 'l', base, 'e', epoch)
  redis.call('EXPIRE', key, ${KEPT_S})
end

local function marks(key)
  local read = redis.call('HMGET', key, 'b', 'n', 'l')
  return tonumber(read[1]), tonumber(read[2]), tonumber(read[3])
end

local function versionOf(key)
  local read = redis.call('HMGET', key, 'e', 'n')
  return read[1] and read[1] .. '.' .. read[2]
end
`

/**
 * `states(key, objects, epoch)` returns the version and the entry of each object. Starts a new hash if
 * there is none.
 */
export const STATES = `${BEGIN}
local function states(key, text, epoch)
  local version = versionOf(key)
  if not version then
    begin(key, 0, epoch)
    version = versionOf(key)
  end
  local reply, objects = { version }, {}
  for object in string.gmatch(text, '%d+') do objects[#objects + 1] = object end
  for i = 1, #objects, 1000 do
    local entries = redis.call('HMGET', key, unpack(objects, i, math.min(i + 999, #objects)))
    for _, entry in ipairs(entries) do reply[#reply + 1] = entry end
  end
  return reply
end
`

/**
 * `keep(key, sequence, previous, last, epoch, at)` stores the states of a change, or a part of them:
 * pairs of object and entry from the argument `at` on. An older entry never replaces a newer one. The
 * last part counts the change.
 */
export const KEEP = `${BEGIN}
local function keep(key, sequence, previous, last, epoch, at)
  local base, came, newest = marks(key)
  -- Begun by a reader: nothing is in it that an earlier change could have to replace.
  local isBare = base and came == 0 and redis.call('HLEN', key) == 4
  if not base or isBare and previous > base then
    begin(key, previous, epoch)
    base, newest = previous, previous
  end
  if sequence <= base then return end
  for i = at, #ARGV, 2 do
    local standing = redis.call('HGET', key, ARGV[i])
    if not standing or struct.unpack('<d', standing) < sequence then
      redis.call('HSET', key, ARGV[i], ARGV[i + 1])
    end
  end
  if last then
    redis.call('HINCRBY', key, 'n', 1)
    redis.call('HSET', key, 'l', math.max(newest, sequence))
  end
  redis.call('EXPIRE', key, ${KEPT_S})
end
`

/**
 * `outdate(key, sequence, inAnyCase, epoch)` starts again, unless the change is certainly in the hash.
 * All changes up to the newest one that arrived were stored by then, so a later arrival of them is no
 * news. The script also notes the change if nothing is kept, because an earlier change may arrive after
 * it.
 */
export const OUTDATE = `${BEGIN}
local function outdate(key, sequence, inAnyCase, epoch)
  local base, came, newest = marks(key)
  if base and not inAnyCase then
    if sequence <= base or sequence <= newest and base + came == newest then return end
  end
  begin(key, math.max(newest or 0, sequence), epoch)
end
`

/**
 * `fill(key, version, at)` adds what was read from the store, if the hash is still the one that missed
 * it. A change that arrived since has its own entry, and a change still to come replaces this one.
 */
export const FILL = `${BEGIN}
local function fill(key, version, at)
  if redis.call('HGET', key, 'e') ~= string.match(version, '^[^.]+') then return end
  for i = at, #ARGV, 2 do redis.call('HSETNX', key, ARGV[i], ARGV[i + 1]) end
end
`
