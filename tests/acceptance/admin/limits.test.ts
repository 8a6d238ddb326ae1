import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertValid,
  type Described,
  EMAIL,
  filledIn,
  OPERATIONS,
  PASSWORD,
  withRange,
} from '../harness/admin.ts'
import type { Answer } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type LimitCase, limitCases, newText, unlimitedFields } from '../harness/limit-cases.ts'
import { RING } from '../harness/listed-kinds.ts'
import { LISTED, newLink, operationOn, WEBHOOK } from '../harness/owned.ts'
import { startSignOn } from '../harness/sign-on.ts'

const { operator } = await startSignOn()
const { post, patch } = operator
const named = (more: object = {}) => ({ name: newText(8), ...more })
const withIdent = () => named({ ident: newText(8) })
const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
let password = PASSWORD
const PERSON = { name: 'Ada', email: EMAIL }
/** The object is the first one of the deployment. */
const GRANT = { objects: [1], from: null, until: null, attributes: ['cargo'] }
const CHOSEN = {
  ...WEBHOOK,
  ...{ types: ['positions'], grants: [GRANT, GRANT], ids: [1], include: ['exact'] },
}

const SCOPE = { operations: ['objects'], grants: [GRANT, GRANT] }

const POINTS = [
  [0, 0],
  [1, 1],
]

const ATTRIBUTE = {
  ...{
    name: 'cargo',
    type: 'number',
    unit: null,
    label: 'Cargo',
    decimals: 1,
    scale: 1,
    offset: 0,
  },
  ...{ minimum: -60, maximum: 120, none: [85, ''] },
  ...{
    sources: [{ name: 'temp1', table: POINTS, objects: [1], capacity: 9 }],
    is_counter: true,
    maximum_rate: 9,
    is_public: true,
  },
}

/** The ring of the geofence is open, so that one vertex of it can have a coordinate at a limit. */
const LISTED_BODIES = { ...LISTED, geofences: { coordinates: RING.slice(0, 3) } }

/** An allowed body of each operation. No two have the same name or ident. */
const BODIES: Record<string, () => Json> = {
  readOneTimeUrl: () => ({ token: 'used up' }),
  setUp: () => ({ token: 'used up', ...PERSON, password: 'a long enough password' }),
  signIn: () => ({ email: EMAIL, password, code: null }),
  acceptInvitation: () => ({ token: 'used up' }),
  setTotp: () => ({ current: password, secret: null, code: '123456' }),
  updatePerson: () => ({ role: 'operator', name: 'Ada', is_disabled: false }),
  updateOrganizationPerson: () => ({ role: 'viewer', is_disabled: false }),
  issueInvitation: () => ({ email: 'new@example.com', role: 'support' }),
  issueOrganizationInvitation: () => ({ email: 'new@example.com', role: 'viewer' }),
  updateAccessSettings: () => ({ requires_totp: false }),
  changePassword: () => ({ current: password, next: password }),
  linkAccount: () => ({ current: password }),
  issueToken: () => named({ role: 'support' }),
  issueOrganizationToken: () => named({ role: 'viewer' }),
  createOrganization: () => named(),
  updateOrganization: () => named(),
  issueKey: () => named({ scope: SCOPE }),
  updateKey: () => ({ scope: SCOPE }),
  issueFeedToken: () => named(),
  rotateKey: () => ({ overlap_hours: 1 }),
  createLink: () => named({ ...newLink(), grants: [GRANT, GRANT] }),
  rotateLink: () => ({ overlap_hours: 1 }),
  rotateFeedToken: () => ({ overlap_hours: 1 }),
  issueDeploymentToken: () => named(),
  rotateDeploymentToken: () => ({ overlap_hours: 1 }),
  addRoutingRule: newRule,
  moveRoutingRule: () => ({ before: null }),
  tryRouting: () => ({ ident: newText(8) }),
  assignIdent: () => ({ ident: newText(8), organizations: [organization] }),
  dismissWaitingIdent: () => ({ ident: newText(8) }),
  createWebhook: () => ({ ...CHOSEN }),
  updateWebhook: () => ({ ...CHOSEN, on: true }),
  rotateWebhookSecret: () => ({ overlap_hours: 1 }),
  createObject: withIdent,
  updateObject: withIdent,
  previewAccuracy: () => ({ accuracy: {}, ...range }),
  deletePositions: () => ({ ...range, dry_run: false }),
  findValues: () => ({ ...range, names: ['sent'], value: 'x', object: 1, after: 0 }),
  eraseValues: () => ({
    ...range,
    names: ['sent'],
    value: 'x',
    object: 1,
    after: 0,
    dry_run: false,
  }),
  renameSavedMapping: () => named(),
  setAttribute: () => ({ ...ATTRIBUTE }),
  publishAttributes: () => ({ names: ['cargo'], except: ['cargo'], dry_run: false }),
  hideAttributes: () => ({ names: ['cargo'] }),
  removeAttributes: () => ({ names: ['door'] }),
  forgetAttributes: () => ({ names: ['sent'], dry_run: false }),
  ...Object.fromEntries(
    ['create', 'update'].flatMap((act) =>
      Object.entries(LISTED_BODIES).map(([kind, body]) => [
        operationOn(kind, act),
        () => named(body),
      ]),
    ),
  ),
}

