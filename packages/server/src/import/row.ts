/** Why a row is rejected. `reason` is a name that sums up alike rows; `detail` tells of this one. */
export type Fault = {
  reason: string
  detail: string
  /** The field at fault, where it is one. */
  field?: string
}

/** One row of a source, its cells in the order of the fields that were asked for. */
export type Row = {
  /** Where it begins, counted from 1. */
  line: number
  /** What stands there, for a report. */
  text: string
  /** `undefined` where the source has no such column. */
  cells: unknown[]
  /** Why it is no row at all. */
  fault: Fault | null
  /**
   * The field that stands last in a last line without a line end, else null. What is wrong with that
   * field is the cut's doing.
   */
  cutField: string | null
}

/** What a reader has to tell beyond its rows. */
export type Remarks = {
  /** The source ended before its content did. */
  truncated: boolean
  notes: Set<string>
}

export function fault(reason: string, detail: string, field?: string): Fault {
  return field === undefined ? { reason, detail } : { reason, detail, field }
}

/** A fault that a cut of the last line explains is the cut's, and not the value's. */
export function blameCut(row: Row, found: Fault): Fault {
  const isCut = found.field !== undefined && found.field === row.cutField
  return isCut ? { ...found, reason: 'truncated' } : found
}

export function isFault(value: object): value is Fault {
  return 'reason' in value
}
