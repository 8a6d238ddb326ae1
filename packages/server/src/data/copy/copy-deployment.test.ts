import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../../../testing/any-fix.ts'
import { handedClock } from '../../../testing/handed-clock.ts'
import { withoutPostgres } from '../../../testing/servers/installed.ts'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import { setRole } from '../../../testing/store-contract/access-fixture.ts'
import {
  applyOn,
  derived,
  HOLDER,
  LEASE_MS,
  newPut,
  stop,
  trip,
  visit,
} from '../../../testing/store-contract/derived.ts'
import { ALL_TIME, recordsOf } from '../../../testing/store-contract/fixture.ts'
import { packAll } from '../../../testing/stores/packing-store.ts'
import { ATTRIBUTE_DEFAULTS } from '../../base/domain/attributes/attribute-catalogue.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import { DAY_MS, utcDay } from '../../base/domain/time/time.ts'
import { WEBHOOK_DEFAULTS } from '../../base/domain/webhook.ts'
import type { AccessStore } from '../../engine/store/access-store.ts'
import { NOT_FAILED } from '../../engine/store/record-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import {
  openCopySource,
  openCopyTarget,
  openDeployment,
  openStore,
  type StoreLocation,
} from '../../run/compose.ts'
import { copyDeployment, type Outcome } from './copy-deployment.ts'
import { type CopyTarget, ORGANIZATION_TABLES } from './copy-port.ts'

/** A Thursday: what the tests write around it is in whole weeks, whatever the date is. */
const NOW = Date.UTC(2026, 4, 7, 12)
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

async function idsOf(store: Store, organization: number, idents: string[]): Promise<number[]> {
  const { ids } = await store.objects.ensure(organization, idents, NOW)
  return idents.map((ident) => ids.get(ident)!)
}

