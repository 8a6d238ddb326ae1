/** Years of a file: how many rows each has, and the line of the first one. */
type Years = Map<number, { rows: number; line: number }>

/**
 * Finds years that stand alone in a file: the file has rows of other years, and none of the year before and after. A
 * clock that was wrong for a while leaves such a year.
 */
export function loneYears() {
  const years: Years = new Map()

  return {
    /** `time`: ms since the epoch. */
    add(time: number, line: number): void {
      const year = new Date(time).getUTCFullYear()
      const known = years.get(year)
      if (known === undefined) years.set(year, { rows: 1, line })
      else known.rows += 1
    },
    /** Sentences about such years, in their order. A year with as many rows as any is not one of them. */
    notes(source: string): string[] {
      const most = Array.from(years.values(), ({ rows }) => rows).reduce(
        (a, b) => Math.max(a, b),
        0,
      )
      return [...years]
        .filter(([year, { rows }]) => {
          return rows < most && !years.has(year - 1) && !years.has(year + 1)
        })
        .sort(([a], [b]) => a - b)
        .map(([year, { rows, line }]) => {
          const some = rows === 1 ? '1 row' : `${rows} rows`
          return `'${source}' has ${some} of ${year} (the first in line ${line}) and none of the years next to it: check the clock of the device`
        })
    },
  }
}
