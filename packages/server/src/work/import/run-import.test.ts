import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importing } from '../../../testing/imports.ts'
import { isFault } from './row.ts'
import { notationOf } from './tables/find-notation.ts'

const trial = importing()
const { positions, previewPositions, catalogue, previewCatalogue } = trial

const HEADER = 'bus;when;y;x;v\n'
const FILE = `${HEADER}A1;03/04/2025 08:00;48,1;11,5;10\n`
const CHOICES = {
  map: 'ident=bus,time_device=when,latitude=y,longitude=x,speed=v',
  notation: notationOf((part) => (part === 'dates' ? 'DMY' : null)),
  speedUnit: 'mph',
  timezone: 'Europe/Berlin',
} as const

const mappings = () => trial.store.savedMappings.list(trial.organization.id)

describe('A mapping', () => {
  it('is saved by an import with choices, and read again by the same headings', async () => {
    assert.equal((await positions(FILE, CHOICES)).accepted, 1)
    const [saved] = await mappings()
    assert.deepEqual([saved!.kind, saved!.headings], ['positions', ['bus', 'when', 'y', 'x', 'v']])
    const later = await previewPositions(`${HEADER}A1;05/04/2025 08:00;48,1;11,5;10\n`)
    assert.equal(later.problem, null)
    const [{ read }] = later.rows as [(typeof later.rows)[0]]
    assert.ok(!isFault(read))
    assert.deepEqual([read.time_device, read.speed], ['2025-04-05T06:00:00.000Z', 16.09344])
    assert.equal(later.table!.notation.dates.from, 'saved')
    assert.match(
      later.notes.join(),
      /read as 'p.csv', a file with the same headings that was imported on 2026-01-01: ident=bus,/,
    )
    assert.equal((await positions(`${HEADER}A1;06/04/2025 08:00;48,1;11,5;10\n`)).accepted, 1)
    assert.deepEqual(await mappings(), [saved])
  })

  it('gives way to what is given, and to what the file shows', async () => {
    await positions(FILE, CHOICES)
    const american = `${HEADER}A1;04/13/2025 08:00;48,1;11,5;10\n`
    const { table } = await previewPositions(american)
    assert.deepEqual([table!.notation.dates.value, table!.notation.dates.from], ['MDY', 'file'])
    const dates = notationOf((part) => (part === 'dates' ? 'MDY' : null))
    const given = await previewPositions(FILE, { notation: dates })
    assert.equal(given.table!.notation.dates.value, 'MDY')
  })

  it('is not saved without choices, nor by an import that stored nothing, nor for other headings', async () => {
    await positions('ident,time,lat,lon\nA1,1740819600,1,2\n')
    await positions(HEADER, CHOICES)
    assert.deepEqual(await mappings(), [])
    await positions(FILE, CHOICES)
    const other = await previewPositions(FILE.replace('bus;', 'car;'))
    assert.match(other.problem!, /no column for ident/)
    const objects = await previewCatalogue('objects', FILE)
    assert.match(objects.problem!, /no column for ident/)
  })

  it('has the unit of distances of objects, and an encoding', async () => {
    const text = Buffer.from('Gerät;odometer\nÜ1;100\n', 'latin1')
    const notation = notationOf((part) => (part === 'encoding' ? 'latin1' : null))
    const given = { format: 'csv', notation, distanceUnit: 'mi' } as const
    assert.equal((await catalogue('objects', text, given)).created, 1)
    const next = Buffer.from('Gerät;odometer\nÜ2;100\n', 'latin1')
    const { problem, rows, table } = await previewCatalogue('objects', next)
    assert.equal(problem, null)
    assert.deepEqual(rows[0]!.read, { ident: 'Ü2', name: 'Ü2', odometer: 160.9344 })
    assert.equal(table!.notation.encoding.from, 'saved')
  })

  it('counts where the head of the file depends on nothing', async () => {
    const notation = notationOf((part) => (part === 'encoding' ? 'latin1' : null))
    const header = 'ident;odometer\n'
    const given = { format: 'csv', notation } as const
    await catalogue('objects', Buffer.from(`${header}Ü1;100\n`, 'latin1'), given)
    const plain = 'A;1\n'.repeat(20_000)
    const later = Buffer.from(`${header}${plain}Ü2;100\n`, 'latin1')
    assert.equal((await catalogue('objects', later, { format: 'csv' })).created, 2)
    const unicode = await previewCatalogue('objects', `${header}Ü3;100\n`)
    const { value, from } = unicode.table!.notation.encoding
    assert.deepEqual([value, from], ['utf-8', 'file'])
    assert.equal((unicode.rows[0]!.read as { ident: string }).ident, 'Ü3')
  })
})
