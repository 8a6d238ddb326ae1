import { type Account, isInForce } from '../base/domain/account.ts'
import { maxOf, minOf } from '../base/domain/common/any-number.ts'
import { takeTurn } from '../base/domain/common/slots.ts'
import { type Credential, stateOf } from '../base/domain/credential.ts'
import type { DisclosureSource } from '../base/domain/disclosure.ts'
import type { Grant } from '../base/domain/grant.ts'
import type { Organization } from '../base/domain/organization.ts'
import { DAY_MS, utcDay } from '../base/domain/time/time.ts'
import { originOf, type Webhook } from '../base/domain/webhook.ts'
import type { ReaderTotal } from '../engine/store/audit-store.ts'
import type { Store } from '../engine/store/store.ts'
import { acts, OVERSEERS, organizationOf } from './act.ts'
import { personName } from './disclosures.ts'
import * as doc from './document-schema.ts'

/*
 * The desk: all ways by which somebody outside or inside gets the data of an organization.
 */

const KINDS = ['key', 'link', 'webhook', 'person', 'token'] as const

const WAY_OUT = doc.record(
  {
    kind: doc.choice(KINDS, 'The kind, as in the `source` of disclosures.'),
    id: doc.integer('The id, unique within its kind.'),
    name: doc.text(
      'Its name: of a webhook the origin of its URL, of a person without a name the address.',
    ),
    recipient: doc.textOrNull(
      'The name of whoever gets the data. Null: not given, or a person or a token.',
    ),
    purpose: doc.textOrNull('The purpose for which the data are given. Null: not given.'),
    since: doc.instant('When it was issued or registered, or when the account was created.'),
    expires_at: doc.instantOrNull('When it expires. Null: never.'),
    objects: doc.integerOrNull('How many objects it can read. Null: all.'),
    from: doc.instantOrNull('The first `time_device` that it shows. Null: any.'),
    until: doc.instantOrNull('The last `time_device` that it shows. Null: any.'),
    requests: doc.integer(
      'Requests in the kept disclosures, added over the objects in their answers.',
    ),
    rows: doc.integer('Rows of objects in the kept disclosures.'),
    last_read: {
      schema: doc.textOrNull(
        'The UTC day of the last read. Disclosures have no time of day. Null: nothing was read.',
      ).schema,
      write: (day: number | null) => day && doc.day('').write(day),
    },
    ended_at: doc.instantOrNull(
      'When it ended: it expired, was revoked, switched off or disabled. Null: it is active.',
    ),
  },
  'A way by which data of objects reach somebody.',
  'WayOut',
)
const DESK = doc.items(WAY_OUT, 'By kind and id.', 'Desk')

export const DESK_ACTS = acts('Usage', {
  getDesk: {
    method: 'GET',
    path: '/organizations/{organization}/desk',
    who: OVERSEERS,
    summary: 'List who can read data: keys, links, webhooks, people and tokens',
    answers: DESK,
    async run(call) {
      const organization = await organizationOf(call)
      await call.known.writeCounts()
      const read = await call.inTurn(organization.id, () =>
        readTotals(call.store, organization, call.now),
      )
      const ways = [
        ...(await waysOfCredentials(call.store, organization.id, call.now)),
        ...(await waysOfWebhooks(call.store, organization.id)),
        ...(await waysOfPeople(call.store, organization.id, read)),
        ...(await waysOfTokens(call.store, organization.id, call.now, read)),
      ]
      const shown = ways.filter(({ endedAt }) => call.now - (endedAt ?? call.now) < ENDED_SHOWN_MS)
      const items = shown.map((way) => {
        const { requests, rows, last } = read.get(nameOf(way.kind, way.id)) ?? NOTHING
        return WAY_OUT.write({ ...way, requests, rows, lastRead: last })
      })
      return { items }
    },
  },
})

/** Ways that ended are shown for as long. */
const ENDED_SHOWN_MS = 30 * DAY_MS
const NOTHING = { requests: 0, rows: 0, last: null }

type WayOut = Omit<Parameters<typeof WAY_OUT.write>[0], 'requests' | 'rows' | 'lastRead'>

/** The sums of the kept disclosures, by the names of their readers. */
async function readTotals(
  { disclosures }: Pick<Store, 'disclosures'>,
  { id, disclosureDays, createdAt }: Organization,
  now: number,
): Promise<Map<string, ReaderTotal>> {
  const today = utcDay(now)
  const totals = new Map<string, ReaderTotal>()
  // The purge is up to two days late.
  const first = Math.max(utcDay(createdAt), today - (disclosureDays ?? today) - 2)
  // A day at a time, because others have their turn in between.
  for (let day = first; day <= today; day += 1) {
    for (const each of await disclosures.readers(id, day, day)) {
      const name = nameOf(each.source, each.reader)
      const before = totals.get(name) ?? { requests: 0, rows: 0 }
      const requests = before.requests + each.requests
      totals.set(name, { ...each, requests, rows: before.rows + each.rows })
    }
    await takeTurn()
  }
  return totals
}

