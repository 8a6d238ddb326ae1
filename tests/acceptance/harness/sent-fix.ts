import assert from 'node:assert/strict'
import { INSTANT, resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'
import type { Sender } from './sender.ts'

/** A position as a device sent it, in km/h, km, hours and meters; omitted fields were not sent. */
export type SentFix = {
  ident: string
  time_device: string
  latitude: number
  longitude: number
  altitude?: number
  angle?: number
  speed?: number
  /** The object's, at this fix; 0 for the first fix by default. No fix of these tests adds a distance. */
  engine_hours?: number
  address?: string
}

export type Unit = 'km' | 'mi'
const KM = { km: 1, mi: 1.609344 }
/** A range that includes every fix of every test. */
const EVER = 'from_time=2000-01-01&to_time=2030-01-01'

/** The 14 fields of the expected Position row, except `time_server`. */
function shown(fix: SentFix, { id, name }: Json, unit: Unit): Json {
  const distance = (value: number) => rounded(value, 2, KM[unit])
  return {
    ...{ id, ident: fix.ident, name },
    latitude: rounded(fix.latitude, 7),
    longitude: rounded(fix.longitude, 7),
    altitude: fix.altitude === undefined ? null : rounded(fix.altitude, 2),
    angle: fix.angle === undefined ? null : rounded(fix.angle, 2),
    speed: fix.speed === undefined ? null : distance(fix.speed),
    time_device: fix.time_device,
    engine_hours: rounded(fix.engine_hours ?? 0, 3),
    odometer: 0,
    mileage: 0,
    address: fix.address ?? null,
  }
}

function rounded(value: number, decimals: number, per = 1): number {
  return Number((value / per).toFixed(decimals))
}

function assertShown(row: Json, fix: SentFix, object: Json, unit: Unit): void {
  const { time_server, ...rest } = row
  const received = Date.parse(time_server)
  assert.match(time_server, INSTANT)
  assert.ok(Math.abs(Date.now() - received) < 60_000, `received ${time_server}`)
  assert.deepEqual(rest, shown(fix, object, unit))
}

/** The organization's objects by their idents. */
export async function objectsOf(sender: Sender): Promise<Map<string, Json>> {
  const objects = resultOf(await sender.get('/objects'))
  return new Map(objects.map((object: Json) => [object.ident, object]))
}

/** The whole history of an object, or the part between two moments, both inclusive. Makes one request. */
export async function historyOf(
  sender: Sender,
  id: number,
  range?: { from: number; to: number },
): Promise<Json[]> {
  const [from, to] = [range?.from, range?.to].map((time) => time && new Date(time).toISOString())
  const query = range === undefined ? EVER : `from_time=${from}&to_time=${to}`
  return resultOf(await sender.get(`/objects/${id}/positions?${query}`))
}

/** Checks the latest positions: the fix of each ident that was taken last. Makes one request. */
export async function assertLatest(
  sender: Sender,
  objects: Map<string, Json>,
  fixes: SentFix[],
  unit: Unit = 'km',
): Promise<void> {
  const ids = fixes.map(({ ident }) => objects.get(ident)?.id)
  const rows = resultOf(await sender.get(`/positions/latest?ids=${ids.join(',')}`))
  assert.equal(rows.length, fixes.length)
  for (const [i, fix] of fixes.entries()) {
    assertShown(rows[i], fix, objects.get(fix.ident), unit)
  }
}

/**
 * Reads all objects of the organization, and the history and detail of one, as bytes, without the arrival times.
 * Makes four requests each time.
 */
export function readerOf(
  sender: Sender,
  objects: Map<string, Json>,
  ident: string,
): () => Promise<string[]> {
  const ids = [...objects.values()].map(({ id }) => id)
  const one = objects.get(ident).id
  const shown = [`/positions/latest?ids=${ids.join(',')}`, `/objects/${one}/positions?${EVER}`]
  const heard = ['/objects', `/objects/${one}`]
  return async () => {
    const texts = [...shown, ...heard].map(async (path) => {
      const { status, text } = await sender.get(path)
      assert.equal(status, 200, text)
      return heard.includes(path) ? text.replace(/"time_server":"[^"]*"/g, '') : text
    })
    return Promise.all(texts)
  }
}
