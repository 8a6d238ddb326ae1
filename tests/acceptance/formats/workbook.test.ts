import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { refrigerated, untilTrips } from '../attributes/attributes-fleet.ts'
import type { Answer } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { nextOf } from '../harness/pages.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY, drive, RANGE } from '../trips/records-fleet.ts'

const fleet = await startFleet()
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

async function sheetOf(answer: Answer) {
  assert.equal(answer.status, 200, answer.text)
  const { sheets } = await readXlsx(answer.bytes)
  assert.equal(sheets.length, 1)
  const [head, ...rows] = sheets[0]!.rows
  return { name: sheets[0]!.name, head: head as string[], rows, frozen: sheets[0]!.freezePane }
}

/** A value of JSON as a cell: a time as the clocks of the zone show it. */
function cellOf(value: unknown, timeZone: string): unknown {
  if (typeof value !== 'string' || !TIME.test(value)) return value
  const shown = new Date(value).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')
  return new Date(`${shown}.${value.slice(-4)}`)
}

describe('format=xlsx: 200', async () => {
  const sender = await refrigerated(fleet)
  await untilTrips(sender, 4, RANGE)
  const { van } = sender

  for (const asked of ['', '&tz=Europe/Berlin', '&time_zone=America/New_York']) {
    it(`has numbers, texts, booleans and times of the zone${asked}`, async () => {
      const zone = asked.split('=')[1] ?? 'UTC'
      const path = `/objects/${van}/positions?${RANGE}&include=attributes,quality`
      const answer = await sender.get(`${path}&format=xlsx${asked}`)
      const { name, head, rows, frozen } = await sheetOf(answer)
      assert.deepEqual([name, frozen?.rows], ['positions', 1])
      assert.equal(answer.headers['x-time-zone'], zone)
      const csv = (await sender.get(`${path}&format=csv`)).text
      assert.deepEqual(head, csv.split('\r\n')[0]!.split(','))
      const expected = resultOf(await sender.get(path)) as Json[]
      assert.equal(rows.length, expected.length)
      for (const [index, { attributes, ...row }] of expected.entries()) {
        const fields: Json = { ...row, ...attributes }
        assert.deepEqual(
          rows[index],
          head.map((each) => cellOf(fields[each] ?? null, zone)),
        )
      }
    })
  }

  it('has the columns of CSV for current attributes, trips and days', async () => {
    for (const path of [
      `/positions/latest?ids=${van}&include=attributes`,
      `/trips?ids=${van}&${RANGE}&include=attributes`,
      `/days?ids=${van}&from_date=2026-05-04&to_date=2026-05-04&include=attributes`,
    ]) {
      const { head, rows } = await sheetOf(await sender.get(`${path}&format=xlsx`))
      const csv = (await sender.get(`${path}&format=csv`)).text.split('\r\n')
      assert.deepEqual(head, csv[0]!.split(','))
      assert.equal(rows.length, csv.length - 2)
      const times = head.flatMap((each, i) => (/_at$|^time_|_time$/.test(each) ? [i] : []))
      const dated = times.filter((i) => rows[0]![i] instanceof Date)
      assert.ok(dated.length >= 2, `${path}: ${JSON.stringify(rows[0])}`)
    }
  })

  it('has days as dates, with times in the zone of the days', async () => {
    const path = `/days?ids=${van}&from_date=2026-05-04&to_date=2026-05-04&tz=Asia/Tokyo`
    const answer = await sender.get(`${path}&format=xlsx`)
    const { head, rows } = await sheetOf(answer)
    const [day] = resultOf(await sender.get(path)) as Json[]
    const row = Object.fromEntries(head.map((each, i) => [each, rows[0]![i]]))
    assert.deepEqual(row.date, new Date(day!.date))
    assert.deepEqual(row.first_time, cellOf(day!.first_time, 'Asia/Tokyo'))
    assert.equal(answer.headers['x-time-zone'], 'Asia/Tokyo')
  })

  it('repeats the format and the zone in the link of the next page', async () => {
    const path = `/trips?ids=${van}&${RANGE}&limit=1&format=xlsx&tz=Europe/Berlin`
    const starts: unknown[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const answer: Answer = await sender.get(next)
      const { head, rows } = await sheetOf(answer)
      for (const row of rows) starts.push(row[head.indexOf('start_time')])
      next = nextOf(answer)
    }
    const trips = resultOf(await sender.get(`/trips?ids=${van}&${RANGE}`)) as Json[]
    assert.deepEqual(
      starts,
      trips.map(({ start_time }) => cellOf(start_time, 'Europe/Berlin')),
    )
  })

  it('is for `Accept` too, and is not compressed once more', async () => {
    const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    const headers = { accept, 'accept-encoding': 'gzip' }
    const own = fleet.take()
    const answer = await own.get('/objects?tz=Asia/Tokyo', { headers })
    const { length } = resultOf(await own.get('/objects')) as Json[]
    assert.equal((await sheetOf(answer)).rows.length, length)
    assert.equal(answer.headers['content-encoding'], undefined)
  })

  it('has an entity tag for each zone', async () => {
    const own = fleet.take()
    const tagOf = async (query: string) => (await own.get(`/sites?${query}`)).headers.etag
    const tags = ['', 'format=xlsx', 'format=xlsx&tz=Asia/Tokyo'].map(tagOf)
    assert.equal(new Set(await Promise.all(tags)).size, 3)
    const headers = { 'if-none-match': (await tags[1])! }
    assert.equal((await own.get('/sites?format=xlsx', { headers })).status, 304)
  })

  it('has texts as they are, and a note for one that no cell takes', async () => {
    const names = [
      '=1+1',
      '007',
      '1E5',
      "'x",
      '2026-05-04T06:00:00.000Z',
      '_x0041_',
      'a\ufffeb',
      ' x ',
    ]
    const rows = names.map((_, i) => drive(`0086430104297720${i}`, DAY)[0]!)
    const other = await senderWith(fleet, rows)
    for (const [i, id] of other.ids.entries()) {
      await fleet.run(
        'objects',
        'update',
        String(id),
        '--org',
        String(other.id),
        '--name',
        names[i]!,
      )
    }
    const list = resultOf(await other.get('/objects')) as Json[]
    const { head, rows: read } = await sheetOf(await other.get('/objects?format=xlsx'))
    const columnOf = (name: string) => read.map((row) => row[head.indexOf(name)])
    assert.deepEqual(
      columnOf('name'),
      list.map(({ name }) => name.replace('\ufffe', '\ufffd')),
    )
    assert.deepEqual(
      columnOf('ident'),
      list.map(({ ident }) => ident),
    )
  })
})

