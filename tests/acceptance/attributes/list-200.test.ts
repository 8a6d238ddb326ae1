import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet()
const FUEL = {
  ...{ name: 'fuel_level', type: 'number', unit: '%', label: 'Fuel level', decimals: 1 },
  ...{ is_counter: false, is_level: true },
}
const DRIVER = {
  ...{ name: 'driver', type: 'text', unit: null, label: 'Who drives', decimals: null },
  ...{ is_counter: false, is_level: false },
}

describe('GET /attributes', async () => {
  const organization = fleet.take()
  const org = ['--org', String(organization.id)]
  const run = (...args: string[]) => fleet.run('attributes', ...args, ...org)
  await run('set', 'fuel_level', '--sources', 'fuelLevel', '--is-public')
  await run('set', 'driver', '--type', 'text', '--label', 'Who drives', '--is-public')
  await run('set', 'door', '--type', 'boolean')

  it('lists the public entries by name, and nothing of the others', async () => {
    const answer = await organization.get('/attributes')
    assert.deepEqual(resultOf(answer), [DRIVER, FUEL])
    const csv = await organization.get('/attributes?format=csv')
    assert.deepEqual(csv.text.split('\r\n').slice(0, 2), [
      'name,type,unit,label,decimals,is_counter,is_level',
      'driver,text,,Who drives,,false,false',
    ])
    assert.deepEqual(resultOf(await fleet.take().get('/attributes')), [])
  })

  it('shows a change at once, with another tag', async () => {
    const { etag } = (await organization.get('/attributes')).headers
    const asked = { headers: { 'if-none-match': String(etag) } }
    assert.equal((await organization.get('/attributes', asked)).status, 304)
    await run('publish', 'door')
    assert.equal(resultOf(await organization.get('/attributes', asked)).length, 3)
    await run('hide', 'door')
    assert.deepEqual(resultOf(await organization.get('/attributes')), [DRIVER, FUEL])
  })

  it('shows a key the attributes that its scope names', async () => {
    const caller = await scoped(fleet, organization, '--attributes', 'fuel_level,door')
    assert.deepEqual(resultOf(await caller.get('/attributes')), [FUEL])
    const { scope } = resultOf(await caller.get('/key'))
    assert.deepEqual(scope.attributes, ['door', 'fuel_level'])
  })

  it('is open to keys of other operations, while the subscription is suspended too', async () => {
    const caller = await scoped(fleet, organization, '--operations', 'routes')
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    assert.equal(resultOf(await caller.get('/attributes')).length, 2)
  })
})
