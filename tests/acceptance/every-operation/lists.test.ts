import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS, type QueryParameter } from '../harness/operations.ts'

const fleet = await startFleet()

/** The path with another value of a parameter. */
function withValue(path: string, name: string, value: string): string {
  const [before, query = ''] = path.split('?') as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.set(name, value)
  return `${before}?${parameters}`
}

/** A value that a list can have. */
function sampleOf({ items }: QueryParameter['schema']): string {
  if (items.enum !== undefined) return items.enum[0]
  return items.type === 'string' ? 'fuel_level' : '7'
}

describe('A list that a caller sends', () => {
  const lists = OPERATIONS.flatMap(({ name, path, query }) =>
    query
      .filter(({ schema }) => schema.type === 'array')
      .map((list) => ({ at: `${list.name} of ${name}`, path, ...list })),
  )

  it('is in more than 30 places', () => assert.ok(lists.length > 30))

  for (const { at, name, path, schema } of lists) {
    it(`${at}: an empty one is refused, and never everything`, async () => {
      assert.ok(schema.minItems >= 1, 'described')
      const message = new RegExp(name === 'attributes' ? 'attribute' : `^${name}(\\[\\])? `)
      const empty = await fleet.ask((own) => withValue(path(own), name, ''))
      assertRefused(empty, 400, 'PUBLIC.400_001', message)
      const bracketed = await fleet.ask((own) => {
        const other = withValue(path(own), `${name}[]`, '')
        return other.replace(new RegExp(`\\b${name}=[^&]*&?`), '')
      })
      if (name !== 'bbox') assertRefused(bracketed, 400, 'PUBLIC.400_001', message)
    })

    it(`${at}: one with too many values is refused, repeated ones included`, async () => {
      assert.ok(schema.maxItems <= 1_000, 'described')
      const values = Array.from({ length: schema.maxItems + 1 }, () => sampleOf(schema)).join()
      const answer = await fleet.ask((own) => withValue(path(own), name, values))
      const message = name === 'bbox' ? /^bbox / : new RegExp(`^${name} .*${schema.maxItems}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', message)
    })
  }

  for (const { at, name, path } of lists.filter((list) => list.name === 'ids')) {
    it(`${at} may be \`all\``, async () => {
      resultOf(await fleet.ask((own) => withValue(path(own), name, 'all')))
      const mixed = await fleet.ask((own) => withValue(path(own), name, 'all,7'))
      assertRefused(mixed, 400, 'PUBLIC.400_001', /^ids /)
    })
  }
})

it('a repeated id of a list has one row and one charge', async () => {
  const own = fleet.take()
  const { van } = own.objects
  await fleet.run('org', 'update', String(own.id), '--daily-quota', '2')
  const answer = await own.get(`/positions/latest?ids=${van},${van},0${van}`)
  assert.equal(resultOf(answer).length, 1)
  assert.equal(answer.headers['x-quota-remaining'], '1')
})

it('/changes: `all` is a list of its own, and its cursor fits no other', async () => {
  const own = fleet.take()
  const { van } = own.objects
  const at = (query: string) => own.get(`/changes?types=objects&${query}`)
  const whole = resultOf(await at('ids=all'))
  const some = resultOf(await at(`ids=${van}`))
  assert.ok(whole.changes.length > some.changes.length)
  resultOf(await at(`ids=all&cursor=${whole.cursor}`))
  resultOf(await at(`cursor=${whole.cursor}`))
  const other = await at(`ids=all&cursor=${some.cursor}`)
  assertRefused(other, 400, 'PUBLIC.400_001', /^ids /)
})
it('/days: `time_zone` is another name of `tz`', async () => {
  const dates = 'from_date=2024-05-06&to_date=2024-05-06'
  const named = await fleet.ask(() => `/days?${dates}&time_zone=Europe/Madrid`)
  resultOf(named)
  assert.equal(named.headers['x-time-zone'], 'Europe/Madrid')
  const both = await fleet.ask(() => `/days?${dates}&time_zone=Europe/Madrid&tz=UTC`)
  assertRefused(both, 400, 'PUBLIC.400_001', /^tz .*once/)
})
