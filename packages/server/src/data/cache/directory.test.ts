import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type HandedClock, handedClock } from '../../../testing/handed-clock.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../../base/domain/organization.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { type Change, type Store, StoreUnavailable } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { type MemorySnapshots, memorySnapshots } from '../live/memory/memory-realtime.ts'
import type { Snapshots, StatesRead } from '../live/realtime.ts'
import { everyItem } from '../tables/sql.ts'
import { type Directory, openDirectory } from './directory.ts'
import type { Fleet } from './fleet-cache.ts'
import type { FleetObject, OwnObject } from './fleet-objects.ts'

const NOW = Date.UTC(2026, 10, 20)
const PLACE = { name: 'Depot', description: null }
const GEOFENCE = { ...PLACE, color: null, coordinates: [] }
const ROUTE = { ...PLACE, color: null, deviation: null, points: [], coordinates: [] }
/** The states as one process reads them: the watch reports each change. */
const NO_STATES: StatesRead = { kept: [], version: null }
const SITE = { ...PLACE, icon: null, latitude: 1, longitude: 2, radius: null }

let opened: Awaited<ReturnType<typeof temporaryStore>>
let clock: HandedClock
let directory: Directory
/** The same data opened by another process, which makes the changes. */
let other: Store
let organization: Organization
let snapshots: MemorySnapshots

beforeEach(async () => {
  opened = await temporaryStore()
  other = await opened.reopen()
  organization = await other.organizations.create({ name: 'Acme', ...ORGANIZATION_DEFAULTS }, NOW)
  clock = handedClock(NOW * 1_000)
  snapshots = memorySnapshots()
  directory = await openDirectory(opened.store, snapshots, clock)
})
afterEach(async () => {
  await directory.close()
  await opened.cleanUp()
})

const object = (ident: string) => ({ ...OBJECT_DEFAULTS, name: `Bus ${ident}`, ident })

async function newObject(ident: string): Promise<number> {
  const [put] = await other.objects.put(organization.id, [object(ident)], NOW)
  assert.equal(put?.outcome, 'created')
  return (put as { id: number }).id
}

async function report(id: number, timeDevice: number): Promise<void> {
  const fix = bareFix(timeDevice, NOW, 30, -97)
  await other.positions.append(organization.id, [{ object: id, fix }], foldRules(clock))
}

async function fleet() {
  return directory.fleet((await directory.organization(organization.id))!)
}

async function find(of: Fleet, ids: number[]): Promise<OwnObject[]> {
  const all = await of.objects()
  return ids.flatMap((id) => all.get(id) ?? [])
}

/** The objects with these ids that a request of the organization sees. */
async function objectsOf(of: Fleet, kept: Snapshots, ids: number[]): Promise<FleetObject[]> {
  const objects = await find(of, ids)
  const own = objects.map(({ object }) => object.id)
  return of.states.join(objects, await kept.read(of.organization.id, own))
}

async function objectOf(id: number): Promise<FleetObject | undefined> {
  return (await objectsOf(await fleet(), snapshots, [id]))[0]
}

