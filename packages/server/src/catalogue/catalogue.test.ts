import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { bareFix } from '../domain/fix.ts'
import { type HandedClock, handedClock } from '../domain/handed-clock.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../domain/organization.ts'
import { OBJECT_DEFAULTS } from '../domain/tracked-object.ts'
import { type MemorySnapshots, memorySnapshots } from '../realtime/memory/snapshots.ts'
import type { Snapshots, StatesRead } from '../realtime/realtime.ts'
import { temporaryStore } from '../store/sqlite/temporary-store.ts'
import { type Change, type Store, StoreUnavailable } from '../store/store.ts'
import { trackingRules } from '../tracking/rules.ts'
import { type Catalogue, openCatalogue } from './catalogue.ts'
import type { Fleet, FleetObject, OwnObject } from './fleet.ts'

const NOW = Date.UTC(2026, 10, 20)
const PLACE = { name: 'Depot', description: null }
const GEOFENCE = { ...PLACE, color: null, coordinates: [] }
const ROUTE = { ...PLACE, color: null, deviation: null, points: [], coordinates: [] }
/** As one process reads them: the store's change feed tells of each change. */
const TOLD: StatesRead = { kept: [], version: null }
const SITE = { ...PLACE, icon: null, latitude: 1, longitude: 2, radius: null }

let opened: Awaited<ReturnType<typeof temporaryStore>>
let clock: HandedClock
let catalogue: Catalogue
/** The same data as another process has it open: it makes the changes. */
let other: Store
let organization: Organization
let snapshots: MemorySnapshots

