import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
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
import type { Ended } from '../../packages/server/src/cli/printed.ts'
import { fleetgate } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const KEY = 'fg_live_of_somebody'
const ROW = {
  ...{ id: 3, ident: 'van-3', name: 'Van 3', latitude: 41, longitude: -2.5, altitude: null },
  ...{ angle: null, speed: null, time_server: '2026-11-20T10:00:01.000Z' },
  ...{ time_device: '2026-11-20T10:00:00.000Z', engine_hours: null, odometer: null },
  ...{ mileage: null, address: null },
}

/** The server's answers: any ids of objects, and one history for all of them. */
let ids: unknown[] = []
/** In place of its list of objects. */
let listed: unknown
let rows: object[] = [ROW]

const server = createServer((request, response) => {
  const isList = request.url === '/public/v1/objects'
  const result = isList ? (listed ?? ids.map((id) => ({ ...ROW, id }))) : rows
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ statusCode: 200, result }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const folder = temporaryFolder()
/** Lies two folders below `folder`, so that `../../` leads to it. */
const newOut = () => join(mkdtempSync(join(folder, 'run-')), 'out')

function pull(out: string, ...more: string[]): Promise<Ended> {
  return fleetgate(['pull', '--url', url, '--api-key', KEY, '--out', out, ...more])
}

/** Every file and folder below the test's folder, by its path from there. */
const everything = () => readdirSync(folder, { recursive: true }).sort()
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

describe('fleetgate pull from a server that means harm', () => {
  it('makes no file for an object whose id is not a positive whole number', async () => {
    for (const id of ['../../evil', '3', -3, 2 ** 53, undefined]) {
      ids = [3, id]
      const out = newOut()
      mkdirSync(out)
      const before = everything()
      const { code, stdout, stderr } = await pull(out)
      rmSync(join(out, '.pull'), { recursive: true })
      assert.deepEqual(everything(), before)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^fleetgate pull: the server sent an object with the id .*\n$/)
    }
  })

  it('says in a sentence that a list of objects is none', async () => {
    for (const list of ['text', { map: 1 }, [null], [7]]) {
      listed = list
      const { code, stderr } = await pull(newOut())
      listed = undefined
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^fleetgate pull: (the server sent an object with the id|what answered is no) /,
      )
    }
  })

  it('makes files that their owner alone can read', async () => {
    ids = [3]
    const out = newOut()
    assert.equal((await pull(out)).code, 0)
    const states = join(out, '.pull')
    assert.deepEqual([modeOf(out), modeOf(states)], ['700', '700'])
    const [file, state] = [join(out, '3.ndjson'), join(states, '3.ndjson.json')]
    assert.deepEqual([modeOf(file), modeOf(state)], ['600', '600'])
    // An owner who let others read a file has meant it.
    chmodSync(file, 0o640)
    assert.equal((await pull(out)).code, 0)
    assert.equal(modeOf(file), '640')
  })

  it('follows no symbolic link that lies in its folder', async () => {
    ids = [3]
    const [target, content] = [join(folder, 'precious'), 'precious '.repeat(1_000)]
    for (const link of ['3.ndjson', '.pull/3.ndjson.json', '.pull/3.ndjson.json.next']) {
      writeFileSync(target, content)
      const out = newOut()
      assert.equal((await pull(out)).code, 0)
      if (link.startsWith('.pull')) rmSync(join(out, link), { force: true })
      else writeFileSync(target, readFileSync(join(out, link)))
      const before = readFileSync(target, 'utf8')
      rmSync(join(out, link), { force: true })
      symlinkSync(target, join(out, link))
      const { code, stderr } = await pull(out, '--late', '7d')
      assert.equal(code, 1)
      assert.match(stderr, /^fleetgate pull: \S+ is a symbolic link: .*\n$/)
      assert.equal(readFileSync(target, 'utf8'), before)
    }
    const out = newOut()
    mkdirSync(out)
    symlinkSync(mkdtempSync(join(folder, 'elsewhere-')), join(out, '.pull'))
    const { code, stderr } = await pull(out)
    assert.equal(code, 1)
    assert.match(stderr, /^fleetgate pull: \S+\.pull is a symbolic link: .*\n$/)
    assert.equal(existsSync(join(out, '3.ndjson')), false)
  })
})

