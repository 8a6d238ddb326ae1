import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Registry } from 'prom-client'
import { handedClock } from '../../../testing/handed-clock.ts'
import { hours } from '../../../testing/hours.ts'
import { fixAt, NOW, newFleet, newOrganization } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore as postgresStore } from '../../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqliteStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { startPacking } from '../../work/tasks/refold-and-pack.ts'
import { packingSeries } from './packing-series.ts'

const ROWS = Array.from({ length: 1_200 }, (_, index) => fixAt(NOW - 3 * DAY_MS + index * 1_000))
const YOUNG = Array.from({ length: 10 }, (_, index) => fixAt(NOW - 10_000 + index * 1_000))
const FEW = ROWS.slice(0, 20)

/** The values of all series by name. */
async function shownBy(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => /^fleetgate_/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const [name, value] = line.split(' ')
      return [name!.slice('fleetgate_'.length), Number(value)]
    }),
  )
}

for (const [name, open] of [
  ['SQLite', sqliteStore],
  ['PostgreSQL', postgresStore],
] as const) {
  describe(`The metrics of packing on ${name}`, () => {
    it('are those of its last pass, and there are none before', async (t) => {
      const { store } = await open(t)
      const fleets = [await newFleet(store), await newFleet(store)]
      await fleets[0]!.append([...ROWS, ...YOUNG])
      await fleets[1]!.append(FEW)
      await newOrganization(store, 'Empty')
      const registry = new Registry()
      const show = packingSeries(registry)
      assert.deepEqual(await shownBy(registry), {})
      const clock = handedClock(NOW * 1_000)
      const { wait, passed } = hours(0, clock)
      const packing = startPacking(store, clock, show, assert.ifError, wait)
      await passed
      await packing.stop()
      const shown = await shownBy(registry)
      const { packed_bytes: bytes, unpacked_bytes: left, packing_seconds: seconds, ...rest } = shown
      assert.ok(bytes! > 3 * 32 && bytes! < 20_000, `${bytes} bytes`)
      assert.ok(seconds! > 0)
      assert.ok(left! > 20 * 30 && left! < 20 * 300, `${left} bytes`)
      assert.deepEqual(rest, {
        packed_positions: 1_200,
        packed_blocks: 3,
        unpacked_positions: 20,
        packing_failures: 0,
        // The clock only moves while the task pauses.
        packing_ended_timestamp_seconds: NOW / 1_000 + seconds!,
      })
    })
  })
}
