import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type AttributeValue, isDeviceName } from '../position/attribute.ts'
import { firstFault } from '../setting-rule.ts'
import { ATTRIBUTE_RULES, entryFault } from './attribute-catalogue.ts'
import { entryFor, noneAfter } from './known-names.ts'
import { shownValue } from './shown-value.ts'

function named(source: string, value: number | boolean | string = 1): unknown[] {
  const { name, label, type, unit } = entryFor(source, [value])
  return [name, label, type, unit]
}

describe('The entry for a name of devices', () => {
  it('has the unit of a known name', () => {
    assert.deepEqual(named('fuelLevel'), ['fuel_level', 'Fuel level', 'number', '%'])
    assert.deepEqual(named('batt'), ['battery_level', 'Battery level', 'number', '%'])
    assert.deepEqual(named('driverUniqueId', 12), ['driver', 'Driver', 'text', null])
    assert.deepEqual(named('door'), ['door', 'Door', 'boolean', null])
  })

  it('keeps the number of a known name', () => {
    assert.deepEqual(named('temp2'), ['temp2', 'Temperature 2', 'number', '°C'])
    assert.deepEqual(named('io200'), ['io200', 'IO 200', 'number', null])
  })

  it('has the type of the value of another name', () => {
    assert.deepEqual(named('Füll-Stand', 3), ['full_stand', 'Full stand', 'number', null])
    assert.deepEqual(named('ibutton', 'AF'), ['ibutton', 'Ibutton', 'text', null])
    assert.deepEqual(named('PTO', true), ['pto', 'Pto', 'boolean', null])
    assert.deepEqual(named('燃料'), ['attribute', '燃料', 'number', null])
    assert.deepEqual(named('constructor'), ['constructor', 'Constructor', 'number', null])
  })

  it('has another name than a field of positions or objects', () => {
    assert.equal(named('speed')[0], 'device_speed')
    assert.equal(named('hours')[0], 'device_engine_hours')
    assert.equal(named('plateNumber')[0], 'device_plate_number')
  })

  it('shows counters of Traccar in hours and kilometers', () => {
    assert.equal(shownValue(5_400_000, entryFor('hours', [1])), 1.5)
    assert.equal(shownValue(6_902_740, entryFor('odometer', [1])), 6_902.74)
  })

  it('has the type of a known name if nine of ten values can have it', () => {
    const typed = (source: string, values: AttributeValue[]) => {
      const { name, label, type, unit } = entryFor(source, values)
      return [name, label, type, unit]
    }
    const nine = Array(9).fill(4.5)
    assert.deepEqual(typed('temp1', [...nine, 'open']), ['temp1', 'Temperature 1', 'number', '°C'])
    // Error values are numbers too.
    assert.equal(entryFor('temp1', Array(10).fill(85)).unit, '°C')
    assert.deepEqual(typed('temp1', [...nine, 'a', 'b']), ['temp1', 'Temp1', 'text', null])
    assert.deepEqual(typed('event', ['motionchange']), ['event', 'Event', 'text', null])
    assert.deepEqual(typed('io3', ['57.95%']), ['io3', 'Io3', 'text', null])
    assert.deepEqual(typed('batt', [true, false]), ['batt', 'Batt', 'boolean', null])
    assert.equal(entryFor('fuelUsed', ['n/a']).isCounter, false)
    assert.equal(entryFor('fuelUsed', ['12.5']).isCounter, true)
    assert.deepEqual(typed('tag', [12, 'AF']), ['tag', 'Tag', 'text', null])
  })

  it('is a level for the fuel in a tank', () => {
    const levels = ['fuel', 'fuel2', 'fuelLevel', 'fuelLevel1', 'fuelUsed', 'batteryLevel', 'level']
    const found = levels.filter((source) => entryFor(source, [12.5]).isLevel)
    assert.deepEqual(found, ['fuel', 'fuel2', 'fuelLevel', 'fuelLevel1'])
    assert.equal(entryFor('fuel', ['half']).isLevel, false)
  })

  it('has percent where an app sends a part of 1', () => {
    const { name, unit, sources } = entryFor('battery.level', [0.65, -1])
    const scaled = [{ name: 'battery.level', scale: 100 }]
    assert.deepEqual([name, unit, sources], ['battery_level', '%', scaled])
    assert.deepEqual(entryFor('battery.level', [65, 64]).sources, ['battery.level'])
    assert.equal(entryFor('battery.is_charging', [true]).name, 'charge')
  })

  it('has the values that mean none, also for another scale', () => {
    const temperature = entryFor('temp1', [])
    assert.deepEqual(temperature.none, [85, -127])
    const tenths = { ...temperature, scale: 0.1 }
    assert.deepEqual(noneAfter(temperature, tenths), [850, -1_270])
    assert.deepEqual(noneAfter({ ...tenths, none: [850, -1_270] }, temperature), [85, -127])
    assert.deepEqual(noneAfter(temperature, { ...temperature, offset: -40 }), [125, -87])
    // Somebody chose them.
    assert.deepEqual(noneAfter({ ...temperature, none: [85] }, tenths), [85])
    const power = entryFor('power', [])
    assert.deepEqual(noneAfter(power, { ...power, scale: 0.001 }), [65_535, 65_535])
  })

  it('keeps the rules for any name', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 70 }).filter(isDeviceName)
    const names = fc.oneof(anyText, fc.stringMatching(/^[a-z]{0,20}[_ ]{1,2}[a-zA-Z_]{16,24}$/))
    fc.assert(
      fc.property(names, (source) => {
        const entry = entryFor(source, [1])
        assert.equal(firstFault(ATTRIBUTE_RULES, entry) ?? entryFault(entry), undefined)
      }),
    )
  })
})