function newRule(): Json {
  return { condition: 'ident', any_of: [newText(8)], organizations: [organization] }
}

const PLAIN_LIMITS = ['objects', 'data_from', 'data_until', 'attributes']

/** Fields whose value another field, or what exists, narrows further. */
const NARROWED: Record<string, string[]> = {
  setUp: ['password', 'name', 'email'],
  // An address has a form of its own, and the last operator stays one.
  issueInvitation: ['email'],
  issueOrganizationInvitation: ['email'],
  updatePerson: ['role', 'is_disabled'],
  updateOrganizationPerson: ['is_disabled'],
  updateAccessSettings: ['requires_totp'],
  setTotp: ['secret', 'code'],
  // The form decides about the scheme of the URL, the types and the credentials.
  createWebhook: ['form', 'credentials'],
  updateWebhook: ['credentials'],
  // A range is in order, and only numbers have one, as counters have a rate. The points of a table are in order. No counter is
  // a level.
  setAttribute: [
    ...['type', 'minimum', 'maximum', 'sources', 'is_counter'],
    ...['is_level', 'threshold', 'smoothing'],
  ],
  // Names that devices have sent.
  forgetAttributes: ['names'],
  // The object is there.
  findValues: ['object'],
  eraseValues: ['object'],
  // A test key has no scope. A scope has grants, or is limited by fields of its own.
  issueKey: ['scenario', ...PLAIN_LIMITS],
  updateKey: PLAIN_LIMITS,
  // Plans have a form of their own.
  createObject: ['private_hours', 'private_ranges'],
  // They go with the ident of another object.
  updateObject: ['since', 'former_ident', 'private_hours', 'private_ranges'],
  // A rule is put before one that is there.
  addRoutingRule: ['condition', 'attribute', 'organizations', 'before'],
  moveRoutingRule: ['before'],
  assignIdent: ['organizations'],
}

/** Its window has room for the largest share of a key. */
const organization: number = (await post('/organizations', named({ window_requests: 1_000 }))).id
const at = `/organizations/${organization}`
const object: number = (await post(`${at}/objects`, withIdent())).id
await operator.ask('POST', `${at}/import/objects?file=a.csv&map=ident%3Dbus`, { body: 'bus\nB1\n' })
await patch(`${at}/attributes`, { name: 'cargo' })
const mapping: number = (await operator.get(`${at}/import/mappings`)).items[0].id
const place: Record<string, number> = {}
for (const [kind, body] of Object.entries(LISTED)) {
  place[kind] = (await post(`${at}/${kind}`, named(body))).id
}

/** A path of an operation. Settings of an organization must not limit what the other operations may do. */
async function pathOf({ id, path }: Described): Promise<string> {
  const kind = path.split('/')[3] ?? ''
  const ids: Record<string, number> = { organization, object, mapping, place: place[kind] ?? 0 }
  if (id === 'updateOrganization') ids.organization = (await post('/organizations', named())).id
  if (id === 'removeAttributes') await patch(`${at}/attributes`, { name: 'door' })
  if (id === 'forgetAttributes') await sendAttribute()
  if (path.includes('{rule}')) ids.rule = (await post('/routing/rules', newRule())).id
  if (path.startsWith('/routing/tokens/')) {
    ids.credential = (await post('/routing/tokens', named())).credential.id
  } else if (id === 'rotateLink') ids.link = (await post(`${at}/links`, named(newLink()))).link.id
  else if (kind === 'webhooks') ids.webhook = await onlyWebhook()
  else if (id.startsWith('rotate') || id === 'updateKey') {
    ids.credential = (await post(`${at}/${kind}`, named())).credential.id
  }
  return filledIn(path, ids)
}

let sent = 0

