/**
 * Attaches a Traccar in a real database: at once, and killed some times on the way. Prints rate, memory, whether both
 * ended equal, and what the first one, and a comparison with nothing new, had the database do. The numbers of the promise are `--positions 10000000 --devices 500 --days 90 --kills 10`.
 */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { start } from '../packages/server/testing/command-line/spawned.ts'
import { startMariadb } from '../packages/server/testing/servers/mariadb.ts'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import {
  makeTraccar,
  type TraccarDatabase,
} from '../packages/server/testing/traccar/traccar-database.ts'
import { openSourceLoad, type SourceLoad } from './source-load.ts'

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: 'postgres' },
    positions: { type: 'string', default: '100000' },
    devices: { type: 'string', default: '20' },
    days: { type: 'string', default: '10' },
    kills: { type: 'string', default: '3' },
  },
})
const [positions, devices, days, kills] = [
  ...[values.positions, values.devices, values.days, values.kills].map(Number),
] as [number, number, number, number]
const isMariadb = values.on === 'mariadb'

const folder = mkdtempSync(join(tmpdir(), 'fleetgate-attach-'))
const server = isMariadb
  ? await startMariadb()
  : await startPostgres({ shared_preload_libraries: 'pg_stat_statements' })
try {
  const traccar = await makeTraccar(isMariadb ? 'mysql' : 'postgres', await server.database())
  await fill(traccar)
  const reader = new URL(traccar.readerUrl).username
  const loadSince = () => openSourceLoad(isMariadb, traccar.url, reader)
  const ofWhole = await loadSince()
  const whole = await attached(traccar, 'whole', 0)
  process.stdout.write(loadText('taken whole', await ofWhole()))
  const ofNothing = await loadSince()
  await attached(traccar, 'whole', 0)
  process.stdout.write(loadText('compared once more', await ofNothing()))
  const killed = await attached(traccar, 'killed', kills)
  const isEqual = isDeepStrictEqual(whole.devices, killed.devices)
  const rate = Math.round(positions / whole.seconds)
  const most = Math.max(whole.mostBytes, killed.mostBytes) / 1e6
  process.stdout.write(
    `${values.on}: ${positions} positions of ${devices} devices in ${whole.seconds.toFixed(1)} s, ${rate} a second; at most ${most.toFixed(0)} MB; killed ${kills} times it ends ${isEqual ? 'equal' : 'DIFFERENT'}\n`,
  )
  if (!isEqual || most > 300) process.exitCode = 1
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

function loadText(what: string, { statements, sent, read, seconds }: SourceLoad): string {
  const each = ((seconds * 1e6) / positions).toFixed(1)
  return `${what}: ${statements} statements, ${sent} rows sent and ${read} read, ${seconds.toFixed(2)} s in the database (${each} µs a position)\n`
}

/** Devices that report at one pace; some positions are invalid, repeated, late, or far away. */
async function fill({ insert, run }: TraccarDatabase): Promise<void> {
  const ids = Array.from({ length: devices }, (_, index) => index + 1)
  await insert('tc_users', [
    { id: 1, name: 'Acme', email: 'acme@example.com', administrator: false },
  ])
  await insert(
    'tc_devices',
    ids.map((id) => ({ id, name: `Van ${id}`, uniqueid: `imei-${id}`, attributes: {} })),
  )
  await insert(
    'tc_user_device',
    ids.map((deviceid) => ({ userid: 1, deviceid })),
  )
  const step = (days * 86_400) / (positions / devices)
  const turn = isMariadb ? `seq DIV ${devices}` : `seq / ${devices}`
  const series = isMariadb
    ? `seq_0_to_${positions - 1}`
    : `generate_series(0, ${positions - 1}) AS seq`
  // Every 97th has the time of the previous one.
  const seconds = `FLOOR((${turn} - CASE WHEN (${turn}) % 97 = 96 THEN 1 ELSE 0 END) * ${step})`
  const at = (more: string) =>
    isMariadb
      ? `TIMESTAMP('2026-08-01') + INTERVAL (${seconds} + ${more}) SECOND`
      : `TIMESTAMP '2026-08-01' + (${seconds} + ${more}) * INTERVAL '1 second'`
  const lateness = `CASE WHEN (${turn}) % 300 = 7 THEN 7200 ELSE 2 END`
  const attributes = `'{"sat":9,"ignition":true,"batteryLevel":81,"totalDistance":12345.6,"motion":true}'`
  await run(
    `INSERT INTO tc_positions (protocol, deviceid, fixtime, devicetime, servertime, valid, latitude,
        longitude, altitude, speed, course, accuracy, attributes)
      SELECT 'teltonika', seq % ${devices} + 1, ${at('0')}, ${at('0')}, ${at(lateness)},
        (${turn}) % 50 <> 49, 41.4 + ((${turn}) % 500) * 0.001 + CASE WHEN (${turn}) % 211 = 5 THEN 5 ELSE 0 END,
        2.1 + (seq % ${devices}) * 0.01, 30, 12.5, (${turn}) % 360, 0, ${attributes}
      FROM ${series}`,
    isMariadb ? 'ANALYZE TABLE tc_positions' : 'ANALYZE tc_positions',
  )
}

/** Attaches the database in a new folder, killed some times at moments that follow each other. */
async function attached({ readerUrl }: TraccarDatabase, name: string, times: number) {
  const place = ['--plan', join(folder, `${name}.json`), '--to', join(folder, name)]
  const args = ['attach', 'traccar', '--database', readerUrl, ...place, '--quiet', '--json']
  let mostBytes = 0
  async function run(killAfterMs: number | null): Promise<string> {
    const child = start(args)
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
    child.stderr.pipe(process.stderr)
    const ended = once(child, 'close')
    if (killAfterMs !== null) void pause(killAfterMs).then(() => child.kill('SIGKILL'))
    const watching = setInterval(() => {
      mostBytes = Math.max(mostBytes, peakOf(child.pid!))
    }, 100)
    await ended
    clearInterval(watching)
    return said
  }
  if (!existsSync(place[1]!)) await run(null)
  for (let time = 1; time <= times; time += 1) await run(1_500 + 400 * time)
  const began = performance.now()
  const { devices } = JSON.parse(await run(null))
  return { devices, mostBytes, seconds: (performance.now() - began) / 1000 }
}

/** The most memory that a process has had so far, in bytes. 0: it has ended. */
function peakOf(pid: number): number {
  try {
    return (
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
    )
  } catch {
    return 0
  }
}
