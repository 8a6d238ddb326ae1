import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { API_KEY, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../../packages/server/src/base/domain/attributes/catalogue.ts'
import type { Grant } from '../../../packages/server/src/base/domain/grant.ts'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../../packages/server/src/base/domain/organization.ts'
import type { Attribute } from '../../../packages/server/src/base/domain/position/attribute.ts'
import { bareFix } from '../../../packages/server/src/base/domain/position/fix.ts'
import { formatInstant } from '../../../packages/server/src/base/domain/time/time.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { deriverOn } from '../../../packages/server/testing/records/handed-deriver.ts'
import { setClock } from '../simulation/clock.ts'
import { openDeployment } from '../simulation/deployment.ts'
import { requestBytes } from '../simulation/network.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const OBJECTS = [1, 2, 3]
const MINUTE = 60_000
/** The minutes of drives, and of grants. */
const LAST = 240
const BEGIN = NOW - 2 * LAST * MINUTE
const APART_US = 1_000_001
const RUNS = Number(process.env.WORLDS ?? 25)
const OF_A_REQUEST = ['date', 'x-request-id', 'x-records-until', 'content-length']

/** Cursors differ each time, and ids and revisions of records depend on the records of other objects, by the contract. */
const OF_A_WORLD =
  /"timestamp":"[^"]+"|"id":\d+,(?="object_id")|"revision":\d+,"updated_at":"[^"]+"|"cursor":"[^"]+"|cursor=[^&>"]+/g

/** The values of a position that no other position depends on. */
type Values = { altitude: number; fuel: number | null; driver: string | null; door: boolean | null }

const anyValues: fc.Arbitrary<Values> = fc.record({
  altitude: fc.nat(99),
  fuel: fc.option(fc.integer({ min: 1, max: 99 })),
  driver: fc.option(fc.constantFrom('Ada', 'Bo', 'Cy')),
  door: fc.option(fc.boolean()),
})

/** A position each minute, or fewer, that moves in some of them. `shown` and `hidden`: its values in the two worlds. */
const anyDrive = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 9 }),
    isMoving: fc.boolean(),
    values: anyValues,
    other: anyValues,
  }),
  { minLength: 10, maxLength: 60 },
)
type Drive = typeof anyDrive extends fc.Arbitrary<infer Value> ? Value : never

const anyGrant: fc.Arbitrary<Grant> = fc
  .record({
    objects: fc.option(fc.subarray([1, 2], { minLength: 1 }), { nil: null, freq: 4 }),
    from: fc.nat(LAST),
    minutes: fc.nat(90),
    isAdjacent: fc.boolean(),
    attributes: fc.option(fc.subarray(['door', 'driver', 'fuel']), { nil: null }),
  })
  .map(({ objects, from, minutes, isAdjacent, attributes }) => ({
    // A third object stays outside.
    objects: objects ?? [1, 2],
    from: BEGIN + from * MINUTE,
    until: BEGIN + (from + minutes) * MINUTE - (isAdjacent ? 1 : 0),
    attributes,
  }))

const anyOf = (...parts: string[]) => fc.constantFrom(...parts)
const anyRange = fc
  .tuple(fc.nat(LAST), fc.nat(LAST))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)].map((minute) => instant(minute)))
  .map(([from, to]) => `from_time=${from}&to_time=${to}`)
const INCLUDED = '&include=exact,quality,attributes'
const anyPath = fc.oneof(
  fc
    .tuple(anyOf('1', '2', '3'), anyRange, anyOf('', '&step=600', '&step=3600', '&limit=7'))
    .map(([id, range, step]) => `/objects/${id}/positions?${range}${step}${INCLUDED}`),
  fc
    .tuple(anyRange, anyOf('', '&step=900', '&limit=9', '&limit=5&step=300'))
    .chain(([range, more]) =>
      anyOf('json', 'csv', 'geojson', 'ndjson').map(
        (format) => `/positions?ids=all&${range}${more}${INCLUDED}&format=${format}`,
      ),
    ),
  anyRange.chain((range) =>
    anyOf('gpx', 'kml').map((format) => `/positions?ids=all&${range}&format=${format}`),
  ),
  anyOf('json', 'csv').map((format) => `/positions/latest?ids=all${INCLUDED}&format=${format}`),
  fc.nat(LAST).map((minute) => `/positions/at?ids=all&time=${instant(minute)}${INCLUDED}`),
  anyOf('/objects', '/objects/1?include=attributes', '/objects/3', '/attributes', '/usage', '/key'),
  fc
    .tuple(anyOf('trips', 'stops', 'visits', 'levels'), anyRange, anyOf('', '&limit=2'))
    .map(([type, range, limit]) => {
      const attributes = type === 'trips' || type === 'stops' ? '&include=attributes' : ''
      return `/${type}?${range}${attributes}${limit}`
    }),
  anyOf(
    '',
    '&by=driver',
    '&include=attributes',
    '&tz=Asia/Tokyo&include=attributes',
    '&limit=1',
  ).map((more) => `/days?from_date=2026-11-19&to_date=2026-11-21${more}`),
  fc.constant('/coverage?from_date=2026-11-19&to_date=2026-11-21'),
  fc
    .tuple(anyOf('1', '2'), anyRange)
    .map(([object, range]) => `/routes/1/adherence?object=${object}&${range}`),
  anyOf('history', 'snapshot').chain((from) =>
    anyOf('', '&types=positions,states', '&types=trips,stops,visits,levels').map(
      (types) =>
        `/changes?from=${from}&limit=10000${types}${types.includes('trips') ? '' : INCLUDED.replace('quality,', '')}`,
    ),
  ),
)

