/** Values that Lua takes as arguments of one call. */
const CHUNK = 1_000
/** A day's counters outlive the day, whenever in it they were made. */
const KEPT_S = 2 * 86_400

/** The counters of a day are one hash, by object; `run` is the server's run that it was merged in. */
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
 * `charge(key, run, objects, limit, delta)`: adds to each of the objects, all or none; a limit of ''
 * refuses nobody. Counters that are not those which this run of the server was given (it was started
 * anew, or is another since, or lost them) may have forgotten some: they are merged first. Returns
 * { 2 } then; else { 1 } with the counts, or { 0 } with the places of the exhausted.
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
 * `merge(key, run, objects, others)`: each counter becomes at least what is given. A run is given
 * with the last of them, from when on they are charged.
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
