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

export function isMet({ value, atLeast, atMost }: Figure): boolean {
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
}

/** What is demanded of a figure, in words; nothing where nothing is. */
export function barOf({ atLeast, atMost }: Figure): string {
  return [
    ...(atLeast === undefined ? [] : [`at least ${formatNumber(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${formatNumber(atMost)}`]),
  ].join(', ')
}

/** `2.1 to 2.4`; nothing where there were no rounds. */
export function rangeOf({ spread }: Figure): string {
  return spread === undefined ? '' : spread.map(formatNumber).join(' to ')
}

/** As many decimals as tell something. */
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
    [rangeOf(figure), verdict(figure)].filter((text) => text !== '').join('  '),
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

function verdict(figure: Figure): string {
  const bar = barOf(figure)
  return bar === '' ? '' : `${isMet(figure) ? 'met' : 'MISSED'}: ${bar}`
}
