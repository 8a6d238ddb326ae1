import { cpus } from 'node:os'
import { parseArgs } from 'node:util'

/** A figure that was measured, and its bar where it has one. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The lowest and the highest of the rounds whose middle one `value` is. */
  spread?: [lowest: number, highest: number]
  atLeast?: number
  atMost?: number
}

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

/** Prints the figures, as a table or with `--json` as one object; the process fails if a bar is missed. */
export function report(title: string, figures: Figure[]): void {
  const passed = figures.every(isMet)
  if (!passed) process.exitCode = 1
  const machine = `${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.version}`
  if (options.json) {
    const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) }))
    process.stdout.write(`${JSON.stringify({ title, machine, passed, figures: judged })}\n`)
    return
  }
  const rows = figures.map((figure) => [
    figure.name,
    format(figure.value),
    figure.unit,
    [rangeOf(figure), verdict(figure)].filter((text) => text !== '').join('  '),
  ])
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length))
  const [names, values, units] = [width(0), width(1), width(2)]
  process.stdout.write(`${title}\n${machine}\n\n`)
  for (const [name, value, unit, bar] of rows) {
    const line = `${name!.padEnd(names)}  ${value!.padStart(values)} ${unit!.padEnd(units)}  ${bar}`
    process.stdout.write(`${line.trimEnd()}\n`)
  }
}

/** What the rounds of a measurement come to: the middle one, and how far they lie apart. */
export function overRounds<Round>(
  rounds: readonly Round[],
  of: (round: Round) => number,
): Required<Pick<Figure, 'value' | 'spread'>> {
  const values = rounds.map(of)
  return { value: median(values), spread: [Math.min(...values), Math.max(...values)] }
}

/** The middle one of several measurements, for which one bad round does not count. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The smallest value that at least the `share` of them do not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function isMet({ value, atLeast, atMost }: Figure): boolean {
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
}

function rangeOf({ spread }: Figure): string {
  return spread === undefined ? '' : `(${spread.map(format).join(' to ')})`
}

function verdict(figure: Figure): string {
  const bars = [
    ...(figure.atLeast === undefined ? [] : [`at least ${format(figure.atLeast)}`]),
    ...(figure.atMost === undefined ? [] : [`at most ${format(figure.atMost)}`]),
  ]
  return bars.length === 0 ? '' : `${isMet(figure) ? 'met' : 'MISSED'}: ${bars.join(', ')}`
}

function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
