import { type Answer, type RequestOptions, request } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Fleet, FleetOrganization } from './fleet.ts'
import type { Json } from './fleetgate.ts'

export const FEED_PREFIX = '/feed/v1'

/** Posts rows in Fleetgate's own format and returns the result for each. */
export async function postRows(
  feed: string,
  token: string,
  rows: readonly unknown[],
): Promise<Json> {
  const sent = { method: 'POST', headers: { 'x-feed-token': token }, body: JSON.stringify(rows) }
  return resultOf(await request(feed, `${FEED_PREFIX}/positions`, sent))
}

/** An organization that sends to the feed and calls the API. */
export type Sender = FleetOrganization & {
  /** Sends to the feed with the token in `x-feed-token`; `path` is below `/feed/v1`. */
  send(path: string, options?: RequestOptions): Promise<Answer>
  /** Posts rows in Fleetgate's own format and returns the result for each. */
  post(rows: unknown[]): Promise<Json>
}

/** `settings`: options of `org update`, such as `--create-objects`. */
export async function senderOf(
  fleet: Fleet,
  organization: FleetOrganization,
  ...settings: string[]
): Promise<Sender> {
  if (settings.length > 0) {
    await fleet.json('org', 'update', String(organization.id), ...settings)
  }
  return senderTo(organization, () => fleet.server.feed)
}

/** An organization that has sent these rows, and the ids of their objects, in the order of the first row of each. */
export async function senderWith(
  fleet: Omit<Fleet, 'restart'>,
  rows: Json[],
): Promise<Sender & { ids: number[] }> {
  const sender = await senderOf(fleet as Fleet, fleet.take(), '--create-objects')
  await sender.post(rows)
  const objects = resultOf(await sender.get('/objects')) as { id: number; ident: string }[]
  const idents = [...new Set(rows.map(({ ident }) => ident))]
  return { ...sender, ids: idents.map((ident) => objects.find((o) => o.ident === ident)!.id) }
}

/** `feed`: the present base address of the feed listener. */
export function senderTo(organization: FleetOrganization, feed: () => string): Sender {
  const send = (path: string, options: RequestOptions = {}) => {
    const headers = { 'x-feed-token': organization.feedToken, ...options.headers }
    return request(feed(), FEED_PREFIX + path, { ...options, headers })
  }
  return {
    ...organization,
    send,
    async post(rows) {
      return resultOf(await send('/positions', { method: 'POST', body: JSON.stringify(rows) }))
    },
  }
}
