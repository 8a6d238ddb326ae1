import type { Fleet } from './fleet.ts'
import { worldPx } from './mercator.ts'
import { MOTIONS } from './motion.ts'

/** From this zoom on every object is drawn by itself. */
export const ALL_SINGLE_ZOOM = 11

/** Side of the squares whose objects are one cluster. */
const CELL_PX = 72

/** What is nearer to a cluster than this is drawn as part of it: circles do not lie on each other. */
const APART_PX = 50

export type Clusters = {
  size: number
  /** Mercator. */
  x: Float64Array
  y: Float64Array
  count: Uint32Array
  /** How many of each motion, MOTIONS.length to a cluster. */
  byMotion: Uint32Array
  /** Side of their squares, of the Mercator world. */
  cell: number
  /** 1 for each row of the fleet that is drawn by itself. */
  single: Uint8Array
}

/** Grouping changes at every half zoom, not at every frame of a zoom. */
export function clusterZoom(zoom: number): number {
  return zoom >= ALL_SINGLE_ZOOM ? ALL_SINGLE_ZOOM : Math.floor(zoom * 2) / 2
}

/**
 * Puts what lies in one square of a grid together. One pass over columns and a table of squares:
 * 20,000 objects take about a millisecond, so it needs no worker and no index that is kept.
 * `shown` has a bit for each motion; `alone` is the row that is drawn by itself in any case. What
 * was made of `tables` holds until something else is.
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
    for (let row = 0; row < size; row++) single[row] = (shown >> fleet.motion[row]!) & 1
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
  /** A row that lies in it: the only one, where the count is 1. */
  row: Int32Array
  /** Index by square, in a table with open addressing: -1 where a slot is free. */
  table: Int32Array
}

/** Kept from one time to the next: a megabyte several times a second is much to collect. */
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
    const motion = fleet.motion[row]!
    if (((shown >> motion) & 1) === 0) continue
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

/** Where a square is in the table, or would be. */
function slotOf({ table, key: keys }: Tally, key: number): number {
  const mask = table.length - 1
  let slot = Math.imul(key, 0x9e3779b1) & mask
  while (table[slot]! >= 0 && keys[table[slot]!] !== key) slot = (slot + 1) & mask
  return slot
}

/** Lets clusters take in what lies nearer than `apart` in the squares around: the largest first. */
function absorb(found: Tally, across: number, apart: number): void {
  const { size, x, y, count } = found
  const largestFirst = new Float64Array(size)
  let clusters = 0
  for (let at = 0; at < size; at++) {
    x[at]! /= count[at]!
    y[at]! /= count[at]!
    if (count[at]! > 1) largestFirst[clusters++] = -(count[at]! * size + at)
  }
  // Numbers in a typed array are sorted without a comparison being called.
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

/** Marks those that are alone, and keeps the rest as clusters. */
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

/** Up to four characters, so that it fits into the circle: 2, 850, 7654, 20k. */
export function countLabel(count: number): string {
  return count < 10_000 ? String(count) : `${Math.min(999, Math.floor(count / 1000))}k`
}

/** Of the circle of a cluster, in pixels. */
export function clusterRadius(count: number): number {
  return Math.min(27, 13 + Math.log10(count) * 4)
}
