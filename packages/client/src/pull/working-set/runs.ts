import type { DatabaseSync } from 'node:sqlite'
import { freeMemory } from '../memory.ts'
import { BLOCK_ENTRIES, decodeBlock, encodeBlock } from './block.ts'
import { mergedRuns } from './merged-runs.ts'
import { KIND, type Stored } from './stored.ts'

/** A run: entries of a day, by object, then in the order in which they came. */
export type Run = { id: number; level: number; place: number; hasRows: boolean }

/** The level of a run that has the settled positions of a day, and is its first one. */
export const SETTLED = -1
/** So many runs of a level become one of the next: few enough to read one block of each at a time. */
export const MAX_RUNS_OF_LEVEL = 24
/** Entries of a merge after which its memory is freed. */
const FREED_ENTRIES = 50_000
/** Entries that one run can hold are not limited, so nothing is gained above this level. */
const TOP_LEVEL = 2

/** The runs of all days. Each call is part of the caller's transaction. */
export type Runs = {
  of(day: number): Run[]
  /** Begins a run, behind those of its day or at a place among them. */
  write(day: number, level: number, place?: number): RunWriter
  /** All entries of runs, by object, then in the order in which they came. */
  read(runs: readonly Run[]): Generator<Stored>
  /** The entries of the blocks that may have this object. */
  readObject(run: Run, object: number): Generator<Stored>
  drop(runs: readonly Run[]): void
  dropAll(): void
  /** Merges runs of a day where a level has too many. */
  compact(day: number): void
}

/** A run that grows. It is complete after `end`. */
export type RunWriter = { add(entry: Stored): void; end(): void }

export function openRuns(database: DatabaseSync): Runs {
  const listed = database.prepare(
    'SELECT id, level, place, has_rows AS hasRows FROM runs WHERE day = ? ORDER BY place',
  )
  const insert = database.prepare(
    'INSERT INTO runs (day, level, place, has_rows) VALUES (?, ?, ?, 0) RETURNING id',
  )
  const setPlace = database.prepare('UPDATE runs SET place = ?, has_rows = ? WHERE id = ?')
  const insertBlock = database.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)')
  const block = database.prepare('SELECT entries FROM blocks WHERE run = ? AND number = ?')
  const blocksOfObject = database.prepare(
    'SELECT entries FROM blocks WHERE run = ?1 AND first_object <= ?2 AND last_object >= ?2 ORDER BY number',
  )
  const deleteRun = database.prepare('DELETE FROM runs WHERE id = ?')
  const deleteBlocks = database.prepare('DELETE FROM blocks WHERE run = ?')

  const of = (day: number): Run[] =>
    (listed.all(day) as (Omit<Run, 'hasRows'> & { hasRows: number })[]).map((row) => ({
      ...row,
      hasRows: row.hasRows === 1,
    }))

  function writer(day: number, level: number, place?: number): RunWriter {
    const { id } = insert.get(day, level, 0) as { id: number }
    let [number, hasRows] = [0, false]
    let waiting: Stored[] = []
    const flush = () => {
      if (waiting.length === 0) return
      const [first, last] = [waiting[0]!.id, waiting.at(-1)!.id]
      insertBlock.run(id, number, first, last, encodeBlock(waiting))
      number += 1
      waiting = []
    }
    return {
      add(entry) {
        hasRows ||= entry.kind === KIND.put
        waiting.push(entry)
        if (waiting.length === BLOCK_ENTRIES) flush()
      },
      end() {
        flush()
        setPlace.run(place ?? id, Number(hasRows), id)
      },
    }
  }

  function* readRun({ id }: Run): Generator<Stored[]> {
    for (let number = 0; ; number += 1) {
      const found = block.get(id, number)
      if (found === undefined) return
      yield decodeBlock(found.entries as Uint8Array)
    }
  }

  const read = (runs: readonly Run[]) => mergedRuns(runs.map(readRun))

  function drop(runs: readonly Run[]): void {
    for (const { id } of runs) {
      deleteBlocks.run(id)
      deleteRun.run(id)
    }
  }

  return {
    of,
    read,
    drop,
    write: writer,
    *readObject({ id }, object) {
      for (const { entries } of blocksOfObject.all(id, object)) {
        for (const entry of decodeBlock(entries as Uint8Array)) if (entry.id === object) yield entry
      }
    },
    dropAll() {
      database.exec('DELETE FROM blocks; DELETE FROM runs')
    },
    compact(day) {
      for (let level = 0; level < TOP_LEVEL; level += 1) {
        const many = of(day).filter((run) => run.level === level)
        if (many.length < MAX_RUNS_OF_LEVEL) return
        const run = writer(day, level + 1, many.at(-1)!.place)
        let count = 0
        for (const entry of read(many)) {
          run.add(entry)
          count += 1
          if (count % FREED_ENTRIES === 0) freeMemory()
        }
        drop(many)
        run.end()
      }
    },
  }
}
