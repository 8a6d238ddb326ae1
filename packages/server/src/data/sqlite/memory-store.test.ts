import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { appendContract } from '../../../testing/store-contract/append.ts'
import { catalogueContract } from '../../../testing/store-contract/catalogue.ts'
import { coverageContract } from '../../../testing/store-contract/coverage.ts'
import {
  fixAt,
  NOW,
  newFleet,
  newOrganization,
  type OpenedStore,
  PLAIN,
  testsOn,
} from '../../../testing/store-contract/fixture.ts'
import { historyContract } from '../../../testing/store-contract/history.ts'
import { keyContract } from '../../../testing/store-contract/keys.ts'
import { lateContract } from '../../../testing/store-contract/late.ts'
import { newestContract } from '../../../testing/store-contract/newest.ts'
import { objectContract } from '../../../testing/store-contract/objects.ts'
import { orderContract } from '../../../testing/store-contract/order.ts'
import { organizationContract } from '../../../testing/store-contract/organizations.ts'
import { rejectContract } from '../../../testing/store-contract/rejects.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { openMemoryStore } from './open.ts'

const rules = foldRules(handedClock(NOW * 1_000))
const FACTS = { epoch: 'of a test', secret: createSecretKey(Buffer.alloc(32, 7)), now: () => NOW }

/** There is no other process, so who opens it again gets the same store. */
async function open(): Promise<OpenedStore> {
  const store = await openMemoryStore(FACTS)
  return {
    store,
    reopen: async () => store,
    rows: () => assert.fail('it has no database'),
    damageBlock: () => assert.fail('it has no database'),
    toldStates: 'all',
    settled: async (watch) => watch.catchUp(),
    cleanUp: () => store.close(),
  }
}

// The other contracts write while they read in a view, or open the data again.
describe('A store in memory', () => {
  const onMemory = testsOn(open)
  organizationContract(onMemory)
  keyContract(onMemory)
  catalogueContract(onMemory)
  objectContract(onMemory)
  appendContract(onMemory)
  orderContract(onMemory, rules)
  lateContract(onMemory, rules)
  rejectContract(onMemory, rules)
  historyContract(onMemory)
  newestContract(onMemory, rules)
  coverageContract(onMemory, rules)

  it('has the epoch and the secret that it was given', async () => {
    const store = await openMemoryStore(FACTS)
    const organization = await newOrganization(store)
    assert.ok((await store.secret()).equals(FACTS.secret))
    assert.equal(await store.changeLog.view(organization, async ({ epoch }) => epoch), FACTS.epoch)
    await store.close()
  })

  it('writes when those have ended who read in a view, and lets later readers wait', async () => {
    const store = await openMemoryStore(FACTS)
    const { organization, object } = await newFleet(store)
    const order: string[] = []
    const { promise: go, resolve: end } = Promise.withResolvers<void>()
    const read = (name: string, until?: Promise<void>) =>
      store.changeLog.view(organization, async ({ asOf }) => {
        await until
        order.push(`${name} ${asOf}`)
      })
    const first = read('first', go)
    // The view has begun when its turn has come.
    await Promise.resolve()
    const writing = store.positions
      .append(organization, [{ object, fix: fixAt(NOW) }], PLAIN)
      .then(() => order.push('written'))
    const second = read('second')
    end()
    await Promise.all([first, writing, second])
    assert.deepEqual(
      order.filter((each) => each !== 'written'),
      ['first 1', 'second 2'],
    )
    await store.close()
  })

  it('refuses everything once it is closed, after those who read in a view', async () => {
    const store = await openMemoryStore(FACTS)
    const organization = await newOrganization(store)
    const reading = store.changeLog.view(organization, async ({ asOf, items }) => {
      await Promise.resolve()
      return [asOf, (await items('objects', [1])).length]
    })
    await store.close()
    assert.deepEqual(await reading, [0, 0])
    await assert.rejects(newOrganization(store), { name: 'StoreUnavailable' })
    await assert.rejects(store.organizations.list(), { name: 'StoreUnavailable' })
    await assert.rejects(
      store.changeLog.view(organization, async () => 0),
      { name: 'StoreUnavailable' },
    )
  })
})