describe('The catalogue', () => {
  it('has all committed states, also those that shared snapshots lack', async () => {
    const id = await newObject('1')
    const shared = await openDirectory(opened.store, { ...snapshots, isShared: true }, clock)
    await report(id, NOW - 2)
    const timesIn = async (of: Fleet, ids?: number[]) =>
      Array.from(await of.committed(ids), ([, { lastFix }]) => lastFix?.timeDevice)
    for (const each of [directory, shared]) {
      await each.catchUp()
      const of = (await each.fleetOf(organization.id))!
      assert.deepEqual(await timesIn(of), [NOW - 2])
      assert.deepEqual(await timesIn(of, [id + 1]), [])
    }
    await report(id, NOW - 1)
    const of = (await shared.fleetOf(organization.id))!
    assert.equal((await of.warm())[0]?.state.lastFix?.timeDevice, NOW - 2)
    assert.deepEqual(await timesIn(of, [id]), [NOW - 1])
    await shared.close()
  })

  it('sees organizations and objects that another process creates, changes and deletes', async () => {
    const made = await other.organizations.create({ name: 'New', ...ORGANIZATION_DEFAULTS }, NOW)
    const id = await newObject('1')
    await directory.catchUp()
    assert.deepEqual(await directory.organization(made.id), made)
    assert.equal((await objectOf(id))?.object.name, 'Bus 1')
    const suspended = await other.organizations.update(made.id, { subscription: 'suspended' }, NOW)
    await other.objects.update(organization.id, id, { name: 'Bus One' }, NOW)
    await directory.catchUp()
    assert.deepEqual(directory.organizationIds(), [organization.id, made.id])
    assert.deepEqual(await directory.organization(made.id), suspended)
    assert.equal((await objectOf(id))?.object.name, 'Bus One')
    await other.organizations.delete(made.id)
    await other.objects.delete(organization.id, id)
    await directory.catchUp()
    assert.equal(await directory.organization(made.id), null)
    assert.deepEqual(directory.organizationIds(), [organization.id])
    assert.equal(await objectOf(id), undefined)
  })

  it('returns the requested objects in order, and none of other organizations', async () => {
    const ids = [await newObject('1'), await newObject('2')]
    const rival = await other.organizations.create({ name: 'Rival', ...ORGANIZATION_DEFAULTS }, NOW)
    const [put] = await other.objects.put(rival.id, [object('4')], NOW)
    await report(ids[1]!, NOW)
    await directory.catchUp()
    const asked = [ids[1]!, (put as { id: number }).id, Number.POSITIVE_INFINITY, ids[0]!]
    const found = await objectsOf(await fleet(), snapshots, asked)
    assert.deepEqual(
      found.map(({ object, state }) => [object.id, state.lastFix?.timeDevice]),
      [
        [ids[1]!, NOW],
        [ids[0]!, undefined],
      ],
    )
  })
})

describe('The states of a fleet', () => {
  /** A catalogue that counts the objects whose states it reads from the store. */
  async function counting() {
    const { store } = opened
    const read: (number[] | undefined)[] = []
    const states: typeof store.positions.states = (of, objects) => {
      read.push(objects)
      return store.positions.states(of, objects)
    }
    const counting = memorySnapshots()
    const counted = await openDirectory(
      { ...store, positions: { ...store.positions, states } },
      counting,
      clock,
    )
    const seen = async (ids: number[]) => {
      await counted.catchUp()
      const fleet = counted.fleet((await counted.organization(organization.id))!)
      const objects = await objectsOf(fleet, counting, ids)
      return objects.map(({ state }) => state.lastFix?.timeDevice)
    }
    return { read, seen, close: () => counted.close() }
  }
  const reportHere = async (id: number, timeDevice: number) => {
    const fix = bareFix(timeDevice, NOW, 30, -97)
    const batch = [{ object: id, fix }]
    await opened.store.positions.append(organization.id, batch, foldRules(clock))
  }

  it("are read once, and updated by its own store's changes", async () => {
    const ids = [await newObject('1'), await newObject('2')]
    const { read, seen, close } = await counting()
    assert.deepEqual(await seen(ids), [undefined, undefined])
    assert.deepEqual(read, [ids])
    for (let minute = 1; minute <= 3; minute++) {
      const time = NOW + minute * 60_000
      await reportHere(ids[0]!, time)
      assert.deepEqual(await seen(ids), [time, undefined])
    }
    assert.equal(read.length, 1)
    await close()
  })

  it('include changes of another process, between own changes too', async () => {
    const ids = [await newObject('1'), await newObject('2')]
    await report(ids[0]!, NOW - 9)
    const { seen, close } = await counting()
    assert.deepEqual(await seen(ids), [NOW - 9, undefined])
    for (let time = NOW; time < NOW + 3; time++) {
      await report(ids[0]!, time)
      await reportHere(ids[1]!, time)
      assert.deepEqual(await seen(ids), [time, time])
    }
    await report(ids[1]!, NOW + 9)
    assert.deepEqual(await seen(ids), [NOW + 2, NOW + 9])
    await close()
  })

  it('include changes of another process for a new organization', async () => {
    const { store } = opened
    const { id } = await other.organizations.create({ name: 'New', ...ORGANIZATION_DEFAULTS }, NOW)
    const puts = await other.objects.put(id, [object('1'), object('2')], NOW)
    const [a, b] = puts.map((put) => (put as { id: number }).id)
    await directory.catchUp()
    const theirs = async () => {
      await directory.catchUp()
      const fleet = directory.fleet((await directory.organization(id))!)
      return (await objectsOf(fleet, snapshots, [a!, b!])).map(
        ({ state }) => state.lastFix?.timeDevice,
      )
    }
    assert.deepEqual(await theirs(), [undefined, undefined])
    const rules = foldRules(clock)
    const at = (object: number) => [{ object, fix: bareFix(NOW, NOW, 30, -97) }]
    await other.positions.append(id, at(a!), rules)
    await store.positions.append(id, at(b!), rules)
    assert.deepEqual(await theirs(), [NOW, NOW])
  })

  it('are those of the present object after a deletion and a new creation', async () => {
    const id = await newObject('1')
    const { seen, close } = await counting()
    await reportHere(id, NOW)
    assert.deepEqual(await seen([id]), [NOW])
    await other.objects.update(organization.id, id, { name: 'Renamed' }, NOW)
    assert.deepEqual(await seen([id]), [NOW])
    await other.objects.delete(organization.id, id)
    assert.deepEqual(await seen([id]), [])
    // A deleted id is free again for a creation that names it.
    await other.objects.put(organization.id, [{ ...object('2'), id }], NOW)
    assert.deepEqual(await seen([id]), [undefined])
    await close()
  })
})