describe('tz without xlsx', () => {
  const { objects, get } = fleet.take()

  it('is refused by the additions, and ignored by the contract: 400', async () => {
    const refused = await get(`/trips?ids=${objects.van}&${WHOLE_RANGE}&tz=Europe/Berlin`)
    assertRefused(refused, 400, 'PUBLIC.400_001')
    assert.match(refused.json.message, /^tz is not a parameter of this operation/)
    const history = `/objects/${objects.van}/positions?${WHOLE_RANGE}&format=csv`
    const ignored = await get(`${history}&tz=Europe/Berlin`)
    assert.equal(ignored.headers['x-ignored-parameters'], 'tz')
    assert.equal(ignored.text, (await get(history)).text)
  })
})

describe('format=xlsx: 400', () => {
  const { objects, get } = fleet.take()

  it('names a zone that does not exist, and one that is given twice', async () => {
    const paths = [`/objects?`, `/trips?ids=${objects.van}&${WHOLE_RANGE}&`, `/days?${WHOLE_DAYS}&`]
    for (const path of paths) {
      const wrong = await get(`${path}format=xlsx&tz=Middle/Earth`)
      assertRefused(wrong, 400, 'PUBLIC.400_001')
      assert.match(wrong.json.message, /Middle\/Earth/)
      for (const twice of ['tz=UTC&tz=UTC', 'tz=UTC&time_zone=UTC']) {
        assertRefused(await get(`${path}format=xlsx&${twice}`), 400, 'PUBLIC.400_001')
      }
    }
  })
})
