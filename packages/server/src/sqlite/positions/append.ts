import type { DatabaseSync } from 'node:sqlite'
import { withOwnSettings } from '../../domain/monitored-object.ts'
import type { FoldRules } from '../../domain/position/fold-state.ts'
import { type ObjectState, UNSEEN } from '../../domain/position/object-state.ts'
import { NO_ENTRIES, takeNotes } from '../../store/change-entries.ts'
import type { PositionStore, Refolded } from '../../store/position-store.ts'
import { OBJECTS } from '../../store/tables/kinds.ts'
import { takeAddresses } from '../../tracking/object-state.ts'
import { refoldSlice } from '../../tracking/refold-slice.ts'
import type { ChangeNotes, FindFoldTarget, FoldTarget } from '../../tracking/tables.ts'
import { takeBatch } from '../../tracking/take-batch.ts'
import { runAtOnce } from '../../tracking/work.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'
import type { Transaction } from '../database/write-queue.ts'
import { itemRows } from '../items.ts'
import type { Noted } from '../tables.ts'
import { foldTables, type Mark, refoldMarks, shiftReader } from './fold-tables.ts'
import { stateRows } from './object-states.ts'

/**
 * Caches the objects that the writer last read or wrote, so that a live feed reads nothing. The cache is
 * valid only while no other process has changed the organization's objects or states; each transaction
 * checks that first.
 */
type FoldTargets = {
  /** Takes what changes of the positions of objects that the transaction saves afterwards. */
  readonly notes: ChangeNotes
  /** Adds an organization's objects to a transaction. Call it once in each. */
  begin(transaction: Transaction, organization: number): FoldTargetWrite
}

type FoldTargetWrite = {
  /** The number of this change. It is used only if objects are saved. */
  readonly change: number
  find: FindFoldTarget
  /** Saves changed objects. All watchers are notified after the commit. Call it at most once. */
  save(touched: ReadonlyMap<number, FoldTarget>): void
}

/** The cache holds this many objects of all organizations. Beyond that it is emptied. */
const MAX_CACHED_OBJECTS = 200_000

type Cached = { objectsAt: number; statesAt: number; byId: Map<number, FoldTarget> }

export function foldTargets(database: Database, changes: TopicChanges): FoldTargets {
  const { writer } = database
  const objects = itemRows(writer, OBJECTS)
  const states = stateRows(writer)
  const shiftsOf = shiftReader(writer)
  const ownerOf = writer.prepare(MAXIMUM_GAP)
  const versions = versionReader(writer)
  const notes = takeNotes()
  const cached = new Map<number, Cached>()
  let size = 0
  let rollbacks = database.rollbacks()

  function cachedOf(organization: number, now: Versions): Cached {
    if (size > MAX_CACHED_OBJECTS || rollbacks !== database.rollbacks()) {
      cached.clear()
      size = 0
      rollbacks = database.rollbacks()
    }
    const existing = cached.get(organization)
    if (existing?.objectsAt === now.objects && existing.statesAt === now.states) return existing
    const fresh = { objectsAt: now.objects, statesAt: now.states, byId: new Map() }
    cached.set(organization, fresh)
    size -= existing?.byId.size ?? 0
    return fresh
  }

  return {
    notes,
    begin(transaction, organization) {
      const now = versions(organization)
      const change = now.newest + 1
      const mine = cachedOf(organization, now)
      notes.clear()

      function read(id: number): FoldTarget | null {
        const object = objects.find(organization, id)
        if (object === null) return null
        const state = states.find(organization, id) ?? UNSEEN
        const owner = ownerOf.get(organization) as { maximumGap: number }
        const shifts = shiftsOf(organization, id)
        const target = { object: withOwnSettings(object, owner), state, shifts }
        mine.byId.set(id, target)
        size += 1
        return target
      }

      return {
        change,
        find: (id) => mine.byId.get(id) ?? read(id),
        save(touched) {
          if (touched.size === 0) return
          const entries = notes.entries(touched.keys(), (id) => mine.byId.get(id))
          const changed = new Map<number, ObjectState>()
          for (const [id, target] of touched) {
            states.save(organization, id, target.state)
            mine.byId.set(id, target)
            changed.set(id, target.state)
          }
          changes.record(organization, ['states'], change)
          changes.log(organization, { ...NO_ENTRIES, objects: entries })
          const stored = { states: changed, previous: mine.statesAt }
          mine.statesAt = change
          transaction.onCommit(() =>
            changes.report({ organization, topic: 'states', sequence: change, stored }),
          )
        },
      }
    },
  }
}

/** The setting that the fold takes from an organization. */
const MAXIMUM_GAP = 'SELECT maximum_gap AS "maximumGap" FROM organizations WHERE id = ?'

/** The newest change of all, and those of an organization's objects and states; 0 if there was none. */
type Versions = { newest: number; objects: number; states: number }

function versionReader(writer: DatabaseSync): (organization: number) => Versions {
  const read = writer.prepare(`
    SELECT sequence AS newest,
      coalesce((SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'objects'), 0) AS objects,
      coalesce((SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'states'), 0) AS states
    FROM newest_change
  `)
  return (organization) => read.get(organization) as Versions
}

/** Fixes of one transaction: 0.5 ms, during which nothing else runs in this process. */
export const APPEND_SIZE = 10

/** Begins, reads, folds and writes here. `Database` then commits, reports to the watchers, and syncs. */
export function appender(
  database: Database,
  targets: FoldTargets,
  noted: Noted,
): PositionStore['append'] {
  const tables = { ...foldTables(database.writer), notes: targets.notes }
  return (organization, batch, rules, note) =>
    database.write((transaction) => {
      const write = targets.begin(transaction, organization)
      const taking = takeBatch(tables, write.find, batch, write.change, rules)
      const { outcomes, touched } = runAtOnce(taking)
      write.save(touched)
      return note === undefined ? outcomes : noted(outcomes, note)
    })
}

/** Stores addresses in the states of objects. */
export function addressWriter(database: Database, targets: FoldTargets): PositionStore['address'] {
  return (organization, addresses) =>
    database.write((transaction) => {
      const write = targets.begin(transaction, organization)
      write.save(takeAddresses(write.find, addresses))
    })
}

/** Folds stored positions again in slices, with others writing in between. */
export function refolder(
  database: Database,
  targets: FoldTargets,
  noted: Noted,
): Pick<PositionStore, 'refold' | 'requestRefold'> {
  const { reader, writer } = database
  const marks = refoldMarks(writer)
  const shownMarks = refoldMarks(reader)
  const tables = { ...foldTables(writer), notes: targets.notes }

  function refoldOne(mark: Mark, write: FoldTargetWrite, rules: FoldRules): Refolded {
    const { organization, object, after } = mark
    const existing = write.find(object)
    const slice =
      existing === null
        ? null
        : runAtOnce(refoldSlice(tables, existing, after, write.change, rules))
    const unfinishedAfter = slice?.unfinishedAfter ?? null
    if (unfinishedAfter === null) marks.remove(mark)
    else marks.move(mark, unfinishedAfter)
    if (slice !== null) write.save(new Map([[object, slice.target]]))
    const finished = unfinishedAfter === null
    return { organization, object, positions: slice?.folded ?? 0, finished }
  }

  return {
    requestRefold: (subject, note) => database.write(() => noted(marks.setAll(subject), note)),
    async refold(subject, rules) {
      if (database.read(() => shownMarks.next(subject)) === null) return null
      return database.write((transaction) => {
        const mark = marks.next(subject)
        if (mark === null) return null
        return refoldOne(mark, targets.begin(transaction, mark.organization), rules)
      })
    },
  }
}
