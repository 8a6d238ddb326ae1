import type { Snapshots } from '../realtime.ts'
import type { Keys } from './keys.ts'
import { COUNT_CHANGES } from './scripts.ts'
import type { LogServerEvent, Servers } from './servers.ts'
import {
  type IfUp,
  ifUpLogging,
  type StatesHash,
  type StatesReader,
  statesHash,
  statesReader,
} from './states-hash.ts'
import { fillStates, keepStates, outdateStates } from './write-states.ts'

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
  const reader = statesReader(hash, ifUp, missing.isMissing)

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
  isMissing(organization: number): boolean
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
    isMissing: (organization) => missing.has(organization),
    note,
    async catchUp() {
      for (const [organization, sequence] of missing) await tryDrop(organization, sequence)
    },
    close: () => clearTimeout(timer),
  }
}
