/**
 * Measures the answers of /coverage and /days for a month of 25 vehicles: the first one, repeated ones, and the first
 * ones after a late fix into a day that has ended.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { readJson } from './answered-rows.ts'
import { startFleetgate } from './child-server.ts'
import { connect } from './connection.ts'
import { DRIVE_START, driveFix } from './drive.ts'
import { addFedFleet, type FedFleet } from './fed-fleet.ts'
import { identOf } from './feed-packets.ts'
import { processorSeconds } from './processor.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'

const VEHICLES = 25
const DAYS = isSmall ? 3 : 30
const ROUNDS = isSmall ? 2 : 5
/** A vehicle sends each minute. It drives from midnight to noon, and is parked from then on. */
const MINUTES_A_DAY = 1_440
const DRIVEN_MINUTES = 720
const BATCH = 5_000
/** The rate window of an organization, and the requests that it admits. */
const WINDOW_MS = 10_000
const ADMITTED = 10
const OPERATIONS = ['coverage', 'days'] as const

type Answer = { ms: number; processorMs: number }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${(VEHICLES * DAYS * MINUTES_A_DAY).toLocaleString('en')} rows of ${VEHICLES} vehicles`)
const store = await openStore({ folder: folder.path })
const fleet = await addFedFleet(store, VEHICLES, { maximumAge: 36_500 })
await addMonth(store, fleet)
await store.close()
await using server = await startFleetgate(folder.path)
let asked = 0

const figures: Figure[] = []
for (const operation of OPERATIONS) {
  progress(`/${operation}`)
  const first = await ask(operation)
  const repeated: Answer[] = []
  while (repeated.length < ROUNDS) repeated.push(await ask(operation))
  const late: Answer[] = []
  while (late.length < ROUNDS) {
    await sendLate(late.length)
    late.push(await ask(operation))
  }
  figures.push(
    ...figuresOf(`/${operation}, first`, [first]),
    ...figuresOf(`/${operation}, repeated`, repeated),
    ...figuresOf(`/${operation}, after a late fix`, late),
  )
}
report(`${DAYS} days of ${VEHICLES} vehicles`, figures)

async function ask(operation: (typeof OPERATIONS)[number]): Promise<Answer> {
  asked += 1
  if (asked % ADMITTED === 0) await sleep(WINDOW_MS)
  const [from, to] = [dateOf(0), dateOf(DAYS - 1)]
  const path = `/public/v1/${operation}?from_date=${from}&to_date=${to}`
  const before = processorSeconds(server.pid)
  const begun = performance.now()
  const answer = await readJson<{ result: unknown[] }>(server.port, path, {
    'x-api-key': fleet.key,
  })
  const ms = performance.now() - begun
  if (answer.result.length !== VEHICLES * DAYS) throw new Error(`${answer.result.length} days came`)
  return { ms, processorMs: (processorSeconds(server.pid) - before) * 1_000 }
}

/** Sends a fix between two rows in the middle of the range. Each round has a vehicle of its own. */
async function sendLate(round: number): Promise<void> {
  const { timeDevice, latitude, longitude } = fixAt((DAYS >> 1) * MINUTES_A_DAY + asked)
  const row = { ident: identOf(round), time_device: timeDevice + 30_000, latitude, longitude }
  const body = JSON.stringify([{ ...row, speed: 30, ignition: true }])
  const head = `POST /feed/v1/positions HTTP/1.1\r\nHost: x\r\nx-feed-token: ${fleet.token}\r\nContent-Length: ${body.length}\r\n\r\n`
  // The server closes a connection that is idle for as long as a first answer takes.
  const feed = await connect(server.feedPort)
  await new Promise<void>((resolve, reject) => {
    feed.send(Buffer.from(head + body), (status) => {
      if (status === 200) resolve()
      else reject(new Error(`${status} to a fix`))
    })
  })
  feed.close()
}

async function addMonth(store: Store, { organization, ids }: FedFleet): Promise<void> {
  for (const object of ids) {
    for (let from = 0; from < DAYS * MINUTES_A_DAY; from += BATCH) {
      const size = Math.min(BATCH, DAYS * MINUTES_A_DAY - from)
      const batch = Array.from({ length: size }, (_, i) => ({ object, fix: fixAt(from + i) }))
      await store.positions.append(organization, batch, foldRules(systemClock))
    }
  }
}

function fixAt(minute: number): Fix {
  const ofDay = minute % MINUTES_A_DAY
  if (ofDay < DRIVEN_MINUTES) return driveFix(minute * 60)
  const parked = driveFix((minute - ofDay + DRIVEN_MINUTES) * 60)
  const { timeDevice, timeServer } = driveFix(minute * 60)
  return { ...parked, timeDevice, timeServer, speed: 0, ignition: false }
}

function dateOf(day: number): string {
  return new Date(DRIVE_START + day * 86_400_000).toISOString().slice(0, 10)
}

function figuresOf(name: string, answers: readonly Answer[]): Figure[] {
  const over = (of: (answer: Answer) => number) =>
    answers.length === 1 ? { value: of(answers[0]!) } : overRounds(answers, of)
  return [
    { name, ...over(({ ms }) => ms), unit: 'ms' },
    { name: `${name}, processor`, ...over(({ processorMs }) => processorMs), unit: 'ms' },
  ]
}
