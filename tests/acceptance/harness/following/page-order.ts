import assert from 'node:assert/strict'
import type { Json } from '../fleetgate.ts'

/** The place of a reader in its pages. */
export type PageOrder = {
  isInLog: boolean
  asOf: number
  seq: number
  /** The things that the change `seq` has named. */
  named: Set<string>
  /** The end of the last shift of each object in that change, and the objects whose shifts an earlier page has. */
  shiftedTo: Map<number, string | null>
  shiftedBefore: Set<number>
  /** The last position of a snapshot. */
  last: { id: number; time: string }
}

export function newOrder(): PageOrder {
  return {
    ...{ isInLog: false, asOf: 0, seq: 0, named: new Set() },
    ...{ shiftedTo: new Map(), shiftedBefore: new Set(), last: { id: 0, time: '' } },
  }
}

/**
 * Along the cursors of one reader, `as_of` and the numbers of changes never go down, and a change names
 * each thing once. The shifts of an object in one change do not overlap, and are on one page. In a snapshot, the
 * positions come by object and time.
 */
export function checkOrder(order: PageOrder, page: Json): void {
  assert.ok(page.as_of >= order.asOf, `a page as of ${page.as_of} came after one of ${order.asOf}`)
  order.asOf = page.as_of
  assert.ok(!page.snapshot || !order.isInLog, 'a page of the snapshot came after one of the log')
  order.isInLog = !page.snapshot
  order.shiftedBefore = new Set(order.shiftedTo.keys())
  for (const entry of page.changes) {
    if (page.snapshot) checkInSnapshot(order, entry)
    else checkInLog(order, entry)
  }
}

function checkInSnapshot(order: PageOrder, { type, seq, position }: Json): void {
  assert.equal(seq, order.asOf)
  if (type !== 'position') return
  const { id, time_device: time } = position
  const { last } = order
  const isNext = id > last.id || (id === last.id && time > last.time)
  assert.ok(isNext, `${time} of ${id} came after ${last.time} of ${last.id}`)
  order.last = { id, time }
}

function checkInLog(order: PageOrder, entry: Json): void {
  const { seq } = entry
  assert.ok(seq <= order.asOf, `change ${seq} is on a page as of ${order.asOf}`)
  assert.ok(seq >= order.seq, `change ${seq} came after ${order.seq}`)
  if (seq > order.seq) {
    order.named = new Set()
    order.shiftedTo = new Map()
    order.shiftedBefore = new Set()
  }
  order.seq = seq
  if (entry.op === 'shift') {
    checkShift(order, entry)
    return
  }
  const key = keyOf(entry)
  assert.ok(!order.named.has(key), `${key} came twice in change ${seq}`)
  order.named.add(key)
}

function checkShift({ shiftedTo, shiftedBefore }: PageOrder, { id, seq, ...range }: Json): void {
  assert.ok(!shiftedBefore.has(id), `the shifts of ${id} in change ${seq} are on two pages`)
  const last = shiftedTo.get(id)
  const isAfter = last === undefined || (last !== null && range.from_time > last)
  assert.ok(isAfter, `a shift of ${id} from ${range.from_time} overlaps one up to ${last}`)
  shiftedTo.set(id, range.to_time)
}

function keyOf({ type, ...entry }: Json): string {
  const { id, time_device, from_time } = entry[type] ?? entry
  return [type, id, time_device, from_time].join(' ')
}
