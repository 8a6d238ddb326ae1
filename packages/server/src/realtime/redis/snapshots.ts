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
import { RedisUnavailable } from './unavailable.ts'

/** States that a script reads on the way. */
export const SHOWN_AT_ONCE = 50
/** States that are read, or written, in one go: a millisecond of the server's or so. */
const READ_SLICE = 1_000
const WRITE_SLICE = 500
const COUNT_SLICE = 500
/** How often what could not be done is tried again: a server may refuse it and go on answering. */
const CATCH_UP_MS = 1_000

/** What the script `states` replies: the version, and an entry for each object. */
export type StatesReply = [version: Buffer | string, ...entries: (Buffer | null)[]]
type StatesRun = { result: StatesReply; run: string }

export type RedisSnapshots = Snapshots & {
  /** For a hash that has to be begun: unlike that of any other. */
  newEpoch(): string
  /**
   * What a reply says of the first of the objects, with the rest read on; null where this process
   * knows that what it says is not so.
   */
  readOn(organization: number, objects: readonly number[], reply: StatesRun): Promise<Read>
  /** Of those of which anything is kept, how many changes of the organization's states are in it. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Does what could not be done while a server did not answer. */
  catchUp(): Promise<void>
  close(): void
}

type Read = StatesRead | null

/** `tell` hears once what fails for another reason than an outage, until something succeeds. */
export function redisSnapshots(
  servers: Servers,
  keys: Keys,
  tell: (line: string) => void,
): RedisSnapshots {
  const decode = decodedStates()
  const process = randomBytes(9).toString('base64url')
  let epochs = 0
  /** Of organizations of which a change is missing there: that one or a later one. */
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

  /** Undefined where no server answers, or not as it should: what is asked may be nobody's to wait for. */
  async function ifUp<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answered = await ask()
      isFailing = false
      return answered
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined
      if (!isFailing) tell(`Redis cannot keep what is current: ${(error as Error).message}`)
      isFailing = true
      return undefined
    }
  }

  /** As `STATES` replies, at a sixth of what a script takes to hand so much on. */
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
    // The first part's version: the others may be newer, and what is filled in then is refused.
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

  /** One that fails tells of the others: where a server was away, all is made up for when it is back. */
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
          // In another run of the server the same version may say something else.
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

/** A version's first part, the run, and the rest. */
function split(version: string | null): [run: string, own: string] {
  const dot = version?.indexOf('.') ?? -1
  return version === null ? ['', ''] : [version.slice(0, dot), version.slice(dot + 1)]
}
