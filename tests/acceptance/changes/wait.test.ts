import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import type { FleetOrganization } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { scoped } from '../harness/scoped.ts'
import { senderOf } from '../harness/sender.ts'

const fleet = await startFleet()
const NOW = new Date().toISOString()
const LONG_MS = 20_000
/** A second, and what a machine under load takes. A page that is held ends after 25 s anyway. */
const ENDED_MS = 20_000

describe('GET /changes?wait', () => {
  const taken = fleet.take()

  it('holds a request until a packet comes', async () => {
    const own = await senderOf(fleet, taken)
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    const begun = performance.now()
    const held = own.get(`/changes?wait=25&cursor=${cursor}`)
    await own.post([{ ident: IDENTS.van, time_device: NOW, latitude: 41, longitude: 2 }])
    const page = resultOf(await held)
    assert.deepEqual(
      page.changes.map(({ type }: { type: string }) => type),
      ['position', 'state'],
    )
    assert.ok(performance.now() - begun < LONG_MS)
  })

  it('holds a request until another process changes something', async () => {
    const own = taken
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    const held = own.get(`/changes?wait=25&cursor=${cursor}`)
    await fleet.json('org', 'update', String(own.id), '--retention-days', '7')
    const page = resultOf(await held)
    assert.deepEqual(
      page.changes.map(({ days }: { days: number }) => days),
      [7],
    )
  })

  it('is open to a key of the catalogue alone while the subscription is suspended', async () => {
    const own = fleet.take()
    const key = await scoped(fleet, own, '--operations', 'changes,geofences')
    await fleet.run('org', 'update', String(own.id), '--subscription', 'suspended')
    const page = resultOf(await key.get('/changes?wait=1'))
    assert.ok(page.changes.length > 0)
    assert.ok(page.changes.every(({ type }: Json) => ['geofence', 'retention'].includes(type)))
  })

  it('gives nothing to a key that was revoked meanwhile: 401', async () => {
    const own = await senderOf(fleet, fleet.take())
    const org = ['--org', String(own.id)]
    const issued = await fleet.json('key', 'issue', ...org)
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    const before = await roomOf(own)
    const held = own.get(`/changes?wait=25&cursor=${cursor}`, {
      headers: { 'x-api-key': issued.key },
    })
    await admittedAfter(before, own)
    await fleet.json('key', 'revoke', ...org, String(issued.id))
    await own.post([{ ident: IDENTS.van, time_device: NOW, latitude: 41, longitude: 2 }])
    const answer = await held
    assertRefused(answer, 401, 'ERR999', 'Unauthorized')
    assert.notEqual(answer.headers['x-ratelimit-limit'], undefined, 'it was admitted before')
  })

  it('ends within a second of the revocation of its key, though nothing has changed: 401', async () => {
    const own = fleet.take()
    const org = ['--org', String(own.id)]
    const issued = await fleet.json('key', 'issue', ...org)
    const headers = { 'x-api-key': issued.key }
    const { cursor } = resultOf(await own.get('/changes?from=now', { headers }))
    const before = await roomOf(own)
    const held = own.get(`/changes?wait=25&cursor=${cursor}`, { headers })
    await admittedAfter(before, own)
    await fleet.json('key', 'revoke', ...org, String(issued.id))
    // The command itself may take longer than the second.
    const revoked = performance.now()
    const answer = await held
    assertRefused(answer, 401, 'ERR999', 'Unauthorized')
    assert.ok(performance.now() - revoked < ENDED_MS)
    assert.notEqual(answer.headers['x-ratelimit-limit'], undefined, 'it was admitted before')
  })

  it('ends when the subscription ends: 403 with positions, an empty page with states', async () => {
    const own = fleet.take()
    const all = resultOf(await own.get('/changes?from=now')).cursor
    const states = resultOf(await own.get('/changes?from=now&types=states')).cursor
    const before = await roomOf(own)
    const held = [all, states].map((cursor) => own.get(`/changes?wait=25&cursor=${cursor}`))
    await admittedAfter(before - 1, own)
    await fleet.json('org', 'update', String(own.id), '--subscription', 'suspended')
    const ended = performance.now()
    const [ofAll, ofStates] = await Promise.all(held)
    assertRefused(ofAll!, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
    assert.deepEqual(resultOf(ofStates!).changes, [])
    assert.ok(performance.now() - ended < ENDED_MS)
    const again = own.get(`/changes?wait=25&cursor=${resultOf(ofStates!).cursor}`)
    await fleet.json('org', 'update', String(own.id), '--subscription', 'active')
    assert.deepEqual(resultOf(await again).changes, [])
  })

  it('gives no positions without a subscription: 403', async () => {
    const own = await senderOf(fleet, fleet.take())
    const all = resultOf(await own.get('/changes?from=now')).cursor
    const objects = resultOf(await own.get('/changes?from=now&types=objects')).cursor
    const heldAll = own.get(`/changes?wait=25&cursor=${all}`)
    const heldObjects = own.get(`/changes?wait=1&cursor=${objects}`)
    await fleet.json('org', 'update', String(own.id), '--subscription', 'suspended')
    await own.post([{ ident: IDENTS.van, time_device: NOW, latitude: 41, longitude: 2 }])
    assertRefused(await heldAll, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
    assert.deepEqual(resultOf(await heldObjects).changes, [])
  })

  it('is logged without a failure when its client leaves', async () => {
    const own = fleet.take()
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    const leaving = new AbortController()
    const { signal } = leaving
    const headers = { 'x-api-key': own.key }
    const url = `${fleet.server.api}${PREFIX}/changes?wait=25&cursor=${cursor}`
    const before = await roomOf(own)
    const held = fetch(url, { headers, signal })
    await admittedAfter(before, own)
    leaving.abort()
    await assert.rejects(held, { name: 'AbortError' })
    const isMine = ({ organization }: Json) => organization === own.id
    const gone = await until(() => fleet.server.log.find((each) => isMine(each) && each.aborted))
    const ofRequest = fleet.server.log.filter(({ request_id }) => request_id === gone.request_id)
    assert.deepEqual(ofRequest, [gone])
  })

  it('answers an empty page with a new cursor when the time is over', async () => {
    const own = taken
    const page = resultOf(await own.get('/changes?from=now&wait=1'))
    assert.deepEqual([page.changes, page.has_more], [[], false])
  })

  it('is not held for HEAD', async () => {
    const own = taken
    const begun = performance.now()
    const answer = await own.get('/changes?from=now&wait=25', { method: 'HEAD' })
    assert.equal(answer.status, 200)
    assert.ok(performance.now() - begun < LONG_MS)
  })
})

/** Resolves when the window counts another request that was sent when it had this room. */
async function admittedAfter(before: number, own: FleetOrganization): Promise<void> {
  for (let asked = 1; (await roomOf(own)) > before - asked - 1; asked += 1) {}
}

/** The requests that the window still admits after this one. */
async function roomOf(own: FleetOrganization): Promise<number> {
  return Number((await own.get('/changes?from=now')).headers['x-ratelimit-remaining'])
}

/** The line of a request is written a moment after its connection has closed. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (const deadline = performance.now() + LONG_MS; performance.now() < deadline; await pause(5)) {
    const found = look()
    if (found !== undefined) return found
  }
  throw new Error('it did not come about')
}
