import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertMisuse, countsOf, importing } from '../../../../testing/imports.ts'
import type { Preview } from '../import-preview.ts'
import { notationOf } from './find-notation.ts'
import { NOTATION_PARTS, type NotationPart } from './notation.ts'

const trial = importing()
const { positions, previewPositions, previewCatalogue, catalogue } = trial

const given = (words: Partial<Record<NotationPart, string>>) => ({
  notation: notationOf((part) => words[part] ?? null),
})

/** The values of the first rows, in the order of these fields. */
function shown({ rows, problem }: Preview, ...fields: string[]): unknown[][] {
  assert.equal(problem, null)
  return rows.map(({ read }) => {
    const values: Record<string, unknown> = { ...read }
    return fields.map((field) => values[field])
  })
}

/** The value of each part, and where it comes from. */
function parts({ table }: Preview): Record<NotationPart, string> {
  assert.ok(table)
  const { notation } = table
  return Object.fromEntries(
    NOTATION_PARTS.map((part) => [part, `${notation[part].value} ${notation[part].from}`]),
  ) as Record<NotationPart, string>
}

const fix = (time: string, place = '51.5,-0.12') => `B1,${time},${place}\n`
const HEADER = 'device_id,timestamp,latitude,longitude\n'

describe('The notation of a table', () => {
  it('is German: semicolons, decimal commas, days first, headings', async () => {
    const text =
      '\ufeffFahrzeug;Zeit;Breite;Länge;Geschwindigkeit\r\nLKW 1;20.11.2025 08:00:00;48,1371;11,5754;35,5\r\nLKW 1;03.04.2025 08:01:00;48,14;11,58;36\r\n'
    const preview = await previewPositions(text)
    assert.deepEqual(shown(preview, 'ident', 'time_device', 'latitude', 'longitude', 'speed'), [
      ['LKW 1', '2025-11-20T08:00:00.000Z', 48.1371, 11.5754, 35.5],
      ['LKW 1', '2025-04-03T08:01:00.000Z', 48.14, 11.58, 36],
    ])
    assert.deepEqual(parts(preview), {
      encoding: 'utf-8 file',
      delimiter: '; file',
      decimal: ', file',
      dates: 'DMY file',
    })
    assert.equal((await positions(text)).accepted, 2)
  })

  it('is found by one date with a day after the twelfth, wherever it is', async () => {
    const british = HEADER + fix('03/04/2025 08:00') + fix('13/11/2025 08:00')
    assert.deepEqual(shown(await previewPositions(british), 'time_device'), [
      ['2025-04-03T08:00:00.000Z'],
      ['2025-11-13T08:00:00.000Z'],
    ])
    const american = HEADER + fix('11/13/2025 8:00:00 AM') + fix('03/04/2025 12:30:00 PM')
    assert.deepEqual(shown(await previewPositions(american), 'time_device'), [
      ['2025-11-13T08:00:00.000Z'],
      ['2025-03-04T12:30:00.000Z'],
    ])
  })

  it('is asked for where dates fit several orders, and taken as it is given', async () => {
    const text = HEADER + fix('03/04/2025 08:00')
    const { problem, table, rows } = await previewPositions(text)
    assert.match(problem!, /order of day, month and year \('03\/04\/2025 08:00'\)/)
    assert.match(problem!, /--dates DMY: 2025-04-03T08:00:00; --dates MDY: 2025-03-04T08:00:00/)
    assert.deepEqual(table!.notation.dates.choices, [
      { value: 'DMY', reads: '2025-04-03T08:00:00' },
      { value: 'MDY', reads: '2025-03-04T08:00:00' },
    ])
    assert.deepEqual(rows, [])
    await assertMisuse(positions(text), /use one of --dates DMY/)
    for (const [dates, day] of [
      ['DMY', '2025-04-03'],
      ['MDY', '2025-03-04'],
    ] as const) {
      const preview = await previewPositions(text, given({ dates }))
      assert.deepEqual(shown(preview, 'time_device'), [[`${day}T08:00:00.000Z`]])
      assert.equal(parts(preview).dates, `${dates} given`)
    }
  })

  it('is asked for where dates contradict each other, and rows of the other order are rejected', async () => {
    const text = HEADER + fix('13/04/2025 08:00') + fix('04/14/2025 08:00')
    await assertMisuse(positions(text), /--dates DMY: 13\/04\/2025 08:00; --dates MDY: 04\/14/)
    const summary = await positions(text, given({ dates: 'DMY' }))
    assert.deepEqual(countsOf(summary, ['accepted']), { accepted: 1, bad_time: 1 })
  })

  it('needs no order for years in front, names of months and digits without marks', async () => {
    const times = ['2025/1/5 8:00', '5 janv. 2025 8:00', 'January 5, 2025 08:00', '20250105 080000']
    const text = `device_id;timestamp;latitude;longitude\n${times.map((time) => `B1;${time};51.5;-0.12\n`).join('')}`
    for (const [time] of shown(await previewPositions(text), 'time_device')) {
      assert.equal(time, '2025-01-05T08:00:00.000Z')
    }
  })

  it('has date and time in two columns', async () => {
    const text = 'imei;Date;Time;lat;lon\nA1;20.11.2025;08:00:05;51,5;-0,12\n'
    assert.deepEqual(shown(await previewPositions(text), 'time_device', 'latitude'), [
      ['2025-11-20T08:00:05.000Z', 51.5],
    ])
    const iso = await previewPositions('imei,date,time,lat,lon\nA1,2025-11-20,08:00:05,51.5,2\n')
    assert.deepEqual(shown(iso, 'time_device'), [['2025-11-20T08:00:05.000Z']])
    const { columns } = await previewPositions(
      'imei,date,time,lat,lon\nA1,2025-11-20,2025-11-20T08:00:05Z,51.5,2\n',
    )
    assert.deepEqual(columns.ignored, ['date'])
    const whole = await previewPositions('imei,Datum,lat,lon\nA1,20.11.2025 08:00,51.5,2\n')
    assert.deepEqual(shown(whole, 'time_device'), [['2025-11-20T08:00:00.000Z']])
    await assertMisuse(
      positions('imei,date,lat,lon\nA1,2025-11-20,51.5,2\n'),
      /no column for time_device/,
    )
  })

  it('has a line of its own for the delimiter', async () => {
    const preview = await previewPositions(
      `sep=|\r\n${HEADER.replaceAll(',', '|')}B6|2025-11-20T08:00:00Z|51,5|-0,12\r\n`,
    )
    assert.deepEqual([preview.rows[0]!.line, parts(preview).delimiter], [3, '| file'])
    assert.deepEqual(shown(preview, 'latitude'), [[51.5]])
  })

  it('is asked for where a number may be in thousands, and nothing else decides', async () => {
    const text = 'ident;name;odometer\nA1;Van;12.345\n'
    await assertMisuse(
      catalogue('objects', text, { format: 'csv' }),
      /--decimal \.: 12\.345; --decimal ,: 12345/,
    )
    const other = text.concat('A2;Car;7,5\n')
    assert.deepEqual(shown(await previewCatalogue('objects', other), 'odometer'), [[12_345], [7.5]])
    const comma = await previewCatalogue('objects', text, given({ decimal: '.' }))
    assert.deepEqual(shown(comma, 'odometer'), [[12.345]])
    const machine = await previewCatalogue('objects', text.replaceAll(';', ','))
    assert.deepEqual(shown(machine, 'odometer'), [[12.345]])
  })

  it('refuses a number in the other notation once it is known', async () => {
    const text = `${HEADER.replaceAll(',', ';')}B1;2025-11-20T08:00:00Z;48,1;11,5\n`
    const rows = `${text}${'B1;2025-11-20T08:00:10Z;48,2;11,5\n'.repeat(3000)}`
    const late = `${rows}B1;2025-11-20T08:00:20Z;48.3;11.5\n`
    const { reasons } = await positions(late)
    assert.equal(reasons.bad_number!.count, 1)
  })

  it('asks for the encoding of bytes that are not UTF-8, and reads it as it is given', async () => {
    const text = Buffer.from(
      `${HEADER.trim()},address\nB8,2025-11-20T08:00:00Z,51.5,2,Düsseldorf\n`,
      'latin1',
    )
    const { table, problem } = await previewPositions(text)
    assert.match(problem!, /is not UTF-8.*--encoding windows-1252: B8.*Düsseldorf/)
    assert.equal(table!.notation.encoding.from, 'open')
    for (const encoding of ['latin1', 'windows-1252', 'iso-8859-15']) {
      const preview = await previewPositions(text, given({ encoding }))
      assert.deepEqual(shown(preview, 'address'), [['Düsseldorf']])
    }
    assert.throws(() => given({ encoding: 'utf-9' }), /unknown encoding 'utf-9'; use one of utf-8/)
    const utf16 = await previewPositions(Buffer.from(`\ufeff${HEADER}`, 'utf16le'))
    assert.equal(parts(utf16).encoding, 'utf-16le file')
  })

  it('never lets damaged characters into an ident', async () => {
    const good = 'B1,2025-11-20T08:00:00Z,51.5,2\n'.repeat(3000)
    const late = Buffer.concat([
      Buffer.from(HEADER + good),
      Buffer.from('B\xfc,2025-11-20T08:00:00Z,51.5,2\n', 'latin1'),
    ])
    const summary = await positions(late)
    assert.equal(summary.reasons.bad_encoding!.count, 1)
    assert.equal((await trial.store.objects.list(trial.organization.id)).length, 1)
  })

  it('has degrees with sides, and units in headings', async () => {
    const text =
      'device_id,Time (UTC),latitude,longitude,"Speed, mph"\nB3,2025-11-20T08:00:00,"51° 30\' 0"" N",0.25W,10\n'
    const preview = await previewPositions(text)
    assert.deepEqual(shown(preview, 'latitude', 'longitude', 'speed'), [[51.5, -0.25, 16.09344]])
    const other = await previewPositions('imei,time,lat,lon,Altitude (s)\nA1,1740819600,1,2,300\n')
    assert.deepEqual(other.columns.ignored, ['Altitude (s)'])
  })
})

describe('An ident that a spreadsheet rounded', () => {
  it('is rejected in positions and in objects, because several devices would become one', async () => {
    const text = `${HEADER}8.64301E+14,2025-11-20T08:00:00Z,51.5,-0.12\n`
    const { reasons } = await positions(text)
    assert.match(reasons.spreadsheet_ident!.first[0]!.detail, /'8.64301E\+14' is a number that a/)
    const objects = await catalogue('objects', 'ident;name\n8,64301E+14;Van\n', { format: 'csv' })
    assert.deepEqual(Object.keys(objects.reasons), ['spreadsheet_ident'])
    assert.equal((await positions(text, { ident: 'A1' })).accepted, 1)
  })
})
