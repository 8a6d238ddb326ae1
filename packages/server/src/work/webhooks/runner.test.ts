import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { selfSigned } from '../../../testing/certificate.ts'
import { deriverOn } from '../../../testing/records/handed-deriver.ts'
import { append, fixAt, NOW } from '../../../testing/store-contract/fixture.ts'
import {
  ACCEPT,
  answerWith,
  BREAK,
  HANG,
  type ReceivedMessage,
} from '../../../testing/webhook-receiver.ts'
import { webhookDocument } from '../../acts/webhook-bodies.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../base/access/seal.ts'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import { includedBy } from '../../base/domain/position/field-lists.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { type WebhookTrial, webhookTrial } from './webhook-trial.fixture.ts'

const certificate = selfSigned()

/** The messages without repetitions, in the order of their first try. Their tries must be the same. */
function distinct(received: readonly ReceivedMessage[]): ReceivedMessage[] {
  const first = new Map<string, ReceivedMessage>()
  let last = ''
  for (const message of received) {
    const known = first.get(message.id)
    assert.ok(
      known === undefined || message.id === last,
      'a delivery comes after the one before it',
    )
    assert.equal(message.raw, known?.raw ?? message.raw)
    first.set(message.id, known ?? message)
    last = message.id
  }
  return [...first.values()]
}

/** The seconds of the positions that were received. */
function secondsIn(received: readonly ReceivedMessage[]): number[] {
  return distinct(received)
    .flatMap(({ data }) => data.changes ?? [])
    .filter(({ type }) => type === 'position')
    .map(({ position }) => (Date.parse(position.time_device) - NOW) / 1_000)
}

/** The deadline of a receiver that does not answer. */
const LATE_MS = 2_000

const upTo = (count: number) => Array.from({ length: count }, (_, second) => second)

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await yieldToOthers()
}

/** Resolves when the receiver has this many positions. */
function arrived({ receiver }: WebhookTrial, count: number): Promise<void> {
  return receiver.until(() => secondsIn(receiver.received).length >= count)
}

