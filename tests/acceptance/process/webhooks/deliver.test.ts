import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { answerWith } from '../../../../packages/server/testing/webhook-receiver.ts'
import { request } from '../../harness/client.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { secondsIn, skipWithoutOpenssl, startWebhookFleet } from '../../harness/webhooks.ts'

const skip = skipWithoutOpenssl
const PATIENCE_MS = 15_000

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  while (!(await holds())) {
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('a running server delivers what changes, signed, and shows what it did', { skip }, async () => {
  const fleet = await startWebhookFleet()
  const { receiver, run } = fleet
  const server = await fleet.serve()
  const settings = ['--url', receiver.url, '--types', 'positions', '--from', 'now']
  const { id, secret } = await run('webhook', 'create', ...settings)
  const webhook = String(id)
  const elsewhere = await run('webhook', 'create', '--url', 'https://10.0.0.1/', '--from', 'now')
  await receiver.until(() => receiver.received.length === 1)
  await fleet.drive(server, 130)
  await receiver.until(() => secondsIn(receiver.received).length === 130)
  assert.deepEqual(
    secondsIn(receiver.received),
    Array.from({ length: 130 }, (_, i) => i + 1),
  )
  // Another implementation of Standard Webhooks verifies each message, with its own clock.
  const verifier = new Verifier(secret)
  for (const { raw, headers } of receiver.received) {
    const verified = verifier.verify(raw, headers as Record<string, string>) as Json
    assert.equal(verified.type, 'changes')
    assert.throws(() => verifier.verify(`${raw} `, headers as Record<string, string>))
  }

  receiver.behave(answerWith(500))
  await run('webhook', 'test', webhook)
  await receiver.until(() => receiver.received.at(-1)!.type === 'test')
  await until(async () => (await run('webhook', 'deliveries', webhook))[0].status === 500)
  receiver.behave(answerWith(202))
  const [{ number, message_id }] = await run('webhook', 'deliveries', webhook)
  await run('webhook', 'redeliver', webhook, String(number))
  await until(async () => (await run('webhook', 'deliveries', webhook))[0].status === 202)
  assert.equal(receiver.received.at(-1)!.id, message_id)

  const [{ state, last_delivered_at }, { state: other, failure }] = await run('webhook', 'list')
  assert.equal(state, 'on')
  assert.ok(Date.parse(last_delivered_at) > 0)
  assert.equal(other, 'failing')
  assert.equal(failure, '10.0.0.1 is not a public address, and not in an allowed network')

  const metrics = (await request(server.admin, '/metrics')).text
  assert.match(metrics, /fleetgate_webhook_deliveries_total\{outcome="delivered"\} [4-9]/)
  assert.match(metrics, /fleetgate_webhook_deliveries_total\{outcome="failed"\} [2-9]/)
  await until(() => server.log.some(({ webhook: of }) => of === elsewhere.id))
  const entry = server.log.find(({ status, webhook: of }) => of === id && status === 500)!
  assert.equal(entry.msg, 'webhook delivery')
  await server.stop()
  const log = JSON.stringify(server.log) + server.stderr()
  for (const hidden of [secret.slice(6), 'token=secret']) assert.ok(!log.includes(hidden))
})
