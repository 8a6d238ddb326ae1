import fc from 'fast-check'
import type { AttributeValue } from '../src/base/domain/position/attribute.ts'
import { type Attribute, byName } from '../src/base/domain/position/attribute.ts'
import { entryBytes, ROOM_BYTES } from '../src/base/domain/position/attribute-section.ts'
import type { CurrentAttributes } from '../src/base/domain/position/current-attributes.ts'
import type { Fix } from '../src/base/domain/position/fix.ts'
import { anyFix, anyMoment } from './any-fix.ts'

/** The names of an object, as many as one may have, in no order. */
export const NAMES: readonly { readonly name: string }[] = [
  ...[
    'temp1',
    'fuel',
    'Ignition Volt',
    'ş',
    '漢字',
    '🚚',
    'io239',
    '0',
    '__proto__',
    'constructor',
  ],
  ...Array.from({ length: 1_014 }, (_, i) => `n${(i * 7) % 1_014}`),
].map((name) => ({ name }))

/** Some of them: the first ones, and those where an index takes more bytes. */
const SOME_NAMES = [...NAMES.slice(0, 70), ...NAMES.slice(185, 195), ...NAMES.slice(1_014)].map(
  ({ name }) => name,
)

const anyText = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => Buffer.byteLength(text) <= 64)

/** Any value that `attributeValue` keeps: whole numbers, decimals, the least and the largest ones, switches, texts. */
export const anyValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100 + 0),
  fc.maxSafeInteger().map((n) => n / 1e7 + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  fc.boolean(),
  anyText,
)

/** Attributes with some of these names, in the order and the size of a fix. */
export function attributesWith(
  names: readonly string[],
  value: fc.Arbitrary<AttributeValue> = anyValue,
  maxLength = names.length,
): fc.Arbitrary<Attribute[]> {
  return fc
    .uniqueArray(fc.record({ name: fc.constantFrom(...names), value }, { noNullPrototype: true }), {
      selector: ({ name }) => name,
      minLength: 1,
      maxLength,
    })
    .map((attributes) => {
      let room = ROOM_BYTES
      return attributes.sort(byName).filter((each) => {
        room -= entryBytes(each.value)
        return room >= 0
      })
    })
}

export const anyAttributes = attributesWith(SOME_NAMES)

/** Fixes of an object with `NAMES`, half of them without attributes. */
export const anyFixWithAttributes: fc.Arbitrary<Fix> = fc
  .tuple(anyFix, fc.option(anyAttributes, { nil: null, freq: 2 }))
  .map(([fix, attributes]) => ({ ...fix, attributes }))

export const anyCurrent: fc.Arbitrary<CurrentAttributes> = fc
  .array(
    fc.record(
      {
        value: fc.option(anyValue, { nil: null }),
        before: fc.option(anyValue, { nil: null }),
        at: anyMoment,
        count: fc.maxSafeNat(),
        isForgotten: fc.boolean(),
      },
      { noNullPrototype: true },
    ),
    { maxLength: NAMES.length },
  )
  .map((all) =>
    all.map(({ isForgotten, before, ...each }, i) => {
      const { name } = NAMES[i]!
      if (isForgotten) return { name, value: null, at: 0, count: 0, isForgotten: true as const }
      if (before === null || each.value === null) return { name, ...each }
      return { name, ...each, other: { value: before, at: Math.floor(each.at / 2) } }
    }),
  )
