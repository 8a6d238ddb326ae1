/** What is kept of a fleet that nothing was told of for so long is read anew when it is asked for. */
const KEPT_S = 7 * 86_400

/**
 * The states of an organization's objects are one hash: by object its entry (`state-entry.ts`), which
 * begins with the change that stored it, or 0 where it was read from the store. `b` is the change as
 * of which it was begun, with nothing; `n` counts the changes that came since, in whatever order;
 * those up to `b` are no news. All changes are in it exactly where `b + n` is what the store counts.
 * `e` is unlike that of any other hash, so that `e` and `n` tell every content from every other.
 */
const BEGIN = `
local function begin(key, base, epoch)
  redis.call('DEL', key)
  redis.call('HSET', key, 'b', base, 'n', 0, 'e', epoch)
  redis.call('EXPIRE', key, ${KEPT_S})
end

local function versionOf(key)
  local epoch = redis.call('HMGET', key, 'e', 'n')
  return epoch[1] and epoch[1] .. '.' .. epoch[2]
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
  local base = tonumber(redis.call('HGET', key, 'b'))
  if not base then
    begin(key, previous, epoch)
  elseif sequence <= base then
    return
  elseif redis.call('HLEN', key) == 3 then
    -- Nothing is kept that an earlier change could still have to replace.
    redis.call('HSET', key, 'b', previous - tonumber(redis.call('HGET', key, 'n')))
  end
  for i = at, #ARGV, 2 do
    local standing = redis.call('HGET', key, ARGV[i])
    if not standing or struct.unpack('<d', standing) < sequence then
      redis.call('HSET', key, ARGV[i], ARGV[i + 1])
    end
  end
  if last then redis.call('HINCRBY', key, 'n', 1) end
  redis.call('EXPIRE', key, ${KEPT_S})
end
`

/**
 * `outdate(key, sequence, inAnyCase, epoch)`: begins anew where a change up to that one is not in it.
 * Where one is known to be missing later ones may have made up the number: then in any case.
 */
export const OUTDATE = `${BEGIN}
local function outdate(key, sequence, inAnyCase, epoch)
  local kept = redis.call('HMGET', key, 'b', 'n')
  if not kept[1] then return end
  local known = kept[1] + kept[2]
  if inAnyCase or known < sequence then begin(key, math.max(known, sequence), epoch) end
end
`

/** `fill(key, version, at)`: what was read from the store, where nothing changed since it was missed. */
export const FILL = `${BEGIN}
local function fill(key, version, at)
  if versionOf(key) ~= version then return end
  for i = at, #ARGV, 2 do redis.call('HSETNX', key, ARGV[i], ARGV[i + 1]) end
end
`
