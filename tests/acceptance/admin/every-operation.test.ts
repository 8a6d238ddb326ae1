import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ADMIN,
  ask,
  assertError,
  DESCRIPTION,
  type Described,
  filledIn,
  OPERATIONS,
  startConsole,
  withRange,
} from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import {
  comparable,
  idsIn,
  LISTED,
  newLink,
  operationOn,
  owned,
  targetOf,
  WEBHOOK,
} from '../harness/owned.ts'
import { newPerson } from '../harness/people.ts'
import { firstAnswer } from '../harness/raw-socket.ts'
import { DEMO_STREETS } from '../harness/tiles.ts'

const console = await startConsole(['--map-tiles', DEMO_STREETS])
const { operator, origin } = console
const { get, post } = operator

const own = await owned(operator, 'Own')
// More deliveries than the other organization has, so that this number is foreign to it.
const foreign = await owned(operator, 'Foreign', 5)
for (const things of [own, foreign]) {
  const person = await newPerson(origin, operator, 'viewer', things.organization)
  things.people = person.id
  things.sessions = (await person.get('/account/sessions')).items[0].id
}
const { token } = await post('/tokens', { role: 'operator', name: 'x' })

/** A valid body or query for each described operation, with ids of the second organization only. */
const VALID: Record<string, unknown> = {
  previewAccuracy: {
    accuracy: {},
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  },
  rotateKey: { overlap_hours: 1 },
  rotateLink: { overlap_hours: 1 },
  createLink: { name: 'k', ...newLink() },
  rotateFeedToken: { overlap_hours: 1 },
  rotateDeploymentToken: { overlap_hours: 1 },
  issueDeploymentToken: { name: 'k' },
  addRoutingRule: { condition: 'ident', any_of: ['n'], organizations: [foreign.organization] },
  assignIdent: { ident: 'another', organizations: [foreign.organization] },
  tryRouting: { ident: 'another' },
  dismissWaitingIdent: { ident: 'another' },
  rotateWebhookSecret: { overlap_hours: 1 },
  createWebhook: WEBHOOK,
  publishAttributes: { names: null },
  forgetAttributes: { names: null },
  findValues: { value: 'x' },
  eraseValues: { value: 'x' },
  deletePositions: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  issueKey: { name: 'k' },
  issueFeedToken: { name: 'k' },
  issueToken: { name: 'k', role: 'support' },
  issueOrganizationToken: { name: 'k', role: 'viewer' },
  issueInvitation: { email: 'k@example.com', role: 'support' },
  issueOrganizationInvitation: { email: 'k@example.com', role: 'viewer' },
  setTotp: { current: 'the one that holds', secret: 'A'.repeat(32), code: '123456' },
  acceptInvitation: { token: 'used up' },
  createObject: { name: 'n', ident: 'another' },
  ...Object.fromEntries(
    Object.entries(LISTED).map(([kind, body]) => [
      operationOn(kind, 'create'),
      { ...body, name: 'Another' },
    ]),
  ),
  createOrganization: { name: 'n' },
  changePassword: { current: 'the one that holds', next: 'the one in its place' },
}

const POSITIONS = 'ident,time,lat,lon\ni,1740819600,1,2\n'

const pathOf = (operation: Described) => targetOf(operation, own, token.id)

function bodyOf({ id, takes, takesFile }: Described): unknown {
  if (!takesFile) return takes === undefined ? undefined : (VALID[id] ?? {})
  return id === 'importPositions' || id === 'previewImport' ? POSITIONS : 'name,ident\nn,i\n'
}

