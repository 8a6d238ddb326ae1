import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { hours } from '../../../testing/hours.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { DAY_MS, utcDay } from '../../base/domain/time/time.ts'
import type { Expiry } from '../../engine/store/position-store.ts'
import { type Store, StoreUnavailable } from '../../engine/store/store.ts'
import {
  cautiousTime,
  startChangesRetention,
  startRetention,
  startUsageRetention,
} from './retention.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * DAY_MS
const START = Date.UTC(2026, 10, 20)

/** A clock that can be set, and the derived time. */
function open() {
  const monotonic = handedClock()
  let setBy = START - monotonic.now()
  const now = () => monotonic.now() + setBy
  const time = cautiousTime({ now, monotonic: monotonic.monotonic })
  return {
    time,
    now,
    pass: (ms: number) => monotonic.advanceUs(ms * 1_000),
    set(ms: number) {
      setBy += ms
    },
  }
}

describe('The time for irreversible tasks', () => {
  it('follows the clock as it runs, is set a little, or is set back', () => {
    const { time, now, pass, set } = open()
    for (const ms of [0, HOUR_MS, -1_000, -YEAR_MS]) {
      set(ms)
      assert.equal(time(), now())
      pass(30 * DAY_MS)
      assert.equal(time(), now())
    }
  })

  it('does not follow a clock set far ahead, until that time has held for a day', () => {
    const { time, now, pass, set } = open()
    pass(DAY_MS)
    set(YEAR_MS)
    assert.equal(time(), START + DAY_MS)
    pass(DAY_MS - 1)
    assert.equal(time(), START + 2 * DAY_MS - 1)
    pass(1)
    assert.equal(time(), now())
  })

  it('starts the day again if the clock was right meanwhile', () => {
    const { time, now, pass, set } = open()
    set(YEAR_MS)
    assert.equal(time(), START)
    pass(DAY_MS - HOUR_MS)
    set(-YEAR_MS)
    assert.equal(time(), now())
    set(YEAR_MS)
    assert.equal(time(), now() - YEAR_MS)
    pass(2 * HOUR_MS)
    assert.equal(time(), now() - YEAR_MS)
  })
})

const NOW = Date.UTC(2026, 10, 20)
const OLD = { ...ORGANIZATION_DEFAULTS, name: 'A', createdAt: 0, updatedAt: 0 }

const fail = (error: unknown) => assert.fail(String(error))

/** A purge of an organization without retentions of objects. */
function ofAll(
  purge: (organization: number, before: number, after: number) => Promise<number | null>,
) {
  return async (organization: number, before: Expiry, after: number) => {
    const moment = before({ retentionDays: null, updatedAt: 0 })
    return moment > 0 ? purge(organization, moment, after) : null
  }
}

/** A store with organizations and purges only, which records its calls. */
function storeOf(
  organizations: object[],
  purgeExpired: (organization: number, before: number, after: number) => Promise<number | null>,
  makeRoom: (now: number) => Promise<void> = async () => {},
  purgeRecords: (organization: number, before: number) => Promise<null> = async () => null,
) {
  return {
    organizations: {
      list: async () => organizations,
      find: async (wanted: number) =>
        (organizations as { id: number }[]).find(({ id }) => id === wanted) ?? null,
    },
    positions: { purgeExpired: ofAll(purgeExpired), makeRoom },
    records: { purgeExpired: ofAll(purgeRecords) },
    coverage: { purgeExpired: async () => null },
  } as unknown as Store
}

/** Runs the retention until this many hours have passed. Returns its failures. */
async function run(store: Store, clock: ReturnType<typeof handedClock>, most = 0) {
  const failures: unknown[] = []
  const { wait, passed } = hours(most, clock)
  const retention = startRetention(store, clock, (error) => failures.push(error), wait)
  await passed
  await retention.stop()
  return failures.map(String)
}

