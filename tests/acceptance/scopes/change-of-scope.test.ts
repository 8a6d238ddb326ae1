import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet()

const update = (organization: { id: number }, key: number, ...scope: string[]) =>
  fleet.json('key', 'update', '--org', String(organization.id), String(key), ...scope)

describe('A changed scope', () => {
  it('holds from the next request on', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const caller = await scoped(fleet, organization, '--objects', `${van}`)
    assert.equal((await caller.get(`/objects/${truck}`)).status, 404)
    await update(organization, caller.keyId, '--objects', `${van},${truck}`)
    assert.equal((await caller.get(`/objects/${truck}`)).status, 200)
    await update(organization, caller.keyId, '--objects', `${truck}`, '--operations', 'detail')
    assert.equal((await caller.get(`/objects/${van}`)).status, 404)
    assert.equal((await caller.get('/objects')).status, 403)
    await update(organization, caller.keyId, '--objects', 'all', '--operations', 'all')
    assert.equal(resultOf(await caller.get('/objects')).length, 4)
  })

  it('makes cursors of /changes expire, in both directions', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization)
    const cursorOf = async () => resultOf(await caller.get('/changes')).cursor
    const whole = await cursorOf()
    await update(organization, caller.keyId, '--objects', `${organization.objects.van}`)
    assertRefused(await caller.get(`/changes?cursor=${whole}`), 410, 'PUBLIC.410_001')
    const narrow = await cursorOf()
    assert.equal((await caller.get(`/changes?cursor=${narrow}`)).status, 200)
    assertRefused(await organization.get(`/changes?cursor=${narrow}`), 410, 'PUBLIC.410_001')
    await update(organization, caller.keyId, '--objects', 'all')
    assertRefused(await caller.get(`/changes?cursor=${narrow}`), 410, 'PUBLIC.410_001')
  })

  it('keeps cursors if it shows the same', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    const caller = await scoped(fleet, organization, '--objects', `${van}`)
    const { cursor } = resultOf(await caller.get('/changes'))
    await update(organization, caller.keyId, '--window-share', '9')
    assert.equal((await caller.get(`/changes?cursor=${cursor}`)).status, 200)
  })

  it('ends streams and held requests', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization)
    const headers = { 'x-api-key': caller.key, accept: 'text/event-stream' }
    const events = await openEvents(`${fleet.server.api}${PREFIX}/changes?from=now`, headers)
    assert.ok('next' in events)
    const { cursor } = (await events.next())!.data
    const held = caller.get(`/changes?cursor=${cursor}&wait=25`)
    await update(organization, caller.keyId, '--objects', `${organization.objects.van}`)
    assert.equal(await events.next(), null)
    assertRefused(await held, 410, 'PUBLIC.410_001')
  })
})

describe('Entity tags of keys with other scopes', async () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const callers = [
    organization,
    await scoped(fleet, organization, '--objects', `${van}`),
    await scoped(fleet, organization, '--data-until', '2024-05-06T08:03:00Z'),
  ]

  it('differ, and match nothing of another scope', async () => {
    const etags: string[] = []
    for (const caller of callers) etags.push((await caller.get('/objects')).headers.etag as string)
    assert.equal(new Set(etags).size, callers.length)
    const headers = { 'if-none-match': etags.join(', ') }
    for (const [at, caller] of callers.entries()) {
      assert.equal((await caller.get('/objects', { headers })).status, 304)
      const others = etags.filter((_, index) => index !== at).join(', ')
      const answer = await caller.get('/objects', { headers: { 'if-none-match': others } })
      assert.equal(answer.status, 200)
    }
  })
})

describe('The list of a key with a range of time', async () => {
  const organization = fleet.take()
  const caller = await scoped(fleet, organization, '--data-until', '2024-05-06T08:03:00Z')

  it('has another entity tag in another distance unit', async () => {
    const first = await caller.get('/objects')
    const known = { headers: { 'if-none-match': String(first.headers.etag) } }
    assert.equal((await caller.get('/objects', known)).status, 304)
    await fleet.run('org', 'update', String(organization.id), '--distance-unit', 'mi')
    const second = await caller.get('/objects', known)
    assert.equal(second.status, 200)
    assert.notEqual(second.headers.etag, first.headers.etag)
  })
})

describe('The list of a key with a scope of one object', async () => {
  const organization = fleet.take()
  const { van, truck } = organization.objects
  const caller = await scoped(fleet, organization, '--objects', `${van}`)

  it('keeps its tag while other objects change', async () => {
    const before = await caller.get('/objects')
    assert.deepEqual(
      resultOf(before).map(({ id }: Json) => id),
      [van],
    )
    const org = ['--org', `${organization.id}`]
    await fleet.run('objects', 'update', ...org, `${truck}`, '--name', 'Other')
    const headers = { 'if-none-match': before.headers.etag as string }
    assert.equal((await caller.get('/objects', { headers })).status, 304)
    await fleet.run('objects', 'update', ...org, `${van}`, '--name', 'Another')
    assert.equal((await caller.get('/objects', { headers })).status, 200)
  })
})