/** Texts that a spreadsheet runs, or splits into cells that it runs, and what is harmless instead. */
const FORMULAS = {
  '=HYPERLINK("http://x/"&A1)': '\'=HYPERLINK("http://x/"&A1)',
  '+1+1': "'+1+1",
  "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
  '@SUM(1)': "'@SUM(1)",
  '\t=1+1': "'\t'=1+1",
  '\rx': "'\rx",
  ' =1+1': " '=1+1",
  '\u200b=1+1': "\u200b'=1+1",
  '＝1+1': "'＝1+1",
  '＋1': "'＋1",
  '－1': "'－1",
  '＠x': "'＠x",
  '"=1+1': '"\'=1+1',
  // Where the machine's list separator is a semicolon or a tab, and quotes do not protect.
  'x;=1+1;y': "x;'=1+1;y",
  'x;"=1+1': 'x;"\'=1+1',
  'x\n=1+1': "x\n'=1+1",
  'x\t\t=1+1': "x\t\t'=1+1",
}
const HARMLESS = ['', 'Van 3', '3-5', 'a=b', 'x,=1', "'=1+1", 'Main St 5; Porto', '−1', 'ÿ']

describe('A CSV file of fleetgate pull', () => {
  const texts = [...Object.keys(FORMULAS), ...HARMLESS]
  const namesIn = (out: string) =>
    parse(readFileSync(join(out, '3.csv'), 'utf8'), { columns: true, record_delimiter: '\n' }).map(
      (row) => Object.values(row as object),
    )
  const cells = (text: string) => ['3', text, text, '41', '-2.5', '', '', '']
  const timeOf = (i: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, i)).toISOString()

  function send(sent: string[], from = 0): void {
    ids = [3]
    rows = sent.map((text, i) => ({
      ...{ ...ROW, ident: text, name: text, address: text },
      ...{ time_server: timeOf(from + i), time_device: timeOf(from + i) },
    }))
  }

  function expected(written: string[]): string[][] {
    return written.map((text, i) => [...cells(text), timeOf(i), timeOf(i), '', '', '', text])
  }

  it('has an apostrophe before what a spreadsheet would run, and numbers as they are', async () => {
    send(texts)
    const out = newOut()
    assert.equal((await pull(out, '--format', 'csv')).code, 0)
    assert.deepEqual(namesIn(out), expected([...Object.values(FORMULAS), ...HARMLESS]))
  })

  it('has the texts as they are with --raw', async () => {
    send(texts)
    const out = newOut()
    assert.equal((await pull(out, '--format', 'csv', '--raw')).code, 0)
    assert.deepEqual(namesIn(out), expected(texts))
  })

  it('goes on as it was begun, and says so where that is with formulas', async () => {
    const out = newOut()
    const state = join(out, '.pull', '3.csv.json')
    send(['=1'])
    assert.equal((await pull(out, '--format', 'csv', '--raw')).code, 0)
    // As a version left it that knew no --raw.
    const { raw: _, ...old } = JSON.parse(readFileSync(state, 'utf8'))
    writeFileSync(state, JSON.stringify(old))
    send(['=2'], 1)
    const later = await pull(out, '--format', 'csv')
    assert.equal(later.code, 0)
    assert.match(later.stderr, /^fleetgate pull: object 3: \S+3\.csv was begun with --raw .*\n$/)
    send(['=3'], 2)
    const asked = await pull(out, '--format', 'csv', '--raw')
    assert.deepEqual([asked.code, asked.stderr], [0, ''])
    assert.deepEqual(namesIn(out), expected(['=1', '=2', '=3']))

    const safe = newOut()
    assert.equal((await pull(safe, '--format', 'csv')).code, 0)
    const refused = await pull(safe, '--format', 'csv', '--raw')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^fleetgate pull: \S+3\.csv was begun without --raw: .*\n$/)
  })

  it('is what --raw is for alone', async () => {
    const { code, stderr } = await pull(newOut(), '--raw')
    assert.deepEqual(
      [code, stderr],
      [2, 'fleetgate pull: --raw is for --format csv: the other formats hold texts as they are\n'],
    )
  })
})
