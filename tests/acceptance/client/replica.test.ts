/** Copies of a fleet that follow its changes. A test asks at most ten times, so that it does not wait for the window. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  type Change,
  type ChangesPage,
  Fleetgate,
  type Position,
  type Replica,
  type Stop,
  type Trip,
  UnauthorizedError,
  type Visit,
} from '../../../packages/client/src/index.ts'
import { resultOf } from '../harness/envelope.ts'
import type { FleetOrganization } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS, type ObjectName } from '../harness/fleet-data.ts'
import { senderOf } from '../harness/sender.ts'
import { driven, RANGE as OF_DRIVES } from '../trips/records-fleet.ts'

const fleet = await startFleet()
const clientOf = ({ key }: { key: string }) =>
  new Fleetgate({ baseUrl: fleet.server.api, apiKey: key })
const WINDOW_MS = 10_000
const RANGE = { from: '2024-01-01', to: '2100-01-01' }

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  return Array.fromAsync(items)
}

/** Compares a replica with what the server answers. */
async function assertEqual(replica: Replica, client: Fleetgate): Promise<void> {
  for (const kind of ['objects', 'geofences', 'routes', 'sites'] as const) {
    assert.deepEqual(await replica[kind].list(), await client[kind].list(), kind)
  }
  const latest = await replica.positions.latest()
  assert.deepEqual(latest, await client.positions.latest(latest.map(({ id }) => id)))
}

async function assertSameDetail(replica: Replica, client: Fleetgate, id: number): Promise<void> {
  assert.deepEqual(await replica.objects.get(id), await client.objects.get(id))
}

async function assertSameHistory(replica: Replica, client: Fleetgate, id: number) {
  const rows = await all(client.positions.history(id, RANGE))
  assert.deepEqual(await all(replica.positions.history(id, RANGE)), rows)
  return rows
}

type Following = {
  /** Reads pages until one has an entry for which this holds, and then to the newest change. */
  until(isIt: (change: Change) => boolean): Promise<void>
}

/** Reads all that there is, and follows until the test ends. */
async function follow(t: TestContext, replica: Replica): Promise<Following> {
  const leaving = new AbortController()
  const pages = replica.follow({ signal: leaving.signal })
  t.after(async () => {
    leaving.abort()
    await pages.return()
  })
  const until = async (isIt: (page: ChangesPage) => boolean) => {
    for (let isFound = false; ; ) {
      const { value: page } = await pages.next()
      assert.ok(page, 'the pages have ended')
      isFound ||= isIt(page)
      if (isFound && !page.has_more) return
    }
  }
  await until(() => true)
  return { until: (isIt) => until(({ changes }) => changes.some(isIt)) }
}

const isNamed = (name: string) => (change: Change) =>
  change.type === 'object' && change.op === 'put' && change.object.name === name

const isAt = (time: string) => (change: Change) =>
  change.type === 'position' && change.op === 'put' && change.position.time_device === time

const update = (own: FleetOrganization, object: ObjectName, ...settings: string[]) =>
  fleet.run('objects', 'update', '--org', String(own.id), String(own.objects[object]), ...settings)

/** A drive to the north, a fix each 10 s from this second on. */
function drive(object: ObjectName, from: number, count: number, more: object = {}) {
  const begun = Date.now() - 3_600_000
  return Array.from({ length: count }, (_, index) => ({
    ident: IDENTS[object],
    time_device: new Date(begun + (from + index * 10) * 1_000).toISOString(),
    ...{ latitude: 41 + (from + index * 10) / 10_000, longitude: 29, speed: 36, ...more },
  }))
}

