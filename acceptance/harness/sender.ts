import { type Answer, type RequestOptions, request } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Fleet } from './fleet.ts'
import type { Json } from './fleetgate.ts'
import type { Organization } from './organization.ts'

export const FEED_PREFIX = '/feed/v1'

/** An organization that sends to the feed as well as it asks the API. */
export type Sender = Organization & {
  token: string
  /** Sends to the feed with the token in `x-feed-token`; the path is below `/feed/v1`. */
  send(path: string, options?: RequestOptions): Promise<Answer>
  /** Posts rows in Fleetgate's own format and returns what became of them. */
  post(rows: object[]): Promise<Json>
}

/** Issues a feed token of the organization. `createObjects`: idents that are not known become objects. */
export async function senderOf(
  fleet: Fleet,
  organization: Organization,
  { createObjects = false } = {},
): Promise<Sender> {
  const org = ['--org', String(organization.id)]
  const { token } = await fleet.json('feed-token', 'issue', ...org)
  if (createObjects) {
    await fleet.json('org', 'update', String(organization.id), '--create-objects')
  }
  const send = (path: string, options: RequestOptions = {}) => {
    const headers = { 'x-feed-token': token, ...options.headers }
    return request(fleet.server.feed, FEED_PREFIX + path, { ...options, headers })
  }
  return {
    ...organization,
    token,
    send,
    async post(rows) {
      return resultOf(await send('/positions', { method: 'POST', body: JSON.stringify(rows) }))
    },
  }
}
