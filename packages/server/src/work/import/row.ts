import { takeTurn } from '../../base/domain/common/slots.ts'
import type { ImportKind, SavedMapping } from '../../base/domain/import-formats.ts'
import { type PlaceLimit, placeLimitFact } from '../../base/domain/limits.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Given } from '../../base/domain/position/attribute-section.ts'
import type { NotationFound } from './tables/notation.ts'

/** Why a row is rejected. `reason` groups similar rows; `detail` describes this one. */
export type Fault = {
  reason: string
  detail: string
  /** The faulty field, if it is one. */
  field?: string
  /** The row is a thing that this import does not take, such as a waypoint among positions. `reason` names it. */
  isOmission?: true
}

/** A row of a source. Its cells are in the order of the requested fields. */
export type Row = {
  /** The line where it begins, from 1. */
  line: number
  /** The row's text, for a report. */
  text: string
  /** `undefined` if the source has no such column. */
  cells: unknown[]
  /** Its values that are attributes. */
  attributes?: readonly Given[]
  /** Why the row cannot be read at all. */
  fault: Fault | null
  /**
   * The last field of a last line without a line end, else null. A fault of that field may come from
   * truncation.
   */
  cutField: string | null
  /** Its numbers are in the units of `Fix`, because its format has units. Otherwise in those that the caller names. */
  isInFixUnits?: true
}

/**
 * How the columns of a source fill the fields. Several columns of one field are separated by commas. The
 * elements of points and places in GPX that fill no field are ignored columns.
 */
export type ColumnUse = {
  /** By field: the column that the caller mapped, or that has the field's own name. */
  used: Record<string, string>
  /** By field: the column that was recognized by another usual name. */
  guessed: Record<string, string>
  /** The other columns. */
  ignored: string[]
}

/** Facts about a table, by its beginning. */
export type TableFound = {
  headings: readonly string[]
  notation: NotationFound
  /** The saved mapping that has the same headings. */
  saved: SavedMapping | null
}

export function noColumns(): ColumnUse {
  return { used: {}, guessed: {}, ignored: [] }
}

/** The remarks of a reader on its source. */
export type Remarks = {
  /** The source was truncated. */
  truncated: boolean
  notes: Set<string>
  columns: ColumnUse
  /** By field: the unit that the heading of its column names. */
  units: Record<string, string>
  /** How a table is written. Null: the source is not one. */
  table: TableFound | null
}

export function noRemarks(): Remarks {
  return { truncated: false, notes: new Set(), columns: noColumns(), units: {}, table: null }
}

export function fault(reason: string, detail: string, field?: string): Fault {
  return field === undefined ? { reason, detail } : { reason, detail, field }
}

/** A row of a format with fixed names and units. */
export function fixRow(line: number, text: string, cells: unknown[]): Row {
  return { line, text, cells, fault: null, cutField: null, isInFixUnits: true }
}

/**
 * A row for something in a source that this import does not take: `thing` is its kind, such as `waypoint`,
 * `detail` why it is left out. A reader yields it in its place among the other rows, and the summary counts it
 * as omitted. It is not a failure of the import.
 */
export function omittedRow(line: number, text: string, thing: string, detail: string): Row {
  return faultyRow(line, text, { ...fault(thing, detail), isOmission: true })
}

/** A row for something that is left out because another import takes it. `why`: a clause. */
export function takenElsewhere(
  line: number,
  text: string,
  thing: string,
  why: string,
  taker: string,
): Row {
  return omittedRow(line, text.trimEnd(), thing, `${why}; use 'import ${taker}'`)
}

/** Rows of a portion: some milliseconds. */
const PORTION = 1_000

/** The rows in portions, with turns for others in between: one track may have very many. */
export async function* inPortions(found: readonly Iterable<Row>[]): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  for (const some of found) {
    for (const row of some) {
      rows.push(row)
      if (rows.length < PORTION) continue
      yield rows
      rows = []
      await takeTurn()
    }
  }
  if (rows.length > 0) yield rows
}

/** The fault of something in XML within which the reading stopped with `error`. */
export function cutFault(error: unknown): Fault {
  return error instanceof SourceCut
    ? fault('truncated', 'the file ends within it')
    : fault('malformed', 'the XML breaks within it')
}

/** A text that lost characters, and so would name another item. */
export function misread(field: string, text: string): Fault {
  const detail = `${field} '${text}' has lost characters: the file was read in the wrong encoding`
  return fault('bad_encoding', detail, field)
}

/** A row that cannot be read at all. */
export function faultyRow(line: number, text: string, fault: Fault): Row {
  return { line, text, cells: [], fault, cutField: null }
}

/** A fault that truncation of the last line explains is not blamed on the value. */
export function blameCut(row: Row, found: Fault): Fault {
  const isCut = found.field !== undefined && found.field === row.cutField
  return isCut ? { ...found, reason: 'truncated' } : found
}

export function isFault(value: object): value is Fault {
  return 'reason' in value
}

/** The mapping, an option or a column does not fit the source. The message is for the caller. */
export class ImportMisuse extends Error {
  override name = 'ImportMisuse'
}

/** The source is for other imports. */
export class OtherKind extends ImportMisuse {
  /** The imports that take it. */
  readonly takers: readonly ImportKind[]

  constructor(message: string, takers: readonly ImportKind[]) {
    super(message)
    this.takers = takers
  }
}

/** The columns of a source that one field may mean. */
export type Rivals = { field: string; columns: readonly string[] }

/** Several columns may be meant by one field. */
export class SeveralColumns extends ImportMisuse {
  readonly rivals: Rivals

  constructor(message: string, rivals: Rivals) {
    super(message)
    this.rivals = rivals
  }
}

/** The source cannot be read, or does not have its format. */
export class SourceUnreadable extends Error {
  override name = 'SourceUnreadable'
}

/** The source ends before its content does. */
export class SourceCut extends SourceUnreadable {}

/** The fault of a row that would create an object beyond the organization's limit. */
export function tooManyObjects({ id, maxObjects }: Organization): Fault {
  return fault(
    'limit_of_objects',
    `max_objects of organization ${id} is ${maxObjects}, which is reached; 'fleetgate org update ${id} --max-objects NUMBER' raises it`,
  )
}

/** The fault of a row, or of an update, whose place exceeds a limit of the organization. */
export function placeLimitFault({ id }: Organization, limit: PlaceLimit): Fault {
  const { field, text } = placeLimitFact(limit)
  const option = field.replace('_', '-')
  return fault(limit.outcome, `${text}; 'fleetgate org update ${id} --${option} NUMBER' raises it`)
}
