import { createHash } from 'node:crypto'
import type { Clock } from '../../../base/domain/time/time.ts'
import { ForeignValue } from '../realtime.ts'
import { NOT_OURS, script } from './scripts.ts'

/** The key names of an organization. All lie in the slot of `{organization}`. */
export type Keys = {
  window(organization: number): string
  /** The window of an API key that has a share of the organization's. */
  share(organization: number, key: number): string
  counters(organization: number, day: number): string
  states(organization: number): string
  streams(organization: number): string
}

/** The prefix of all keys. Change it when an older release would misread the new contents. */
export const KEY_PREFIX = 'fg1'

/** The keys of a deployment. Its secret separates it from other deployments in the same Redis. */
export function keysOf(secret: Buffer): Keys {
  const deployment = createHash('sha256').update(secret).digest('hex').slice(0, 12)
  const key = (organization: number, rest: string) =>
    `${KEY_PREFIX}:${deployment}:{${organization}}:${rest}`
  return {
    window: (organization) => key(organization, 'window'),
    share: (organization, apiKey) => key(organization, `share:${apiKey}`),
    counters: (organization, day) => key(organization, `quota:${day}`),
    states: (organization) => key(organization, 'states'),
    streams: (organization) => key(organization, 'streams'),
  }
}

const KINDS: Record<string, string> = {
  window: 'the rate window of an organization',
  share: 'the rate window of an API key',
  quota: 'the counters of a daily quota',
  states: 'the current states of objects',
  streams: 'the places of open streams',
}

/** The contents of a key, in words. */
function kindOf(key: string): string {
  const [, kind = ''] = /\}:([a-z]+)/.exec(key) ?? []
  return KINDS[kind] ?? 'its data'
}

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
