import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { API_KEY, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import { HUNDREDTHS_PER_UNIT } from '../../../packages/server/src/base/domain/limits.ts'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../../packages/server/src/base/domain/organization.ts'
import { bareFix } from '../../../packages/server/src/base/domain/position/fix.ts'
import { formatInstant, utcDay } from '../../../packages/server/src/base/domain/time/time.ts'
import type { Realtime } from '../../../packages/server/src/data/live/realtime.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { deriverOn } from '../../../packages/server/testing/records/handed-deriver.ts'
import { setClock } from '../simulation/clock.ts'
import { openDeployment } from '../simulation/deployment.ts'
import { requestBytes } from '../simulation/network.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const OBJECTS = [1, 2, 3, 4, 5]
const MINUTE = 60_000
/** More than a trial has requests. */
const QUOTA = 20
/** Between two requests, so that none is refused by the window. */
const APART_US = 1_000_001
/**
 * These differ between two requests for the same. The third is the time of the newest commit of the whole fleet, and the
 * length follows from the digits of ids.
 */
const OF_A_REQUEST = ['date', 'x-request-id', 'x-records-until', 'content-length']

/** The time of an error; and of a record what depends on more than its object's data, by the contract. */
const OF_A_WORLD =
  /"timestamp":"[^"]+"|"id":\d+,(?="object_id")|"revision":\d+,"updated_at":"[^"]+"/g

/** Where an object is, and when it drove there: minutes before now. */
type Drive = { latitude: number; longitude: number; minutes: number[]; speed: number }

const anyDrive: fc.Arbitrary<Drive> = fc.record({
  latitude: fc.integer({ min: -3, max: 3 }),
  longitude: fc.integer({ min: -3, max: 3 }),
  minutes: fc.uniqueArray(fc.nat(2_000), { maxLength: 12 }),
  speed: fc.constantFrom(0, 40),
})

const anyWorlds = fc.record({
  payable: fc.array(anyDrive, { minLength: OBJECTS.length, maxLength: OBJECTS.length }),
  one: fc.array(anyDrive, { minLength: OBJECTS.length, maxLength: OBJECTS.length }),
  other: fc.array(anyDrive, { minLength: OBJECTS.length, maxLength: OBJECTS.length }),
  exhausted: fc.subarray(OBJECTS, { minLength: 1 }),
})

/** Lists of one object are frequent: most lists of several have an exhausted one, and are refused. */
const anyList = fc.oneof(
  fc.constantFrom(...OBJECTS).map((id) => [id]),
  fc.subarray(OBJECTS, { minLength: 1 }),
)
const anyIds = fc.oneof(fc.constant('all'), anyList.map(String), anyList.map(String))
const anyRange = fc
  .tuple(fc.nat(2_000), fc.nat(2_000))
  .map(([one, other]) => [Math.max(one, other), Math.min(one, other)].map(minutesAgo))
  .map(([from, to]) => `from_time=${from}&to_time=${to}`)
const SKIPPING = '&skip_exhausted=true'
const anyBox = fc
  .array(fc.integer({ min: -4, max: 4 }), { minLength: 4, maxLength: 4 })
  .map(([a, b, c, d]) => [a!, Math.min(b!, d!), c!, Math.max(b!, d!)].join())
const anyOf = (...parts: string[]) => fc.constantFrom(...parts)

/** Requests of every operation that charges some of the objects that it is asked for. */
const anyPath = fc.oneof(
  fc
    .tuple(anyIds, anyBox, fc.nat(2_000), anyOf('', SKIPPING, SKIPPING), anyOf('json', 'gpx'))
    .map(([ids, box, minutes, skip, format]) => {
      return `/positions/latest?ids=${ids}&bbox=${box}&max_age=${minutes * 60}${skip}&format=${format}`
    }),
  fc
    .tuple(anyIds, fc.nat(2_000), anyOf('', SKIPPING, SKIPPING), anyOf('json', 'kml'))
    .map(([ids, minutes, skip, format]) => {
      return `/positions/at?ids=${ids}&time=${minutesAgo(minutes)}${skip}&format=${format}`
    }),
  fc
    .tuple(anyList, anyRange, anyOf('', '&step=600'))
    .map(([ids, range, step]) => `/positions?ids=${ids}&${range}${step}`),
  fc
    .tuple(anyOf('trips', 'stops', 'visits'), anyIds, anyRange, fc.nat(600))
    .map(([type, ids, range, seconds]) => {
      const list = ids === 'all' ? '' : `&ids=${ids}`
      return `/${type}?${range}${list}${type === 'trips' ? '' : `&min_duration=${seconds}`}`
    }),
  fc
    .tuple(anyIds, anyOf('sites=1', 'geofences=1,2'), anyRange)
    .map(
      ([ids, places, range]) => `/visits?${range}&${places}${ids === 'all' ? '' : `&ids=${ids}`}`,
    ),
  anyIds.map((ids) => {
    return `/days?from_date=2026-11-19&to_date=2026-11-19${ids === 'all' ? '' : `&ids=${ids}`}`
  }),
  fc
    .tuple(fc.constantFrom(...OBJECTS), anyRange)
    .map(([object, range]) => `/routes/1/adherence?object=${object}&${range}`),
  fc
    .tuple(fc.constantFrom(...OBJECTS), anyRange)
    .map(([object, range]) => `/objects/${object}/positions?${range}`),
)

function minutesAgo(minutes: number): string {
  return formatInstant(NOW - minutes * MINUTE)
}

describe('Two fleets that differ in the positions of exhausted objects alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-worlds-'))
  after(() => rmSync(folder, { recursive: true }))
  const template = join(folder, 'template')
  const key = await fleetIn(template)
  let opened = 0

  async function worldOf(drives: readonly Drive[], exhausted: readonly number[]) {
    opened += 1
    const own = join(folder, String(opened))
    cpSync(template, own, { recursive: true })
    const clock = setClock(NOW)
    let realtime: Realtime | undefined
    const deployment = await openDeployment(own, clock, {
      realtime: (each) => {
        realtime = each
        return each
      },
    })
    await drive(deployment.store, drives)
    await deriverOn(deployment.store, 1).all()
    const hundredths = exhausted.map(() => QUOTA * HUNDREDTHS_PER_UNIT)
    const spent = { objects: exhausted, hundredths, limit: null, day: utcDay(NOW) }
    await realtime!.quota.charge(1, spent)
    return {
      async answers(paths: readonly string[]) {
        const answers: unknown[] = []
        for (const path of paths) {
          const request = requestBytes('GET', `/public/v1${path}`, { 'X-API-Key': key })
          const { status, headers, body } = (await deployment.api.exchange(request))!
          const kept = [...headers].filter(([name]) => !OF_A_REQUEST.includes(name))
          answers.push({
            path,
            status,
            headers: kept,
            body: body.replaceAll(OF_A_WORLD, ''),
          })
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
    let refused = 0
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        anyWorlds,
        fc.array(anyPath, { minLength: 12, maxLength: 12 }),
        async ({ payable, one, other, exhausted }, paths) => {
          const at = (elsewhere: Drive[]) =>
            OBJECTS.map((id, i) => (exhausted.includes(id) ? elsewhere : payable)[i]!)
          const worlds = [await worldOf(at(one), exhausted), await worldOf(at(other), exhausted)]
          try {
            const [first, second] = [
              await worlds[0]!.answers(paths),
              await worlds[1]!.answers(paths),
            ]
            assert.deepEqual(second, first)
            for (const { status } of first as { status: number }[]) {
              assert.ok(status === 200 || status === 400, `${status}`)
              if (status === 200) answered += 1
              else refused += 1
            }
            for (const world of worlds) assert.deepEqual(world.failures(), [])
          } finally {
            for (const world of worlds) await world.close()
          }
        },
      ),
      { numRuns: 40 },
    )
    assert.ok(refused > 50 && answered > 50, `${refused} refused, ${answered} answered`)
  })
})

