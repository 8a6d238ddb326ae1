import { GLIDE_MS, LONGEST_GLIDE, leftOfGlide } from './glide.ts'
import { PACKED_COLUMNS, type Packed } from './packed.ts'

/**
 * The floats of an object on the graphics card: high x, y; low x, y; way back x, y; since; heading;
 * motion.
 */
export const DRAWN_COLUMNS = 9

/**
 * The places of all objects, in columns. Tens of thousands of objects change without an allocation, and
 * the column `drawn` goes to the graphics card unchanged.
 */
export type Fleet = {
  size: number
  readonly rowOf: Map<number, number>
  ids: Float64Array
  /** Mercator. */
  x: Float64Array
  y: Float64Array
  heading: Float32Array
  speed: Float32Array
  motion: Uint8Array
  /** 1 for an object that the search of the list leaves out. */
  hidden: Uint8Array
  /** When the position was taken. */
  time: Float64Array
  drawn: Float32Array
  /** When the last glide ends. Until then each frame differs. */
  glidesUntil: number
  /** The range of rows in `drawn` that the graphics card does not have yet. */
  staleFrom: number
  staleTo: number
  /** Counts changes, so that a reader can see whether its derived data is outdated. */
  revision: number
}

export function createFleet(capacity = 1024): Fleet {
  return {
    size: 0,
    rowOf: new Map(),
    ids: new Float64Array(capacity),
    x: new Float64Array(capacity),
    y: new Float64Array(capacity),
    heading: new Float32Array(capacity),
    speed: new Float32Array(capacity),
    motion: new Uint8Array(capacity),
    hidden: new Uint8Array(capacity),
    time: new Float64Array(capacity),
    drawn: new Float32Array(capacity * DRAWN_COLUMNS),
    glidesUntil: 0,
    staleFrom: 0,
    staleTo: 0,
    revision: 0,
  }
}

/** Copies `count` objects from `packed`. With `glides`, nearby objects glide from `now` on. */
export function place(
  fleet: Fleet,
  packed: Packed,
  first: number,
  count: number,
  now: number,
  glides: boolean,
): void {
  const end = (first + count) * PACKED_COLUMNS
  for (let at = first * PACKED_COLUMNS; at < end; at += PACKED_COLUMNS) {
    const id = packed[at]!
    const known = fleet.rowOf.get(id)
    const row = known ?? addRow(fleet, id)
    setPosition(fleet, row, packed[at + 1]!, packed[at + 2]!, now, glides && known !== undefined)
    const motion = packed[at + 5]!
    fleet.motion[row] = motion
    fleet.heading[row] = packed[at + 3]!
    fleet.speed[row] = packed[at + 4]!
    fleet.time[row] = packed[at + 6]!
    const heading = packed[at + 3]!
    fleet.drawn[row * DRAWN_COLUMNS + 7] = Number.isNaN(heading) ? -1 : heading
    fleet.drawn[row * DRAWN_COLUMNS + 8] = motion
    markStale(fleet, row)
  }
  fleet.revision++
}

/** Fills the removed row with the last row, so that rows have no gaps. */
export function remove(fleet: Fleet, id: number): void {
  const row = fleet.rowOf.get(id)
  if (row === undefined) return
  fleet.rowOf.delete(id)
  const last = --fleet.size
  if (row !== last) {
    for (const column of columnsOf(fleet)) column[row] = column[last]!
    fleet.drawn.copyWithin(row * DRAWN_COLUMNS, last * DRAWN_COLUMNS, (last + 1) * DRAWN_COLUMNS)
    fleet.rowOf.set(fleet.ids[row]!, row)
    markStale(fleet, row)
  }
  fleet.revision++
}

/** Removes the objects without a row in `stays`. */
export function retain(fleet: Fleet, stays: Set<number>): void {
  for (const id of [...fleet.rowOf.keys()]) if (!stays.has(id)) remove(fleet, id)
}

