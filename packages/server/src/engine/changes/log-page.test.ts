import assert from 'node:assert/strict'
import { it } from 'node:test'
import { derived, derivedOn, newPut, stop } from '../../../testing/store-contract/derived.ts'
import {
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
  objectSettings,
  PLAIN,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { CHANGE_TYPES, type ChangeType } from '../../base/domain/item-rules.ts'
import { keyOf } from '../../base/domain/record.ts'
import type { ChangeView } from '../store/change-log.ts'
import { logPage, MAX_CHANGES_A_PAGE } from './log-page.ts'
import { type LogOffset, logOffset, type Page } from './page.ts'

const APPENDS_AT_ONCE = 500
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

it('A page ends after many changes that do not concern its reader', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const object = await newObject(store, organization)
  for (let time = 0; time < MAX_CHANGES_A_PAGE; time += APPENDS_AT_ONCE) {
    const fixes = Array.from({ length: APPENDS_AT_ONCE }, (_, index) => fixAt(time + index + 1))
    await Promise.all(
      fixes.map((fix) => store.positions.append(organization, [{ object, fix }], PLAIN)),
    )
  }
  const site = { name: 'Depot', description: null, icon: null, latitude: 1, longitude: 2 }
  await store.sites.put(organization, [{ ...site, radius: 3 }], NOW)
  const selection = { types: new Set<ChangeType>(['sites']), ids: null }
  const pageAt = (offset: LogOffset) =>
    store.changeLog.view(organization, (view) =>
      logPage(view, offset, { selection, limit: 1_000, now: NOW }),
    )
  const first = (await pageAt(logOffset(0)))!
  assert.deepEqual([first.entries, first.hasMore], [[], true])
  const second = (await pageAt(first.next))!
  assert.deepEqual(
    second.entries.map(({ type }) => type),
    ['sites'],
  )
  assert.equal(second.hasMore, false)
})

it('A page reads no more changes than fill it', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const object = await newObject(store, organization)
  const ROWS = 30
  for (let batch = 0; batch < 60; batch += 1) {
    const fixes = Array.from({ length: ROWS }, (_, index) => fixAt(NOW + batch * ROWS + index))
    await append(store, organization, object, fixes)
  }
  const selection = { types: new Set<ChangeType>(['positions']), ids: null }
  for (const [limit, most] of [
    [10, 1],
    [ROWS, 1],
    [ROWS + 1, 2],
    [10 * ROWS, 12],
  ] as const) {
    let read = 0
    const page = await store.changeLog.view(organization, (view) => {
      const counted: ChangeView = {
        ...view,
        async changes(after, atOnce) {
          const changes = await view.changes(after, atOnce)
          read += changes.length
          return changes
        },
      }
      // The first change is that of the object.
      return logPage(counted, logOffset(1), { selection, limit, now: NOW })
    })
    const rows = page!.entries.map((entry) => ('count' in entry ? entry.count : 0))
    assert.equal(
      rows.reduce((sum, each) => sum + each, 0),
      limit,
    )
    assert.ok(read <= most, `${read} changes for a page of ${limit}`)
  }
})

it('Readers of positions, states or records alone learn that an object was deleted', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const id = await newObject(store, organization)
  await append(store, organization, id, [fixAt(NOW)])
  await store.objects.delete(organization, id)

  async function deletedFor(type: ChangeType) {
    const selection = { types: new Set([type]), ids: null }
    const page = await store.changeLog.view(organization, (view) =>
      logPage(view, logOffset(0), { selection, limit: 100, now: NOW }),
    )
    return page!.entries.map((entry) => [entry.type, entry.op, 'id' in entry && entry.id])
  }
  const deleted = [['objects', 'delete', id]]
  assert.deepEqual(await deletedFor('positions'), deleted)
  assert.deepEqual(await deletedFor('states'), deleted)
  assert.deepEqual(await deletedFor('visits'), deleted)
  assert.deepEqual(await deletedFor('sites'), [])
})

it('A reader of states alone gets the state whose object was changed', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const id = await newObject(store, organization)
  await append(store, organization, id, [fixAt(NOW)])
  await store.objects.update(organization, id, { address: 'Garage' }, NOW)

  async function changedFor(...types: ChangeType[]) {
    const selection = { types: new Set(types), ids: null }
    const page = await store.changeLog.view(organization, (view) =>
      logPage(view, logOffset(2), { selection, limit: 100, now: NOW }),
    )
    return page!.entries.map(({ type }) => type)
  }
  assert.deepEqual(await changedFor('states'), ['state'])
  assert.deepEqual(await changedFor('states', 'objects'), ['objects'])
  assert.deepEqual(await changedFor('positions'), [])
})

