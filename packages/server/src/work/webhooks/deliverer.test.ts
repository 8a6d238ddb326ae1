import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { selfSigned } from '../../../testing/certificate.ts'
import { NOW } from '../../../testing/store-contract/fixture.ts'
import { ACCEPT, HANG, NEVER_END } from '../../../testing/webhook-receiver.ts'
import { WEBHOOK_DEFAULTS, type WebhookSettings } from '../../base/domain/webhook.ts'
import { webhookTrial } from './webhook-trial.fixture.ts'

const certificate = selfSigned()
/** Longer than it takes until a process looks for leases again. */
const LONG_MS = 2_000
const NEVER = new AbortController().signal
const HISTORY: Partial<WebhookSettings> = { from: 'history', types: ['positions'] }

describe('A webhook', { skip: certificate === undefined && 'openssl is absent' }, () => {
  it('has one connection at a time, also when a message is sent again', async (t) => {
    const trial = await webhookTrial(t, certificate!, HISTORY, undefined, LONG_MS)
    const { store, receiver, organization, webhook, tried } = trial
    receiver.behave(NEVER_END)
    await trial.drive(250)
    trial.start()
    await receiver.until(() => receiver.received.length === 2)
    await store.webhooks.want(organization, webhook, 1)
    trial.look()
    await receiver.until(() => receiver.received.length === 4)
    assert.equal(receiver.mostOpen(), 1)
    // A message that was taken is not sent again because its answer does not end.
    const numbers = tried.map(({ delivery }) => delivery.number)
    assert.deepEqual(numbers, [1, 2, 1])
    assert.ok(tried.every(({ sent }) => sent.status === 200 && sent.failure === null))
  })

  it('has one connection at a time when a lease is lost and comes back', async (t) => {
    const trial = await webhookTrial(t, certificate!, HISTORY, undefined, LONG_MS)
    const { store, receiver, organization, webhook } = trial
    const { webhooks } = store
    const change = () => webhooks.update(organization, webhook, { url: receiver.url }, NOW)
    receiver.behave(HANG)
    const deliverer = trial.deliver()
    await receiver.until(() => receiver.received.length === 1)
    const { lease } = webhooks
    const lost = new Promise<void>((resolve) => {
      webhooks.lease = async () => {
        resolve()
        return []
      }
    })
    await change()
    await lost
    webhooks.lease = lease
    receiver.behave(ACCEPT)
    await change()
    await receiver.until(() => receiver.received.length === 2)
    assert.equal(receiver.mostOpen(), 1)
    await deliverer.stop()
  })

  it('waits for a slot, and then goes by the settings of that time', async (t) => {
    const trial = await webhookTrial(t, certificate!, HISTORY)
    const { store, receiver, slots, organization, webhook } = trial
    const [free] = [await slots.take(organization, NEVER), await slots.take(organization, NEVER)]
    trial.start()
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers()
    await store.webhooks.update(organization, webhook, { offAt: NOW, offReason: 'operator' }, NOW)
    trial.look()
    free!()
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers()
    assert.equal(receiver.received.length, 0)
    await store.webhooks.update(organization, webhook, { offAt: null, offReason: null }, NOW)
    trial.look()
    await receiver.until(() => receiver.received.length === 1)
  })

  it('does not wait for a slot when it is stopped', async (t) => {
    const trial = await webhookTrial(t, certificate!, HISTORY)
    const { receiver, slots, organization } = trial
    for (let taken = 0; taken < 2; taken += 1) await slots.take(organization, NEVER)
    const runner = trial.start()
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers()
    runner.stop()
    await runner.ended
    assert.equal(receiver.received.length, 0)
  })

  it('is delivered to by one of several processes, and by another one when it has ended', async (t) => {
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

  it('may come and go while a process delivers', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['sites'] })
    const { store, receiver, organization, webhook } = trial
    const deliverer = trial.deliver()
    await receiver.until(() => receiver.received.length === 1)
    await store.webhooks.delete(organization, webhook)
    const { secret } = trial.stored
    const settings = { url: receiver.url, ...WEBHOOK_DEFAULTS }
    await store.webhooks.create(organization, { ...settings, secret }, NOW)
    await receiver.until(() => receiver.received.length === 2)
    assert.equal(receiver.received[1]!.data.changes[0].type, 'retention')
    await deliverer.stop()
  })
})
