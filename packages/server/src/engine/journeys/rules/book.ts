import { ownBytes } from '../../../base/domain/common/packed-numbers.ts'
import {
  type DerivedRecord,
  keyOf,
  type OpenRecord,
  type Reaching,
  type RecordDelete,
  type RecordKey,
  type RecordPut,
  STORED_KIND,
  type StoredRecord,
  type Visit,
} from '../../../base/domain/record.ts'
import { packRecord, untilOfOpen } from '../../../base/domain/record-form.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import { type Draft, matched } from './drafts.ts'
import {
  type Checkpoint,
  type Derivation,
  type OpenTrip,
  type OpenVisit,
  openOwners,
  type Progress,
} from './progress.ts'
import { packCheckpoint, unpackCheckpoint } from './progress-form.ts'

/** A record during a derivation. */
export type Entry = {
  readonly id: number
  /** Null: the record is new. */
  readonly stored: Stored | null
  record: DerivedRecord
  checkpoint: Uint8Array | null
}

/** A record as it is stored, with its packed fields. */
type Stored = Pick<StoredRecord, 'id' | 'revision' | 'updatedAt' | 'checkpoint'> & {
  readonly key: RecordKey
  readonly end: number | null
  readonly until: number
  /** A change of level has one. */
  readonly reach?: TimeRange
  /** Null: only the fields are known. */
  readonly record: DerivedRecord | null
  fields(): Uint8Array
}

/** The records of an object during a derivation. `close` returns the rows to write. */
export class Book {
  private readonly entries = new Set<Entry>()
  private readonly gone: Stored[] = []
  private readonly nextId: () => number
  private readonly now: number
  private isLoaded = false

  constructor({ nextId, now }: Pick<Derivation, 'nextId' | 'now'>) {
    this.nextId = nextId
    this.now = now
  }

  /** Takes all stored records that the derivation may touch. */
  loadAll(records: Iterable<StoredRecord>): void {
    this.isLoaded = true
    for (const { record, ...about } of records) {
      const { id, checkpoint } = about
      const fields = () => packRecord(record).fields
      const { end, until } = record
      const reach = record.kind === 'level' && { reach: record.reach }
      const stored = { ...about, key: keyOf(record), end, until, ...reach, record, fields }
      this.entries.add({ id, stored, record, checkpoint })
    }
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
   * Adds or updates the record of a draft. The record was under way or is new. If nothing was loaded, the owner of
   * the draft has the stored record.
   */
  put(draft: Draft): void {
    const key = keyOf(draft.record)
    const entry = this.isLoaded
      ? this.find(({ record }) => record.end === null && isSameKey(keyOf(record), key))
      : this.loadOpen(draft, key)
    if (entry === undefined) this.add(draft)
    else this.set(entry, draft)
  }

  /** Deletes the record of a trip that was under way. */
  drop(trip: OpenTrip): void {
    const key = ownedKey(trip)
    const entry = this.find(({ record }) => record.end === null && isSameKey(keyOf(record), key))
    if (entry !== undefined) this.delete(entry)
    else if (!this.isLoaded && trip.stored !== null) {
      this.gone.push(underWay(trip.stored, key, null))
    }
  }

  private loadOpen({ record, checkpoint, owner }: Draft, key: RecordKey): Entry | undefined {
    if (owner.stored === null) return undefined
    const stored = underWay(owner.stored, key, checkpoint)
    const entry = { id: stored.id, stored, record, checkpoint }
    this.entries.add(entry)
    return entry
  }

  private find(is: (entry: Entry) => boolean): Entry | undefined {
    for (const entry of this.entries) if (is(entry)) return entry
    return undefined
  }

  setCheckpoint(entry: Entry, checkpoint: Checkpoint): void {
    entry.checkpoint = packCheckpoint(checkpoint)
  }

  add({ record, checkpoint }: Pick<Draft, 'record' | 'checkpoint'>): Entry {
    const entry = { id: this.nextId(), stored: null, record, checkpoint }
    this.entries.add(entry)
    return entry
  }

  set(entry: Entry, { record, checkpoint }: Pick<Draft, 'record' | 'checkpoint'>): void {
    entry.record = record
    entry.checkpoint = checkpoint
  }

  /**
   * Drops the checkpoints of stops after `start` that were settled up to `time`: no derivation may start there any
   * more.
   */
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

  /** Returns the rows to write, and notes in `progress` how its open records will be stored. */
  close(progress: Progress): { puts: RecordPut[]; deletes: RecordDelete[] } {
    const puts: RecordPut[] = []
    const owners = openOwners(progress).map((owner) => ({ owner, key: ownedKey(owner) }))
    for (const { owner } of owners) owner.stored = null
    for (const entry of this.entries) {
      const { id, stored, record } = entry
      let packed: Uint8Array | undefined
      const fields = () => (packed ??= packRecord(record).fields)
      const key = keyOf(record)
      const owned =
        record.end === null ? owners.find((each) => isSameKey(each.key, key)) : undefined
      const put = this.putOf(entry, fields, owned !== undefined)
      if (put !== null) puts.push(put)
      if (owned === undefined) continue
      const { revision, updatedAt } = put ?? stored!
      owned.owner.stored = { id, revision, updatedAt, fields: ownBytes(fields()) }
    }
    const deletes = this.gone.map((stored) => ({
      id: stored.id,
      ...stored.key,
      ...extentOf(stored),
    }))
    return { puts, deletes }
  }

  /** Null if the entry is stored as it is. `isOpen`: the tail has the record. */
  private putOf(
    { id, stored, record, checkpoint }: Entry,
    fields: () => Uint8Array,
    isOpen: boolean,
  ): RecordPut | null {
    const { now } = this
    if (stored === null) {
      const first = { id, revision: 1, updatedAt: now, record, checkpoint }
      return { ...first, before: null, isChanged: true, isInTail: false }
    }
    const { start } = stored.key
    const isSameSpan = start === record.start && stored.end === record.end
    const isChanged =
      record !== stored.record && !(isSameSpan && isEqual(stored.fields(), fields()))
    const isSameRow = isSameSpan && isEqual(stored.checkpoint, checkpoint)
    // While the tail had the record, its row was not updated.
    const isInRow = isOpen || record.end !== null
    if (!isChanged && isSameRow && isInRow) return null
    return {
      id,
      record,
      checkpoint,
      isChanged,
      before: extentOf(stored),
      revision: stored.revision + (isChanged ? 1 : 0),
      updatedAt: isChanged ? now : stored.updatedAt,
      isInTail: isSameRow && isOpen,
    }
  }
}

function extentOf({ key: { start }, until, reach }: Stored): Reaching {
  return { start, until, ...(reach && { reach }) }
}

/** A record under way, as its owner has it. */
function underWay({ fields, ...about }: OpenRecord, key: RecordKey, checkpoint: Uint8Array | null) {
  const until = untilOfOpen(key.start, fields)
  return { ...about, checkpoint, key, end: null, until, record: null, fields: () => fields }
}

function ownedKey(owner: ReturnType<typeof openOwners>[number]): RecordKey {
  if (!('kind' in owner))
    return { kind: STORED_KIND[owner.placeType], start: owner.start, place: owner.place }
  const start = owner.kind === 'trip' ? owner.from.time : owner.checkpoint.row.time
  return { kind: STORED_KIND[owner.kind], start, place: 0 }
}

function isSameKey(a: RecordKey, b: RecordKey): boolean {
  return a.kind === b.kind && a.start === b.start && a.place === b.place
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}
