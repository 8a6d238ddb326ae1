/** All rows, page after page. */
export async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** The rows of each key, by their first row. */
export function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}

/** The rows that follow one another with the same key, so that only those are in memory. */
export async function* runsOf<Row>(
  rows: AsyncIterable<Row>,
  keyOf: (row: Row) => number,
): AsyncGenerator<Row[]> {
  let run: Row[] = []
  for await (const row of rows) {
    if (run.length > 0 && keyOf(run[0]!) !== keyOf(row)) {
      yield run
      run = []
    }
    run.push(row)
  }
  if (run.length > 0) yield run
}

/** Adds what is known. Null: nothing is known. */
export function plus(sum: number | null, value: number | null): number | null {
  return value === null ? sum : (sum ?? 0) + value
}

/** With the 2 decimals of distances. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100
}
