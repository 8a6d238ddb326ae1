import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seeded } from '../../../packages/server/testing/random.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import { readLines, WHOLE, skip as withoutFleet } from '../real-fleet/bus-lines.ts'
import { shuffled } from './operations/rows.ts'

/**
 * `follower.py` was written from the reference of /changes alone, and does no more than that says. Its copy must equal
 * the answers.
 */
const FOLLOWER = fileURLToPath(new URL('follower.py', import.meta.url))
const withoutPython = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is absent'

const EVER = 'from_time=2000-01-01&to_time=2030-01-01'
/** One day of the three, also in the whole form: all its buses. */
const BUS_DAY = ',2017-03-21T'
const BATCH = 400
const MINUTE_MS = 60_000
const WINDOW_MS = 10_000
/** Records follow within a second on a quiet machine, and those of a whole day within minutes. */
const PATIENCE_MS = WHOLE ? 600_000 : 60_000
const LOOK_MS = 100

const fleet = await startFleet()

describe('A follower in Python', { skip: withoutPython }, () => {
  it('has what the answers have of a shuffled day, edited, deleted and recomputed', async (t) => {
    await assertFollowed(t, smallDay())
  })

  it('has what the answers have of a shuffled day of real buses', {
    skip: withoutFleet,
  }, async (t) => {
    const fixes = readLines(40, 4).filter(({ isFix, text }) => isFix && text.includes(BUS_DAY))
    const rows = fixes.map(({ ident, time, latitude, longitude, speed }) => {
      return { ident, time_device: new Date(time).toISOString(), latitude, longitude, speed }
    })
    await assertFollowed(t, rows)
  })
})

type SentRow = {
  ident: string
  time_device: string
  latitude: number
  longitude: number
  speed: number
}

/** Four vans that drive and stop by turns, each in its own rhythm. */
function smallDay(): SentRow[] {
  const begin = Date.parse('2026-03-02T05:00:00Z')
  return [3, 5, 7, 11].flatMap((rhythm, van) => {
    let latitude = 41
    return Array.from({ length: 150 }, (_, minute) => {
      const speed = Math.floor(minute / rhythm) % 3 === 2 ? 0 : 20 + rhythm
      latitude += speed / 60 / 111
      const time_device = new Date(begin + minute * MINUTE_MS).toISOString()
      return { ident: `van-${van}`, time_device, latitude, longitude: 2 + van, speed }
    })
  })
}

async function assertFollowed(t: TestContext, day: readonly SentRow[]): Promise<void> {
  const own = await senderOf(fleet, fleet.take(), '--create-objects')
  const copy = startFollower(t, own)
  await copy()
  const random = seeded(1)
  const rows = shuffled(random, day)
  const late = rows.splice(0, BATCH / 4)
  while (rows.length > 0) {
    await own.post(rows.splice(0, BATCH))
    if (random.chance(0.3)) await copy()
  }
  await assertEqual(own, copy)

  const objects: Json[] = resultOf(await own.get('/objects'))
  const [edited, deleted] = objects.filter(({ ident }) => day.some((row) => row.ident === ident))
  const org = ['--org', String(own.id)]
  const settings = ['--name', 'Renamed', '--minimum-moving-speed', '25', '--odometer', '1234.5']
  await fleet.run('objects', 'update', ...org, ...settings, String(edited.id))
  await own.post(late.slice(0, late.length / 2))
  await copy()
  await fleet.run('recompute', ...org, '--quiet')
  await fleet.run('objects', 'delete', '--yes', ...org, String(deleted.id))
  await own.post(late.slice(late.length / 2))
  await assertEqual(own, copy)
}

/** Starts the program. The returned function waits until it has read everything, and returns its copy. */
function startFollower(t: TestContext, { key, time }: Sender): () => Promise<Json> {
  const program = spawn('python3', [FOLLOWER, fleet.server.api, key], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  t.after(async () => {
    program.stdin.end()
    await ended
  })
  return async () => {
    await time.pass(WINDOW_MS)
    program.stdin.write('\n')
    const { done, value } = await lines.next()
    assert.ok(done !== true, 'the program has ended')
    return JSON.parse(value)
  }
}

/** Records are derived after the positions, so the copy may lack them for a moment, and the answers too. */
async function assertEqual(own: Sender, copy: () => Promise<Json>): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const [copied, answers] = [comparable(await copy()), await answersOf(own)]
    try {
      assert.deepEqual(copied, answers)
      return
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
    }
    await pause(LOOK_MS)
  }
}

/** The answers of lists, latest positions, histories and records, in the form of a copy. */
async function answersOf(own: Sender): Promise<Json> {
  await own.time.pass(WINDOW_MS)
  const objects: Json[] = resultOf(await own.get('/objects'))
  const ids = objects.map(({ id }) => id).join()
  const latest: Json[] = resultOf(await own.get('/positions/latest?ids=all'))
  const all = async (path: string) => (await allPages(own.get, path)).rows
  const position = await all(`/positions?ids=${ids}&${EVER}&include=exact`)
  const [trip, stop] = [await all(`/trips?${EVER}`), await all(`/stops?${EVER}`)]
  return comparable({ position, object: objects, state: latest.map(stateIn(objects)), trip, stop })
}

/** The state of an object, from its latest position and its place in the list. */
function stateIn(objects: readonly Json[]) {
  return (row: Json) => ({ ...row, ...objects.find(({ id }) => id === row.id) })
}

/** Exact counters stand for those that are rounded from them. Names are those of the object. */
function comparable({ position, object, state, trip, stop }: Json): Json {
  const objects = new Map<number, Json>(object.map((each: Json) => [each.id, each]))
  const named = (row: Json, id: number) => {
    const { ident, name } = objects.get(id)!
    return { ...row, ident, name }
  }
  const rows = position.map(({ odometer, mileage, engine_hours, ...row }: Json) =>
    named(row, row.id),
  )
  const records = (all: Json[]) => inOrder(all.map((record) => named(record, record.object_id)))
  const settings = object.map((each: Json) => pick(each, OF_SETTINGS))
  const states = state.map((each: Json) => pick(each, OF_STATES))
  return {
    position: inOrder(rows),
    object: inOrder(settings),
    state: inOrder(states),
    trip: records(trip),
    stop: records(stop),
  }
}

/** The fields of a list item that do not move with positions. */
const OF_SETTINGS = [
  'id',
  'name',
  'ident',
  'vehicle_data',
  'accuracy',
  'odometer_type',
  'created_at',
]
const OF_STATES = [
  ...['id', 'time_server', 'time_device', 'time_last_idle', 'time_last_move', 'time_last_stop'],
  ...['engine_hours', 'odometer', 'mileage', 'address', 'latitude', 'longitude', 'altitude'],
  ...['angle', 'speed'],
]

function pick(row: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

function inOrder(rows: Json[]): Json[] {
  return rows.sort((a, b) => a.id - b.id || (a.time_device < b.time_device ? -1 : 1))
}
