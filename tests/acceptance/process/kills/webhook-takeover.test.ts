import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isEmbedded } from '../../harness/deployment.ts'
import { secondsIn, skipWithoutOpenssl, startWebhookFleet } from '../../harness/webhooks.ts'

const skip = isEmbedded ? 'a data folder is served by one process' : skipWithoutOpenssl
const WITHIN_MS = 30_000

it('another process delivers within 10 s when the first is killed', { skip }, async (t) => {
  const fleet = await startWebhookFleet()
  const { receiver, run } = fleet
  const first = await fleet.serve()
  await run('webhook', 'create', '--url', receiver.url, '--types', 'positions', '--from', 'now')
  await receiver.until(() => receiver.received.length === 1)
  const second = await fleet.serve()
  await fleet.drive(second, 10)
  await receiver.until(() => secondsIn(receiver.received).length === 10)
  assert.ok(!second.log.some(({ msg }) => msg === 'webhook delivery'), 'one process delivers')

  await first.kill()
  const killedAt = performance.now()
  await fleet.drive(second, 10)
  await receiver.until(() => secondsIn(receiver.received).length === 20)
  const tookMs = performance.now() - killedAt
  t.diagnostic(`taken over after ${Math.round(tookMs)} ms`)
  assert.ok(tookMs < WITHIN_MS, `${tookMs} ms`)
  assert.deepEqual(
    secondsIn(receiver.received),
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
})
