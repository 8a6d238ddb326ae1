import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { NAMES, setCatalogue, untilTrips } from '../attributes/attributes-fleet.ts'
import { refrigeratedDay } from '../attributes/refrigerated-day.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { DAY, drive } from '../trips/records-fleet.ts'
import { type CalcCell, openInCalc } from './calc.ts'

/*
 * Workbooks as two programs read them that nobody here wrote, and the questions of a fleet manager.
 */

const fleet = await startFleet()
const folder = temporaryFolder()
const ZONE = 'Europe/Berlin'
const DAY_MS = 86_400_000

/** LibreOffice takes ten seconds to start. */
const calc =
  process.env.FORMATS !== 'whole'
    ? { skip: 'npm run acceptance:formats starts LibreOffice' }
    : { skip: spawnSync('soffice', ['--version']).error ? 'soffice is not installed' : false }
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import openpyxl']).status === 0,
)

/** Prints the cells of the first sheet, and whether it has a frozen header. */
const OPENPYXL = `
import datetime, json, openpyxl, sys
sheet = openpyxl.load_workbook(sys.argv[1]).worksheets[0]
cell = lambda value: ['date', value.isoformat()] if isinstance(value, datetime.datetime) else value
rows = [[cell(value) for value in row] for row in sheet.iter_rows(values_only=True)]
print(json.dumps([sheet.freeze_panes, rows]))
`

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const DATE = /^\d{4}-\d\d-\d\d$/

/** A time as the clocks of the zone show it, as if it were UTC. */
function localOf(time: string): number {
  const shown = new Date(time).toLocaleString('sv-SE', { timeZone: ZONE }).replace(' ', 'T')
  return Date.parse(`${shown}Z`) + (Date.parse(time) % 1_000)
}

/** The cells that a row should have, by its columns. */
function expectedIn({ attributes = {}, attributes_at = {}, ...row }: Json, head: string[]) {
  const { vehicle_data, ...fields } = row
  return head.map((name): unknown => {
    const [attribute, part] = name.split('__')
    let value = fields[name] ?? vehicle_data?.[name] ?? attributes[name] ?? null
    if (part === 'at') value = attributes_at[attribute!]
    else if (part === 'longest') value = attributes[attribute!]?.values[0].value
    else if (part !== undefined) value = attributes[attribute!]?.[part]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null)
  })
}

