import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { type Events, openEvents, type ServerEvent } from '../harness/events.ts'
import type { FleetOrganization } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'
import { senderOf } from '../harness/sender.ts'

const fleet = await startFleet()
const SECOND_MS = 1_000
const ACCEPT = 'text/event-stream'

async function tryToOpen(own: FleetOrganization, query = '', headers = {}) {
  const all = { 'x-api-key': own.key, accept: ACCEPT, ...headers }
  return openEvents(`${fleet.server.api}${PREFIX}/changes${query}`, all)
}

async function open(own: FleetOrganization, query = '', headers = {}): Promise<Events> {
  const opened = await tryToOpen(own, query, headers)
  assert.ok('next' in opened, JSON.stringify(opened))
  return opened
}

async function nextOf(events: Events): Promise<ServerEvent> {
  const event = await events.next()
  assert.ok(event !== null, 'the stream has ended')
  return event
}

/** The server notices within a turn that a client has gone. */
async function openWhenFree(own: FleetOrganization): Promise<Events> {
  for (let attempt = 1; ; attempt += 1) {
    const opened = await tryToOpen(own, '?from=now')
    if ('next' in opened) return opened
    assert.ok(opened.status === 429 && attempt < 5, `${opened.status}`)
  }
}

const typesIn = ({ data }: ServerEvent) => data.changes.map(({ type }: { type: string }) => type)

