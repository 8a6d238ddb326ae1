import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import {
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { type Directory, openDirectory } from '../../data/cache/directory.ts'
import { memorySnapshots } from '../../data/live/memory/memory-realtime.ts'
import { ChangeWatch } from '../../engine/changes/change-watch.ts'
import type { Store } from '../../engine/store/store.ts'
import { type Live, openLive } from './live.ts'

const clock = { now: () => NOW, monotonic: () => performance.now() * 1_000 }
const fail = (error: unknown) => assert.fail(String(error))

let opened: Awaited<ReturnType<typeof temporaryStore>>
let directory: Directory
let live: Live
let failed: (error: unknown) => void
/** How often the log was read. */
let views: number
/** For each reading of the log, how many changes it took. */
let taken: number[]
/** Rejects the next readings of the log. */
let isDown: boolean

beforeEach(async () => {
  opened = await temporaryStore()
  views = 0
  taken = []
  isDown = false
  failed = fail
  const { store } = opened
  directory = await openDirectory(store, memorySnapshots(), clock)
  const changeLog: Store['changeLog'] = {
    ...store.changeLog,
    view(organization, work, signal) {
      views += 1
      if (isDown) return Promise.reject(new Error('down'))
      const counted: typeof work = (view) =>
        work({
          ...view,
          async changes(after, limit) {
            const read = await view.changes(after, limit)
            taken.push(read.length)
            return read
          },
        })
      return store.changeLog.view(organization, counted, signal)
    },
  }
  const changeWatch = new ChangeWatch(store, fail)
  live = openLive({ changeLog, changeWatch, directory, clock, failed: (error) => failed(error) })
})
afterEach(async () => {
  live.close()
  await directory.close()
  await opened.cleanUp()
})

/** Watches an organization. `next`: the next events, or those with an event of this name. `ended` resolves when the watch ends. */
function watched(organization: number) {
  const came: string[] = []
  let wake = () => {}
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const leave = live.watch(
    organization,
    (events) => {
      came.push(String(events))
      wake()
    },
    () => {
      leave()
      resolve()
    },
  )
  return {
    leave,
    ended,
    async next(event = ''): Promise<string> {
      for (;;) {
        const found = came.shift()
        if (found?.includes(`event: ${event}`)) return found
        if (found !== undefined) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const idsIn = (events: string) =>
  JSON.parse(/^event: objects\ndata: (.*)$/m.exec(events)![1]!).items.map(([id]: number[]) => id)

async function fleet() {
  const { store } = opened
  const organization = await newOrganization(store)
  const objects = [
    await newObject(store, organization, 'a'),
    await newObject(store, organization, 'b'),
  ] as const
  for (const object of objects) await append(store, organization, object, [fixAt(NOW - 60_000)])
  return { organization, objects }
}

describe('The live streams of an organization', () => {
  it('read the log once after a change, and not after changes of others', async () => {
    const { organization, objects } = await fleet()
    const others = await fleet()
    const [one, other] = [watched(organization), watched(organization)]
    assert.deepEqual(idsIn(await one.next()), objects)
    assert.deepEqual(idsIn(await other.next()), objects)
    assert.equal(views, 1)
    await append(opened.store, others.organization, others.objects[0], [fixAt(NOW - 50_000)])
    await append(opened.store, organization, objects[1], [fixAt(NOW - 50_000)])
    assert.deepEqual(idsIn(await one.next()), [objects[1]])
    assert.deepEqual(idsIn(await other.next()), [objects[1]])
    assert.deepEqual([views, taken], [2, [1]])
  })

  it('begin with all objects where others watch already, without a reading', async () => {
    const { organization, objects } = await fleet()
    const one = watched(organization)
    await one.next()
    const late = watched(organization)
    assert.deepEqual(idsIn(await late.next()), objects)
    assert.equal(views, 1)
  })

  it('compare all objects if the log no longer has their changes', async () => {
    const { organization, objects } = await fleet()
    const one = watched(organization)
    await one.next()
    const { store } = opened
    isDown = true
    failed = () => {}
    await append(store, organization, objects[0], [fixAt(NOW - 50_000)])
    await append(store, organization, objects[1], [fixAt(NOW - 50_000)])
    await append(store, organization, objects[1], [fixAt(NOW - 40_000)])
    while (await store.changeLog.purge(Number.MAX_SAFE_INTEGER)) {}
    isDown = false
    assert.deepEqual(idsIn(await one.next()), objects)
    assert.deepEqual(taken, [])
  })

  it('continue after a failure, which is reported', async () => {
    const { organization, objects } = await fleet()
    const one = watched(organization)
    await one.next()
    const reported = new Promise<unknown>((resolve) => {
      failed = resolve
    })
    isDown = true
    await append(opened.store, organization, objects[0], [fixAt(NOW - 50_000)])
    assert.match(String(await reported), /down/)
    isDown = false
    assert.deepEqual(idsIn(await one.next()), [objects[0]])
  })

  it('see what another process commits', async () => {
    const { organization, objects } = await fleet()
    const one = watched(organization)
    await one.next()
    const other = await opened.reopen()
    const added = await newObject(other, organization, 'c')
    await append(other, organization, added, [fixAt(NOW - 50_000)])
    assert.deepEqual(idsIn(await one.next('objects')), [added])
    await other.objects.delete(organization, objects[0])
    const gone = await one.next('gone')
    assert.equal(
      gone,
      `event: gone\ndata: {"ids":[${objects[0]}]}\n\nevent: settings\ndata: {}\n\n`,
    )
  })

  it('end when another process deletes the organization', async () => {
    const { organization } = await fleet()
    const one = watched(organization)
    await one.next()
    const other = await opened.reopen()
    await other.organizations.delete(organization)
    await one.ended
  })
})
