import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, formatFigures, isMet } from './figures.ts'

export { type Figure, median, overRounds, percentile } from './figures.ts'

/**
 * `--small` takes less of everything, to see that a script runs; its figures are rough. `--profile`
 * has every Fleetgate write a profile of its processor's time into a folder.
 */
const { values: options, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    small: { type: 'boolean' },
    profile: { type: 'string' },
  },
  allowPositionals: true,
})

/** What a script was given beside its options. */
export const given: readonly string[] = positionals

export const isSmall = options.small === true

/** The folder for profiles, where they are wanted. */
export const profileFolder = options.profile

/** Tells what is being done, beside the result. */
export function progress(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** Tells figures as soon as they are found, so that a long script that is stopped has not run for nothing. */
export function found(figures: Figure[]): Figure[] {
  progress(`\n${formatFigures(figures)}`)
  return figures
}

/** Prints the figures, as a table or with `--json` as one object; the process fails if a bar is missed. */
export function report(title: string, figures: Figure[]): void {
  const passed = figures.every(isMet)
  if (!passed) process.exitCode = 1
  const machine = `${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.version}`
  if (options.json) {
    const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) }))
    process.stdout.write(`${JSON.stringify({ title, machine, passed, figures: judged })}\n`)
  } else {
    process.stdout.write(`${title}\n${machine}\n\n${formatFigures(figures)}`)
  }
}
