import type { Finding } from '../part.ts'
import type { Tally } from './course.ts'

/** The killed program, and the requirement after each kill. */
export type Judged = {
  what: string
  bar: string
  needsServers?: true
}

/** The result of one course: `fault` ended it early. */
export type Outcome = { kills: number; sums: Record<string, number>; fault: string | undefined }

const WORST_START_MS = 10_000

/** `missing`: the servers that it needs and this machine lacks. */
export function findingOf(kind: Judged, outcomes: Outcome[], missing: string | undefined): Finding {
  const what = `kill -9: ${kind.what}`
  if (kind.needsServers && missing !== undefined) {
    return { what, bar: '', measured: `left out: no ${missing}`, met: true }
  }
  const faults = outcomes.flatMap(({ kills, fault }) =>
    fault === undefined ? [] : [`after ${kills} kills: ${fault}`],
  )
  if (faults.length > 0) return { what, bar: kind.bar, measured: faults.join('; '), met: false }
  const kills = outcomes.reduce((sum, each) => sum + each.kills, 0)
  const figures = Object.entries(sumsOf(outcomes)).map(([name, value]) => `${value} ${name}`)
  return {
    what,
    bar: kind.bar,
    measured: `so after all ${kills}: ${figures.join(', ')}`,
    met: true,
  }
}

function sumsOf(outcomes: Outcome[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const each of outcomes) {
    for (const [name, value] of Object.entries(each.sums)) sums[name] = (sums[name] ?? 0) + value
  }
  return sums
}

/** The totals of all courses; `amount`: the required number of kills. */
export function totals(
  { kills, inStart, inCheckpoint, integrityChecks }: Tally,
  amount: number,
): Finding[] {
  return [
    { what: 'kills in all', bar: `at least ${amount}`, measured: `${kills}`, met: kills >= amount },
    {
      what: 'of these while a server started, and in a checkpoint',
      bar: '',
      measured: `${inStart} and ${inCheckpoint}`,
      met: true,
    },
    {
      what: 'databases that SQLite found sound afterwards',
      bar: '',
      measured: `${integrityChecks}`,
      met: integrityChecks > 0,
    },
  ]
}

/** The times from a kill until everything works again. */
export function recoveries({ startsMs, recoveriesMs }: Tally): Finding[] {
  const [starts, ofPostgres] = [sorted(startsMs), sorted(recoveriesMs)]
  return [
    {
      what: 'from a start after a kill to the first answer',
      bar: `at most ${WORST_START_MS / 1000} s`,
      measured: spread(starts),
      met: (starts.at(-1) ?? 0) <= WORST_START_MS,
    },
    ...(ofPostgres.length === 0 ? [] : [ofPostgresFinding(ofPostgres)]),
  ]
}

function ofPostgresFinding(recoveriesMs: readonly number[]): Finding {
  return {
    what: 'from a kill of PostgreSQL to the next rows stored for everybody',
    bar: '',
    measured: spread(recoveriesMs),
    met: true,
  }
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

function spread(sortedMs: readonly number[]): string {
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1000).toFixed(2)} s`
  const middle = sortedMs[Math.floor(sortedMs.length / 2)]
  return `median ${seconds(middle)}, worst ${seconds(sortedMs.at(-1))} of ${sortedMs.length}`
}
