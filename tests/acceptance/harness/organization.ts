import { type Answer, type RequestOptions, request } from './client.ts'
import { clock, REAL, type Time } from './clock.ts'

export const PREFIX = '/public/v1'
const WINDOW_MS = 10_000
const ADMITTED = 10

/** An organization, its key and its objects, as stored. */
export type OrganizationRecord = {
  id: number
  name: string
  key: string
  objects: { van: number; truck: number; longHaul: number; silent: number }
}

/** An organization that calls a running server. */
export type Organization = OrganizationRecord & {
  /** Sends a request with the organization's key; the path is below `/public/v1`. */
  get(path: string, options?: RequestOptions): Promise<Answer>
  /** Milliseconds until the window admits one more request for sure. */
  untilRoom(): number
  /** How time passes for the server that it calls. */
  time: Time
}

/** Calls whichever server `api` names at that moment: a restart changes its port. */
export function organizationOf<Record extends OrganizationRecord>(
  record: Record,
  api: () => string,
  time: Time = REAL,
): Record & Organization {
  // The times of the last answers: the server admitted each request no later than that.
  const answered: number[] = []
  let inFlight = 0
  return {
    ...record,
    time,
    async get(path, options = {}) {
      inFlight += 1
      try {
        const headers = { 'x-api-key': record.key, ...options.headers }
        return await request(api(), PREFIX + path, { ...options, headers })
      } finally {
        inFlight -= 1
        answered.push(clock.monotonic() / 1_000)
      }
    },
    untilRoom() {
      if (inFlight >= ADMITTED) return WINDOW_MS
      const oldest = answered.at(inFlight - ADMITTED)
      return oldest === undefined
        ? 0
        : Math.max(0, oldest + WINDOW_MS + 5 - clock.monotonic() / 1_000)
    },
  }
}

/** An organization whose requests wait for room in its window. */
export function patient<Caller extends Organization>(organization: Caller): Caller {
  return {
    ...organization,
    async get(path, options) {
      await withRoom([organization])
      return organization.get(path, options)
    },
  }
}

/** The first of the organizations with room in its window; lets time pass if none has room. */
export async function withRoom<Caller extends Organization>(
  organizations: Caller[],
): Promise<Caller> {
  for (;;) {
    const waits = organizations.map((organization) => organization.untilRoom())
    const shortest = Math.min(...waits)
    const first = organizations[waits.indexOf(shortest)]
    if (first === undefined) throw new Error('no organization was handed in')
    if (shortest === 0) return first
    await first.time.pass(shortest)
  }
}
