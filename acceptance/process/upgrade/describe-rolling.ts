import assert from 'node:assert/strict'
import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import type { Deployment } from '../../harness/deployment.ts'
import type { FleetOrganization } from '../../harness/fleet.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { organizationOf } from '../../harness/organization.ts'
import { senderTo } from '../../harness/sender.ts'
import { historyOf } from '../../harness/sent-fix.ts'
import type { ServerProcess } from '../../harness/server.ts'
import { momentsOf, type SteadyFeed, steadyFeed } from '../../harness/steady-feed.ts'
import { figuresOf, type Load, steadyLoad } from '../../harness/steady-load.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { type Installation, type Installations, installationIn } from './versions.ts'

/** How long both versions serve beside each other at each step, under load. */
const BESIDE_MS = 3_000
const ORGANIZATIONS = 6
const QUOTA = 1_000_000
const isLimited = ({ id }: { id: number }) => id % 2 === 0

/** Processes of the earlier version are replaced by this version's, one after the other, under load. */
export function describeRolling(
  kind: string,
  make: () => Promise<Deployment>,
  installations: () => Installations,
): void {
  describe(`${kind}, process after process`, () => {
    const servers = new Set<ServerProcess>()
    let earlier: Installation
    let current: Installation
    let deployment: Deployment
    let organizations: FleetOrganization[]
    let apis: string[]
    let feeding: ServerProcess
    let load: Load
    let feed: SteadyFeed

    async function start(installation: Installation, ...args: string[]): Promise<ServerProcess> {
      const server = await installation.serve(deployment, ['--geocoder', 'off', ...args])
      servers.add(server)
      return server
    }

    /** Drains it by SIGTERM, as docs/operating.md says. */
    async function drain(server: ServerProcess): Promise<void> {
      assert.equal(await server.stop(), 0, server.stderr())
      servers.delete(server)
    }

    before(async () => {
      ;({ earlier, current } = installations())
      deployment = await make()
      const records = await makeFleet(deployment, { full: 0, plain: ORGANIZATIONS }, earlier.run)
      for (const { id } of records.filter(isLimited)) {
        const limit = ['--daily-quota', String(QUOTA), ...deployment.args]
        await earlier.run(['org', 'update', String(id), ...limit])
      }
      organizations = records.map((record) => organizationOf(record, () => apis[0]!))
    })
    after(async () => {
      await Promise.all([load?.stop(), feed?.stop()])
      await Promise.all([...servers].map((server) => server.stop()))
    })

    /** Every reader saw whole answers of 200 alone, and every acknowledged position is there. */
    async function assertUnharmed(): Promise<void> {
      await Promise.all([load.stop(), feed.stop()])
      const { statuses, partial, faults, requests } = figuresOf(load.asked)
      assert.deepEqual(
        { statuses, partial, faults },
        { statuses: { 200: requests }, partial: 0, faults: [] },
      )
      assert.deepEqual(feed.refusals, [])
      for (const organization of organizations) {
        const sender = senderTo(organization, () => feeding.feed)
        const rows = await historyOf(sender, organization.objects.truck)
        const times = rows.map(({ time_device }) => time_device).filter((time) => time >= '2025')
        assert.deepEqual(times, momentsOf(feed.acknowledged.get(organization.id)!))
      }
    }

    it('fails no request, and loses no position', async () => {
      const olds = [await start(earlier, '--role', 'api'), await start(earlier, '--role', 'api')]
      apis = olds.map(({ api }) => api)
      feeding = await start(earlier, '--role', 'feed')
      load = steadyLoad(() => apis, organizations, isLimited)
      feed = steadyFeed(() => feeding.feed, organizations)
      await wait(BESIDE_MS)
      for (const [i, old] of olds.entries()) {
        apis = apis.with(i, (await start(current, '--role', 'api')).api)
        await wait(BESIDE_MS)
        await drain(old)
      }
      // A process of the earlier version may be started again meanwhile.
      await drain(await start(earlier, '--role', 'api'))
      const old = feeding
      feeding = await start(current, '--role', 'feed')
      await wait(BESIDE_MS)
      await drain(old)
      await wait(BESIDE_MS)
      await assertUnharmed()
    })
  })
}

/** The processes of one machine are replaced by those of this version. */
export function describeReplacing(
  make: () => Promise<Deployment>,
  installations: () => Installations,
): void {
  describe('Several processes, by SIGHUP', () => {
    it('has the new version answer, and fails no request', async () => {
      const { earlier, current } = installations()
      const deployment = await make()
      const [record] = await makeFleet(deployment, { full: 0, plain: 1 }, earlier.run)
      const link = join(temporaryFolder(), 'fleetgate')
      symlinkSync(earlier.folder, link)
      const args = ['--geocoder', 'off', '--role', 'api', '--processes', '2']
      const server = await installationIn(link).serve(deployment, args)
      after(() => server.stop())
      const load = steadyLoad(
        () => [server.api],
        [organizationOf(record!, () => server.api)],
        () => false,
      )
      const idOf = async () =>
        (await request(server.api, '/public/v1/ping')).headers['x-request-id']
      assert.equal(await idOf(), undefined, 'the earlier version answers')
      symlinkSync(current.folder, `${link}.new`)
      renameSync(`${link}.new`, link)
      process.kill(server.pid, 'SIGHUP')
      await server.printed(/the processes are replaced/)
      for (let i = 0; i < 8; i += 1) assert.match(String(await idOf()), /^[0-9a-f]{24}$/)
      await load.stop()
      const { statuses, partial, faults, requests } = figuresOf(load.asked)
      assert.deepEqual(
        { statuses, partial, faults },
        { statuses: { 200: requests }, partial: 0, faults: [] },
      )
      for (const path of ['/ready', '/metrics']) {
        assert.equal((await request(server.admin, path)).status, 200, path)
      }
      assert.equal(await server.stop(), 0)
    })
  })
}