describe('Every operation', () => {
  it('is described by a name of its own, and open only where nobody has signed in yet', () => {
    assert.ok(OPERATIONS.length > 105, `${OPERATIONS.length}`)
    assert.equal(new Set(OPERATIONS.map(({ id }) => id)).size, OPERATIONS.length)
    const open = OPERATIONS.filter(({ isOpen }) => isOpen)
    const signIn = [
      'beginSignOn',
      'endSessionsOfProvider',
      'endSignOn',
      'finishSignOn',
      'getSession',
      'readOneTimeUrl',
      'setUp',
      'signIn',
    ]
    assert.deepEqual(open.map(({ id }) => id).sort(), signIn)
  })

  for (const operation of OPERATIONS.filter(({ isOpen }) => !isOpen)) {
    const { method, id } = operation
    it(`${id}: answers 401 without a session, whether the target exists or not`, async () => {
      const headers = { origin: origin() }
      const body = bodyOf(operation)
      const target = pathOf(operation)
      const answers = [
        await ask(origin(), method, target, { headers, body }),
        await ask(origin(), method, filledIn(operation.path, { token: 99 }), { headers, body }),
      ]
      for (const answer of answers) {
        assertError(answer, 401, 'signed_out')
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
      }
      assert.equal(comparable(answers[0]!), comparable(answers[1]!))
    })
  }

  for (const operation of OPERATIONS.filter(({ path }) => path.includes('{'))) {
    const { method, id, path } = operation
    it(`${id}: answers 404 to a missing id, byte for byte as to a foreign id`, async () => {
      const body = bodyOf(operation)
      const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
      const ask = (ids: Record<string, number | string>) => {
        return operator.ask(method, withRange(operation, filledIn(path, ids)), { body })
      }
      const ids = idsIn(operation, own, token.id)
      const far = 9_007_199_254_740_991
      const last = names.at(-1)!
      const missing = await ask({ ...ids, [last]: far })
      assertError(missing, 404, 'not_found')
      for (const large of ['9999999999999999', '9007199254740993', 4_294_967_297, 2_147_483_648]) {
        assert.equal(comparable(await ask({ ...ids, [last]: large })), comparable(missing))
      }
      // An operator gives a role in an organization to anybody.
      if (names.length === 1 || id === 'updateOrganizationPerson') return
      const other = idsIn(operation, foreign, token.id)[last]!
      assert.notEqual(other, ids[last])
      assert.equal(comparable(await ask({ ...ids, [last]: other })), comparable(missing))
      if (names[0] !== 'organization') return
      assertError(await ask({ ...ids, organization: far }), 404, 'not_found')
    })
  }

  it('changes nothing of the other organization', async () => {
    const at = `/organizations/${foreign.organization}`
    const { name, ident } = await get(`${at}/objects/${foreign.object}`)
    assert.deepEqual([name, ident], ['Foreign thing', 'Foreign ident'])
    for (const kind of ['keys', 'feed-tokens']) {
      const { items } = await get(`${at}/${kind}`)
      assert.deepEqual(
        items.map(({ revoked_at }: Json) => revoked_at),
        [null],
      )
    }
    for (const kind of Object.keys(LISTED))
      assert.equal((await get(`${at}/${kind}`)).items.length, 1)
    assert.equal((await get('/organizations')).items.length, 2)
  })

  for (const path of Object.keys(DESCRIPTION.paths)) {
    it(`${path}: answers 405 to another method, and names the allowed ones`, async () => {
      const target = filledIn(path, { organization: own.organization, object: own.object })
      const taken = Object.keys(DESCRIPTION.paths[path]).map((method) => method.toUpperCase())
      const expected = taken.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (taken.includes(method)) continue
        const answer = await operator.ask(method, target)
        assertError(answer, 405, 'method_not_allowed')
        assert.deepEqual(String(answer.headers.allow).split(', ').sort(), expected.sort())
      }
    })
  }

  for (const operation of OPERATIONS.filter(({ method }) => method === 'GET')) {
    it(`${operation.id}: answers HEAD as GET, without a body`, async () => {
      const target = pathOf(operation)
      const head = await operator.ask('HEAD', target)
      assert.equal(head.status, Number(Object.keys(operation.responses)[0]))
      assert.equal(head.text, '')
      if (operation.id === 'watchObjects') return
      const { headers } = await operator.ask('GET', target)
      assert.equal(head.headers['content-type'], headers['content-type'])
    })
  }
})

