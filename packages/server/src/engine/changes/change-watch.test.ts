import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { NewestChange } from '../store/change-log.ts'
import type { Change, ChangeListener } from '../store/store.ts'
import { ChangeWatch } from './change-watch.ts'

/** A log of which only the newest numbers are known. */
function logs(reportsAll = false) {
  const newest = new Map<number, NewestChange>()
  const asked: number[][] = []
  /** Changes of other processes that a store finds which reports all. */
  const unreported: number[] = []
  let listener: ChangeListener | undefined
  const store = {
    changeLog: {
      async newest(organizations: readonly number[]) {
        asked.push([...organizations])
        return new Map(organizations.map((each) => [each, newest.get(each) ?? NO_CHANGE]))
      },
    },
    watch(changed: ChangeListener) {
      listener = changed
      const catchUp = () => {
        for (const organization of unreported.splice(0)) changed({ organization } as Change)
      }
      return { since: 0, reportsAll, catchUp, close() {} }
    },
  }
  return {
    store: store as never,
    asked,
    /** A commit of another process, which is not reported. */
    grow(organization: number, isOfRecords = false) {
      const { seq, besidesRecords } = newest.get(organization) ?? NO_CHANGE
      const next = { seq: seq + 1, besidesRecords: isOfRecords ? besidesRecords : seq + 1 }
      newest.set(organization, next)
      unreported.push(organization)
    },
    report: (organization: number) => void listener!({ organization } as Change),
  }
}

const NO_CHANGE: NewestChange = { seq: 0, besidesRecords: 0 }
const failed = (error: unknown) => assert.fail(String(error))
const woken = (watch: ChangeWatch, organization: number, known: number) =>
  new Promise<void>((wake) => watch.wait(organization, { known, takesRecords: false, wake }))

describe('The watch of the change log', () => {
  it('wakes the readers of an organization that has newer changes, and no others', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    const others: number[] = []
    watch.wait(2, { known: 0, takesRecords: false, wake: () => others.push(2) })
    watch.wait(1, { known: 1, takesRecords: false, wake: () => others.push(1) })
    const mine = [woken(watch, 1, 0), woken(watch, 1, 0)]
    log.grow(1)
    log.report(1)
    await Promise.all(mine)
    assert.deepEqual(others, [])
    watch.close()
  })

  it('wakes a reader at once that missed a change', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    log.grow(1)
    await woken(watch, 1, 0)
    watch.close()
  })

  it('wakes only readers of records by a change of records alone, and then all by another', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    log.grow(1)
    const reader = { known: 1, takesRecords: false, wake: () => assert.fail('woken') }
    watch.wait(1, reader)
    const ofRecords = { known: 1, takesRecords: true }
    const other = new Promise<void>((wake) => watch.wait(1, { ...ofRecords, wake }))
    log.grow(1, true)
    await other
    assert.equal(reader.known, 2)
    const mine = new Promise<void>((wake) => void Object.assign(reader, { wake }))
    log.grow(1)
    await mine
    watch.close()
  })

  it('finds what another process committed', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    const mine = woken(watch, 1, 0)
    setImmediate(() => log.grow(1))
    await mine
    watch.close()
  })

  it('asks only for what has changed, where the store reports all changes', async () => {
    const log = logs(true)
    const watch = new ChangeWatch(log.store, failed)
    const { promise: mine, resolve } = Promise.withResolvers<void>()
    for (let organization = 1; organization <= 100; organization += 1) {
      const wake = organization === 7 ? resolve : () => assert.fail('woken')
      watch.wait(organization, { known: 0, takesRecords: false, wake })
    }
    await new Promise((resolve) => setImmediate(resolve))
    log.asked.length = 0
    log.grow(7)
    await mine
    assert.deepEqual(log.asked, [[7]])
    watch.close()
  })

  it('wakes a reader whose organization was deleted, and not one that knows no change', async () => {
    const watch = new ChangeWatch(logs().store, failed)
    watch.wait(1, { known: 0, takesRecords: false, wake: () => assert.fail('woken') })
    await woken(watch, 1, 5)
    watch.close()
  })

  it('asks nothing for an organization without readers', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    for (let commit = 0; commit < 10; commit += 1) log.report(1)
    assert.equal(log.asked.length, 0)
    watch.close()
  })

  it('asks nothing while the last reader of an organization is away', async () => {
    const log = logs()
    const watch = new ChangeWatch(log.store, failed)
    const reader = { known: 0, takesRecords: true, wake: () => assert.fail('nothing is new') }
    watch.wait(1, reader)
    watch.leave(1, reader)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(log.asked.length, 1)
    for (let commit = 0; commit < 10; commit += 1) log.report(1)
    assert.equal(log.asked.length, 1)
    log.grow(1)
    await woken(watch, 1, 0)
    watch.close()
  })

  it('asks again after a failure', async () => {
    const log = logs()
    const errors: unknown[] = []
    const { changeLog, watch: listen } = log.store as { changeLog: object; watch: never }
    let isDown = true
    const newest = (ids: number[]) =>
      isDown
        ? Promise.reject(new Error('down'))
        : Promise.resolve(new Map(ids.map((id) => [id, { seq: 1, besidesRecords: 1 }])))
    const down = { changeLog: { ...changeLog, newest }, watch: listen } as never
    const watch = new ChangeWatch(down, (error) => {
      errors.push(error)
      isDown = false
    })
    await woken(watch, 1, 0)
    assert.equal(errors.length, 1)
    watch.close()
  })
})
