/**
 * Builds a data folder with 100,000,000 packed positions of 10,000 objects, and measures it while none of it is cached: the start of the
 * server to its first answer, a history of 10,000 rows to its first byte and as a whole, and the positions of one object and of
 * 1,000 at a moment. A hundred objects are folded and packed as a server does it. The blocks of the others are theirs under other
 * heads, so that the folder takes minutes instead of hours.
 *
 * Run: `node large-folder.ts [millions]`. 100 takes three minutes and 1 GB in the folder for temporary files (`TMPDIR`).
 */
import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { NumberWriter } from '../packages/server/src/base/domain/common/packed-numbers.ts'
import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { DAY_MS, LAST_TIME, systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { BlockOwner } from '../packages/server/src/data/positions/block.ts'
import type { StoredBlock } from '../packages/server/src/data/positions/stored-blocks.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { seeded } from '../packages/server/testing/random.ts'
import { startFleetgate } from './child-server.ts'
import { addFedFleet, type FedFleet } from './fed-fleet.ts'
import { residentBytes } from './processor.ts'
import { type Figure, given, isSmall, median, progress, report } from './report.ts'

const MILLIONS = isSmall ? 0.2 : Number(given[0] ?? 100)
const ROWS = 10_000
const OBJECTS = Math.round((MILLIONS * 1e6) / ROWS)
const TEMPLATES = Math.min(OBJECTS, isSmall ? 2 : 100)
const AT_OBJECTS = Math.min(OBJECTS, 1_000)
const STEP_MS = 10_000
const START = Date.now() - 3 * DAY_MS - ROWS * STEP_MS
const BATCH = 1_000
/** About 0.3 m. */
const NOISE_DEGREES = 3e-6
const TIMES = isSmall ? 2 : 5
const COMMIT_OBJECTS = 100

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-large-'))
const FILE = join(folder.path, 'fleetgate.db')
const begun = performance.now()
const fleet = await fillTemplates()
copyBlocks(fleet)
const built = (performance.now() - begun) / 1_000
progress(`${OBJECTS * ROWS} positions in ${built.toFixed(0)} s`)
report(`${MILLIONS} million packed positions`, await measure(fleet))

/** The fixes of a vehicle that drives, and rests for a fifth of the time, with the noise of a good receiver. */
function fixesOf(vehicle: number): Fix[] {
  const random = seeded(vehicle, 'drive')
  const noise = () => random.between(-NOISE_DEGREES, NOISE_DEGREES)
  let [latitude, longitude, angle] = [30 + vehicle / 100, -97 - vehicle / 100, vehicle * 40]
  return Array.from({ length: ROWS }, (_, row) => {
    const rests = row % 500 > 400
    const speed = rests ? 0 : random.whole(30, 70)
    angle = (angle + random.whole(-5, 5) + 360) % 360
    const metres = (speed / 3.6) * (STEP_MS / 1_000)
    latitude += (metres * Math.cos((angle * Math.PI) / 180)) / 111_000
    longitude += (metres * Math.sin((angle * Math.PI) / 180)) / 96_000
    const time = START + row * STEP_MS
    const sent = time + random.whole(1_000, 3_000)
    const place = [latitude + noise(), longitude + noise()] as const
    return { ...bareFix(time, sent, ...place), speed, angle, ignition: !rests }
  })
}

async function fillTemplates(): Promise<FedFleet> {
  const store = await openStore({ folder: folder.path })
  const fleet = await addFedFleet(store, OBJECTS, { windowRequests: 1_000_000 })
  const { organization, ids } = fleet
  const rules = foldRules(systemClock)
  for (const [vehicle, object] of ids.slice(0, TEMPLATES).entries()) {
    const fixes = fixesOf(vehicle)
    for (let from = 0; from < ROWS; from += BATCH) {
      const batch = fixes.slice(from, from + BATCH).map((fix) => ({ object, fix }))
      await store.positions.append(organization, batch, rules)
    }
    if (vehicle % 10 === 9) progress(`${vehicle + 1} of ${TEMPLATES} objects folded`)
  }
  for (let after: number | null = 0; after !== null; ) {
    after = (await store.positions.pack(organization, LAST_TIME, after)).next
  }
  await store.close()
  return fleet
}

/** Gives each other object the blocks and the state of one that was folded. */
function copyBlocks({ organization, ids }: FedFleet): void {
  using database = new DatabaseSync(FILE)
  const blocks = database.prepare(
    'SELECT * FROM position_blocks WHERE organization = ? AND object = ?',
  )
  const add = database.prepare('INSERT INTO position_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const addState = database.prepare(`
    INSERT INTO object_states
    SELECT organization, ?, last_fix, numbers, address, address_at, attributes, rules FROM object_states
    WHERE organization = ? AND object = ?`)
  const copied = ids.slice(TEMPLATES)
  for (let from = 0; from < copied.length; from += COMMIT_OBJECTS) {
    database.exec('BEGIN')
    for (const [at, object] of copied.slice(from, from + COMMIT_OBJECTS).entries()) {
      const template = ids[(from + at) % TEMPLATES]!
      addState.run(object, organization, template)
      for (const row of blocks.all(organization, template)) {
        const { first_time, last_time, rows, shown, newest_change } = row
        const block = withOwner(row as StoredBlock, { organization, object })
        add.run(organization, object, first_time!, last_time!, rows!, shown!, newest_change!, block)
      }
    }
    database.exec('COMMIT')
    if (from % 1_000 === 0) progress(`${from + TEMPLATES} of ${ids.length} objects`)
  }
}

/** A block of another owner: the owner is a part of its head (`docs/blocks.md`). */
function withOwner({ organization, object, block }: StoredBlock, owner: BlockOwner): Uint8Array {
  const rest = block.subarray(ownerBytes({ organization, object }).length, -4)
  const changed = Buffer.concat([ownerBytes(owner), rest, Buffer.alloc(4)])
  changed.writeUInt32LE(crc32(changed.subarray(0, -4)), changed.length - 4)
  return changed
}

function ownerBytes({ organization, object }: BlockOwner): Uint8Array {
  const out = new NumberWriter()
  for (const number of [1, organization, object]) out.unsigned(number)
  return out.bytes()
}

async function measure({ key, ids }: FedFleet): Promise<Figure[]> {
  const starts: number[] = []
  for (let i = 0; i < TIMES; i += 1) {
    dropCache()
    const begun = performance.now()
    await using server = await startFleetgate(folder.path)
    await ask(server.port, key, `/objects/${ids[0]}`)
    starts.push(performance.now() - begun)
  }
  await using server = await startFleetgate(folder.path)
  const moment = new Date(START + (ROWS / 2) * STEP_MS + 1_000).toISOString()
  const cold = async (pathOf: (time: number) => string) => {
    const times: Answered[] = []
    for (let i = 0; i < TIMES; i += 1) {
      dropCache()
      times.push(await ask(server.port, key, pathOf(i)))
    }
    return {
      firstByte: median(times.map(({ firstByte }) => firstByte)),
      whole: median(times.map(({ whole }) => whole)),
    }
  }
  const object = (time: number) => ids[Math.floor(((time + 1) * OBJECTS) / (TIMES + 2))]!
  const [first, last] = [START, START + ROWS * STEP_MS].map((time) => new Date(time).toISOString())
  const range = `from_time=${first}&to_time=${last}`
  const history = await cold((time) => `/objects/${object(time)}/positions?${range}`)
  const one = await cold((time) => `/positions/at?ids=${object(time)}&time=${moment}`)
  const many = ids.slice(0, AT_OBJECTS).join(',')
  const all = await cold(() => `/positions/at?ids=${many}&time=${moment}`)
  return [
    { name: 'bytes of a position', value: bytesOnDisk() / (OBJECTS * ROWS), unit: '' },
    { name: 'build', value: built, unit: 's' },
    { name: 'start to first answer', value: median(starts), unit: 'ms' },
    { name: `first byte of ${ROWS} rows`, value: history.firstByte, unit: 'ms' },
    { name: `all of ${ROWS} rows`, value: history.whole, unit: 'ms' },
    { name: 'one object at a moment', value: one.whole, unit: 'ms' },
    { name: `${AT_OBJECTS} objects at a moment`, value: all.whole, unit: 'ms' },
    { name: 'memory', value: residentBytes(server.pid) / 2 ** 20, unit: 'MB' },
  ]
}

/** Milliseconds. */
type Answered = { firstByte: number; whole: number }

async function ask(port: number, key: string, path: string): Promise<Answered> {
  const begun = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/public/v1${path}`, {
    headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
  })
  const reader = answer.body!.getReader()
  await reader.read()
  const firstByte = performance.now() - begun
  while (!(await reader.read()).done);
  if (answer.status !== 200) throw new Error(`${answer.status} to ${path}`)
  return { firstByte, whole: performance.now() - begun }
}

/** The database is then read from the disk, and no other file is. */
function dropCache(): void {
  execFileSync('sync')
  execFileSync('dd', [`if=${FILE}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

function bytesOnDisk(): number {
  const said = execFileSync('du', ['-sb', folder.path]).toString()
  return Number.parseInt(said, 10)
}
