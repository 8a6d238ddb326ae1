import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { objectSettingsFault } from './object-settings.ts'
import { organizationSettingsFault } from './organization-settings.ts'
import { geofenceSettingsFault, routeSettingsFault, siteSettingsFault } from './place-settings.ts'
import { documentedName, number, optional, readValue, text } from './rule.ts'
import { ACCURACY_DEFAULTS, OBJECT_DEFAULTS } from './tracked-object.ts'

describe('rules of settings', () => {
  it('take the defaults of an object', () => {
    const settings = { ...OBJECT_DEFAULTS, name: 'Van 1', ident: '356307042441013' }
    assert.equal(objectSettingsFault(settings), undefined)
  })

  it('name the field as it is documented, and the rule', () => {
    assert.deepEqual(objectSettingsFault({ engineHoursType: 'device' as 'sensor' }), {
      field: 'engine_hours_type',
      rule: 'must be one of sensor, system',
    })
    const accuracy = { ...ACCURACY_DEFAULTS, deviceTimezone: 'Europe/Nowhere' }
    assert.equal(objectSettingsFault({ accuracy })?.field, 'device_timezone')
    assert.equal(organizationSettingsFault({ dailyQuota: 1.5 })?.field, 'daily_quota')
    for (const retentionDays of [0, 1.5, 36_501]) {
      assert.equal(
        organizationSettingsFault({ retentionDays })?.rule,
        'must be a whole number from 1 to 36500',
      )
    }
    for (const retentionDays of [1, 36_500, null]) {
      assert.equal(organizationSettingsFault({ retentionDays }), undefined)
    }
    assert.equal(
      organizationSettingsFault({ createObjects: 1 as unknown as boolean })?.field,
      'create_objects',
    )
    assert.equal(objectSettingsFault({ odometerOffset: -1e8 - 1 })?.field, 'odometer_offset')
    assert.equal(
      siteSettingsFault({ latitude: 90.1 })?.rule,
      'must be a number from -90 to 90 degrees',
    )
  })

  it('look at no field that is not given', () => {
    assert.equal(objectSettingsFault({}), undefined)
    assert.equal(siteSettingsFault({ name: undefined as unknown as string, radius: 5 }), undefined)
  })

  it('tell an offset from a time zone', () => {
    for (const [deviceTimezone, fault] of [
      ['UTC', false],
      ['Europe/Istanbul', false],
      ['+03:00', true],
      ['', true],
    ] as const) {
      const accuracy = { ...ACCURACY_DEFAULTS, deviceTimezone }
      assert.equal(objectSettingsFault({ accuracy }) !== undefined, fault, deviceTimezone)
    }
  })

  it('take hex colors alone', () => {
    for (const color of ['#fff', '#FF8800', '#ff880080', null]) {
      assert.equal(geofenceSettingsFault({ color }), undefined)
    }
    for (const color of ['red', 'ff8800', '#ff88', '#ggg', '']) {
      assert.equal(geofenceSettingsFault({ color })?.field, 'color')
    }
  })

  it('hold geometry to its shape', () => {
    assert.equal(
      geofenceSettingsFault({
        coordinates: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      }),
      undefined,
    )
    assert.ok(
      geofenceSettingsFault({
        coordinates: [
          [0, 0],
          [1, 0],
          [0, 0],
        ],
      }),
    )
    assert.ok(
      geofenceSettingsFault({
        coordinates: [
          [0, 91],
          [1, 0],
          [1, 1],
        ],
      }),
    )
    assert.equal(
      routeSettingsFault({
        coordinates: [
          [
            [0, 0],
            [1, 0],
          ],
        ],
      }),
      undefined,
    )
    assert.ok(routeSettingsFault({ coordinates: [[[0, 0]]] }))
    assert.ok(routeSettingsFault({ coordinates: [] }))
    const points = [{ location: [0, 0] as [number, number], order: 1 }]
    assert.equal(routeSettingsFault({ points }), undefined)
    assert.ok(routeSettingsFault({ points: [...points, ...points] }))
    assert.ok(routeSettingsFault({ points: [{ location: [0, 0], order: 0.5 }] }))
  })

  it('let no control character into what a terminal shows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        if (text(50).holds(value)) assert.doesNotMatch(value, /[\u0000-\u001f\u007f-\u009f]/)
      }),
    )
    assert.equal(text(50).holds('\u001b[31mred'), false)
  })

  it('take no character that nobody sees, and name it', () => {
    for (const [hidden, name] of [
      ['\u202e', 'U+202E'],
      ['\u200b', 'U+200B'],
      ['\ufeff', 'U+FEFF'],
      ['\u0007', 'U+0007'],
    ] as const) {
      for (const field of ['name', 'ident', 'plateNumber', 'address'] as const) {
        const fault = objectSettingsFault({ [field]: `35630${hidden}7042` })
        assert.equal(fault?.field, documentedName(field))
        assert.match(fault!.rule, /^must be text of .*; it has the hidden character /)
        assert.ok(fault!.rule.endsWith(name), fault!.rule)
      }
      const described = geofenceSettingsFault({ description: `Yard\n${hidden}` })
      assert.equal(described?.field, 'description')
    }
  })

  it('read every number that is written in decimal, and no other notation', () => {
    const rule = optional(number(-1e9, 1e9))
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        assert.equal(readValue(rule, String(value)), Number(String(value)))
      }),
    )
    for (const written of ['0x10', 'Infinity', 'NaN', '1_000', '1,5', ' 1', '1e99']) {
      assert.equal(readValue(rule, written), undefined, written)
    }
    assert.equal(readValue(rule, ''), null)
    assert.equal(readValue(number(0, 1), ''), undefined)
  })

  it('document plateNumber as plate_number', () => {
    assert.equal(documentedName('minimumGpsLevel'), 'minimum_gps_level')
  })
})
