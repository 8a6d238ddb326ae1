import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

const BIN = join(import.meta.dirname, '../../bin/fleetgate.js')
const HEADER = 'ident,time,lat,lon\n'

let folder: string
let data: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleetgate-cli-import-'))
  data = join(folder, 'data')
  await run('', 'org', 'create', 'Fleet')
})
after(() => rm(folder, { recursive: true }))

function start(...args: string[]) {
  const { FLEETGATE_DEBUG: _, ...env } = process.env
  return spawn(process.execPath, [BIN, ...args, '--data', data], { env: { ...env, NO_COLOR: '1' } })
}

async function outcomeOf(child: ReturnType<typeof start>) {
  const texts = [child.stdout, child.stderr].map(async (stream) =>
    Buffer.concat(await Array.fromAsync(stream)).toString(),
  )
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...texts])
  return { code: code as number | null, stdout: stdout!, stderr: stderr! }
}

async function run(input: string, ...args: string[]) {
  const child = start(...args)
  child.stdin.on('error', () => {}).end(input)
  return outcomeOf(child)
}

const positions = (...args: string[]) => ['import', 'positions', '--org', '1', ...args]

test('several files are accounted for one by one and in all', async () => {
  const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
  await writeFile(a, `${HEADER}A1,1740819600,1,2\nA1,1740819600,0,0\n`)
  await writeFile(b, `${HEADER}A1,1740819600,1,2\nA1,1740819600,1,3\n`)
  const told = await run('', ...positions('--create-objects', '--json', a, b))
  assert.equal(told.code, 0)
  assert.equal(told.stderr, '')
  const { files, ...total } = JSON.parse(told.stdout)
  assert.deepEqual(
    [total.read, total.accepted, total.duplicate, total.conflict, total.rejected, total.created],
    [4, 1, 1, 1, 1, 1],
  )
  assert.deepEqual(
    files.map((each: { read: number; rejected: number }) => [each.read, each.rejected]),
    [
      [2, 1],
      [2, 0],
    ],
  )
  const { stdout } = await run('', ...positions(a, b))
  assert.match(
    stdout,
    /^FILE +READ +ACCEPTED +DUPLICATE +CONFLICT +REJECTED\na.csv +2 +0 +0 +1 +1\n/,
  )
  assert.match(stdout, /\ntotal +4 +0 +1 +2 +1\n/)
  assert.match(stdout, /Rejected, no_fix: 1\n {2}a.csv:3: .*\n {6}A1,1740819600,0,0\n/)
})

test('wrong use exits with 2 and says what would be right', async () => {
  const file = join(folder, 'c.csv')
  await writeFile(file, `${HEADER}A1,1740819600,1,2\n`)
  for (const [args, message] of [
    [positions('--map', 'foo=bar', file), /no field 'foo'; there are ident, time_device/],
    [positions('--map', 'ident=bar', file), /no column 'bar'; it has ident, time, lat, lon/],
    [positions('--speed-unit', 'warp', file), /warp/],
    [positions('-'), /the standard input does not tell the format: give --format/],
    [positions(join(folder, 'c.parquet')), /'.*c\.parquet'/],
    [['import', 'objects', '--org', '1', '--map', 'latitude=a', file], /no field 'latitude'/],
  ] as const) {
    await writeFile(join(folder, 'c.parquet'), '')
    const told = await run('', ...args)
    assert.equal(told.code, 2, args.join(' '))
    assert.equal(told.stdout, '')
    assert.match(told.stderr, message)
  }
})

test('a file that cannot be read exits with 1; what came before it is told', async () => {
  const file = join(folder, 'd.csv')
  await writeFile(file, `${HEADER}A1,1740819700,1,2\n`)
  const absent = join(folder, 'absent.csv')
  const alone = await run('', ...positions(absent))
  assert.deepEqual([alone.code, alone.stdout], [1, ''])
  assert.match(alone.stderr, /cannot read '.*absent.csv': there is no such file/)
  const later = await run('', ...positions('--create-objects', '--json', file, absent))
  assert.equal(later.code, 1)
  assert.equal(JSON.parse(later.stdout).accepted, 1)
  assert.match(later.stderr, /absent.csv/)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends an import after its batch, tells what is in, and exits with 1`, async () => {
    const child = start(...positions('--create-objects', '--format', 'csv', '--json', '-'))
    const outcome = outcomeOf(child)
    const ident = `S-${signal}`
    const rows = Array.from({ length: 12_000 }, (_, at) => `${ident},${1740819600 + at},1,2\n`)
    child.stdin.on('error', () => {}).write(HEADER + rows.join(''))
    await objectExists(ident)
    child.kill(signal)
    const { code, stdout, stderr } = await outcome
    assert.equal(code, 1)
    const summary = JSON.parse(stdout)
    assert.ok(summary.accepted >= 10_000)
    assert.equal(summary.read, summary.accepted)
    assert.match(stderr, /interrupted.*running it again is safe/)
  })
}

/** Waits until the first batch of the running import is in. */
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
