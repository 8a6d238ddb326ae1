import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../testing/handed-clock.ts'
import { recordsIn } from '../../../testing/records-in-columns.ts'
import {
  type Arrival,
  anyArrival,
  anyLongArrival,
  anySettings,
} from '../../../testing/store-contract/arrivals.ts'
import {
  assertSameRows,
  type CounterRow,
  driveOf,
  drivesOn,
  moving,
  rowsOf,
} from '../../../testing/store-contract/drives.ts'
import {
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { runsOr } from '../../../testing/store-contract/runs.ts'
import { packAll } from '../../../testing/stores/packing-store.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { ChangeType } from '../../base/domain/item-rules.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { NO_ENTRIES } from '../store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'
import { foldRules } from '../tracking/rules/advance.ts'
import { KeptJoinedChanges, stepsOfJoined } from './joined-changes.ts'
import { logPage } from './log-page.ts'
import {
  type JoinedChangeAt,
  type LogOffset,
  logOffset,
  type Page,
  type PageOptions,
} from './page.ts'

const SELECTION = { types: new Set<ChangeType>(['objects', 'positions', 'states']), ids: null }
/** All changes are old for a reader with this clock, and none is for one whose clock is right. */
const LATER = Date.now() + 10 * DAY_MS
const RULES = foldRules(handedClock(NOW * 1_000))

async function pageOf(
  store: Store,
  organization: number,
  offset: LogOffset,
  options: Omit<PageOptions, 'selection'>,
): Promise<Page & { next: LogOffset }> {
  const all = { selection: SELECTION, ...options }
  return (await store.changeLog.view(organization, (view) => logPage(view, offset, all)))!
}

/** The things after a batch: a pack, a change of an object, and a page or none. */
const anyTurn = (limits: readonly number[]) =>
  fc.record({
    packs: fc.boolean(),
    renames: fc.boolean(),
    limits: fc.array(fc.constantFrom(...limits), { maxLength: 1 }),
    isLate: fc.constantFrom(true, true, true, false),
    hasForgotten: fc.boolean(),
  })

describe('A reader of joined changes, whatever is written between its pages,', () => {
  it('makes a copy of short drives', async (t) => {
    const runs = runsOr(40)
    const inJoined = await assertCopied(t, anyArrival, [1, 2, 3, 7], runs)
    assert.ok(inJoined > runs / 4, `${inJoined} pages ended in a joined change`)
  })

  it('makes a copy of long drives, whose counters are shifted', async (t) => {
    await assertCopied(t, anyLongArrival, [300, 1, 300, 2], Math.ceil(runsOr(40) / 10))
  })
})

/** `limits`: of pages. Returns how many of them ended within a joined change. */
async function assertCopied(
  t: TestContext,
  anyOne: fc.Arbitrary<Arrival>,
  limits: readonly number[],
  runs: number,
): Promise<number> {
  const { store } = await temporaryStore(t)
  const drives = await drivesOn(store, RULES)
  const copy = newCopy()
  let offset: LogOffset = logOffset(0)
  let kept = new KeptJoinedChanges()
  let inJoined = 0

  async function read(limit: number, isLate: boolean): Promise<boolean> {
    const now = isLate ? LATER : Date.now()
    const joinedAt = kept.for(undefined)
    const page = await pageOf(store, drives.organization, offset, { limit, now, joinedAt })
    copy.apply(page)
    offset = page.next
    if (offset.part === 'log' && offset.joined !== undefined) inJoined += 1
    return page.hasMore
  }

  await fc.assert(
    fc.asyncProperty(
      anyOne,
      anyArrival,
      anySettings,
      fc.array(anyTurn(limits), { minLength: 8, maxLength: 8 }),
      async (one, other, settings, turns) => {
        const objects = [await drives.add(settings), await drives.add()] as const
        for (const [at, { object, fixes }] of interleaved(one.batches, other.batches).entries()) {
          await drives.append(objects[object]!, fixes)
          const turn = turns[at % turns.length]!
          if (turn.hasForgotten) kept = new KeptJoinedChanges()
          if (turn.packs)
            await packAll(store, drives.organization, Math.max(3, Math.ceil(one.fixes.length / 20)))
          if (turn.renames && at % 7 === 0) {
            await store.objects.update(drives.organization, objects[0], { name: `${at}` }, NOW)
          }
          for (const limit of turn.limits) await read(limit, turn.isLate)
        }
        await drives.foldOn()
        for (let at = 1; await read(limits[at % limits.length]!, true); at += 1) {}
        for (const object of objects) {
          copy.assertEqual(object, rowsOf(await drives.history(object)))
          const states = await store.positions.states(drives.organization, [object])
          assert.deepEqual(copy.states.get(object), states.get(object))
        }
      },
    ),
    { numRuns: runs },
  )
  return inJoined
}

it('A shift keeps its number, because rows of earlier pages may have it', async (t) => {
  const { store } = await temporaryStore(t)
  const drives = await drivesOn(store, RULES)
  const object = await drives.add()
  const drive = driveOf(2_000, 100)
  await drives.append(object, drive)
  await drives.append(object, [
    { ...moving(drive[10]!.timeDevice + 1_000, 1_000), latitude: 30.2513 },
  ])
  const copy = newCopy()
  const shifts: number[] = []
  let offset: LogOffset = logOffset(1)
  const read = async (limit: number, joinedAt?: JoinedChangeAt) => {
    const options = { limit, now: LATER, ...(joinedAt && { joinedAt }) }
    const page = await pageOf(store, drives.organization, offset, options)
    copy.apply(page)
    for (const { type, seq } of page.entries) if (type === 'counters') shifts.push(seq)
    offset = page.next
    return page.hasMore
  }
  // The rows of the second change, with the shift of the third one.
  await read(drive.length + 1)
  assert.deepEqual([offset, shifts], [logOffset(2), []])
  for (const fix of driveOf(2_060, 100).slice(drive.length)) await drives.append(object, [fix])
  while (await read(1_000, new KeptJoinedChanges().for(undefined))) {}
  assert.deepEqual(shifts, [3])
  copy.assertEqual(object, rowsOf(await drives.history(object)))
})

/** The batches of two objects in turn. */
function interleaved<Batch>(one: readonly Batch[], other: readonly Batch[]) {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [
    { object: 0, fixes: one[at] },
    { object: 1, fixes: other[at] },
  ])
    .flat()
    .filter((each): each is { object: number; fixes: Batch } => each.fixes !== undefined)
}

