import type { ObjectState } from '../../domain/position/object-state.ts'
import type { StatesChange } from '../realtime.ts'
import { BEGIN, STATES_KEPT_S, script } from './scripts.ts'
import { packEntry, type StatesHash } from './states-hash.ts'

/** States written per call: about 1 ms of the server's time. */
const WRITE_SLICE = 500

/**
 * `keep(key, sequence, previous, last, epoch, at)` stores the states of a change, or a part of them:
 * pairs of object and entry from the argument `at` on. An older entry never replaces a newer one. The
 * last part counts the change.
 */
const KEEP = `${BEGIN}
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
    local existing = redis.call('HGET', key, ARGV[i])
    if not existing or struct.unpack('<d', existing) < sequence then
      redis.call('HSET', key, ARGV[i], ARGV[i + 1])
    end
  end
  if last then
    redis.call('HINCRBY', key, 'n', 1)
    redis.call('HSET', key, 'l', math.max(newest, sequence))
  end
  redis.call('EXPIRE', key, ${STATES_KEPT_S})
end
`

/**
 * Keys: states. Arguments: epoch, change, the change before, '1' for its last part, objects and entries.
 */
const KEEP_STATES = script(
  KEEP,
  `keep(KEYS[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', ARGV[2], 6)`,
)

/** Writes a change of states. Its last call counts the change. */
export async function keepStates(
  hash: StatesHash,
  organization: number,
  { sequence, previous, states }: StatesChange,
): Promise<void> {
  const slices = states.size === 0 ? [[]] : slicesOf(states)
  for (const [i, slice] of slices.entries()) {
    const isLast = i === slices.length - 1 ? 1 : 0
    await hash.evaluate(organization, KEEP_STATES, () => [
      ...[hash.newEpoch(), sequence, previous, isLast],
      ...entriesOf(slice, sequence),
    ])
  }
}

/**
 * `outdate(key, sequence, inAnyCase, epoch)` starts again, unless the change is certainly in the hash.
 * All changes up to the newest one that arrived were stored by then, so a later arrival of them is no
 * news. The script also notes the change if nothing is kept, because an earlier change may arrive after
 * it.
 */
const OUTDATE = `${BEGIN}
local function outdate(key, sequence, inAnyCase, epoch)
  local base, came, newest = marks(key)
  if base and not inAnyCase then
    if sequence <= base or sequence <= newest and base + came == newest then return end
  end
  begin(key, math.max(newest or 0, sequence), epoch)
end
`

/** Keys: states. Arguments: epoch, change, '1' to drop in any case. */
const OUTDATE_STATES = script(
  OUTDATE,
  `outdate(KEYS[1], tonumber(ARGV[3]), ARGV[4] == '1', ARGV[2])`,
)

/** Drops the states that are older than a change. `isForced`: whether or not the change is counted already. */
export async function outdateStates(
  hash: StatesHash,
  organization: number,
  sequence: number,
  isForced: boolean,
): Promise<void> {
  const force = isForced ? 1 : 0
  await hash.evaluate(organization, OUTDATE_STATES, () => [hash.newEpoch(), sequence, force])
}

/**
 * `fill(key, version, at)` adds what was read from the store, if the hash is still the one that missed
 * it. A change that arrived since has its own entry, and a change still to come replaces this one.
 */
const FILL = `${BEGIN}
local function fill(key, version, at)
  if redis.call('HGET', key, 'e') ~= string.match(version, '^[^.]+') then return end
  for i = at, #ARGV, 2 do redis.call('HSETNX', key, ARGV[i], ARGV[i + 1]) end
end
`

/** Keys: states. Arguments: version, objects and entries. */
const FILL_STATES = script(FILL, 'fill(KEYS[1], ARGV[2], 3)')

/** Adds states that were read from the store, unless the hash has changed since `version`. */
export async function fillStates(
  hash: StatesHash,
  organization: number,
  states: ReadonlyMap<number, ObjectState>,
  version: string | null,
): Promise<void> {
  const [readFrom, own] = splitVersion(version)
  for (const slice of slicesOf(states)) {
    await hash.evaluate(organization, FILL_STATES, (run) => [
      // After a restart of the server the same version may mean something else.
      run === readFrom ? own : '',
      ...entriesOf(slice, 0),
    ])
  }
}

/** Splits a version into the run id and the rest. */
function splitVersion(version: string | null): [run: string, own: string] {
  const dot = version?.indexOf('.') ?? -1
  return version === null ? ['', ''] : [version.slice(0, dot), version.slice(dot + 1)]
}

type States = [object: number, state: ObjectState][]

function slicesOf(states: ReadonlyMap<number, ObjectState>): States[] {
  const all = [...states]
  const slices: States[] = []
  for (let start = 0; start < all.length; start += WRITE_SLICE) {
    slices.push(all.slice(start, start + WRITE_SLICE))
  }
  return slices
}

function entriesOf(states: States, sequence: number): (number | Buffer)[] {
  return states.flatMap(([object, state]) => [object, packEntry(state, sequence)])
}
