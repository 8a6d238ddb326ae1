import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderOf } from '../harness/sender.ts'

const fleet = await startFleet()

/** The ids of four driver tags of 64 bits. As numbers they would be one. */
const TAGS = [788, 789, 790, 791].map((end) => `1048576000123456${end}`)
const START = Date.UTC(2026, 10, 27, 8)
const RANGE = 'from_time=2026-11-27&to_time=2026-11-27'
const iso = (at: number) => new Date(START + at * 60_000).toISOString()

/** A packet of each format with a tag, as its senders write it. */
const PACKETS: Record<string, (tag: string, minute: number) => [path: string, body?: string]> = {
  native: (tag, minute) => [
    '/positions',
    `[{"ident":"native","time_device":"${iso(minute)}","latitude":52.0${minute},"longitude":13,"speed":30,"attributes":{"iButton":${tag}}}]`,
  ],
  ndjson: (tag, minute) => [
    '/positions',
    `{"ident":"ndjson","time_device":"${iso(minute)}","latitude":52.0${minute},"longitude":13,"speed":30,"attributes":{"iButton":${tag}}}\n`,
  ],
  traccar: (tag, minute) => [
    '/traccar',
    `{"device":{"uniqueId":"traccar"},"position":{"fixTime":"${iso(minute)}","latitude":52.0${minute},"longitude":13,"speed":16,"attributes":{"iButton":${tag}}}}`,
  ],
  owntracks: (tag, minute) => [
    '/owntracks',
    `{"_type":"location","topic":"owntracks","tst":${START / 1_000 + minute * 60},"lat":52.0${minute},"lon":13,"vel":30,"iButton":${tag}}`,
  ],
  osmand: (tag, minute) => [
    `/osmand?id=osmand&timestamp=${iso(minute)}&lat=52.0${minute}&lon=13&speed=16&iButton=${tag}`,
  ],
  app: (tag, minute) => [
    '/osmand',
    `{"device_id":"app","location":{"timestamp":"${iso(minute)}","coords":{"latitude":52.0${minute},"longitude":13,"speed":8},"iButton":${tag}}}`,
  ],
}

async function sendAll(sender: Sender): Promise<void> {
  for (const packet of Object.values(PACKETS)) {
    for (const [minute, tag] of TAGS.entries()) {
      const [path, body] = packet(tag, minute)
      const json = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { method: 'POST', body, headers: json }
      assert.equal((await sender.send(path, sent)).status, 200, `${path} ${body}`)
    }
  }
}

describe('Integers beyond 2^53', async () => {
  const sender = await senderOf(fleet, fleet.take(), '--create-objects')
  await sendAll(sender)
  const org = ['--org', String(sender.id)]
  const all = resultOf(await sender.get('/objects')) as { id: number; ident: string }[]
  const objects = all.filter(({ ident }) => ident in PACKETS)
  const path = (id: number) => `/objects/${id}/positions?${RANGE}&attributes=driver`

  it('are texts with all of their digits, in each format of the feed', async () => {
    await fleet.run('attributes', 'publish', '--all', '--yes', ...org)
    const [sent] = resultOf(await sender.get('/attributes')) as Json[]
    assert.deepEqual([sent!.name, sent!.type], ['i_button', 'text'])
    const driver = ['--sources', 'iButton', '--type', 'text', '--is-public']
    await fleet.run('attributes', 'set', 'driver', ...driver, ...org)
    assert.equal(objects.length, 6)
    for (const { id, ident } of objects) {
      const rows = resultOf(await sender.get(path(id))) as Json[]
      assert.deepEqual(
        rows.map(({ attributes }) => attributes.driver),
        TAGS,
        ident,
      )
    }
  })

  it('are shown with all of their digits, in each form of an answer', async () => {
    const { id } = objects[0]!
    for (const format of ['csv', 'ndjson', 'geojson']) {
      const { text } = await sender.get(`${path(id)}&format=${format}`)
      for (const tag of TAGS) assert.ok(text.includes(tag), `${format} ${tag}`)
    }
    const latest = resultOf(await sender.get(`/positions/latest?ids=${id}&attributes=driver`))
    assert.equal(latest[0].attributes.driver, TAGS[3])
    const [day] = resultOf(
      await sender.get(`/days?from_date=2026-11-27&to_date=2026-11-27&ids=${id}&attributes=driver`),
    )
    const drivers = day.attributes.driver.values.map(({ value }: Json) => value)
    assert.deepEqual(drivers.toSorted(), TAGS)
    const { sent, items } = await fleet.json('attributes', 'list', ...org)
    assert.equal(sent.find(({ name }: Json) => name === 'iButton').value, TAGS[3])
    assert.equal(items.find(({ name }: Json) => name === 'driver').value, TAGS[3])
    const preview = ['attributes', 'preview', 'driver', '--day', '2026-11-27', ...org]
    const shown = await fleet.json(...preview, '--object', String(id))
    assert.deepEqual(
      shown.map((row: Json) => [row.value, row.shown]),
      TAGS.map((tag) => [tag, tag]),
    )
  })

  it('have no number, unless it has at most 15 digits', async () => {
    await fleet.run('attributes', 'set', 'tag', '--sources', 'iButton', '--type', 'number', ...org)
    await fleet.run('attributes', 'publish', 'tag', ...org)
    const { id } = objects[0]!
    const at = (name: string) => `/positions/latest?ids=${id}&attributes=${name}`
    assert.deepEqual(resultOf(await sender.get(at('tag')))[0].attributes, {})
    await fleet.run('attributes', 'set', 'tag', '--scale', '0.000001', '--decimals', '0', ...org)
    const [row] = resultOf(await sender.get(at('tag')))
    assert.deepEqual(row.attributes, { tag: 1_048_576_000_123 })
  })
})
