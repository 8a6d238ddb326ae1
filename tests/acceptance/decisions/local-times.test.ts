import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 4 })

/** An organization whose device sends Madrid time. */
async function inMadrid(): Promise<Sender> {
  const sender = await senderOf(fleet, fleet.take())
  const one = [String(sender.objects.silent), '--org', String(sender.id)]
  await fleet.run('objects', 'update', ...one, '--device-timezone', 'Europe/Madrid')
  return sender
}

/** `time_device` of every stored fix of the device. */
async function timesOf(sender: Sender): Promise<string[]> {
  const range = 'from_time=2024-01-01&to_time=2024-12-31'
  const rows = resultOf(await sender.get(`/objects/${sender.objects.silent}/positions?${range}`))
  return rows.map(({ time_device }: Json) => time_device)
}

/** 2024-03-31 has no 02:30 in Madrid, and 2024-10-27 has it twice. */
const LOCAL = [
  ['2024-01-15T12:00:00', '2024-01-15T11:00:00.000Z'],
  ['2024-03-31T01:59:59', '2024-03-31T00:59:59.000Z'],
  ['2024-03-31T02:30:00', '2024-03-31T01:30:00.000Z'],
  ['2024-03-31T03:45:00', '2024-03-31T01:45:00.000Z'],
  ['2024-07-15 12:00:00', '2024-07-15T10:00:00.000Z'],
  ['2024-10-27T02:30:00.5', '2024-10-27T00:30:00.500Z'],
  ['2024-10-27T03:00:00', '2024-10-27T02:00:00.000Z'],
] as const
const expected = LOCAL.map(([, utc]) => utc)

const rowAt = (time_device: unknown) => ({
  ...{ ident: IDENTS.silent, time_device, latitude: 40.4, longitude: -3.7 },
})

function fileOf(name: string, ...lines: string[]): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const csvOf = (...times: string[]) =>
  fileOf(
    'local.csv',
    'ident,time_device,latitude,longitude',
    ...times.map((time) => `${IDENTS.silent},${time},40.4,-3.7`),
  )

describe('Requests: a time without an offset of a device with a device_timezone', () => {
  it('is read in that zone by the feed, in each format', async () => {
    const sender = await inMadrid()
    const [native, query, json, forwarded, ...rest] = LOCAL.map(([local]) => local)
    await sender.post([rowAt(native), ...rest.map(rowAt)])
    const where = `id=${IDENTS.silent}&lat=40.4&lon=-3.7`
    const osmand = await sender.send(`/osmand?${where}&timestamp=${query}`)
    assert.equal(osmand.status, 200)
    const coords = { latitude: 40.4, longitude: -3.7 }
    const message = { device_id: IDENTS.silent, location: { timestamp: json, coords } }
    const position = { fixTime: forwarded, valid: true, ...coords }
    const device = { uniqueId: IDENTS.silent }
    for (const [path, body] of [
      ['/osmand', message],
      ['/traccar', { position, device }],
    ] as const) {
      const sent = await sender.send(path, { method: 'POST', body: JSON.stringify(body) })
      assert.equal(sent.status, 200)
    }
    assert.deepEqual(await timesOf(sender), expected)
    const [latest] = resultOf(await sender.get(`/positions/latest?ids=${sender.objects.silent}`))
    assert.equal(latest.time_device, expected.at(-1))
  })

  it('is read in that zone by imports, unless --timezone names another', async () => {
    const sender = await inMadrid()
    const csv = csvOf(...LOCAL.map(([local]) => local))
    const org = ['--org', String(sender.id)]
    await fleet.json('import', 'positions', ...org, csv)
    assert.deepEqual(await timesOf(sender), expected)
    const again = await fleet.json('import', 'positions', ...org, csv)
    assert.equal(again.duplicate, LOCAL.length)
    const other = csvOf('2024-12-01T00:00:00')
    await fleet.json('import', 'positions', ...org, '--timezone', 'Asia/Kathmandu', other)
    assert.equal((await timesOf(sender)).at(-1), '2024-11-30T18:15:00.000Z')
    const refused = await fleet.run('import', 'positions', ...org, '--timezone', 'CET+1', other)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /--timezone.*IANA time zone such as Europe\/Madrid/s)
  })

  it('is not involved if a time has an offset or is a number', async () => {
    const sender = await inMadrid()
    const times = ['2024-01-15T12:00:00Z', '2024-01-15T14:00:01+02:00', 1_705_320_002]
    await sender.post(times.map(rowAt))
    const gpx = fileOf(
      'drive.gpx',
      '<gpx><trk><trkseg>',
      '<trkpt lat="40.4" lon="-3.7"><time>2024-01-15T12:00:03</time></trkpt>',
      '</trkseg></trk></gpx>',
    )
    // GPX times are UTC by definition.
    await fleet.json(
      ...['import', 'positions', '--org', String(sender.id), '--ident', IDENTS.silent, gpx],
    )
    assert.deepEqual(
      await timesOf(sender),
      [0, 1, 2, 3].map((second) => `2024-01-15T12:00:0${second}.000Z`),
    )
  })

  it('is UTC if the device has no zone', async () => {
    const sender = await senderOf(fleet, fleet.take())
    await sender.post([rowAt('2024-07-15T12:00:00')])
    assert.deepEqual(await timesOf(sender), ['2024-07-15T12:00:00.000Z'])
  })
})
