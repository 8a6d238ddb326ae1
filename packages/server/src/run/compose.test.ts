import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withoutServers } from '../../testing/servers/installed.ts'
import { emptyDatabase } from '../../testing/servers/shared-postgres.ts'
import { redisUrl } from '../../testing/servers/shared-redis.ts'
import { ORGANIZATION_DEFAULTS } from '../base/domain/organization.ts'
import { bareFix } from '../base/domain/position/fix.ts'
import { systemClock } from '../base/domain/time/time.ts'
import type { Wait } from '../engine/repeat.ts'
import { foldRules } from '../engine/tracking/rules/advance.ts'
import { startReconciling } from '../work/tasks/reconciling.ts'
import { openDeployment } from './compose.ts'

const NOW = Date.UTC(2026, 10, 20)
const silent = { line() {}, error() {} }

it('states that were stored but never reached Redis are detected as missing there', {
  skip: withoutServers,
}, async (t) => {
  const [database, redis] = [await emptyDatabase(), await redisUrl()]
  const location = { database, replicas: [], allowDataLoss: true, redis, isStrict: false }
  const deployment = await openDeployment(location, systemClock, silent)
  t.after(() => deployment.close())
  const { store, realtime, shared } = deployment
  const { id } = await store.organizations.create({ ...ORGANIZATION_DEFAULTS, name: 'A' }, NOW)
  const made = await store.objects.ensure(id, ['a'], NOW)
  const ids = [...made.ids.values()]
  const keeping = store.watch(({ sequence, stored }) => {
    if (stored !== undefined) return realtime.snapshots.keep(id, { sequence, ...stored })
  })
  const send = (minute: number, latitude: number) => {
    const fix = bareFix(NOW + minute * 60_000, NOW, latitude, 2)
    return store.positions.append(id, [{ object: ids[0]!, fix }], foldRules(systemClock))
  }
  const latitude = async () => (await realtime.snapshots.read(id, ids))!.kept[0]?.lastFix?.latitude

  await send(0, 41)
  assert.equal(await latitude(), 41)
  await reconcileOnce(shared!, id)
  assert.equal(await latitude(), 41, 'what is there is left alone')

  keeping.close()
  // Like a process that ends between the two: it is watched, so the store notifies no other process.
  const ending = store.watch(() => {})
  await send(1, 42)
  ending.close()
  assert.equal(await latitude(), 41)
  await reconcileOnce(shared!, id)
  assert.equal(await latitude(), undefined, 'to be read from the store')
})

async function reconcileOnce(
  shared: Parameters<typeof startReconciling>[0],
  organization: number,
): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const wait: Wait = async (ms, signal) => {
    if (ms < 1_000) return
    resolve()
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
  }
  const reconciling = startReconciling(shared, () => [organization], assert.ifError, wait)
  await isOver
  await reconciling.stop()
}
