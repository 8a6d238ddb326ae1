import { FEED_TOKEN, type SecretKind } from '../base/access/secret.ts'
import { isOperator } from '../base/domain/account.ts'
import { type Credential, REQUEST_DAYS, requestsOn } from '../base/domain/credential.ts'
import type { KeyScope } from '../base/domain/key-scope.ts'
import { utcDay } from '../base/domain/time/time.ts'
import type { KeyStore } from '../engine/store/key-store.ts'
import type { Store } from '../engine/store/store.ts'
import {
  type Act,
  type ActCall,
  ADMINISTRATORS,
  acts,
  OPERATORS,
  OVERSEERS,
  organizationOf,
  SUPPORTERS,
  type Who,
} from './act.ts'
import {
  CREDENTIAL,
  CREDENTIALS,
  type CredentialOwner,
  credentialDocument,
  credentialOf,
  DEPLOYMENT_OWNER,
  GIVEN_SCOPE,
  ISSUED_CREDENTIAL,
  type IssuedCredential,
  issueCredential,
  KEY_PATCH,
  NEW_FEED_TOKEN,
  NEW_KEY,
  ROTATION,
  refuseLackingDisclosee,
  rotateCredential,
  scopeOf,
} from './credential-bodies.ts'
import { futureIn } from './input.ts'
import { conflict, existing, invalid, operatorsOnly } from './refused.ts'

/*
 * The acts on API keys, feed tokens and tokens of the deployment.
 */

export type CredentialKind = {
  /** The names in paths and ids of operations: `/organizations/{organization}/keys`, `Key`. */
  path: string
  Noun: string
  noun: string
  /** All of them, in a sentence. */
  nouns: string
  tag: string
  who: { read: Who; manage: Who }
  /** Undefined: the scenario of an API key decides. */
  kind?: SecretKind
  storeOf(store: Store): KeyStore
}

const OF_ORGANIZATION = { read: OVERSEERS, manage: ADMINISTRATORS }

const KEY: CredentialKind = {
  path: '/organizations/{organization}/keys',
  Noun: 'Key',
  noun: 'API key',
  nouns: "an organization's API keys",
  tag: 'API keys',
  who: OF_ORGANIZATION,
  storeOf: (store) => store.keys,
}

/** The same four acts for API keys, for feed tokens, and for those of the deployment. */
export const KEY_ACTS = actsOn(KEY)
export const FEED_TOKEN_ACTS = actsOn({
  path: '/organizations/{organization}/feed-tokens',
  Noun: 'FeedToken',
  noun: 'feed token',
  nouns: "an organization's feed tokens",
  tag: 'Feed tokens',
  kind: FEED_TOKEN,
  who: OF_ORGANIZATION,
  storeOf: (store) => store.feedTokens,
})
export const DEPLOYMENT_TOKEN_ACTS = actsOn({
  path: '/routing/tokens',
  Noun: 'DeploymentToken',
  noun: 'feed token of the deployment',
  nouns: 'the feed tokens of the deployment, which deliver positions of all organizations',
  tag: 'Routing',
  kind: FEED_TOKEN,
  who: { read: SUPPORTERS, manage: OPERATORS },
  storeOf: (store) => store.deploymentTokens,
})
export type CredentialActs = typeof KEY_ACTS

export const CREDENTIAL_ACTS: readonly Act[] = [
  KEY_ACTS,
  FEED_TOKEN_ACTS,
  DEPLOYMENT_TOKEN_ACTS,
].flatMap(({ list, issue, rotate, revoke }): Act[] => [list, issue, rotate, revoke])

/** The id of the organization in the path. Throws `Refused` if there is none of that id. */
async function ownerOf(call: ActCall): Promise<CredentialOwner> {
  return call.params.organization === undefined ? DEPLOYMENT_OWNER : organizationOf(call)
}

function actsOn(given: CredentialKind) {
  const { path: all, Noun, noun, nouns, tag, who, kind, storeOf } = given
  const one = `${all}/{credential}`
  const isOfApi = kind === undefined
  const a = isOfApi ? 'an' : 'a'

  const rotate = (call: ActCall, expiresAt?: number) => rotated(call, given, expiresAt)
  const made = acts(tag, {
    list: {
      id: `list${Noun}s`,
      method: 'GET',
      path: all,
      who: who.read,
      summary: `List ${nouns}`,
      answers: CREDENTIALS,
      run: (call) => listed(call, given),
    },
    issue: {
      id: `issue${Noun}`,
      method: 'POST',
      path: all,
      who: who.manage,
      summary: `Issue ${a} ${noun}, and show it once`,
      takes: isOfApi ? NEW_KEY : NEW_FEED_TOKEN,
      answers: ISSUED_CREDENTIAL,
      async run(call) {
        const { store, now } = call
        const owner = await ownerOf(call)
        const wanted = isOfApi ? await newKeyIn(call) : newFeedTokenIn(call)
        const issued = await issueCredential(storeOf(store), owner, wanted, now, kind)
        return issuedDocument(owner, issued)
      },
    },
    rotate: {
      id: `rotate${Noun}`,
      method: 'POST',
      path: `${one}/rotate`,
      who: who.manage,
      summary: `Replace ${a} ${noun} with a new one; the old one stays valid for a while`,
      takes: ROTATION,
      answers: ISSUED_CREDENTIAL,
      run: (call) => rotate(call),
    },
    revoke: {
      id: `revoke${Noun}`,
      method: 'POST',
      path: `${one}/revoke`,
      who: who.manage,
      summary: `Revoke ${a} ${noun}`,
      status: 200,
      answers: CREDENTIAL,
      async run(call) {
        const { store, params, now } = call
        const owner = await ownerOf(call)
        const revoked = await storeOf(store).revoke(owner.id, params.credential!, now)
        return credentialDocument(owner, existing(revoked, noun))
      },
    },
  })
  return { ...made, rotateUntil: rotate }
}