describe('Retention', () => {
  it('purges every organization with a limit at once and every hour, slice by slice', async () => {
    const clock = handedClock(NOW * 1000)
    const asked: number[][] = []
    const organizations = [
      { ...OLD, id: 1, retentionDays: 30 },
      { ...OLD, id: 2 },
      { ...OLD, id: 3, retentionDays: 10, updatedAt: NOW - DAY_MS },
      { ...OLD, id: 4, retentionDays: 1, updatedAt: NOW },
    ]
    const store = storeOf(organizations, async (organization, before, after) => {
      const days = Math.round((clock.now() - before) / DAY_MS)
      asked.push([organization, days, after])
      return organization === 1 && after === 0 ? 77 : null
    })
    assert.deepEqual(await run(store, clock, 1), [])
    const pass = [
      [1, 31, 0],
      [1, 31, 77],
      [3, 11, 0],
    ]
    assert.deepEqual(asked, [...pass, ...pass])
  })

  it('stops when the operator has corrected the retention', async () => {
    const clock = handedClock(NOW * 1000)
    const organization = { ...OLD, id: 1, retentionDays: 30 as number | null }
    let slices = 0
    const store = storeOf([organization], async (_, __, after) => {
      slices += 1
      organization.retentionDays = null
      return after + 1
    })
    assert.deepEqual(await run(store, clock), [])
    assert.equal(slices, 1)
  })

  it('purges on when no room can be made', async () => {
    const clock = handedClock(NOW * 1000)
    const purged: number[] = []
    const organizations = [
      { ...OLD, id: 1, retentionDays: 30 },
      { ...OLD, id: 2, retentionDays: 90 },
    ]
    const store = storeOf(
      organizations,
      async (organization) => {
        purged.push(organization)
        return null
      },
      async () => {
        throw new StoreUnavailable('in use')
      },
    )
    assert.deepEqual(await run(store, clock), ['StoreUnavailable: in use'])
    assert.deepEqual(purged, [1, 2])
  })

  it('makes room for positions, and purges records as long as positions', async () => {
    const clock = handedClock(NOW * 1000)
    const purged: [kind: string, organization: number, days: number][] = []
    const room: number[] = []
    const purging = (kind: string) => async (organization: number, before: number) => {
      purged.push([kind, organization, Math.round((clock.now() - before) / DAY_MS)])
      return null
    }
    const store = storeOf(
      [
        { ...OLD, id: 1, retentionDays: 30 },
        { ...OLD, id: 2 },
      ],
      purging('positions'),
      async (now) => void room.push(now),
      purging('records'),
    )
    assert.deepEqual(await run(store, clock), [])
    assert.deepEqual(room, [NOW])
    assert.deepEqual(purged, [
      ['positions', 1, 31],
      ['records', 1, 31],
    ])
  })

  it('reports a failure and continues in the next hour', async () => {
    const clock = handedClock(NOW * 1000)
    let calls = 0
    const store = storeOf([{ ...OLD, id: 1, retentionDays: 30 }], async () => {
      calls += 1
      if (calls === 1) throw new StoreUnavailable('the disk is full')
      return null
    })
    assert.deepEqual(await run(store, clock, 1), ['StoreUnavailable: the disk is full'])
    assert.equal(calls, 2)
  })

  it('stops between two slices', async () => {
    const clock = handedClock(NOW * 1000)
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let calls = 0
    const store = storeOf([{ ...OLD, id: 1, retentionDays: 30 }], async () => {
      calls += 1
      begun.resolve()
      await goOn.promise
      return 1
    })
    const retention = startRetention(store, clock, fail, async () => {})
    await begun.promise
    const stopped = retention.stop()
    goOn.resolve()
    await stopped
    assert.equal(calls, 1)
  })

  it('stops without waiting for the end of the hour', async () => {
    const store = storeOf([], () => assert.fail())
    await startRetention(store, handedClock(), fail).stop()
  })
})

describe('The retention of changes', () => {
  it('deletes what is older than the days, slice by slice, at once and every hour', async () => {
    const clock = handedClock(NOW * 1000)
    const asked: number[] = []
    const slices = [true, true, false, false]
    const { wait, passed } = hours(1, clock)
    const purge = async (before: number) => {
      asked.push(before)
      return slices.shift()!
    }
    const retention = startChangesRetention(
      { purge },
      30,
      clock,
      (error) => assert.fail(String(error)),
      wait,
    )
    await passed
    await retention.stop()
    const first = NOW - 30 * DAY_MS
    assert.deepEqual(asked, [first, first, first, first + HOUR_MS + 40])
  })

  it('reports a failure, and tries again in the next hour', async () => {
    const clock = handedClock(NOW * 1000)
    const { wait, passed } = hours(1, clock)
    const failures: unknown[] = []
    let calls = 0
    const purge = async () => {
      calls += 1
      if (calls === 1) throw new StoreUnavailable('down')
      return false
    }
    const retention = startChangesRetention({ purge }, 1, clock, (e) => failures.push(e), wait)
    await passed
    await retention.stop()
    assert.equal(failures.length, 1)
    assert.equal(calls, 2)
  })
})

describe('The retention of counts', () => {
  it('keeps usage for 400 days, and disclosures and ended links as long as each organization says', async () => {
    const clock = handedClock(NOW * 1000)
    const purged: unknown[] = []
    const daysAgo = (day: number) => utcDay(NOW) - day
    const store = {
      usage: { purge: async (before: number) => void purged.push(['usage', daysAgo(before)]) },
      disclosures: {
        purge: async (meant: ReadonlySet<number>, before: number) =>
          void purged.push([[...meant], daysAgo(before)]),
      },
      links: {
        purge: async (meant: ReadonlySet<number>, before: number) =>
          void purged.push(['links', ...meant, daysAgo(utcDay(before))]),
      },
      organizations: {
        list: async () => [
          { ...OLD, id: 1 },
          { ...OLD, id: 2, disclosureDays: 30 },
          { ...OLD, id: 3, disclosureDays: null },
          { ...OLD, id: 4 },
          { ...OLD, id: 5, disclosureDays: 30, updatedAt: NOW - DAY_MS + 1 },
        ],
      },
    }
    const { wait, passed } = hours(0, clock)
    const retention = startUsageRetention(store, clock, fail, wait)
    await passed
    await retention.stop()
    assert.deepEqual(purged, [
      ['usage', 400],
      [[1, 4], 400],
      ['links', 1, 4, 400],
      [[2], 30],
      ['links', 2, 30],
    ])
  })
})
