import assert from 'node:assert/strict'
import type { Json } from '../../harness/fleetgate.ts'
import { type ModelObject, manage, send, type TrialFleet } from '../trial-fleet.ts'
import { rowAt, shuffled } from './rows.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const STEPS_S = [10, 10, 30, 120, 400]

/** New positions of an object, in any order. */
export async function drive(fleet: TrialFleet): Promise<void> {
  await sendRows(fleet, newRows(fleet, fleet.random.whole(1, 12)))
}

/** So many positions that a late one moves counters by a shift instead of rewriting them. */
export async function driveFar(fleet: TrialFleet): Promise<void> {
  await sendRows(fleet, newRows(fleet, fleet.random.whole(120, 300)), 500)
}

/** Positions between and before stored ones. */
export async function sendLate(fleet: TrialFleet): Promise<void> {
  const { random } = fleet
  const object = drivenObject(fleet)
  if (object === undefined) return drive(fleet)
  const times = [...object.rows.keys()]
  const rows = Array.from({ length: random.whole(1, 3) }, () => {
    const shift = random.pick([1, 3, 60, -2 * 60, -HOUR_MS / SECOND_MS]) * SECOND_MS
    return keep(object, random.pick(times) + shift, random.whole(0, 2))
  })
  await sendRows(fleet, rows, 1)
}

/** Positions around the ends of what keys show, so that records leave their ranges and come into them. */
export async function sendAtEnds(fleet: TrialFleet): Promise<void> {
  const { random, model, ends, host } = fleet
  if (model.objects.length === 0 || ends.length === 0) return drive(fleet)
  const object = random.pick(model.objects)
  const end = random.pick(ends)
  const step = random.pick([...STEPS_S, 900]) * SECOND_MS
  const first = random.whole(-6, 4)
  const times = Array.from({ length: random.whole(1, 8) }, (_, at) => end + (first + at) * step)
  const past = times.filter((time) => time <= host.now())
  await sendRows(
    fleet,
    past.map((time) => keep(object, time, 0)),
  )
}

/** Other values for moments that are stored already. */
export async function sendConflict(fleet: TrialFleet): Promise<void> {
  const { random } = fleet
  const object = drivenObject(fleet)
  if (object === undefined) return drive(fleet)
  const times = [...object.rows.keys()]
  const rows = Array.from({ length: random.whole(1, 4) }, () =>
    keep(object, random.pick(times), random.whole(1, 3)),
  )
  await sendRows(fleet, rows)
}

/** Stored rows again, which change nothing. */
export async function sendAgain(fleet: TrialFleet): Promise<void> {
  const object = drivenObject(fleet)
  if (object === undefined) return drive(fleet)
  await sendRows(fleet, shuffled(fleet.random, [...object.rows.values()]).slice(0, 10))
}

/** Rows that are no positions, or that nobody may send. */
export async function sendRefused(fleet: TrialFleet): Promise<void> {
  const { random, host, model } = fleet
  const [object] = model.objects
  if (object === undefined) return
  const row = rowAt(object, host.now() - HOUR_MS, 0)
  const answers = await Promise.all([
    send(fleet, [{ ...row, hdop: 50 }]),
    send(fleet, [{ ...row, time_device: new Date(host.now() + DAY_MS).toISOString() }]),
    send(fleet, [{ ...row, latitude: random.pick([91, null, 'north']) }]),
    send(fleet, [{ ...row, ident: 'nobody' }]),
    send(fleet, [row], 'fg_feed_wrong'),
  ])
  for (const { status } of answers) assert.ok(status < 500, `${status}`)
}

/** A position so far away that it is not believed before another one confirms it. */
export async function jump(fleet: TrialFleet): Promise<void> {
  const rows = newRows(fleet, 3)
  if (rows.length === 0) return
  const away = rows.slice(fleet.random.pick([1, 2]))
  for (const row of away) row.longitude += 5
  await sendRows(fleet, rows)
}

/** A file of positions, new, late and known ones. */
export async function importPositions(fleet: TrialFleet): Promise<void> {
  const { random } = fleet
  const object = drivenObject(fleet)
  const known = object === undefined ? [] : shuffled(random, [...object.rows.values()]).slice(0, 3)
  const rows = shuffled(random, [...newRows(fleet, random.whole(1, 8)), ...known])
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const headers = { 'content-type': 'application/x-ndjson' }
  await manage(fleet, 'POST', '/import/positions', lines, headers)
}

async function sendRows(fleet: TrialFleet, rows: readonly Json[], atOnce?: number): Promise<void> {
  const { random } = fleet
  const size = atOnce ?? random.whole(1, 8)
  const all = shuffled(random, rows)
  for (let from = 0; from < all.length; from += size) {
    const { status, text } = await send(fleet, all.slice(from, from + size))
    assert.equal(status, 200, text)
  }
}

/** Positions after the newest one of an object, as far as the present allows. */
function newRows({ random, host, model }: TrialFleet, count: number): Json[] {
  if (model.objects.length === 0) return []
  const object = random.pick(model.objects)
  const now = host.now()
  const newest = Math.max(...object.rows.keys())
  const start = startOf(now, random.whole(0, 3))
  let time = newest >= start && newest < now ? newest : start
  if (random.chance(0.2)) time = Math.max(time, startOf(now, 0))
  const step = random.pick(STEPS_S) * SECOND_MS
  const rows: Json[] = []
  for (let left = count; left > 0; left -= 1) {
    time += step
    if (time > now) break
    rows.push(keep(object, time, 0))
  }
  return rows
}

/** Some hours before the same time of a day: no retention ends within these hours. */
function startOf(now: number, daysAgo: number): number {
  return now - daysAgo * DAY_MS - 10 * HOUR_MS
}

function keep(object: ModelObject, time: number, variant: number): Json {
  const row = rowAt(object, time, variant)
  if (!object.rows.has(time)) object.rows.set(time, row)
  return row
}

function drivenObject({ random, model }: TrialFleet): ModelObject | undefined {
  const driven = model.objects.filter(({ rows }) => rows.size > 0)
  return driven.length === 0 ? undefined : random.pick(driven)
}