async function listed(call: ActCall, { kind, storeOf }: CredentialKind) {
  await call.known.writeCounts()
  const owner = await ownerOf(call)
  const { id } = owner
  const byKey = kind === undefined ? await requestsByKey(call, id) : new Map()
  const all = await storeOf(call.store).list(id)
  const requestsOf = (each: Credential) => byKey.get(each.id) ?? requestsOn(each, utcDay(call.now))
  return { items: all.map((each) => credentialDocument(owner, each, requestsOf(each))) }
}

async function rotated(
  call: ActCall,
  { noun, kind, storeOf }: CredentialKind,
  expiresAt: number | undefined,
) {
  const owner = await ownerOf(call)
  const [keys, id] = [storeOf(call.store), call.params.credential!]
  const wanted = { keys, owner, id, noun, kind, expiresAt: () => expiresAt }
  return issuedDocument(owner, await rotateCredential(call, wanted))
}

async function newKeyIn(call: ActCall) {
  const { body, now } = call
  const { name, scenario, recipient, purpose } = NEW_KEY.in(body)
  const expiresAt = futureIn(body, now)
  // Before the ids of objects are looked up: those of the simulated fleet are not among the organization's.
  if (scenario !== null && (body.scope ?? null) !== null) {
    throw invalid({
      field: 'scope',
      rule: 'cannot be combined with a scenario: a test key has no scope and gives access to the whole simulated fleet',
    })
  }
  const scope = await scopeIn(call)
  return { name, expiresAt, scope, scenario, recipient, purpose }
}

function newFeedTokenIn({ body, now }: ActCall) {
  const { name, client } = NEW_FEED_TOKEN.in(body)
  return { ...NO_DISCLOSEE, name, expiresAt: futureIn(body, now), scenario: null, client }
}

/** A feed token has none. */
const NO_DISCLOSEE = { recipient: null, purpose: null }

async function requestsByKey({ store, now }: ActCall, organization: number) {
  const today = utcDay(now)
  const byKey = new Map<number, { today: number; lately: number }>()
  for (const { key, day, requests } of await store.usage.list(
    organization,
    today - REQUEST_DAYS + 1,
    today,
  )) {
    const counted = byKey.get(key) ?? { today: 0, lately: 0 }
    byKey.set(key, counted)
    counted.lately += requests
    if (day === today) counted.today += requests
  }
  return byKey
}

function issuedDocument(owner: CredentialOwner, { credential, secret }: IssuedCredential) {
  return { credential: credentialDocument(owner, credential), secret }
}

/** The scope in a body. Null: the key opens everything. Throws `Refused`. */
async function scopeIn({ body, store, params }: ActCall, before: KeyScope | null = null) {
  const { scope: written = null } = body
  if (written === null) return null
  if (typeof written !== 'object' || Array.isArray(written)) {
    throw invalid({ field: 'scope', rule: 'must be an object, or null' })
  }
  const settings = GIVEN_SCOPE.in(written as Record<string, unknown>)
  return scopeOf(store, params.organization!, settings, before)
}

export const KEY_SCOPE_ACTS = acts('API keys', {
  updateKey: {
    method: 'PATCH',
    path: `${KEY.path}/{credential}`,
    who: ADMINISTRATORS,
    summary:
      'Change the scope, the recipient or the purpose of an API key; it applies from the next request',
    takes: KEY_PATCH,
    answers: CREDENTIAL,
    async run(call) {
      const { store, params, body, now } = call
      const given = KEY_PATCH.in(body)
      const owner = await organizationOf(call)
      const before = await credentialOf(store.keys, owner.id, params.credential!, KEY.noun)
      if (Object.keys(body).length === 0) {
        throw invalid({ field: 'scope', rule: 'or recipient or purpose is required' })
      }
      refuseLackingDisclosee(owner, before, given)
      const scope = body.scope === undefined ? {} : { scope: await newScopeIn(call, before) }
      const patch = { ...given, ...scope }
      const after = await store.keys.update(params.organization!, before.id, patch, now)
      return credentialDocument(owner, existing(after, KEY.noun))
    },
  },
})

async function newScopeIn(
  call: ActCall,
  { scope, scenario }: Credential,
): Promise<KeyScope | null> {
  if (scenario !== null) throw conflict('a test key has no scope')
  const after = await scopeIn(call, scope)
  refuseLargerShare(call, scope, after)
  return after
}

/** Throws `Refused` if somebody of the organization would raise the share of the window that a key was given. */
function refuseLargerShare({ by }: ActCall, before: KeyScope | null, after: KeyScope | null): void {
  if (isOperator(by.roles)) return
  const share = (scope: KeyScope | null) => scope?.windowShare ?? Number.POSITIVE_INFINITY
  if (share(after) > share(before)) {
    throw operatorsOnly('window_share', 'limits the key')
  }
}