describe('A copy of a deployment', { skip: withoutPostgres }, () => {
  it('to PostgreSQL and back equals the original, however often it is interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(anyDeployment, anyBreaks, anyBreaks, async (deployment, there, back) => {
        const original = newFolder()
        await lay(original, deployment)
        const place = await newDatabase()
        const copy = newFolder()
        const out = await copied({ folder: original }, place, there)
        const home = await copied(place, { folder: copy }, back)
        assert.deepEqual(home.sums, out.sums)
        assert.deepEqual(tablesOf(copy), tablesOf(original))
        assert.deepEqual(await countsOf(copy), await countsOf(original))
      }),
      { numRuns: 2 },
    )
  })

  it('writes only the changes when repeated', async () => {
    const original = newFolder()
    const place = await newDatabase()
    await lay(original, fc.sample(anyDeployment, { seed: 4, numRuns: 1 })[0]!)
    const organization = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Later'), NOW)
      const ids = await idsOf(store, id, ['kept', 'deleted'])
      await drive(store, id, ids, 0, 30)
      return id
    })
    await copied({ folder: original }, place, [])
    await change(original, async (store) => {
      await operate(store, 2)
      await use(store, organization, 3)
      const [kept, deleted] = (await store.objects.list(organization)).map(({ id }) => id)
      await drive(store, organization, [kept!], 30, 5)
      await store.objects.delete(organization, deleted!)
      const others = await store.organizations.list()
      if (others[0]!.id !== organization) await store.organizations.delete(others[0]!.id)
    })
    const second = await copied({ folder: original }, place, [])
    // A repeated copy rewrites the week of the newest positions.
    assert.ok(second.copied >= 5 && second.copied <= 35, `${second.copied} were written`)
    assert.equal((await copied({ folder: original }, place, [])).copied, 0)
    const copy = newFolder()
    await copied(place, { folder: copy }, [])
    assert.deepEqual(tablesOf(copy), tablesOf(original))
  })

  it('has the same histories and sums, both ways, whatever is packed where', async () => {
    const original = { folder: newFolder() }
    const [place, home] = [await newDatabase(), { folder: newFolder() }]
    const all = [original, place, home]
    const { id, ids } = await on(original, async (store) => {
      const { id } = await store.organizations.create(named('Acme'), NOW)
      const ids = await idsOf(store, id, ['van', 'bus'])
      await drive(store, id, ids, 0, 110)
      return { id, ids }
    })
    const pack = (at: StoreLocation) => on(at, (store) => packAll(store, id, 20))
    const historiesOf = (at: StoreLocation) =>
      on(at, ({ positions }) =>
        Promise.all(
          ids.map(async (object) => recordsOf(await positions.history(id, object, ALL_TIME, null))),
        ),
      )
    async function assertAlike({ sums }: Outcome): Promise<void> {
      const back = await copied(place, home, [])
      assert.deepEqual(back.sums, sums)
      const [first, ...others] = await Promise.all(all.map(historiesOf))
      assert.equal(first!.length, 2)
      for (const histories of others) assert.deepEqual(histories, first)
    }
    const unpacked = await copied(original, await newDatabase(), [])
    const rows = await pack(original)
    assert.ok(rows > 60, `${rows}`)
    const packed = await copied(original, place, [])
    assert.deepEqual(packed.sums, unpacked.sums)
    await assertAlike(packed)
    assert.deepEqual([await pack(place), await pack(home)], [rows, rows])
    assert.equal((await copied(original, place, [])).copied, 0)
    await assertAlike(packed)
    // Late ones in blocks, and new ones.
    await on(original, (store) => drive(store, id, ids.slice(1), 20, 3, 60_000))
    await on(original, (store) => drive(store, id, ids, 110, 2))
    const later = await copied(original, place, [])
    assert.ok(later.copied > 0 && later.copied < 110, `${later.copied} were written`)
    assert.notDeepEqual(later.sums, packed.sums)
    await assertAlike(later)
  })

  it('continues the ids, also of deleted items and of the operator, whose credentials stay valid', async () => {
    const original = newFolder()
    const place = await newDatabase()
    const [organization, session, tokens] = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Acme'), NOW)
      const settings = { ...OBJECT_DEFAULTS, name: 'Van', ident: 'van', id: 70 }
      await store.objects.put(id, [settings], NOW)
      await store.objects.delete(id, 70)
      await operate(store, 1)
      const [account] = await store.accounts.list()
      const session = { ...credential('s'), account: account!.id, isSignOn: false, sid: null }
      const opened = await store.access.openSession(session, { password: 'password' }, NOW)
      return [id, opened, await store.access.list('token')]
    })
    await copied({ folder: original }, place, [])
    const store = await openStore(place)
    const [object] = await idsOf(store, organization, ['bus'])
    assert.ok(object! > 70, `${object}`)
    assert.ok((await store.organizations.create(named('Other'), NOW)).id > organization)
    const { access, accounts, audit } = store
    const [account] = await accounts.list()
    assert.deepEqual(await accounts.secrets(account!.id), { password: 'password', totp: 'SECRET' })
    assert.ok(account!.isLinked)
    assert.equal(account!.roles.length, 2)
    assert.deepEqual((await access.find('s'))?.credential, session)
    assert.deepEqual(await access.list('token'), tokens)
    assert.deepEqual(await access.settings(), { requiresTotp: true })
    assert.ok((await issue(access, 'new', null)).id > session!.id)
    assert.equal((await audit.list({ organization: null, before: null, limit: 9 })).length, 1)
    await store.close()
  })

  it('reports differences, and remains unfinished', async () => {
    const original = newFolder()
    const place = await newDatabase()
    const organization = await change(original, async (store) => {
      const { id } = await store.organizations.create(named('Acme'), NOW)
      const ids = await idsOf(store, id, ['van'])
      await drive(store, id, ids, 0, 10)
      await operate(store, 1)
      return id
    })
    const damaging = (target: CopyTarget): CopyTarget => ({
      ...target,
      positions: (part) => damaged(target.positions(part)),
      rows: (table, owner) => {
        const rows = target.rows(table, owner)
        return table.name === 'audit_log' ? damaged(rows) : rows
      },
    })
    const { differences } = await once({ folder: original }, place, damaging)
    assert.deepEqual(differences, [
      { organization, table: 'positions' },
      { organization: null, table: 'audit_log' },
    ])
    await assert.rejects(openStore(place), { name: 'CopyUnfinished' })
    const losing = (target: CopyTarget): CopyTarget => ({
      ...target,
      organizations: async () => [],
    })
    const lost = await once({ folder: original }, place, losing)
    assert.deepEqual(lost.differences, [{ organization, table: 'organizations' }])
    await copied({ folder: original }, place, [])
    await (await openStore(place)).close()
  })

  for (const kind of ['folder', 'database'] as const) {
    it(`refuses a ${kind} with other data or changes of its own, but not after mere reads`, async () => {
      const [original, other] = [newFolder(), newFolder()]
      for (const each of [original, other]) {
        await change(each, (store) => store.organizations.create(named('Acme'), NOW))
      }
      const changes: ((store: Store) => Promise<unknown>)[] = [
        (store) => store.organizations.create(named('Its own'), NOW),
        (store) => operate(store, 1),
      ]
      for (const work of changes) {
        const to = kind === 'folder' ? { folder: newFolder() } : await newDatabase()
        await copied({ folder: original }, to, [])
        await assert.rejects(once({ folder: other }, to), /another deployment/)
        const store = await openStore(to)
        await store.access.inviteFirst({ ...credential('link'), name: '' }, NOW)
        await store.close()
        await copied({ folder: original }, to, [])
        const again = await openStore(to)
        assert.deepEqual(await again.access.list('invitation'), [])
        await work(again).finally(again.close)
        await assert.rejects(once({ folder: original }, to), /has changed since/)
      }
      await assert.rejects(once({ folder: original }, { folder: other }), /not empty/)
    })
  }

  it('refuses a database that an operator has set up', async () => {
    const original = newFolder()
    await change(original, (store) => store.organizations.create(named('Acme'), NOW))
    const to = await newDatabase()
    const store = await openStore(to)
    await newOperator(store)
    await store.close()
    await assert.rejects(once({ folder: original }, to), /not empty/)
  })
})

