import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { endOf } from '../../../testing/command-line/printed.ts'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { start } from '../../../testing/command-line/spawned.ts'

const HEADER = 'ident,time,lat,lon\n'

let folder: string
let data: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleetgate-cli-import-'))
  data = join(folder, 'data')
  await here('org', 'create', 'Fleet')
})
after(() => rm(folder, { recursive: true }))

const here = (...args: string[]) => runHere([...args, '--data', data])

const positions = (...args: string[]) => ['import', 'positions', '--org', '1', ...args]

test('several files are accounted for one by one and in total', async () => {
  const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
  await writeFile(a, `${HEADER}A1,1740819600,1,2\nA1,1740819600,0,0\nA1,x,1,2\nA1,y,1,2\n`)
  await writeFile(b, `${HEADER}A1,1740819600,1,2\nA1,1740819600,1,3\n`)
  const ended = await here(...positions('--create-objects', '--json', a, b))
  assert.equal(ended.code, 1)
  assert.match(
    ended.stderr,
    /4 of 6 rows were not imported: 3 rejected, 1 in conflict with another/,
  )
  const { files, ...total } = JSON.parse(ended.stdout)
  assert.deepEqual(
    [total.read, total.accepted, total.duplicate, total.conflict, total.rejected, total.created],
    [6, 1, 1, 1, 3, 1],
  )
  assert.deepEqual(
    files.map((each: { read: number; rejected: number }) => [each.read, each.rejected]),
    [
      [4, 3],
      [2, 0],
    ],
  )
  const { stdout } = await here(...positions(a, b))
  assert.match(
    stdout,
    /^FILE +READ +ACCEPTED +DUPLICATE +CONFLICT +REJECTED\na.csv +4 +0 +0 +1 +3\n/,
  )
  assert.match(stdout, /\ntotal +6 +0 +1 +2 +3\n/)
  assert.match(stdout, /Rejected, bad_time: 2\n {2}a.csv:4: /)
  assert.match(stdout, /A1,y,1,2\n\nRejected, no_fix: 1\n {2}a.csv:3: .*\n {6}A1,1740819600,0,0\n/)
})

test('the choices of an import are listed, named and forgotten', async () => {
  const file = join(folder, 'report.csv')
  await writeFile(file, 'Grouping;Time;Latitude;Longitude\nA1;2025-03-13T08:00:00Z;48,1;11,5\n')
  await here(...positions('--create-objects', '--map', 'ident=Grouping', file))
  const listed = async () =>
    JSON.parse((await here('import', 'mappings', '--org', '1', '--json')).stdout)
  const [saved, ...others] = (await listed()).filter(
    ({ headings }: { headings: string[] }) => headings[0] === 'Grouping',
  )
  assert.deepEqual([saved.name, others], ['report.csv', []])
  const of = (name: string, ...args: string[]) =>
    here('import', name, '--org', '1', String(saved.id), ...args)
  assert.match((await of('rename-mapping', 'Wialon report')).stdout, /is now 'Wialon report'/)
  assert.match((await here('import', 'mappings', '--org', '1')).stdout, /Wialon report/)
  assert.equal((await of('forget-mapping')).code, 0)
  for (const name of ['rename-mapping', 'forget-mapping']) {
    const { code, stderr } = await of(name, ...(name === 'rename-mapping' ? ['again'] : []))
    assert.equal(code, 1)
    assert.match(
      stderr,
      /organization 1 has no mapping \d+; 'fleetgate import mappings --org 1' lists them/,
    )
  }
})

test('wrong usage exits with 2 and describes the valid arguments', async () => {
  const file = join(folder, 'c.csv')
  await writeFile(file, `${HEADER}A1,1740819600,1,2\n`)
  for (const [args, message] of [
    [positions('--map', 'foo=bar', file), /unknown field 'foo'; use one of ident, time_device/],
    [positions('--map', 'ident=bar', file), /no column 'bar'; it has ident, time, lat, lon/],
    [positions('--speed-unit', 'warp', file), /warp/],
    [positions('-'), /the standard input does not show the format: use --format/],
    [positions(join(folder, 'c.parquet')), /'.*c\.parquet'/],
    [['import', 'objects', '--org', '1', '--map', 'latitude=a', file], /unknown field 'latitude'/],
  ] as const) {
    await writeFile(join(folder, 'c.parquet'), '')
    const ended = await here(...args)
    assert.equal(ended.code, 2, args.join(' '))
    assert.equal(ended.stdout, '')
    assert.match(ended.stderr, message)
  }
})

