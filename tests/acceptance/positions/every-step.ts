import { everyStep as everyTime } from '../../../packages/server/testing/every-step.ts'

/** The first row of each interval of UTC, and the last row. In the order of time. */
export function everyStep<Row extends { time_device: string }>(
  rows: readonly Row[],
  seconds: number,
): Row[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.time_device), row]))
  return everyTime([...byTime.keys()], seconds * 1_000).map((time) => byTime.get(time)!)
}