/** A name may have been forgotten before. */
async function sendAttribute(): Promise<void> {
  sent += 1
  const time = new Date(Date.UTC(2026, 0, 1) + sent).toISOString()
  const target = `${at}/import/positions?file=a.csv&attribute=sent&create_objects=true`
  const body = `ident,time_device,latitude,longitude,sent\nB1,${time},41,2,5\n`
  await operator.ask('POST', target, { body })
}

/** An organization has few webhooks, so the others are deleted first. */
async function onlyWebhook(): Promise<number> {
  for (const { id } of (await operator.get(`${at}/webhooks`)).items) {
    await operator.ask('DELETE', `${at}/webhooks/${id}`)
  }
  return (await post(`${at}/webhooks`, CHOSEN)).webhook.id
}

async function check(operation: Described, limit: LimitCase): Promise<void> {
  const { id, method, path } = operation
  const { value: body, isAllowed, field, says = '' } = limit
  // Signing in would end the session in whose place it is.
  const headers: Record<string, string> = operation.isOpen ? { cookie: '' } : {}
  const answer = await operator.ask(method, await pathOf(operation), { body, headers })
  const about = `${id} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`
  const pointer = `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
  const isDescribed = () => assertValid(pointer, body, about)
  if (!isAllowed) {
    assertRefused(answer, field ?? null, says, about)
    assert.throws(isDescribed, about)
    return
  }
  isDescribed()
  if (NARROWED[id]?.includes(field!)) return
  assert.ok(answer.status < 300, about)
  if (id === 'changePassword') password = body.next
}

/** A setup link with an unknown secret is refused as a wrong password is. */
function assertRefused(
  { status, json }: Answer,
  field: string | null,
  says: string,
  about: string,
) {
  assert.equal(status, field === 'token' ? 401 : 400, about)
  assert.equal(json.field, field, about)
  assert.ok(json.message.includes(says), `not "${says}": ${about}`)
}

describe('The limits that the description of the admin API publishes', () => {
  const taking = OPERATIONS.filter(({ takes }) => takes?.['application/json'] !== undefined)

  it('cover every operation with a body', () => {
    assert.deepEqual(taking.map(({ id }) => id).sort(), Object.keys(BODIES).sort())
  })

  it('are missing only where any text is a valid attempt, or the list of time zones decides', () => {
    const open = taking.flatMap(({ id, takes }) =>
      unlimitedFields(takes['application/json'].schema).map((field) => `${id} ${field}`),
    )
    const zones = ['createObject', 'updateObject', 'previewAccuracy']
    assert.deepEqual(
      open.sort(),
      [
        ...['changePassword', 'linkAccount'].map((id) => `${id} current`),
        ...['current', 'secret', 'code'].map((field) => `setTotp ${field}`),
        ...['acceptInvitation', 'readOneTimeUrl', 'setUp'].map((id) => `${id} token`),
        ...['email', 'password', 'code'].map((field) => `signIn ${field}`),
        ...zones.map((id) => `${id} device_timezone`),
        ...['createObject', 'updateObject'].map((id) => `${id} private_time_zone`),
        'createOrganization time_zone',
        'updateOrganization time_zone',
      ].sort(),
    )
  })

  it('are those of whole numbers in a query', async () => {
    let checked = 0
    for (const operation of OPERATIONS) {
      const { path, queries } = operation
      for (const { name, schema } of queries.filter(
        (each: Json) => each.schema.type === 'integer',
      )) {
        for (const { value, isAllowed } of limitCases(schema, 1)) {
          if (value === null) continue
          const ranged = withRange(operation, filledIn(path, { organization }))
          const target = `${ranged}${ranged.includes('?') ? '&' : '?'}${name}=${value}`
          const answer = await operator.ask('GET', target)
          assert.equal(answer.status, isAllowed ? 200 : 400, `${target}: ${answer.text}`)
          if (!isAllowed) assert.equal(answer.json.field, name)
          checked += 1
        }
      }
    }
    assert.ok(checked > 15, `${checked}`)
  })

  for (const operation of taking) {
    const { id, takes } = operation
    it(`are those of ${id}: it accepts a value at each limit, and refuses the next one by field and rule`, async () => {
      const { schema } = takes['application/json']
      const count = limitCases(schema, BODIES[id]!()).length
      assert.ok(count > 1, `${count} limits`)
      for (let index = 0; index < count; index += 1) {
        await check(operation, limitCases(schema, BODIES[id]!())[index]!)
      }
    })
  }
})
