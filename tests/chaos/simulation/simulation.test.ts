import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import geodesic from 'geographiclib-geodesic'
import { SPAN_US } from '../../../packages/server/src/base/access/sliding-log.ts'
import { RATE_WINDOW } from '../../../packages/server/src/base/domain/limits.ts'
import type { Tamper } from './deployment.ts'
import { type Disk, takeDisk } from './disk.ts'
import { flatDistance } from './model/distance.ts'
import { makeTemplate, runSeed, type SeedOutcome } from './seed-trial.ts'

const folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-simulation-test-'))
const template = join(folder.path, 'template')
let disk: Disk

before(async () => {
  disk = await takeDisk()
  await makeTemplate(template)
})
after(() => folder.remove())

const run = (seed: number, tamper?: Tamper): Promise<SeedOutcome> =>
  runSeed(seed, disk, template, join(folder.path, 'seed'), tamper)

/** The first fault within some hundreds of seeds. */
async function firstFault(tamper?: Tamper): Promise<string> {
  for (let seed = 1; seed <= 300; seed += 1) {
    const { faults } = await run(seed, tamper)
    if (faults.length > 0) return faults[0]!
  }
  return 'nothing was found'
}

describe('The simulation', () => {
  it('finds no fault in correct parts, and repeats itself exactly', async () => {
    for (const seed of [1, 2]) {
      const outcome = await run(seed)
      assert.deepEqual(outcome.faults, [])
      assert.deepEqual(await run(seed), outcome)
    }
  })

  it('finds a fixed window in place of a sliding one', async () => {
    const fault = await firstFault({ realtime: withFixedWindow })
    assert.match(fault, /requests remain, not|the next slot in/)
  })

  it('finds an append that drops its last row', async () => {
    const fault = await firstFault({ store: withoutLastRows })
    assert.match(fault, /rows|time_|latitude/)
  })

  it('finds a quota that is not all or nothing', async () => {
    const fault = await firstFault({ realtime: withoutLastCharge })
    assert.match(fault, /of the quota remain|PUBLIC.400_005/)
  })

  it('finds changes that cost nothing', async () => {
    const fault = await firstFault({ realtime: withoutHundredths })
    assert.match(fault, /of the quota remain|PUBLIC.400_005/)
  })

  it('finds a log that leaves out a change', async () => {
    const fault = await firstFault({ store: withoutSecondChanges })
    assert.match(fault, /the positions of|the state of/)
  })

  it('finds packets that are acknowledged before they are durable', async () => {
    const handle = await open('/dev/null')
    const methods = Object.getPrototypeOf(handle)
    await handle.close()
    const { datasync } = methods
    methods.datasync = () => Promise.resolve()
    try {
      assert.notEqual(await firstFault(), 'nothing was found')
    } finally {
      methods.datasync = datasync
    }
  })
})

it('computes distances of some kilometers as a geodesic does', () => {
  for (const [latitude, longitude] of [
    [41.42, 2.2],
    [41.3995, 2.17001],
    [41.4, 2.14],
  ] as const) {
    const here = { latitude: 41.4, longitude: 2.17 }
    const exact = geodesic.Geodesic.WGS84.Inverse(41.4, 2.17, latitude, longitude).s12!
    const flat = flatDistance(here, { latitude, longitude })
    assert.ok(Math.abs(flat - exact) <= exact * 1e-6, `${flat} m, not ${exact} m`)
  }
})

/** A window in each fixed span of the clock, so that two can come within one span. */
const withFixedWindow: NonNullable<Tamper['realtime']> = (realtime, clock) => {
  const admitted = new Map<string, number>()
  return {
    ...realtime,
    ask(organization, wants) {
      const span = Math.floor(clock.monotonic() / SPAN_US)
      const of = `${organization} ${span}`
      const count = (admitted.get(of) ?? 0) + 1
      admitted.set(of, count)
      const left = RATE_WINDOW.requests - count
      const resetUs = (span + 1) * SPAN_US - clock.monotonic()
      const rate = { admitted: left >= 0, remaining: Math.max(0, left), resetUs }
      const asked = Promise.resolve(realtime.ask(organization, wants))
      return asked.then((shared) => ({ ...shared, rate }))
    },
  }
}

const withoutLastRows: NonNullable<Tamper['store']> = (store) => ({
  ...store,
  positions: {
    ...store.positions,
    async append(organization, batch, rules) {
      const kept = batch.length > 1 ? batch.slice(0, -1) : batch
      const outcomes = await store.positions.append(organization, kept, rules)
      return batch.map((_, index) => outcomes[index] ?? 'accepted')
    },
  },
})

const withoutLastCharge: NonNullable<Tamper['realtime']> = (realtime) => ({
  ...realtime,
  ask(organization, { charge, shown }) {
    const objects = charge?.objects.slice(0, Math.max(1, charge.objects.length - 1)) ?? []
    return realtime.ask(organization, { charge: charge && { ...charge, objects }, shown })
  },
})

const withoutHundredths: NonNullable<Tamper['realtime']> = (realtime) => ({
  ...realtime,
  quota: {
    ...realtime.quota,
    charge(organization, charge) {
      const hundredths = charge.hundredths?.map(() => 0)
      return realtime.quota.charge(organization, { ...charge, ...(hundredths && { hundredths }) })
    },
  },
})

const withoutSecondChanges: NonNullable<Tamper['store']> = (store) => ({
  ...store,
  changeLog: {
    ...store.changeLog,
    view: (organization, work, signal) =>
      store.changeLog.view(
        organization,
        (view) => {
          const changes: typeof view.changes = async (after, limit) =>
            (await view.changes(after, limit)).filter((_, index) => index !== 1)
          return work({ ...view, changes })
        },
        signal,
      ),
  },
})