type Deployment = {
  /** How much the operator has done; 0: nothing yet. */
  operated: number
  organizations: {
    name: string
    objects: { ident: string; fixes: number; late: number; isDeleted: boolean }[]
    places: number
    keys: number
    /** Hundredths of the daily quota. */
    charged: number
    used: number
    isDeleted: boolean
    isRefolded: boolean
  }[]
}

const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((text) => text.replaceAll(/\p{C}/gu, '-'))

const anyDeployment: fc.Arbitrary<Deployment> = fc.record({
  operated: fc.nat(3),
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
      charged: fc.constantFrom(0, 1, 99, 100, 250),
      used: fc.nat(3),
      isDeleted: fc.boolean(),
      isRefolded: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

/** The number of writes before each interruption. */
const anyBreaks = fc.array(fc.nat(12), { maxLength: 3 })

const named = (name: string) => ({ ...ORGANIZATION_DEFAULTS, name })

async function on<T>(at: StoreLocation, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(at)
  return work(store).finally(() => store.close())
}

function change<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  return on({ folder }, work)
}

/** Fixes some hours apart, so that they are in several weeks; rejected packets are copied too. */
async function drive(
  store: Store,
  organization: number,
  ids: number[],
  from: number,
  count: number,
  laterMs = 0,
) {
  const clock = handedClock(NOW * 1000)
  const fixes = fc.sample(anyFix, { seed: from + count, numRuns: count })
  const batch = ids.flatMap((object) =>
    fixes.map((fix, index) => ({
      object,
      fix: {
        ...fix,
        // A radius beyond the limit would refuse the fix.
        accuracy: null,
        address: fix.address === null ? null : fix.address.replaceAll(/\p{C}/gu, ''),
        timeDevice: NOW - 30 * DAY_MS + (from + index) * (DAY_MS / 4) + laterMs,
        timeServer: NOW,
        latitude: PLACE.latitude + (from + index) / 100,
        longitude: PLACE.longitude,
      },
    })),
  )
  await store.positions.append(organization, batch, foldRules(clock))
  await derive(store, organization, ids, from)
}

/** One more trip, stop and visit of each object, and a task. */
async function derive(store: Store, organization: number, ids: number[], from: number) {
  await store.records.lease(HOLDER, LEASE_MS, [organization])
  const { lastId = 0 } = (await store.records.progress([organization])).get(organization) ?? {}
  const start = NOW + lastId * DAY_MS
  const records = [
    trip(start, start + 9),
    stop(start + 9, null),
    visit(2 ** 40, start, start + from),
  ]
  const objects = ids.map((object, index) =>
    derived(
      object,
      records.map((record, at) => newPut(lastId + index * records.length + at + 1, record)),
    ),
  )
  await applyOn(store, organization, {
    objects,
    tasks: [{ kind: 'history', id: 0, after: from, ...NOT_FAILED }],
  })
  await store.records.release(HOLDER)
}

function credential(hash: string) {
  return { hash, name: 'Ağ \u{1f69a}', prefix: 'p', lastFour: 'l', expiresAt: NOW + DAY_MS }
}

async function issue(access: AccessStore, hash: string, token: number | null) {
  const role = { kind: 'token', role: 'support', organization: null } as const
  const issued = await access.issue({ ...credential(hash), ...role }, { account: null, token }, NOW)
  assert.ok(typeof issued === 'object')
  return issued
}

async function newOperator({ accounts }: Store): Promise<void> {
  made += 1
  const email = `ağ${made}@example.com`
  const identity = { issuer: 'https://id.example.com', subject: `${made}` }
  const account = await accounts.create({ email, name: 'Ağ', password: 'password', identity }, NOW)
  assert.ok(typeof account === 'object')
  await setRole(accounts, account.id, null, 'operator')
  await accounts.setSignOnRoles(account.id, [{ role: 'support', organization: null }])
  await accounts.setSecondFactor(account.id, { totp: 'SECRET', recoveryCodes: ['x'] })
}

/** Tasks of an operator, repeated; the last token of each repetition is revoked. */
async function operate(store: Store, times: number): Promise<void> {
  const { access, audit } = store
  for (let time = 0; time < times; time += 1) {
    await newOperator(store)
    await access.setSettings({ requiresTotp: true })
    const { id } = await issue(access, `token ${made}`, null)
    await issue(access, `issued ${made}`, id)
    const last = await issue(access, `last ${made}`, null)
    await access.revoke('token', last.id)
    const what = { action: 'key.revoke', organization: time === 0 ? null : 7, target: made }
    const changes = { plate_number: { from: null, to: '"\u{0}Ağ' } }
    await audit.add({ ...what, at: NOW, actor: 'console', name: 'Ağ', changes })
    await route(store, made)
  }
}

/** The owners of idents come with objects. */
async function route({ routing, deploymentTokens }: Store, number: number): Promise<void> {
  await deploymentTokens.issue(DEPLOYMENT, credential(`deployment ${number}`), NOW)
  const condition = { condition: 'attribute', attribute: 'müşteri', anyOf: ['Ağ', '"'] } as const
  const rule = { ...condition, anyOf: [...condition.anyOf], organizations: [], createObjects: true }
  await routing.addRule(rule, number % 2, NOW)
  const at = { firstAt: NOW, lastAt: NOW + number, latitude: null, longitude: -0.5 }
  const waiting = { ident: `waiting ağ ${number}`, format: 'traccar', packets: 2 ** 40, ...at }
  await routing.addWaiting([{ ...waiting, name: 'Ağ', group: null, rule: null }])
}

async function use(store: Store, organization: number, times: number): Promise<void> {
  const day = utcDay(NOW)
  for (let time = 0; time < times; time += 1) {
    const count = { organization, day: day - time, key: 2 ** 40, status: 200 }
    await store.usage.add([
      { ...count, operation: 'Zones', requests: 2 ** 40 },
      { ...count, operation: 'ağ', requests: 1 },
      { ...count, operation: 'list_objects', requests: 1 },
    ])
    const refused = { packets: 2 ** 40, lastAt: NOW, latitude: null, longitude: -0.5 }
    await store.refusedIdents.add(organization, [
      { ...refused, ident: `Zug ${time}`, reason: 'unknown_ident' },
      { ...refused, ident: `ağ ${time}`, reason: 'limit_of_objects' },
    ])
    const type = 'text' as const
    const entry = { ...ATTRIBUTE_DEFAULTS, type, label: 'ağ', sources: ['Füllstand', 'z'] }
    await store.attributes.change(organization, (entries) => [
      ...entries,
      ...[`_${time}`, `9${time}`, `a${time}`].map((name) => ({ ...entry, name })),
    ])
    await sendChanges(store.webhooks, organization)
  }
}

async function sendChanges(webhooks: Store['webhooks'], organization: number): Promise<void> {
  const secret = Buffer.from([0, 255])
  const settings = { url: 'https://example.com/ağ', ids: [1], include: ['exact'] } as const
  const webhook = { ...WEBHOOK_DEFAULTS, ...settings, secret }
  const { id } = await webhooks.create(organization, webhook, NOW)
  const page = { kind: 'changes', message: 'ağ', createdAt: NOW, entries: 1, body: secret } as const
  const disclosed = { objects: [1], rows: [1] }
  await webhooks.add(organization, id, 0, { ...page, disclosed, cursor: 'c' })
  await webhooks.addTest(organization, id, { ...page, disclosed: null, kind: 'test', cursor: null })
  await webhooks.update(organization, id, { types: ['states'], oldSecret: secret }, NOW)
}

async function* damaged(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    const other = Buffer.from(block)
    other[other.length - 1]! ^= 1
    yield other
  }
}

