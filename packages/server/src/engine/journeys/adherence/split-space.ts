import { addAll } from '../../../base/domain/common/any-number.ts'
import type { Steps } from '../../../base/domain/common/steps.ts'

/**
 * Points in space, or straight pieces between a point and the next one. `points` has three coordinates of each point,
 * `items` the number of the first point of each item.
 */
export type Items = {
  readonly points: Float64Array
  readonly items: Uint32Array
  /** The number of points of an item, less one. */
  readonly span: 0 | 1
}

/** Boxes in boxes. Box 0 is around everything. */
export type Boxes = {
  /** The least and the greatest of each coordinate, of one box after the other. */
  readonly corners: Float64Array
  /** The box of the first half of each box. That of the other half is the next one. 0: the box is not split. */
  readonly halves: Uint32Array
  /** The places of the items of each box in `entries`. A split one has none. */
  readonly firsts: Uint32Array
  readonly counts: Uint32Array
  /** Items. One that passes through several boxes is in each of them. */
  readonly entries: Uint32Array
}

export const CORNERS = 6
/** Fewer items are not split. */
const LEAF_ITEMS = 12
/** A long item may be in this many boxes on average, and all long items together in this many: 16 MB. */
const MAX_GROWTH = 16
const MAX_ENTRIES = 4_000_000
const ENTRY_BYTES = 4
const GROWTH_BYTES = 256 * 1024
/** Splitting saves little if each half has more of the items than this. */
const USEFUL_SHARE = 0.9
/** Items passed before others may run: some 20 µs. */
const ITEMS_AT_ONCE = 256

/** Items, and the box around those parts of them that are in a half of the space. */
type Half = { readonly items: ArrayLike<number>; readonly box: Float64Array }
type GrowingHalf = Half & { readonly items: number[] }

/**
 * Splits the space around items into halves, and these again, until few items are in each. An item is in each half that
 * it passes through. So boxes are small, however long items are and in whatever order they come.
 */
export function* splitSpace(space: Items): Steps<Boxes> {
  const { length } = space.items
  const most = Math.max(length, Math.min(length * MAX_GROWTH, MAX_ENTRIES))
  const boxes = growingBoxes(most)
  const whole = yield* splitAt(space, { items: space.items, box: everywhere() }, 0, Infinity)
  const open = [{ half: whole[0], number: boxes.add(whole[0].box), most }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { half, number, most } = next
    const halves = yield* halvesOf(space, half, most)
    if (halves === null) {
      boxes.fill(number, half.items)
      continue
    }
    const sum = halves[0].items.length + halves[1].items.length
    const numbers = halves.map(({ box }) => boxes.add(box))
    boxes.split(number, numbers[0]!)
    for (const [index, each] of halves.entries()) {
      open.push({ half: each, number: numbers[index]!, most: (most * each.items.length) / sum })
    }
  }
  return boxes.all()
}

/** The halves of a box if splitting saves something, and no more than `most` items result. */
function* halvesOf(space: Items, half: Half, most: number): Steps<[Half, Half] | null> {
  const { items, box } = half
  if (items.length <= LEAF_ITEMS) return null
  const [x, y, z] = [box[3]! - box[0]!, box[4]! - box[1]!, box[5]! - box[2]!]
  const axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2
  const [least, greatest] = [box[axis]!, box[axis + 3]!]
  const middle = least + (greatest - least) / 2
  // The box is a point, or as thin as numbers can be.
  if (middle >= greatest) return null
  const halves = yield* splitAt(space, half, axis, middle)
  const [one, other] = [halves[0].items.length, halves[1].items.length]
  const isUseful = Math.min(one, other) <= USEFUL_SHARE * items.length
  return isUseful && one + other <= most ? halves : null
}

/** The parts of items up to a coordinate of an axis, and those from it on. */
function* splitAt(
  { points, span }: Items,
  { items, box }: Half,
  axis: number,
  middle: number,
): Steps<[Half, Half]> {
  const low: GrowingHalf = { items: [], box: nowhere() }
  const high: GrowingHalf = { items: [], box: nowhere() }
  for (let index = 0; index < items.length; index += 1) {
    if (index % ITEMS_AT_ONCE === 0) yield
    const item = items[index]!
    const at = item * 3
    // The part of the item in the box, from 0 to 1.
    let from = 0
    let to: number = span
    for (let side = 0; side < 3 && span === 1; side += 1) {
      const start = points[at + side]!
      const way = points[at + side + 3]! - start
      if (way === 0) continue
      const one = (box[side]! - start) / way
      const other = (box[side + 3]! - start) / way
      const enters = one < other ? one : other
      const leaves = one < other ? other : one
      if (enters > from) from = enters
      if (leaves < to) to = leaves
    }
    // Rounding may lose a part that only touches the box.
    if (to < from) to = from
    const start = points[at + axis]!
    const way = points[at + axis + 3 * span]! - start
    const first = start + way * from <= middle ? low : high
    const last = start + way * to <= middle ? low : high
    first.items.push(item)
    widen(first.box, points, at, span, from)
    if (first === last) {
      if (to > from) widen(first.box, points, at, span, to)
      continue
    }
    const between = Math.min(to, Math.max(from, (middle - start) / way))
    widen(first.box, points, at, span, between)
    last.items.push(item)
    widen(last.box, points, at, span, between)
    widen(last.box, points, at, span, to)
  }
  return [low, high]
}

/** Widens a box to a place of an item, `part` of the way from its start. */
function widen(
  box: Float64Array,
  points: Float64Array,
  at: number,
  span: 0 | 1,
  part: number,
): void {
  for (let side = 0; side < 3; side += 1) {
    const start = points[at + side]!
    const value = start + (points[at + side + 3 * span]! - start) * part
    if (value < box[side]!) box[side] = value
    if (value > box[side + 3]!) box[side + 3] = value
  }
}

function everywhere(): Float64Array {
  return Float64Array.of(-Infinity, -Infinity, -Infinity, Infinity, Infinity, Infinity)
}

function nowhere(): Float64Array {
  return everywhere().map((value) => -value)
}

/** Boxes with at most this many entries. */
function growingBoxes(mostEntries: number) {
  const corners: number[] = []
  const halves: number[] = []
  const firsts: number[] = []
  const counts: number[] = []
  // Grows in place: to copy megabytes would take milliseconds.
  const memory = new ArrayBuffer(0, { maxByteLength: mostEntries * ENTRY_BYTES })
  const entries = new Uint32Array(memory)
  let length = 0

  return {
    /** Returns the number of the box. */
    add(box: Float64Array): number {
      addAll(corners, box)
      firsts.push(0)
      counts.push(0)
      return halves.push(0) - 1
    },
    split(box: number, half: number): void {
      halves[box] = half
    },
    fill(box: number, items: ArrayLike<number>): void {
      const needed = (length + items.length) * ENTRY_BYTES
      if (needed > memory.byteLength) {
        memory.resize(Math.min(needed + GROWTH_BYTES, memory.maxByteLength))
      }
      entries.set(items, length)
      firsts[box] = length
      counts[box] = items.length
      length += items.length
    },
    all(): Boxes {
      memory.resize(length * ENTRY_BYTES)
      return {
        corners: new Float64Array(corners),
        halves: new Uint32Array(halves),
        firsts: new Uint32Array(firsts),
        counts: new Uint32Array(counts),
        entries,
      }
    },
  }
}
