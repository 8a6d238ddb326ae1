import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { selfSigned } from '../../../testing/certificate.ts'
import { append, fixAt, NOW, newObject } from '../../../testing/store-contract/fixture.ts'
import { ACCEPT, answerWith, type ReceivedMessage } from '../../../testing/webhook-receiver.ts'
import { type WebhookTrial, webhookTrial } from './webhook-trial.fixture.ts'

const certificate = selfSigned()

const PATIENCE_MS = 30_000

/** The seconds of the positions that were received, in the form of Traccar. */
function secondsIn(received: readonly ReceivedMessage[]): number[] {
  return received.map(({ raw }) => (Date.parse(JSON.parse(raw).position.fixTime) - NOW) / 1_000)
}

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at)

const newest = ({ store, organization, webhook }: WebhookTrial) =>
  store.webhooks.newest(organization, webhook)

describe('A relay', { skip: certificate === undefined && 'openssl is absent' }, () => {
  it('sends the history and then each position, over one connection for each page', async (t) => {
    const settings = { form: 'traccar', from: 'history' } as const
    const trial = await webhookTrial(t, certificate!, settings, undefined, PATIENCE_MS)
    const { receiver } = trial
    await trial.drive(150)
    trial.start()
    await receiver.until(() => receiver.received.length === 150)
    assert.equal(receiver.connections(), 2)
    await trial.drive(30)
    await receiver.until(() => receiver.received.length === 180)
    assert.deepEqual(secondsIn(receiver.received), upTo(180))
    const tries = trial.tried.filter(({ delivery }) => delivery.entries > 0)
    assert.ok(tries.every(({ sent, delivery }) => sent.arrived === delivery.entries))
  })

  it('sends the newest position of a snapshot, each later one, and no deletion', async (t) => {
    const trial = await webhookTrial(t, certificate!, { form: 'traccar' })
    const { receiver, store, organization, object } = trial
    await trial.drive(5)
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await trial.drive(3)
    await receiver.until(() => receiver.received.length === 4)
    await store.objects.delete(organization, object)
    const other = await newObject(store, organization)
    await append(store, organization, other, [fixAt(NOW + 8_000)])
    await receiver.until(() => receiver.received.length === 5)
    assert.deepEqual(secondsIn(receiver.received), [4, 5, 6, 7, 8])
  })

  it('continues after the positions that arrived, and shows the refusal', async (t) => {
    const trial = await webhookTrial(t, certificate!, { form: 'traccar', from: 'history' })
    const { receiver } = trial
    await trial.drive(60)
    let refusals = 0
    receiver.behave((response, message) => {
      const isFresh = receiver.received.length === 40 && refusals++ === 0
      if (!isFresh) return ACCEPT(response, message)
      response.writeHead(409).end(`No such device.\n${receiver.url} ${'x'.repeat(300)}`)
    })
    trial.start()
    await receiver.until(() => receiver.received.length === 61)
    assert.deepEqual(secondsIn(receiver.received), [...upTo(40), 39, ...upTo(20, 40)])
    const [{ sent }] = trial.tried as [WebhookTrial['tried'][number]]
    assert.equal(sent.status, 409)
    assert.equal(sent.arrived, 39)
    assert.match(sent.failure!, /^answered 409: No such device\. .{180,184}$/)
    assert.ok(!sent.failure!.includes('secret'))
  })

  it('makes progress with a receiver that is too slow for a page', async (t) => {
    const settings = { form: 'traccar', from: 'history' } as const
    const trial = await webhookTrial(t, certificate!, settings, undefined, 200)
    const { receiver } = trial
    await trial.drive(10)
    receiver.behave((response) => void wait(50).then(() => response.writeHead(200).end()))
    trial.start()
    await receiver.until(() => receiver.received.length === 10)
    while ((await newest(trial))!.deliveredAt === null) await wait(10)
    assert.deepEqual(secondsIn(receiver.received), upTo(10))
    assert.ok(trial.tried.length > 1)
    assert.ok(trial.tried.every(({ sent }) => sent.failure === null))
  })

  it('sends only what its grants show, after an edit too, and counts it', async (t) => {
    const grants = [{ objects: null, from: NOW + 2_000, until: NOW + 5_000, attributes: null }]
    const trial = await webhookTrial(t, certificate!, { form: 'traccar', from: 'history', grants })
    const { receiver, store, organization, object, webhook } = trial
    await trial.drive(10)
    trial.start()
    await receiver.until(() => receiver.received.length === 4)
    assert.deepEqual(secondsIn(receiver.received), [2, 3, 4, 5])
    const later = [{ ...grants[0]!, from: NOW + 5_000, until: NOW + 7_000 }]
    await store.webhooks.update(organization, webhook, { grants: later }, NOW)
    trial.look()
    await receiver.until(() => receiver.received.length === 7)
    assert.deepEqual(secondsIn(receiver.received).slice(4), [5, 6, 7])
    assert.deepEqual(trial.disclosures[0], { webhook, objects: [object], rows: [4] })
  })

  it('fails without progress when its receiver always refuses', async (t) => {
    const trial = await webhookTrial(t, certificate!, { form: 'osmand', from: 'history' })
    const { receiver, store, organization, webhook } = trial
    await trial.drive(3)
    receiver.behave(answerWith(400))
    trial.start()
    while ((await store.webhooks.find(organization, webhook))!.offAt === null) await wait(10)
    assert.equal((await newest(trial))!.arrived, 0)
    assert.ok(trial.tried.every(({ sent }) => sent.failure === 'answered 400'))
  })
})
