import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { type HandedClock, handedClock } from '../../../../testing/handed-clock.ts'
import type { Credential, TestScenario } from '../../../base/domain/credential.ts'
import { memorySnapshots } from '../../../data/live/memory/memory-realtime.ts'
import { openMemoryStore } from '../../../data/sqlite/open.ts'
import type { Store } from '../../../engine/store/store.ts'
import type { Api } from '../../../read/api.ts'
import { openTestFleet } from './open-test-fleet.ts'

const DAY_MS = 86_400_000
const START = 20_781 * DAY_MS
const STAYS = new AbortController().signal

function openOn(t: TestContext, clock: HandedClock) {
  const opened: Store[] = []
  // The parts of the deployment that the fleet uses before it answers.
  const own = { clock, catchUp: async () => undefined, directory: { keys: {} }, realtime: {} }
  const fleet = openTestFleet({
    async openInMemory(facts) {
      const store = await openMemoryStore(facts)
      opened.push(store)
      return { store, snapshots: memorySnapshots() }
    },
    liveApi: () => own as unknown as Api,
    secret: createSecretKey(Buffer.alloc(32)),
    clock,
    maxStreams: 10,
    counts: { opened: () => {}, sent: () => {}, ended: () => {} },
    failed: assert.fail,
  })
  t.after(() => fleet.close())
  return { fleet, opened }
}

const keyOf = (scenario: TestScenario) => ({ id: 1, scenario }) as Credential

async function isClosed(store: Store): Promise<boolean> {
  return store.organizations.list().then(
    () => false,
    () => true,
  )
}

it('opens nothing before the first request, and one store for all that come at once', async (t) => {
  const { fleet, opened } = openOn(t, handedClock(START * 1_000))
  assert.equal(await fleet.open(keyOf('expired'), STAYS), null)
  assert.equal(opened.length, 0)
  await Promise.all([1, 2, 3].map(() => fleet.open(keyOf('standard'), STAYS)))
  assert.equal(opened.length, 1)
  await fleet.close()
  assert.ok(await isClosed(opened[0]!))
})

it('begins anew at midnight, releases who waits on the day before, and closes it a day later', async (t) => {
  const clock = handedClock((START + DAY_MS - 30_000) * 1_000)
  const { fleet, opened } = openOn(t, clock)
  const asOfNow = async () => {
    const { api, fleet: seen } = (await fleet.open(keyOf('standard'), STAYS))!
    const { id } = seen.organization
    return { api, id, epoch: await api.views.view(id, async ({ epoch }) => epoch) }
  }
  const { api, id, epoch } = await asOfNow()
  const woken = Promise.withResolvers<void>()
  const known = Number.MAX_SAFE_INTEGER
  api.changeWatch.wait(id, { known, takesRecords: true, wake: woken.resolve })
  clock.advanceUs(60_000_000)
  // The watch looks automatically.
  await woken.promise
  assert.ok(api.changeWatch.isReleased())
  const next = await asOfNow()
  assert.notEqual(next.epoch, epoch)
  assert.deepEqual([opened.length, await isClosed(opened[0]!)], [2, false])
  clock.advanceUs(DAY_MS * 1_000)
  await asOfNow()
  await fleet.close()
  assert.equal(opened.length, 3)
  for (const store of opened) assert.ok(await isClosed(store))
})

it('is closed while it is being opened, and is not opened again', async (t) => {
  const { fleet, opened } = openOn(t, handedClock((START + DAY_MS / 2) * 1_000))
  const opening = fleet.open(keyOf('standard'), STAYS)
  const refused = assert.rejects(opening, { name: 'StoreUnavailable' })
  await fleet.close()
  await refused
  for (const store of opened) assert.ok(await isClosed(store))
  await assert.rejects(fleet.open(keyOf('standard'), STAYS), { name: 'StoreUnavailable' })
})

it('waits for nobody when the server drains', async (t) => {
  const { fleet } = openOn(t, handedClock(START * 1_000))
  const slow = fleet.open(keyOf('slow'), STAYS)
  fleet.release()
  assert.notEqual(await slow, null)
})
