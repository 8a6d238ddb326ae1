import type { TrialRecord } from './records.ts'

/** The findings of a part, as text for a terminal. */
export function formatFindings({ name, seed, seconds, findings }: TrialRecord): string {
  const rows = findings.map(({ what, bar, measured, met, seed: own }) => [
    met ? '✓' : '✗',
    what,
    measured,
    `${bar === '' ? '' : `(${bar})`}${own === undefined ? '' : ` seed ${own}`}`,
  ])
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length))
  const widths = [1, width(1), width(2), 0]
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  return `${name}: ${seconds} s, seed ${seed}\n${lines.join('\n')}\n\n`
}
