/**
 * Copies of a fleet that follow its changes, compared with the answers of the server. `CLIENT_TRIAL=whole`: ten kills
 * of the server; otherwise one. A test asks at most ten times, so that it does not wait for the window.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  type Change,
  type ChangesPage,
  Fleetgate,
  type Position,
  type Replica,
  UnauthorizedError,
} from '../../../packages/client/src/index.ts'
import { freePort } from '../../../packages/server/testing/servers/free-port.ts'
import { type FleetOrganization, startFleetProcess } from '../../harness/fleet.ts'
import { IDENTS, type ObjectName } from '../../harness/fleet-data.ts'
import { type Sender, senderOf } from '../../harness/sender.ts'

// A restarted server must listen on the same port.
const fleet = await startFleetProcess({ full: 0, plain: 6 }, ['--port', String(await freePort())])
const clientOf = ({ key }: { key: string }) =>
  new Fleetgate({ baseUrl: fleet.server.api, apiKey: key })
const KILLS = process.env.CLIENT_TRIAL === 'whole' ? 10 : 1
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

const update = (own: FleetOrganization, object: ObjectName, ...settings: string[]) =>
  fleet.run('objects', 'update', '--org', String(own.id), String(own.objects[object]), ...settings)

/** A drive to the north, a fix each 10 s from this second on. */
function drive(object: ObjectName, from: number, count: number) {
  const begun = Date.now() - 3_600_000
  return Array.from({ length: count }, (_, index) => ({
    ident: IDENTS[object],
    time_device: new Date(begun + (from + index * 10) * 1_000).toISOString(),
    ...{ latitude: 41 + (from + index * 10) / 10_000, longitude: 29, speed: 36 },
  }))
}

describe('A replica of a fleet', () => {
  it(`goes on after ${KILLS} kills of the server under its stream`, async (t) => {
    const own: Sender = await senderOf(fleet, fleet.take())
    const replica = clientOf(own).replica({ positions: true, pageSize: 100 })
    const leaving = new AbortController()
    t.after(() => leaving.abort())
    let pages = 0
    let kills = 0
    let isAtEnd = false
    for await (const page of replica.follow({ signal: leaving.signal })) {
      pages += 1
      // The first kill comes while the history is read.
      if (pages >= 3 && kills < KILLS && (kills === 0 || !page.has_more)) {
        await own.post(drive('silent', kills * 1_000, 50))
        await fleet.restart((server) => server.kill())
        kills += 1
        await own.post(drive('silent', kills * 1_000 - 500, 50))
        if (kills === KILLS) await update(own, 'silent', '--name', 'The end')
      }
      isAtEnd ||= page.changes.some(isNamed('The end'))
      if (isAtEnd && !page.has_more) break
    }
    const client = clientOf(own)
    await assertEqual(replica, client)
    const { van } = own.objects
    assert.deepEqual(await replica.objects.get(van), await client.objects.get(van))
    await assertSameHistory(replica, client, own.objects.longHaul)
    const rows = await assertSameHistory(replica, client, own.objects.silent)
    assert.equal(rows.length, KILLS * 100)
  })

  it('starts anew when its cursor expires under its stream, and drops what is gone', async (t) => {
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
    const own: Sender = await senderOf(fleet, fleet.take())
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
    const own: Sender = await senderOf(fleet, fleet.take())
    const client = clientOf(own)
    const leaving = new AbortController()
    t.after(() => leaving.abort())
    const options = { from: 'now', signal: leaving.signal } as const
    const streams = Array.from({ length: 10 }, () => client.changes(options))
    await Promise.all(streams.map((each) => each.next()))
    const another = client.changes(options)
    const first = await another.next()
    const next = another.next()
    await own.post(drive('van', 0, 1))
    assert.ok(((await next).value as ChangesPage).changes.length > 0)
    assert.ok(first.value)
  })
})
