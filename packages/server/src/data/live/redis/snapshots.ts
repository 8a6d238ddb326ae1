import type { ObjectState } from '../../../base/domain/position/object-state.ts'
import type { Snapshots, StatesChange } from '../realtime.ts'
import type { Keys } from './redis-keys.ts'
import { BEGIN, STATES_KEPT_S, script } from './scripts.ts'
import type { LogServerEvent, Servers } from './servers.ts'
import {
  type IfUp,
  ifUpLogging,
  packEntry,
  type StatesHash,
  type StatesReader,
  statesHash,
  statesReader,
} from './states-hash.ts'

/*
 * This file keeps the current states of objects in Redis: it reads them, fills them from the store, and takes
 * changes.
 */

/** States that the script of a request reads along. */
export const SHOWN_AT_ONCE = 50
/** Organizations asked at once. */
const COUNT_SLICE = 500

export type RedisSnapshots = Snapshots & {
  newEpoch: StatesHash['newEpoch']
  readOn: StatesReader['readOn']
  /** For each organization with kept states, the number of changes that those states include. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Drops the outdated states that could not be dropped while a server was down. */
  catchUp(): Promise<void>
  close(): void
}

/** `log` gets one line when a call fails for another reason than an outage. */
export function redisSnapshots(servers: Servers, keys: Keys, log: LogServerEvent): RedisSnapshots {
  const hash = statesHash(servers, keys)
  const ifUp = ifUpLogging(log)
  /** Whether the server has done it. */
  const isDone = async (write: () => Promise<void>) =>
    (await ifUp(() => write().then(() => true))) ?? false
  const missing = missingChanges((organization, sequence) =>
    isDone(() => outdateStates(hash, organization, sequence, true)),
  )
  const reader = statesReader(hash, ifUp, missing.organizations)

  return {
    isShared: true,
    newEpoch: hash.newEpoch,
    read: reader.read,
    readOn: reader.readOn,
    catchUp: missing.catchUp,
    close: missing.close,
    async keep(organization, change) {
      const isKept = await isDone(() => keepStates(hash, organization, change))
      if (!isKept) missing.note(organization, change.sequence)
    },
    async outdate(organization, sequence) {
      const isDropped = await isDone(() => outdateStates(hash, organization, sequence, false))
      if (!isDropped) missing.note(organization, sequence)
    },
    async fill(organization, states, version) {
      await ifUp(() => fillStates(hash, organization, states, version))
    },
    changes: (organizations) => countChanges(hash, ifUp, organizations),
  }
}

/** Keys: states. Returns the number of the organization's changes that the kept states include. */
const COUNT_CHANGES = script(
  `
  local kept = redis.call('HMGET', KEYS[1], 'b', 'n')
  return kept[1] and kept[1] + kept[2]`,
)

async function countChanges(
  hash: StatesHash,
  ifUp: IfUp,
  organizations: readonly number[],
): Promise<Map<number, number>> {
  const counted = new Map<number, number>()
  const count = async (organization: number) => {
    const evaluated = await ifUp(() => hash.evaluate(organization, COUNT_CHANGES, () => []))
    if (typeof evaluated?.result === 'number') counted.set(organization, evaluated.result)
  }
  for (let start = 0; start < organizations.length; start += COUNT_SLICE) {
    await Promise.all(organizations.slice(start, start + COUNT_SLICE).map(count))
  }
  return counted
}

/** How often a failed call is tried again: a server may refuse it and keep answering. */
const CATCH_UP_MS = 1_000

/** Organizations whose kept states miss a change, because Redis did not take it. */
type MissingChanges = {
  readonly organizations: Pick<ReadonlySet<number>, 'has'>
  /** Notes a change that the kept states miss. It is tried again every second. */
  note(organization: number, sequence: number): void
  /** Tries all of them now. */
  catchUp(): Promise<void>
  close(): void
}

/** `drop` drops the kept states of an organization up to a change. False: not at the moment. */
function missingChanges(
  drop: (organization: number, sequence: number) => Promise<boolean>,
): MissingChanges {
  /** For each organization, the newest missing change. */
  const missing = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined

  function note(organization: number, sequence: number): void {
    missing.set(organization, Math.max(sequence, missing.get(organization) ?? 0))
    timer ??= setTimeout(() => void tryAgain(), CATCH_UP_MS).unref()
  }

  /** Stops at the first failure and moves it to the end. When a server is back, `catchUp` does the rest. */
  async function tryAgain(): Promise<void> {
    for (const [organization, sequence] of missing) {
      if (await tryDrop(organization, sequence)) continue
      missing.delete(organization)
      note(organization, sequence)
      break
    }
    timer = missing.size === 0 ? undefined : timer?.refresh()
  }

  async function tryDrop(organization: number, sequence: number): Promise<boolean> {
    const isDropped = await drop(organization, sequence)
    // A newer change may have been noted meanwhile.
    if (isDropped && missing.get(organization) === sequence) missing.delete(organization)
    return isDropped
  }

  return {
    organizations: missing,
    note,
    async catchUp() {
      for (const [organization, sequence] of missing) await tryDrop(organization, sequence)
    },
    close: () => clearTimeout(timer),
  }
}

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
async function keepStates(
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
 * All changes up to the newest one that arrived were stored by then, so nothing is new if they arrive
 * again. The script also notes the change if nothing is kept, because an earlier change may arrive
 * after it.
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
async function outdateStates(
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
async function fillStates(
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
