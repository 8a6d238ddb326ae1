import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { Position } from '../types.ts'
import type { FormatName } from './formats.ts'
import { type HistorySource, type ObjectPull, pullObject } from './pull-object.ts'

const LATE_MS = 50

/** A position of the time, which the server has from `arrives` on. */
type Arriving = { time: number; arrives: number }

function positionAt(time: number): Position {
  const at = new Date(time).toISOString()
  const counters = { engine_hours: null, odometer: null, mileage: null, address: `"${time}",\n` }
  const place = { latitude: 1, longitude: 2, altitude: null, angle: null, speed: null }
  return { id: 3, ident: '3', name: 'V', ...place, time_server: at, time_device: at, ...counters }
}

/** What a server answers that has so much by now. */
function serverOf(positions: Arriving[], now: number, onRow: (row: number) => void): HistorySource {
  return {
    positions: {
      async *history(_, { from, to }) {
        const [first, last] = [from, to].map((time) => (time as Date).getTime())
        const there = positions.filter(
          ({ time, arrives }) => arrives <= now && time >= first! && time <= last!,
        )
        for (const [i, { time }] of there.sort((a, b) => a.time - b.time).entries()) {
          onRow(i)
          yield positionAt(time)
        }
      },
    },
  }
}

function newFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-pull-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function pullOf(folder: string, name: FormatName, more: Partial<ObjectPull>): ObjectPull {
  return {
    ...{ id: 3, file: join(folder, '3'), stateFile: join(folder, '3.json'), format: name },
    ...{ url: 'https://fleet.example.com/public/v1', from: 0, to: 1_000, lateMs: LATE_MS },
    ...{ pageSize: undefined, spanMs: undefined, syncBytes: 600 },
    ...{
      signal: new AbortController().signal,
      onRow: () => {},
      warn: () => {},
      csvForm: 'guarded',
    },
    ...more,
  }
}

function timesIn(folder: string): number[] {
  const lines = readFileSync(join(folder, '3'), 'utf8').trimEnd().split('\n')
  return lines.filter(Boolean).map((line) => Date.parse(JSON.parse(line).time_device))
}

const night = fc.record({
  /** After how much of it the process is killed; null: it comes to its end. */
  killedAt: fc.option(fc.nat(30)),
  hours: fc.integer({ min: 1, max: 60 }),
  spanMs: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  lateMs: fc.integer({ min: LATE_MS, max: 3 * LATE_MS }),
})
const arriving = fc
  .record({ time: fc.nat(300), late: fc.nat(LATE_MS) })
  .map(({ time, late }) => ({ time, arrives: time + late }))

describe('The file of an object', () => {
  it('has each position once, whenever it came within the time for late ones, wherever runs were killed', async (t) => {
    const positions = fc.uniqueArray(arriving, { selector: ({ time }) => time, maxLength: 80 })
    const nights = fc.array(night, { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(positions, nights, async (given, runs) => {
        let folder = newFolder(t)
        let now = 0
        const ends = { killedAt: null, hours: 400, spanMs: undefined, lateMs: LATE_MS }
        for (const { killedAt, hours, spanMs, lateMs } of [...runs, ends]) {
          now += hours
          let left: string | undefined
          const server = serverOf(given, now, (row) => {
            if (row !== killedAt || left !== undefined) return
            // What a process leaves that is killed now: the run goes on, and nobody looks at it any more.
            left = newFolder(t)
            cpSync(folder, left, { recursive: true })
          })
          await pullObject(server, pullOf(folder, 'ndjson', { to: now, spanMs, lateMs }))
          folder = left ?? folder
        }
        const expected = given.map(({ time }) => time).sort((a, b) => a - b)
        assert.deepEqual(
          timesIn(folder).sort((a, b) => a - b),
          expected,
        )
      }),
      { numRuns: 60 },
    )
  })

  it('is only ever added to, and what came late comes behind', async (t) => {
    const folder = newFolder(t)
    const positions = [10, 20, 30].map((time) => ({ time, arrives: time }))
    assert.equal(
      await pullObject(
        serverOf(positions, 30, () => {}),
        pullOf(folder, 'ndjson', { to: 30 }),
      ),
      3,
    )
    const late = [...positions, { time: 15, arrives: 35 }, { time: 40, arrives: 40 }]
    assert.equal(
      await pullObject(
        serverOf(late, 40, () => {}),
        pullOf(folder, 'ndjson', { to: 40 }),
      ),
      2,
    )
    assert.deepEqual(timesIn(folder), [10, 20, 30, 15, 40])
  })

  it('keeps what the server does not have any more', async (t) => {
    const folder = newFolder(t)
    const positions = [10, 20].map((time) => ({ time, arrives: time }))
    await pullObject(
      serverOf(positions, 20, () => {}),
      pullOf(folder, 'ndjson', { to: 20 }),
    )
    await pullObject(
      serverOf([], 30, () => {}),
      pullOf(folder, 'ndjson', { to: 30 }),
    )
    await pullObject(
      serverOf(positions, 40, () => {}),
      pullOf(folder, 'ndjson', { to: 40 }),
    )
    assert.deepEqual(timesIn(folder), [10, 20])
  })

  it('is valid GeoJSON after each run, with nothing in it as well', async (t) => {
    const folder = newFolder(t)
    const positions = [10, 20, 30].map((time) => ({ time, arrives: time }))
    for (const to of [5, 15, 15, 30]) {
      await pullObject(
        serverOf(positions, to, () => {}),
        pullOf(folder, 'geojson', { to }),
      )
      const { features } = JSON.parse(readFileSync(join(folder, '3'), 'utf8'))
      assert.equal(features.length, positions.filter(({ time }) => time <= to).length)
    }
  })

  it('holds what was read when reading fails', async (t) => {
    const folder = newFolder(t)
    const positions = [10, 20, 30].map((time) => ({ time, arrives: time }))
    const failing = serverOf(positions, 30, (row) => {
      if (row === 2) throw new Error('no more')
    })
    await assert.rejects(pullObject(failing, pullOf(folder, 'ndjson', {})), /no more/)
    assert.deepEqual(timesIn(folder), [10, 20])
  })

  it('is nobody else’s: of another origin, of another server, with a later beginning', async (t) => {
    const folder = newFolder(t)
    const server = serverOf([], 30, () => {})
    writeFileSync(join(folder, '3'), 'mine')
    const pull = pullOf(folder, 'ndjson', { from: 10 })
    await assert.rejects(pullObject(server, pull), /3 is there, but not from a pull: move it away/)
    assert.equal(existsSync(join(folder, '3.json')), false)
    rmSync(join(folder, '3'))
    await pullObject(server, pull)
    await assert.rejects(
      pullObject(server, { ...pull, url: 'https://other.example.com/public/v1' }),
      /3 is from https:\/\/fleet\.example\.com\/public\/v1/,
    )
    await assert.rejects(pullObject(server, { ...pull, from: 9 }), /begins at 1970-01-01T00:00:00/)
    await pullObject(server, { ...pull, from: 11 })
    writeFileSync(join(folder, '3.json'), '{"version":2}')
    await assert.rejects(pullObject(server, pull), /3\.json was not written by this version/)
  })
})
