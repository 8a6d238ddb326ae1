import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RECORD_TYPES } from '../../base/domain/item-rules.ts'
import { LAST_TIME } from '../../base/domain/time/time.ts'
import { type ChangeEntries, NO_ENTRIES, packEntries, unpackEntries } from './change-entries.ts'

const LARGEST_ID = 2 ** 52

/** Records with the usual prototype, as `deepEqual` expects. */
const plain = <T extends object>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record<T>(model as never, { noNullPrototype: true } as never) as fc.Arbitrary<T>

const anyId = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: LARGEST_ID }))
const anyTime = fc.integer({ min: 0, max: LAST_TIME })
const anyRange = fc
  .tuple(anyTime, anyTime)
  .map((times) => ({ from: Math.min(...times), to: Math.max(...times) }))
const anyAmount = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: -(2 ** 47), max: 2 ** 47 }),
)
const anyShift = plain({
  from: anyTime,
  tripsSince: fc.option(anyTime),
  odometer: anyAmount,
  mileage: anyAmount,
  engineHours: anyAmount,
}).filter(({ from, tripsSince }) => tripsSince === null || tripsSince <= from)
const anyObject = plain({
  object: anyId,
  positions: fc
    .uniqueArray(plain({ time: anyTime, late: fc.boolean() }), {
      selector: ({ time }) => time,
      maxLength: 20,
    })
    .map((positions) => positions.sort((a, b) => a.time - b.time)),
  shifts: fc.array(anyShift, { maxLength: 3 }),
  rewritten: fc.option(anyRange),
})
const anyEntries: fc.Arbitrary<ChangeEntries> = plain({
  items: fc.array(
    fc.oneof(
      plain({
        topic: fc.constantFrom('objects', 'geofences', 'routes', 'sites'),
        id: anyId,
        isDeleted: fc.boolean(),
      }),
      plain({
        topic: fc.constant('objects' as const),
        id: anyId,
        isDeleted: fc.constant(false),
        retainedBefore: fc.constantFrom(null, 1, 30),
      }),
    ),
    { maxLength: 5 },
  ),
  attributes: fc.array(anyId, { maxLength: 3 }),
  retainedBefore: fc.constantFrom(undefined, null, 1, 30, 3_650),
  objects: fc
    .uniqueArray(anyObject, { selector: ({ object }) => object, maxLength: 5 })
    .map((objects) => objects.sort((a, b) => a.object - b.object)),
  records: fc.array(
    plain({
      type: fc.constantFrom(...RECORD_TYPES),
      object: anyId,
      id: anyId,
      before: fc.option(anyRange.map(({ from, to }) => ({ start: from, until: to }))),
      attribute: anyId,
    }).map(({ attribute, ...entry }) => ({
      ...entry,
      ...(entry.type === 'levels' && { attribute }),
    })),
    { maxLength: 5 },
  ),
})

describe('Packed entries of a change', () => {
  it('unpack to the same entries', () => {
    fc.assert(
      fc.property(anyEntries, anyTime, (entries, at) => {
        assert.deepEqual(unpackEntries(packEntries(entries, at), at), entries)
      }),
    )
  })

  it('take eleven bytes for a packet that comes at once', () => {
    const at = Date.UTC(2026, 10, 20)
    const positions = [{ time: at - 2_500, late: false }]
    const packed = packEntries(
      { ...NO_ENTRIES, objects: [{ object: 12_345, positions, shifts: [], rewritten: null }] },
      at,
    )
    assert.ok(packed.length <= 11, `${packed.length} bytes`)
  })

  it('are refused if they are cut off, or have another form', () => {
    const packed = packEntries(NO_ENTRIES, 0)
    assert.throws(() => unpackEntries(packed.subarray(0, 2), 0), /cut off/)
    assert.throws(() => unpackEntries(Uint8Array.of(9), 0), /form/)
  })
})