describe('A path', () => {
  it('answers 404 if unknown, below the prefix and beside it', async () => {
    const { organization, object } = own
    for (const path of [
      '/',
      '/nothing',
      '/server/',
      '//server',
      '/Server',
      '/server/x',
      '/%73erver',
      '/./server',
      '/x/../server',
      '/organizations/0',
      `/organizations/${organization}%20`,
      `/organizations/${organization}/objects/${object}x`,
      `/organizations/${'9'.repeat(400)}`,
      '/organizations/__proto__',
      '/organizations/1/constructor',
    ]) {
      assertError(await operator.ask('GET', path), 404, 'not_found')
    }
    for (const path of ['/admin', '/admin/', '/admin/v2/server', '/admin/v1', '/admin?x']) {
      assert.equal((await request(origin(), path)).status, 404, path)
    }
    for (const path of ['/../../12345678/server', '/../v1/server']) {
      assertError(await operator.ask('GET', path), 404, 'not_found')
    }
  })

  it('rejects a query out of bounds by the name of the field', async () => {
    const { organization, object } = own
    const at = `/organizations/${organization}`
    const track = `${at}/objects/${object}/track`
    const RECORDS = 'from_time=2026-01-01&to_time=2026-01-02'
    const DATES = 'from_date=2026-01-01&to_date=2026-01-02'
    const wrong: [string, string][] = [
      [`${at}/usage?days=`, 'days'],
      [`${at}/usage?days=0x10`, 'days'],
      ['/audit?before=x', 'before'],
      [`${at}/disclosures?from=today`, 'from'],
      [`${at}/disclosures?from=2026-01-02&to=2026-01-01`, 'from'],
      [`${at}/disclosures?key=x`, 'key'],
      [`${at}/disclosures?key=1&source=key`, 'key'],
      [`${at}/disclosures?source=anybody`, 'source'],
      [`${at}/disclosures?source_id=x`, 'source_id'],
      [track, 'from'],
      [`${track}?from=2026-01-01T00:00:00Z`, 'to'],
      [`${track}?from=yesterday&to=2026-01-01T00:00:00Z`, 'from'],
      [`${track}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`, 'to'],
      [`${track}?from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:00.001Z`, 'to'],
      [`${at}/trips`, 'from_time'],
      [`${at}/stops?from_time=2026-01-01`, 'to_time'],
      [`${at}/visits?from_time=2026-01-01&to_time=2026-02-30`, 'to_time'],
      [`${at}/visits.csv?from_time=2026-01-02&to_time=2026-01-01`, 'from_time'],
      [`${at}/trips?${RECORDS}&from_time=2026-01-01`, 'from_time'],
      [`${at}/trips?${RECORDS}&ids=x`, 'ids'],
      [`${at}/trips?${RECORDS}&ids=${Array.from({ length: 1_001 }, (_, id) => id)}`, 'ids'],
      [`${at}/trips?${RECORDS}&cursor=bXk3Yw`, 'cursor'],
      [`${at}/visits?${RECORDS}&sites=-1`, 'sites'],
      [`${at}/day-totals`, 'from_date'],
      [`${at}/days.csv?from_date=2026-01-02&to_date=2026-01-01`, 'from_date'],
      [`${at}/days.xlsx?from_date=2026-01-01&to_date=2026-02-01`, 'to_date'],
      [`${at}/day-totals?${DATES}&group=week`, 'group'],
      [`${at}/day-totals?${DATES}&group=by`, 'by'],
      [`${at}/day-totals.csv?${DATES}&by=nobody`, 'by'],
      [`${at}/day-totals?${DATES}&attributes=nothing`, 'attributes'],
      [`${at}/day-totals?${DATES}&tz=Mars`, 'tz'],
    ]
    for (const [path, field] of wrong) {
      assertError(await operator.ask('GET', path), 400, 'invalid', field)
    }
  })
})