function instant(minute: number): string {
  return formatInstant(BEGIN + minute * MINUTE)
}

describe('Two worlds that differ outside of the grants of a key alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-granted-'))
  after(() => rmSync(folder, { recursive: true }))
  const template = join(folder, 'template')
  await fleetIn(template)
  let opened = 0

  async function worldOf(drives: readonly Drive[], grants: readonly Grant[], isOther: boolean) {
    opened += 1
    const own = join(folder, String(opened))
    cpSync(template, own, { recursive: true })
    const clock = setClock(NOW)
    const deployment = await openDeployment(own, clock, {})
    const { secret, ...stored } = newSecret(API_KEY)
    const scope = { operations: null, grants, windowShare: null }
    await deployment.store.keys.issue(
      1,
      { name: 'Shipper', expiresAt: null, ...stored, scope },
      NOW,
    )
    const rules = foldRules({ now: () => NOW, monotonic: () => 0 })
    for (const [i, drive] of drives.entries()) {
      const fixes = fixesOf(OBJECTS[i]!, drive, grants, isOther)
      await deployment.store.positions.append(1, fixes, rules)
    }
    await deriverOn(deployment.store, 1).all()
    return {
      async answers(paths: readonly string[]) {
        const answers = []
        for (const path of paths) {
          const request = requestBytes('GET', `/public/v1${path}`, { 'X-API-Key': secret })
          const { status, headers, body } = (await deployment.api.exchange(request))!
          const kept = [...headers].filter(([name]) => !OF_A_REQUEST.includes(name))
          const masked = kept.map(([name, value]) => [name, value.replaceAll(OF_A_WORLD, '')])
          const shown = body.replaceAll(OF_A_WORLD, '').replaceAll(secret.slice(0, 12), '')
          answers.push({ path, status, headers: masked, body: shown })
          clock.advanceUs(APART_US)
        }
        return answers
      },
      failures: deployment.failures,
      async close() {
        await deployment.close()
        rmSync(own, { recursive: true })
      },
    }
  }

  it('have the same answers, byte for byte', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyDrive, { minLength: OBJECTS.length, maxLength: OBJECTS.length }),
        fc.array(anyGrant, { minLength: 1, maxLength: 6 }),
        fc.array(anyPath, { minLength: 20, maxLength: 20 }),
        async (drives, grants, paths) => {
          const worlds = [await worldOf(drives, grants, false), await worldOf(drives, grants, true)]
          try {
            const [first, second] = [
              await worlds[0]!.answers(paths),
              await worlds[1]!.answers(paths),
            ]
            assert.deepEqual(second, first)
            for (const { path, status, body } of first) {
              const isClosed = status === 400 && path.includes('by=driver')
              assert.ok(
                [200, 404].includes(status) || isClosed,
                `${path}: ${status} ${body.slice(0, 300)}`,
              )
              if (body.includes('latitude')) rows += 1
            }
            for (const world of worlds) assert.deepEqual(world.failures(), [])
          } finally {
            for (const world of worlds) await world.close()
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
    assert.ok(rows > RUNS, `${rows} answers with rows`)
  })
})

/** The positions of a drive. What the grants do not show of them is that of the other world. */
function fixesOf(object: number, drive: Drive, grants: readonly Grant[], isOther: boolean) {
  let [minute, longitude] = [0, object]
  return drive.map(({ minutes, isMoving, values, other }) => {
    minute += minutes
    if (isMoving) longitude += 0.01
    const time = BEGIN + minute * MINUTE
    const open = grants.filter(
      ({ objects, from, until }) => objects!.includes(object) && from! <= time && time <= until!,
    )
    const outside = isOther ? other : values
    const attributes = (['door', 'driver', 'fuel'] as const).flatMap((name): Attribute[] => {
      const isOpen = open.some(({ attributes }) => attributes?.includes(name) ?? true)
      const value = (isOpen ? values : outside)[name]
      return value === null ? [] : [{ name, value }]
    })
    const fix = {
      ...bareFix(time, NOW, 1, longitude),
      altitude: (open.length > 0 ? values : outside).altitude,
      speed: isMoving ? 40 : 0,
      attributes: attributes.length > 0 ? attributes : null,
    }
    return { object, fix }
  })
}

const entry = (name: string, more: Partial<AttributeEntry> = {}): AttributeEntry =>
  ({
    ...{ ...ATTRIBUTE_DEFAULTS, name, type: 'number', unit: null, label: name },
    ...{ isPublic: true, sources: [name], ...more },
  }) as AttributeEntry

/** An organization of three objects, a place of each type, and a catalogue of attributes. */
async function fleetIn(folder: string): Promise<void> {
  const store = await openSqliteStore(folder)
  const settings = { name: 'Acme', ...ORGANIZATION_DEFAULTS }
  const { id } = await store.organizations.create(settings, NOW)
  const objects = OBJECTS.map((object) => ({
    ...OBJECT_DEFAULTS,
    name: `${object}`,
    ident: `${object}`,
  }))
  await store.objects.put(id, objects, NOW)
  await store.attributes.change(id, () => [
    entry('door', { type: 'boolean' }),
    entry('driver', { type: 'text' }),
    entry('fuel'),
  ])
  const named = { name: 'Place', description: null, color: null }
  const square: [number, number][] = [
    [0, 0],
    [1.05, 0],
    [1.05, 2],
    [0, 2],
  ]
  await store.geofences.put(id, [{ ...named, coordinates: square }], NOW)
  await store.routes.put(id, [{ ...named, deviation: 50, points: [], coordinates: [square] }], NOW)
  await store.records.want(id)
  await store.close()
}