describe('The tag of a list', () => {
  const KINDS = ['objects', 'geofences', 'routes', 'sites'] as const
  const tags = async () => {
    await directory.catchUp()
    const existing = await fleet()
    return Promise.all(KINDS.map(async (kind) => (await existing.listing(kind, NO_STATES)).tag))
  }
  /** The lists whose tags change because of another process. */
  const changedBy = async (change: () => Promise<unknown>) => {
    const before = await tags()
    await change()
    const after = await tags()
    return KINDS.filter((_, index) => before[index] !== after[index])
  }

  it('changes exactly when the list does', async () => {
    const id = await newObject('1')
    const { id: org } = organization
    const same = { ...SITE, name: 'Same' }
    await other.sites.put(org, [same], NOW)
    const changes: [readonly string[], () => Promise<unknown>][] = [
      [['objects'], () => newObject('2')],
      [['objects'], () => other.objects.update(org, id, { name: 'Bus' }, NOW)],
      [['objects'], () => report(id, NOW)],
      [[], () => report(id, NOW)],
      [['geofences'], () => other.geofences.put(org, [GEOFENCE], NOW)],
      [['routes'], () => other.routes.put(org, [ROUTE], NOW)],
      [['sites'], () => other.sites.put(org, [SITE], NOW)],
      [[], () => other.sites.put(org, [same], NOW + 1)],
      [['objects'], () => other.organizations.update(org, { distanceUnit: 'mi' }, NOW)],
      [[], () => other.organizations.update(org, { dailyQuota: 5 }, NOW)],
      [['objects'], () => other.objects.delete(org, id)],
      [[], () => other.organizations.create({ name: 'Next', ...ORGANIZATION_DEFAULTS }, NOW)],
    ]
    for (const [index, [expected, change]] of changes.entries()) {
      assert.deepEqual(await changedBy(change), expected, `change ${index}`)
    }
  })

  it('is the same in every process and after a restart', async () => {
    await newObject('1')
    const here = await tags()
    const there = await openDirectory(other, memorySnapshots(), clock)
    const existing = there.fleet((await there.organization(organization.id))!)
    for (const [index, kind] of KINDS.entries()) {
      assert.equal((await existing.listing(kind, NO_STATES)).tag, here[index])
    }
    await there.close()
  })

  it('follows the version of shared states', async () => {
    const existing = await fleet()
    const listingAt = (version: string) => existing.listing('objects', { kept: [], version })
    const first = await listingAt('a1')
    assert.equal(await listingAt('a1'), first, 'is not made anew')
    const second = await listingAt('a2')
    assert.notEqual(second.tag, first.tag)
    assert.equal((await listingAt('a1')).tag, first.tag)
    const sites = await existing.listing('sites', { kept: [], version: 'a1' })
    assert.equal(await existing.listing('sites', { kept: [], version: 'a2' }), sites)
  })

  it('follows the store if shared states cannot be read', async () => {
    const id = await newObject('1')
    await directory.catchUp()
    const existing = await fleet()
    const tagNow = async () => (await existing.listing('objects', null)).tag
    const before = await tagNow()
    assert.equal(await tagNow(), before)
    // This process is not notified of it.
    await report(id, NOW)
    assert.notEqual(await tagNow(), before)
  })

  it('differs between organizations', async () => {
    const rival = await other.organizations.create({ name: 'Rival', ...ORGANIZATION_DEFAULTS }, NOW)
    await directory.catchUp()
    const theirs = directory.fleet((await directory.organization(rival.id))!)
    assert.notEqual(
      (await theirs.listing('sites', NO_STATES)).tag,
      (await (await fleet()).listing('sites', NO_STATES)).tag,
    )
  })

  it('never belongs to an older list, whatever is committed during the request', async () => {
    const id = await newObject('1')
    await directory.catchUp()
    const existing = await fleet()
    await find(existing, [id])
    // After the request has caught up, and before it reads the list.
    await other.objects.update(organization.id, id, { name: 'New name' }, NOW)
    const early = await existing.listing('objects', NO_STATES)
    const names = (await everyItem(early.items())).map((it) => it.object.name)
    await directory.catchUp()
    const late = await existing.listing('objects', NO_STATES)
    assert.deepEqual(
      (await everyItem(late.items())).map((it) => it.object.name),
      ['New name'],
    )
    assert.ok(early.tag !== late.tag || names[0] === 'New name', `${names[0]} under the newest tag`)
  })

  it('never belongs to a list in another distance unit', async () => {
    await directory.catchUp()
    const before = (await directory.organization(organization.id))!
    await other.organizations.update(organization.id, { distanceUnit: 'mi' }, NOW)
    await directory.catchUp()
    // A pending request with the organization before the change.
    const late = directory.fleet(before)
    const after = await fleet()
    assert.notEqual(late, after)
    assert.notEqual(
      (await late.listing('objects', NO_STATES)).tag,
      (await after.listing('objects', NO_STATES)).tag,
    )
  })
})

