/** A measured figure, with its target if it has one. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The lowest and the highest round; `value` is their median. */
  spread?: [lowest: number, highest: number]
  atLeast?: number
  atMost?: number
}

/** Combines the rounds of a measurement into their median and range. */
export function overRounds<Round>(
  rounds: readonly Round[],
  of: (round: Round) => number,
): Required<Pick<Figure, 'value' | 'spread'>> {
  const values = rounds.map(of)
  return { value: median(values), spread: [Math.min(...values), Math.max(...values)] }
}

/** The median of several measurements, on which one bad round has no influence. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The smallest value that at least `share` of the values do not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export type Verdict = 'met' | 'unproven' | 'missed'

/**
 * Judges a figure by its target; undefined without a target. A median that keeps the bar proves nothing while a round
 * does not keep it: another run could miss it.
 */
export function verdictOf({ value, spread, atLeast, atMost }: Figure): Verdict | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined
  const keeps = (each: number) => each >= (atLeast ?? -Infinity) && each <= (atMost ?? Infinity)
  if (!keeps(value)) return 'missed'
  return spread === undefined || spread.every(keeps) ? 'met' : 'unproven'
}

/** Whether no figure has a target that it misses or does not prove. */
export function areMet(figures: readonly Figure[]): boolean {
  return figures.every((figure) => (verdictOf(figure) ?? 'met') === 'met')
}

/** The target of a figure in words; empty without a target. */
export function barOf({ atLeast, atMost }: Figure): string {
  return [
    ...(atLeast === undefined ? [] : [`at least ${formatNumber(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${formatNumber(atMost)}`]),
  ].join(', ')
}

/** `2.1 to 2.4`; empty without rounds. */
export function rangeOf({ spread }: Figure): string {
  return spread === undefined ? '' : spread.map(formatNumber).join(' to ')
}

/** Rounds to the significant decimals. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 100 ? 0 : size >= 0.1 ? 2 : 4
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** Figures and their verdicts, as text for a terminal. */
export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    formatNumber(figure.value),
    figure.unit,
    [rangeOf(figure), formatVerdict(figure)].filter((text) => text !== '').join('  '),
  ])
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length))
  const [names, values, units] = [width(0), width(1), width(2)]
  return rows
    .map(([name, value, unit, bar]) => {
      const line = `${name!.padEnd(names)}  ${value!.padStart(values)} ${unit!.padEnd(units)}  ${bar}`
      return `${line.trimEnd()}\n`
    })
    .join('')
}

function formatVerdict(figure: Figure): string {
  const verdict = verdictOf(figure)
  if (verdict === undefined) return ''
  return `${verdict === 'met' ? verdict : verdict.toUpperCase()}: ${barOf(figure)}`
}
