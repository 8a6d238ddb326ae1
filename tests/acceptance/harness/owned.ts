import { type Described, filledIn, type Operator, withRange } from './admin.ts'
import type { Answer } from './client.ts'
import { KINDS } from './listed-kinds.ts'

/** A body of each kind of items that have settings alone, without a name. */
export const LISTED: Record<string, object> = Object.fromEntries(
  KINDS.map(({ path, made: { name: _, ...body } }) => [path, body]),
)

/** The id of the operation `createSite` on one of the `sites`. */
export function operationOn(kind: string, act: string): string {
  return `${act}${kind[0]!.toUpperCase()}${kind.slice(1, -1)}`
}

/** The body of a webhook whose deliveries do not leave this machine. */
export const WEBHOOK = { url: 'https://127.0.0.1:1/' }

/** The body of a link, without its name. */
export const newLink = () => ({
  grants: [{}],
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
})

/** Ids of an organization and of what it has, by the name in a path; `delivery` is a number of its webhook. */
export type Owned = Record<string, number> & { organization: number; object: number }

/** Creates an organization with one of everything. All names, and the ident, begin with `word`. */
export async function owned(
  { ask, get, post }: Operator,
  word: string,
  deliveries = 1,
): Promise<Owned> {
  const name = `${word} thing`
  const organization: number = (await post('/organizations', { name: `${word} organization` })).id
  const at = `/organizations/${organization}`
  const object: number = (await post(`${at}/objects`, { name, ident: `${word} ident` })).id
  const made: Owned = { organization, object }
  for (const kind of ['keys', 'feed-tokens']) {
    made[kind] = (await post(`${at}/${kind}`, { name })).credential.id
  }
  made.links = (await post(`${at}/links`, { name, ...newLink() })).link.id
  for (const [kind, body] of Object.entries(LISTED)) {
    made[kind] = (await post(`${at}/${kind}`, { name, ...body })).id
  }
  made.tokens = (await post(`${at}/tokens`, { name, role: 'viewer' })).token.id
  const invited = { email: `${word}@example.com`, role: 'viewer' }
  made.invitations = (await post(`${at}/invitations`, invited)).invitation.id
  made.webhooks = (await post(`${at}/webhooks`, WEBHOOK)).webhook.id
  for (let test = 0; test < deliveries; test += 1) {
    made.delivery = (await post(`${at}/webhooks/${made.webhooks}/test`)).number
  }
  // The choices of an import are kept by its headings.
  const heading = `${word} tracker`
  await ask('POST', `${at}/import/objects?map=ident%3D${encodeURIComponent(heading)}`, {
    body: `${heading},vin\n${word} ident,${word}\n`,
    headers: { 'content-type': 'text/csv' },
  })
  made.import = (await get(`${at}/import/mappings`)).items[0].id
  return made
}

/** The ids in the path of an operation, by their names there. */
export function idsIn({ path }: Described, things: Owned, token: number): Record<string, number> {
  const { organization, object, delivery = 0, [path.split('/')[3] ?? '']: last = 1 } = things
  const { tokens = 0, people = 1, sessions = 1, invitations = 1 } = things
  return {
    ...{ organization, object, delivery },
    token: path.startsWith('/tokens') ? token : tokens,
    ...{ person: people, session: sessions, invitation: invitations },
    ...{ credential: last, link: last, place: last, webhook: last, mapping: last, rule: last },
  }
}

/** The path of an operation on these things, with a range of time if it needs one. */
export function targetOf(operation: Described, things: Owned, token: number): string {
  return withRange(operation, filledIn(operation.path, idsIn(operation, things, token)))
}

/** The parts of an answer that could distinguish one refusal from another. */
export function comparable({ status, headers, text }: Answer): string {
  const { date, 'x-request-id': _, ...rest } = headers
  return JSON.stringify([status, rest, text])
}
