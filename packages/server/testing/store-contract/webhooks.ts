import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { DAY_MS } from '../../src/base/domain/time/time.ts'
import {
  KEPT_DELIVERIES,
  type NewDelivery,
  WEBHOOK_DEFAULTS,
} from '../../src/base/domain/webhook.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { NewWebhook, Tried } from '../../src/engine/store/webhook-store.ts'
import { MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

const SETTINGS: NewWebhook = {
  ...WEBHOOK_DEFAULTS,
  url: 'https://example.com/hook',
  secret: Buffer.from('sealed'),
}

const FRESH = {
  tries: 0,
  triedAt: null,
  status: null,
  failure: null,
  durationMs: null,
  arrived: 0,
  deliveredAt: null,
  failingSince: null,
  nextTryAt: null,
}

const DELIVERED: Tried = {
  triedAt: NOW + 5,
  status: 204,
  failure: null,
  durationMs: 12,
  arrived: 3,
  failingSince: null,
  nextTryAt: null,
  isDelivered: true,
}

const FAILED: Tried = {
  triedAt: NOW + 7,
  status: 500,
  failure: 'answered 500',
  durationMs: 3,
  arrived: 1,
  failingSince: NOW + 7,
  nextTryAt: NOW + 5_000,
  isDelivered: false,
}

export function page(message: string, more: Partial<NewDelivery> = {}): NewDelivery {
  const about = { kind: 'changes', createdAt: NOW, cursor: `after ${message}`, entries: 3 } as const
  const disclosed = { objects: [7], rows: [3] }
  return { ...about, disclosed, message, body: Buffer.from(`body of ${message}`), ...more }
}

const tryOf = (number: number, message: string) => ({ number, message })

export async function newWebhook(store: Store, organization: number): Promise<number> {
  return (await store.webhooks.create(organization, SETTINGS, NOW)).id
}

/** A webhook of a new organization. */
async function withWebhook(store: Store) {
  const organization = await newOrganization(store)
  return { organization, id: await newWebhook(store, organization), webhooks: store.webhooks }
}

export function webhookContract(it: StoreTest): void {
  describe('Webhooks', () => {
    settingsContract(it)
    deliveryContract(it)
    leaseContract(it)
  })
}

function settingsContract(it: StoreTest): void {
  it('are listed by id, with all settings', async (store, reopen) => {
    const organization = await newOrganization(store)
    const first = await store.webhooks.create(organization, SETTINGS, NOW)
    assert.deepEqual(first, {
      ...SETTINGS,
      disclosee: 0,
      id: first.id,
      organization,
      oldSecret: null,
      oldSecretUntil: null,
      offAt: null,
      offReason: null,
      restarts: false,
      createdAt: NOW,
      updatedAt: NOW,
    })
    const chosen = {
      types: ['positions', 'sites'],
      ids: [3, 2 ** 40],
      include: ['quality'],
      from: 'now',
    } as const
    const second = await store.webhooks.create(organization, { ...SETTINGS, ...chosen }, NOW)
    const { webhooks } = await reopen()
    assert.deepEqual(await webhooks.list(organization), [first, second])
    assert.deepEqual(await webhooks.find(organization, second.id), second)
    const { types, ids, include, from } = second
    assert.deepEqual({ types, ids, include, from }, chosen)
    const other = await newOrganization(store)
    assert.deepEqual(await webhooks.list(other), [])
    assert.equal(await webhooks.find(other, first.id), null)
    assert.equal(await webhooks.update(other, first.id, { url: 'https://b' }, NOW), null)
    assert.equal(await webhooks.delete(other, first.id), false)
    await assert.rejects(webhooks.create(MISSING, SETTINGS, NOW))
  })

  it('start anew when they select other changes, and not when other settings change', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    const rotated = {
      secret: Buffer.from('new'),
      oldSecret: Buffer.from('sealed'),
      oldSecretUntil: NOW + 9,
    }
    const off = { offAt: NOW + 1, offReason: 'failing' } as const
    const url = 'https://example.org/'
    const changed = await webhooks.update(organization, id, { url, ...rotated, ...off }, NOW + 1)
    assert.deepEqual(changed, {
      ...(await webhooks.find(organization, id)),
      ...rotated,
      ...off,
      url,
      restarts: false,
      updatedAt: NOW + 1,
    })
    await webhooks.update(organization, id, { types: ['states'] }, NOW + 2)
    assert.equal((await webhooks.find(organization, id))!.restarts, true)
    await webhooks.add(organization, id, 0, page('resync', { kind: 'resync', cursor: null }))
    assert.equal((await webhooks.find(organization, id))!.restarts, false)
    await webhooks.update(organization, id, { types: ['states'], ids: null }, NOW + 2)
    assert.equal((await webhooks.find(organization, id))!.restarts, false)
  })

  it('keep whom they are for under ids that never change', async (store) => {
    const organization = await newOrganization(store)
    const insurer = { recipient: 'Insurer Ltd', purpose: 'a claim' }
    const { webhooks, keys } = store
    const { id, disclosee, recipient } = await webhooks.create(
      organization,
      { ...SETTINGS, ...insurer, form: 'osmand', secret: null },
      NOW,
    )
    assert.equal(recipient, 'Insurer Ltd')
    const same = await webhooks.update(organization, id, { ...insurer, from: 'now' }, NOW)
    assert.equal(same!.disclosee, disclosee)
    const other = await webhooks.update(organization, id, { purpose: 'a test' }, NOW)
    assert.notEqual(other!.disclosee, disclosee)
    assert.deepEqual(await webhooks.find(organization, id), other)
    assert.deepEqual(
      (await keys.disclosees(organization)).map(({ id: kept, purpose }) => [kept, purpose]),
      [
        [disclosee, 'a claim'],
        [other!.disclosee, 'a test'],
      ],
    )
  })

  it('send nothing again that may show deleted positions', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    const old = page('before', { createdAt: NOW - 2 * DAY_MS })
    for (const [after, delivery] of [old, page('shown')].entries()) {
      await webhooks.add(organization, id, after, delivery)
      await webhooks.note(organization, id, { ...delivery, number: after + 1 }, DELIVERED)
    }
    await webhooks.add(organization, id, 2, page('under way'))
    const other = await withWebhook(store)
    await other.webhooks.add(other.organization, other.id, 0, page('other'))
    await webhooks.forget(organization, NOW)
    const newest = await webhooks.newest(organization, id)
    assert.deepEqual([newest!.message, newest!.body], ['shown', null])
    assert.equal(await webhooks.want(organization, id, 2), null)
    assert.equal((await webhooks.want(organization, id, 1))!.message, 'before')
    assert.notEqual(await webhooks.add(organization, id, 2, page('again')), null)
    const kept = await other.webhooks.newest(other.organization, other.id)
    assert.deepEqual([kept!.message, kept!.body], ['other', Buffer.from('body of other')])
  })

  it('from now on start again if a delivery is forgotten whose predecessor has no cursor', async (store) => {
    const organization = await newOrganization(store)
    const { webhooks } = store
    const restarts = async (
      from: 'now' | 'snapshot',
      before: NewDelivery[],
      pending: NewDelivery,
    ) => {
      const { id } = await webhooks.create(organization, { ...SETTINGS, from }, NOW)
      for (const [after, delivery] of before.entries()) {
        await webhooks.add(organization, id, after, delivery)
        await webhooks.note(organization, id, { ...delivery, number: after + 1 }, DELIVERED)
      }
      await webhooks.addTest(organization, id, page('test', { kind: 'test' }))
      await webhooks.add(organization, id, before.length, pending)
      await webhooks.forget(organization, NOW)
      return (await webhooks.find(organization, id))!.restarts
    }
    const resync = page('resync', { kind: 'resync', cursor: null })
    const old = page('old', { createdAt: NOW - 2 * DAY_MS })
    assert.equal(await restarts('now', [], page('first')), true)
    assert.equal(await restarts('now', [page('a'), resync], page('after a resync')), true)
    assert.equal(await restarts('now', [page('a')], page('b')), false)
    assert.equal(await restarts('now', [resync], old), false)
    assert.equal(await restarts('now', [page('a')], resync), false)
    assert.equal(await restarts('snapshot', [resync], page('first')), false)
  })

  it('note no try of a delivery that was forgotten meanwhile', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    const tried = await webhooks.add(organization, id, 0, page('forgotten'))
    await webhooks.forget(organization, NOW)
    const again = await webhooks.add(organization, id, 0, page('made again'))
    assert.equal(again!.number, tried!.number)
    await webhooks.note(organization, id, tried!, DELIVERED)
    assert.deepEqual(await webhooks.newest(organization, id), again)
  })

  it('send nothing again that was made under other grants', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    await webhooks.add(organization, id, 0, page('a'))
    await webhooks.note(organization, id, tryOf(1, 'a'), DELIVERED)
    await webhooks.add(organization, id, 1, page('b'))
    const grants = [{ objects: [3], from: NOW, until: null, attributes: ['fuel'] }]
    const changed = await webhooks.update(organization, id, { grants }, NOW + 1)
    assert.deepEqual(changed!.grants, grants)
    assert.equal(changed!.restarts, true)
    const newest = await webhooks.newest(organization, id)
    assert.equal(newest!.message, 'a')
    assert.equal(newest!.body, null)
    assert.equal(await webhooks.want(organization, id, 1), null)
    await webhooks.add(organization, id, 1, page('resync', { kind: 'resync', cursor: null }))
    await webhooks.update(organization, id, { grants }, NOW + 2)
    assert.equal((await webhooks.newest(organization, id))!.message, 'resync')
  })

  it('are deleted with their deliveries, and with their organization', async (store) => {
    const [kept, gone] = [await newOrganization(store), await newOrganization(store)]
    const [first, second] = [await newWebhook(store, kept), await newWebhook(store, kept)]
    const third = await newWebhook(store, gone)
    const { webhooks } = store
    for (const [organization, webhook] of [
      [kept, first],
      [kept, second],
      [gone, third],
    ] as const) {
      await webhooks.add(organization, webhook, 0, page('a'))
    }
    await webhooks.lease('me', 60_000)
    assert.deepEqual(await webhooks.organizations(), [kept, gone])
    assert.equal(await webhooks.delete(kept, first), true)
    assert.equal(await webhooks.delete(kept, first), false)
    assert.equal(await webhooks.newest(kept, first), null)
    assert.equal((await webhooks.newest(kept, second))!.message, 'a')
    await store.organizations.delete(gone)
    assert.deepEqual(await webhooks.organizations(), [kept])
    assert.equal(await webhooks.newest(gone, third), null)
    assert.equal(await webhooks.add(gone, third, 0, page('b')), null)
    assert.equal(await webhooks.addTest(kept, first, page('b', { kind: 'test' })), null)
  })

  it('report changes of settings, tests and requested retries, but no deliveries', async (store, reopen, {
    settled,
  }) => {
    const organization = await newOrganization(store)
    const { webhooks } = store
    const topics: string[] = []
    const watch = (await reopen()).watch((change) => void topics.push(change.topic))
    const reported = async (work: Promise<unknown>) => {
      topics.length = 0
      await work
      await settled(watch)
      return [...topics]
    }
    let id = 0
    const created = newWebhook(store, organization).then((made) => (id = made))
    assert.deepEqual(await reported(created), ['webhooks'])
    assert.deepEqual(await reported(webhooks.add(organization, id, 0, page('a'))), [])
    assert.deepEqual(await reported(webhooks.note(organization, id, tryOf(1, 'a'), FAILED)), [])
    assert.deepEqual(await reported(webhooks.want(organization, id, 1)), ['webhooks'])
    const test = page('test', { kind: 'test' })
    assert.deepEqual(await reported(webhooks.addTest(organization, id, test)), ['webhooks'])
    const off = webhooks.update(organization, id, { offAt: NOW }, NOW)
    assert.deepEqual(await reported(off), ['webhooks'])
    assert.deepEqual(await reported(webhooks.delete(organization, id)), ['webhooks'])
    watch.close()
  })
}

