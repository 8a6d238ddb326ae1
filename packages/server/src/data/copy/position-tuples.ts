import {
  type Span,
  type StoredBlock,
  type StoredRow,
  unpackRows,
} from '../positions/stored-blocks.ts'
import { POSITIONS } from './copy-port.ts'
import { tupleWriter } from './tuples.ts'

/**
 * The rows of a block as tuples of `POSITIONS`: a copy does not depend on which rows are packed. `late`: rows of its span in
 * the table, which came while it was damaged. Those that repeat a row of the block are left out, as by a recompute.
 */
export function packedTuples(block: StoredBlock, span: Span, late: readonly StoredRow[]): Buffer {
  const { organization, object } = block
  const writer = tupleWriter(POSITIONS)
  const rows = unpackRows(block, span)
  for (const { time, change, hidden, fix, track } of late.length > 0 ? joined(rows, late) : rows) {
    writer.add([organization, object, time, change, hidden, fix, track])
  }
  return writer.take()
}

function joined(rows: readonly StoredRow[], late: readonly StoredRow[]): StoredRow[] {
  const byTime = new Map([...late, ...rows].map((row) => [row.time, row]))
  return [...byTime.values()].sort((a, b) => a.time - b.time)
}

/** The part of a span that a block covers. */
export function coveredBy({ first, last }: StoredBlock, { after, to }: Span): Span {
  return { after: Math.max(after, first - 1), to: Math.min(to, last) }
}
