import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { ACCURACY_DEFAULTS, type ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import { textOf } from '../../src/base/domain/position/attribute.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import {
  addressEnd,
  FIX_RECORD,
  flagsAt,
  readCounters,
  unpackFix,
} from '../../src/base/domain/position/fix-record.ts'
import type { Counters, FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { ObjectState } from '../../src/base/domain/position/object-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import {
  ALL_TIME,
  fixAt,
  foldOn,
  idOf,
  NOW,
  newOrganization,
  objectSettings,
  recordsOf,
} from './fixture.ts'

/** Each run of a property takes two objects. */
const MAX_OBJECTS = 1_000_000

/** Objects of a new organization, and the expected results of their fixes by the rules. */
export async function drivesOn(store: Store, rules: FoldRules) {
  const organization = await newOrganization(store, 'Acme', { maxObjects: MAX_OBJECTS })
  let objects = 0

  async function add(settings: Partial<ObjectSettings> = {}): Promise<number> {
    objects += 1
    const entry = objectSettings(`${objects}`, settings)
    return idOf((await store.objects.put(organization, [entry], NOW))[0])
  }

  function append(object: number, fixes: readonly Fix[]) {
    const batch = fixes.map((fix) => ({ object, fix }))
    return store.positions.append(organization, batch, rules)
  }

  async function history(object: number): Promise<Buffer> {
    return recordsOf(await store.positions.history(organization, object, ALL_TIME, null))
  }

  /** Checks that both have the same history to the last counter, and the same state. */
  async function assertAlike(a: number, b: number): Promise<void> {
    const [historyA, historyB] = [await history(a), await history(b)]
    assert.ok(historyB.length > 0)
    const states = await store.positions.states(organization, [a, b])
    const [stateA, stateB] = [states.get(a)!, states.get(b)!]
    if (!historyA.equals(historyB)) assertSameRows(rowsOf(historyA), rowsOf(historyB))
    assert.ok(
      namedRecords(historyA, stateA).equals(namedRecords(historyB, stateB)),
      'the histories differ in what their rows say besides counters',
    )
    assert.deepEqual(comparableState(stateA), comparableState(stateB))
  }

  return {
    organization,
    add,
    append,
    /** Completes pending folds; returns the number of slices. */
    foldOn: () => foldOn(store, rules),
    history,
    assertAlike,
  }
}

/** Ten seconds between fixes. */
export function driveOf(count: number, metres: number): Fix[] {
  return Array.from({ length: count }, (_, index) =>
    moving(NOW - 86_400_000 + index * 10_000, index * metres),
  )
}

export function moving(time: number, metres: number): Fix {
  return fixAt(time, { longitude: -97.75 + metres / 96_000, speed: 30 })
}

export function keptApart(metres: number): Partial<ObjectSettings> {
  return { accuracy: { ...ACCURACY_DEFAULTS, minimumDifferencePoint: metres } }
}

/** The records with attributes under their names: their indexes depend on the order of arrival. */
function namedRecords(records: Buffer, { attributes: names }: ObjectState): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at < records.length; ) {
    const end = at + records.readUInt16LE(at + FIX_RECORD.length)
    const own = records.subarray(at, addressEnd(records, end, flagsAt(records, at)))
    const bare = Buffer.from(own)
    bare.writeUInt16LE(bare.length, FIX_RECORD.length)
    parts.push(bare, Buffer.from(textOf(unpackFix(records, at, names).attributes)))
    at = end
  }
  return Buffer.concat(parts)
}

/** The attributes by name, without names that came with fixes that others replaced. */
function comparableState(state: ObjectState): ObjectState {
  const attributes = state.attributes.filter(({ count }) => count > 0)
  return { ...state, attributes: attributes.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Compares the first differing row only: printing thousands takes minutes. */
export function assertSameRows(a: readonly CounterRow[], b: readonly CounterRow[]): void {
  assert.equal(a.length, b.length)
  const first = a.findIndex((row, index) => !isDeepStrictEqual(row, b[index]))
  assert.deepEqual(a[first], b[first], `row ${first}`)
}

export type CounterRow = Counters & { time: number }

/** The shown counters of each position in mm and ms. */
export function rowsOf(records: Buffer): CounterRow[] {
  const rows: CounterRow[] = []
  for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
    rows.push({ time: unpackFix(records, at).timeDevice, ...readCounters(records, at) })
  }
  return rows
}
