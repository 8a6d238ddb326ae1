import type { DatabaseSync } from 'node:sqlite'
import type { PositionStore } from '../../store/position-store.ts'
import {
  MAX_LATER_MS,
  type PurgeTry,
  passingOver,
  removeExpired,
} from '../../store/positions/packing.ts'
import type { PurgeParts } from '../../store/tables/purge.ts'
import { runAtOnce } from '../../tracking/work.ts'
import type { Database } from '../database/database.ts'
import { DIALECT } from '../tables.ts'
import { damaged } from '../unavailable.ts'
import { packTables } from './position-blocks.ts'

const { isIn, list } = DIALECT
const EXISTING = `SELECT 1 FROM objects WHERE ${isIn('id', '$1')} LIMIT 1`
const FINISH = `DELETE FROM purges WHERE organization = $1 AND ${isIn('object', '$2')}`

/** If an object still exists, or is not there to be forgotten, the page must be damaged. */
export const PURGE_PARTS: PurgeParts = {
  *assertGone({ one }, objects) {
    if ((yield* one(EXISTING, [list(objects)])) !== undefined) throw damaged()
  },
  *finish({ count }, organization, objects) {
    const finished = yield* count(FINISH, [organization, list(objects)])
    if (finished < objects.length) throw damaged()
  },
}

/** A slice looks at this many objects and deletes this many rows. It takes 1 ms. */
const SLICE_OBJECTS = 50
const SLICE_ROWS = 250

type Row = { time: number; hidden: number | null }

/** Whether positions of an object are due. Objects without packed positions keep none longer: see `MAX_LATER_MS`. */
function dueReader(reader: DatabaseSync) {
  const oldestTwo = reader.prepare(`
    SELECT time_device AS time, hidden FROM positions
    WHERE organization = ? AND object = ? AND time_device < ? ORDER BY time_device LIMIT 2
  `)
  const firstBlock = reader.prepare(`
    SELECT first_time AS time FROM position_blocks
    WHERE organization = ? AND object = ? ORDER BY first_time LIMIT 1`)

  return (organization: number, object: number, before: number): boolean => {
    const [oldest, next] = oldestTwo.all(organization, object, before) as Row[]
    const row = oldest?.hidden === null ? oldest : next
    const block = firstBlock.get(organization, object) as { time: number } | undefined
    if (block === undefined || block.time >= before) return row !== undefined
    return Math.min(block.time, row?.time ?? before) < before - MAX_LATER_MS
  }
}

/** Deletes expired positions of one object. Returns the number of deleted rows; `atMost` if there may be more. */
function objectPurger(writer: DatabaseSync) {
  const isWaiting = writer.prepare('SELECT 1 FROM refolds WHERE organization = ? AND object = ?')
  const newest = writer.prepare(`
    SELECT max(time_device) AS time FROM positions
    WHERE organization = ? AND object = ? AND time_device < ?
  `)
  const nth = writer.prepare(`
    SELECT time_device AS time FROM positions WHERE organization = ? AND object = ?
    ORDER BY time_device LIMIT 1 OFFSET ?
  `)
  const remove = writer.prepare(
    'DELETE FROM positions WHERE organization = ? AND object = ? AND time_device < ?',
  )
  const hide = writer.prepare(`
    UPDATE positions SET hidden = (SELECT sequence FROM newest_change)
    WHERE organization = ? AND object = ? AND time_device = ? AND hidden IS NULL
  `)
  const packing = packTables(writer)

  return (
    { failures }: PurgeTry,
    organization: number,
    object: number,
    before: number,
    atMost: number,
  ): number => {
    // Its counters are unknown until it is folded again.
    if (isWaiting.get(organization, object) !== undefined) return 0
    const { until, cost, damaged } = runAtOnce(
      removeExpired(packing(organization, object), before, atMost),
    )
    if (damaged !== null) failures.push(damaged)
    const { time } = newest.get(organization, object, until) as { time: number | null }
    if (time === null) return until < before ? atMost : Math.min(atMost, cost)
    const end = nth.get(organization, object, atMost) as { time: number } | undefined
    const base = Math.min(time, end?.time ?? time)
    const { changes } = remove.run(organization, object, base)
    hide.run(organization, object, base)
    return until < before ? atMost : Math.min(atMost, cost + Number(changes))
  }
}

/**
 * The counters of later positions build on those of the newest expired one. So each object keeps that one
 * as its hidden oldest row, after each transaction, however far the deletion got.
 */
export function expiredPurger(database: Database): PositionStore['purgeExpired'] {
  const { reader, writer } = database
  const objects = reader.prepare(`
    SELECT id FROM objects WHERE organization = ?1 AND id > ?2
      AND id NOT IN (SELECT object FROM refolds WHERE organization = ?1)
    ORDER BY id LIMIT ${SLICE_OBJECTS}
  `)
  const isDue = dueReader(reader)
  const purgeObject = objectPurger(writer)

  return async (organization, before, after, failed) => {
    const [slice, due] = database.read(() => {
      const ids = (objects.all(organization, after) as { id: number }[]).map(({ id }) => id)
      return [ids, ids.filter((id) => isDue(organization, id, before))]
    })
    const next = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
    if (due.length === 0) return next
    const purge = (attempt: PurgeTry) => {
      let left = SLICE_ROWS
      for (const object of due) {
        if (attempt.skipped.has(object)) continue
        attempt.object = object
        left -= purgeObject(attempt, organization, object, before, left)
        // Continue at the same object, which may have more.
        if (left === 0) return object - 1
      }
      return next
    }
    return passingOver((attempt) => database.write(() => purge(attempt)), failed)
  }
}
