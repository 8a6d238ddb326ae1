import { POSITIONS } from '../copy/copy-port.ts'
import { tupleWriter } from '../copy/tuples.ts'
import { weekOf } from '../position-store.ts'
import { type StoredBlock, type Stretch, unpackRows } from './stored-blocks.ts'

/** The rows of a block as tuples of `POSITIONS`: a copy does not depend on which rows are packed. */
export function tuplesOf(block: StoredBlock, stretch: Stretch): Buffer {
  const { organization, object } = block
  const writer = tupleWriter(POSITIONS)
  for (const { time, change, hidden, fix, track } of unpackRows(block, stretch)) {
    writer.add([organization, object, time, change, hidden, fix, track])
  }
  return writer.take()
}

/** Adds the rows of a block to the counts of their weeks. */
export function addToWeeks(weeks: Map<number, number>, block: StoredBlock): void {
  const add = (week: number, rows: number) => weeks.set(week, (weeks.get(week) ?? 0) + rows)
  const first = weekOf(block.first)
  if (first === weekOf(block.last)) add(first, block.rows)
  else for (const { time } of unpackRows(block)) add(weekOf(time), 1)
}
