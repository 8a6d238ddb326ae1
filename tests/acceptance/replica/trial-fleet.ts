import assert from 'node:assert/strict'
import type { Random } from '../../../packages/server/testing/random.ts'
import { type Answer, request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import type { Backup, TrialHost } from './trial-host.ts'

/** The organization of a trial, with what its operations have to know. */
export type TrialFleet = {
  readonly random: Random
  readonly host: TrialHost
  readonly organization: number
  readonly key: string
  readonly feedToken: string
  /** Whether the organization has trips, stops and visits. */
  readonly hasRecords: boolean
  model: Model
  /** A backup with the model as of then. */
  backup: { copy: Backup; model: Model } | undefined
  age: Age
  /** Whether a cursor may be older than the log. */
  mayBeTooOld: boolean
  /** The first and last times that keys with a range show. */
  readonly ends: number[]
  /** The keys with several grants. */
  readonly granted: { key: number; scope: Json }[]
  /** Whether the key shows the positions of some time alone, which then show the state of an object. */
  readonly isBounded: boolean
  /** The operations so far, for the report of a failure. */
  readonly done: string[]
}

/** The events after which cursors have expired: restored backups, and changes of the distance unit, of attributes and of grants. */
export type Age = {
  readonly epoch: number
  readonly unitChanges: number
  readonly catalogueChanges: number
  readonly scopeChanges: number
}

/** The things of the organization, as far as operations name them. */
export type Model = {
  objects: ModelObject[]
  /** Ids of deleted objects. A file can bring them back. */
  deleted: number[]
  places: { type: 'geofences' | 'routes' | 'sites'; id: number }[]
  unit: 'km' | 'mi'
  retentionDays: number | null
  names: number
}

/** `rows`: what was sent, by time. */
export type ModelObject = { id: number; ident: string; number: number; rows: Map<number, Json> }

const API = '/public/v1'
const FEED = '/feed/v1'
const ADMIN = '/admin/v1'

/** Makes an organization with two objects, a key and a feed token. */
export async function newTrialFleet(
  random: Random,
  host: TrialHost,
  hasRecords: boolean,
): Promise<TrialFleet> {
  const created = await manageOn(host, 'POST', '/organizations', { name: 'Trial' })
  const { id } = JSON.parse(created.text)
  const issue = async (kind: string) =>
    (await manageOn(host, 'POST', `/organizations/${id}/${kind}`, { name: 'trial' })).json.secret
  const fleet: TrialFleet = {
    ...{ random, host, organization: id },
    key: await issue('keys'),
    feedToken: await issue('feed-tokens'),
    hasRecords,
    model: { objects: [], deleted: [], places: [], unit: 'km', retentionDays: null, names: 0 },
    ...{
      backup: undefined,
      age: { epoch: 0, unitChanges: 0, catalogueChanges: 0, scopeChanges: 0 },
      mayBeTooOld: false,
      ends: [],
      granted: [],
      done: [],
    },
    isBounded: false,
  }
  await addObject(fleet)
  await addObject(fleet)
  if (!hasRecords) return fleet
  await host.derive(id, Number.POSITIVE_INFINITY)
  await ask(fleet, '/trips?from_time=2026-01-01&to_time=2026-01-01')
  return fleet
}

/** Sends a request with the key of the organization. `path` is below `/public/v1`. */
export async function ask(
  { host, organization, key }: TrialFleet,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  await host.admit(organization)
  return request(host.api, API + path, { headers: { 'x-api-key': key, ...headers } })
}

/** The absolute address of a path of the API, and the headers to ask for it. */
export async function addressOf(
  { host, organization, key }: TrialFleet,
  path: string,
): Promise<{ url: string; headers: Record<string, string> }> {
  await host.admit(organization)
  return { url: host.api + API + path, headers: { 'x-api-key': key } }
}

/** Calls the admin API; `path` is below the organization. Fails unless the answer is a 2xx. */
export async function manage(
  { host, organization }: TrialFleet,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Json> {
  const answer = await manageOn(
    host,
    method,
    `/organizations/${organization}${path}`,
    body,
    headers,
  )
  return answer.text === '' ? null : answer.json
}

async function manageOn(
  { admin, operator }: TrialHost,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all: Record<string, string> = {
    'content-type': 'application/json',
    ...operator,
    ...headers,
  }
  // Node's client would send the body of a DELETE without its length.
  if (text !== undefined) all['content-length'] = `${Buffer.byteLength(text)}`
  const options = { method, headers: all, ...(text === undefined ? {} : { body: text }) }
  const answer = await request(admin, ADMIN + path, options)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer
}

/** Sends rows to the feed. */
export function send(
  { host, feedToken }: TrialFleet,
  rows: readonly Json[],
  token = feedToken,
): Promise<Answer> {
  const headers = { 'x-feed-token': token }
  return request(host.feed, `${FEED}/positions`, {
    ...{ method: 'POST', headers, body: JSON.stringify(rows) },
  })
}

/** A name that nothing else of the organization has. */
export function newName({ model }: TrialFleet, what: string): string {
  model.names += 1
  return `${what} ${model.names}`
}

export async function addObject(fleet: TrialFleet): Promise<void> {
  const { model } = fleet
  const name = newName(fleet, 'Bus')
  const ident = `i${model.names}`
  const { id } = await manage(fleet, 'POST', '/objects', { name, ident })
  model.objects.push({ id, ident, number: model.names, rows: new Map() })
}

/** The part of a fleet that a key with a scope shows. Everything that happens to the fleet happens to it. */
export async function scopedFleet(fleet: TrialFleet, scope: Json): Promise<TrialFleet> {
  const { secret, credential } = await manage(fleet, 'POST', '/keys', { name: 'scoped', scope })
  const { grants = [] } = scope
  if (grants.length > 0) fleet.granted.push({ key: credential.id, scope })
  const ends = [
    ...[scope.data_from ?? null, scope.data_until ?? null],
    ...grants.flatMap(({ from, until }: Json) => [from, until]),
  ].filter((end) => end !== null)
  fleet.ends.push(...ends.map((end) => Date.parse(end)))
  const isBounded = ends.length > 0
  return Object.create(fleet, { key: { value: secret }, isBounded: { value: isBounded } })
}

export function describeFleet({ done, organization }: TrialFleet): string {
  return `organization ${organization}: ${done.join(', ')}`
}
