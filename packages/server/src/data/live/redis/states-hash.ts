import { randomBytes } from 'node:crypto'
import { FIX_RECORD } from '../../../base/domain/position/fix-record.ts'
import {
  type ObjectState,
  packState,
  unpackState,
} from '../../../base/domain/position/object-state.ts'
import type { Kept, StatesRead } from '../realtime.ts'
import type { ScriptArguments } from './connection.ts'
import { RedisUnavailable } from './permissions.ts'
import type { Keys } from './redis-keys.ts'
import { type Script, STATES, type StatesReply, script } from './scripts.ts'
import type { Evaluated, LogServerEvent, Servers } from './servers.ts'

/** States read per call: about 1 ms of the server's time. */
const READ_SLICE = 1_000

type Values = ScriptArguments['values']

/** The hashes in Redis that hold the states, one for each organization. All calls reject with `RedisUnavailable`. */
export type StatesHash = {
  /** A unique name for a hash that has to be started. */
  newEpoch(): string
  /** Runs a script on a hash. `values`: its arguments, for the server of this run id. */
  evaluate(
    organization: number,
    script: Script,
    values: (run: string) => Values,
  ): Promise<Evaluated>
  /** Fields of a hash, and the server's run id. HMGET takes a sixth of the time of a script for 1,000 of them. */
  fields(
    organization: number,
    names: (string | number)[],
  ): Promise<{ values: (Buffer | null)[]; run: string }>
}

export function statesHash(servers: Servers, keys: Keys): StatesHash {
  const process = randomBytes(9).toString('base64url')
  let epochs = 0

  return {
    newEpoch() {
      epochs += 1
      return `${process}${epochs.toString(36)}`
    },
    evaluate: (organization, script, values) =>
      servers.evaluate(organization, script, (run) => {
        return { keys: [keys.states(organization)], values: values(run) }
      }),
    fields: (organization, names) => servers.fields(organization, keys.states(organization), names),
  }
}

/**
 * Asks Redis. Undefined if no server answers, or if it answers with an error: some of these calls have no waiting
 * caller.
 */
export type IfUp = <T>(ask: () => Promise<T>) => Promise<T | undefined>

/** `log` gets one line when a call fails for another reason than an outage. */
export function ifUpLogging(log: LogServerEvent): IfUp {
  let isFailing = false

  return async (ask) => {
    try {
      const answered = await ask()
      isFailing = false
      return answered
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined
      if (!isFailing) log(`Redis cannot keep what is current: ${(error as Error).message}`, 'error')
      isFailing = true
      return undefined
    }
  }
}

/** Keys: states. Arguments: epoch. Returns the version. Starts a new hash if there is none. */
const BEGIN_STATES = script(STATES, `return states(KEYS[1], '', ARGV[2])[1]`)

/** The reply for the first of some objects, and the run id of the server that sent it. */
type FirstStates = { result: StatesReply; run: string }

/** Reads states. Null if a server does not answer, or if the kept states are known to be outdated. */
export type StatesReader = {
  read(organization: number, objects: readonly number[]): Promise<StatesRead | null>
  /** Decodes a reply for the first of the objects, and reads the rest. */
  readOn(
    organization: number,
    objects: readonly number[],
    first: FirstStates,
  ): Promise<StatesRead | null>
}

/** `outdated`: the organizations whose kept states miss a change. */
export function statesReader(
  hash: StatesHash,
  ifUp: IfUp,
  outdated: Pick<ReadonlySet<number>, 'has'>,
): StatesReader {
  const decode = decodedStates()

  async function readSlice(organization: number, objects: readonly number[]): Promise<FirstStates> {
    const { values, run } = await hash.fields(organization, ['e', 'n', ...objects])
    const [epoch, changes, ...entries] = values
    if (epoch != null) return { result: [`${epoch}.${changes}`, ...entries], run }
    const begun = await hash.evaluate(organization, BEGIN_STATES, () => [hash.newEpoch()])
    return { result: [`${begun.result}`, ...entries], run: begun.run }
  }

  async function readOn(
    organization: number,
    objects: readonly number[],
    { result, run }: FirstStates,
  ): Promise<StatesRead | null> {
    if (outdated.has(organization)) return null
    const [version, ...entries] = result
    while (entries.length < objects.length) {
      const slice = objects.slice(entries.length, entries.length + READ_SLICE)
      const read = await ifUp(() => readSlice(organization, slice))
      if (read === undefined) return null
      const [, ...more] = read.result
      for (const entry of more) entries.push(entry)
    }
    const kept = await ifUp(async () =>
      entries.map((entry, i): Kept => {
        return entry === null ? undefined : decode(objects[i]!, entry)
      }),
    )
    // An entry is not ours. The caller reads the store.
    if (kept === undefined) return null
    // The version of the first part. Later parts may be newer, and `fill` is then refused.
    return { kept, version: `${run}.${version}` }
  }

  return {
    readOn,
    async read(organization, objects) {
      const first = await ifUp(() => readSlice(organization, objects.slice(0, READ_SLICE)))
      return first === undefined ? null : readOn(organization, objects, first)
    },
  }
}