/** The rows and states that a client has, by the rules of the contract. */
function newCopy() {
  const rows = new Map<number, Map<number, { row: CounterRow; asOf: number }>>()
  const states = new Map<number, unknown>()
  const of = (object: number) => {
    const known = rows.get(object) ?? new Map<number, { row: CounterRow; asOf: number }>()
    rows.set(object, known)
    return known
  }

  function apply({ asOf, entries }: Page): void {
    let last = 0
    for (const entry of entries) {
      const { seq } = entry
      assert.ok(seq >= last && seq <= asOf, 'entries come by commit')
      last = seq
      if ('count' in entry) {
        for (const row of rowsOf(recordsIn(entry.columns, entry.first, entry.count))) {
          of(entry.object.id).set(row.time, { row, asOf })
        }
      } else if (entry.type === 'position') of(entry.object).delete(entry.time)
      else if (entry.type === 'state') states.set(entry.object.id, entry.state)
      else if (entry.type === 'counters') {
        for (const known of of(entry.object).values()) {
          const { time } = known.row
          const isIn = time >= entry.from && time <= (entry.to ?? time)
          if (known.asOf >= seq || !isIn) continue
          const { odometer, mileage, engineHours } = known.row
          known.row = {
            time,
            odometer: shifted(odometer, entry.odometer),
            mileage: shifted(mileage, entry.mileage),
            engineHours: shifted(engineHours, entry.engineHours),
          }
          known.asOf = seq
        }
      } else if (entry.type === 'objects' && entry.op === 'put') {
        if (entry.state !== undefined) states.set(entry.item.id, entry.state)
      }
    }
  }

  function assertEqual(object: number, expected: readonly CounterRow[]): void {
    const all = [...of(object).values()].map(({ row }) => row).sort((a, b) => a.time - b.time)
    assertSameRows(all, expected)
  }

  return { apply, assertEqual, states }
}

function shifted(counter: number | null, by: number): number | null {
  return counter === null ? null : counter + by
}

it('Changes that fill a page or are old come as one, by object and time, also from any row on', async (t) => {
  const { store } = await temporaryStore(t)
  const organization = await newOrganization(store)
  const objects = [
    await newObject(store, organization, '1'),
    await newObject(store, organization, '2'),
  ]
  const times = Array.from({ length: 30 }, (_, step) => NOW + step)
  for (const time of times) {
    for (const object of objects) await append(store, organization, object, [fixAt(time)])
  }
  const follow = async (offset: LogOffset, now: number, limit = 60) => {
    const joinedAt = new KeptJoinedChanges().for(undefined)
    return pageOf(store, organization, offset, { limit, now, joinedAt })
  }
  const named = ({ entries }: Page) =>
    entries.flatMap((entry) => {
      if (!('count' in entry)) return []
      const rows = rowsOf(recordsIn(entry.columns, entry.first, entry.count))
      return rows.map(({ time }) => [entry.seq, entry.object.id, time])
    })
  const joined = objects.flatMap((object) => times.map((time) => [62, object, time]))
  const page = await follow(logOffset(2), LATER)
  assert.deepEqual(named(page), joined)
  for (const [at, run] of page.entries.entries()) {
    assert.ok('count' in run)
    const offset = run.beforeRow(11)
    assert.ok(offset.part === 'log')
    const from = await follow(offset, LATER)
    assert.deepEqual(named(from), joined.slice(at * times.length + 11))
  }
  const oneByOne = times.flatMap((time, at) =>
    objects.map((object, of) => [3 + at * 2 + of, object, time]),
  )
  assert.deepEqual(named(await follow(logOffset(2), Date.now())), joined)
  const young = named(await follow(logOffset(2), Date.now(), 61))
  assert.deepEqual(young, oneByOne.slice(0, young.length))
})

