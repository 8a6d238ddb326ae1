import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { ReaderView, ReaderViews } from '../store/change-log.ts'
import { KeptViews } from './kept-views.ts'

const OBJECTS = 4

/**
 * A step for one of the objects. `hold` opens a view that looks again after the other steps, and `move elsewhere` is a
 * change that the views do not get.
 */
const anyStep = fc.record({
  does: fc.constantFrom('move', 'move elsewhere', 'rename', 'delete', 'look', 'hold'),
  at: fc.nat({ max: OBJECTS - 1 }),
})

it('Kept values are those of the view, whatever changes in between', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const organization = await newOrganization(store)
      const ids: number[] = []
      for (let each = 0; each < OBJECTS; each += 1) {
        ids.push(await newObject(store, organization, `${each}`))
      }
      const kept = twice(store.changeLog)
      let isElsewhere = false
      const watch = store.watch((change) => {
        if (!isElsewhere) kept.changed(change)
      })
      const released: (() => void)[] = []
      const held: Promise<unknown>[] = []
      for (const [time, { does, at }] of steps.entries()) {
        const id = ids[at]!
        isElsewhere = does === 'move elsewhere'
        if (does === 'move' || isElsewhere)
          await append(store, organization, id, [fixAt(NOW + time)])
        if (does === 'rename')
          await store.objects.update(organization, id, { name: `${time}` }, NOW)
        if (does === 'delete') await store.objects.delete(organization, id)
        if (does === 'look') await kept.view(organization, (view) => compare(view, ids))
        // A file has few connections for views.
        if (does === 'hold' && held.length < 2) {
          const { promise, resolve } = Promise.withResolvers<void>()
          released.push(resolve)
          const holding = kept.view(organization, async (view) => {
            await compare(view, ids.slice(at))
            await promise
            await compare(view, ids)
          })
          held.push(holding)
        }
      }
      for (const release of released) release()
      await Promise.all(held)
      await kept.view(organization, (view) => compare(view, ids))
      watch.close()
    }),
    { numRuns: 60 },
  )
})

it('An object and its state are read again only after a change that names them', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const still = await newObject(store, organization, 'still')
  const moving = await newObject(store, organization, 'moving')
  const read: string[] = []
  const kept = new KeptViews({
    view: (of, work) =>
      store.changeLog.view(of, (view) =>
        work({
          ...view,
          items(topic, ids) {
            read.push(`items ${ids.join()}`)
            return view.items(topic, ids)
          },
          states(ids) {
            read.push(`states ${ids.join()}`)
            return view.states(ids)
          },
        }),
      ),
  })
  const look = () =>
    kept.view(organization, async (view) => {
      await view.items('objects', [still, moving])
      await view.states([still, moving])
    })
  await look()
  await look()
  await append(store, organization, moving, [fixAt(NOW)])
  await look()
  // States that the store brings are not read.
  const watch = store.watch(kept.changed)
  await append(store, organization, moving, [fixAt(NOW + 1)])
  watch.close()
  await look()
  assert.deepEqual(read, [
    `items ${still},${moving}`,
    `states ${still},${moving}`,
    `states ${moving}`,
  ])
})

it('A value that is read while another view goes ahead is not kept', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const id = await newObject(store, organization)
  const { promise: isRead, resolve: setRead } = Promise.withResolvers<void>()
  const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>()
  let isFirst = true
  const kept = new KeptViews({
    view: (of, work) =>
      store.changeLog.view(of, (view) =>
        work({
          ...view,
          async items(topic, ids) {
            const found = await view.items(topic, ids)
            if (!isFirst) return found
            isFirst = false
            setRead()
            await goOn
            return found
          },
        }),
      ),
  })
  const nameNow = () =>
    kept.view(organization, async (view) => (await view.items('objects', [id]))[0]!.name)
  const { name: oldName } = (await store.objects.find(organization, id))!
  const slow = nameNow()
  await isRead
  await store.objects.update(organization, id, { name: 'new' }, NOW)
  // This view follows the log, but does not need the name.
  await kept.view(organization, (view) => view.states([id]))
  letGoOn()
  assert.equal(await slow, oldName)
  assert.equal(await nameNow(), 'new')
})

it('Values that several views read at once are counted once', async (t) => {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const organization = await newOrganization(store)
  const id = await newObject(store, organization)
  let reads = 0
  let both = Promise.withResolvers<void>()
  const kept = new KeptViews(
    {
      view: (of, work) =>
        store.changeLog.view(of, (view) =>
          work({
            ...view,
            async states(ids) {
              reads += 1
              if (reads % 2 === 0) both.resolve()
              await both.promise
              return view.states(ids)
            },
          }),
        ),
    },
    5,
  )
  const look = () => kept.view(organization, (view) => view.states([id]))
  for (let round = 1; round <= 10; round += 1) {
    both = Promise.withResolvers()
    await append(store, organization, id, [fixAt(NOW + round)])
    await Promise.all([look(), look()])
    await look()
    assert.equal(reads, 2 * round, 'the third one finds it')
  }
})

type Both = { kept: ReaderView; plain: ReaderView }

/** Kept views, with the views below them. */
function twice(views: ReaderViews) {
  let plain: ReaderView
  const kept = new KeptViews({
    view: (organization, work) =>
      views.view(organization, (view) => {
        plain = view
        return work(view)
      }),
  })
  return {
    changed: kept.changed,
    view: (organization: number, work: (view: Both) => Promise<unknown>) =>
      kept.view(organization, (view) => work({ kept: view, plain })),
  }
}

async function compare({ kept, plain }: Both, ids: readonly number[]): Promise<void> {
  assert.deepEqual(await kept.items('objects', ids), await plain.items('objects', ids))
  const [states, expected] = [await kept.states(ids), await plain.states(ids)]
  assert.deepEqual(new Map([...states].sort(byId)), new Map([...expected].sort(byId)))
}

const byId = ([a]: [number, unknown], [b]: [number, unknown]) => a - b

it('Values that were dropped under a view do not make room for more than the limit', async () => {
  const MANY = 100_000
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
  let read = 0
  const logged = (objects: readonly number[]) => ({
    seq: 2,
    entries: { items: objects.map((id) => ({ topic: 'objects', id })), objects: [] },
  })
  const viewOf = (id: number, asOf: number) =>
    ({
      ...{ organization: { id }, epoch: 'a', asOf, oldest: 0 },
      changes: async () => [logged(ids(0, MANY))],
      async items(_topic: string, of: readonly number[]) {
        read += of.length
        return of.map((object) => ({ id: object }))
      },
    }) as unknown as ReaderView
  const kept = new KeptViews({ view: (id, work) => work(viewOf(id, 1)) })
  const look = (organization: number, of: readonly number[]) =>
    kept.view(organization, (view) => view.items('objects', of))
  await kept.view(1, async (view) => {
    await view.items('objects', ids(0, MANY))
    // One more than the limit: everything is dropped.
    await look(2, [MANY])
    // The view continues with values that nobody counts any more.
    await view.changes(1, 1)
  })
  // 60,000 twice are above the limit, so that the first are read again.
  await look(3, ids(0, 60_000))
  await look(4, ids(0, 60_000))
  read = 0
  await look(3, ids(0, 60_000))
  assert.equal(read, 60_000)
})
