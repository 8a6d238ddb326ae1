import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { RATE_WINDOW, type RateVerdict } from '../access/rate-window.ts'
import { bareFix } from '../domain/fix.ts'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import type { DailyQuota, Kept, Realtime } from './realtime.ts'

/** A realtime port with its own storage. */
export type OpenedRealtime = {
  realtime: Realtime
  /** Turns the clock that the windows go by; null where that is a server's own. */
  advanceUs: ((us: number) => void) | null
  /** The view of another process that takes over after a kill. */
  restart(): Promise<Realtime>
  cleanUp(): Promise<void>
}
export type OpenRealtime = () => Promise<OpenedRealtime>

const { requests, spanUs } = RATE_WINDOW
const TODAY = 20_778

/** The tests that every adapter of the realtime port must pass. */
export function realtimeContract(name: string, open: OpenRealtime): void {
  type Body = (opened: OpenedRealtime, context: TestContext) => Promise<void>
  const onRealtime = (body: Body) => async (context: TestContext) => {
    const opened = await open()
    try {
      await body(opened, context)
    } finally {
      await opened.cleanUp()
    }
  }

  describe(`The rate window of ${name}`, () => {
    it(
      'admits ten, and tells what remains',
      onRealtime(async ({ realtime, advanceUs }) => {
        const slackUs = advanceUs === null ? SLACK_US : 0
        for (let remaining = requests - 1; remaining >= 0; remaining--) {
          assertVerdict(
            await take(realtime),
            { admitted: true, remaining, resetUs: spanUs },
            slackUs,
          )
        }
        const refused = { admitted: false, remaining: 0, resetUs: spanUs }
        assertVerdict(await take(realtime), refused, slackUs)
      }),
    )

    it(
      'gives as the wait the first moment of admission, and counts no refusal',
      onRealtime(async ({ realtime, advanceUs }, context) => {
        if (advanceUs === null) return context.skip('nobody turns the clock of a server')
        await take(realtime)
        advanceUs(3_000_000)
        for (let i = 1; i < requests; i++) assert.ok((await take(realtime)).admitted)
        const { resetUs } = await take(realtime)
        assert.equal(resetUs, spanUs - 3_000_000)
        advanceUs(resetUs - 1)
        assert.deepEqual(await take(realtime), { admitted: false, remaining: 0, resetUs: 1 })
        advanceUs(1)
        assert.deepEqual(await take(realtime), { admitted: true, remaining: 0, resetUs: 3_000_000 })
        assert.equal((await take(realtime)).admitted, false)
      }),
    )

    it(
      'is each organization’s own',
      onRealtime(async ({ realtime }) => {
        for (let i = 0; i < requests; i++) await take(realtime)
        assert.equal((await take(realtime)).admitted, false)
        assert.equal((await take(realtime, 2)).remaining, requests - 1)
      }),
    )

    it(
      'admits no more when all come at once',
      onRealtime(async ({ realtime }) => {
        const verdicts = await Promise.all(Array.from({ length: 50 }, () => take(realtime)))
        assert.equal(verdicts.filter(({ admitted }) => admitted).length, requests)
      }),
    )
  })

  describe(`The daily quota of ${name}`, () => {
    it(
      'charges up to the limit and names what is exhausted, in the order asked',
      onRealtime(async ({ realtime: { quota } }) => {
        assert.deepEqual(await quota.charge(1, { objects: [7], limit: 2, day: TODAY }), {
          charged: true,
          used: 1,
        })
        assert.deepEqual(await quota.charge(1, { objects: [7], limit: 2, day: TODAY }), {
          charged: true,
          used: 2,
        })
        assert.deepEqual(await quota.charge(1, { objects: [9], limit: 2, day: TODAY }), {
          charged: true,
          used: 1,
        })
        assert.deepEqual(await quota.charge(1, { objects: [9], limit: 2, day: TODAY }), {
          charged: true,
          used: 2,
        })
        const refused = await quota.charge(1, { objects: [9, 8, 7], limit: 2, day: TODAY })
        assert.deepEqual(refused, { charged: false, exhausted: [9, 7] })
      }),
    )

    it(
      'charges all or none',
      onRealtime(async ({ realtime: { quota } }) => {
        await quota.charge(1, { objects: [2], limit: 1, day: TODAY })
        assert.equal(
          (await quota.charge(1, { objects: [1, 2, 3], limit: 1, day: TODAY })).charged,
          false,
        )
        assert.deepEqual(await quota.charge(1, { objects: [1, 3], limit: 1, day: TODAY }), {
          charged: true,
          used: 1,
        })
      }),
    )

    it(
      'tells the highest count among those charged',
      onRealtime(async ({ realtime: { quota } }) => {
        await quota.charge(1, { objects: [1], limit: 9, day: TODAY })
        await quota.charge(1, { objects: [1], limit: 9, day: TODAY })
        assert.deepEqual(await quota.charge(1, { objects: [2, 1, 3], limit: 9, day: TODAY }), {
          charged: true,
          used: 3,
        })
      }),
    )

    it(
      'lets nothing through at a limit of 0, and everything without one',
      onRealtime(async ({ realtime: { quota } }) => {
        assert.deepEqual(await quota.charge(1, { objects: [1], limit: 0, day: TODAY }), {
          charged: false,
          exhausted: [1],
        })
        for (let used = 1; used <= 30; used++) {
          assert.deepEqual(await quota.charge(1, { objects: [1], limit: null, day: TODAY }), {
            charged: true,
            used,
          })
        }
        assert.equal(
          (await quota.charge(1, { objects: [1], limit: 30, day: TODAY })).charged,
          false,
        )
        assert.equal((await quota.charge(1, { objects: [1], limit: 31, day: TODAY })).charged, true)
      }),
    )

    it(
      'counts beyond an earlier limit where it is told of none',
      onRealtime(async ({ realtime: { quota } }) => {
        await quota.charge(1, { objects: [1], limit: 1, day: TODAY })
        assert.deepEqual(await quota.charge(1, { objects: [1], limit: null, day: TODAY }), {
          charged: true,
          used: 2,
        })
        assert.deepEqual(await quota.charge(1, { objects: [1], limit: null, day: TODAY }), {
          charged: true,
          used: 3,
        })
        assert.equal((await quota.charge(1, { objects: [1], limit: 3, day: TODAY })).charged, false)
      }),
    )

    it(
      'gives back',
      onRealtime(async ({ realtime: { quota } }) => {
        await quota.charge(1, { objects: [1, 2], limit: 1, day: TODAY })
        await quota.giveBack(1, [1, 2], TODAY)
        assert.deepEqual(await quota.charge(1, { objects: [1, 2], limit: 1, day: TODAY }), {
          charged: true,
          used: 1,
        })
      }),
    )

    it(
      'begins anew with each UTC day, while the day before still counts',
      onRealtime(async ({ realtime: { quota } }) => {
        await quota.charge(1, { objects: [1], limit: 1, day: TODAY - 1 })
        await quota.charge(1, { objects: [1], limit: 1, day: TODAY })
        assert.equal(
          (await quota.charge(1, { objects: [1], limit: 1, day: TODAY - 1 })).charged,
          false,
        )
        assert.equal((await quota.charge(1, { objects: [1], limit: 1, day: TODAY })).charged, false)
        assert.equal(
          (await quota.charge(1, { objects: [1], limit: 1, day: TODAY + 1 })).charged,
          true,
        )
        assert.equal((await quota.charge(1, { objects: [1], limit: 1, day: TODAY })).charged, false)
      }),
    )

    it(
      'never passes the limit when all come at once',
      onRealtime(async ({ realtime: { quota } }) => {
        const verdicts = await Promise.all(
          Array.from({ length: 60 }, (_, i) =>
            quota.charge(1, { objects: [5, 6 + (i % 2)], limit: 20, day: TODAY }),
          ),
        )
        assert.equal(verdicts.filter(({ charged }) => charged).length, 20)
      }),
    )

    it(
      'takes a thousand objects, of any id, in one charge',
      onRealtime(async ({ realtime: { quota } }) => {
        const objects = Array.from({ length: 1_000 }, (_, i) => Number.MAX_SAFE_INTEGER - i)
        assert.deepEqual(await quota.charge(1, { objects, limit: 1, day: TODAY }), {
          charged: true,
          used: 1,
        })
        const refused = await quota.charge(1, { objects, limit: 1, day: TODAY })
        assert.deepEqual(refused, { charged: false, exhausted: objects })
      }),
    )

    it(
      'tells what was counted of each object on a day, a moment later at most, over restarts',
      onRealtime(async ({ realtime, restart }) => {
        const { quota } = realtime
        const asked = [9, 1, 2, 404]
        assert.deepEqual(await quota.used(1, asked, TODAY), [0, 0, 0, 0])
        assert.deepEqual(await quota.used(1, [], TODAY), [])
        await quota.charge(1, { objects: [1, 2], limit: null, day: TODAY })
        await quota.charge(1, { objects: [1], limit: 5, day: TODAY })
        await quota.charge(1, { objects: [2, 1], limit: 1, day: TODAY })
        await quota.charge(1, { objects: [9], limit: null, day: TODAY + 1 })
        await quota.charge(2, { objects: [3], limit: null, day: TODAY })
        await quota.charge(1, { objects: [9], limit: null, day: TODAY })
        await quota.giveBack(1, [9], TODAY)
        await becomes([0, 2, 1, 0], () => quota.used(1, asked, TODAY))
        await becomes([1, 0, 0, 0], () => quota.used(1, asked, TODAY + 1))
        const { quota: after } = await restart()
        assert.deepEqual(await after.used(1, asked, TODAY), [0, 2, 1, 0])
      }),
    )

    it(
      'does what the plain rule says, over restarts',
      onRealtime(async ({ realtime, restart }) => {
        let { quota } = realtime
        // Objects that no other run has touched, so that every run begins at nothing.
        let run = 0
        await fc.assert(
          fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
            run += 1
            const model = new Map<string, number>()
            for (const step of steps) {
              if (step.kind === 'restart') quota = (await restart()).quota
              else
                await play(quota, model, {
                  ...step,
                  objects: step.objects.map((id) => run * 10 + id),
                })
            }
          }),
          { numRuns: 40 },
        )
      }),
    )
  })

  describe(`What one request asks of ${name}`, () => {
    const due = { objects: [7, 8], limit: 2, day: TODAY }

    it(
      'is admitted, charged and told the states all at once',
      onRealtime(async ({ realtime }) => {
        await keep(realtime, 1, { 8: 80 })
        const { rate, charge, states } = await realtime.ask(1, { charge: due, states: [7, 8] })
        assert.equal(rate.remaining, requests - 1)
        assert.deepEqual(charge, { charged: true, used: 1 })
        assert.deepEqual(states?.kept, [undefined, stateAt(80)])
        const bare = await realtime.ask(1, { charge: null, states: [] })
        assert.equal(bare.rate.remaining, requests - 2)
        assert.equal(bare.charge, null)
        assert.deepEqual(bare.states?.kept, [])
      }),
    )

    it(
      'charges nobody where the window refuses',
      onRealtime(async ({ realtime }) => {
        for (let i = 0; i < requests; i++) await take(realtime)
        const { rate, charge } = await realtime.ask(1, { charge: due, states: [7] })
        assert.deepEqual([rate.admitted, charge], [false, null])
        const next = await realtime.quota.charge(1, due)
        assert.deepEqual(next, { charged: true, used: 1 })
      }),
    )

    it(
      'is counted by the window where the quota refuses, and told the states',
      onRealtime(async ({ realtime }) => {
        await keep(realtime, 1, { 7: 70 })
        for (let i = 0; i < 2; i++) await realtime.quota.charge(1, { ...due, objects: [8] })
        const { rate, charge, states } = await realtime.ask(1, { charge: due, states: [7] })
        assert.equal(rate.remaining, requests - 1)
        assert.deepEqual(charge, { charged: false, exhausted: [8] })
        assert.deepEqual(states?.kept, [stateAt(70)])
        const other = await realtime.quota.charge(1, { ...due, objects: [7] })
        assert.deepEqual(other, { charged: true, used: 1 })
      }),
    )
  })

  describe(`The snapshots of ${name}`, () => {
    it(
      'are read in the order asked, and undefined where nothing is kept',
      onRealtime(async ({ realtime }) => {
        assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, undefined])
        await keep(realtime, 1, { 1: 10, 2: 20 })
        assert.deepEqual(await kept(realtime, 1, []), [])
        assert.deepEqual(await kept(realtime, 1, [2, 3, 1, 2]), [
          stateAt(20),
          undefined,
          stateAt(10),
          stateAt(20),
        ])
      }),
    )

    it(
      'give back every field of a state',
      onRealtime(async ({ realtime }) => {
        const fix = { ...bareFix(5, 6, -0.0000001, 179.9999999), address: 'ş "1"', ignition: false }
        const spot = { time: 5, latitude: 1, longitude: 2 }
        const full: ObjectState = {
          lastFix: fix,
          timeServer: 6,
          timeLastIdle: 1,
          timeLastMove: 2,
          timeLastStop: null,
          address: { value: '', at: 3 },
          track: {
            ...{ at: 5, last: spot, anchor: spot, shown: spot, suspect: { ...spot, time: 4 } },
            ...{ motion: 'idle', moved: true, parked: false, running: true },
            ...{ activeAt: 4, tripFrom: null, odometer: 2 ** 48 - 1, mileage: 0 },
            ...{ engineHours: null, odometerReading: 7, engineHoursReading: null },
          },
        }
        await realtime.snapshots.keep(1, { sequence: 1, previous: 0, states: new Map([[7, full]]) })
        assert.deepEqual(await kept(realtime, 1, [7]), [full])
      }),
    )

    it(
      'are the same object again while nothing has changed',
      onRealtime(async ({ realtime }) => {
        await keep(realtime, 1, { 1: 10, 2: 20 })
        const [first, other] = await kept(realtime, 1, [1, 2])
        await keep(realtime, 1, { 2: 21 })
        const [again, changed] = await kept(realtime, 1, [1, 2])
        assert.equal(again, first)
        assert.notEqual(changed, other)
      }),
    )

    it(
      'are replaced by what is kept, but not by what was filled in',
      onRealtime(async ({ realtime }) => {
        await fill(realtime, 1, { 1: 10 })
        await fill(realtime, 1, { 1: 11, 2: 20 })
        assert.deepEqual(await kept(realtime, 1, [1, 2]), [stateAt(10), stateAt(20)])
        await keep(realtime, 1, { 2: 21, 3: 30 })
        await fill(realtime, 1, { 1: 12, 2: 22, 3: 32 })
        assert.deepEqual(await kept(realtime, 1, [1, 2, 3]), [
          stateAt(10),
          stateAt(21),
          stateAt(30),
        ])
      }),
    )

    it(
      'are outdated all together, those of one organization alone, and by what is newer alone',
      onRealtime(async ({ realtime }) => {
        const { snapshots } = realtime
        const sequences = new Map<number, number>()
        for (const organization of [1, 2]) {
          await keep(realtime, organization, { 1: organization, 2: organization }, sequences)
        }
        await snapshots.outdate(3, 1)
        await snapshots.outdate(1, sequences.get(1)!)
        assert.deepEqual(await kept(realtime, 1, [1, 2]), [stateAt(1), stateAt(1)])
        await snapshots.outdate(1, sequences.get(1)! + 1)
        assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, undefined])
        assert.deepEqual(await kept(realtime, 2, [1, 2]), [stateAt(2), stateAt(2)])
        await fill(realtime, 1, { 2: 9 })
        assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, stateAt(9)])
      }),
    )
  })
}