describe('A webhook', { skip: certificate === undefined && 'openssl is absent' }, () => {
  it('gets the history and then each change, in pages of at most 100', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'history', types: ['positions'] })
    const { receiver } = trial
    await trial.drive(150)
    trial.start()
    await arrived(trial, 150)
    await trial.drive(30)
    await arrived(trial, 180)
    assert.deepEqual(secondsIn(receiver.received), upTo(180))
    for (const { type, data, headers } of receiver.received) {
      assert.equal(type, 'changes')
      assert.ok(data.changes.length <= 100)
      assert.match(data.cursor, /^[\w-]+$/)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    }
    assert.deepEqual(
      receiver.received.slice(0, 2).map(({ data }) => data.snapshot),
      [true, true],
    )
    assert.ok(trial.tried.every(({ sent }) => sent.status === 204))
  })

  it('is signed as another implementation verifies, by two secrets after a rotation', async (t) => {
    const trial = await webhookTrial(t, certificate!)
    const { store, receiver, organization, webhook, secret, clock } = trial
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    const verify = (by: string, { raw, headers }: ReceivedMessage) => {
      const verifier = new Verifier(by)
      // The verifier compares the timestamp with its own clock, so it gets one of now.
      const timestamp = Number(headers['webhook-timestamp'])
      assert.equal(timestamp, Math.floor(clock.now() / 1_000))
      const signature = verifier.sign(String(headers['webhook-id']), new Date(timestamp * 1e3), raw)
      return String(headers['webhook-signature']).split(' ').includes(signature)
    }
    assert.ok(verify(secret, receiver.received[0]!))
    const next = newWebhookSecret()
    const sealed = sealWebhookSecret(await store.secret(), organization, next)
    const { secret: oldSecret } = (await store.webhooks.find(organization, webhook))!
    const oldSecretUntil = clock.now() + 1_000
    const patch = { secret: sealed, oldSecret, oldSecretUntil }
    await store.webhooks.update(organization, webhook, patch, NOW)
    trial.look()
    await trial.drive(1)
    await arrived(trial, 1)
    const both = receiver.received.at(-1)!
    assert.ok(verify(secret, both) && verify(next, both))
    clock.advanceUs(1_000_000)
    await trial.drive(1)
    await arrived(trial, 2)
    const one = receiver.received.at(-1)!
    assert.ok(verify(next, one) && !verify(secret, one))
  })

  it('loses nothing and keeps the order while its receiver fails in all ways', async (t) => {
    const settings = { from: 'history', types: ['positions'] } as const
    const trial = await webhookTrial(t, certificate!, settings, undefined, LATE_MS)
    const { receiver } = trial
    const ways = [answerWith(500), BREAK, answerWith(302, { location: receiver.url }), HANG, ACCEPT]
    let tries = 0
    receiver.behave((response, message) => {
      // Each fifth try succeeds. An answer after it was taken is lost once, too.
      const way = ways[tries++ % ways.length]!
      way(response, message)
    })
    for (let round = 0; round < 3; round += 1) {
      await trial.drive(70)
      if (round === 0) trial.start()
    }
    await arrived(trial, 210)
    assert.deepEqual(secondsIn(receiver.received), upTo(210))
    const ids = distinct(receiver.received).map(({ id }) => id)
    for (const id of ids.slice(0, -1)) {
      assert.equal(receiver.received.filter((each) => each.id === id).length, 5)
    }
  })

  it('continues after a day without its receiver, and across restarts', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { receiver, clock } = trial
    const first = trial.start()
    await receiver.until(() => receiver.received.length === 1)
    const isDown = () => clock.now() < NOW + DAY_MS
    receiver.behave((response, message) => (isDown() ? BREAK : ACCEPT)(response, message))
    await trial.drive(5)
    await receiver.until(() => receiver.received.length > 3)
    first.stop()
    await first.ended
    await trial.drive(250)
    const pauses: number[] = []
    let before = clock.now()
    receiver.behave((response, message) => {
      pauses.push(clock.now() - before)
      before = clock.now()
      ;(isDown() ? BREAK : ACCEPT)(response, message)
    })
    trial.start()
    await arrived(trial, 255)
    assert.deepEqual(secondsIn(receiver.received), upTo(255))
    assert.ok(pauses.length < 60, `${pauses.length} tries in a day`)
    assert.ok(Math.max(...pauses) <= 1.1 * 3_600_000)
  })

  it('is switched off after three days, and continues where it stopped', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { store, receiver, clock, organization, webhook, tried } = trial
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    receiver.behave(answerWith(503))
    await trial.drive(10)
    await receiver.until(() => clock.now() > NOW + 3 * DAY_MS)
    const find = async () => (await store.webhooks.find(organization, webhook))!
    await eventually(async () => (await find()).offAt !== null)
    assert.equal((await find()).offReason, 'failing')
    await eventually(async () => tried.at(-1)!.isSwitchedOff)
    const { delivery } = tried.at(-1)!
    assert.equal(delivery.nextTryAt, null)
    const count = receiver.received.length
    await trial.drive(10)
    receiver.behave(ACCEPT)
    const on = { offAt: null, offReason: null }
    await store.webhooks.update(organization, webhook, on, clock.now())
    trial.look()
    await arrived(trial, 20)
    assert.deepEqual(secondsIn(receiver.received), upTo(20))
    assert.equal(receiver.received[count]!.id, delivery.message)
  })

  it('waits after each failure of the store, and then sends the same delivery again', async (t) => {
    const failures: unknown[] = []
    const settings = { from: 'now', types: ['positions'] } as const
    const trial = await webhookTrial(t, certificate!, { ...settings }, (error) =>
      failures.push(error),
    )
    const { store, receiver, clock } = trial
    const { note } = store.webhooks
    const times: number[] = []
    receiver.behave((response, message) => {
      times.push(clock.now())
      ACCEPT(response, message)
    })
    store.webhooks.note = async (...values) => {
      if (failures.length < 3) throw new StoreUnavailable('the disk is full')
      await note(...values)
    }
    trial.start()
    await receiver.until(() => receiver.received.length === 4)
    assert.equal(failures.length, 3)
    const pauses = times.slice(1).map((time, index) => time - times[index]!)
    assert.deepEqual(pauses, [5_000, 5_000, 5_000])
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
  })

  it('tries again soon when the clock was set back by a day', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { receiver, clock } = trial
    receiver.behave(answerWith(500))
    const first = trial.start()
    await receiver.until(() => receiver.received.length === 1)
    first.stop()
    await first.ended
    clock.advanceUs(-DAY_MS * 1_000)
    receiver.behave(ACCEPT)
    const setBackTo = clock.now()
    trial.start()
    await receiver.until(() => receiver.received.length === 2)
    assert.ok(clock.now() - setBackTo < 3_600_000)
  })

  it('starts again with a resync after its cursor is too old', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'snapshot' })
    const { store, receiver } = trial
    const first = trial.start()
    await receiver.until(() => receiver.received.length === 1)
    first.stop()
    await first.ended
    await trial.drive(3)
    await trial.drive(3)
    while (await store.changeLog.purge(Date.now() + DAY_MS));
    const count = receiver.received.length
    trial.start()
    await receiver.until(() => receiver.received.length >= count + 2)
    const [resync, next] = receiver.received.slice(count)
    assert.equal(resync!.type, 'resync')
    assert.deepEqual(resync!.data, {})
    assert.equal(next!.data.snapshot, true)
    assert.deepEqual(next!.data.changes[0].type, 'retention')
  })

  it('stores once an hour how far it read among changes that it does not select', async (t) => {
    const trial = await webhookTrial(t, certificate!, { types: ['sites'] })
    const { store, receiver, organization, webhook, clock } = trial
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    const cursor = async () => (await store.webhooks.newest(organization, webhook))!.cursor
    const delivered = await cursor()
    await trial.drive(1)
    clock.advanceUs(3_600_000_000)
    await trial.drive(1)
    await eventually(async () => (await cursor()) !== delivered)
    assert.equal(receiver.received.length, 1)
  })

  it('starts again when it selects other changes', async (t) => {
    const trial = await webhookTrial(t, certificate!, { types: ['sites'] })
    const { store, receiver, organization, webhook } = trial
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.webhooks.update(organization, webhook, { types: ['objects'] }, NOW)
    trial.look()
    await receiver.until(() => receiver.received.length === 3)
    const types = receiver.received.map(({ type }) => type)
    assert.deepEqual(types, ['changes', 'resync', 'changes'])
    const kinds = receiver.received[2]!.data.changes.map(({ type }: { type: string }) => type)
    assert.deepEqual(kinds, ['retention', 'object'])
  })

  it('sends the fields that it includes, and starts again when it includes others', async (t) => {
    const trial = await webhookTrial(t, certificate!, { types: ['positions'], from: 'history' })
    const { store, receiver, organization, webhook } = trial
    await trial.drive(1)
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.webhooks.update(organization, webhook, { include: ['quality', 'exact'] }, NOW)
    trial.look()
    await receiver.until(() => receiver.received.length === 3)
    assert.equal(receiver.received[1]!.type, 'resync')
    const [before, after] = [receiver.received[0]!, receiver.received[2]!].map(
      ({ data }) => data.changes.find(({ type }: { type: string }) => type === 'position').position,
    )
    assert.deepEqual(Object.keys(before), includedBy(undefined))
    const included = [...includedBy('quality'), 'exact']
    assert.deepEqual(Object.keys(after), [...includedBy(undefined), ...included])
  })

  it('sends attributes, and starts again when they are shown in another way', async (t) => {
    const settings = { types: ['positions'], include: ['attributes'], from: 'history' } as const
    const trial = await webhookTrial(t, certificate!, settings)
    const { store, receiver, organization, object } = trial
    const fuel: AttributeEntry = {
      ...{ ...ATTRIBUTE_DEFAULTS, name: 'fuel', type: 'number', label: 'Fuel' },
      ...{ sources: ['io84'], isPublic: true },
    }
    await store.attributes.change(organization, () => [fuel])
    const sent = { ...fixAt(NOW), attributes: [{ name: 'io84', value: 125 }] }
    await append(store, organization, object, [sent])
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.attributes.change(organization, () => [{ ...fuel, scale: 0.1 }])
    trial.look()
    await trial.drive(2)
    await receiver.until(() => receiver.received.length === 3)
    assert.equal(receiver.received[1]!.type, 'resync')
    const shown = [receiver.received[0]!, receiver.received[2]!].map(
      ({ data }) =>
        data.changes.find(({ type }: { type: string }) => type === 'position').position.attributes,
    )
    assert.deepEqual(shown, [{ fuel: 125 }, { fuel: 12.5 }])
  })

  it('has the records derived that it names, and gets what changes of them', async (t) => {
    const trial = await webhookTrial(t, certificate!, { types: ['trips', 'stops'] })
    const { store, receiver, organization, object } = trial
    await trial.drive(3)
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    assert.deepEqual(await store.records.wanted(), [organization])
    await deriverOn(store, organization).all()
    await receiver.until(() => receiver.received.length === 2)
    const [{ op, stop }] = receiver.received[1]!.data.changes
    assert.deepEqual([op, stop.object_id], ['put', object])
  })

  it('pauses while the subscription is not active', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { store, receiver, organization } = trial
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.organizations.update(organization, { subscription: 'suspended' }, NOW)
    trial.look()
    await trial.drive(3)
    // A try would come within these turns.
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers()
    assert.equal(receiver.received.length, 1)
    await store.organizations.update(organization, { subscription: 'active' }, NOW)
    trial.look()
    await arrived(trial, 3)
  })

  it('pays for positions, and leaves out those that a quota does not pay', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { store, realtime, receiver, organization, object, clock } = trial
    await store.organizations.update(organization, { dailyQuota: 1 }, NOW)
    trial.look()
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await trial.drive(60)
    await arrived(trial, 60)
    const day = Math.floor(clock.now() / DAY_MS)
    assert.deepEqual(await realtime.quota.used(organization, [object], day), [60])
    receiver.behave(answerWith(500))
    const count = receiver.received.length
    await trial.drive(60)
    await receiver.until(() => receiver.received.length > count + 3)
    assert.deepEqual(await realtime.quota.used(organization, [object], day), [100], 'paid once')
    receiver.behave(ACCEPT)
    await arrived(trial, 100)
    const { changes } = receiver.received.at(-1)!.data
    const withheld = changes.filter(({ type }: { type: string }) => type === 'withheld')
    assert.equal(withheld.length, 1)
    assert.equal(withheld[0].id, object)
  })

  it('gets tests and repeated deliveries, whether it is on or off', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { store, receiver, organization, webhook } = trial
    const { emptyDelivery } = await import('./deliveries.ts')
    trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.webhooks.update(organization, webhook, { offAt: NOW, offReason: 'operator' }, NOW)
    trial.look()
    await store.webhooks.addTest(organization, webhook, await emptyDelivery('test', NOW))
    trial.look()
    await receiver.until(() => receiver.received.length === 2)
    await store.webhooks.want(organization, webhook, 1)
    trial.look()
    await receiver.until(() => receiver.received.length === 3)
    const [first, test, again] = receiver.received
    assert.equal(test!.type, 'test')
    assert.deepEqual(test!.data, {})
    assert.equal(again!.id, first!.id)
    assert.equal(again!.raw, first!.raw)
    receiver.behave(answerWith(500))
    await store.webhooks.addTest(organization, webhook, await emptyDelivery('test', NOW))
    trial.look()
    await receiver.until(() => receiver.received.length === 4)
    const last = async () => (await store.webhooks.deliveries(organization, webhook))[0]!
    await eventually(async () => (await last()).tries > 0)
    const { tries, status, failure, nextTryAt } = await last()
    assert.deepEqual([tries, status, failure, nextTryAt], [1, 500, 'answered 500', null])
  })

  it('shows when a delivery last arrived, also while the next one fails', async (t) => {
    const trial = await webhookTrial(t, certificate!, { from: 'now', types: ['positions'] })
    const { store, receiver, organization, webhook } = trial
    const document = async () =>
      webhookDocument(store, (await store.webhooks.find(organization, webhook))!)
    assert.equal((await document()).last_delivered_at, null)
    trial.start()
    await eventually(async () => (await document()).last_delivered_at !== null)
    const { last_delivered_at } = await document()
    receiver.behave(answerWith(500))
    await trial.drive(1)
    await eventually(async () => (await document()).state === 'failing')
    assert.equal((await document()).last_delivered_at, last_delivered_at)
  })

  it('ends when it is deleted', async (t) => {
    const trial = await webhookTrial(t, certificate!)
    const { store, receiver, organization, webhook } = trial
    const runner = trial.start()
    await receiver.until(() => receiver.received.length === 1)
    await store.webhooks.delete(organization, webhook)
    trial.look()
    await runner.ended
  })
})
