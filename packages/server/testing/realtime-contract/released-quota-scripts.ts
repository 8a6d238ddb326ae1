import { script } from '../../src/realtime/redis/scripts.ts'

/** The scripts by which processes of an earlier build (commit d39e5442) count in Redis, word for word. */

const COUNTERS = `
local function counts(key, objects)
  local all = {}
  for i = 1, #objects, 1000 do
    local last = math.min(i + 999, #objects)
    for _, count in ipairs(redis.call('HMGET', key, unpack(objects, i, last))) do
      all[#all + 1] = tonumber(count) or 0
    end
  end
  return all
end

local function set(key, objects, all)
  for i = 1, #objects, 1000 do
    local values = {}
    for j = i, math.min(i + 999, #objects) do
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

/** Keys: counters. Arguments: run, limit, objects, units for each. Returns { 1 } and the counters, or { 0 } and the places. */
export const RELEASED_CHARGE = script(
  `${COUNTERS}
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
`,
  'return charge(KEYS[1], ARGV[2], ARGV[4], ARGV[3], tonumber(ARGV[5]))',
)

/** Keys: counters. Arguments: run, objects, units. */
export const RELEASED_MERGE = script(
  `${COUNTERS}
local function merge(key, run, text, others)
  local objects, least = listed(text), listed(others)
  local all = counts(key, objects)
  for i, count in ipairs(all) do all[i] = math.max(count, tonumber(least[i])) end
  set(key, objects, all)
  if run ~= '' then redis.call('HSET', key, 'run', run) end
  redis.call('EXPIRE', key, 172800)
end
`,
  'merge(KEYS[1], ARGV[2], ARGV[3], ARGV[4])',
)
