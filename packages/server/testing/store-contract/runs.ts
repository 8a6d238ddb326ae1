/** `FOLD_RUNS` gives another number of runs to each property: `npm run acceptance:stores`. */
const WHOLE = process.env.FOLD_RUNS

/** How often a property of the stores is tried: `small` times by `npm test`. */
export function runsOr(small: number): number {
  return WHOLE === undefined ? small : Number(WHOLE)
}
