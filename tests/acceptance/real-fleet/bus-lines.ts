import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '../harness/deployment.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import type { BusFix } from './bus-rows.ts'

/** The files of Capital Metro's buses. Whole: all buses of three days. Quick: some buses of one day. */
export const WHOLE = process.env.REAL_FLEET === 'whole'
const FOLDER = join(REPOSITORY, '../shared/data/capmetro')
const DAYS = WHOLE ? ['2017-03-16', '2017-03-21', '2017-04-18'] : ['2017-03-21']
const KMH_PER_MPS = 3.6

export const skip = existsSync(FOLDER) ? false : `${FOLDER} is not there`

/** A line of a file. `isFix`: whether its vehicle had a fix. */
export type Line = BusFix & { text: string; ident: string; isFix: boolean }

const linesOf = (day: string) =>
  readFileSync(join(FOLDER, `${day}.csv`), 'utf8')
    .trimEnd()
    .split('\n')

/** The lines in the order of the files; in the quick form those of the buses whose number modulo `every` is `rest`. */
export function readLines(every: number, rest: number): Line[] {
  const lines = DAYS.flatMap((day) => linesOf(day).slice(1).map(lineOf))
  return WHOLE ? lines : lines.filter(({ ident }) => Number(ident) % every === rest)
}

function lineOf(text: string): Line {
  const [ident, timestamp, speed, , , latitude, longitude] = text.split(',') as string[]
  const at = { latitude: Number(latitude), longitude: Number(longitude) }
  // In whole micrometers, so that rounding is exact.
  const kmh = Math.round(Math.round(Number(speed) * 1e6) * KMH_PER_MPS) / 1e6
  const isFix = at.latitude !== 0 || at.longitude !== 0
  return { text, ident: ident!, time: Date.parse(timestamp!), ...at, speed: kmh, isFix }
}

/** The fixes of each bus in order. Of two of one moment the first one counts: they are the same. */
export function fixesOf(lines: readonly Line[]): Map<string, BusFix[]> {
  const fixes = Map.groupBy(
    lines.filter(({ isFix }) => isFix),
    ({ ident }) => ident,
  )
  return new Map(
    Array.from(fixes, ([ident, own]) => [
      ident,
      own
        .toSorted((a, b) => a.time - b.time)
        .filter(({ time }, index, all) => time !== all[index - 1]?.time),
    ]),
  )
}

/** Imports lines in their order. Returns the summary. The exit code says whether all of them are in. */
export async function importLines(
  { args }: Deployment,
  organization: number,
  lines: readonly Line[],
): Promise<Json> {
  const { runHere } = await commandLine()
  const file = join(temporaryFolder(), 'positions.csv')
  const [header] = linesOf(DAYS[0]!)
  writeFileSync(file, [header, ...lines.map(({ text }) => text), ''].join('\n'))
  const { code, stdout } = await runHere([
    ...['import', 'positions', '--json', '--org', String(organization), ...args],
    ...['--map', 'ident=vehicle_id,time_device=timestamp', '--speed-unit', 'mps'],
    ...['--create-objects', file],
  ])
  const summary = JSON.parse(stdout)
  assert.equal(code, summary.complete ? 0 : 1)
  return summary
}
