import { createHash } from 'node:crypto'
import { SPAN_US } from '../../../base/access/sliding-log.ts'
import { HUNDREDTHS_PER_UNIT } from '../../../base/domain/limits.ts'
import type { Charge } from '../realtime.ts'

/**
 * The scripts of a request, of charges and of reading states. `quota.ts` has the one that restores counters, and
 * `snapshots.ts` those that write states.
 */

/** A script text and its SHA-1. */
export type Script = { readonly text: string; readonly sha: string }

/**
 * A script over the keys of one organization. `now` is the server's time in microseconds. After the
 * deadline, its first argument, the script does nothing, because its caller no longer waits. Replies with
 * `now`, whether it ran in time, and the result of the body.
 */
export function script(...parts: string[]): Script {
  const text = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now > tonumber(ARGV[1]) then return { now, 0 } end
${parts.slice(0, -1).join('\n')}
local function body()
${parts.at(-1)}
end
return { now, 1, body() }
`
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Begins the error about a value that Fleetgate has not written. The key follows. */
export const NOT_OURS = 'NOT_OURS'

/** Digits of a time in microseconds, until the year 2286. */
const DIGITS = 16
/**
 * A log lives slightly longer than its last admission counts, because Redis reads its clock for expiry
 * less often.
 */
const KEPT_LONGER_MS = 1_000

/**
 * `admit(key, most, isLook)` is the exact sliding log of `base/access/sliding-log.ts`: the times of the last admissions, 16
 * digits each. If the clock was set back, later times count as now and are stored so: nobody is refused
 * for longer than a span. Returns whether the request is admitted, how many remain, and the microseconds
 * until the next slot is free. A look admits nothing. `giveBack(key, moment)` removes the admission of a moment.
 *
 * `carry(key, admissions)` adds admissions that the log lacks: pairs of the time in an earlier log of this key, by which
 * the log is found to have it (0: none), and the age. The clocks of process and server differ, but not their seconds.
 */
export function slidingLog(spanUs: number): string {
  return `
local function text(at) return string.format('%0${DIGITS}.0f', at) end

local function place(log, index) return string.sub(log, (index - 1) * ${DIGITS} + 1, index * ${DIGITS}) end

-- How many times of a log are at or before a moment.
local function upTo(log, moment, key)
  local low, high = 0, #log / ${DIGITS}
  while low < high do
    local middle = math.ceil((low + high) / 2)
    local at = tonumber(place(log, middle)) or error('${NOT_OURS} ' .. key)
    if at <= moment then low = middle else high = middle - 1 end
  end
  return low
end

local function read(key)
  local log = redis.call('GET', key) or ''
  if #log % ${DIGITS} ~= 0 then error('${NOT_OURS} ' .. key) end
  local past = upTo(log, now, key) * ${DIGITS}
  local turned = past < #log
  if turned then log = string.sub(log, 1, past) .. string.rep(text(now), (#log - past) / ${DIGITS}) end
  return string.sub(log, upTo(log, now - ${spanUs}, key) * ${DIGITS} + 1), turned
end

local function write(key, log)
  redis.call('SET', key, log, 'PX', ${spanUs / 1_000 + KEPT_LONGER_MS})
end

local function carry(key, list)
  if list == '' then return end
  local log, moments, known = read(key), {}, {}
  for moment in string.gmatch(log, '${'%d'.repeat(DIGITS)}') do
    moments[#moments + 1] = moment
    known[tonumber(moment)] = true
  end
  local count = #moments
  for stamp, age in string.gmatch(list, '(%d+) (%d+)') do
    local at = now - age
    if not known[tonumber(stamp)] and at > now - ${spanUs} then moments[#moments + 1] = text(at) end
  end
  if #moments == count then return end
  table.sort(moments)
  write(key, table.concat(moments))
end

local function admit(key, most, isLook)
  local log, turned = read(key)
  local admitted = #log < most * ${DIGITS}
  local isNew = admitted and not isLook
  if isNew then log = log .. text(now) end
  if isNew or turned then write(key, log) end
  local count = #log / ${DIGITS}
  -- More may have been allowed before, and several processes may have admitted requests without this log.
  local first = math.max(1, count - most + 1)
  local reset = count > 0 and place(log, first) + ${spanUs} - now or 0
  return admitted and 1 or 0, math.max(0, most - count), reset
end

local function giveBack(key, moment)
  local log = read(key)
  local found = upTo(log, moment, key)
  if found == 0 or place(log, found) ~= text(moment) then return end
  write(key, string.sub(log, 1, (found - 1) * ${DIGITS}) .. string.sub(log, found * ${DIGITS} + 1))
end
`
}

const WINDOW = slidingLog(SPAN_US)

/**
 * `admitShare(key, requests, share, most)` admits the request to the window of so many requests and to the share of its
 * key, or to neither. Returns what is lower.
 */
const SHARE = `
local function admitShare(key, requests, share, most)
  local hasRoom, _, wait = admit(share, most, true)
  if hasRoom == 0 then return 0, 0, wait end
  local admitted, remaining, reset = admit(key, requests)
  if admitted == 0 then return 0, 0, reset end
  local _, ofShare, resetOfShare = admit(share, most)
  if ofShare == remaining then return 1, remaining, math.max(reset, resetOfShare) end
  if ofShare < remaining then return 1, ofShare, resetOfShare end
  return 1, remaining, reset
end
`

/** Values that Lua takes as arguments of one call. */
const CHUNK = 1_000

/** The counters of a day are one hash of hundredths, by object. `run` is the server run in which they were merged. */
export const COUNTERS = `
local function counts(key, objects)
  local all = {}
  for i = 1, #objects, ${CHUNK} do
    local last = math.min(i + ${CHUNK - 1}, #objects)
    for _, count in ipairs(redis.call('HMGET', key, unpack(objects, i, last))) do
      all[#all + 1] = tonumber(count or 0) or error('${NOT_OURS} ' .. key)
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
 * `charge(key, run, objects, limit, factor, amounts, able)` adds to each object, all or none: its hundredths among
 * the amounts, or a unit if there are none, times the factor. A limit of '' refuses nobody. `able` are other objects: nothing
 * is added to them, but each must have a unit left.
 *
 * Counters of another run (the server restarted, was replaced, or lost them) may have lost counts, so
 * they must be merged first: the reply is { 2 }. Otherwise it is { 1 } with the counters, or { 0 } with
 * the places of the exhausted objects (those of `able` last) and then the hundredths that each has
 * left.
 */
const CHARGE = `${COUNTERS}
local function charge(key, run, text, limit, factor, amounts, able)
  if redis.call('HGET', key, 'run') ~= run then return { 2 } end
  local objects, due = listed(text), amounts ~= '' and listed(amounts)
  local all = counts(key, objects)
  local bound = limit == '' and math.huge or limit * ${HUNDREDTHS_PER_UNIT}
  local verdict, places, left = { 1 }, { 0 }, {}
  local function require(place, count, after)
    if after <= bound then return end
    places[#places + 1] = place
    left[#left + 1] = math.max(bound - count, 0)
  end
  for i, count in ipairs(all) do
    local after = count + factor * (due and due[i] or ${HUNDREDTHS_PER_UNIT})
    require(i, count, after)
    -- More may be given back than was charged.
    all[i] = math.max(after, 0)
    verdict[i + 1] = all[i]
  end
  for i, count in ipairs(counts(key, listed(able))) do
    require(#objects + i, count, count + ${HUNDREDTHS_PER_UNIT})
  end
  if #left > 0 then
    for _, each in ipairs(left) do places[#places + 1] = each end
    return places
  end
  set(key, objects, all)
  return verdict
end
`

/** States without a change for this long are dropped, and read again when a request needs them. */
export const STATES_KEPT_S = 7 * 86_400

/**
 * The states of an organization's objects are one hash. Each object has its entry (`states-hash.ts`),
 * which begins with the number of the change that stored it, or 0 if it was read from the store.
 *
 * The hash was started empty as of change `b`. Since then `n` changes have arrived in any order, and `l`
 * is the newest of them. None is missing up to `l` exactly if `b + n` equals `l`. `e` is unique to the
 * hash, so `e` and `n` together identify its contents.
 */
export const BEGIN = `
local function begin(key, base, epoch)
  redis.call('DEL', key)
  redis.call('HSET', key, 'b', base, 'n', 0, 'l', base, 'e', epoch)
  redis.call('EXPIRE', key, ${STATES_KEPT_S})
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
 * The scripts with their keys and arguments. `ARGV[1]` is always the deadline; the lists below begin with
 * `ARGV[2]`. Lists of objects are decimal numbers separated by spaces. An empty argument means that nothing is asked.
 */

/** The reply of `charge`: the verdict, then its numbers. */
export type ChargeReply = [verdict: number, ...numbers: number[]]

/** The reply of `states`: the version, and an entry for each object. */
export type StatesReply = [version: Buffer | string, ...entries: (Buffer | null)[]]

/** The reply of `ASK`. It ends after `resetUs` if the window refused the request. */
export type AskReply = [
  admitted: number,
  remaining: number,
  resetUs: number,
  charge: ChargeReply | null,
  states: StatesReply,
]

/**
 * Keys: window, counters, states, and the share of the key if it has one. Arguments: run, limit, objects to charge,
 * amounts unless they are units, objects that must be able to pay, epoch, objects to show, requests of the window, of the
 * share, carried admissions of the window, and of the share.
 */
export const ASK = script(
  WINDOW,
  SHARE,
  CHARGE,
  STATES,
  `
  carry(KEYS[1], ARGV[11])
  if KEYS[4] then carry(KEYS[4], ARGV[12]) end
  local requests = tonumber(ARGV[9])
  local admitted, remaining, reset
  if KEYS[4] then
    admitted, remaining, reset = admitShare(KEYS[1], requests, KEYS[4], tonumber(ARGV[10]))
  else admitted, remaining, reset = admit(KEYS[1], requests) end
  if admitted == 0 then return { admitted, remaining, reset } end
  -- First, so that nothing is charged if their value is not ours.
  local shown = states(KEYS[3], ARGV[8], ARGV[7])
  local hasCharge = ARGV[4] ~= '' or ARGV[6] ~= ''
  local charged = hasCharge and charge(KEYS[2], ARGV[2], ARGV[4], ARGV[3], 1, ARGV[5], ARGV[6])
  return { admitted, remaining, reset, charged, shown }`,
)

/**
 * Keys: window, and the share of the key if it has one. Arguments: the time of the admission, requests of the window, of
 * the share. Returns of each what remains, and the wait.
 */
export const GIVE_BACK = script(
  WINDOW,
  `
  local windows = {}
  for i, key in ipairs(KEYS) do
    giveBack(key, tonumber(ARGV[2]))
    local _, remaining, reset = admit(key, tonumber(ARGV[2 + i]), true)
    windows[i] = { remaining, reset }
  end
  return windows`,
)

/** The arguments of a charge: limit, objects, amounts, objects that must be able to pay. Whole units need no amounts. */
export function listedCharge({
  limit,
  objects,
  hundredths = [],
  ableToPay = [],
}: Charge): string[] {
  return [`${limit ?? ''}`, objects.join(' '), hundredths.join(' '), ableToPay.join(' ')]
}

/** Keys: counters. Arguments: run, limit, objects, amounts unless they are units, objects that must be able to pay, factor. */
export const CHARGE_ALONE = script(
  CHARGE,
  'return charge(KEYS[1], ARGV[2], ARGV[4], ARGV[3], tonumber(ARGV[7]), ARGV[5], ARGV[6])',
)
