/** Values that Lua takes as arguments of one call. */
const CHUNK = 1_000
/** A day's counters live longer than the day, whenever in it they were created. */
const KEPT_S = 2 * 86_400

/** The counters of a day are one hash, by object. `run` is the server run in which they were merged. */
const COUNTERS = `
local function counts(key, objects)
  local all = {}
  for i = 1, #objects, ${CHUNK} do
    local last = math.min(i + ${CHUNK - 1}, #objects)
    for _, count in ipairs(redis.call('HMGET', key, unpack(objects, i, last))) do
      all[#all + 1] = tonumber(count) or 0
    end
  end
  return all
end

local function set(key, objects, all)
  for i = 1, #objects, ${CHUNK} do
    local values = {}
    for j = i, math.min(i + ${CHUNK - 1}, #objects) do
      values[#values + 1] = objects[j]
      values[#values + 1] = all[j]
    end
    redis.call('HSET', key, unpack(values))
  end
end

local function listed(text)
  local all = {}
  for each in string.gmatch(text, '%d+') do all[#all + 1] = each end
  return all
end
`

/**
 * `charge(key, run, objects, limit, delta)` adds to each object, all or none. A limit of '' refuses
 * nobody.
 *
 * Counters of another run (the server restarted, was replaced, or lost them) may have lost counts, so
 * they must be merged first: the reply is { 2 }. Otherwise it is { 1 } with the counters, or { 0 } with
 * the places of the exhausted objects.
 */
export const CHARGE = `${COUNTERS}
local function charge(key, run, text, limit, delta)
  if redis.call('HGET', key, 'run') ~= run then return { 2 } end
  local objects = listed(text)
  local all = counts(key, objects)
  if limit ~= '' then
    local exhausted = { 0 }
    for i, count in ipairs(all) do
      if count >= tonumber(limit) then exhausted[#exhausted + 1] = i end
    end
    if #exhausted > 1 then return exhausted end
  end
  local verdict = { 1 }
  for i, count in ipairs(all) do
    all[i] = math.max(count + delta, 0)
    verdict[i + 1] = all[i]
  end
  set(key, objects, all)
  return verdict
end
`

/**
 * `merge(key, run, objects, others)` raises each counter to at least the given count. The last call names
 * the run, and charges are accepted from then on.
 */
export const MERGE = `${COUNTERS}
local function merge(key, run, text, others)
  local objects, least = listed(text), listed(others)
  local all = counts(key, objects)
  for i, count in ipairs(all) do all[i] = math.max(count, tonumber(least[i])) end
  set(key, objects, all)
  if run ~= '' then redis.call('HSET', key, 'run', run) end
  redis.call('EXPIRE', key, ${KEPT_S})
end
`