describe('A replica of a fleet', () => {
  it('follows late, corrected and deleted data, and settings', async (t) => {
    const own = await senderOf(fleet, fleet.take())
    const { longHaul, van } = own.objects
    const replica = clientOf(own).replica({ positions: true })
    const following = await follow(t, replica)
    assert.equal((await all(replica.positions.history(longHaul, RANGE))).length, 1_200)
    await own.post(drive('silent', 0, 200))
    const second = drive('silent', 2_100, 200)
    await own.post(second)
    await following.until(isAt(second.at(-1)!.time_device))
    // Rows in between move the counters of all that follow.
    await own.post(drive('silent', 2_040, 3, { longitude: 29.001 }))
    await following.until(({ type }) => type === 'counters')
    await own.post(drive('van', 0, 3))
    await update(own, 'truck', '--vin', 'VIN 7')
    await fleet.run('objects', 'delete', '--org', String(own.id), String(longHaul), '--yes')
    await update(own, 'van', '--name', 'The end')
    await following.until(isNamed('The end'))
    const client = clientOf(own)
    await assertEqual(replica, client)
    await assertSameDetail(replica, client, van)
    const rows = await assertSameHistory(replica, client, own.objects.silent)
    assert.equal(rows.length, 403)
    assert.equal(await replica.objects.get(longHaul), undefined)
    assert.deepEqual(await all(replica.positions.history(longHaul, RANGE)), [])
  })

  it('shows rows and records under new names, which come with objects and places alone', async () => {
    const own = await driven(fleet, ['N-1'])
    await own.time.pass(WINDOW_MS)
    const client = clientOf(own)
    const replica = client.replica({ positions: true, records: true })
    await replica.sync()
    const { cursor } = (await replica.progress())!
    const [object] = own.ids
    const [{ id: site }] = resultOf(await own.get('/sites'))
    const org = ['--org', String(own.id)]
    await fleet.run('objects', 'update', ...org, String(object), '--name', 'Truck')
    await fleet.run('sites', 'update', ...org, String(site), '--name', 'Quay')
    const { changes } = resultOf(await own.get(`/changes?cursor=${cursor}`))
    assert.deepEqual(
      changes.map(({ type }: Change) => type),
      ['object', 'site'],
    )
    await replica.sync()
    const [row] = await assertSameHistory(replica, client, object!)
    assert.equal(row!.name, 'Truck')
    await own.time.pass(WINDOW_MS)
    const range = { from: '2026-05-04', to: '2026-05-04' }
    for (const type of ['trips', 'stops', 'visits'] as const) {
      const listed = resultOf(await own.get(`/${type}?${OF_DRIVES}`))
      const kept = await all<Trip | Stop | Visit>(replica[type](range))
      assert.deepEqual(kept, listed, type)
      const renamed = kept.filter(({ name }) => name === 'Truck')
      assert.ok(renamed.length > 0, type)
      for (const each of renamed) if ('place_name' in each) assert.equal(each.place_name, 'Quay')
    }
  })

  it('starts again when its cursor expires under its stream, and drops what is gone', async (t) => {
    const own = fleet.take()
    const replica = clientOf(own).replica({ positions: true })
    const following = await follow(t, replica)
    const id = String(own.objects.truck)
    await fleet.run('org', 'update', String(own.id), '--distance-unit', 'mi')
    await fleet.run('objects', 'delete', '--org', String(own.id), id, '--yes')
    await update(own, 'van', '--name', 'The end')
    await following.until(isNamed('The end'))
    assert.equal((await replica.progress())?.distanceUnit, 'mi')
    await assertEqual(replica, clientOf(own))
    await assertSameHistory(replica, clientOf(own), own.objects.van)
  })
})

describe('The changes of a fleet', () => {
  it('continue after a cursor that the caller kept', async () => {
    const own = await senderOf(fleet, fleet.take())
    const client = clientOf(own)
    const [first] = await all(client.changes({ from: 'now', live: false }))
    assert.deepEqual([first!.after, first!.changes], [null, []])
    await own.post(drive('van', 0, 2))
    const types = ['positions']
    for (const live of ['stream', 'wait', false] as const) {
      const seen: Position[] = []
      const { cursor } = first!
      for await (const { after, changes } of client.changes({ cursor, live, pageSize: 1 })) {
        if (seen.length === 0) assert.equal(after, cursor)
        for (const change of changes) {
          if (change.type === 'position' && change.op === 'put') seen.push(change.position)
        }
        if (seen.length === 2) break
      }
      assert.deepEqual(
        seen.map(({ id }) => id),
        [own.objects.van, own.objects.van],
      )
    }
    await assert.rejects(all(client.changes({ cursor: first!.cursor, types, live: false })), {
      name: 'InvalidRequestError',
    })
  })

  it('end with an error when the key is revoked', async () => {
    const own = fleet.take()
    const issued = await fleet.json('key', 'issue', '--org', String(own.id))
    await assert.rejects(async () => {
      for await (const _ of clientOf(issued).changes({ from: 'now' })) {
        await fleet.run('key', 'revoke', '--org', String(own.id), String(issued.id))
      }
    }, UnauthorizedError)
  })

  it('come as pages when the organization has no stream left', async (t) => {
    const own = await senderOf(fleet, fleet.take())
    const leaving = new AbortController()
    t.after(() => leaving.abort())
    const options = { from: 'now', signal: leaving.signal } as const
    for (let stream = 0; stream < 10; stream += 1) await clientOf(own).changes(options).next()
    await own.time.pass(WINDOW_MS)
    const another = clientOf(own).changes(options)
    const first = await another.next()
    const next = another.next()
    await own.post(drive('van', 0, 1))
    assert.ok(((await next).value as ChangesPage).changes.length > 0)
    assert.ok(first.value)
  })
})