function deliveryContract(it: StoreTest): void {
  it('have one pending delivery at a time', async (store, reopen) => {
    const { organization, id, webhooks } = await withWebhook(store)
    const others = (await reopen()).webhooks
    assert.equal(await webhooks.newest(organization, id), null)
    const added = await Promise.all(
      [webhooks, others, webhooks].map((each, index) =>
        each.add(organization, id, 0, page(`try ${index}`)),
      ),
    )
    const [first, ...more] = added.filter((each) => each !== null)
    assert.deepEqual(more, [])
    assert.deepEqual(first, { ...FRESH, ...page(first!.message), number: 1, isWanted: false })
    assert.equal(await webhooks.add(organization, id, 1, page('too early')), null)
    await webhooks.note(organization, id, first!, FAILED)
    assert.equal(await webhooks.add(organization, id, 1, page('too early')), null)
    await others.note(organization, id, first!, DELIVERED)
    assert.equal(await webhooks.add(organization, id, 0, page('behind')), null)
    const second = await webhooks.add(organization, id, 1, page('b'))
    assert.deepEqual(await others.newest(organization, id), second)
    assert.equal(second!.number, 2)
  })

  it('take a resync first when they start again', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    await webhooks.update(organization, id, { types: ['trips'] }, NOW)
    assert.equal(await webhooks.add(organization, id, 0, page('of before')), null)
    await webhooks.add(organization, id, 0, page('again', { kind: 'resync' }))
    await webhooks.note(organization, id, tryOf(1, 'again'), DELIVERED)
    assert.notEqual(await webhooks.add(organization, id, 1, page('next')), null)
  })

  it('keep the last try of a delivery, and the time when it first arrived', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    await webhooks.add(organization, id, 0, page('a'))
    const newest = () => webhooks.newest(organization, id)
    await webhooks.note(organization, id, tryOf(1, 'a'), FAILED)
    const { isDelivered: _, ...failed } = FAILED
    const of = { ...FRESH, ...page('a'), number: 1, isWanted: false }
    assert.deepEqual(await newest(), { ...of, ...failed, tries: 1 })
    await webhooks.note(organization, id, tryOf(1, 'a'), DELIVERED)
    await webhooks.note(organization, id, tryOf(1, 'a'), {
      ...FAILED,
      nextTryAt: null,
      failingSince: null,
    })
    const last = { ...failed, nextTryAt: null, failingSince: null }
    const after = { ...of, ...last, tries: 3, deliveredAt: DELIVERED.triedAt }
    assert.deepEqual(await newest(), after)
    await webhooks.advance(organization, id, 1, 'farther')
    assert.deepEqual(await newest(), { ...after, cursor: 'farther' })
    assert.deepEqual(await webhooks.deliveries(organization, id), [
      { ...after, cursor: 'farther', body: null },
    ])
  })

  it('try a pending delivery at once when they are mended', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    await webhooks.add(organization, id, 0, page('a'))
    await webhooks.note(organization, id, tryOf(1, 'a'), FAILED)
    const pause = async () => (await webhooks.newest(organization, id))!.nextTryAt
    await webhooks.update(organization, id, { from: 'now', offAt: NOW }, NOW)
    assert.equal(await pause(), FAILED.nextTryAt)
    await webhooks.update(organization, id, { offAt: null, offReason: null }, NOW)
    assert.equal(await pause(), null)
    await webhooks.note(organization, id, tryOf(1, 'a'), FAILED)
    await webhooks.update(organization, id, { url: 'https://example.net' }, NOW)
    assert.equal(await pause(), null)
  })

  it('are sent tests and chosen deliveries outside of the order', async (store, reopen) => {
    const { organization, id } = await withWebhook(store)
    const { webhooks } = await reopen()
    await webhooks.add(organization, id, 0, page('a'))
    await webhooks.note(organization, id, tryOf(1, 'a'), DELIVERED)
    const test = await webhooks.addTest(organization, id, page('test', { kind: 'test' }))
    assert.equal(test!.number, 2)
    const again = await webhooks.want(organization, id, 1)
    assert.deepEqual(await webhooks.wanted(organization, id), [again, test])
    assert.equal(again!.message, 'a')
    assert.equal(await webhooks.want(organization, id, 3), null)
    assert.equal((await webhooks.newest(organization, id))!.message, 'a')
    await webhooks.note(organization, id, tryOf(2, 'test'), {
      ...FAILED,
      nextTryAt: null,
      failingSince: null,
    })
    assert.deepEqual(await webhooks.wanted(organization, id), [again])
    assert.equal((await webhooks.add(organization, id, 1, page('b')))!.number, 3)
  })

  it('keep their newest deliveries, and always the newest in order', async (store) => {
    const { organization, id, webhooks } = await withWebhook(store)
    await webhooks.add(organization, id, 0, page('old'))
    await webhooks.note(organization, id, tryOf(1, 'old'), DELIVERED)
    await webhooks.add(organization, id, 1, page('place'))
    for (let number = 3; number <= KEPT_DELIVERIES + 4; number += 1) {
      await webhooks.addTest(organization, id, page('test', { kind: 'test' }))
    }
    const kept = await webhooks.deliveries(organization, id)
    assert.equal(kept.length, KEPT_DELIVERIES + 1)
    assert.deepEqual([kept[0]!.number, kept.at(-1)!.message], [KEPT_DELIVERIES + 4, 'place'])
    assert.equal((await webhooks.newest(organization, id))!.number, 2)
  })
}

