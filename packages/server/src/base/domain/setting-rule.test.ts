import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ACCURACY_DEFAULTS, OBJECT_DEFAULTS, objectSettingsFault } from './monitored-object.ts'
import { ORGANIZATION_RULES } from './organization.ts'
import type { LonLat } from './places/place.ts'
import { GEOFENCE_RULES, ROUTE_RULES, SITE_RULES } from './places/place-settings.ts'
import { documentedName, firstFault, number, optional, readValue, text } from './setting-rule.ts'

describe('Rules of settings', () => {
  it('accept the defaults of an object', () => {
    const settings = { ...OBJECT_DEFAULTS, name: 'Van 1', ident: '356307042441013' }
    assert.equal(objectSettingsFault(settings), undefined)
  })

  it('name the documented field and the rule', () => {
    assert.deepEqual(objectSettingsFault({ engineHoursType: 'device' as 'sensor' }), {
      field: 'engine_hours_type',
      rule: 'must be one of sensor, system',
    })
    const accuracy = { ...ACCURACY_DEFAULTS, deviceTimezone: 'Europe/Nowhere' }
    assert.equal(objectSettingsFault({ accuracy })?.field, 'device_timezone')
    assert.equal(firstFault(ORGANIZATION_RULES, { dailyQuota: 1.5 })?.field, 'daily_quota')
    for (const retentionDays of [0, 1.5, 36_501]) {
      assert.equal(
        firstFault(ORGANIZATION_RULES, { retentionDays })?.rule,
        'must be a whole number from 1 to 36500',
      )
    }
    for (const retentionDays of [1, 36_500, null]) {
      assert.equal(firstFault(ORGANIZATION_RULES, { retentionDays }), undefined)
    }
    assert.equal(
      firstFault(ORGANIZATION_RULES, { createObjects: 1 as unknown as boolean })?.field,
      'create_objects',
    )
    assert.equal(objectSettingsFault({ odometerOffset: -1e8 - 1 })?.field, 'odometer_offset')
    assert.equal(
      firstFault(SITE_RULES, { latitude: 90.1 })?.rule,
      'must be a number from -90 to 90 degrees',
    )
  })

  it('skip omitted fields', () => {
    assert.equal(objectSettingsFault({}), undefined)
    assert.equal(
      firstFault(SITE_RULES, { name: undefined as unknown as string, radius: 5 }),
      undefined,
    )
  })

  it('distinguish an offset from a time zone', () => {
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

  it('accept hex colors only', () => {
    for (const color of ['#fff', '#FF8800', '#ff880080', null]) {
      assert.equal(firstFault(GEOFENCE_RULES, { color }), undefined)
    }
    for (const color of ['red', 'ff8800', '#ff88', '#ggg', '']) {
      assert.equal(firstFault(GEOFENCE_RULES, { color })?.field, 'color')
    }
  })

  it('check the form of geometry', () => {
    assert.equal(
      firstFault(GEOFENCE_RULES, {
        coordinates: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      }),
      undefined,
    )
    assert.ok(
      firstFault(GEOFENCE_RULES, {
        coordinates: [
          [0, 0],
          [1, 0],
          [0, 0],
        ],
      }),
    )
    assert.deepEqual(
      firstFault(GEOFENCE_RULES, {
        coordinates: [
          [2.1, 41.3],
          [2.2, 41.4],
          [2.2, 41.3],
          [2.1, 41.4],
        ],
      }),
      {
        field: 'coordinates',
        rule: 'must be a ring of at least 3 different [longitude, latitude] pairs in degrees that does not cross itself; it crosses itself near [2.15, 41.35]',
      },
    )
    const world: LonLat[] = [
      [-180, -60],
      [180, -60],
      [180, 60],
      [-180, 60],
    ]
    assert.match(
      firstFault(GEOFENCE_RULES, { coordinates: world })!.rule,
      /; it has all corners at 180 degrees, so it has no width: /,
    )
    assert.equal(firstFault(GEOFENCE_RULES, { coordinates: [...world, [-179, 0]] }), undefined)
    assert.ok(
      firstFault(GEOFENCE_RULES, {
        coordinates: [
          [0, 91],
          [1, 0],
          [1, 1],
        ],
      }),
    )
    assert.equal(
      firstFault(ROUTE_RULES, {
        coordinates: [
          [
            [0, 0],
            [1, 0],
          ],
        ],
      }),
      undefined,
    )
    assert.ok(firstFault(ROUTE_RULES, { coordinates: [[[0, 0]]] }))
    assert.ok(firstFault(ROUTE_RULES, { coordinates: [] }))
    const points = [{ location: [0, 0] as [number, number], order: 1 }]
    assert.equal(firstFault(ROUTE_RULES, { points }), undefined)
    assert.ok(firstFault(ROUTE_RULES, { points: [...points, ...points] }))
    assert.ok(firstFault(ROUTE_RULES, { points: [{ location: [0, 0], order: 0.5 }] }))
  })

  it('reject control characters that would reach a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        if (text(50).holds(value)) assert.doesNotMatch(value, /[\u0000-\u001f\u007f-\u009f]/)
      }),
    )
    assert.equal(text(50).holds('\u001b[31mred'), false)
  })

  it('reject invisible characters, and name them', () => {
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
      const described = firstFault(GEOFENCE_RULES, { description: `Yard\n${hidden}` })
      assert.equal(described?.field, 'description')
    }
  })

  it('accept every number in decimal notation, and no other notation', () => {
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