/** Whether Calc has this value, and shows it. */
function isRight(cell: CalcCell, value: unknown): boolean {
  const { kind, value: number, shown } = cell
  if (value === null) return kind === 'empty'
  if (typeof value === 'boolean') return kind === 'number' && number === Number(value)
  if (typeof value === 'number') {
    return kind === 'number' && Math.abs(number - value) <= Math.abs(value) * 1e-14
  }
  const text = String(value)
  if (!TIME.test(text) && !DATE.test(text)) return kind === 'text' && shown === text
  const local = DATE.test(text) ? Date.parse(text) : localOf(text)
  const iso = new Date(local).toISOString()
  const isShown = shown === (DATE.test(text) ? text : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`)
  return kind === 'date' && isShown && Math.abs((number - 25_569) * DAY_MS - local) < 2
}

describe('A workbook in other programs', async () => {
  const vans = ['0864301', '1E5']
  const sent = vans.flatMap((ident) => refrigeratedDay(ident).map(({ row }) => row))
  const later = [8, 9].flatMap((day) => drive(vans[0]!, DAY + day * DAY_MS))
  const sender = await senderWith(fleet, [...sent, ...later, ...drive(vans[1]!, DAY + 9 * DAY_MS)])
  await setCatalogue(fleet, sender)
  const range = 'from_time=2026-05-04&to_time=2026-05-17'
  await untilTrips(sender, 10, range)

  const PATHS = {
    positions: `/objects/${sender.ids[0]}/positions?${range}&include=attributes,quality`,
    trips: `/trips?${range}&include=attributes`,
    days: `/days?from_date=2026-05-04&to_date=2026-05-17&tz=${ZONE}&include=attributes`,
    latest: `/positions/latest?ids=all&include=attributes`,
    objects: '/objects?',
  }

  async function saved(name: keyof typeof PATHS): Promise<{ file: string; rows: Json[] }> {
    const path = PATHS[name]
    const zone = path.includes('tz=') ? '' : `&tz=${ZONE}`
    const answer = await sender.get(`${path}&format=xlsx${zone}`)
    assert.equal(answer.status, 200, answer.text)
    const file = join(folder, `${name}.xlsx`)
    writeFileSync(file, answer.bytes)
    await sender.time.pass(2_000)
    return { file, rows: resultOf(await sender.get(path)) }
  }

  const skip = python === undefined ? 'openpyxl is not installed' : false
  for (const name of Object.keys(PATHS) as (keyof typeof PATHS)[]) {
    it(`has the cells of ${name} in openpyxl`, { skip }, async () => {
      const { file, rows } = await saved(name)
      const printed = execFileSync(python!, ['-c', OPENPYXL, file], { encoding: 'utf8' })
      const [frozen, [head, ...cells]] = JSON.parse(printed)
      assert.equal(frozen, 'A2')
      assert.equal(cells.length, rows.length)
      for (const [index, row] of rows.entries()) {
        const expected = expectedIn(row, head).map((value) => {
          const text = typeof value === 'string' ? value : ''
          if (!TIME.test(text) && !DATE.test(text)) return value
          const local = DATE.test(text) ? Date.parse(text) : localOf(text)
          return new Date(local).toISOString()
        })
        const read = cells[index].map((cell: unknown) =>
          Array.isArray(cell) ? new Date(`${cell[1]}Z`).toISOString() : cell,
        )
        assert.deepEqual(read, expected)
      }
    })
  }

  for (const locale of ['de-DE', 'en-US']) {
    it(`has no wrong cell in LibreOffice, in the language ${locale}`, calc, async (t) => {
      let count = 0
      const wrong: string[] = []
      for (const name of ['positions', 'trips', 'days'] as const) {
        const { file, rows } = await saved(name)
        const [head, ...cells] = openInCalc(folder, locale, file).rows
        const names = head!.map(({ shown }) => shown)
        assert.equal(cells.length, rows.length)
        for (const [index, row] of rows.entries()) {
          for (const [at, value] of expectedIn(row, names).entries()) {
            count += 1
            const cell = cells[index]![at]!
            if (isRight(cell, value)) continue
            wrong.push(`${name} ${names[at]}: ${JSON.stringify([value, cell])}`)
          }
        }
      }
      assert.deepEqual(wrong, [])
      t.diagnostic(`${count} cells`)
      assert.ok(count > 2_000)
    })

    it(`answers the questions of a fleet manager in LibreOffice, ${locale}`, calc, async () => {
      const [days, trips] = [await saved('days'), await saved('trips')]
      const letterIn = async (path: string) => {
        const [head] = (await sender.get(`${path}&format=csv`)).text.split('\r\n')
        const names = head!.split(',')
        return (name: string) => {
          const at = names.indexOf(name)
          assert.ok(at >= 0, name)
          return (at < 26 ? '' : 'A') + String.fromCharCode(65 + (at % 26))
        }
      }
      const day = await letterIn(PATHS.days)
      const trip = await letterIn(PATHS.trips)
      const all = (sheet: string, letter: string, count: number) =>
        `${sheet}.${letter}2:${letter}${count + 1}`
      const ofDay = (name: string) => all('days', day(name), days.rows.length)
      const ofTrip = (name: string) => all('trips', trip(name), trips.rows.length)
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
      const isIn = ({ date }: Json, week: number) => date < '2026-05-11' === (week === 19)

      const kilometres = vans.flatMap((van) =>
        [19, 20].map((week) => ({
          formula: `=SUMPRODUCT((${ofDay('ident')}="${van}")*(ISOWEEKNUM(${ofDay('date')})=${week})*${ofDay('distance')})`,
          answer: sum(
            days.rows
              .filter((row) => row.ident === van && isIn(row, week))
              .map(({ distance }) => distance),
          ),
        })),
      )
      const ofVan = (van: string) => trips.rows.filter(({ ident }) => ident === van)
      const partOf = (van: string, attribute: string, part: string): number[] =>
        ofVan(van).flatMap(({ attributes }) => attributes[attribute]?.[part] ?? [])
      const litres = vans.map((van) => ({
        formula: `=SUMPRODUCT((${ofTrip('ident')}="${van}")*${ofTrip('fuel_used__gain')})`,
        answer: sum(partOf(van, 'fuel_used', 'gain')),
      }))
      const warmest = vans.map((van) => ({
        formula: `=SUMPRODUCT(MAX((${ofTrip('ident')}="${van}")*ISNUMBER(${ofTrip('temperature__max')})*(${ofTrip('temperature__max')}+100)))-100`,
        answer: Math.max(...partOf(van, 'temperature', 'max')),
      }))
      const ofDays = openInCalc(
        folder,
        locale,
        days.file,
        kilometres.map(({ formula }) => formula),
      )
      const questions = [...litres, ...warmest]
      const ofTrips = openInCalc(
        folder,
        locale,
        trips.file,
        questions.map(({ formula }) => formula),
      )
      const answers = [...ofDays.answers, ...ofTrips.answers].map(({ value }) => value)
      for (const [index, { formula, answer }] of [...kilometres, ...questions].entries()) {
        assert.ok(
          Math.abs(answers[index]! - answer) < 1e-6,
          `${formula}: ${answers[index]} ${answer}`,
        )
      }
      assert.ok(
        answers.slice(0, 4).every((value) => value > 0),
        answers.join(),
      )
      assert.ok(NAMES.includes('temperature'))
    })
  }
})
