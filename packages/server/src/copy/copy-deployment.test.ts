import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  openCopySource,
  openCopyTarget,
  openDeployment,
  openStore,
  type StoreLocation,
} from '../compose.ts'
import { handedClock } from '../domain/handed-clock.ts'
import { ORGANIZATION_DEFAULTS } from '../domain/organization.ts'
import { DAY_MS, utcDay } from '../domain/time.ts'
import { OBJECT_DEFAULTS } from '../domain/tracked-object.ts'
import { BOOKS, type CopyTarget } from '../store/copying.ts'
import type { Store } from '../store/store.ts'
import { trackingRules } from '../tracking/rules.ts'
import { anyFix } from '../trial/any-fix.ts'
import { emptyDatabase } from '../trial/servers/shared-postgres.ts'
import { copyDeployment, type Outcome } from './copy-deployment.ts'

const NOW = Date.now()
const PLACE = { longitude: 29, latitude: 41 }

let folder = ''
let made = 0
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleetgate-copy-'))
})
after(() => rm(folder, { recursive: true, force: true }))

function newFolder(): string {
  made += 1
  return join(folder, `${made}`)
}

describe('copying a deployment', () => {
  it('to PostgreSQL and back ends equal, wherever it is broken off', async () => {
    await fc.assert(
      fc.asyncProperty(anyDeployment, anyBreaks, anyBreaks, async (deployment, there, back) => {
        const original = newFolder()
        await lay(original, deployment)
        const database = await emptyDatabase()
        const copy = newFolder()
        const out = await copied({ folder: original }, { database }, there)
        const home = await copied({ database }, { folder: copy }, back)
        assert.deepEqual(home.sums, out.sums)
        assert.deepEqual(tablesOf(copy), tablesOf(original))
        assert.deepEqual(await countsOf(copy), await countsOf(original))
      }),
      { numRuns: 4 },
    )
  })

  it('again brings what has changed since, and writes nothing else', async () => {
    const original = newFolder()
    const database = await emptyDatabase()
    await lay(original, fc.sample(anyDeployment, { seed: 4, numRuns: 1 })[0]!)
    const organization = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Later'), NOW)
      const { ids } = await store.objects.ensure(id, ['kept', 'deleted'], NOW)
      await drive(store, id, ids, 0, 30)
      return id
    })
    await copied({ folder: original }, { database }, [])
    await change(original, async (store) => {
      const [kept, deleted] = (await store.objects.list(organization)).map(({ id }) => id)
      await drive(store, organization, [kept!], 30, 5)
      await store.objects.delete(organization, deleted!)
      const others = await store.organizations.list()
      if (others[0]!.id !== organization) await store.organizations.delete(others[0]!.id)
    })
    const second = await copied({ folder: original }, { database }, [])
    // The week of the newest ones is written anew.
    assert.ok(second.copied >= 5 && second.copied <= 35, `${second.copied} were written`)
    assert.equal((await copied({ folder: original }, { database }, [])).copied, 0)
    const copy = newFolder()
    await copied({ database }, { folder: copy }, [])
    assert.deepEqual(tablesOf(copy), tablesOf(original))
  })

  it('takes ids on from where they were, also those of what was deleted', async () => {
    const original = newFolder()
    const database = await emptyDatabase()
    const [organization, last] = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Acme'), NOW)
      const settings = { ...OBJECT_DEFAULTS, name: 'Van', ident: 'van', id: 70 }
      await store.objects.put(id, [settings], NOW)
      await store.objects.delete(id, 70)
      return [id, 70]
    })
    await copied({ folder: original }, { database }, [])
    const store = await openStore({ database })
    const { ids } = await store.objects.ensure(organization!, ['bus'], NOW)
    const other = await store.organizations.create(named('Other'), NOW)
    await store.close()
    assert.ok(ids[0]! > last!, `${ids[0]}`)
    assert.ok(other.id > organization!)
  })

  it('shows where the two are not the same, and leaves the copy unfinished', async () => {
    const original = newFolder()
    const database = await emptyDatabase()
    const organization = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Acme'), NOW)
      const { ids } = await store.objects.ensure(id, ['van'], NOW)
      await drive(store, id, ids, 0, 10)
      return id
    })
    const damaging = (target: CopyTarget): CopyTarget => ({
      ...target,
      async *positions(part) {
        for await (const block of target.positions(part)) {
          const other = Buffer.from(block)
          other[other.length - 1]! ^= 1
          yield other
        }
      },
    })
    const { differences } = await once({ folder: original }, { database }, damaging)
    assert.deepEqual(differences, [{ organization, table: 'positions' }])
    await assert.rejects(openStore({ database }), { name: 'CopyUnfinished' })
    await copied({ folder: original }, { database }, [])
    await (await openStore({ database })).close()
  })

  for (const kind of ['folder', 'database'] as const) {
    it(`refuses a ${kind} that holds something else`, async () => {
      const [original, other] = [newFolder(), newFolder()]
      for (const each of [original, other]) {
        await change(each, (store) => store.organizations.create(named('Acme'), NOW))
      }
      const to = kind === 'folder' ? { folder: newFolder() } : { database: await emptyDatabase() }
      await copied({ folder: original }, to, [])
      await assert.rejects(once({ folder: other }, to), /another deployment/)
      await copied({ folder: original }, to, [])
      const store = await openStore(to)
      await store.organizations.create(named('Its own'), NOW)
      await store.close()
      await assert.rejects(once({ folder: original }, to), /written to since/)
      await assert.rejects(once({ folder: original }, { folder: other }), /not empty/)
    })
  }
})

