import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import {
  columnsOfRecords,
  type PositionColumns,
} from '../../base/domain/position/position-columns.ts'
import { type Format, positionForm } from '../formats/formats.ts'
import { columnsOf } from '../formats/position-format.ts'
import { positionRowEncoder } from './position-rows.ts'
import { lackNames } from './row-attributes.ts'

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }
const named = { id: 7, organization: 1, name: 'Van', ident: '1', createdAt: 0, updatedAt: 0 }
const object = { ...OBJECT_DEFAULTS, ...named }

function entry(
  name: string,
  sources: string[],
  more: Partial<AttributeEntry> = {},
): AttributeEntry {
  return { ...ATTRIBUTE_DEFAULTS, type: 'number', name, label: name, sources, ...more }
}

type SentRow = Readonly<Record<string, number | boolean | string>>

/** Encodes positions of an object that has sent these names. */
function encoded(
  rows: readonly SentRow[],
  entries: readonly AttributeEntry[],
  format: Format = 'json',
  names = [...new Set(rows.flatMap((row) => Object.keys(row)))],
): { text: string; columns: PositionColumns } {
  const attributes = names.map((name) => ({ name, value: null, at: 0, count: 0 }))
  const records = rows.map((row, index) => {
    const sent = Object.entries(row).map(([name, value]) => ({ name, value }))
    const fix = { ...bareFix(index, index, 41, 2), attributes: sent.length === 0 ? null : sent }
    return packFix(fix, NO_COUNTERS, { motion: null, isLate: false }, attributes)
  })
  const columns = columnsOfRecords(Buffer.concat(records))
  const form = positionForm(format, 'tracks', columnsOf([], { entries, isCurrent: false }))
  const encode = positionRowEncoder({ object, state: { ...UNSEEN, attributes } }, 'km', { form })
  return { text: encode(columns).toString(), columns }
}

function attributesOf(text: string): unknown[] {
  return JSON.parse(`[${text}]`).map((row: { attributes: unknown }) => row.attributes)
}

describe('The attributes of rows', () => {
  it('are the first source that has a value in a position', () => {
    const rows: SentRow[] = [{ a: 1, b: 2 }, { b: 2 }, { b: 2, a: 'none' }, { a: 'x' }, {}]
    const { text } = encoded(rows, [entry('x', ['a', 'b']), entry('y', ['b'], { scale: 0.5 })])
    assert.deepEqual(attributesOf(text), [{ x: 1, y: 1 }, { x: 2, y: 1 }, { x: 2, y: 1 }, {}, {}])
  })

  it('have room, however much longer they are than their records', () => {
    const names = Array.from({ length: 60 }, (_, index) => `a${index}`)
    const row = Object.fromEntries(names.map((name) => [name, true]))
    const entries = names.map((name) => entry(name.padEnd(40, '_'), [name], { type: 'boolean' }))
    const rows = Array.from({ length: 200 }, () => row)
    const { text } = encoded(rows, entries)
    const expected = Object.fromEntries(entries.map(({ name }) => [name, true]))
    assert.deepEqual(
      attributesOf(text),
      rows.map(() => expected),
    )
  })

  it('are escaped as texts of their format are', () => {
    const driver = 'B, "Bo"\u2028 Ø 日本'
    const entries = [entry('driver', ['who'], { type: 'text' })]
    assert.deepEqual(attributesOf(encoded([{ who: driver }], entries).text), [{ driver }])
    assert.ok(!encoded([{ who: driver }], entries).text.includes('\u2028'))
    const csv = encoded([{ who: driver }], entries, 'csv').text
    assert.ok(csv.endsWith(`,"B, ""Bo""\u2028 Ø 日本"\r\n`), csv)
  })

  it('have columns of their own, whatever their names', () => {
    const entries = ['fuel', 'fuel_at', 'fuel_max'].map((name) => entry(name, [name]))
    const included = columnsOf(['quality', 'exact'], { entries, isCurrent: true })
    const columns = positionForm('csv', 'points', included).head.trimEnd().split(',')
    assert.deepEqual(columns.slice(-6), [
      ...['fuel', 'fuel__at', 'fuel_at', 'fuel_at__at', 'fuel_max', 'fuel_max__at'],
    ])
    assert.equal(new Set(columns).size, columns.length)
    const { properties } = JSON.parse(encoded([{ fuel: 1, fuel_at: 2 }], entries, 'geojson').text)
    assert.deepEqual([properties.fuel, properties.fuel_at], [1, 2])
  })

  it('are left out if the object had no such name when its state was read', () => {
    const entries = [entry('x', ['a'])]
    const known = [{ name: 'a', value: null, at: 0, count: 0 }]
    const { columns } = encoded([{ a: 1 }, { a: 1, new: 2 }], entries, 'json', ['a', 'new'])
    assert.ok(lackNames(columns, known))
    assert.ok(!lackNames(columns, [...known, { ...known[0]!, name: 'new' }]))
    const form = positionForm('json', 'tracks', columnsOf([], { entries, isCurrent: false }))
    const state = { ...UNSEEN, attributes: known }
    const text = positionRowEncoder({ object, state }, 'km', { form })(columns).toString()
    assert.deepEqual(attributesOf(text), [{ x: 1 }, { x: 1 }])
  })
})