/** Where an object is drawn at a moment, during a glide too. */
export function drawnAt(fleet: Fleet, row: number, now: number): [x: number, y: number] {
  const at = row * DRAWN_COLUMNS
  const left = leftOfGlide(fleet.drawn[at + 6]!, now)
  return [fleet.x[row]! + fleet.drawn[at + 4]! * left, fleet.y[row]! + fleet.drawn[at + 5]! * left]
}

/** Hides all other objects. Undefined: none. */
export function hideOthers(fleet: Fleet, listed: ReadonlySet<number> | undefined): void {
  for (let row = 0; row < fleet.size; row++) {
    fleet.hidden[row] = listed === undefined || listed.has(fleet.ids[row]!) ? 0 : 1
  }
  fleet.revision++
}

/** `bits`: one for each motion. */
export function isShown({ hidden, motion }: Fleet, row: number, bits: number): boolean {
  return hidden[row] === 0 && ((bits >> motion[row]!) & 1) === 1
}

export function markDrawn(fleet: Fleet): void {
  fleet.staleFrom = 0
  fleet.staleTo = 0
}

function addRow(fleet: Fleet, id: number): number {
  if (fleet.size === fleet.ids.length) grow(fleet)
  const row = fleet.size++
  fleet.ids[row] = id
  fleet.hidden[row] = 0
  fleet.rowOf.set(id, row)
  return row
}

function setPosition(
  fleet: Fleet,
  row: number,
  x: number,
  y: number,
  now: number,
  glides: boolean,
): void {
  const { drawn } = fleet
  const at = row * DRAWN_COLUMNS
  let backX = 0
  let backY = 0
  if (glides) {
    const left = leftOfGlide(drawn[at + 6]!, now)
    backX = fleet.x[row]! + drawn[at + 4]! * left - x
    backY = fleet.y[row]! + drawn[at + 5]! * left - y
    if (Math.abs(backX) + Math.abs(backY) > LONGEST_GLIDE) {
      backX = 0
      backY = 0
    } else if (backX !== 0 || backY !== 0) fleet.glidesUntil = now + GLIDE_MS
  }
  fleet.x[row] = x
  fleet.y[row] = y
  // A 32-bit float is 2 m wide at the scale of the world, so the rest is kept in a second float.
  const highX = Math.fround(x)
  const highY = Math.fround(y)
  drawn[at] = highX
  drawn[at + 1] = highY
  drawn[at + 2] = x - highX
  drawn[at + 3] = y - highY
  drawn[at + 4] = backX
  drawn[at + 5] = backY
  drawn[at + 6] = now
}

function markStale(fleet: Fleet, row: number): void {
  if (fleet.staleTo === 0) {
    fleet.staleFrom = row
    fleet.staleTo = row + 1
    return
  }
  if (row < fleet.staleFrom) fleet.staleFrom = row
  if (row >= fleet.staleTo) fleet.staleTo = row + 1
}

function columnsOf(fleet: Fleet): (Float64Array | Float32Array | Uint8Array)[] {
  const { ids, x, y, heading, speed, motion, hidden, time } = fleet
  return [ids, x, y, heading, speed, motion, hidden, time]
}

function grow(fleet: Fleet): void {
  const capacity = fleet.ids.length * 2
  fleet.ids = grown(fleet.ids, new Float64Array(capacity))
  fleet.x = grown(fleet.x, new Float64Array(capacity))
  fleet.y = grown(fleet.y, new Float64Array(capacity))
  fleet.heading = grown(fleet.heading, new Float32Array(capacity))
  fleet.speed = grown(fleet.speed, new Float32Array(capacity))
  fleet.motion = grown(fleet.motion, new Uint8Array(capacity))
  fleet.hidden = grown(fleet.hidden, new Uint8Array(capacity))
  fleet.time = grown(fleet.time, new Float64Array(capacity))
  fleet.drawn = grown(fleet.drawn, new Float32Array(capacity * DRAWN_COLUMNS))
}

function grown<Column extends Float64Array | Float32Array | Uint8Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from)
  return to
}
