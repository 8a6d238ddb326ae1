/** A plain filter: the first position of each interval of UTC, and the last position. In the order of time. */
export function everyStep<Row extends { time_device: string }>(
  rows: readonly Row[],
  seconds: number,
): Row[] {
  const intervalOf = ({ time_device }: Row) => Math.floor(Date.parse(time_device) / 1_000 / seconds)
  return rows.filter(
    (row, i) => i === 0 || i === rows.length - 1 || intervalOf(row) !== intervalOf(rows[i - 1]!),
  )
}