describe('The catalogue while the store is down', () => {
  it('serves known data for 60 s, then nothing', async () => {
    const id = await newObject('1')
    await other.keys.issue(
      organization.id,
      { name: 'a', hash: 'hash', prefix: 'fg_live_abcd', lastFour: 'wxyz', expiresAt: null },
      NOW,
    )
    await directory.catchUp()
    assert.ok(await objectOf(id))
    await opened.store.close()
    clock.advanceUs(60_000_000)
    await directory.catchUp()
    assert.ok(directory.isConfirmed())
    assert.equal(directory.keys.find('hash', NOW)?.name, 'a')
    assert.ok(await objectOf(id))
    clock.advanceUs(1)
    await assert.rejects(async () => directory.catchUp(), StoreUnavailable)
    assert.equal(directory.isConfirmed(), false)
  })

  it('reports unknown data as unavailable, never as missing', async () => {
    const id = await newObject('1')
    await directory.catchUp()
    await opened.store.close()
    const existing = await fleet()
    await assert.rejects(find(existing, [id]), StoreUnavailable)
    await assert.rejects(existing.listing('sites', NO_STATES), StoreUnavailable)
    await assert.rejects(async () => directory.organization(organization.id + 1), StoreUnavailable)
  })

  it("counts the 60 s from the store's last answer, and asks again later", async () => {
    let down = false
    const store: Store = {
      ...opened.store,
      watch(listener) {
        const { catchUp, ...watch } = opened.store.watch(listener)
        return {
          ...watch,
          catchUp() {
            if (down) throw new StoreUnavailable('down')
            catchUp()
          },
        }
      },
    }
    const watched = await openDirectory(store, memorySnapshots(), clock)
    clock.advanceUs(600_000_000)
    await watched.catchUp()
    down = true
    clock.advanceUs(60_000_000)
    await watched.catchUp()
    clock.advanceUs(1)
    await assert.rejects(async () => watched.catchUp(), StoreUnavailable)
    const made = await other.organizations.create({ name: 'New', ...ORGANIZATION_DEFAULTS }, NOW)
    down = false
    await watched.catchUp()
    assert.deepEqual(await watched.organization(made.id), made)
    await watched.close()
  })

  it('repeats a failed read', async () => {
    const id = await newObject('1')
    await directory.catchUp()
    let down = false
    const failing =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        if (down) throw new StoreUnavailable('down')
        return call(...args)
      }
    const { store } = opened
    const flaky = await openDirectory(
      {
        ...store,
        organizations: { ...store.organizations, versions: failing(store.organizations.versions) },
        objects: { ...store.objects, list: failing(store.objects.list) },
      },
      memorySnapshots(),
      clock,
    )
    const existing = flaky.fleet((await flaky.organization(organization.id))!)
    down = true
    await assert.rejects(find(existing, [id]), StoreUnavailable)
    await assert.rejects(existing.listing('objects', NO_STATES), StoreUnavailable)
    down = false
    assert.equal((await find(existing, [id])).length, 1)
    assert.equal(
      (await everyItem((await existing.listing('objects', NO_STATES)).items())).length,
      1,
    )
    await flaky.close()
  })
})

