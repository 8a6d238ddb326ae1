/** A plain filter: the first time of each interval of UTC, and the last time. `times` are in their order. */
export function everyStep(times: readonly number[], stepMs: number): number[] {
  const intervalOf = (time: number) => Math.floor(time / stepMs)
  return times.filter(
    (time, i) =>
      i === 0 || i === times.length - 1 || intervalOf(time) !== intervalOf(times[i - 1]!),
  )
}