/** The longest duration of a test on a running clock. */
const SLACK_US = 5_000_000

function assertVerdict(verdict: RateVerdict, expected: RateVerdict, slackUs: number): void {
  const { resetUs } = verdict
  assert.deepEqual({ ...verdict, resetUs: 0 }, { ...expected, resetUs: 0 })
  assert.ok(resetUs <= expected.resetUs && resetUs >= expected.resetUs - slackUs, `${resetUs}`)
}

const NOTHING = { charge: null, states: [] }

async function take(realtime: Realtime, organization = 1): Promise<RateVerdict> {
  return (await realtime.ask(organization, NOTHING)).rate
}

async function kept(realtime: Realtime, organization: number, objects: number[]): Promise<Kept[]> {
  const read = await realtime.snapshots.read(organization, objects)
  return read!.kept
}

/** The newest change that `keep` made, for each realtime port and organization. */
const made = new WeakMap<Realtime, Map<number, number>>()

/** Keeps states, by the times of their last packets, as the next change of the organization's. */
async function keep(
  realtime: Realtime,
  organization: number,
  times: Record<number, number>,
  sequences = made.get(realtime) ?? new Map<number, number>(),
): Promise<void> {
  made.set(realtime, sequences)
  const previous = sequences.get(organization) ?? 0
  const sequence = previous + 1
  sequences.set(organization, sequence)
  await realtime.snapshots.keep(organization, { sequence, previous, states: statesOf(times) })
}