describe('The catalogue with a store that is notified by its server', () => {
  /** A store with other parts, and how its server notifies of a change. */
  function pushing(parts: (store: Store) => Partial<Store>) {
    const { store } = opened
    let listener: (change: Change) => void = () => assert.fail('not watched yet')
    const watch: Store['watch'] = (given) => {
      listener = given
      return { since: 0, reportsAll: false, catchUp() {}, close() {} }
    }
    const tell = (topic: Change['topic'], sequence: number) =>
      listener({ organization: organization.id, topic, sequence })
    return { store: { ...store, watch, ...parts(store) }, tell }
  }

  it('misses no change during its opening', async () => {
    const { store, tell } = pushing(({ keys, organizations }) => ({
      keys: {
        ...keys,
        async all() {
          const before = await keys.all()
          await other.keys.issue(
            organization.id,
            { name: 'a', hash: 'new', prefix: 'fg_live_abcd', lastFour: 'wxyz', expiresAt: null },
            NOW,
          )
          tell('keys', 1_000)
          return before
        },
      },
      organizations: {
        ...organizations,
        async list() {
          const list = await organizations.list()
          await other.organizations.update(organization.id, { name: 'Renamed' }, NOW)
          tell('organization', 1_001)
          return list
        },
      },
    }))
    const pushed = await openDirectory(store, memorySnapshots(), clock)
    await pushed.catchUp()
    assert.equal(pushed.keys.find('new', NOW)?.name, 'a')
    assert.equal((await pushed.organization(organization.id))?.name, 'Renamed')
    await pushed.close()
  })

  it('does not cache an organization that changed during the read', async () => {
    let onRead: () => Promise<unknown> = async () => undefined
    const { store, tell } = pushing(({ organizations }) => ({
      organizations: {
        ...organizations,
        list: async () => [],
        async find(id) {
          const found = await organizations.find(id)
          await onRead()
          return found
        },
      },
    }))
    const pushed = await openDirectory(store, memorySnapshots(), clock)
    onRead = async () => {
      onRead = async () => undefined
      await other.organizations.update(organization.id, { subscription: 'suspended' }, NOW)
      tell('organization', 1_000)
    }
    await pushed.organization(organization.id)
    assert.equal((await pushed.organization(organization.id))?.subscription, 'suspended')
    await pushed.close()
  })
})
