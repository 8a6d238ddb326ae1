import assert from 'node:assert/strict'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { FinishedProgram } from '../../../packages/server/testing/command-line/printed.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const KEY = 'fg_live_of_somebody'
const ROW = {
  ...{ id: 3, ident: 'van-3', name: 'Van 3', latitude: 41, longitude: -2.5, altitude: null },
  ...{ angle: null, speed: null, time_server: '2026-11-20T10:00:01.000Z' },
  ...{ time_device: '2026-11-20T10:00:00.000Z', engine_hours: null, odometer: null },
  ...{ mileage: null, address: null },
}
const DAY = '2026-11-20'

/** The server's answer: any objects and positions, always as the first page. */
let objects: unknown[] = []
let rows: unknown[] = [ROW]
/** Replaces its whole result. */
let answered: unknown

const server = createServer((_, response) => {
  const changes = [
    ...objects.map((object) => ({ type: 'object', op: 'put', object, seq: 1 })),
    ...rows.map((position) => ({ type: 'position', op: 'put', late: false, position, seq: 1 })),
  ]
  const page = { as_of: 1, distance_unit: 'km', snapshot: true, changes, has_more: false }
  const result = answered ?? { ...page, cursor: `cursor ${JSON.stringify(changes).length}` }
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ statusCode: 200, result }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const folder = temporaryFolder()
/** Two folders below `folder`, so that `../../../` leads to it. */
const newOut = () => join(mkdtempSync(join(folder, 'run-')), 'out')

const { runHere } = await commandLine()

function pull(out: string, ...more: string[]): Promise<FinishedProgram> {
  return runHere(['pull', '--url', url, '--api-key', KEY, '--out', out, ...more])
}

/** Every file and folder below the test's folder, by its relative path. */
const everything = () => readdirSync(folder, { recursive: true }).sort()
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

describe('fleetgate pull from a hostile server', () => {
  it('makes no file for positions with wrong ids, times or numbers', async () => {
    const wrong = [
      ...['../../evil', '3', -3, 2 ** 53, undefined].map((id) => ({ ...ROW, id })),
      ...['../../evil', '+010000-01-01T00:00:00.000Z', 7, null].map((time) => ({
        ...ROW,
        time_device: time,
      })),
      { ...ROW, latitude: '=1+1' },
    ]
    for (const row of wrong) {
      objects = [ROW]
      rows = [ROW, row]
      const out = newOut()
      mkdirSync(out)
      const before = everything()
      const { code, stdout, stderr } = await pull(out)
      assert.deepEqual(readdirSync(join(out, 'positions')), [])
      rmSync(join(out, '.pull'), { recursive: true })
      rmSync(join(out, 'positions'), { recursive: true })
      assert.deepEqual(everything(), before)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(
        stderr,
        /^fleetgate pull: the server sent the (id|time|value) .*: check --url\n$/,
      )
    }
  })

  it('reports an answer that is no page in one sentence', async () => {
    for (const wrong of [
      'text',
      { map: 1 },
      { changes: [null], cursor: '', has_more: false },
      [7],
    ]) {
      answered = wrong
      const { code, stderr } = await pull(newOut())
      answered = undefined
      assert.equal(code, 1)
      assert.match(stderr, /^fleetgate pull: .*\n$/)
    }
  })

  it('makes files that only their owner can read', async () => {
    objects = [ROW]
    rows = [ROW]
    const out = newOut()
    assert.equal((await pull(out)).code, 0)
    const folders = ['.', '.pull', 'positions'].map((name) => modeOf(join(out, name)))
    assert.deepEqual(folders, ['700', '700', '700'])
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    assert.ok(files.length >= 6)
    for (const { parentPath, name } of files)
      assert.equal(modeOf(join(parentPath, name)), '600', name)
  })

  it('follows no symbolic link in its folder', async () => {
    objects = [ROW]
    rows = [ROW]
    const [target, content] = [join(folder, 'precious'), 'precious '.repeat(1_000)]
    for (const link of ['.pull/next', '.pull/copy.db', '.pull/copy.db-wal']) {
      writeFileSync(target, content)
      const out = newOut()
      mkdirSync(join(out, '.pull'), { recursive: true })
      symlinkSync(target, join(out, link))
      const { code, stderr } = await pull(out)
      assert.equal(code, 1)
      assert.match(stderr, /^fleetgate pull: \S+ is a symbolic link, .*\n$/)
      assert.equal(readFileSync(target, 'utf8'), content)
    }
    // A file takes the place of a link.
    const out = newOut()
    mkdirSync(out)
    symlinkSync(target, join(out, 'objects.ndjson'))
    assert.equal((await pull(out)).code, 0)
    assert.equal(readFileSync(target, 'utf8'), content)
    assert.ok(lstatSync(join(out, 'objects.ndjson')).isFile())
    for (const name of ['.pull', 'positions']) {
      const elsewhere = newOut()
      mkdirSync(elsewhere)
      const to = mkdtempSync(join(folder, 'elsewhere-'))
      symlinkSync(to, join(elsewhere, name))
      const { code, stderr } = await pull(elsewhere)
      assert.equal(code, 1)
      assert.match(stderr, /^fleetgate pull: \S+ is a symbolic link, .*\n$/)
      assert.deepEqual(readdirSync(to), [])
    }
  })
})

describe('A CSV file of fleetgate pull', () => {
  it('has formulas as text unless its first run asked for raw texts', async () => {
    objects = [{ ...ROW, name: '=1+1' }]
    rows = [ROW]
    const namesIn = (out: string) =>
      (parse(readFileSync(join(out, `positions/${DAY}.csv`)), { columns: true }) as Json[]).map(
        ({ name }) => name,
      )
    const [guarded, raw] = [newOut(), newOut()]
    assert.equal((await pull(guarded, '--format', 'csv')).code, 0)
    assert.deepEqual(namesIn(guarded), ["'=1+1"])
    assert.equal((await pull(raw, '--format', 'csv', '--raw')).code, 0)
    assert.deepEqual(namesIn(raw), ['=1+1'])
    const refused = await pull(raw, '--format', 'csv')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^fleetgate pull: \S+ was started with --raw: .*\n$/)
    assert.deepEqual(namesIn(raw), ['=1+1'])
  })
})