async function lay(folder: string, { organizations, operated }: Deployment): Promise<void> {
  const served = await openDeployment({ folder }, handedClock(NOW * 1000), SILENT)
  const { store, realtime } = served
  // Without organizations, the newest change of a deployment belongs to none.
  await store.organizations.create(named('Standing'), NOW)
  await operate(store, operated)
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
    await use(store, id, each.used)
    const idents = each.objects.map(({ ident }) => ident)
    const ids = await idsOf(store, id, idents)
    for (const [index, object] of each.objects.entries()) {
      await drive(store, id, [ids[index]!], 3, object.fixes)
      await drive(store, id, [ids[index]!], 0, object.late)
      const objects = [ids[index]!]
      await store.positions.erase(
        id,
        ids[index]!,
        { ranges: [{ from: NOW, to: NOW + object.late }] },
        NOW,
      )
      const charge = { objects, hundredths: [each.charged], limit: null, day: utcDay(NOW) }
      await realtime.quota.charge(id, charge)
    }
    if (each.isRefolded) await store.positions.requestRefold({ organization: id, object: null })
    const asOf = { form: 'ağ', seq: 1 }
    const day = { day: utcDay(NOW), content: 'ağ' }
    await store.coverage.advance(id, asOf, [])
    const days = ids.map((object) => ({ object, ...day }))
    await store.coverage.keep(id, asOf, days)
    const [from, to] = ids
    if (to !== undefined) {
      const tracker = { ident: idents[0]!, since: NOW - DAY_MS, formerIdent: `${from} of old` }
      await store.objects.moveTracker(id, to, tracker, NOW)
    }
    for (const [index, { isDeleted }] of each.objects.entries()) {
      if (isDeleted) await store.objects.delete(id, ids[index]!)
    }
    if (each.isDeleted) await store.organizations.delete(id)
  }
  await served.close()
}

