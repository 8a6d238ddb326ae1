import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS, type Operation } from '../harness/operations.ts'

const fleet = await startFleet()

const CONTRACT = [
  ...['/objects', '/objects/{id}', '/objects/{id}/positions', '/positions/latest'],
  ...['/geofences', '/routes', '/sites'],
]
const isOfContract = ({ template }: Operation) => CONTRACT.includes(template)
const withQuery = (path: string, query: string) => path + (path.includes('?') ? '&' : '?') + query

describe('An operation of the contract ignores a parameter that it does not know', () => {
  // Seven operations, twice: more than one window admits.
  const organizations = [fleet.take(), fleet.take()]
  for (const [index, { name, path }] of OPERATIONS.filter(isOfContract).entries()) {
    const organization = organizations[index % 2]!
    it(name, async () => {
      const plain = await organization.get(path(organization))
      assert.equal(plain.headers['x-ignored-parameters'], undefined)
      const query = 'object_id=1&colour%2C=red&object_id=2'
      const answer = await organization.get(withQuery(path(organization), query))
      assert.deepEqual(resultOf(answer), resultOf(plain))
      assert.equal(answer.headers['x-ignored-parameters'], 'object_id,colour%2C')
    })
  }

  it('names ten of them, each with 40 characters', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `${'ä'.repeat(39)}${index % 10}x`)
    const query = names.map((name) => `${encodeURIComponent(name)}=1`).join('&')
    const answer = await fleet.take().get(`/objects?${query}`)
    const shown = names.slice(0, 10).map((name) => encodeURIComponent(name.slice(0, 40)))
    assert.equal(answer.headers['x-ignored-parameters'], shown.join(','))
  })
})

describe('An operation of the additions refuses a parameter that it does not know: 400', () => {
  for (const { name, path } of OPERATIONS.filter((operation) => !isOfContract(operation))) {
    it(name, async () => {
      assert.equal((await fleet.ask(path)).status, 200)
      const answer = await fleet.ask((own) => withQuery(path(own), 'fromat=json'))
      const message = 'fromat is not a parameter of this operation. Did you mean format?'
      assertRefused(answer, 400, 'PUBLIC.400_001', message)
    })
  }

  it('before it charges the quota', async () => {
    const own = fleet.take()
    const { van } = own.objects
    await fleet.run('org', 'update', String(own.id), '--daily-quota', '1')
    const range = 'from_time=2024-05-06&to_time=2024-05-06'
    const message = 'object_id is not a parameter of this operation. Did you mean ids?'
    const answer = await own.get(`/trips?${range}&object_id=${van}`)
    assertRefused(answer, 400, 'PUBLIC.400_001', message)
    assert.equal((await own.get(`/trips?${range}&ids=${van}`)).status, 200)
  })
})
