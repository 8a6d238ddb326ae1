import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { OBJECT_DEFAULTS, type ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import {
  ORGANIZATION_DEFAULTS,
  type OrganizationSettings,
} from '../../src/base/domain/organization.ts'
import { bareFix, type Fix } from '../../src/base/domain/position/fix.ts'
import { FIX_FLAG, FIX_RECORD, packFix } from '../../src/base/domain/position/fix-record.ts'
import { bareFold, type FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { TimeRange } from '../../src/base/domain/time/time.ts'
import type { PutOutcome } from '../../src/engine/store/item-store.ts'
import type { NewKey } from '../../src/engine/store/key-store.ts'
import type { History, RefoldSubject } from '../../src/engine/store/position-store.ts'
import type { Store, Watch } from '../../src/engine/store/store.ts'
import { recordsOfBlocks } from '../records-in-columns.ts'

/** A row of the positions, as it is stored. */
export type PositionRow = { organization: number; time: number; isShown: boolean }

/** A store with its own data. */
export type OpenedStore = {
  store: Store
  /** Opens the same data again, like another process, while `store` may still be open. */
  reopen(): Promise<Store>
  /** Which changes of states a watch reports: all, or only those of its own store object. */
  toldStates: 'all' | 'own'
  /** All positions, by organization and time. */
  rows(): Promise<PositionRow[]>
  /** Changes the block that begins at that time: a byte of it, if nothing else is given. */
  damageBlock(first: number, change?: (block: Buffer) => void): Promise<void>
  /** Resolves when every change committed before the call has reached the listener. */
  settled(watch: Watch): Promise<void>
  /** Closes all open stores and removes the data. */
  cleanUp(): Promise<void>
}
export type OpenStore = () => Promise<OpenedStore>

type StoreBody = (store: Store, reopen: () => Promise<Store>, opened: OpenedStore) => Promise<void>

/** Declares a test that gets a new store. */
export type StoreTest = (name: string, body: StoreBody) => void

export function testsOn(open: OpenStore): StoreTest {
  return (name, body) => void test(name, onStore(open, body))
}

/** A test body that gets a new store. */
export function onStore(open: OpenStore, body: StoreBody): () => Promise<void> {
  return async () => {
    const opened = await open()
    try {
      await body(opened.store, opened.reopen, opened)
    } finally {
      await opened.cleanUp()
    }
  }
}

export const NOW = Date.UTC(2026, 10, 20)
/** An id that no test store assigns. */
export const MISSING = 1_000_000_007

export async function newOrganization(
  store: Store,
  name = 'Acme',
  settings: Partial<OrganizationSettings> = {},
): Promise<number> {
  const all = { name, ...ORGANIZATION_DEFAULTS, ...settings }
  return (await store.organizations.create(all, NOW)).id
}

export function objectSettings(ident: string, settings: Partial<ObjectSettings> = {}) {
  return { ...OBJECT_DEFAULTS, name: `Bus ${ident}`, ident, ...settings }
}

export async function newObject(store: Store, organization: number, ident = '1'): Promise<number> {
  return idOf((await store.objects.put(organization, [objectSettings(ident)], NOW))[0])
}

export function idOf(put: PutOutcome | undefined): number {
  if (put === undefined || !('id' in put)) throw new Error('nothing was put')
  return put.id
}

/** Does the same many times at once, in turn through two processes. */
export function atOnce<Process, Result>(
  times: number,
  processes: readonly [Process, Process],
  work: (process: Process, index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(
    Array.from({ length: times }, (_, index) => work(processes[index % 2]!, index)),
  )
}

let keysMade = 0

/** The stored part of a new, unique key. */
export function newKey(name: string, expiresAt: number | null = null): NewKey {
  keysMade += 1
  return { name, hash: `hash ${keysMade}`, prefix: 'fg_live_abcd', lastFour: 'wxyz', expiresAt }
}

export function fixAt(timeDevice: number, more: Partial<Fix> = {}): Fix {
  return { ...bareFix(timeDevice, NOW, 30.25, -97.75), ...more }
}

/** The simplest rules: every fix is accepted and shown, the first of a moment is kept, and nothing is counted. */
export const PLAIN: FoldRules = {
  version: 1,
  judge: () => undefined,
  prefer: (a, b) => (isDeepStrictEqual({ ...a, timeServer: 0 }, { ...b, timeServer: 0 }) ? 0 : -1),
  advance(before, _object, fix) {
    const here = { time: fix.timeDevice, latitude: fix.latitude, longitude: fix.longitude }
    const counters = { odometer: null, mileage: null, engineHours: null }
    const plain = { motion: 'moving', before: before?.last ?? null } as const
    return { hidden: false, fold: { ...bareFold(here, counters), ...plain } }
  },
}

export async function append(store: Store, organization: number, object: number, fixes: Fix[]) {
  const batch = fixes.map((fix) => ({ object, fix }))
  return store.positions.append(organization, batch, PLAIN)
}

/** A new object of a new organization, and what tests do with it. */
export async function newFleet(store: Store, settings: Partial<OrganizationSettings> = {}) {
  const organization = await newOrganization(store, 'Acme', settings)
  return fleetOn(store, organization, await newObject(store, organization))
}

export function fleetOn({ positions }: Store, organization: number, object: number) {
  const history = (limit: number | null = null, range: Partial<TimeRange> = {}) =>
    positions.history(organization, object, { ...ALL_TIME, ...range }, limit)
  return {
    organization,
    object,
    append(fixes: readonly Fix[], rules: FoldRules = PLAIN) {
      const batch = fixes.map((fix) => ({ object, fix }))
      return positions.append(organization, batch, rules)
    },
    history,
    records: async (range?: Partial<TimeRange>) => recordsOf(await history(null, range)),
    count: (atMost = 1_000_000) => positions.count(organization, object, ALL_TIME, atMost),
    state: async () => (await positions.states(organization)).get(object),
    /** The same in another store on the same data. */
    on: (other: Store) => fleetOn(other, organization, object),
  }
}

/** Completes pending folds; returns the number of slices. */
export async function foldOn(
  store: Store,
  rules: FoldRules,
  scope: RefoldSubject | null = null,
): Promise<number> {
  let slices = 0
  while ((await store.positions.refold(scope, rules)) !== null) slices += 1
  return slices
}

/** For failures that no test expects. */
export const unexpected = (error: unknown): never => {
  throw error
}

/** Purges an organization's positions; returns the number of slices. */
export async function purge(
  store: Store,
  organization: number,
  before: number,
  failed: (error: unknown) => void = unexpected,
): Promise<number> {
  let slices = 0
  for (let after: number | null = 0; after !== null; slices += 1) {
    after = await store.positions.purgeExpired(organization, () => before, after, failed)
  }
  return slices
}

export const ALL_TIME = { from: 0, to: 2 ** 48 }

/** The records without the mark of late ones: it depends on the order of arrival, as nothing else does. */
export async function recordsOf(history: History): Promise<Buffer> {
  const records = await recordsOfBlocks(history.blocks)
  for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
    const flags = records.readUInt16LE(at + FIX_RECORD.flags)
    records.writeUInt16LE(flags & ~FIX_FLAG.late, at + FIX_RECORD.flags)
  }
  return records
}

/** The records of fixes as `PLAIN` folds them. */
export function recordsFrom(fixes: Iterable<Fix>): Buffer {
  const marks = { motion: 'moving', isLate: false } as const
  return Buffer.concat(Array.from(fixes, (fix) => packFix(fix, NO_COUNTERS, marks)))
}

export const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }
