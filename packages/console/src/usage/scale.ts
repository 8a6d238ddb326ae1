/** Marks of an axis from 0: round numbers, the last one at or above the largest value. */
export function marksFor(highest: number): number[] {
  const rough = Math.max(1, highest) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough)!
  const whole = Math.max(1, Math.ceil(step))
  const marks = [0]
  while (marks.at(-1)! < highest || marks.length < 3) marks.push(marks.length * whole)
  return marks
}