/** An organization of five objects with a quota, a place of each type, and a key, which is returned. */
async function fleetIn(folder: string): Promise<string> {
  const store = await openSqliteStore(folder)
  const settings = { name: 'Acme', ...ORGANIZATION_DEFAULTS, dailyQuota: QUOTA }
  const { id } = await store.organizations.create(settings, NOW)
  const objects = OBJECTS.map((object) => ({
    ...OBJECT_DEFAULTS,
    name: `${object}`,
    ident: `${object}`,
  }))
  await store.objects.put(id, objects, NOW)
  const [named, square] = [
    { name: 'Place', description: null, color: null },
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ] as [number, number][],
  ]
  await store.sites.put(
    id,
    [{ name: 'Site', description: null, icon: null, latitude: 1, longitude: 1, radius: 500 }],
    NOW,
  )
  await store.geofences.put(id, [{ ...named, coordinates: square }], NOW)
  await store.routes.put(id, [{ ...named, deviation: 50, points: [], coordinates: [square] }], NOW)
  await store.records.want(id)
  const { secret, ...stored } = newSecret(API_KEY)
  await store.keys.issue(id, { name: 'Reader', expiresAt: null, ...stored }, NOW)
  await store.close()
  return secret
}

async function drive(store: Store, drives: readonly Drive[]): Promise<void> {
  const rules = foldRules({ now: () => NOW, monotonic: () => 0 })
  for (const [i, { latitude, longitude, minutes, speed }] of drives.entries()) {
    const fixes = minutes
      .toSorted((a, b) => b - a)
      .map((before, step) => ({
        ...bareFix(NOW - before * MINUTE, NOW, latitude + step / 1_000, longitude),
        speed,
      }))
    const batch = fixes.map((fix) => ({ object: OBJECTS[i]!, fix }))
    await store.positions.append(1, batch, rules)
  }
}
