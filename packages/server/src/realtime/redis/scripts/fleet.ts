/** What is kept of a fleet that nothing was told of for so long is read anew when it is asked for. */
const KEPT_S = 7 * 86_400

/**
 * The states of an organization's objects are one hash: by object its entry (`state-entry.ts`), which
 * begins with the change that stored it, or 0 where it was read from the store. Of the changes since
 * `b`, as of which it was begun with nothing, `n` have come, in whatever order, and `l` is the newest
 * of them: none is missing up to `l` exactly where `b + n` is `l`. `e` is unlike that of any other
 * hash, so that `e` and `n` tell every content from every other.
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

/** `states(key, objects, epoch)`: the version and the entry of each; a new hash where there is none. */
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
 * `keep(key, sequence, previous, last, epoch, at)`: the states of a change, or a part of them, from
 * the argument `at` on as object and entry. An older one never takes the place of a newer one. The
 * change is counted with its last part.
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
 * `outdate(key, sequence, inAnyCase, epoch)`: begins anew, unless it is certain that the change is in
 * it. All up to the newest that came were stored by then: those that come later are no news. It is
 * noted where nothing is kept too, since an earlier change may come after it.
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
 * `fill(key, version, at)`: what was read from the store, where the hash is still the one that missed
 * it. A change that came since has its own entry; one that is yet to come takes the place of this.
 */
export const FILL = `${BEGIN}
local function fill(key, version, at)
  if redis.call('HGET', key, 'e') ~= string.match(version, '^[^.]+') then return end
  for i = at, #ARGV, 2 do redis.call('HSETNX', key, ARGV[i], ARGV[i + 1]) end
end
`
