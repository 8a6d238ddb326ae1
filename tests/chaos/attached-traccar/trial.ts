/**
 * Follows a Traccar in a real database whose forward loses positions and whose database goes away: devices that report
 * late, twice, without a fix and with wrong clocks, an outage of some minutes now and then, a day that is deleted here, old
 * positions that Traccar deletes, a new device and a killed follower. Prints whether all that Traccar has is here after a
 * last sweep, or has its reason.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { json, start } from '../../../packages/server/testing/command-line/spawned.ts'
import { startMariadb } from '../../../packages/server/testing/servers/mariadb.ts'
import { startPostgres } from '../../../packages/server/testing/servers/postgres.ts'
import { makeTraccar } from '../../../packages/server/testing/traccar/traccar-database.ts'
import { startServer } from '../server.ts'
import { compare, positionsIn } from './compare.ts'
import { openLossyForward } from './lossy-forward.ts'
import { DAY_MS, isAcceptable, keyOf, openTracker, rowOf, SECOND_MS, written } from './tracker.ts'

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: 'postgres' },
    minutes: { type: 'string', default: '60' },
    devices: { type: 'string', default: '20' },
  },
})
const isMariadb = values.on === 'mariadb'
const minutes = Number(values.minutes)
const devices = Array.from({ length: Number(values.devices) }, (_, index) => index + 1)

const folder = mkdtempSync(join(tmpdir(), 'fleetgate-follow-'))
const data = join(folder, 'data')
const server = isMariadb ? await startMariadb() : await startPostgres()
const stopSource = () => ('kill' in server ? server.kill() : server.halt('immediate'))
/** Moments that are stored, and that Traccar may not have. */
const known = new Set<string>()
const tally = { inserted: 0, refused: 0, away: 0 }
try {
  await trial()
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function trial(): Promise<void> {
  const traccar = await makeTraccar(isMariadb ? 'mysql' : 'postgres', await server.database())
  const began = Date.now()
  const user = { id: 1, name: 'Acme', email: 'acme@example.com', administrator: false }
  await traccar.insert('tc_users', [user])
  const addDevice = async (id: number) => {
    const about = { id, name: `Van ${id}`, uniqueid: `imei-${id}`, attributes: {} }
    await traccar.insert('tc_devices', [about])
    await traccar.insert('tc_user_device', [{ userid: 1, deviceid: id }])
  }
  const tracker = openTracker(isMariadb ? SECOND_MS : 1)
  const steps = Array.from(
    { length: 480 },
    (_, step) => began - 4 * DAY_MS + step * 720 * SECOND_MS,
  )
  for (const id of devices) await addDevice(id)
  const history = devices.flatMap((id) => steps.map((time) => rowOf(tracker.at(id, time))))
  await traccar.insert('tc_positions', history)

  const place = ['--plan', join(folder, 'traccar.json'), '--to', data]
  const args = ['attach', 'traccar', '--database', traccar.readerUrl, ...place, '--quiet']
  await json(args, {})
  await json(args, {})
  const at = ['--data', data]
  const fleetgate = await startServer(at)
  const { token } = await json(['routing', 'token', 'issue', '--name', 'Traccar', ...at], {})
  const feed = `http://127.0.0.1:${fleetgate.feedPort}/feed/v1/traccar`
  const forward = openLossyForward(feed, token, minutes * SECOND_MS)
  let follower = follow(args)

  const day = Math.floor(began / DAY_MS) * DAY_MS - 2 * DAY_MS
  const erased = { device: 1, from: day, to: day + DAY_MS - 1 }
  async function eraseDay(): Promise<void> {
    const [from, to] = [erased.from, erased.to].map((time) => new Date(time).toISOString())
    const range = ['--org', '1', '--object', '1', '--from', from!, '--to', to!]
    await json(['positions', 'delete', ...range, '--yes', ...at], {})
  }
  async function changeCatalogue(): Promise<void> {
    const id = devices.length + 1
    await addDevice(id)
    devices.push(id)
    await traccar.run("UPDATE tc_devices SET name = 'Van One' WHERE id = 1")
  }
  async function deleteOld(): Promise<void> {
    const old = `fixtime < '${written(began - 3.5 * DAY_MS)}'`
    for (const each of await positionsIn(traccar.url, old)) known.add(keyOf(each))
    await traccar.run(`DELETE FROM tc_positions WHERE ${old}`)
  }
  async function killFollower(): Promise<void> {
    await follower.end('SIGKILL')
    follower = follow(args)
  }
  const outage = (from: number, length: number): [number, () => Promise<void>][] => [
    [from, stopSource],
    [from + length, () => server.start()],
  ]
  const course: [fraction: number, what: () => Promise<void> | void][] = [
    ...outage(0.12, 1 / 30),
    [0.25, eraseDay],
    [0.33, changeCatalogue],
    ...outage(0.4, 1 / 20),
    [0.52, deleteOld],
    [0.6, killFollower],
    ...outage(0.7, 1 / 15),
    [0.82, () => forward.cut(true)],
    [0.87, () => forward.cut(false)],
  ]
  const dueAt = (fraction: number) => began + fraction * minutes * 60 * SECOND_MS
  for (let turn = 0; Date.now() < dueAt(1); turn += 1) {
    while (course.length > 0 && Date.now() >= dueAt(course[0]![0])) await course.shift()![1]()
    const sent = devices.filter((id) => id % 2 === turn % 2).map((id) => tracker.next(id))
    await traccar.insert('tc_positions', sent.map(rowOf)).then(
      () => (tally.inserted += sent.length),
      () => (tally.refused += sent.length),
    )
    for (const each of sent) if (forward.pass(each) && isAcceptable(each)) known.add(keyOf(each))
    await pause(SECOND_MS - (Date.now() % SECOND_MS))
  }
  await forward.drained()
  const following = await follower.end('SIGTERM')
  fleetgate.signal('SIGTERM')
  await fleetgate.ended
  const { read: atTheEnd, devices: reported } = await json(args, {})
  const { read: twice } = await json(args, {})
  const found = await compare(traccar.url, data, known, erased, reported)
  const { missing, surplus, inErased, uncounted, withoutReason } = found
  const isRight = [
    missing,
    surplus,
    inErased,
    uncounted,
    withoutReason,
    forward.tally.failed,
    twice,
  ].every((each) => each === 0)
  const about = { on: values.on, minutes, ...tally, ...forward.tally, following, atTheEnd, twice }
  process.stdout.write(`${JSON.stringify({ ...about, ...found, isRight }, null, 2)}\n`)
  if (!isRight) process.exitCode = 1
}

function follow(args: readonly string[]) {
  const child = start([...args, '--follow', '--every', '1', '--json'])
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('cannot be reached')) tally.away += 1
    else process.stderr.write(text)
  })
  return {
    /** Returns what it read, unless it was killed, and what it took. */
    async end(signal: NodeJS.Signals) {
      const ended = once(child, 'close')
      const [status, times] = ['status', 'stat'].map((name) =>
        readFileSync(`/proc/${child.pid}/${name}`, 'utf8'),
      ) as [string, string]
      const [user, system] = times.split(' ').slice(13, 15).map(Number) as [number, number]
      const megabytes = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_000)
      child.kill(signal)
      const [code] = await ended
      const read = said === '' ? null : JSON.parse(said).read
      return { code, read, megabytes, processorSeconds: (user + system) / 100 }
    },
  }
}
