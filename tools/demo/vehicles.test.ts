import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imeiCheckDigit, VEHICLES, vinCheckDigit } from './vehicles.ts'

test('check digits agree with published examples', () => {
  assert.equal(vinCheckDigit('1M8GDM9AXKP042788'), 'X')
  assert.equal(vinCheckDigit('11111111111111111'), '1')
  assert.equal(imeiCheckDigit('49015420323751'), '8')
})

test('every vehicle has a unique, well-formed VIN, IMEI and plate', () => {
  for (const { vin, ident, plate } of VEHICLES) {
    assert.match(vin, /^[A-HJ-NPR-Z0-9]{17}$/)
    assert.equal(vin[8], vinCheckDigit(vin), vin)
    assert.match(ident, /^\d{15}$/)
    assert.equal(ident[14], imeiCheckDigit(ident.slice(0, 14)), ident)
    assert.match(plate, /^\d{4} [BCDFGHJKLMNPRSTVWXYZ]{3}$/)
  }
  for (const key of ['vin', 'ident', 'plate', 'name'] as const) {
    assert.equal(new Set(VEHICLES.map((vehicle) => vehicle[key])).size, VEHICLES.length, key)
  }
})
