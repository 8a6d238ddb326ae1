import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY_MS } from '../domain/time/time.ts'
import { NO_ENTRIES } from '../store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import { KeptJoinedChanges } from './kept-joined-changes.ts'
import { logOffset } from './page.ts'

const NAMES = 100
const WISH = { now: 3 * DAY_MS, limit: NAMES }

/** A log whose changes each name a position of so many objects, and how many of them were read. */
function viewOf(organization: number, changes = 2 * NAMES, count = 1) {
  const read = { changes: 0 }
  const change = (seq: number): LoggedChange => {
    const positions = [{ time: seq, late: false }]
    const objects = Array.from({ length: count }, (_, at) => {
      return { object: 1 + at, positions, shifts: [], rewritten: null }
    })
    return { seq, at: seq, entries: { ...NO_ENTRIES, objects } }
  }
  const view = {
    organization: { id: organization },
    epoch: '',
    asOf: changes,
    async changes(after: number, limit: number) {
      const count = Math.min(limit, changes - after)
      read.changes += count
      return Array.from({ length: count }, (_, at) => change(after + at + 1))
    },
  } as unknown as ReaderView
  return { view, read, first: change(1) }
}

it('Joined changes are read once, until others need their place or a key sees other names', async () => {
  const kept = new KeptJoinedChanges(2 * NAMES)
  const [one, other, third] = [viewOf(1), viewOf(2), viewOf(3)]
  const begin = async ({ view, first }: typeof one, sight?: string) => {
    const joined = await kept.for(sight)(view, logOffset(0), WISH, first)
    assert.deepEqual([joined?.after, joined?.last], [0, NAMES])
  }
  const offset = { ...logOffset(0), joined: { last: NAMES, part: 'positions' as const } }
  const readBy = async ({ view, read }: typeof one, sight?: string) => {
    const before = read.changes
    const joined = await kept.for(sight)(view, offset, WISH)
    assert.equal(joined?.objects.get(1)?.length, NAMES)
    return read.changes - before
  }
  await begin(one)
  await begin(other)
  assert.deepEqual([await readBy(other), await readBy(one)], [0, 0])
  // The other one was used longer ago.
  await begin(third)
  assert.deepEqual([await readBy(one), await readBy(third), await readBy(other)], [0, 0, NAMES])
  assert.equal(await readBy(other, 'a scope'), NAMES)
})

it('A page of few entries reads few changes, whichever the number of objects', async () => {
  const { view, read, first } = viewOf(1, 10_000, 500)
  const joinedAt = new KeptJoinedChanges().for(undefined)
  assert.equal(await joinedAt(view, logOffset(0), { ...WISH, limit: 1 }, first), undefined)
  assert.equal(read.changes, 0)
  const joined = await joinedAt(view, logOffset(0), { ...WISH, limit: 20 }, first)
  assert.equal(joined?.size, 4_000)
})

it('Others have their turns while the names of a joined change are read', async () => {
  const { view, read, first } = viewOf(1, 400, 500)
  const joinedAt = new KeptJoinedChanges().for(undefined)
  const seen: number[] = []
  let isDone = false
  const look = () => {
    seen.push(read.changes)
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await joinedAt(view, logOffset(0), { ...WISH, limit: 10_000 }, first)
  isDone = true
  const steps = seen.map((changes, at) => changes - (seen[at - 1] ?? 0))
  assert.equal(read.changes, 31)
  assert.ok(seen.length >= 3 && Math.max(...steps) <= 8, `in turns of ${steps} changes`)
})
