import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { areMet, type Figure, formatFigures } from './figures.ts'

export { type Figure, median, overRounds, percentile } from './figures.ts'

/**
 * `--small` runs a short form with rough figures, to test the script. `--profile` makes every Fleetgate write a
 * CPU profile into a folder.
 */
const { values: options, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    small: { type: 'boolean' },
    profile: { type: 'string' },
    sleeping: { type: 'boolean' },
    shared: { type: 'boolean' },
  },
  allowPositionals: true,
})

/** The positional arguments of the script. */
export const given: readonly string[] = positionals

export const isSmall = options.small === true

/** Whether the client may sleep between answers. */
export const isSleeping = options.sleeping === true

/** Whether to measure on PostgreSQL and Redis. */
export const isShared = options.shared === true

/** The folder for profiles, if requested. */
export const profileFolder = options.profile

/** Reports progress on standard error. */
export function progress(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** Prints figures as soon as they are known, so that a long script that is stopped has a partial result. */
export function found(figures: Figure[]): Figure[] {
  progress(`\n${formatFigures(figures)}`)
  return figures
}

/**
 * Prints the figures as a table, or with `--json` as one object; the process fails if a target is missed or not proven.
 */
export function report(title: string, figures: Figure[]): void {
  if (!areMet(figures)) process.exitCode = 1
  const machine = `${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.version}`
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ title, machine, figures })}\n`)
  } else {
    process.stdout.write(`${title}\n${machine}\n\n${formatFigures(figures)}`)
  }
}