test('an unreadable file exits with 1, after a report of the files before it', async () => {
  const file = join(folder, 'd.csv')
  await writeFile(file, `${HEADER}A1,1740819700,1,2\n`)
  const absent = join(folder, 'absent.csv')
  const alone = await here(...positions(absent))
  assert.deepEqual([alone.code, alone.stdout], [1, ''])
  assert.match(alone.stderr, /cannot read '.*absent.csv': there is no such file/)
  const later = await here(...positions('--create-objects', '--json', file, absent))
  assert.equal(later.code, 1)
  assert.equal(JSON.parse(later.stdout).accepted, 1)
  assert.match(later.stderr, /absent.csv/)
})

test('things that are no positions are left out by name, which is no failure', async () => {
  const file = join(folder, 'tour.gpx')
  const waypoint = '<wpt lat="3" lon="4"><time>2025-03-01T09:00:00Z</time><name>Depot</name></wpt>'
  const track =
    '<trk><name>G1</name><trkseg><trkpt lat="1" lon="2"><time>2025-03-01T10:00:00Z</time></trkpt></trkseg></trk>'
  await writeFile(file, `<gpx>\n${waypoint}\n${track}\n</gpx>`)
  const { code, stdout } = await here(...positions('--create-objects', file))
  assert.equal(code, 0)
  assert.match(stdout, /\ntour.gpx +1 +1 +0 +0 +0\n/)
  assert.match(
    stdout,
    /\n\nLeft out, waypoint: 1\n {2}tour.gpx:2: a waypoint is a place.*\n {6}<wpt /,
  )
  const again = JSON.parse((await here(...positions('--json', file))).stdout)
  assert.deepEqual([again.complete, again.omitted.waypoint.count], [true, 1])
  assert.deepEqual(again.files[0].omitted.waypoint.first[0].line, 2)
  const preview = await here(...positions('--preview', file))
  assert.match(preview.stdout, /each waypoint is left out, the first in line 2: a waypoint is/)

  await writeFile(file, `<gpx>\n${waypoint}\n</gpx>`)
  const alone = await here(...positions('--json', file))
  assert.equal(alone.code, 1)
  assert.match(
    alone.stderr,
    /nothing was imported: the file has nothing for this import, only 1 × waypoint/,
  )
  assert.equal(JSON.parse(alone.stdout).complete, false)
})

test('a file that was not read to its end, or that has a row that is not in, exits with 1', async () => {
  const row = (time: string) => `${HEADER}A1,${time},1,2\n`
  const cut = gzipSync(row('1740819800')).subarray(0, -4)
  const utf16 = Buffer.from(`\ufeff${row('1740819900')}`, 'utf16le')
  const cases: [name: string, content: string | Buffer, code: number, says: RegExp][] = [
    ['cut.csv.gz', cut, 1, /cannot read '.*cut.csv.gz' to its end: the file is cut off/],
    [
      'half.csv',
      `${row('1740819800')}A1,x,1,2\n`,
      1,
      /1 of 2 rows were not imported: 1 rejected, 0 in/,
    ],
    ['serial.csv', row('46084.33'), 1, /nothing was imported: all 1 rows were rejected/],
    ['array.json', '[{"ident":"A1"}]', 2, /'.*array.json' is a JSON array; give one object on/],
    ['book.csv', 'PK\u0003\u0004', 1, /it is an Excel workbook.*save it as CSV/],
    ['twice.csv', 'ident,time,lat,lat,lon\n', 2, /several columns named 'lat': the second is/],
    ['objects.csv', 'ident,name\nA1,Van\n', 2, /looks like objects/],
    ['utf16.csv', utf16, 0, /^$/],
    ['header-only.csv', HEADER, 0, /^$/],
  ]
  for (const [name, content, code, says] of cases) {
    const file = join(folder, name)
    await writeFile(file, content)
    const ended = await here(...positions('--create-objects', file))
    assert.equal(ended.code, code, `${name}: ${ended.stderr}`)
    assert.match(ended.stderr, says)
    assert.doesNotMatch(ended.stdout + ended.stderr, /—|undefined/)
  }
})

