import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Answer, type RequestOptions, request } from './client.ts'
import type { Deployment } from './deployment.ts'
import { type Json, REPOSITORY } from './fleetgate.ts'
import { newDeployment } from './new-deployment.ts'
import type { Server } from './server.ts'
import { serveHere } from './server-here.ts'

export const ADMIN = '/admin/v1'
export const PASSWORD = 'a long enough password'
export const EMAIL = 'ada@example.com'
/** The first operator as the audit log names people. */
export const ADA = `person 1 Ada <${EMAIL}>`

/** The OpenAPI description of the admin API, as it ships. */
export const DESCRIPTION: Json = JSON.parse(
  readFileSync(join(REPOSITORY, 'packages/server/admin-openapi.json'), 'utf8'),
)

export type Described = {
  id: string
  method: string
  path: string
  isOpen: boolean
  /** The roles of people who may call it. Empty: a person who has signed in, about the own account. */
  people: string[]
  /** The roles of tokens that may call it. */
  tokens: string[]
  /** Its JSON body by media type; undefined if it takes none. */
  takes: Json
  takesFile: boolean
  /** The parameters of its query. */
  queries: Json[]
  responses: Json
}

export const OPERATIONS: Described[] = Object.entries<Json>(DESCRIPTION.paths).flatMap(
  ([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      isOpen: operation.security?.length === 0,
      people: (operation.security ?? []).flatMap(({ session = [] }: Json) => session),
      tokens: (operation.security ?? []).flatMap(({ bearer = [] }: Json) => bearer),
      takes: operation.requestBody?.content,
      takesFile: operation.requestBody?.$ref === '#/components/requestBodies/File',
      queries: (operation.parameters ?? [])
        .map(({ $ref, ...own }: Json) =>
          $ref === undefined ? own : DESCRIPTION.components.parameters[$ref.split('/').at(-1)],
        )
        .filter((each: Json) => each.in === 'query'),
      responses: operation.responses,
    })),
)

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'admin', ...DESCRIPTION })
const compiled = new Map<string, ValidateFunction>()

/** Calls the admin API; `path` is below `/admin/v1`. Fails if the answer does not match the description. */
export async function ask(
  origin: string,
  method: string,
  path: string,
  { body, ...options }: AdminOptions = {},
): Promise<Answer> {
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  // Node's client would send the body of a DELETE without its length.
  const length = sent && { 'content-length': String(Buffer.byteLength(sent)) }
  const headers = { ...length, ...options.headers }
  const answer = await request(origin, ADMIN + path, { ...options, method, headers, body: sent })
  assertDescribed(method, path, answer)
  return answer
}

export type AdminOptions = Omit<RequestOptions, 'body'> & { body?: unknown }

/** Fails if the description of this operation does not allow the answer, member by member. */
function assertDescribed(method: string, path: string, answer: Answer): void {
  const { status, headers, text } = answer
  const about = `${method} ${path}: ${status} ${text.slice(0, 300)}`
  assert.equal(headers['cache-control'], 'no-store', about)
  assert.equal(headers['x-content-type-options'], 'nosniff', about)
  if (status >= 400) {
    assert.match(String(headers['content-type']), /^application\/json/, about)
    if (method !== 'HEAD') assertValid('#/components/schemas/ErrorBody', answer.json, about)
  }
  const operation = operationOf(method, path)
  if (operation === undefined) {
    assert.ok(method === 'HEAD' || [403, 404, 405].includes(status), about)
    return
  }
  assert.ok(operation.responses[status] !== undefined, `not described: ${about}`)
  if (status < 400) assertContent(operation, answer, about)
}

const NOT_JSON = [
  ...['text/event-stream', 'application/vnd.pmtiles', 'text/csv'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]

function assertContent(operation: Described, answer: Answer, about: string): void {
  const { status, headers, text } = answer
  const [type] = Object.keys(operation.responses[status].content ?? {})
  if (type === undefined) {
    assert.equal(text, '', about)
    return
  }
  assert.equal(String(headers['content-type']).split(';')[0], type, about)
  if (NOT_JSON.includes(type)) return
  const path = operation.path.replaceAll('/', '~1')
  const method = operation.method.toLowerCase()
  const content = `responses/${status}/content/${type.replaceAll('/', '~1')}`
  assertValid(`#/paths/${path}/${method}/${content}/schema`, answer.json, about)
}

export function assertValid(pointer: string, value: Json, about: string): void {
  let validate = compiled.get(pointer)
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `admin${encodeURI(pointer)}` })
    compiled.set(pointer, validate)
  }
  if (!validate(value)) assert.fail(`${JSON.stringify(validate.errors?.slice(0, 3))} of ${about}`)
}

