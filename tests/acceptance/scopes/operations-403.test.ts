import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet()

const SCOPES = 'objects,detail,positions,changes,records,geofences,routes,sites,coverage'.split(',')

/** The operations that a scope has to name for a path: the first that fit. */
const NEEDED: [paths: RegExp, operations: string][] = [
  [/^\/(key|usage|attributes)$/, ''],
  [/^\/changes$/, 'changes,objects'],
  [/adherence$/, 'records,routes'],
  [/trips|stops|visits|levels|days/, 'records'],
  [/positions/, 'positions'],
  [/^\/objects\/\{id\}$/, 'detail'],
  [/^\/objects$/, 'objects'],
  ...['geofences', 'routes', 'sites', 'coverage'].map((list): [RegExp, string] => {
    return [new RegExp(`^/${list}$`), list]
  }),
]

/** The requests for so many operations are no more than a window admits. */
const OPERATIONS_OF_ONE = 3
let owner = fleet.take()

for (const [index, { name, path, template }] of OPERATIONS.entries()) {
  if (index % OPERATIONS_OF_ONE === 0) owner = fleet.take()
  const organization = owner
  describe(`${name} with a key whose scope names operations`, async () => {
    const [, operations] = NEEDED.find(([paths]) => paths.test(template))!
    const needed = operations.split(',').filter((each) => each !== '')

    it('is 403 if it is not among them, and answers if it is', async () => {
      for (const missing of needed) {
        const others = SCOPES.filter((each) => each !== missing).join()
        const caller = await scoped(fleet, organization, '--operations', others)
        assertRefused(await caller.get(path(organization)), 403, 'PUBLIC.403_001')
      }
      const caller = await scoped(fleet, organization, '--operations', needed.join() || 'coverage')
      assert.equal((await caller.get(path(organization))).status, 200)
    })
  })
}

describe('A key whose scope lacks an operation', async () => {
  const organization = fleet.take()
  const caller = await scoped(fleet, organization, '--operations', 'objects,changes,geofences')

  it('hears of the scope before the subscription and before wrong parameters', async () => {
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    assertRefused(await caller.get('/positions/latest?ids=x'), 403, 'PUBLIC.403_001')
    assertRefused(await caller.get('/changes?types=positions'), 403, 'PUBLIC.403_001')
    assert.equal((await caller.get('/changes')).status, 200)
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'active')
  })

  it('gets the types of changes that its operations show', async () => {
    const { changes } = resultOf(await caller.get('/changes?from=history'))
    const types = new Set(changes.map(({ type }: Json) => type))
    assert.deepEqual([...types].sort(), ['object', 'retention'])
  })

  it('reads so in the language of the caller', async () => {
    const headers = { 'accept-language': 'de' }
    const answer = await caller.get('/sites', { headers })
    assertRefused(answer, 403, 'PUBLIC.403_001', /^Der Umfang dieses API-Schlüssels/)
  })
})