/** Fills in what is said to have been read from the store just now. */
async function fill(
  realtime: Realtime,
  organization: number,
  times: Record<number, number>,
): Promise<void> {
  const { snapshots } = realtime
  const read = await snapshots.read(organization, Object.keys(times).map(Number))
  await snapshots.fill(organization, statesOf(times), read!.version)
}

function statesOf(times: Record<number, number>): Map<number, ObjectState> {
  return new Map(Object.entries(times).map(([object, time]) => [Number(object), stateAt(time)]))
}

/** A state that is told from others by the time of its last packet. */
function stateAt(timeServer: number): ObjectState {
  return { ...UNSEEN, timeServer }
}

type Deed = {
  kind: 'charge' | 'giveBack'
  objects: number[]
  limit: number | null
  day: number
}
type Step = Deed | { kind: 'restart' }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom('charge', 'charge', 'charge', 'giveBack'),
      objects: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
      limit: fc.option(fc.nat(4), { nil: null }),
      day: fc.constantFrom(TODAY - 1, TODAY),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

/** Does one step, and holds its verdict against the rule in its plainest form. */
async function play(
  quota: DailyQuota,
  model: Map<string, number>,
  { kind, objects, limit, day }: Deed,
): Promise<void> {
  const used = (object: number) => model.get(`${day} ${object}`) ?? 0
  const add = (object: number, delta: number) => {
    model.set(`${day} ${object}`, used(object) + delta)
    return used(object)
  }
  if (kind === 'giveBack') {
    const charged = objects.filter((object) => used(object) > 0)
    if (charged.length === 0) return
    await quota.giveBack(1, charged, day)
    for (const object of charged) add(object, -1)
  } else {
    const exhausted = objects.filter((object) => limit !== null && used(object) >= limit)
    assert.deepEqual(
      await quota.charge(1, { objects, limit, day }),
      exhausted.length > 0
        ? { charged: false, exhausted }
        : { charged: true, used: Math.max(...objects.map((object) => add(object, 1))) },
    )
  }
}

const PATIENCE_MS = 10_000

async function becomes(expected: number[], ask: () => Promise<number[]>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  let found = await ask()
  while (!isDeepStrictEqual(found, expected) && performance.now() < giveUpAt) found = await ask()
  assert.deepEqual(found, expected)
}