describe('GET /changes as a stream of events', { concurrency: true }, () => {
  const shared = fleet.take()

  it('sends the first page at once, and then each change with the cursor after it', async () => {
    const own = await senderOf(fleet, shared)
    const events = await open(own, '?from=now')
    const first = await nextOf(events)
    assert.deepEqual(
      [first.event, first.data.changes, first.id],
      ['message', [], first.data.cursor],
    )
    const time = new Date().toISOString()
    await own.post([{ ident: IDENTS.van, time_device: time, latitude: 41, longitude: 2 }])
    const second = await nextOf(events)
    assert.deepEqual(typesIn(second), ['position', 'state'])
    assert.equal(second.id, second.data.cursor)
    events.close()
    const again = await open(own, '?from=history', { 'last-event-id': first.id })
    // Derived records are changes of their own, which may have come since.
    assert.deepEqual((await nextOf(again)).data.changes, second.data.changes)
    again.close()
  })

  it('sends a snapshot in pages, and continues', async () => {
    const own = fleet.take()
    const events = await open(own, '?limit=2')
    let event = await nextOf(events)
    assert.equal(event.data.snapshot, true)
    while (event.data.has_more) event = await nextOf(events)
    await fleet.json('org', 'update', String(own.id), '--retention-days', '9')
    assert.deepEqual(typesIn(await nextOf(events)), ['retention'])
    events.close()
  })

  it('ends with `resync` when its cursor has expired', async () => {
    const own = fleet.take()
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    await fleet.json('org', 'update', String(own.id), '--distance-unit', 'mi')
    const refused = await own.get(`/changes?cursor=${cursor}`)
    assertRefused(refused, 410, 'PUBLIC.410_001', 'cursor is too old: start again without cursor.')
    const events = await open(own, `?cursor=${cursor}`)
    const event = await nextOf(events)
    assert.deepEqual([event.event, event.id, event.data.statusCode], ['resync', 'id', 410])
    assert.equal(await events.next(), null)
  })

  it('ends with `resync` while it waits, if the distance unit changes', async () => {
    const own = fleet.take()
    const events = await open(own, '?from=now')
    await nextOf(events)
    await fleet.json('org', 'update', String(own.id), '--distance-unit', 'mi')
    assert.equal((await nextOf(events)).event, 'resync')
    assert.equal(await events.next(), null)
  })

  it('ends with `error` when an object cannot pay for the first entry', async () => {
    const own = fleet.take()
    await fleet.json('org', 'update', String(own.id), '--daily-quota', '1')
    const query = `?types=states&ids=${own.objects.van}`
    resultOf(await own.get(`/changes${query}`))
    const events = await open(own, query)
    assert.deepEqual(typesIn(await nextOf(events)), ['retention'])
    const event = await nextOf(events)
    assert.deepEqual([event.event, event.data.errorCode], ['error', 'PUBLIC.400_005'])
    assert.equal(await events.next(), null)
  })

  it('is refused before it begins for wrong parameters and wrong keys', async () => {
    const own = shared
    assert.deepEqual((await tryToOpen(own, '?limit=0')) as object, {
      status: 400,
      retryAfter: undefined,
    })
    const wrongEnd = own.key.endsWith('0') ? '1' : '0'
    const stranger = await tryToOpen({ ...own, key: own.key.slice(0, -1) + wrongEnd })
    assert.ok('status' in stranger && stranger.status === 401)
    for (const [query, status] of [
      ...[
        ['?types=moods', 400],
        ['?cursor=forged', 400],
        ['?ids=999999999', 404],
      ],
      ...[['?from=now&wait=26', 400]],
    ]) {
      const refused = await tryToOpen(own, String(query))
      assert.ok('status' in refused && refused.status === status, String(query))
    }
    const forged = await tryToOpen(own, '', { 'last-event-id': 'forged' })
    assert.ok('status' in forged && forged.status === 400)
  })

  it('is one of 10: the 11th is a 429, and a place comes back', async () => {
    const own = fleet.take()
    const streams = []
    for (let count = 0; count < 10; count += 1) streams.push(await open(own, '?from=now'))
    const askForMore = () => own.get('/changes?from=now', { headers: { accept: ACCEPT } })
    const { headers } = await askForMore()
    assert.equal(headers['x-ratelimit-remaining'], '0', 'the streams have filled the window too')
    await own.time.pass(10 * SECOND_MS)
    const refused = await askForMore()
    assertRefused(refused, 429, 'ERR999')
    assert.equal(refused.headers['retry-after'], '10')
    assert.equal(refused.headers['x-ratelimit-remaining'], '10', 'the refusal does not count')
    streams[0]!.close()
    await streams[0]!.next()
    const another = await openWhenFree(own)
    for (const stream of [another, ...streams]) stream.close()
  })

  it('ends within a second of the revocation of its key', async () => {
    const own = fleet.take()
    const issued = await fleet.json('key', 'issue', '--org', String(own.id))
    const events = await open({ ...own, key: issued.key }, '?from=now')
    await nextOf(events)
    await fleet.json('key', 'revoke', '--org', String(own.id), String(issued.id))
    const revoked = performance.now()
    assert.equal(await events.next(), null)
    // A second, and what a machine under load takes for the command and the answer.
    assert.ok(performance.now() - revoked < 20_000)
  })

  it('sends states without a subscription, and is refused with records or without types', async () => {
    const own = await senderOf(fleet, fleet.take())
    await fleet.run('org', 'update', String(own.id), '--subscription', 'suspended')
    for (const query of ['', '?types=positions,states', '?types=trips', '?types=stops']) {
      const refused = await tryToOpen(own, query)
      assert.deepEqual(refused, { status: 403, retryAfter: undefined })
    }
    const events = await open(own, '?from=now&types=states')
    await nextOf(events)
    const time = new Date().toISOString()
    await own.post([{ ident: IDENTS.van, time_device: time, latitude: 41, longitude: 2 }])
    assert.deepEqual(typesIn(await nextOf(events)), ['state'])
    events.close()
  })

  it('ends when the subscription changes', async () => {
    const own = fleet.take()
    const events = await open(own, '?from=now&types=objects')
    await nextOf(events)
    await fleet.json('org', 'update', String(own.id), '--subscription', 'suspended')
    assert.equal(await events.next(), null)
    const again = await open(own, '?from=now&types=objects')
    await nextOf(again)
    again.close()
  })
})
