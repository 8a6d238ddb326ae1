import type { Clock } from '../../domain/time/clock.ts'
import { ForeignValue } from '../realtime.ts'
import { kindOf } from './keys.ts'
import { NOT_OURS, script } from './scripts.ts'

/**
 * Keys: those of a script that failed. Returns the first whose value has another type than Fleetgate's. Only commands that
 * its user may run anyway.
 */
export const FIND_FOREIGN = script(`
  for _, key in ipairs(KEYS) do
    local kind = string.match(key, '}:(%a+)')
    local isHash = kind == 'quota' or kind == 'states'
    local read = redis.pcall(isHash and 'HLEN' or 'GET', key)
    if type(read) == 'table' and read.err and string.find(read.err, 'WRONGTYPE') then return key end
  end
  return false`)

/** The key that the error of a script names. */
const NAMED = new RegExp(`${NOT_OURS} (\\S+)`)
/** Errors of a command or a script that met a value of another form. */
const MET = /^WRONGTYPE|user_script/

const LOG_EVERY_US = 60_000_000

/** Turns the error of a call that met a value of another program into a `ForeignValue`. Other errors stay as they are. */
export type AsForeign = (
  error: unknown,
  keys: readonly string[],
  findKey: () => Promise<unknown>,
) => Promise<unknown>

/** `log` gets a line a minute at most. */
export function foreignValues(
  log: (line: string, level: 'error') => void,
  clock: Pick<Clock, 'monotonic'>,
): AsForeign {
  let loggedUs = Number.NEGATIVE_INFINITY

  return async (error, keys, findKey) => {
    const { name, message } = error as Error
    if (name !== 'ReplyError' || !MET.test(message)) return error
    const named = NAMED.exec(message)?.[1] ?? (keys.length === 1 ? keys[0] : undefined)
    const key = named ?? (await findKey().catch(() => undefined))
    // An error of our own scripts.
    if (typeof key !== 'string' && !Buffer.isBuffer(key)) return error
    const text = sentence(`${key}`)
    if (clock.monotonic() - loggedUs >= LOG_EVERY_US) {
      loggedUs = clock.monotonic()
      log(text, 'error')
    }
    return new ForeignValue(text, { cause: error })
  }
}

function sentence(key: string): string {
  return `Another program has written to ${key} in Redis, where Fleetgate keeps ${kindOf(key)}. Requests that need it get 503. Give that program a database or a user of its own, and delete the key.`
}