it('A state is on a page again after its object was deleted and came back under its id', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const id = await newObject(store, organization)
  await append(store, organization, id, [fixAt(NOW)])
  await store.objects.delete(organization, id)
  await store.objects.put(organization, [{ ...objectSettings('1'), id }], NOW)
  await append(store, organization, id, [fixAt(NOW)])
  const selection = { types: new Set<ChangeType>(['objects', 'states']), ids: null }
  const entries: string[] = []
  let offset: LogOffset = logOffset(0)
  for (let hasMore = true; hasMore; ) {
    const page = await store.changeLog.view(organization, (view) =>
      logPage(view, offset, { selection, limit: 100, now: NOW }),
    )
    for (const { type, op } of page!.entries) entries.push(`${type} ${op}`)
    ;({ next: offset, hasMore } = page!)
  }
  assert.equal(entries.at(-1), 'state put', `after ${entries}`)
  assert.ok(entries.lastIndexOf('state put') > entries.lastIndexOf('objects delete'))
})

it('A page may end between an object that never reported and its state', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  await newObject(store, organization)
  const selection = { types: new Set<ChangeType>(['objects', 'states']), ids: null }
  const pageAt = async (offset: LogOffset, limit: number) =>
    (await store.changeLog.view(organization, (view) =>
      logPage(view, offset, { selection, limit, now: NOW }),
    ))!
  const typesOf = ({ entries }: Page) => entries.map(({ type }) => type)
  const first = await pageAt(logOffset(0), 1)
  assert.deepEqual([typesOf(first), first.hasMore], [['objects'], true])
  const second = await pageAt(first.next, 1)
  assert.deepEqual([typesOf(second), second.hasMore], [['state'], false])
  // A page that its object cannot pay ends before the entry.
  const both = await pageAt(logOffset(0), 2)
  assert.deepEqual([typesOf(both), both.hasMore], [['objects', 'state'], false])
  const [, state] = both.entries
  assert.ok(state?.type === 'state' && state.before.part === 'log')
  assert.deepEqual(typesOf(await pageAt(state.before, 2)), ['state'])
})

it('A state is shown once to a reader who missed many changes', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const objects = [
    await newObject(store, organization, '1'),
    await newObject(store, organization, '2'),
  ]
  for (let minute = 0; minute < 40; minute += 1) {
    const fixes = objects.map((object) => ({ object, fix: fixAt(NOW + minute * MINUTE_MS) }))
    await store.positions.append(organization, fixes, PLAIN)
  }
  const selection = { types: new Set(CHANGE_TYPES), ids: null }
  const counts = { positions: 0, states: [] as number[] }
  let offset: LogOffset = logOffset(0)
  for (let hasMore = true; hasMore; ) {
    const page = await store.changeLog.view(organization, (view) =>
      logPage(view, offset, { selection, limit: 10, now: NOW }),
    )
    for (const entry of page!.entries) {
      if ('count' in entry) counts.positions += entry.count
      if (entry.type === 'state') counts.states.push(entry.object.id)
    }
    ;({ next: offset, hasMore } = page!)
  }
  assert.deepEqual(counts, { positions: 80, states: objects })
})

it('A longer retention brings an hour more than was hidden, for readers whose clocks are ahead', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store, 'Acme', { retentionDays: 1 })
  const id = await newObject(store, organization)
  const ages = [-2, 30, 90].map((minutes) => fixAt(NOW - DAY_MS + minutes * MINUTE_MS))
  await append(store, organization, id, ages)
  await store.organizations.update(organization, { retentionDays: 2 }, NOW)
  const selection = { types: new Set<ChangeType>(['positions']), ids: null }
  const page = await store.changeLog.view(organization, (view) =>
    logPage(view, logOffset(2), { selection, limit: 100, now: NOW }),
  )
  const [, replaced, rows] = page!.entries
  assert.ok(replaced?.type === 'positions' && rows !== undefined && 'count' in rows)
  assert.deepEqual([replaced.to, rows.count], [NOW - DAY_MS + 60 * MINUTE_MS, 2])
})

it('A record is on a page once: as it is now, or deleted if it is gone or has expired', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const { organization, ids, apply } = await derivedOn(store, 2)
  const [one, other] = ids as [number, number]
  const puts = [1, 2, 3, 4].map((id) => newPut(id, stop(NOW - id * DAY_MS, null)))
  await apply({ objects: [derived(one, puts), derived(other, [newPut(5, stop(NOW, null))])] })
  const ended = (id: number, end: number) => {
    const { start, until } = puts[id - 1]!.record
    return newPut(id, stop(start, end), { revision: 2, before: { start, until } })
  }
  const changed = [ended(1, NOW), ended(3, NOW - 2 * DAY_MS - 1)]
  const { record } = puts[1]!
  const deletes = [{ ...keyOf(record), until: record.until, id: 2 }]
  await apply({ objects: [{ ...derived(one, changed), deletes }] })
  await store.organizations.update(organization, { retentionDays: 2 }, NOW)
  const pageFor = async (...chosen: number[]) => {
    const selection = { types: new Set<ChangeType>(['stops']), ids: chosen }
    const page = await store.changeLog.view(organization, (view) =>
      logPage(view, logOffset(1), { selection, limit: 100, now: NOW }),
    )
    return page!.entries.flatMap((entry) => {
      if (entry.type !== 'stops') return []
      return [entry.op === 'put' ? [entry.owned.id, entry.owned.revision] : [entry.id]]
    })
  }
  assert.deepEqual(await pageFor(one), [[1, 2], [2], [3], [4, 1]])
  assert.deepEqual(await pageFor(other), [[5, 1]])
})
