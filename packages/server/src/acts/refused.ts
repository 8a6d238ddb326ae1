import type { Fault } from '../base/domain/setting-rule.ts'
import type { ItemStore } from '../engine/store/item-store.ts'

/** Why the operator's API refuses a request. `code` is for programs, the message for people. */
export class Refused extends Error {
  override name = 'Refused'
  readonly status: number
  readonly code: string
  readonly field: string | null
  readonly headers: Readonly<Record<string, string>>
  /** The noun of the thing that does not exist, if that is why. */
  readonly missing: string | null
  /** The message without what to do about it, if it is a limit of the organization. */
  readonly fact: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    {
      field = null,
      headers = {},
      missing = null,
      fact = null,
    }: Partial<Pick<Refused, 'field' | 'headers' | 'missing' | 'fact'>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.headers = headers
    this.missing = missing
    this.fact = fact
  }
}

export function signedOut(): Refused {
  return new Refused(401, 'signed_out', 'sign in, or send a Bearer token', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

export function notFound(what: string): Refused {
  return new Refused(404, 'not_found', `there is no such ${what}`, { missing: what })
}

/** The thing, or what was done to it. Throws `Refused` if there is none, or it was deleted meanwhile. */
export function existing<Found>(found: Found | null | undefined | false, what: string): Found {
  if (found === null || found === undefined || found === false) throw notFound(what)
  return found
}

/** `rule` completes a sentence that begins with the field: `must be …`. */
export function invalid({ field, rule }: Fault): Refused {
  return new Refused(400, 'invalid', `${field} ${rule}`, { field })
}

/** For a field that limits an organization: its own administrators may not change it. */
export function operatorsOnly(field: string, rule: string): Refused {
  const message = `${field} ${rule}; changing it requires the role operator`
  return new Refused(403, 'beyond_role', message, { field })
}

export function identTaken(ident: string, field = 'ident'): Refused {
  return conflict(`${field} '${ident}' belongs to another object of the organization`, field)
}

export function conflict(message: string, field: string | null = null): Refused {
  return new Refused(409, 'conflict', message, { field })
}

const RETRY_AFTER_SECONDS = 5

/** `fact`: what the limit of an organization is, and how much it has. `instead`: what to do with the limit as it is. */
export function limitReached(field: string, fact: string, instead: string): Refused {
  return new Refused(409, 'conflict', `${fact}: raise ${field}, or ${instead}`, { field, fact })
}

/** `why`: the beginning of the message. */
export function busy(why: string): Refused {
  return new Refused(503, 'busy', `${why}; try again in ${RETRY_AFTER_SECONDS} s`, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  })
}

export function tooManyAttempts(seconds: number): Refused {
  return new Refused(
    429,
    'too_many_attempts',
    `too many failed sign-ins from your network, for this account or from unknown networks; try again in ${seconds} s`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

/**
 * Credentials of a kind that an organization has in force at most. Its people issue them, while lists and sign-ins read
 * all of a kind, and each process keeps all keys.
 */
export const MAX_IN_FORCE = 1_000

/** Throws `Refused` if an organization has as many as it may have. */
export function refuseTooMany(inForce: number, noun: string): void {
  if (inForce < MAX_IN_FORCE) return
  throw conflict(`an organization has at most ${MAX_IN_FORCE} ${noun}; revoke some first`)
}

/**
 * Throws `Refused` if another item than `id` has the name in `settings`. An import matches by name, so two places of one
 * name would be one to it.
 */
export async function refuseTakenName(
  items: Pick<ItemStore<never, never>, 'named'>,
  organization: number,
  noun: string,
  settings: object,
  id?: number,
): Promise<void> {
  const { name } = settings as { name?: string }
  if (name === undefined) return
  const holders = await items.named(organization, name)
  if (holders.some((each) => each !== id)) {
    throw conflict(`a ${noun} named '${name}' already exists`, 'name')
  }
}
