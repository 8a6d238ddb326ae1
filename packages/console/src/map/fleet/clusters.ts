import { worldPx } from '../base/mercator.ts'
import { MOTIONS } from '../base/motion.ts'
import { type Fleet, isShown } from './fleet.ts'

/** From this zoom on every object is drawn alone. */
export const ALL_SINGLE_ZOOM = 11

/** The side of the grid squares. The objects of a square form a cluster. */
const CELL_PX = 72

/** An object closer to a cluster than this joins it, so that circles do not overlap. */
const APART_PX = 50

export type Clusters = {
  size: number
  /** Mercator. */
  x: Float64Array
  y: Float64Array
  count: Uint32Array
  /** Counts of each motion, MOTIONS.length for each cluster. */
  byMotion: Uint32Array
  /** The side of the squares in Mercator world units. */
  cell: number
  /** 1 for each row of the fleet that is drawn alone. */
  single: Uint8Array
}

/** Clusters change at every half zoom, not at every frame of a zoom. */
export function clusterZoom(zoom: number): number {
  return zoom >= ALL_SINGLE_ZOOM ? ALL_SINGLE_ZOOM : Math.floor(zoom * 2) / 2
}

/**
 * Groups objects by the squares of a grid. One pass over the columns and a hash table: 20,000 objects
 * take about 1 ms, so there is no worker and no index. `shown` has a bit for each motion. `alone` is a
 * row that is always drawn alone. The result stays valid until `tables` is used again.
 */
export function cluster(
  fleet: Fleet,
  zoom: number,
  shown: number,
  alone: number,
  tables = createTables(),
): Clusters {
  const { size } = fleet
  const single = new Uint8Array(size)
  if (zoom >= ALL_SINGLE_ZOOM) {
    for (let row = 0; row < size; row++) single[row] = isShown(fleet, row, shown) ? 1 : 0
    if (alone >= 0) single[alone] = 1
    return empty(single)
  }
  const cell = CELL_PX / worldPx(zoom)
  const across = Math.ceil(1 / cell)
  const found = tally(fleet, cell, across, shown, emptied(tables, size))
  absorb(found, across, APART_PX / worldPx(zoom))
  const kept = keep(found, cell, single)
  if (alone >= 0) single[alone] = 1
  return kept
}

type Tally = {
  size: number
  key: Float64Array
  x: Float64Array
  y: Float64Array
  count: Uint32Array
  byMotion: Uint32Array
  /** A row of the square; its only row if the count is 1. */
  row: Int32Array
  /** Index by square in a table with open addressing. -1 marks a free slot. */
  table: Int32Array
}

/** Reused between calls: allocating a megabyte several times a second is too much garbage. */
export type Tables = { kept: Tally | undefined }

export function createTables(): Tables {
  return { kept: undefined }
}

function emptied(tables: Tables, rows: number): Tally {
  const { kept } = tables
  if (kept === undefined || kept.key.length < rows) {
    tables.kept = newTally(2 ** Math.ceil(Math.log2(Math.max(16, rows))))
    return tables.kept
  }
  for (const column of [kept.x, kept.y, kept.count, kept.byMotion]) column.fill(0)
  kept.table.fill(-1)
  kept.size = 0
  return kept
}

function newTally(rows: number): Tally {
  return {
    size: 0,
    key: new Float64Array(rows),
    x: new Float64Array(rows),
    y: new Float64Array(rows),
    count: new Uint32Array(rows),
    byMotion: new Uint32Array(rows * MOTIONS.length),
    row: new Int32Array(rows),
    table: new Int32Array(rows * 2).fill(-1),
  }
}

function tally(fleet: Fleet, cell: number, across: number, shown: number, found: Tally): Tally {
  const { size } = fleet
  const { table } = found
  for (let row = 0; row < size; row++) {
    if (!isShown(fleet, row, shown)) continue
    const motion = fleet.motion[row]!
    const x = fleet.x[row]!
    const y = fleet.y[row]!
    const key = Math.floor(y / cell) * across + Math.floor(x / cell)
    const slot = slotOf(found, key)
    let at = table[slot]!
    if (at < 0) {
      at = found.size++
      table[slot] = at
      found.key[at] = key
    }
    found.x[at]! += x
    found.y[at]! += y
    found.count[at]!++
    found.byMotion[at * MOTIONS.length + motion]!++
    found.row[at] = row
  }
  return found
}

/** The slot of a square in the table, or the free slot where it would go. */
function slotOf({ table, key: keys }: Tally, key: number): number {
  const mask = table.length - 1
  let slot = Math.imul(key, 0x9e3779b1) & mask
  while (table[slot]! >= 0 && keys[table[slot]!] !== key) slot = (slot + 1) & mask
  return slot
}

/** Merges clusters that are closer than `apart`, the largest first. */
function absorb(found: Tally, across: number, apart: number): void {
  const { size, x, y, count } = found
  const largestFirst = new Float64Array(size)
  let clusters = 0
  for (let at = 0; at < size; at++) {
    x[at]! /= count[at]!
    y[at]! /= count[at]!
    if (count[at]! > 1) largestFirst[clusters++] = -(count[at]! * size + at)
  }
  // A typed array sorts numbers without calling a comparison.
  for (const rank of largestFirst.subarray(0, clusters).sort()) {
    const into = -rank % size
    if (count[into] === 0) continue
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const at = found.table[slotOf(found, found.key[into]! + dy * across + dx)]!
        if (at < 0 || at === into || count[at] === 0) continue
        if (Math.hypot(x[at]! - x[into]!, y[at]! - y[into]!) < apart) merge(found, into, at)
      }
    }
  }
}

function merge({ count, byMotion }: Tally, into: number, at: number): void {
  count[into]! += count[at]!
  count[at] = 0
  for (let motion = 0; motion < MOTIONS.length; motion++) {
    byMotion[into * MOTIONS.length + motion]! += byMotion[at * MOTIONS.length + motion]!
  }
}

/** Marks single objects and keeps the other squares as clusters. */
function keep(found: Tally, cell: number, single: Uint8Array): Clusters {
  const { x, y, count, byMotion } = found
  let size = 0
  for (let at = 0; at < found.size; at++) {
    if (count[at] === 1) single[found.row[at]!] = 1
    if (count[at]! < 2) continue
    x[size] = x[at]!
    y[size] = y[at]!
    count[size] = count[at]!
    byMotion.copyWithin(size * MOTIONS.length, at * MOTIONS.length, (at + 1) * MOTIONS.length)
    size++
  }
  return { size, x, y, count, byMotion, cell, single }
}

function empty(single: Uint8Array): Clusters {
  return {
    size: 0,
    x: new Float64Array(0),
    y: new Float64Array(0),
    count: new Uint32Array(0),
    byMotion: new Uint32Array(0),
    cell: 0,
    single,
  }
}

/** At most four characters, to fit into the circle: 2, 850, 7654, 20k. */
export function countLabel(count: number): string {
  return count < 10_000 ? String(count) : `${Math.min(999, Math.floor(count / 1000))}k`
}

/** The radius of a cluster's circle in pixels. */
export function clusterRadius(count: number): number {
  return Math.min(26, 12 + Math.log10(count) * 3.7)
}
