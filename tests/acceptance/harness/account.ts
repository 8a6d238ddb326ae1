import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

/** The cost of the tests of one process. */
export type Account = {
  /** Processor seconds by file. */
  seconds: Record<string, number>
  /** The number of skipped tests by reason. */
  skipped: Record<string, number>
  tests: { passed: number; failed: number; skipped: number }
  /** Each test that failed, with the start of its error. */
  failures: string[]
  starts: Starts
  /** Processor seconds of the process, and of those that it started and that have ended. */
  total: number
}

const KINDS = ['server', 'command', 'chromium', 'postgres', 'redis-server', 'other'] as const
type Kind = (typeof KINDS)[number]
/** How many processes of a kind were started. */
export type Starts = Partial<Record<Kind, number>>

/** Linux counts ticks of 10 ms. */
const TICKS_A_SECOND = 100
const DEAREST = 10

/** Counts the processes that this process starts from now on. */
export function countStarts(): () => Starts {
  // A process has neither file nor arguments yet when the channel reports it.
  const started: ChildProcess[] = []
  subscribe('child_process', (message) => {
    started.push((message as { process: ChildProcess }).process)
  })
  return () => {
    const starts: Starts = {}
    for (const { spawnfile, spawnargs = [] } of started) {
      const kind = kindOf(spawnfile, spawnargs)
      starts[kind] = (starts[kind] ?? 0) + 1
    }
    return starts
  }
}

function kindOf(file: string | undefined, args: string[]): Kind {
  const program = args.findIndex((arg) => /fleetgate(\.js)?$/.test(arg))
  if (program >= 0) return args.includes('serve', program) ? 'server' : 'command'
  // A program that needs another user is started by `setpriv`.
  const names = [file ?? '', ...args].map((each) => basename(each))
  return KINDS.find((kind) => names.includes(kind)) ?? 'other'
}

/** Processor seconds of this process, and of those that it started and that have ended. */
export function secondsUsed(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + secondsOfEnded()
}

/** 0 where there is no /proc. */
function secondsOfEnded(): number {
  try {
    // The fields after the name, which may hold anything: cutime and cstime are the 14th and 15th of them.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND
  } catch {
    return 0
  }
}

/** The sums of several accounts. */
export function addAccounts(accounts: readonly Account[]): Account {
  const sum: Account = {
    ...{ seconds: {}, skipped: {}, starts: {}, total: 0 },
    tests: { passed: 0, failed: 0, skipped: 0 },
    failures: [],
  }
  for (const each of accounts) {
    for (const name of ['seconds', 'skipped', 'tests', 'starts'] as const) {
      const to: Record<string, number> = sum[name]
      for (const [key, value] of Object.entries(each[name])) to[key] = (to[key] ?? 0) + value
    }
    sum.failures.push(...each.failures)
    sum.total += each.total
  }
  return sum
}

/** The table at the end of a run. */
export function formatAccount(
  { seconds, skipped, starts, total }: Account,
  wallSeconds: number,
): string {
  const dearest = Object.entries(seconds)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, DEAREST)
    .map(([file, used]) => `${used.toFixed(1).padStart(7)}  ${relative('', file)}`)
  const started = KINDS.map((kind) => `${starts[kind] ?? 0} ${kind}`).join(', ')
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`)
  return [
    `Processor: ${total.toFixed(0)} s in ${wallSeconds.toFixed(0)} s. The dearest files, in seconds of processor:`,
    ...dearest,
    `Processes: ${started}.`,
    `Skipped: ${reasons.length === 0 ? 'none' : reasons.join('; ')}.`,
    '',
  ].join('\n')
}

/** The kinds of which a run started more processes than it may. */
export function beyond(starts: Starts, most: Starts): string[] {
  return KINDS.filter((kind) => (starts[kind] ?? 0) > (most[kind] ?? Infinity)).map(
    (kind) => `${starts[kind]} processes of the kind '${kind}', at most ${most[kind]} are allowed`,
  )
}