type Deployment = {
  organizations: {
    name: string
    objects: { ident: string; fixes: number; late: number; isDeleted: boolean }[]
    places: number
    keys: number
    charged: number
    isDeleted: boolean
    isRefolded: boolean
  }[]
}

const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((text) => text.replaceAll(/\p{C}/gu, '-'))

const anyDeployment: fc.Arbitrary<Deployment> = fc.record({
  organizations: fc.array(
    fc.record({
      name: anyName,
      objects: fc.uniqueArray(
        fc.record({
          ident: anyName,
          fixes: fc.nat(40),
          late: fc.nat(3),
          isDeleted: fc.boolean(),
        }),
        { maxLength: 4, selector: ({ ident }) => ident },
      ),
      places: fc.nat(2),
      keys: fc.nat(2),
      charged: fc.nat(3),
      isDeleted: fc.boolean(),
      isRefolded: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

/** After how many writes it is broken off, each time. */
const anyBreaks = fc.array(fc.nat(12), { maxLength: 3 })

const named = (name: string) => ({ ...ORGANIZATION_DEFAULTS, name })

async function change<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ folder })
  return work(store).finally(() => store.close())
}

/** Fixes some hours apart, so that they lie in several weeks; what is refused is kept as well. */
async function drive(
  store: Store,
  organization: number,
  ids: number[],
  from: number,
  count: number,
) {
  const clock = handedClock(NOW * 1000)
  const fixes = fc.sample(anyFix, { seed: from + count, numRuns: count })
  const batch = ids.flatMap((object) =>
    fixes.map((fix, index) => ({
      object,
      fix: {
        ...fix,
        address: fix.address === null ? null : fix.address.replaceAll(/\p{C}/gu, ''),
        timeDevice: NOW - 30 * DAY_MS + (from + index) * (DAY_MS / 4),
        timeServer: NOW,
        latitude: PLACE.latitude + (from + index) / 100,
        longitude: PLACE.longitude,
      },
    })),
  )
  await store.positions.append(organization, batch, trackingRules(clock))
}

async function lay(folder: string, { organizations }: Deployment): Promise<void> {
  const served = await openDeployment({ folder }, handedClock(NOW * 1000), SILENT)
  const { store, realtime } = served
  // The newest change of a deployment without organizations is nobody's.
  await store.organizations.create(named('Standing'), NOW)
  for (const each of organizations) {
    const { id } = await store.organizations.create(named(each.name), NOW)
    for (let number = 0; number < each.keys; number += 1) {
      const key = { name: each.name, hash: `${id} ${number}`, prefix: 'p', lastFour: 'l' }
      const { id: first } = await store.keys.issue(id, { ...key, expiresAt: null }, NOW)
      await store.feedTokens.issue(id, { ...key, expiresAt: NOW + number }, NOW)
      if (number > 0) await store.keys.revoke(id, first, NOW + 1)
    }
    for (let number = 0; number < each.places; number += 1) {
      const place = { name: each.name, description: null, color: '#123456' }
      const coordinates: [number, number][] = [[1.5, -0.25]]
      await store.geofences.put(id, [{ ...place, coordinates }], NOW)
      const route = { ...place, deviation: 2.5, points: [], coordinates: [coordinates] }
      await store.routes.put(id, [route], NOW)
      const site = { name: each.name, description: 'd', icon: null, radius: null, ...PLACE }
      await store.sites.put(id, [site], NOW)
    }
    const idents = each.objects.map(({ ident }) => ident)
    const { ids } = await store.objects.ensure(id, idents, NOW)
    for (const [index, object] of each.objects.entries()) {
      await drive(store, id, [ids[index]!], 3, object.fixes)
      await drive(store, id, [ids[index]!], 0, object.late)
      const objects = [ids[index]!]
      for (let charge = 0; charge < each.charged; charge += 1) {
        await realtime.quota.charge(id, { objects, limit: null, day: utcDay(NOW) })
      }
    }
    if (each.isRefolded) await store.positions.requestRefold({ organization: id, object: null })
    for (const [index, { isDeleted }] of each.objects.entries()) {
      if (isDeleted) await store.objects.delete(id, ids[index]!)
    }
    if (each.isDeleted) await store.organizations.delete(id)
  }
  await served.close()
}

const SILENT = { line() {}, error() {} }

/** Copies until it is done, broken off as told. */
async function copied(
  from: StoreLocation,
  to: StoreLocation,
  breaks: readonly number[],
): Promise<Outcome> {
  for (const writes of breaks) {
    await once(from, to, (target) => breakingAfter(target, writes)).catch((error) => {
      if (!(error instanceof BrokenOff)) throw error
    })
  }
  const outcome = await once(from, to)
  assert.deepEqual(outcome.differences, [])
  return outcome
}

async function once(
  from: StoreLocation,
  to: StoreLocation,
  over: (target: CopyTarget) => CopyTarget = (target) => target,
): Promise<Outcome> {
  const source = await openCopySource(from, NOW)
  try {
    const target = await openCopyTarget(to, (await source.facts()).secret, NOW)
    const never = new AbortController().signal
    return await copyDeployment(source, over(target), () => {}, never).finally(target.close)
  } finally {
    await source.close()
  }
}

class BrokenOff extends Error {}

/** A target of which nothing more is heard after so many writes, as if the process had ended. */
function breakingAfter(target: CopyTarget, writes: number): CopyTarget {
  let left = writes
  const breaking = <Args extends unknown[]>(write: (...args: Args) => Promise<void>) => {
    return async (...args: Args) => {
      if (left === 0) throw new BrokenOff()
      left -= 1
      await write(...args)
    }
  }
  return {
    ...target,
    replace: breaking(target.replace),
    addPositions: breaking(target.addPositions),
    removePositions: breaking(target.removePositions),
    remove: breaking(target.remove),
    settle: breaking(target.settle),
    finish: breaking(target.finish),
  }
}

/** All that a folder's database holds, row by row, but what was noted of deleted organizations. */
function tablesOf(folder: string): Record<string, unknown[]> {
  using database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'copied'`)
    .all()
    .map(({ name }) => name as string)
  assert.ok(names.length > 15)
  return Object.fromEntries(names.map((name) => [name, rowsOf(database, name)]))
}

/** Each as SQL would write it, so that 1 and 1.0 are not the same. */
function rowsOf(database: DatabaseSync, table: string): unknown[] {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  const quoted = columns.map(({ name }) => `quote(${name})`).sort()
  const where = table === 'changes' ? 'WHERE organization IN (SELECT id FROM organizations)' : ''
  const rows = database.prepare(
    `SELECT ${quoted.join(` || ',' || `)} AS row FROM ${table} ${where}`,
  )
  return rows
    .all()
    .map(({ row }) => row)
    .sort()
}

async function countsOf(folder: string): Promise<unknown> {
  const source = await openCopySource({ folder }, NOW)
  try {
    const blocks: Buffer[] = []
    for (const organization of await source.organizations()) {
      const counts = BOOKS.find(({ name }) => name === 'quota_counts')!
      blocks.push(...(await Array.fromAsync(source.rows(counts, organization))))
    }
    return Buffer.concat(blocks).toString('hex')
  } finally {
    await source.close()
  }
}