export function operationOf(method: string, target: string): Described | undefined {
  const path = target.split('?')[0]!
  return OPERATIONS.find((each) => each.method === method && patternOf(each.path).test(path))
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[1-9]\\d{0,15}')}$`)
}

const DAY = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']

/** A path with the parameters that its operation requires: those of a range of time. */
export function withRange({ id, queries }: Described, path: string): string {
  if (id === 'getTrack' || id === 'getSentValues') return `${path}?from=${DAY[0]}&to=${DAY[1]}`
  if (/days|day-totals/i.test(path)) return `${path}?from_date=2026-11-16&to_date=2026-11-17`
  const isRequired = queries.some(({ required }) => required === true)
  return isRequired ? `${path}?from_time=${DAY[0]}&to_time=${DAY[1]}` : path
}

/** A path of the description, with ids in place of the names in braces. */
export function filledIn(path: string, ids: Readonly<Record<string, number | string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name] ?? 1))
}

/** Checks status and code of an error and returns its body. */
export function assertError(answer: Answer, status: number, code: string, field?: string): Json {
  assert.equal(answer.status, status, answer.text.slice(0, 400))
  assert.equal(answer.json.code, code, answer.text)
  if (field !== undefined) assert.equal(answer.json.field, field, answer.text)
  return answer.json
}

/** Checks the status of a successful call and returns its JSON body, or null if there is none. */
export function done(answer: Answer): Json {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text.slice(0, 400)}`)
  return /\bjson\b/.test(String(answer.headers['content-type'])) ? answer.json : null
}

/** A signed-in caller: a browser with its cookie, or a program with its token. */
export type Operator = {
  readonly headers: Record<string, string>
  ask(method: string, path: string, options?: AdminOptions): Promise<Answer>
  get(path: string): Promise<Json>
  post(path: string, body?: unknown): Promise<Json>
  patch(path: string, body: unknown): Promise<Json>
  delete(path: string): Promise<void>
}

export function operatorBy(origin: () => string, headers: Record<string, string>): Operator {
  const asIs: Operator['ask'] = (method, path, options = {}) =>
    ask(origin(), method, path, {
      ...options,
      headers: { origin: origin(), ...headers, ...options.headers },
    })
  return {
    headers,
    ask: asIs,
    get: async (path) => done(await asIs('GET', path)),
    post: async (path, body) => done(await asIs('POST', path, { body })),
    patch: async (path, body) => done(await asIs('PATCH', path, { body })),
    async delete(path) {
      done(await asIs('DELETE', path))
    },
  }
}

/** The secret of a one-time URL that a server or a command printed. */
export function secretOf(link: string): string {
  return new URL(link).hash.slice(1)
}

/** `fleetgate_session=…`, as a browser sends the cookie back. */
export function cookieOf({ headers }: Answer): string {
  const [set = ''] = headers['set-cookie'] ?? []
  const cookie = set.split(';')[0]!
  assert.match(cookie, /^(?:__Host-)?fleetgate_session=fg_sess_\w{36}$/)
  return cookie
}

/** Makes the account of the first operator with the link of the startup message. */
export async function setUp({ admin, secrets }: Server, password = PASSWORD): Promise<string> {
  const { setup } = await secrets()
  return useLink(admin, secretOf(setup), { email: EMAIL, password })
}

/** Makes an account by a one-time URL, or sets another password. Returns the cookie of the session. */
export async function useLink(admin: string, token: string, more: object = {}): Promise<string> {
  const body = { token, name: 'Ada', password: PASSWORD, ...more }
  const answer = await ask(admin, 'POST', '/setup', { body, headers: { origin: admin } })
  assert.equal(answer.status, 204, answer.text)
  return cookieOf(answer)
}

export type Console = {
  deployment: Deployment
  server: Server
  /** The present address of the console. */
  origin: () => string
  operator: Operator
  /** Ends the server and starts it again. The session remains valid. */
  restart(): Promise<void>
}

/**
 * Starts a server in this process on an empty deployment and signs in. The server stops after the tests of the file.
 */
export async function startConsole(serveArgs: string[] = []): Promise<Console> {
  const deployment = await newDeployment()
  const args = ['--geocoder', 'off', ...serveArgs]
  const server = await serveHere(deployment, args)
  const cookie = await setUp(server)
  const origin = () => console.server.admin
  const console: Console = {
    deployment,
    server,
    origin,
    operator: operatorBy(origin, { cookie }),
    async restart() {
      await console.server.stop()
      console.server = await serveHere(deployment, args)
    },
  }
  after(() => console.server.stop())
  return console
}
