import { CHARGE, MERGE } from './counters.ts'
import { FILL, KEEP, OUTDATE, STATES } from './fleet.ts'
import { script } from './script.ts'
import { WINDOW } from './window.ts'

/**
 * The scripts with their keys and arguments. The deadline is always the first argument. Lists of objects
 * are decimal numbers separated by spaces. An empty argument means that nothing is asked.
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

/** Keys: counters. Arguments: run, limit, objects, amount for each. */
export const CHARGE_ALONE = script(
  CHARGE,
  'return charge(KEYS[1], ARGV[2], ARGV[4], ARGV[3], tonumber(ARGV[5]))',
)

/** Keys: counters. Arguments: run, objects, counts. */
export const MERGE_COUNTS = script(MERGE, 'merge(KEYS[1], ARGV[2], ARGV[3], ARGV[4])')

/** Keys: states. Arguments: epoch. Returns the version. Starts a new hash if there is none. */
export const BEGIN_STATES = script(STATES, `return states(KEYS[1], '', ARGV[2])[1]`)

/**
 * Keys: states. Arguments: epoch, change, the change before, '1' for its last part, objects and entries.
 */
export const KEEP_STATES = script(
  KEEP,
  `keep(KEYS[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', ARGV[2], 6)`,
)

/** Keys: states. Arguments: epoch, change, '1' to drop in any case. */
export const OUTDATE_STATES = script(
  OUTDATE,
  `outdate(KEYS[1], tonumber(ARGV[3]), ARGV[4] == '1', ARGV[2])`,
)

/** Keys: states. Arguments: version, objects and entries. */
export const FILL_STATES = script(FILL, 'fill(KEYS[1], ARGV[2], 3)')

/** Keys: states. Returns the number of the organization's changes that the kept states include. */
export const COUNT_CHANGES = script(
  `
  local kept = redis.call('HMGET', KEYS[1], 'b', 'n')
  return kept[1] and kept[1] + kept[2]`,
)
