/** Why a row is rejected. `reason` groups similar rows; `detail` describes this one. */
export type Fault = {
  reason: string
  detail: string
  /** The faulty field, if it is one. */
  field?: string
}

/** A row of a source. Its cells are in the order of the requested fields. */
export type Row = {
  /** The line where it begins, from 1. */
  line: number
  /** The row's text, for a report. */
  text: string
  /** `undefined` if the source has no such column. */
  cells: unknown[]
  /** Why the row cannot be read at all. */
  fault: Fault | null
  /**
   * The last field of a last line without a line end, else null. A fault of that field may come from
   * truncation.
   */
  cutField: string | null
}

/** Remarks of a reader besides its rows. */
export type Remarks = {
  /** The source was truncated. */
  truncated: boolean
  notes: Set<string>
}

export function fault(reason: string, detail: string, field?: string): Fault {
  return field === undefined ? { reason, detail } : { reason, detail, field }
}

/** A fault that truncation of the last line explains is not blamed on the value. */
export function blameCut(row: Row, found: Fault): Fault {
  const isCut = found.field !== undefined && found.field === row.cutField
  return isCut ? { ...found, reason: 'truncated' } : found
}

export function isFault(value: object): value is Fault {
  return 'reason' in value
}