const NO_FIX = Buffer.alloc(2)
const NOTHING = Buffer.alloc(0)
const ENTRY = {
  sequence: 0,
  addressAt: 8,
  numbersLength: 16,
  attributesLength: 18,
  numbers: 22,
} as const

/**
 * Encodes the state of one object with the number of the change that stored it (0 if it was read from the
 * store):
 *
 * | offset | bytes | |
 * |---|---|---|
 * | 0 | 8 | change, a 64-bit float, little-endian: the scripts compare it |
 * | 8 | 8 | time since which the address is known, in the same form; NaN if there is none |
 * | 16 | 2 | the length of the numbers, little-endian |
 * | 18 | 4 | that of the attributes |
 * | 22 | … | the numbers, as in `base/domain/position/object-state.ts` |
 * | | … | the last fix, as in `base/domain/position/fix-record.ts`; two zero bytes if there is none |
 * | | … | the attributes, as in `base/domain/position/current-attributes.ts` |
 * | | … | the address, UTF-8, to the end |
 */
export function packEntry(state: ObjectState, sequence: number): Buffer {
  const { lastFix, numbers, address, addressAt, attributes } = packState(state)
  const head = Buffer.alloc(ENTRY.numbers)
  head.writeDoubleLE(sequence, ENTRY.sequence)
  head.writeDoubleLE(addressAt ?? Number.NaN, ENTRY.addressAt)
  const packed = attributes ?? NOTHING
  head.writeUInt16LE(numbers.length, ENTRY.numbersLength)
  head.writeUInt32LE(packed.length, ENTRY.attributesLength)
  return Buffer.concat([head, numbers, lastFix ?? NO_FIX, packed, Buffer.from(address ?? '')])
}

export function unpackEntry(entry: Buffer): ObjectState {
  const at = entry.readDoubleLE(ENTRY.addressAt)
  const fixFrom = ENTRY.numbers + entry.readUInt16LE(ENTRY.numbersLength)
  const fixLength = entry.readUInt16LE(fixFrom + FIX_RECORD.length)
  const attributesFrom = fixFrom + Math.max(fixLength, NO_FIX.length)
  const addressFrom = attributesFrom + entry.readUInt32LE(ENTRY.attributesLength)
  return unpackState({
    lastFix: fixLength === 0 ? null : entry.subarray(fixFrom, attributesFrom),
    numbers: entry.subarray(ENTRY.numbers, fixFrom),
    attributes: entry.subarray(attributesFrom, addressFrom),
    address: entry.toString('utf8', addressFrom),
    addressAt: Number.isNaN(at) ? null : at,
  })
}

/** Entries in each of the two generations. */
const GENERATION = 50_000

/** Decodes an entry. Returns the same object again while the entry is unchanged. */
type DecodedStates = (object: number, entry: Buffer) => ObjectState

type Decoded = { entry: Buffer; state: ObjectState }

/**
 * Keeps the decoded states of the 50,000 to 100,000 objects that were asked for last. An unchanged entry
 * is decoded once, and callers can attach what they derive from a state.
 */
function decodedStates(): DecodedStates {
  let young = new Map<number, Decoded>()
  let old = new Map<number, Decoded>()

  return (object, entry) => {
    const known = young.get(object) ?? old.get(object)
    // Copy the entry: it may be a small part of a large reply, which it would keep in memory.
    const decoded = known?.entry.equals(entry)
      ? known
      : { entry: Buffer.from(entry), state: unpackEntry(entry) }
    if (young.size >= GENERATION && !young.has(object)) {
      old = young
      young = new Map()
    }
    young.set(object, decoded)
    return decoded.state
  }
}
