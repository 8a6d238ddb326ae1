import { LINK } from '../base/access/secret.ts'
import { LINK_RULES } from '../base/domain/access-settings.ts'
import {
  type Credential,
  DISCLOSEE_RULES,
  type Disclosee,
  discloseeFault,
  requestsOn,
} from '../base/domain/credential.ts'
import { limitingOrNull, readGrants, UNLIMITED } from '../base/domain/grant.ts'
import { limitedOrNull } from '../base/domain/key-scope.ts'
import {
  linkPath,
  MAX_ENDED_LINKS,
  MAX_LINK_DAYS,
  MAX_LINK_MS,
  MAX_WAY_OBJECTS,
} from '../base/domain/link.ts'
import { utcDay } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'
import { type ActCall, ADMINISTRATORS, acts, OVERSEERS, organizationOf } from './act.ts'
import {
  type CredentialOwner,
  type IssuedCredential,
  issueCredential,
  ROTATION,
  rotateCredential,
} from './credential-bodies.ts'
import * as doc from './document-schema.ts'
import { GRANTS, refuseForeign } from './grants.ts'
import { futureIn, newInput } from './input.ts'
import { existing, invalid } from './refused.ts'

/*
 * The acts on links: pages for viewers, which show grants until they expire.
 */

const ALL = '/organizations/{organization}/links'
const ONE = `${ALL}/{link}`

const DOCUMENT = doc.record(
  {
    id: doc.integer('Its id.'),
    name: doc.text('Its name, which its viewers see.'),
    prefix: doc.text('The first characters of the token in its URL.'),
    last_four: doc.text('The last four characters of the token.'),
    created_at: doc.instant('When it was created.'),
    expires_at: doc.instantOrNull('When it expires.'),
    revoked_at: doc.instantOrNull('When it was revoked. Null: it was not.'),
    last_read_at: doc.instantOrNull('When a viewer last read it, to the minute. Null: never.'),
    grants: GRANTS,
    shows_way: doc.yes('Whether it shows where each object was since its grant began.'),
    ...doc.settingFields<Disclosee>(DISCLOSEE_RULES),
    lacks_purpose: doc.yes(
      'Whether it has no recipient or purpose although its organization requires them. It works, but cannot be rotated.',
    ),
    reads_today: doc.integer('Reads by its viewers since 00:00 UTC.'),
    reads_30_days: doc.integer('Reads by its viewers in the last 30 days, today among them.'),
  },
  'A link. The server does not store its URL.',
  'Link',
)

const LINKS = doc.items(
  DOCUMENT,
  `Links by id. The ${MAX_ENDED_LINKS} that ended last are among them, for as long as the organization keeps its disclosures.`,
  'Links',
)

const CREATED = doc.record(
  { link: DOCUMENT, url: doc.text('The URL for viewers. It is shown only once.') },
  'A new link.',
  'CreatedLink',
)

const NEW_LINK = newInput('NewLink', LINK_RULES, { showsWay: false }, 'A link to create.', {
  expires_at: doc.instant(`When it expires, at most ${MAX_LINK_DAYS} days from now.`),
})

const NOUN = 'link'

export const LINK_ACTS = acts('Links', {
  listLinks: {
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: "List an organization's links",
    answers: LINKS,
    async run(call) {
      await call.known.writeCounts()
      const owner = await organizationOf(call)
      const all = await call.store.links.list(owner.id)
      return LINKS.write({ items: all.map((each) => documentOf(owner, each, call.now)) })
    },
  },
  createLink: {
    method: 'POST',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Create a link, and show its URL once',
    takes: NEW_LINK,
    answers: CREATED,
    async run(call) {
      const { store, now } = call
      const owner = await organizationOf(call)
      const wanted = await wantedIn(call)
      await trim(call, owner)
      const issued = await issueCredential(store.links, owner, wanted, now, LINK)
      return createdDocument(call, owner, issued)
    },
  },
  rotateLink: {
    method: 'POST',
    path: `${ONE}/rotate`,
    who: ADMINISTRATORS,
    summary: 'Replace the URL of a link; the old one stays valid for a while',
    takes: ROTATION,
    answers: CREATED,
    async run(call) {
      const { store, params } = call
      const owner = await organizationOf(call)
      await trim(call, owner)
      const issued = await rotateCredential(call, {
        ...{ keys: store.links, owner, id: params.link!, noun: NOUN, kind: LINK },
        expiresAt: (old) => old.expiresAt,
      })
      return createdDocument(call, owner, issued)
    },
  },
  revokeLink: {
    method: 'POST',
    path: `${ONE}/revoke`,
    who: ADMINISTRATORS,
    summary: 'Revoke a link; pages that show it end within a second',
    status: 200,
    answers: DOCUMENT,
    async run(call) {
      const { store, params, now } = call
      const owner = await organizationOf(call)
      const revoked = await store.links.revoke(owner.id, params.link!, now)
      return DOCUMENT.write(documentOf(owner, existing(revoked, NOUN), now))
    },
  },
})

/** Keeps room for a link that will end. */
function trim({ store, now }: ActCall, { id }: CredentialOwner): Promise<void> {
  return store.links.trim(id, now, MAX_ENDED_LINKS)
}

async function wantedIn(call: ActCall) {
  const { body, now, store, params } = call
  const { name, recipient, purpose, showsWay, grants: settings } = NEW_LINK.in(body)
  const expiresAt = futureIn(body, now)
  if (expiresAt === null || expiresAt > now + MAX_LINK_MS) {
    const rule = `must be a moment of the next ${MAX_LINK_DAYS} days`
    throw invalid({ field: 'expires_at', rule })
  }
  const grants = readGrants(settings)
  if ('rule' in grants) throw invalid(grants)
  await refuseForeign(store, params.organization!, grants, null)
  const named = new Set(grants.flatMap(({ objects }) => objects ?? []))
  const isOfAll = grants.some(({ objects }) => objects === null)
  if (showsWay && (isOfAll || named.size > MAX_WAY_OBJECTS)) {
    const rule = `requires grants that name at most ${MAX_WAY_OBJECTS} objects`
    throw invalid({ field: 'shows_way', rule })
  }
  const limiting = limitingOrNull(grants)
  const scope = limitedOrNull({ operations: null, grants: limiting, windowShare: null })
  const waySince = showsWay ? now : null
  return { name, recipient, purpose, waySince, expiresAt, scope, scenario: null }
}

function documentOf(owner: CredentialOwner, link: Credential, now: number) {
  const { today: readsToday, lately: reads30Days } = requestsOn(link, utcDay(now))
  const grants = [...(link.scope?.grants ?? [UNLIMITED])]
  const lacksPurpose = discloseeFault(owner, link) !== undefined
  return {
    ...{ ...link, lastReadAt: link.lastUsedAt, grants, showsWay: link.waySince !== null },
    ...{ lacksPurpose, readsToday, reads30Days },
  }
}

async function createdDocument(
  { store, now }: ActCall,
  owner: CredentialOwner,
  { credential, secret }: IssuedCredential,
) {
  const link = documentOf(owner, credential, now)
  return CREATED.write({ link, url: (await originOfApi(store)) + linkPath(secret) })
}

/** As the server that last started said, or the default one. */
async function originOfApi({ access }: Store): Promise<string> {
  return (await access.addresses()).apiUrl ?? 'http://127.0.0.1:7070'
}
