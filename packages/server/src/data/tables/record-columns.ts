import { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'
import { RECORD_TYPES, type RecordType } from '../../base/domain/item-rules.ts'
import {
  keyOf,
  neededExtent,
  type OpenRecord,
  type RecordPut,
  STORED_KIND,
  type StoredKind,
} from '../../base/domain/record.ts'
import {
  boxOf,
  type PackedRecord,
  packRecord,
  unpackRecord,
} from '../../base/domain/record-form.ts'
import type { RecordEntry } from '../../engine/store/change-entries.ts'
import type {
  DerivedObject,
  OwnedRecord,
  RecordOffset,
  SegmentSpan,
  Tail,
} from '../../engine/store/record-store.ts'

/** The columns of `records`, which are the same in all stores. `organization`: the statement's expression for it. */
export function recordColumns(organization: string): string {
  return `
  kind, object, start_time AS "start", place, id, revision, updated_at AS "updatedAt",
  end_time AS "end", fields, checkpoint, ${tailIfOpen(organization)}`
}

/** A row of `recordColumns`. */
export type RecordRow = {
  kind: StoredKind
  object: number
  start: number
  place: number
  id: number
  revision: number
  updatedAt: number
  end: number | null
  fields: Uint8Array
  checkpoint: Uint8Array | null
} & TailIfOpen

/** The tail of the object of a record under way. Null for others. */
type TailIfOpen = { tail: Uint8Array | null }

function tailIfOpen(organization: string): string {
  return `
  CASE WHEN end_time IS NULL THEN (
    SELECT progress FROM record_tails
    WHERE record_tails.organization = ${organization} AND record_tails.object = records.object
  ) END AS tail`
}

export function recordOf(row: RecordRow): OwnedRecord {
  const { object, id, checkpoint, tail } = row
  const { revision, updatedAt, fields } = (tail && openRecordIn(tail, id)) ?? row
  return { object, id, revision, updatedAt, checkpoint, record: unpackRecord({ ...row, fields }) }
}

/** The values of a row, in the order of the columns from `kind` on. */
export function rowOf(object: number, put: RecordPut) {
  const { id, revision, updatedAt, record, checkpoint } = put
  const { kind, start, place, end, fields } = packRecord(record)
  const duration = record.until - record.start
  return { kind, object, start, place, id, revision, updatedAt, end, duration, fields, checkpoint }
}

/** The stored kinds of each type. */
export const KINDS_OF: Readonly<Record<RecordType, readonly StoredKind[]>> = {
  trips: [STORED_KIND.trip],
  stops: [STORED_KIND.stop],
  visits: [STORED_KIND.geofence, STORED_KIND.site],
  levels: [STORED_KIND.level],
}
export const ALL_KINDS: readonly StoredKind[] = Object.values(KINDS_OF).flat()

function typeOf(kind: StoredKind): RecordType {
  return RECORD_TYPES.find((type) => KINDS_OF[type].includes(kind))!
}

/** The entries of the change log for derived records. */
export function entriesOf({ object, deletes, puts }: DerivedObject): RecordEntry[] {
  return [
    ...deletes.map(({ kind, id, place, ...before }) => ({
      type: typeOf(kind),
      object,
      id,
      before: neededExtent(before),
      ...(kind === STORED_KIND.level && { attribute: place }),
    })),
    ...puts
      .filter(({ isChanged }) => isChanged)
      .map(({ id, record, before }) => ({
        type: typeOf(keyOf(record).kind),
        object,
        id,
        before: before && neededExtent(before),
        ...(record.kind === 'level' && { attribute: record.attribute }),
      })),
  ]
}

/** The rows that derived records leave, by kind, start and place: deleted ones, and those that got another start. */
export function leftRows({ deletes, puts }: DerivedObject): [StoredKind, number, number][] {
  const rows = deletes.map(({ kind, start, place }): [StoredKind, number, number] => [
    kind,
    start,
    place,
  ])
  for (const { record, before } of puts) {
    if (before === null || before.start === record.start) continue
    const { kind, place } = keyOf(record)
    rows.push([kind, before.start, place])
  }
  return rows
}

/** The length of the longest of these records that may overlap others of their type, in ms. */
export function longestVisitOf({ puts }: DerivedObject): number {
  return puts.reduce(
    (longest, { record: { kind, start, until } }) =>
      kind === 'visit' || kind === 'level' ? Math.max(longest, until - start) : longest,
    0,
  )
}

/** The columns that a segment is read from. */
export function spanColumns(organization: string): string {
  return `
  kind, start_time AS "start", place, id, end_time AS "end", fields, ${tailIfOpen(organization)}`
}

export type SpanRow = PackedRecord & TailIfOpen & { id: number }

export function spanOf(row: SpanRow): SegmentSpan {
  const { start, end, id, tail } = row
  const { fields } = (tail && openRecordIn(tail, id)) ?? row
  return { start, end, box: boxOf({ ...row, fields }) }
}

/** Before the first record of an object. */
export const AT_FIRST: Omit<RecordOffset, 'object'> = { start: -1, kind: 0, place: 0 }

/*
 * A tail as a column keeps it, in numbers of `base/domain/common/packed-numbers.ts`: the number of its form, the number of open
 * records, id, revision, time of the last change and fields of each, then the progress, and that of levels, if there are any.
 */

const TAIL_FORM = 1

export function packTail({ open, progress, levels }: Tail): Uint8Array {
  const out = new NumberWriter()
  out.unsigned(TAIL_FORM)
  out.unsigned(open.length)
  for (const { id, revision, updatedAt, fields } of open) {
    out.unsigned(id)
    out.unsigned(revision)
    out.unsigned(updatedAt)
    out.blob(fields)
  }
  out.blob(progress)
  if (levels !== undefined) out.blob(levels)
  return out.bytes()
}

export function unpackTail(packed: Uint8Array): Tail {
  const input = readerOf(packed)
  const open: OpenRecord[] = []
  for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) open.push(readOpen(input))
  const progress = input.blob()
  return input.isAtEnd() ? { open, progress } : { open, progress, levels: input.blob() }
}

/** The open record with an id. Undefined: the tail has nothing of it. */
function openRecordIn(packed: Uint8Array, id: number): OpenRecord | undefined {
  const input = readerOf(packed)
  for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) {
    const open = readOpen(input)
    if (open.id === id) return open
  }
  return undefined
}

function readOpen(input: NumberReader): OpenRecord {
  return {
    id: input.unsigned(),
    revision: input.unsigned(),
    updatedAt: input.unsigned(),
    fields: input.blob(),
  }
}

function readerOf(packed: Uint8Array): NumberReader {
  const input = new NumberReader(packed)
  if (input.unsigned() !== TAIL_FORM) {
    throw new Error('the tail of an object has a format that this version does not know')
  }
  return input
}