const NAMES = 100
const OPTIONS = { now: 3 * DAY_MS, limit: NAMES }

/** A log whose changes each name a position of this many objects, and how many of them were read. */
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
  return { view, read }
}

async function joinedBy(joinedAt: JoinedChangeAt, ...asked: Parameters<JoinedChangeAt>) {
  const next = await joinedAt(...asked)
  assert.ok('last' in next)
  return next
}

it('Joined changes are read once, until others need their place or a key sees other names', async () => {
  const kept = new KeptJoinedChanges(2 * NAMES)
  const [one, other, third] = [viewOf(1), viewOf(2), viewOf(3)]
  const begin = async ({ view }: typeof one, sight?: string) => {
    const joined = await joinedBy(kept.for(sight), view, logOffset(0), OPTIONS)
    assert.deepEqual([joined.after, joined.last], [0, NAMES])
  }
  const offset = { ...logOffset(0), joined: { last: NAMES, part: 'positions' as const } }
  const readBy = async ({ view, read }: typeof one, sight?: string) => {
    const before = read.changes
    const joined = await joinedBy(kept.for(sight), view, offset, OPTIONS)
    assert.equal(joined.objects.get(1)?.length, NAMES)
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

it('Others have their turn while many changes are read, and not during few, whose view soon serves the next', async () => {
  const passesDuring = async (changes: number) => {
    let passes = -1
    let next: NodeJS.Immediate
    const pass = () => {
      passes += 1
      next = setImmediate(pass)
    }
    pass()
    const { view } = viewOf(1, changes)
    await joinedBy(new KeptJoinedChanges().for(undefined), view, logOffset(0), {
      ...OPTIONS,
      limit: changes,
    })
    clearImmediate(next!)
    return passes
  }
  assert.equal(await passesDuring(2 * NAMES), 0)
  assert.ok((await passesDuring(10 * NAMES)) >= 3)
})

it('A page of few entries reads few changes, whichever the number of objects', async () => {
  const { view, read } = viewOf(1, 10_000, 500)
  const joinedAt = new KeptJoinedChanges().for(undefined)
  assert.equal('last' in (await joinedAt(view, logOffset(0), { ...OPTIONS, limit: 1 })), false)
  assert.equal(read.changes, 1)
  const joined = await joinedBy(joinedAt, view, logOffset(0), { ...OPTIONS, limit: 20 })
  assert.equal(joined.size, 4_000)
})

it('A state comes with a position that was late and is the newest one that a key sees', () => {
  const broughtBy = (...names: number[]) => {
    const objects = new Map([[1, names]])
    const joined = {
      after: 0,
      last: 2,
      shifts: [],
      objects,
      records: new Map(),
      size: names.length,
    }
    const [step] = stepsOfJoined(joined, logOffset(0), { types: new Set(['states']), ids: null })
    assert.ok(step?.is === 'state')
    return step.brought
  }
  const inTime = (time: number) => time * 2
  const late = (time: number) => time * 2 + 1
  assert.equal(broughtBy(inTime(10), late(20)), null)
  assert.equal(broughtBy(late(10), inTime(20), late(20)), 20)
  assert.equal(broughtBy(late(10)), null)
})

it('Others have their turns while the names of a joined change are read', async () => {
  const { view, read } = viewOf(1, 400, 500)
  const joinedAt = new KeptJoinedChanges().for(undefined)
  const seen: number[] = []
  let isDone = false
  const look = () => {
    seen.push(read.changes)
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await joinedAt(view, logOffset(0), { ...OPTIONS, limit: 10_000 })
  isDone = true
  const steps = seen.map((changes, at) => changes - (seen[at - 1] ?? 0))
  assert.equal(read.changes, 32)
  assert.ok(seen.length >= 3 && Math.max(...steps) <= 9, `in turns of ${steps} changes`)
})