const SILENT = { line() {}, error() {} }

/** Copies until complete, with the given interruptions. */
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

/** On a test server, which does not sync. */
async function newDatabase() {
  return { database: await emptyDatabase(), allowDataLoss: true }
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

/** A target that fails after this many writes, as if the process had ended. */
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

/** All rows of a folder's database, except notes on deleted organizations, and the number of its newest change. */
function tablesOf(folder: string): Record<string, unknown[]> {
  using database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name <> 'copied'`)
    .all()
    .map(({ name }) => name as string)
  assert.ok(names.length > 15)
  return Object.fromEntries(names.map((name) => [name, rowsOf(database, name)]))
}

/** The view `newest_change` has the number of which `sequence` has a part. In a copy no owner of an ident is the first. */
const NOT_COPIED: Record<string, string> = { deployment: 'sequence', ident_owners: 'is_first' }

/** Each value as an SQL literal, so that 1 and 1.0 differ. */
function rowsOf(database: DatabaseSync, table: string): unknown[] {
  const without = NOT_COPIED[table] ?? ''
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?) WHERE name <> ?')
    .all(table, without)
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
      const counts = ORGANIZATION_TABLES.find(({ name }) => name === 'quota_counts')!
      blocks.push(...(await Array.fromAsync(source.rows(counts, organization))))
    }
    return Buffer.concat(blocks).toString('hex')
  } finally {
    await source.close()
  }
}
