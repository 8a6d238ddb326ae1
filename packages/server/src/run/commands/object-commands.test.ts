import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { bareFix, type Fix } from '../../base/domain/position/fix.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { openStore } from '../compose.ts'

const NOW = Date.now()
const NOON = Date.UTC(2025, 2, 4, 12)
const POOR: Fix = { ...bareFix(NOON, NOW, 41.5, 2.1), hdop: 25, gpsLevel: 4 }
const AHEAD = bareFix(NOW + 2 * 86_400_000, NOW, 41.5, 2.1)

/** An object that received these packets, one after the other. */
async function sent(t: TestContext, ...fixes: Fix[]): Promise<string[]> {
  const folder = await temporaryFolder(t)
  await json(['org', 'create', 'Acme', '--data', folder])
  const store = await openStore({ folder })
  await store.objects.ensure(1, ['a'], NOW)
  for (const fix of fixes) {
    await store.positions.append(1, [{ object: 1, fix }], foldRules(systemClock))
  }
  await store.close()
  return ['objects', 'rejects', '--org', '1', '--data', folder]
}

describe('fleetgate objects rejects', () => {
  it('lists the last packets that were not accepted, the newest first', async (t) => {
    const rejects = await sent(t, POOR, AHEAD)
    const [ahead, poor] = await json([...rejects, '1'])
    assert.equal(ahead.reason, 'in_future')
    assert.deepEqual(poor, {
      time_server: new Date(NOW).toISOString(),
      time_device: '2025-03-04T12:00:00.000Z',
      reason: 'hdop_above_maximum',
      message: "hdop is above the object's maximum_hdop",
      stored: false,
      hdop: 25,
      gps_level: 4,
      latitude: 41.5,
      longitude: 2.1,
    })
    const { stdout } = await runHere([...rejects, '1'])
    assert.match(
      stdout,
      /^RECEIVED .* REASON\n.* in_future: time_device is in the future.*\n.* 25 +4 .* hdop_above_maximum: hdop is/,
    )
  })

  it('says so if no packet was rejected', async (t) => {
    const silent = await sent(t)
    assert.deepEqual(await json([...silent, '1']), [])
    const { stdout } = await runHere([...silent, '1'])
    assert.equal(stdout, 'No packet of it was rejected.\n')
  })

  it('names a missing object', async (t) => {
    const { code, stderr } = await runHere([...(await sent(t)), '9'])
    assert.equal(code, 1)
    assert.match(stderr, /has no object 9; 'fleetgate objects list --org 1' lists/)
  })
})
