import type { DatabaseSync } from 'node:sqlite'
import type { ReplicaProgress, ReplicaStore, ReplicaWrite } from '../../replica/replica-store.ts'
import { netWrites } from '../net-writes.ts'
import { dayOf, timeOf } from './day.ts'
import { type Days, openDays } from './days.ts'
import { type Items, openItems } from './items.ts'
import { type Notes, openNotes } from './notes.ts'
import { openDatabase } from './open-database.ts'
import { openPositions, type Positions } from './positions.ts'
import { type Stored, storedPosition } from './stored.ts'

/** The store of a replica from which files by day are made. */
export type WorkingSet = Pick<ReplicaStore, 'positions'> & {
  load(): ReplicaProgress | undefined
  commit(writes: readonly ReplicaWrite[], progress: ReplicaProgress): void
  readonly notes: Notes
  readonly item: Items['find']
  readonly items: Items['of']
  /** The days that have a file or positions. */
  readonly days: Days['all']
  /** Whether positions of the day changed since its file was written. */
  isChanged(day: number): boolean
  /**
   * Passes the positions of a day to `write`, by object and time. `write` resolves when the file is on the disk.
   * Resolves with the number of positions. No commit may come meanwhile.
   */
  settle(day: number, write: (rows: Iterable<Stored>) => Promise<void>): Promise<number>
  dropDay(day: number): void
  close(): void
}

type Parts = {
  database: DatabaseSync
  stored: Positions
  items: Items
  days: Days
  notes: Notes
}

/** `isDurable`: whether commits are on the disk when they return. */
export async function openWorkingSet(path: string, { isDurable = true } = {}): Promise<WorkingSet> {
  const database = await openDatabase(path, isDurable)
  const [stored, items] = [openPositions(database), openItems(database)]
  const [days, notes] = [openDays(database), openNotes(database)]
  const parts: Parts = { database, stored, items, days, notes }
  return {
    ...{ load: () => progressIn(notes), notes, days: days.all },
    commit: (writes, progress) => commit(parts, writes, progress),
    item: items.find,
    items: items.of,
    *positions(id, from, to) {
      const [first, last] = [timeOf(from)!, timeOf(to)!]
      foldDays(parts, dayOf(first), dayOf(last))
      for (const row of stored.ofObject(id, first, last)) yield storedPosition(row)
    },
    isChanged(day) {
      foldDays(parts, day, day)
      return days.isChanged(day)
    },
    settle: (day, write) => settle(parts, day, write),
    dropDay(day) {
      inTransaction(database, () => {
        stored.dropDay(day)
        days.drop(day)
      })
    },
    close: () => database.close(),
  }
}

function commit(
  { database, stored, items, notes }: Parts,
  writes: readonly ReplicaWrite[],
  progress: ReplicaProgress,
): void {
  const net = netWrites(writes)
  const { isStart, shifts, removals, puts } = net
  inTransaction(database, () => {
    // Files and items stay until the new ones are complete.
    if (isStart) stored.dropAll()
    const generation = numberIn(notes, 'generation') + Number(isStart)
    notes.set('generation', `${generation}`)
    const page = numberIn(notes, 'page') + 1
    notes.set('page', `${page}`)
    stored.add(page, shifts, removals, puts)
    for (const write of net.items) if (items.isRename(write)) stored.changeDaysOf(write.id)
    let [areItemsNew, areRecordsNew] = [isStart, isStart]
    for (const write of [...net.recordRemovals, ...net.items]) {
      if (!items.apply(write, generation)) continue
      areItemsNew ||= !isOfRecords(write)
      areRecordsNew ||= isOfRecords(write) || isNamed(write)
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

function numberIn(notes: Notes, name: string): number {
  return Number(notes.get(name) ?? 0)
}

function foldDays({ database, stored, days }: Parts, first: number, last: number): void {
  for (const day of days.arrived(first, last)) inTransaction(database, () => stored.fold(day))
}

async function settle(
  parts: Parts,
  day: number,
  write: (rows: Iterable<Stored>) => Promise<void>,
): Promise<number> {
  foldDays(parts, day, day)
  let count = 0
  function* rows(): Generator<Stored> {
    for (const row of parts.stored.ofDay(day)) {
      count += 1
      yield row
    }
  }
  // If the process ends in between, the day is still changed, and its file is written again.
  await write(rows())
  parts.days.settle(day)
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
