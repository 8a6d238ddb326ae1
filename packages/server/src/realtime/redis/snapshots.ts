import { randomBytes } from 'node:crypto'
import type { ObjectState } from '../../domain/object-state.ts'
import type { Kept, Snapshots, StatesRead } from '../realtime.ts'
import type { Asked } from './connection.ts'
import { decodedStates } from './decoded-states.ts'
import type { Keys } from './keys.ts'
import type { Script } from './scripts/script.ts'
import {
  BEGIN_STATES,
  COUNT_CHANGES,
  FILL_STATES,
  KEEP_STATES,
  OUTDATE_STATES,
} from './scripts/scripts.ts'
import type { Servers } from './servers.ts'
import { packEntry } from './state-entry.ts'
import type { Tell } from './tell.ts'
import { RedisUnavailable } from './unavailable.ts'

/** States that the script of a request reads along. */
export const SHOWN_AT_ONCE = 50
/** States read or written per call: about 1 ms of the server's time. */
const READ_SLICE = 1_000
const WRITE_SLICE = 500
const COUNT_SLICE = 500
/** How often a failed call is tried again: a server may refuse it and go on answering. */
const CATCH_UP_MS = 1_000

/** Reply of the script `states`: the version, and an entry for each object. */
export type StatesReply = [version: Buffer | string, ...entries: (Buffer | null)[]]
type StatesRun = { result: StatesReply; run: string }

export type RedisSnapshots = Snapshots & {
  /** A unique name for a hash that has to be started. */
  newEpoch(): string
  /**
   * Decodes a reply for the first of the objects and reads the rest. Null if this process knows that the
   * kept states are outdated.
   */
  readOn(organization: number, objects: readonly number[], reply: StatesRun): Promise<Read>
  /** For each organization with kept states, the number of changes that those states include. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Drops the outdated states that could not be dropped while a server was down. */
  catchUp(): Promise<void>
  close(): void
}

type Read = StatesRead | null

