import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Language } from '../domain/organization.ts'
import {
  Addresser,
  type AddresserParts,
  AT,
  type FoundAddress,
  LATITUDE,
  OWN_UNTIL,
  openAskedPlaces,
} from './addresser.ts'

const ORGANIZATION = 1

const OBJECT = 7

const MINUTE = 60_000

/** One meter in degrees of latitude. */
const METRE = 1 / 111_195

describe('The addresser', () => {
  it('queries once for every 200 m of an object, and stores the answer', async () => {
    const { addresser, asked, stored } = open()
    for (const [at, metres] of [0, 50, 199, 201, 300, 400, 402].entries()) {
      addresser.note(ORGANIZATION, OBJECT, metres * METRE, 2, at)
      await settled()
    }
    assert.deepEqual(asked, ['0,2 en', `${201 * METRE},2 en`, `${402 * METRE},2 en`])
    assert.deepEqual(stored[1], {
      organization: ORGANIZATION,
      object: OBJECT,
      address: `near ${201 * METRE},2`,
      latitude: 201 * METRE,
      longitude: 2,
      at: 3,
    })
    await addresser.close()
  })

  it('measures 200 m in every direction, across the antimeridian and near the poles', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -89.9, max: 89.9, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        fc.oneof(fc.integer({ min: 0, max: 195 }), fc.integer({ min: 205, max: 2_000 })),
        async (latitude, longitude, direction, metres) => {
          const north = metres * Math.cos(direction) * METRE
          const east =
            (metres * Math.sin(direction) * METRE) / Math.cos(toRadians(latitude + north))
          fc.pre(Math.abs(latitude + north) < 90)
          const { addresser, asked } = open()
          addresser.seed(ORGANIZATION, OBJECT, latitude, longitude)
          const there = ((longitude + east + 540) % 360) - 180
          addresser.note(ORGANIZATION, OBJECT, latitude + north, there, 1)
          await settled()
          assert.equal(asked.length, metres > 200 ? 1 : 0)
          await addresser.close()
        },
      ),
      { numRuns: 200 },
    )
  })

  it('queries only the newest position of a waiting object, and takes objects in turn', async () => {
    const gate = Promise.withResolvers<string | null>()
    const { addresser, asked } = open({ answer: () => gate.promise })
    addresser.note(ORGANIZATION, 1, 1, 0, 1)
    await settled()
    addresser.note(ORGANIZATION, 2, 2, 0, 1)
    addresser.note(ORGANIZATION, 3, 3, 0, 1)
    addresser.note(ORGANIZATION, 2, 2.5, 0, 3)
    addresser.note(ORGANIZATION, 2, 2.2, 0, 2)
    await settled()
    assert.deepEqual(asked, ['1,0 en'], 'one lookup at a time')
    gate.resolve('there')
    await settled()
    assert.deepEqual(asked, ['1,0 en', '2.5,0 en', '3,0 en'])
    await addresser.close()
  })

  it('does not query a late position', async () => {
    const { addresser, asked } = open()
    addresser.note(ORGANIZATION, OBJECT, 1, 0, 5)
    await settled()
    addresser.note(ORGANIZATION, OBJECT, 2, 0, 4)
    await settled()
    assert.deepEqual(asked, ['1,0 en'])
    await addresser.close()
  })

  it('queries the same place again 10 minutes after an empty answer', async () => {
    const answers = [null, 'Here']
    const { addresser, asked, stored } = open({ answer: async () => answers.shift()! })
    for (const minute of [1, 5, 10, 11, 12, 60]) {
      addresser.note(ORGANIZATION, OBJECT, 1, 0, minute * MINUTE)
      await settled()
    }
    assert.equal(asked.length, 2)
    assert.deepEqual(
      stored.map(({ at, address }) => [at, address]),
      [[11 * MINUTE, 'Here']],
    )
    await addresser.close()
  })

  it('skips an object for a day if it sends its own addresses', async () => {
    const { addresser, asked } = open()
    addresser.broughtOwn(ORGANIZATION, OBJECT, MINUTE)
    addresser.note(ORGANIZATION, OBJECT, 1, 0, 2 * MINUTE)
    await settled()
    assert.deepEqual(asked, [])
    addresser.note(ORGANIZATION, OBJECT, 1, 0, MINUTE + 24 * 60 * MINUTE)
    await settled()
    assert.deepEqual(asked, ['1,0 en'])
    await addresser.close()
  })

  it('stores addresses together that are found during a write', async () => {
    const gate = Promise.withResolvers<void>()
    const batches: number[] = []
    const { addresser } = open({
      store(found) {
        batches.push(found.length)
        return gate.promise
      },
    })
    for (let object = 1; object <= 120; object += 1) addresser.note(ORGANIZATION, object, 1, 0, 1)
    await settled()
    assert.deepEqual(batches, [1])
    gate.resolve()
    await settled()
    assert.deepEqual(batches, [1, 119])
    await addresser.close()
  })

  it('queries again after a failed write', async () => {
    let failures = 1
    const { addresser, asked, stored } = open({
      async store(found) {
        failures -= 1
        if (failures >= 0) throw new Error('down')
        stored.push(...found)
      },
    })
    addresser.note(ORGANIZATION, OBJECT, 1, 0, 1)
    await settled()
    addresser.note(ORGANIZATION, OBJECT, 1, 0, 2)
    await settled()
    assert.equal(asked.length, 2)
    assert.deepEqual(
      stored.map(({ at }) => at),
      [2],
    )
    await addresser.close()
  })

  it('queues 10,000 objects at most; another one enters with a later position', async () => {
    const gate = Promise.withResolvers<string | null>()
    const { addresser, asked } = open({ answer: () => gate.promise })
    for (let object = 0; object < 10_002; object += 1) addresser.note(ORGANIZATION, object, 1, 0, 1)
    gate.resolve('there')
    await settled(() => asked.length >= 10_000)
    assert.equal(asked.length, 10_000)
    addresser.note(ORGANIZATION, 10_001, 1, 0, 2)
    await settled()
    assert.equal(asked.length, 10_001)
    await addresser.close()
  })

  it('queries in the language of the organization', async () => {
    const { addresser, asked } = open({ languageOf: (id) => (id === 2 ? 'de' : 'en') })
    addresser.note(2, OBJECT, 1, 0, 1)
    await settled()
    assert.deepEqual(asked, ['1,0 de'])
    await addresser.close()
  })

  it('continues if the language is unavailable', async () => {
    const { addresser, asked } = open({
      async languageOf(id): Promise<Language> {
        if (id === 2) throw new Error('down')
        return 'en'
      },
    })
    addresser.note(2, 1, 1, 0, 1)
    addresser.note(1, 2, 3, 0, 1)
    await settled()
    assert.deepEqual(asked, ['3,0 en'])
    await addresser.close()
  })

  it('forgets a dropped object and a dropped organization, including pending queries', async () => {
    const gate = Promise.withResolvers<string | null>()
    const { addresser, asked, stored } = open({ answer: () => gate.promise })
    addresser.note(1, 11, 1, 0, 1)
    await settled()
    addresser.note(1, 12, 2, 0, 1)
    addresser.note(1, 13, 3, 0, 1)
    addresser.note(2, 21, 4, 0, 1)
    addresser.note(3, 31, 5, 0, 1)
    addresser.drop(1, 11)
    addresser.drop(1, 12)
    addresser.drop(2)
    gate.resolve('there')
    await settled()
    assert.deepEqual(asked, ['1,0 en', '3,0 en', '5,0 en'])
    assert.deepEqual(
      stored.map(({ object }) => object),
      [13, 31],
    )
    addresser.note(1, 11, 1, 0, 1)
    await settled()
    assert.equal(asked.length, 4, 'and knows nothing of it')
    await addresser.close()
  })

  it('stores found addresses when closed, and queries no others', async () => {
    const answer = Promise.withResolvers<string | null>()
    const { addresser, asked, stored } = open({ answer: () => answer.promise })
    addresser.note(ORGANIZATION, 1, 1, 0, 1)
    await settled()
    addresser.note(ORGANIZATION, 2, 2, 0, 1)
    const closed = addresser.close()
    answer.resolve('there')
    await closed
    assert.equal(asked.length, 1)
    assert.equal(stored.length, 1)
    addresser.note(ORGANIZATION, 3, 3, 0, 1)
    await settled()
    assert.equal(asked.length, 1)
  })
})

type Stubs = Partial<Pick<AddresserParts, 'store' | 'languageOf'>> & {
  answer?(latitude: number, longitude: number): Promise<string | null>
}

function open({ answer, store, languageOf }: Stubs = {}) {
  const asked: string[] = []
  const stored: FoundAddress[] = []
  const geocoder: AddresserParts['geocoder'] = {
    async address(latitude: number, longitude: number, language: Language) {
      asked.push(`${latitude},${longitude} ${language}`)
      return answer === undefined ? `near ${latitude},${longitude}` : answer(latitude, longitude)
    },
    async close() {},
  }
  const addresser = new Addresser({
    geocoder,
    languageOf: languageOf ?? (() => 'en'),
    store:
      store ??
      (async (found) => {
        stored.push(...found)
      }),
  })
  return { addresser, asked, stored }
}

/** Runs the event loop until all tasks are blocked. */
async function settled(until = () => true): Promise<void> {
  for (let turns = 0; turns < 10 || !until(); turns += 1) await turn()
  await turn()
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

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
