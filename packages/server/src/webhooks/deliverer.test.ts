import assert from 'node:assert/strict'
import { it } from 'node:test'
import { selfSigned } from '../../testing/certificate.ts'
import { NOW } from '../../testing/store-contract/fixture.ts'
import { webhookTrial } from './webhook-trial.fixture.ts'

const certificate = selfSigned()
const skip = certificate === undefined && 'openssl is absent'

it('one of several processes delivers, and another one when it has ended', { skip }, async (t) => {
  const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
  const { receiver, tried } = trial
  const first = trial.deliver()
  await receiver.until(() => receiver.received.length === 1)
  const second = trial.deliver()
  await trial.drive(3)
  await receiver.until(() => receiver.received.length === 2)
  await first.stop()
  await trial.drive(3)
  await receiver.until(() => receiver.received.length === 3)
  await second.stop()
  await second.stop()
  assert.deepEqual(
    tried.map(({ delivery }) => delivery.number),
    [1, 2, 3],
  )
  const entries = receiver.received.map(({ data }) => data.changes.length)
  assert.deepEqual(entries, [0, 3, 3])
})

it('webhooks come and go while a process delivers', { skip }, async (t) => {
  const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['sites'] })
  const { store, receiver, organization, webhook } = trial
  const deliverer = trial.deliver()
  await receiver.until(() => receiver.received.length === 1)
  await store.webhooks.delete(organization, webhook)
  const { secret } = trial.stored
  const settings = { url: receiver.url, types: null, ids: null, from: 'snapshot' } as const
  await store.webhooks.create(organization, { ...settings, secret }, NOW)
  await receiver.until(() => receiver.received.length === 2)
  assert.equal(receiver.received[1]!.data.changes[0].type, 'retention')
  await deliverer.stop()
})