test('a file of another kind exits with 2, and names the import that takes it', async () => {
  const yard = '{"type":"Feature","properties":{"name":"Yard"},"geometry":'
  const point = `${yard}{"type":"Point","coordinates":[2,1]}}`
  const ring = `${yard}{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}}`
  for (const [kind, name, content, says] of [
    ['objects', 'track.gpx', '', /is GPX; 'import positions' takes its tracks/],
    ['geofences', 'ways.gpx', '', /is GPX; .*'import routes' its routes/],
    ['objects', 'track.kml', '', /is KML; 'import positions' takes its tracks/],
    ['sites', '2024-05.rec', '', /is a file of OwnTracks Recorder; use 'import positions'/],
    ['positions', 'site.geojson', point, /looks like sites.*use 'import sites'/],
    [
      'positions',
      'ring.geojson',
      `{"features":[${ring}]}`,
      /looks like places.*'import geofences'/,
    ],
    [
      'positions',
      'Timeline.json',
      '[{"startTime":"x"}]',
      /does not name the device.*use --ident\n/,
    ],
    ['positions', 'log.geojson', point.replace('name', 'time'), /or --map ident=PROPERTY/],
  ] as const) {
    const file = join(folder, name)
    await writeFile(file, content)
    const ended = await here('import', kind, '--org', '1', file)
    assert.deepEqual([ended.code, ended.stdout], [2, ''])
    assert.match(ended.stderr, says)
  }
})

test('options tell which columns and units a file has, and the summary tells what was used', async () => {
  const file = join(folder, 'columns.csv')
  await writeFile(file, 'bus,time_device,lat,lon,mph,driver\nB1,1740819600,1,2,62.5,Ann\n')
  const options = ['--map', 'ident=bus,speed=mph', '--speed-unit', 'mph', '--create-objects']
  const { stdout } = await here(...positions(...options, file))
  assert.match(
    stdout,
    /\nColumns, used: ident=bus, time_device, speed=mph\nColumns, guessed: latitude=lat, longitude=lon\nColumns, ignored: driver\n/,
  )
  const { stdout: list } = await here('objects', 'list', '--json', '--org', '1')
  const { speed } = JSON.parse(list).find(({ ident }: { ident: string }) => ident === 'B1')
  assert.equal(speed, 100.58)
})

test('a preview shows columns and first rows, and imports nothing', async () => {
  const file = join(folder, 'preview.csv')
  await writeFile(file, 'ident,time,lat,y,lon\nP1,1740819600,1,9,2\nP1,46084.33,1,9,2\n')
  const args = positions('--create-objects', '--preview', file)
  const { code, stdout } = await here(...args)
  assert.equal(code, 0)
  assert.match(stdout, /Columns, guessed: .*latitude=lat/)
  assert.match(stdout, /\n +2 +P1 +2025-03-01T09:00:00.000Z +1 +2/)
  assert.match(stdout, /\n +3 .*day number of a spreadsheet/)
  const mapped = await here(...args, '--map', 'latitude=y', '--json')
  const [preview] = JSON.parse(mapped.stdout).files
  assert.deepEqual([preview.rows[0].values.latitude, preview.columns.used.latitude], [9, 'y'])
  const unfit = await here(...args, '--map', 'latitude=nope')
  assert.equal(unfit.code, 1)
  assert.match(unfit.stderr, /has no column 'nope'/)
  const first = JSON.parse((await here(...positions('--json', file, '--create-objects'))).stdout)
  assert.equal(first.accepted, 1)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends an import after its batch, reports the imported rows, and exits with 1`, async () => {
    const options = ['--create-objects', '--format', 'csv', '--json', '--data', data]
    const child = start(positions(...options, '-'))
    const ended = endOf(child)
    const ident = `S-${signal}`
    const rows = Array.from({ length: 12_000 }, (_, at) => `${ident},${1740819600 + at},1,2\n`)
    child.stdin.on('error', () => {}).write(HEADER + rows.join(''))
    await objectExists(ident)
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    assert.equal(code, 1)
    const summary = JSON.parse(stdout)
    assert.ok(summary.accepted >= 10_000)
    assert.equal(summary.read, summary.accepted)
    assert.match(stderr, /interrupted.*It is safe to run the import again/)
  })
}

/** Waits until the first batch of the running import is stored. */
async function objectExists(ident: string): Promise<void> {
  const { openStore } = await import('../compose.ts')
  const store = await openStore({ folder: data })
  try {
    for (;;) {
      const found = (await store.objects.list(1)).some((object) => object.ident === ident)
      if (found) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    await store.close()
  }
}