function nameOf(kind: DisclosureSource, id: number): string {
  return `${kind} ${id}`
}

async function waysOfCredentials(
  { keys, links }: Pick<Store, 'keys' | 'links'>,
  organization: number,
  now: number,
): Promise<WayOut[]> {
  const way = (kind: 'key' | 'link') => (credential: Credential) => ({
    ...{ ...credential, kind, since: credential.createdAt, endedAt: endOf(credential, now) },
    ...extentOf(credential.scope?.grants ?? null),
  })
  // A test key opens no data of the organization.
  const real = (await keys.list(organization)).filter(({ scenario }) => scenario === null)
  return [...real.map(way('key')), ...(await links.list(organization)).map(way('link'))]
}

function endOf(credential: Credential, now: number): number | null {
  return stateOf(credential, now) === 'active'
    ? null
    : Math.min(credential.revokedAt ?? now, credential.expiresAt ?? now)
}

async function waysOfWebhooks(
  { webhooks }: Pick<Store, 'webhooks'>,
  organization: number,
): Promise<WayOut[]> {
  return (await webhooks.list(organization)).map((webhook) => {
    const { id, recipient, purpose, createdAt, offAt } = webhook
    const name = originOf(webhook.url)
    return {
      ...{ kind: 'webhook', id, name, recipient, purpose, since: createdAt },
      ...{ expiresAt: null, endedAt: offAt },
      ...extentOf(selectedGrants(webhook)),
    }
  })
}

/** The grants of a webhook with only the objects that it selects. */
function selectedGrants({ grants, ids }: Webhook): readonly Grant[] | null {
  if (ids === null) return grants
  const selected = new Set(ids)
  const all = grants ?? [{ objects: null, from: null, until: null, attributes: null }]
  return all.map((grant) => ({
    ...grant,
    objects: grant.objects?.filter((object) => selected.has(object)) ?? ids,
  }))
}

const EVERYTHING = { objects: null, from: null, until: null }
const UNNAMED = { recipient: null, purpose: null }
type Read = ReadonlyMap<string, ReaderTotal>

/** The people of the organization, and those of the deployment who have read its data. */
async function waysOfPeople(
  { accounts }: Pick<Store, 'accounts'>,
  organization: number,
  read: Read,
): Promise<WayOut[]> {
  const isShown = ({ id, roles }: Account) =>
    roles.some((each) => each.organization === organization) ||
    (roles.some((each) => each.organization === null) && read.has(nameOf('person', id)))
  return (await accounts.list()).filter(isShown).map((account) => ({
    ...{ kind: 'person', id: account.id, name: personName(account), ...UNNAMED, ...EVERYTHING },
    ...{ since: account.createdAt, expiresAt: null, endedAt: account.disabledAt },
  }))
}

/** The tokens of the organization, and those of the deployment that have read its data. */
async function waysOfTokens(
  { access }: Pick<Store, 'access'>,
  organization: number,
  now: number,
  read: Read,
): Promise<WayOut[]> {
  return (await access.list('token')).flatMap((found) => {
    const { id, name, createdAt: since, expiresAt, ...token } = found.credential
    const isOwn = token.organization === organization
    const isWide = token.organization === null && read.has(nameOf('token', id))
    const isExpired = expiresAt !== null && expiresAt <= now
    if (!(isOwn || isWide) || !(isExpired || isInForce(found, now))) return []
    const endedAt = isExpired ? expiresAt : null
    return { kind: 'token', id, name, ...UNNAMED, ...EVERYTHING, since, expiresAt, endedAt }
  })
}

/** How many objects grants name, and the time from their first to their last moment. */
function extentOf(grants: readonly Grant[] | null): Pick<WayOut, 'objects' | 'from' | 'until'> {
  if (grants === null) return EVERYTHING
  const named = new Set(grants.flatMap(({ objects }) => objects ?? []))
  const from = minOf(grants.map((grant) => grant.from ?? Number.NEGATIVE_INFINITY))
  const until = maxOf(grants.map((grant) => grant.until ?? Number.POSITIVE_INFINITY))
  return {
    objects: grants.some(({ objects }) => objects === null) ? null : named.size,
    from: Number.isFinite(from) ? from : null,
    until: Number.isFinite(until) ? until : null,
  }
}
