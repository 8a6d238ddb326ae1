import { takeTurn } from '../../base/domain/common/slots.ts'
import type { DistanceUnit, Organization } from '../../base/domain/organization.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import type { AddressAt, KnownAddresses } from '../../base/domain/position/object-state.ts'
import {
  type ColumnMemory,
  columnMemory,
  columnsOfRecords,
  type RowSlice,
  someLackAddress,
} from '../../base/domain/position/position-columns.ts'
import type { CachedObject, FleetObject, OwnObject } from '../../data/cache/fleet-objects.ts'
import { type ObjectTrack, type PositionForm, trackOf } from '../formats/position-format.ts'
import {
  encodeAbsentRow,
  encodeUnseenRow,
  positionRowEncoder,
  type RowStyle,
} from './position-rows.ts'
import { wholeOrStreamed } from './rows.ts'

/**
 * Rows of one object, or one row without a position. `unseen`: the object never had one. `absent`: it had none at the
 * moment asked for.
 */
export type ObjectRows = {
  readonly fleetObject: FleetObject
  readonly rows: RowSlice | 'unseen' | 'absent'
}

/** The rows of objects with their fix records, taken apart together. */
export function rowsOfRecords(
  objects: readonly FleetObject[],
  recordOf: (fleetObject: FleetObject) => Uint8Array | 'unseen' | 'absent',
  memory?: ColumnMemory,
): ObjectRows[] {
  const records = objects.map(recordOf)
  const found = records.filter((record) => typeof record !== 'string')
  const columns = columnsOfRecords(found.length === 1 ? found[0]! : Buffer.concat(found), memory)
  let next = 0
  return objects.map((fleetObject, index) => {
    const record = records[index]!
    if (typeof record === 'string') return { fleetObject, rows: record }
    next += 1
    return { fleetObject, rows: { columns, from: next - 1, to: next } }
  })
}

/** The rows of the last positions of objects. `memory`: see `columnsOfRecords`. */
function latestRows(objects: readonly FleetObject[], memory?: ColumnMemory): ObjectRows[] {
  const recordOf = ({ state: { lastFix, fold } }: FleetObject) =>
    lastFix === null || fold === null
      ? 'unseen'
      : packFix(lastFix, fold, { motion: fold.motion, isLate: false })
  return rowsOfRecords(objects, recordOf, memory)
}

/** For rows that are written before others are read. */
const shared = columnMemory()

/** The parts of an answer that its rows depend on. */
type RowsContext = {
  readonly organization: Organization
  /** Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
  readonly form: PositionForm
}

/** The body of some rows, which come in groups of about 1 ms of work. */
export function objectRowsBody(
  groups: AsyncIterable<readonly ObjectRows[]>,
  context: RowsContext,
): Promise<Buffer | AsyncGenerator<Buffer>> {
  return wholeOrStreamed(piecesOf(groups, context))
}

/** A group is written in parts if the track of an object ends in it. */
const LONG_BYTES = 512 * 1024

async function* piecesOf(
  groups: AsyncIterable<readonly ObjectRows[]>,
  { organization, knownAddresses, form }: RowsContext,
): AsyncGenerator<Buffer> {
  yield Buffer.from(form.head)
  const writer = new RowsWriter(organization, form)
  for await (const group of groups) {
    if (writer.addressAt === undefined && knownAddresses !== null && group.some(lacksAddress)) {
      writer.addressAt = await knownAddresses(organization.language)
    }
    let parts: Buffer[] = []
    let bytes = 0
    for (const rows of group) {
      for (const part of writer.write(rows)) {
        parts.push(part)
        bytes += part.length
        if (bytes < LONG_BYTES) continue
        yield Buffer.concat(parts)
        parts = []
        bytes = 0
        await takeTurn()
      }
    }
    yield Buffer.concat(parts)
    await takeTurn()
  }
  yield* writer.close()
  yield Buffer.from(form.tail)
}

/** Writes rows with the text of the form between them, and around those of each object. */
class RowsWriter {
  addressAt: AddressAt | undefined
  private readonly organization: Organization
  private readonly form: PositionForm
  private readonly between: Buffer
  /** The object whose rows were written last, and its track. */
  private last: { id: number; track: ObjectTrack } | undefined

  constructor(organization: Organization, form: PositionForm) {
    this.organization = organization
    this.form = form
    this.between = Buffer.from(form.between)
  }

  *write(rows: ObjectRows): Generator<Buffer> {
    const { fleetObject } = rows
    const { addressAt } = this
    const { distanceUnit } = this.organization
    const row = encodeRows(rows, distanceUnit, { form: this.form, addressAt })
    if (row.length === 0) return
    const { id, name } = fleetObject.object
    const { form, last } = this
    if (last !== undefined && last.id !== id) yield* this.close()
    if (last !== undefined) yield this.between
    if (last?.id !== id) {
      this.last = { id, track: trackOf(form, name) }
      yield Buffer.from(form.openObject(name))
    }
    yield row
    if (typeof rows.rows !== 'string') yield* this.last!.track.add(rows.rows)
  }

  /** Ends the rows of the last object. */
  *close(): Generator<Buffer> {
    if (this.last === undefined) return
    yield* this.last.track.end()
    yield Buffer.from(this.form.closeObject)
  }
}

function encodeRows(
  { fleetObject, rows }: ObjectRows,
  unit: DistanceUnit,
  style: RowStyle,
): Buffer {
  if (rows === 'unseen') return encodeUnseenRow(fleetObject, unit, style.form)
  if (rows === 'absent') return encodeAbsentRow(fleetObject, unit, style.form)
  return positionRowEncoder(fleetObject, unit, style)(rows.columns, rows)
}

function lacksAddress({ rows }: ObjectRows): boolean {
  return typeof rows !== 'string' && someLackAddress(rows)
}

/** The row of an object at its newest position. Empty without one, in a format that has no such rows. */
export function latestRow(fleetObject: FleetObject, unit: DistanceUnit, style: RowStyle): Buffer {
  return encodeRows(latestRows([fleetObject], shared)[0]!, unit, style)
}

/** Objects at their newest positions as a body. `style`: with a form of points. */
export function latestBody(
  objects: readonly FleetObject[],
  unit: DistanceUnit,
  style: RowStyle & { form: PositionForm },
): Buffer {
  const { head, between, tail } = style.form
  const rows = latestRows(objects, shared)
    .map((each) => encodeRows(each, unit, style))
    .filter(({ length }) => length > 0)
  const separator = Buffer.from(between)
  const parts = rows.flatMap((row, index) => (index > 0 ? [separator, row] : [row]))
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)])
}

/** Objects whose states are read at once, and rows that are encoded at once. */
const GROUP_OBJECTS = 500

/** Slices of a list. */
export function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += GROUP_OBJECTS) {
    yield items.slice(from, from + GROUP_OBJECTS)
  }
}

type WithStates = (objects: readonly OwnObject[]) => Promise<CachedObject[]>

/** Objects with their states, read slice by slice. */
export async function* stateGroups(
  objects: readonly OwnObject[],
  withStates: WithStates,
): AsyncGenerator<CachedObject[]> {
  for (const group of inGroups(objects)) yield await withStates(group)
}

/** The rows of the last positions of objects with their states. */
export async function* latestGroups(
  groups: AsyncIterable<readonly FleetObject[]> | Iterable<readonly FleetObject[]>,
): AsyncGenerator<ObjectRows[]> {
  for await (const group of groups) yield latestRows(group)
}