beforeEach(async () => {
  opened = await temporaryStore()
  other = await opened.reopen()
  organization = await other.organizations.create({ name: 'Acme', ...ORGANIZATION_DEFAULTS }, NOW)
  clock = handedClock(NOW * 1_000)
  snapshots = memorySnapshots()
  catalogue = await openCatalogue(opened.store, snapshots, clock)
})
afterEach(async () => {
  await catalogue.close()
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
  await other.positions.append(organization.id, [{ object: id, fix }], trackingRules(clock))
}

async function fleet() {
  return catalogue.fleet((await catalogue.organization(organization.id))!)
}

async function find(of: Fleet, ids: number[]): Promise<OwnObject[]> {
  const all = await of.objects()
  return ids.flatMap((id) => all.get(id) ?? [])
}

/** What a request is shown of those of the ids that the organization has. */
async function objectsOf(of: Fleet, kept: Snapshots, ids: number[]): Promise<FleetObject[]> {
  const objects = await find(of, ids)
  const own = objects.map(({ object }) => object.id)
  return of.withStates(objects, await kept.read(of.organization.id, own))
}

async function objectOf(id: number): Promise<FleetObject | undefined> {
  return (await objectsOf(await fleet(), snapshots, [id]))[0]
}

async function owns(id: number): Promise<boolean> {
  return (await find(await fleet(), [id])).length > 0
}

describe('The catalogue', () => {
  it('sees an organization that another process makes, changes and deletes', async () => {
    const made = await other.organizations.create({ name: 'New', ...ORGANIZATION_DEFAULTS }, NOW)
    await catalogue.catchUp()
    assert.deepEqual(await catalogue.organization(made.id), made)
    const suspended = await other.organizations.update(made.id, { subscription: 'suspended' }, NOW)
    await catalogue.catchUp()
    assert.deepEqual(await catalogue.organization(made.id), suspended)
    await other.organizations.delete(made.id)
    await catalogue.catchUp()
    assert.equal(await catalogue.organization(made.id), null)
  })

  it('knows of all that other processes make, before anybody asks for them', async () => {
    const wanted = { name: 'Late', ...ORGANIZATION_DEFAULTS }
    const { id } = await other.organizations.create(wanted, NOW)
    await other.organizations.update(organization.id, { dailyQuota: 5 }, NOW)
    await catalogue.catchUp()
    assert.deepEqual(catalogue.organizationIds(), [organization.id, id])
    await other.organizations.delete(id)
    await catalogue.catchUp()
    assert.equal(await catalogue.organization(id), null)
    assert.deepEqual(catalogue.organizationIds(), [organization.id])
  })

  it('sees objects come, change and go', async () => {
    assert.equal(await owns(1), false)
    const id = await newObject('1')
    await catalogue.catchUp()
    assert.equal(await owns(id), true)
    assert.equal((await objectOf(id))?.object.name, 'Bus 1')
    await other.objects.update(organization.id, id, { name: 'Bus One' }, NOW)
    await catalogue.catchUp()
    assert.equal((await objectOf(id))?.object.name, 'Bus One')
    await other.objects.delete(organization.id, id)
    await catalogue.catchUp()
    assert.equal(await owns(id), false)
    assert.equal(await objectOf(id), undefined)
    assert.deepEqual(await objectsOf(await fleet(), snapshots, [id]), [])
  })

  it('sees each position', async () => {
    const id = await newObject('1')
    for (let minute = 1; minute <= 3; minute++) {
      await report(id, NOW + minute * 60_000)
      await catalogue.catchUp()
      const seen = await objectOf(id)
      assert.equal(seen?.state.lastFix?.timeDevice, NOW + minute * 60_000)
    }
  })

  it('gives what it was asked for, in that order, and nothing of anybody else', async () => {
    const ids = [await newObject('1'), await newObject('2'), await newObject('3')]
    const rival = await other.organizations.create({ name: 'Rival', ...ORGANIZATION_DEFAULTS }, NOW)
    const [put] = await other.objects.put(rival.id, [object('4')], NOW)
    const foreign = (put as { id: number }).id
    await report(ids[1]!, NOW)
    await catalogue.catchUp()
    const asked = [ids[2]!, foreign, ids[0]!, Number.POSITIVE_INFINITY, ids[1]!]
    const own = [ids[2]!, ids[0]!, ids[1]!]
    const owned = await find(await fleet(), asked)
    assert.deepEqual(
      owned.map(({ object }) => object.id),
      own,
    )
    const found = await objectsOf(await fleet(), snapshots, asked)
    assert.deepEqual(
      found.map((it) => it.object.id),
      own,
    )
    assert.deepEqual(
      found.map((it) => it.state.lastFix?.timeDevice),
      [undefined, undefined, NOW],
    )
    assert.equal(await objectOf(foreign), undefined)
    assert.equal(await owns(foreign), false)
  })

  it('lists what there is, and reads it no sooner than it is wanted', async () => {
    const id = await newObject('1')
    await report(id, NOW)
    await other.geofences.put(organization.id, [GEOFENCE], NOW)
    await other.routes.put(organization.id, [ROUTE], NOW)
    await other.sites.put(organization.id, [SITE], NOW)
    await catalogue.catchUp()
    const standing = await fleet()
    const objects = await (await standing.listing('objects', TOLD)).items()
    assert.deepEqual(
      objects.map((it) => it.state.lastFix?.timeDevice),
      [NOW],
    )
    for (const kind of ['geofences', 'routes', 'sites'] as const) {
      const items = await (await standing.listing(kind, TOLD)).items()
      assert.deepEqual(
        items.map((it) => it.name),
        ['Depot'],
      )
    }
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
    const counted = await openCatalogue(
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
    await opened.store.positions.append(organization.id, batch, trackingRules(clock))
  }

  it('are read once, and kept as its own store changes them', async () => {
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

  it('are seen as another process changes them, whatever comes of its own in between', async () => {
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

  it('of an organization that is new are seen likewise', async () => {
    const { store } = opened
    const { id } = await other.organizations.create({ name: 'New', ...ORGANIZATION_DEFAULTS }, NOW)
    const puts = await other.objects.put(id, [object('1'), object('2')], NOW)
    const [a, b] = puts.map((put) => (put as { id: number }).id)
    await catalogue.catchUp()
    const theirs = async () => {
      await catalogue.catchUp()
      const fleet = catalogue.fleet((await catalogue.organization(id))!)
      return (await objectsOf(fleet, snapshots, [a!, b!])).map(
        ({ state }) => state.lastFix?.timeDevice,
      )
    }
    assert.deepEqual(await theirs(), [undefined, undefined])
    const rules = trackingRules(clock)
    const at = (object: number) => [{ object, fix: bareFix(NOW, NOW, 30, -97) }]
    await other.positions.append(id, at(a!), rules)
    await store.positions.append(id, at(b!), rules)
    assert.deepEqual(await theirs(), [NOW, NOW])
  })

  it('are those of the object that there is now, whatever became of it', async () => {
    const id = await newObject('1')
    const { seen, close } = await counting()
    await reportHere(id, NOW)
    assert.deepEqual(await seen([id]), [NOW])
    await other.objects.update(organization.id, id, { name: 'Renamed' }, NOW)
    assert.deepEqual(await seen([id]), [NOW])
    await other.objects.delete(organization.id, id)
    assert.deepEqual(await seen([id]), [])
    // Its id is free again where it is asked for by name.
    await other.objects.put(organization.id, [{ ...object('2'), id }], NOW)
    assert.deepEqual(await seen([id]), [undefined])
    await close()
  })
})

describe('The tag of a list', () => {
  const KINDS = ['objects', 'geofences', 'routes', 'sites'] as const
  const tags = async () => {
    await catalogue.catchUp()
    const standing = await fleet()
    return Promise.all(KINDS.map(async (kind) => (await standing.listing(kind, TOLD)).tag))
  }
  /** Which lists' tags another process changed by what it did. */
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
    const there = await openCatalogue(other, memorySnapshots(), clock)
    const standing = there.fleet((await there.organization(organization.id))!)
    for (const [index, kind] of KINDS.entries()) {
      assert.equal((await standing.listing(kind, TOLD)).tag, here[index])
    }
    await there.close()
  })

  it('goes by the version of what is shared, where states are shared', async () => {
    const standing = await fleet()
    const listingAt = (version: string) => standing.listing('objects', { kept: [], version })
    const first = await listingAt('a1')
    assert.equal(await listingAt('a1'), first, 'is not made anew')
    const second = await listingAt('a2')
    assert.notEqual(second.tag, first.tag)
    assert.equal((await listingAt('a1')).tag, first.tag)
    const sites = await standing.listing('sites', { kept: [], version: 'a1' })
    assert.equal(await standing.listing('sites', { kept: [], version: 'a2' }), sites)
  })

  it('goes by what the store says just now, where what is shared cannot be read', async () => {
    const id = await newObject('1')
    await catalogue.catchUp()
    const standing = await fleet()
    const tagNow = async () => (await standing.listing('objects', null)).tag
    const before = await tagNow()
    assert.equal(await tagNow(), before)
    // Which this process is not told of.
    await report(id, NOW)
    assert.notEqual(await tagNow(), before)
  })

  it('tells organizations apart', async () => {
    const rival = await other.organizations.create({ name: 'Rival', ...ORGANIZATION_DEFAULTS }, NOW)
    await catalogue.catchUp()
    const theirs = catalogue.fleet((await catalogue.organization(rival.id))!)
    assert.notEqual(
      (await theirs.listing('sites', TOLD)).tag,
      (await (await fleet()).listing('sites', TOLD)).tag,
    )
  })

  it('never stands for an older list, whatever is committed while it is asked for', async () => {
    const id = await newObject('1')
    await catalogue.catchUp()
    const standing = await fleet()
    await find(standing, [id])
    // After the request caught up, and before it asked for the list.
    await other.objects.update(organization.id, id, { name: 'New name' }, NOW)
    const early = await standing.listing('objects', TOLD)
    const names = (await early.items()).map((it) => it.object.name)
    await catalogue.catchUp()
    const late = await standing.listing('objects', TOLD)
    assert.deepEqual(
      (await late.items()).map((it) => it.object.name),
      ['New name'],
    )
    assert.ok(early.tag !== late.tag || names[0] === 'New name', `${names[0]} under the newest tag`)
  })

  it('never stands for a list in another distance unit', async () => {
    await catalogue.catchUp()
    const before = (await catalogue.organization(organization.id))!
    await other.organizations.update(organization.id, { distanceUnit: 'mi' }, NOW)
    await catalogue.catchUp()
    // A request that is still on its way with the organization as it was.
    const late = catalogue.fleet(before)
    const after = await fleet()
    assert.notEqual(late, after)
    assert.notEqual(
      (await late.listing('objects', TOLD)).tag,
      (await after.listing('objects', TOLD)).tag,
    )
  })
})

describe('The catalogue while the store is down', () => {
  it('serves on what it knows for 60 s, then nothing', async () => {
    const id = await newObject('1')
    await other.keys.issue(
      organization.id,
      { name: 'a', hash: 'hash', prefix: 'fg_live_abcd', lastFour: 'wxyz', expiresAt: null },
      NOW,
    )
    await catalogue.catchUp()
    assert.ok(await objectOf(id))
    await opened.store.close()
    clock.advanceUs(60_000_000)
    await catalogue.catchUp()
    assert.ok(catalogue.isConfirmed())
    assert.equal(catalogue.keys.find('hash', NOW)?.name, 'a')
    assert.ok(await objectOf(id))
    clock.advanceUs(1)
    await assert.rejects(async () => catalogue.catchUp(), StoreUnavailable)
    assert.equal(catalogue.isConfirmed(), false)
  })

  it('says so where it does not know, never that there is nothing', async () => {
    const id = await newObject('1')
    await catalogue.catchUp()
    await opened.store.close()
    const standing = await fleet()
    await assert.rejects(find(standing, [id]), StoreUnavailable)
    await assert.rejects(standing.listing('sites', TOLD), StoreUnavailable)
    await assert.rejects(async () => catalogue.organization(organization.id + 1), StoreUnavailable)
  })

  it('counts the 60 s from the last time that the store answered, and asks again after', async () => {
    let down = false
    const store: Store = {
      ...opened.store,
      watch(listener) {
        const { since, catchUp, close } = opened.store.watch(listener)
        return {
          since,
          close,
          catchUp() {
            if (down) throw new StoreUnavailable('down')
            catchUp()
          },
        }
      },
    }
    const watched = await openCatalogue(store, memorySnapshots(), clock)
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

  it('reads again what failed to be read', async () => {
    const id = await newObject('1')
    await catalogue.catchUp()
    let down = false
    const failing =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        if (down) throw new StoreUnavailable('down')
        return call(...args)
      }
    const { store } = opened
    const flaky = await openCatalogue(
      {
        ...store,
        organizations: { ...store.organizations, versions: failing(store.organizations.versions) },
        objects: { ...store.objects, list: failing(store.objects.list) },
      },
      memorySnapshots(),
      clock,
    )
    const standing = flaky.fleet((await flaky.organization(organization.id))!)
    down = true
    await assert.rejects(find(standing, [id]), StoreUnavailable)
    await assert.rejects(standing.listing('objects', TOLD), StoreUnavailable)
    down = false
    assert.equal((await find(standing, [id])).length, 1)
    assert.equal((await (await standing.listing('objects', TOLD)).items()).length, 1)
    await flaky.close()
  })
})

describe('The catalogue over a store that is told by its server', () => {
  it('misses no change that is told while it is being opened', async () => {
    const { store } = opened
    let tell: (change: Change) => void = () => assert.fail('not watched yet')
    const pushing: Store = {
      ...store,
      watch(listener) {
        tell = listener
        return { since: 0, catchUp() {}, close() {} }
      },
      keys: {
        ...store.keys,
        async all() {
          const keys = await store.keys.all()
          await other.keys.issue(
            organization.id,
            { name: 'a', hash: 'new', prefix: 'fg_live_abcd', lastFour: 'wxyz', expiresAt: null },
            NOW,
          )
          tell({ organization: organization.id, topic: 'keys', sequence: 1_000 })
          return keys
        },
      },
      organizations: {
        ...store.organizations,
        async list() {
          const list = await store.organizations.list()
          await other.organizations.update(organization.id, { name: 'Renamed' }, NOW)
          tell({ organization: organization.id, topic: 'organization', sequence: 1_001 })
          return list
        },
      },
    }
    const pushed = await openCatalogue(pushing, memorySnapshots(), clock)
    await pushed.catchUp()
    assert.equal(pushed.keys.find('new', NOW)?.name, 'a')
    assert.equal((await pushed.organization(organization.id))?.name, 'Renamed')
    await pushed.close()
  })

  it('does not keep an organization that changed while it was being read', async () => {
    const { store } = opened
    let tell: (change: Change) => void = () => assert.fail('not watched yet')
    let onRead: () => Promise<unknown> = async () => undefined
    const pushed = await openCatalogue(
      {
        ...store,
        watch(listener) {
          tell = listener
          return { since: 0, catchUp() {}, close() {} }
        },
        organizations: {
          ...store.organizations,
          list: async () => [],
          async find(id) {
            const found = await store.organizations.find(id)
            await onRead()
            return found
          },
        },
      },
      memorySnapshots(),
      clock,
    )
    onRead = async () => {
      onRead = async () => undefined
      await other.organizations.update(organization.id, { subscription: 'suspended' }, NOW)
      tell({ organization: organization.id, topic: 'organization', sequence: 1_000 })
    }
    await pushed.organization(organization.id)
    assert.equal((await pushed.organization(organization.id))?.subscription, 'suspended')
    await pushed.close()
  })
})