/** `tell` gets one line when a call fails for another reason than an outage. */
export function redisSnapshots(servers: Servers, keys: Keys, tell: Tell): RedisSnapshots {
  const decode = decodedStates()
  const process = randomBytes(9).toString('base64url')
  let epochs = 0
  /** Organizations whose kept states miss a change, with the newest such change. */
  const missing = new Map<number, number>()
  let catchingUp: NodeJS.Timeout | undefined

  function newEpoch(): string {
    epochs += 1
    return `${process}${epochs.toString(36)}`
  }

  function evaluate(organization: number, script: Script, values: Asked['values']) {
    const asked = { keys: [keys.states(organization)], values }
    return servers.evaluate(organization, script, () => asked)
  }

  let isFailing = false

  /**
   * Undefined if no server answers, or if it answers with an error: some of these calls have no waiting
   * caller.
   */
  async function ifUp<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answered = await ask()
      isFailing = false
      return answered
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined
      if (!isFailing)
        tell(`Redis cannot keep what is current: ${(error as Error).message}`, 'error')
      isFailing = true
      return undefined
    }
  }

  /** Replies like `STATES`. HMGET takes a sixth of the time of a script for this many states. */
  async function readSlice(organization: number, objects: readonly number[]): Promise<StatesRun> {
    const names = ['e', 'n', ...objects]
    const { values, run } = await servers.fields(organization, keys.states(organization), names)
    const [epoch, came, ...entries] = values
    if (epoch != null) return { result: [`${epoch}.${came}`, ...entries], run }
    const begun = await evaluate(organization, BEGIN_STATES, [newEpoch()])
    return { result: [`${begun.result}`, ...entries], run: begun.run }
  }

  async function readOn(
    organization: number,
    objects: readonly number[],
    first: StatesRun,
  ): Promise<Read> {
    if (missing.has(organization)) return null
    const [version, ...entries] = first.result
    for (let start = entries.length; start < objects.length; start += READ_SLICE) {
      const slice = objects.slice(start, start + READ_SLICE)
      const read = await ifUp(() => readSlice(organization, slice))
      if (read === undefined) return null
      for (const entry of (read.result as StatesReply).slice(1))
        entries.push(entry as Buffer | null)
    }
    const kept = entries.map((entry, i): Kept => {
      return entry === null ? undefined : decode(objects[i]!, entry)
    })
    // The version of the first part. Later parts may be newer, and `fill` is then refused.
    return { kept, version: `${first.run}.${version}` }
  }

  async function keepAll(
    organization: number,
    sequence: number,
    previous: number,
    states: [number, ObjectState][],
  ): Promise<void> {
    for (let start = 0; start === 0 || start < states.length; start += WRITE_SLICE) {
      const slice = states.slice(start, start + WRITE_SLICE)
      const isLast = start + WRITE_SLICE >= states.length
      const entries = slice.flatMap(([object, state]) => [object, packEntry(state, sequence)])
      const change = [newEpoch(), sequence, previous, isLast ? 1 : 0]
      await evaluate(organization, KEEP_STATES, [...change, ...entries])
    }
  }

  function note(organization: number, sequence: number): void {
    missing.set(organization, Math.max(sequence, missing.get(organization) ?? 0))
    catchingUp ??= setTimeout(() => void catchUpAgain(), CATCH_UP_MS).unref()
  }

  /**
   * Stops at the first failure and moves it to the end. When a server is back, `catchUp` does the rest.
   */
  async function catchUpAgain(): Promise<void> {
    for (const [organization, sequence] of missing) {
      if (await makeUp(organization, sequence)) continue
      missing.delete(organization)
      note(organization, sequence)
      break
    }
    catchingUp = missing.size === 0 ? undefined : catchingUp?.refresh()
  }

  async function catchUp(): Promise<void> {
    for (const [organization, sequence] of missing) await makeUp(organization, sequence)
  }

  async function makeUp(organization: number, sequence: number): Promise<boolean> {
    const values = [newEpoch(), sequence, 1]
    const done = await ifUp(() => evaluate(organization, OUTDATE_STATES, values))
    if (done !== undefined && missing.get(organization) === sequence) missing.delete(organization)
    return done !== undefined
  }

  return {
    newEpoch,
    readOn,
    catchUp,
    close: () => clearTimeout(catchingUp),
    async read(organization, objects) {
      const first = await ifUp(() => readSlice(organization, objects.slice(0, READ_SLICE)))
      return first === undefined ? null : readOn(organization, objects, first)
    },
    async keep(organization, { sequence, previous, states }) {
      const kept = await ifUp(async () => {
        await keepAll(organization, sequence, previous, [...states])
        return true
      })
      if (kept === undefined) note(organization, sequence)
    },
    async outdate(organization, sequence) {
      const values = [newEpoch(), sequence, 0]
      const done = await ifUp(() => evaluate(organization, OUTDATE_STATES, values))
      if (done === undefined) note(organization, sequence)
    },
    async fill(organization, states, version) {
      const [run, own] = split(version)
      await ifUp(async () => {
        const all = [...states]
        for (let start = 0; start < all.length; start += WRITE_SLICE) {
          const slice = all.slice(start, start + WRITE_SLICE)
          const entries = slice.flatMap(([object, state]) => [object, packEntry(state, 0)])
          // After a restart of the server the same version may mean something else.
          await servers.evaluate(organization, FILL_STATES, (current) => {
            return {
              keys: [keys.states(organization)],
              values: [current === run ? own : '', ...entries],
            }
          })
        }
      })
    },
    async changes(organizations) {
      const counted = new Map<number, number>()
      for (let start = 0; start < organizations.length; start += COUNT_SLICE) {
        const slice = organizations.slice(start, start + COUNT_SLICE)
        const ask = async (organization: number) => {
          const told = await ifUp(() => evaluate(organization, COUNT_CHANGES, []))
          if (typeof told?.result === 'number') counted.set(organization, told.result)
        }
        await Promise.all(slice.map(ask))
      }
      return counted
    },
  }
}

/** Splits a version into the run id and the rest. */
function split(version: string | null): [run: string, own: string] {
  const dot = version?.indexOf('.') ?? -1
  return version === null ? ['', ''] : [version.slice(0, dot), version.slice(dot + 1)]
}
