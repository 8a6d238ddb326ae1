import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { AT, LATITUDE, OWN_UNTIL, openAskedPlaces } from './asked-places.ts'

type Deed = { kind: 'write' | 'drop' | 'dropAll'; organization: number; object: number }

it('the rows of objects are independent of additions and removals', () => {
  const deed: fc.Arbitrary<Deed> = fc.record({
    kind: fc.constantFrom('write', 'write', 'write', 'write', 'drop', 'dropAll'),
    organization: fc.integer({ min: 1, max: 3 }),
    object: fc.integer({ min: 1, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 200 }), (deeds) => {
      const places = openAskedPlaces()
      const model = new Map<string, number>()
      for (const [now, { kind, organization, object }] of deeds.entries()) {
        const name = `${organization} ${object}`
        if (kind === 'write') {
          const isNew = !model.has(name)
          const row = places.rowOf(organization, object)
          if (isNew) assert.ok(Number.isNaN(places.values[row + LATITUDE]), 'a new row is blank')
          places.values[row + AT] = now
          places.values[row + OWN_UNTIL] = -now
          model.set(name, now)
        } else if (kind === 'drop') {
          places.drop(organization, object)
          model.delete(name)
        } else {
          places.dropAll(organization)
          for (const key of model.keys()) {
            if (key.startsWith(`${organization} `)) model.delete(key)
          }
        }
      }
      for (let organization = 1; organization <= 3; organization += 1) {
        for (let object = 1; object <= 20; object += 1) {
          const row = places.find(organization, object)
          const expected = model.get(`${organization} ${object}`)
          assert.equal(row === undefined ? undefined : places.values[row + AT], expected)
          if (expected !== undefined) assert.equal(places.values[row! + OWN_UNTIL], -expected)
        }
      }
    }),
  )
})

it('rows survive growth of the table, and freed ones are reused', () => {
  const places = openAskedPlaces()
  const count = 5_000
  for (let object = 0; object < count; object += 1) {
    const row = places.rowOf(1, object)
    places.values[row + AT] = object
  }
  for (let object = 0; object < count; object += 1) {
    assert.equal(places.values[places.find(1, object)! + AT], object)
  }
  const { length } = places.values
  for (let round = 0; round < 10; round += 1) {
    places.dropAll(1)
    for (let object = 0; object < count; object += 1) places.rowOf(1, object)
  }
  assert.equal(places.values.length, length)
})
