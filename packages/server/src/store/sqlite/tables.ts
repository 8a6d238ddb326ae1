import type { DatabaseSync } from 'node:sqlite'
import type { Tables } from '../folding/tables.ts'
import { shiftWrites } from './counter-shifts.ts'
import { refoldMarks } from './refold-marks.ts'
import { rejectRows } from './rejects.ts'
import { storedPositions } from './stored-positions.ts'

/** The tables that the fold reads and writes. Calls are part of a transaction of the writer. */
export function foldTables(writer: DatabaseSync): Tables {
  return {
    positions: storedPositions(writer),
    shifts: shiftWrites(writer),
    marks: refoldMarks(writer),
    rejects: rejectRows(writer),
  }
}
