import {
  type DerivedRecord,
  keyOf,
  type RecordDelete,
  type RecordPut,
  type StoredRecord,
  type Visit,
} from '../../domain/record.ts'
import { packRecord } from '../../domain/record-form.ts'
import { type Draft, openDrafts } from './drafts.ts'
import { matched } from './matching.ts'
import type { Checkpoint, OpenVisit, Owner, Progress } from './progress.ts'
import { packCheckpoint, unpackCheckpoint } from './progress-form.ts'

/** A record during a derivation. */
export type Entry = {
  readonly id: number
  /** The record as it is stored. Null: it is new. */
  readonly stored: StoredRecord | null
  record: DerivedRecord
  checkpoint: Uint8Array | null
}

/** The records of an object during a derivation. It finds out what has to be written. */
export class Book {
  private readonly entries = new Set<Entry>()
  private readonly gone: StoredRecord[] = []
  private readonly nextId: () => number

  constructor(nextId: () => number) {
    this.nextId = nextId
  }

  loadAll(records: Iterable<StoredRecord>): void {
    for (const record of records) this.load(record)
  }

  private load(stored: StoredRecord): Entry {
    const { id, record, checkpoint } = stored
    const entry = { id, stored, record, checkpoint }
    this.entries.add(entry)
    return entry
  }

  all(): Iterable<Entry> {
    return this.entries
  }

  /** The stop that starts at this time. */
  stopAt(start: number): Entry | undefined {
    return this.find(({ record }) => record.kind === 'stop' && record.start === start)
  }

  /** The newest stop with a checkpoint that starts before `time`. */
  stopBefore(time: number): Entry | undefined {
    let newest: Entry | undefined
    for (const entry of this.entries) {
      if (entry.checkpoint === null || entry.record.start >= time) continue
      if (newest === undefined || entry.record.start > newest.record.start) newest = entry
    }
    return newest
  }

  /** The trips that start at this time or later, and the stops that start later. */
  segmentsFrom(start: number): Entry[] {
    return [...this.entries].filter(
      ({ record: { kind, start: from } }) =>
        (kind === 'trip' && from >= start) || (kind === 'stop' && from > start),
    )
  }

  /** The record of a visit. Null if there is none. */
  visitOf({ placeType, place, start }: OpenVisit): Visit | null {
    for (const { record } of this.entries) {
      if (record.kind !== 'visit' || record.start !== start) continue
      if (record.place === place && record.placeType === placeType) return record
    }
    return null
  }

  /**
   * The entries of records that were under way, by their owners. Loads them from the drafts if nothing was
   * loaded: a draft of an unchanged progress is the stored record.
   */
  openEntries(drafts: readonly Draft[]): Map<Owner, Entry> {
    const isLoaded = this.entries.size > 0
    const entries = new Map<Owner, Entry>()
    for (const draft of drafts) {
      const name = nameOf(draft.record)
      const entry = isLoaded
        ? this.find(({ record }) => record.end === null && nameOf(record) === name)
        : this.loadOpen(draft)
      if (entry !== undefined) entries.set(draft.owner, entry)
    }
    return entries
  }

  private loadOpen({ record, checkpoint, owner: { key } }: Draft): Entry | undefined {
    if (key === null) return undefined
    const packed = checkpoint === null ? null : packCheckpoint(checkpoint)
    return this.load({ ...key, record, checkpoint: packed })
  }

  private find(is: (entry: Entry) => boolean): Entry | undefined {
    for (const entry of this.entries) if (is(entry)) return entry
    return undefined
  }

  setCheckpoint(entry: Entry, checkpoint: Checkpoint): void {
    entry.checkpoint = packCheckpoint(checkpoint)
  }

  add({ record, checkpoint }: Pick<Draft, 'record' | 'checkpoint'>): Entry {
    const packed = checkpoint === null ? null : packCheckpoint(checkpoint)
    const entry = { id: this.nextId(), stored: null, record, checkpoint: packed }
    this.entries.add(entry)
    return entry
  }

  set(entry: Entry, { record, checkpoint }: Pick<Draft, 'record' | 'checkpoint'>): void {
    entry.record = record
    entry.checkpoint = checkpoint === null ? null : packCheckpoint(checkpoint)
  }

  /** No derivation may start any more at the stops behind `start` that were settled up to `time`. */
  dropCheckpoints(start: number, time: number): void {
    for (const entry of this.entries) {
      if (entry.checkpoint === null || entry.record.start <= start) continue
      if (entry.record.start > time || unpackCheckpoint(entry.checkpoint).settledAt > time) continue
      entry.checkpoint = null
    }
  }

  /** Replaces entries by derived records. */
  replace(old: readonly Entry[], drafts: readonly Pick<Draft, 'record' | 'checkpoint'>[]): void {
    const pairs = matched(old, drafts)
    const kept = new Set(pairs.values())
    for (const entry of old) if (!kept.has(entry)) this.delete(entry)
    for (const draft of drafts) {
      const entry = pairs.get(draft)
      if (entry === undefined) this.add(draft)
      else this.set(entry, draft)
    }
  }

  private delete(entry: Entry): void {
    this.entries.delete(entry)
    if (entry.stored !== null) this.gone.push(entry.stored)
  }

  /** Returns what has to be written, and notes in the open records of `progress` how they are stored. */
  close(progress: Progress): { puts: RecordPut[]; deletes: RecordDelete[] } {
    const puts: RecordPut[] = []
    const open = new Map(
      openDrafts(progress).map(({ record, owner }) => [nameOf(record), owner] as const),
    )
    for (const entry of this.entries) {
      const put = putOf(entry)
      if (put !== null) puts.push(put)
      if (entry.record.end !== null) continue
      const owner = open.get(nameOf(entry.record))
      if (owner === undefined) continue
      owner.key = { id: entry.id, revision: put?.revision ?? entry.stored!.revision }
      open.delete(nameOf(entry.record))
    }
    for (const owner of open.values()) owner.key = null
    const deletes = this.gone.map(({ id, record }) => ({ id, ...keyOf(record) }))
    return { puts, deletes }
  }
}

/** Names an open record among those of its object. */
function nameOf(record: DerivedRecord): string {
  const { kind, start, place } = keyOf(record)
  return `${kind} ${start} ${place}`
}

/** Null if the entry is stored as it is. */
function putOf({ id, stored, record, checkpoint }: Entry): RecordPut | null {
  if (stored === null) {
    return { id, revision: 1, record, checkpoint, storedStart: null, isChanged: true }
  }
  const isChanged = !isSame(stored.record, record)
  if (!isChanged && isEqual(stored.checkpoint, checkpoint)) return null
  const revision = stored.revision + (isChanged ? 1 : 0)
  return { id, revision, record, checkpoint, storedStart: stored.record.start, isChanged }
}

function isSame(a: DerivedRecord, b: DerivedRecord): boolean {
  if (a === b) return true
  if (a.start !== b.start || a.end !== b.end || a.until !== b.until) return false
  return isEqual(packRecord(a).fields, packRecord(b).fields)
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}
