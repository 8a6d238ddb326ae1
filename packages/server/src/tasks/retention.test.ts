import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { hours } from '../../testing/hours.ts'
import { ORGANIZATION_DEFAULTS } from '../domain/organization.ts'
import { DAY_MS } from '../domain/time/time.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { startRetention } from './retention.ts'

const NOW = Date.UTC(2026, 10, 20)
const OLD = { ...ORGANIZATION_DEFAULTS, name: 'A', createdAt: 0, updatedAt: 0 }

const fail = (error: unknown) => assert.fail(String(error))

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
    positions: { purgeExpired, makeRoom },
    records: { purgeExpired: purgeRecords },
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