function leaseContract(it: StoreTest): void {
  it('are delivered by one holder, until its lease ends or it gives it up', async (store, reopen) => {
    const [first, second] = [await newOrganization(store), await newOrganization(store)]
    await newOrganization(store)
    const { webhooks } = store
    const others = (await reopen()).webhooks
    assert.deepEqual(await webhooks.organizations(), [])
    assert.deepEqual(await webhooks.lease('a', 60_000), [])
    for (const organization of [first, first, second]) await newWebhook(store, organization)
    assert.deepEqual(await webhooks.organizations(), [first, second])
    const both = await Promise.all([webhooks.lease('a', 60_000), others.lease('b', 60_000)])
    const winner = both[0].length > 0 ? 'a' : 'b'
    assert.deepEqual(both.flat(), [first, second])
    assert.deepEqual(await webhooks.lease(winner, 1), [first, second])
    // Its lease of a millisecond ends while the other one asks.
    let held: number[] = []
    while (held.length === 0) held = await others.lease('c', 60_000)
    assert.deepEqual(held, [first, second])
    assert.deepEqual(await webhooks.lease(winner, 60_000), [])
    await webhooks.release('c')
    assert.deepEqual(await webhooks.lease(winner, 60_000), [first, second])
  })

  it('are taken from a holder whose lease ends impossibly late, and not from one that read a later clock', async (store) => {
    const organization = await newOrganization(store)
    const { webhooks } = store
    await newWebhook(store, organization)
    assert.deepEqual(await webhooks.lease('a', 60_000), [organization])
    assert.deepEqual(await webhooks.lease('b', 59_000), [])
    assert.deepEqual(await webhooks.lease('b', 1_000), [organization])
  })
}