describe('A body', () => {
  const taking = OPERATIONS.filter(
    ({ takes, isOpen }) => takes?.['application/json'] !== undefined && !isOpen,
  )
  const NOT_JSON = ['', '{', '{"name":', 'name=x', '\0', '{"name":"x"}}', "{'name':'x'}"]
  const NO_OBJECT = ['null', '[]', '[{"name":"x"}]', '"x"', '1', 'true', '['.repeat(200_000)]
  const PROTOTYPE = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString']

  for (const operation of taking) {
    const { id, method } = operation
    const send = (body: unknown) => operator.ask(method, pathOf(operation), { body })

    it(`must be a JSON object: ${id}`, async () => {
      for (const body of [...NOT_JSON, ...NO_OBJECT]) {
        assertError(await send(body), 400, 'invalid')
      }
    })

    it(`may hold no unknown field: ${id}`, async () => {
      for (const field of [...PROTOTYPE, 'organization', 'created_at', 'hash', '']) {
        const body = JSON.stringify({ ...(VALID[id] ?? {}) }).replace(
          /\}$/,
          `${VALID[id] === undefined ? '' : ','}${JSON.stringify(field)}:{"name":"x","isAdmin":true}}`,
        )
        assertError(await send(body), 400, 'invalid', field)
      }
    })
  }

  it('is rejected field by field for wrong types, and changes nothing', async () => {
    const before = await everything()
    let refused = 0
    for (const operation of taking) {
      const { id, method, takes } = operation
      const fields = fieldsOf(takes['application/json'].schema)
      for (const [field, schema] of Object.entries<Json>(fields)) {
        for (const value of wrongFor(schema)) {
          // Any text is a valid attempt at the password.
          if (field === 'current' && typeof value === 'string') continue
          // Any text that is no link is answered like a link that was used.
          if (field === 'token') continue
          const body = { ...(VALID[id] ?? {}), [field]: value }
          const answer = await operator.ask(method, pathOf(operation), { body })
          const { message } = assertError(answer, 400, 'invalid', field)
          assert.ok(message.startsWith(`${field} `), message)
          refused += 1
        }
      }
    }
    assert.ok(refused > 150, `${refused}`)
    assert.deepEqual(await everything(), before)
  })

  it('answers 413 when too large, and the connection can be used again', async () => {
    const large = { name: 'x'.repeat(5_000_000) }
    assertError(await operator.ask('POST', '/organizations', { body: large }), 413, 'too_large')
    const path = `/organizations/${own.organization}/import/sites?file=a.csv`
    const file = { body: Buffer.alloc(64 * 1024 * 1024 + 1, 'x') }
    assertError(await operator.ask('POST', path, file), 413, 'too_large')
    await get('/server')
  })

  it('leaves the connection usable when the operation ignores it', async () => {
    const { hostname, port } = new URL(origin())
    const head = (path: string, more: string) =>
      `POST ${ADMIN}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${origin()}\r\n${more}\r\n`
    const body = `{"name":"${'GET / HTTP/1.1 '.repeat(10_000)}"}`
    for (const path of ['/organizations', '/nothing']) {
      const bytes = `${head(path, `Content-Length: ${body.length}\r\n`)}${body}GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      const answer = await firstAnswer(Number(port), Buffer.from(bytes))
      assert.ok([401, 404].includes(answer.status), answer.text)
    }
  })
})

/** Everything that an operation could change. */
async function everything(): Promise<Json> {
  const at = `/organizations/${own.organization}`
  const paths = ['keys', 'feed-tokens', 'objects', 'geofences', 'routes', 'sites']
  return [
    (await get('/organizations')).items,
    (await get('/tokens')).items.map(({ id, name }: Json) => [id, name]),
    ...(await Promise.all(paths.map((path) => get(`${at}/${path}`)))),
    (await get('/people')).items,
    (await get('/invitations')).items,
    (await get('/audit?limit=500')).items,
  ]
}

function resolved(schema: Json): Json {
  if (schema.$ref === undefined) return schema
  return DESCRIPTION.components.schemas[schema.$ref.split('/').at(-1)]
}

function fieldsOf(schema: Json): Json {
  return resolved(schema).properties
}

/** A value of every JSON type that a schema does not allow. */
function wrongFor(schema: Json): unknown[] {
  const { type, format } = resolved(schema)
  const types = [type].flat()
  const values: [string, unknown][] = [
    ['null', null],
    ['string', format === 'date-time' ? 'tomorrow' : ''],
    ['number', 1e300],
    ['boolean', true],
    ['array', []],
    ['array', [[['x']]]],
    ['object', { x: 1 }],
  ]
  const wrong = values.filter(
    ([name]) => !types.includes(name) && !(name === 'number' && types.includes('integer')),
  )
  if (format === 'date-time') wrong.push(['string', 'tomorrow'])
  if (types.includes('integer')) wrong.push(['number', 1.5])
  if (types.includes('string') && format === undefined) {
    wrong.push(['string', 'a\0b'], ['string', '\ud800'], ['string', 'x'.repeat(5_000)])
  }
  return wrong.map(([, value]) => value)
}
