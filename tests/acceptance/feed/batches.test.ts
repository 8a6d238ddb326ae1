import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { senderOf } from '../harness/sender.ts'
import { historyOf, objectsOf } from '../harness/sent-fix.ts'

const fleet = await startFleet({ full: 0, plain: 2 })

const START = Date.parse('2024-06-01T08:00:00Z')
const timeOf = (at: number) => new Date(START + at * 1_000).toISOString()

/** The position of each form, with one optional value that cannot be read. */
const FORMS = {
  overland: {
    answer: '{"result":"ok"}',
    bodyOf: (ident: string, times: readonly string[]) => ({
      locations: times.map((timestamp) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [13.4, 52.5] },
        properties: {
          ...{
            timestamp,
            altitude: 'high',
            speed: 4,
            horizontal_accuracy: 5,
            vertical_accuracy: -1,
          },
          ...{ motion: ['driving'], battery_state: 'unplugged', battery_level: 0.81, wifi: '' },
          device_id: ident,
        },
      })),
    }),
  },
  osmand: {
    answer: '',
    bodyOf: (ident: string, times: readonly string[]) => ({
      device_id: ident,
      locations: times.map((timestamp) => ({
        location: {
          coords: { latitude: 52.5, longitude: 13.4, accuracy: 5, speed: 4, altitude: 'high' },
          ...{ timestamp, battery: { level: 0.81, is_charging: true }, odometer: 13.2 },
          ...{ is_moving: true, event: 'heartbeat', activity: { type: 'still', confidence: 99 } },
        },
      })),
    }),
  },
}

for (const [format, { answer, bodyOf }] of Object.entries(FORMS)) {
  describe(`A batch of /feed/v1/${format}`, async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const send = (body: unknown, headers = {}) =>
      sender.send(`/${format}`, {
        ...{ method: 'POST', headers },
        body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
      })
    /** An ident belongs to one organization. */
    const [phone, other] = [`${format}-phone`, `${format}-other`]
    const THOUSAND = Array.from({ length: 1_000 }, (_, at) => timeOf(at))

    it('is stored with 1,000 positions, and answered as its app waits for', async () => {
      const body = bodyOf(phone, THOUSAND)
      const { status, text } = await send(body)
      assert.deepEqual([status, text], [200, answer])
      const object = (await objectsOf(sender)).get(phone)
      const rows = await historyOf(sender, object.id)
      assert.deepEqual(
        rows.map(({ time_device }) => time_device),
        THOUSAND,
      )
      assert.deepEqual([rows[0]!.speed, rows[0]!.altitude], [14.4, null])
    })

    it('changes nothing if it comes again, packed', async () => {
      const again = gzipSync(JSON.stringify(bodyOf(phone, THOUSAND)))
      const { status, text } = await send(again, { 'content-encoding': 'gzip' })
      assert.deepEqual([status, text], [200, answer])
      const object = (await objectsOf(sender)).get(phone)
      assert.equal((await historyOf(sender, object.id)).length, 1_000)
    })

    it('loses only its wrong positions, and is refused if all are wrong', async () => {
      const mixed = await send(bodyOf(other, [timeOf(0), 'soon']))
      assert.deepEqual([mixed.status, mixed.text], [200, answer])
      const object = (await objectsOf(sender)).get(other)
      assert.equal((await historyOf(sender, object.id)).length, 1)
      assertRefused(await send(bodyOf(other, ['soon'])), 400, 'FEED.400_002', /bad_time/)
    })
  })
}
