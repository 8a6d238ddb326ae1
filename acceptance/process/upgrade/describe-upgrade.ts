import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ADMIN, cookieOf, PASSWORD, secretOf } from '../../harness/admin.ts'
import { request } from '../../harness/client.ts'
import { type Deployment, inFolder } from '../../harness/deployment.ts'
import type { FleetOrganization } from '../../harness/fleet.ts'
import { IDENTS, WHOLE_RANGE } from '../../harness/fleet-data.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { organizationOf } from '../../harness/organization.ts'
import { senderTo } from '../../harness/sender.ts'
import { historyOf } from '../../harness/sent-fix.ts'
import type { ServerProcess } from '../../harness/server.ts'
import { momentsOf, type SteadyFeed, steadyFeed } from '../../harness/steady-feed.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { assertKept, followed, nextOf, readAdmin, readApi } from './readings.ts'
import type { Installation, Installations } from './versions.ts'

const PLAIN = ['--geocoder', 'off']
/** The last hour: versions differ in how they count vehicles without a recent packet. */
const START = Date.now() - 3_600_000

/** Positions as they come in use: a drive, late ones, repeated ones, and such as are not accepted. */
function drive(ident: string): Json[] {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    ident,
    time_device: START + i * 10_000,
    latitude: 41 + (i % 200) * 1e-4,
    longitude: 29 + i * 2e-5,
    speed: i % 50 < 40 ? 36 : 0,
    ignition: i % 50 < 45,
    hdop: i % 60 === 59 ? 50 : 1,
    address: i % 25 === 0 ? `Kilometre ${i}` : undefined,
  }))
  return [...rows.filter((_, i) => i % 7 !== 3), ...rows.filter((_, i) => i % 7 === 3), rows[0]]
}

/** Stops the earlier version in use, starts this version, and compares all that callers and the operator see. */
export function describeUpgrade(
  kind: string,
  make: () => Promise<Deployment>,
  installations: () => Installations,
): void {
  describe(`${kind} in use`, () => {
    let earlier: Installation
    let current: Installation
    let deployment: Deployment
    let server: ServerProcess
    let organizations: FleetOrganization[]
    let feed: SteadyFeed
    let said: Map<string, string>[]
    let saidToOperator: Map<string, Json>
    let cookie: string
    let token: string
    let cursor: string
    let backup: string | undefined

    const admin = (path: string, headers: Record<string, string>, body?: unknown) =>
      request(server.admin, ADMIN + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { origin: server.admin, 'content-type': 'application/json', ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
    const run = (...args: string[]) => earlier.run([...args, ...deployment.args])

    before(async () => {
      ;({ earlier, current } = installations())
      deployment = await make()
      const records = await makeFleet(deployment, { full: 1, plain: 2 }, earlier.run)
      organizations = records.map((record) => organizationOf(record, () => server.api))
      const [, limited] = organizations
      const limits = ['--daily-quota', '40', '--distance-unit', 'mi', '--language', 'de']
      await run('org', 'update', String(limited!.id), ...limits)
      server = await earlier.serve(deployment, PLAIN)
      const { setup } = await run('operator', 'reset')
      const password = { token: secretOf(setup), password: PASSWORD }
      cookie = cookieOf(await admin('/setup', {}, password))
      token = (await admin('/tokens', { cookie }, { name: 'nightly' })).json.secret
      await use()
      if (deployment.folder !== undefined) {
        backup = join(temporaryFolder(), 'backup')
        await run('backup', backup)
      }
      assert.equal(await server.stop(), 0)
      server = await current.serve(deployment, PLAIN)
    })
    after(async () => {
      await feed?.stop()
      await server?.stop()
    })

    /** Two organizations get positions and are read; the third is in use until the stop, and after it. */
    async function use(): Promise<void> {
      const [full, limited, steady] = organizations as [
        FleetOrganization,
        FleetOrganization,
        FleetOrganization,
      ]
      feed = steadyFeed(() => server.feed, [steady])
      for (const each of [full, limited]) {
        const sender = senderTo(each, () => server.feed)
        for (const ident of [IDENTS.van, IDENTS.silent, 'unheard-of'])
          await sender.post(drive(ident))
      }
      said = [await readApi(full), await readApi(limited)]
      const path = `/objects/${full.objects.longHaul}/positions?${WHOLE_RANGE}&limit=500`
      cursor = nextOf((await full.get(path)).headers.link)!
      saidToOperator = await readAdmin(server.admin, { cookie }, [full, limited])
    }

    it('keeps all that the operator sees, and his session', async () => {
      const now = await readAdmin(server.admin, { cookie }, organizations.slice(0, 2))
      for (const [path, before] of saidToOperator) assertKept(now.get(path), before, path)
    })

    it('keeps the tokens of programs', async () => {
      const answer = await admin('/organizations', { authorization: `Bearer ${token}` })
      assert.equal(answer.json.items.length, 3, answer.text)
    })

    it('keeps what was charged and counted', async () => {
      for (const [i, { id, objects }] of organizations.slice(0, 2).entries()) {
        // Besides, a first page of the full one's long haul was read.
        const page = i === 0 ? 1 : 0
        const quota = (await admin(`/organizations/${id}/quota`, { cookie })).json
        const used = quota.items.map((item: Json) => [item.object, item.used])
        // The latest position, the detail and the history of each.
        const charged = Object.values(objects).map((object) => {
          return [object, 3 + (object === objects.longHaul ? page : 0)]
        })
        assert.deepEqual(Object.fromEntries(used), Object.fromEntries(charged))
        const usage = (await admin(`/organizations/${id}/usage`, { cookie })).json
        assert.equal(usage.days.at(-1).requests, said[i]!.size + page)
      }
    })

    it('keeps the password of the console', async () => {
      const answer = await admin('/session', {}, { password: PASSWORD })
      assert.equal(answer.status, 204, answer.text)
    })

    it('answers every request with the same bytes', async () => {
      for (const [i, before] of said.entries()) {
        for (const [path, text] of await readApi(organizations[i]!)) {
          assert.equal(text, before.get(path), path)
        }
      }
    })

    it('goes on with the pages of a history that was begun before', async () => {
      const rows = await followed(organizations[0]!, cursor)
      assert.equal(rows.length, 700)
    })

    it('has every acknowledged position, and goes on taking them', async () => {
      const steady = organizations[2]!
      const sender = senderTo(steady, () => server.feed)
      await feed.stop()
      const rows = await historyOf(sender, steady.objects.truck)
      const times = rows.map(({ time_device }) => time_device).filter((time) => time >= '2025')
      assert.deepEqual(times, momentsOf(feed.acknowledged.get(steady.id)!))
    })

    it('can be taken back with the backup, and by nothing else', async () => {
      if (backup === undefined) return
      await assert.rejects(run('org', 'list'), /is of data version \d+ and this Fleetgate knows/)
      const before = await earlier.serve(inFolder(backup), PLAIN)
      assert.equal(await before.stop(), 0)
    })
  })
}
