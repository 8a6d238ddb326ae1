import { takeTurn } from '../../base/domain/common/slots.ts'
import { type BoundingBox, isInside } from '../../base/domain/places/place.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import {
  type ChangeLogStore,
  type ChangeView,
  changesAfter,
} from '../../engine/store/change-log.ts'

/** A selection of objects by their last positions. */
export type LastPositionFilter = {
  /** Null: anywhere. */
  readonly box: BoundingBox | null
  /** The position was taken at this moment or later. Null: at any time. */
  readonly since: number | null
}

/**
 * The last position of all objects of an organization: coordinates and time: some 60 bytes for each in memory. A search passes
 * all of them: 7 ms for a million. The first search reads them from the store, and later ones read what the change
 * log names.
 */
export type LastPositions = {
  /** The ids of the objects whose last position fits, ascending, as of everything committed before the call. */
  find(filter: LastPositionFilter): Promise<number[]>
  /** Notes that states have changed. */
  outdate(): void
}

/** Above this, reading all states again takes less time than the changes. */
const MAX_CHANGES = 5_000
const SLICE_STATES = 500
const SLICE_SEARCHED = 250_000

/** `reportsAll`: whether each change of states by any process is noted with `outdate` before it is visible. */
export function keptLastPositions(
  changeLog: Pick<ChangeLogStore, 'view'>,
  organization: number,
  reportsAll: boolean,
): LastPositions {
  let table = positionTable()
  /** The change as of which the table is. */
  let known: { asOf: number; epoch: string } | null = null
  let isOutdated = true
  let reading: Promise<unknown> = Promise.resolve()

  async function catchUp(): Promise<void> {
    if (reportsAll && !isOutdated) return
    isOutdated = false
    try {
      await changeLog.view(organization, readChanges)
    } catch (error) {
      isOutdated = true
      throw error
    }
  }

  async function readChanges(view: ChangeView): Promise<void> {
    const { asOf, epoch, oldest } = view
    if (known === null || known.epoch !== epoch || !isWithinLog(known.asOf, asOf, oldest)) {
      known = null
      table = positionTable()
      await readAll(view, table)
    } else {
      await readSince(view, known.asOf, table)
    }
    known = { asOf, epoch }
  }

  return {
    async find(filter) {
      // One read at a time. A later one begins after the commits that its caller has seen.
      const mine = reading.then(catchUp)
      reading = mine.catch(() => {})
      await mine
      return table.find(filter)
    },
    outdate() {
      isOutdated = true
    },
  }
}

function isWithinLog(from: number, to: number, oldest: number): boolean {
  return from <= to && to - from <= MAX_CHANGES && oldest <= from + 1
}

async function readAll(view: ChangeView, table: PositionTable): Promise<void> {
  for (let after = 0; ; ) {
    const objects = await view.itemsAfter('objects', after, SLICE_STATES)
    if (objects.length === 0) return
    table.put(await view.states(objects.map(({ id }) => id)))
    after = objects.at(-1)!.id
  }
}

async function readSince(view: ChangeView, from: number, table: PositionTable): Promise<void> {
  const touched = new Set<number>()
  for await (const changes of changesAfter(view, from)) {
    for (const { entries } of changes) for (const { object } of entries.objects) touched.add(object)
  }
  table.put(await view.states([...touched]))
}

type PositionTable = {
  put(states: ReadonlyMap<number, ObjectState>): void
  find(filter: LastPositionFilter): Promise<number[]>
}

/** Most organizations never search, so a table takes no memory before its first row. */
const FIRST_ROWS = 64

/** Columns with a row for each object that has a position. Deleted objects stay: a caller looks up what it finds. */
function positionTable(): PositionTable {
  const rowOf = new Map<number, number>()
  let ids = new Float64Array(0)
  let latitudes = new Float64Array(0)
  let longitudes = new Float64Array(0)
  let times = new Float64Array(0)

  function rowFor(object: number): number {
    const existing = rowOf.get(object)
    if (existing !== undefined) return existing
    const row = rowOf.size
    rowOf.set(object, row)
    if (row === ids.length) {
      ids = widened(ids)
      latitudes = widened(latitudes)
      longitudes = widened(longitudes)
      times = widened(times)
    }
    ids[row] = object
    return row
  }

  return {
    put(states) {
      for (const [object, { lastFix }] of states) {
        if (lastFix === null) continue
        const row = rowFor(object)
        latitudes[row] = lastFix.latitude
        longitudes[row] = lastFix.longitude
        times[row] = lastFix.timeDevice
      }
    },
    async find({ box, since }) {
      const found: number[] = []
      for (let row = 0; row < rowOf.size; row += 1) {
        if (row > 0 && row % SLICE_SEARCHED === 0) await takeTurn()
        if (since !== null && times[row]! < since) continue
        if (box !== null && !isInside(box, latitudes[row]!, longitudes[row]!)) continue
        found.push(ids[row]!)
      }
      return found.sort((a, b) => a - b)
    },
  }
}

function widened(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(Math.max(FIRST_ROWS, column.length * 2))
  wider.set(column)
  return wider
}
