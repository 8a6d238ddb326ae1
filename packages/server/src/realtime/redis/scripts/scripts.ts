import { CHARGE, MERGE } from './counters.ts'
import { FILL, KEEP, OUTDATE, STATES } from './fleet.ts'
import { script } from './script.ts'
import { WINDOW } from './window.ts'

/**
 * The scripts, each with its keys and arguments: the deadline is always the first. Lists of objects
 * are decimal numbers with a space between. Of what is '' nothing is asked.
 */

/** Keys: window, counters, states. Arguments: run, limit, objects to charge, epoch, objects to show. */
export const ASK = script(
  WINDOW,
  CHARGE,
  STATES,
  `
  local admitted, remaining, reset = admit(KEYS[1])
  if admitted == 0 then return { admitted, remaining, reset } end
  local charged = ARGV[4] ~= '' and charge(KEYS[2], ARGV[2], ARGV[4], ARGV[3], 1)
  return { admitted, remaining, reset, charged, states(KEYS[3], ARGV[6], ARGV[5]) }`,
)

/** Keys: counters. Arguments: run, limit, objects, what is added to each. */
export const CHARGE_ALONE = script(
  CHARGE,
  'return charge(KEYS[1], ARGV[2], ARGV[4], ARGV[3], tonumber(ARGV[5]))',
)

/** Keys: counters. Arguments: run, objects, counts. */
export const MERGE_COUNTS = script(MERGE, 'merge(KEYS[1], ARGV[2], ARGV[3], ARGV[4])')

/** Keys: states. Arguments: epoch. The version, of a new hash where there was none. */
export const BEGIN_STATES = script(STATES, `return states(KEYS[1], '', ARGV[2])[1]`)

/** Keys: states. Arguments: epoch, change, the one before, '1' for its last part, objects and entries. */
export const KEEP_STATES = script(
  KEEP,
  `keep(KEYS[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', ARGV[2], 6)`,
)

/** Keys: states. Arguments: epoch, change, '1' for in any case. */
export const OUTDATE_STATES = script(
  OUTDATE,
  `outdate(KEYS[1], tonumber(ARGV[3]), ARGV[4] == '1', ARGV[2])`,
)

/** Keys: states. Arguments: version, objects and entries. */
export const FILL_STATES = script(FILL, 'fill(KEYS[1], ARGV[2], 3)')

/** Keys: states. How many changes of the organization's states are known to be in what is kept. */
export const COUNT_CHANGES = script(
  `
  local kept = redis.call('HMGET', KEYS[1], 'b', 'n')
  return kept[1] and kept[1] + kept[2]`,
)
