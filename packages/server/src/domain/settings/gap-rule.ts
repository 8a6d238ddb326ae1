import { wholeNumber } from './rule.ts'

/** Minutes: 5 minutes to 7 days. */
export const GAP_RULE = {
  ...wholeNumber(5, 10_080),
  says: 'a whole number of minutes from 5 to 10080',
}
