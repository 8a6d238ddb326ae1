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

  it('a refusal names them, too, as it is described', async () => {
    const own = fleet.take()
    const range = 'from_time=2024-05-06&to_time=2024-05-06'
    for (const [path, status] of [
      ['/positions/latest?ids=x', 400],
      ['/objects/999999', 404],
      ['/objects?format=x', 406],
      [`/objects/${own.objects.van}/positions?${range}&limit=0`, 400],
    ] as const) {
      const answer = await own.get(withQuery(path, 'colour=red'))
      assert.equal(answer.status, status)
      assert.equal(answer.headers['x-ignored-parameters'], 'colour')
    }
    for (const { name, responses } of OPERATIONS.filter(isOfContract)) {
      for (const status of [200, 400, 403, 404, 406, 429]) {
        const described = responses[status]?.headers
        if (described !== undefined)
          assert.ok('X-Ignored-Parameters' in described, `${name} ${status}`)
      }
    }
  })

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

  it('with a suggestion that the operation has, for names that callers try', async () => {
    const [dates, times] = ['2024-05-06', '2024-05-06'].map((day, index) =>
      ['from', 'to'].map((end) => `${end}_${index === 0 ? 'date' : 'time'}=${day}`).join('&'),
    )
    for (const [path, name, nearest] of [
      [`/days?${dates}`, 'timezone', 'time_zone'],
      [`/days?${dates}`, 'timeZone', 'time_zone'],
      [`/trips?${times}`, 'object', 'ids'],
      [`/trips?${times}`, 'vehicle_ids', 'ids'],
      [`/stops?${times}`, 'minDuration', 'min_duration'],
    ]) {
      const answer = await fleet.ask(() => `${path}&${name}=1`)
      const message = `${name} is not a parameter of this operation. Did you mean ${nearest}?`
      assertRefused(answer, 400, 'PUBLIC.400_001', message)
    }
  })

  for (const { name, path, query } of OPERATIONS.filter((operation) => !isOfContract(operation))) {
    it(`suggests a parameter of ${name} for any name`, async () => {
      for (const unknown of ['zone', 'tz_', 'until', 'x']) {
        const answer = await fleet.ask((own) => withQuery(path(own), `${unknown}=1`))
        const nearest = /Did you mean (\w+)\?$/.exec(answer.json.message)?.[1]
        assert.ok(
          query.some((each) => each.name === nearest),
          `${unknown}: ${nearest}`,
        )
      }
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
