import type { DatabaseSync } from 'node:sqlite'
import type { ReplicaProgress, ReplicaStore, ReplicaWrite } from '../../replica/replica-store.ts'
import { dayOf, timeOf } from './day.ts'
import { dayEntries } from './day-entries.ts'
import { type Days, openDays } from './days.ts'
import { type Items, openItems } from './items.ts'
import { type Notes, openNotes } from './notes.ts'
import { openDatabase } from './open-database.ts'
import { openRuns, type Run, type Runs, SETTLED } from './runs.ts'
import { settledRows, touches } from './settled-rows.ts'
import type { Stored } from './stored.ts'
import { storedPosition } from './stored-position.ts'

/**
 * The store of a replica from which files by day are made. It keeps runs of entries for each day, as they came. A
 * day's entries become positions when its file is written (`settle`).
 */
export type WorkingSet = Pick<ReplicaStore, 'positions'> & {
  load(): ReplicaProgress | undefined
  commit(writes: readonly ReplicaWrite[], progress: ReplicaProgress): void
  readonly notes: Notes
  readonly item: Items['find']
  readonly items: Items['of']
  readonly days: Pick<Days, 'all' | 'changed'>
  /** Whether entries changed positions of the day since its file was written. Drops those that did not. */
  isChanged(day: number): boolean
  /**
   * Passes the positions of a day to `write`, by object and time, and keeps them as the day's only run. `write`
   * resolves when the file is on the disk. Resolves with the number of positions.
   */
  settle(day: number, write: (rows: Iterable<Stored>) => Promise<void>): Promise<number>
  dropDay(day: number): void
  close(): void
}

type Parts = { database: DatabaseSync; runs: Runs; items: Items; days: Days; notes: Notes }

/** `isDurable`: whether commits are on the disk when they return. */
export async function openWorkingSet(path: string, { isDurable = true } = {}): Promise<WorkingSet> {
  const database = await openDatabase(path, isDurable)
  const [runs, items] = [openRuns(database), openItems(database)]
  const [days, notes] = [openDays(database), openNotes(database)]
  const parts: Parts = { database, runs, items, days, notes }
  const load = () => progressIn(notes)
  return {
    ...{ load, notes, days },
    commit: (writes, progress) => commit(parts, writes, progress),
    item: items.find,
    items: items.of,
    positions: (id, from, to) => positions(parts, id, timeOf(from)!, timeOf(to)!),
    isChanged: (day) => isChanged(parts, day),
    settle: (day, write) => settle(parts, day, write),
    dropDay(day) {
      inTransaction(database, () => {
        runs.drop(runs.of(day))
        days.drop(day)
      })
    },
    close: () => database.close(),
  }
}

function commit(
  { database, runs, items, days, notes }: Parts,
  writes: readonly ReplicaWrite[],
  progress: ReplicaProgress,
): void {
  inTransaction(database, () => {
    const isStart = writes.some(({ write }) => write === 'clear')
    let generation = Number(notes.get('generation') ?? 0)
    if (isStart) {
      // Files and items stay until the new ones are complete.
      runs.dropAll()
      days.changeAll()
      generation += 1
      notes.set('generation', `${generation}`)
    }
    const entries = dayEntries(writes, days.all(), items.isRenamed)
    for (const [day, of] of entries) {
      const run = runs.write(day, 0)
      for (const entry of of) run.add(entry)
      run.end()
      days.change(day)
      runs.compact(day)
    }
    let [areItemsNew, areRecordsNew] = [false, false]
    for (const write of writes) {
      const isClear = write.write === 'clear'
      if (!items.apply(write, generation) && !isClear) continue
      areItemsNew ||= isClear || !isOfRecords(write)
      areRecordsNew ||= isClear || isOfRecords(write) || isNamed(write)
    }
    const wasComplete = !isStart && progressIn(notes)?.isComplete === true
    const isCompleted = progress.isComplete && !wasComplete
    if (isCompleted) items.dropBefore(generation)
    // The cursor names the state of the items for whoever writes their files.
    if (isCompleted || areItemsNew) notes.set('items', progress.cursor)
    if (isCompleted || areRecordsNew) notes.set('records', progress.cursor)
    notes.set('progress', JSON.stringify(progress))
  })
}

function isOfRecords(write: ReplicaWrite): boolean {
  if (write.write === 'delete-records') return true
  return 'kind' in write && ['trip', 'stop', 'visit'].includes(write.kind)
}

/** Whether rows of records show the name of the item. */
function isNamed(write: ReplicaWrite): boolean {
  return 'kind' in write && ['object', 'geofence', 'site'].includes(write.kind)
}

function progressIn(notes: Notes): ReplicaProgress | undefined {
  const found = notes.get('progress')
  return found === undefined ? undefined : JSON.parse(found)
}

function* positions({ runs, days }: Parts, id: number, from: number, to: number) {
  for (const day of days.all()) {
    if (day < dayOf(from) || day > dayOf(to)) continue
    for (const row of settledRows(entriesOf(runs, runs.of(day), id))) {
      if (row.time >= from && row.time <= to) yield storedPosition(row)
    }
  }
}

function* entriesOf(runs: Runs, all: readonly Run[], id: number): Generator<Stored> {
  for (const run of all) yield* runs.readObject(run, id)
}

function isChanged({ database, runs, days }: Parts, day: number): boolean {
  const [first, ...later] = runs.of(day)
  if (first?.level !== SETTLED || later.some(({ hasRows }) => hasRows)) return true
  for (const entry of runs.read(later)) {
    for (const row of runs.readObject(first, entry.id)) if (touches(entry, row)) return true
  }
  inTransaction(database, () => {
    runs.drop(later)
    days.settle(day)
  })
  return false
}

async function settle(
  { database, runs, days }: Parts,
  day: number,
  write: (rows: Iterable<Stored>) => Promise<void>,
): Promise<number> {
  const before = runs.of(day)
  let count = 0
  // If the process ends in between, the day is still changed, and its file is written again.
  database.exec('BEGIN IMMEDIATE')
  try {
    const run = runs.write(day, SETTLED, 0)
    function* kept(): Generator<Stored> {
      for (const row of settledRows(runs.read(before))) {
        count += 1
        run.add(row)
        yield row
      }
    }
    await write(kept())
    run.end()
    runs.drop(before)
    days.settle(day)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
  return count
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
