import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RATE_WINDOW } from '../../../base/domain/limits.ts'
import { LANGUAGES } from '../../../base/domain/organization.ts'
import { parseDate, parseInstant } from '../../../base/domain/time/time.ts'
import { openapi } from './openapi.ts'

const FILE = fileURLToPath(new URL('../../../../openapi.json', import.meta.url))
const REDOCLY = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))

type Response = {
  $ref?: string
  headers?: object
  content?: Record<string, { examples?: object }>
  description: string
}
type Operation = {
  operationId: string
  description: string
  security?: object[]
  responses: Record<string, Response>
}
type Schema = { properties?: { id?: { minimum?: number } } }
type Parameter = {
  name: string
  schema: { pattern?: string; minimum?: number; items?: { minimum: number } }
}
type Description = {
  openapi: string
  info: { description: string; version: string; contact: object }
  paths: Record<string, { get: Operation }>
  components: {
    responses: Record<string, Response>
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
  }
}

const described = JSON.parse(JSON.stringify(openapi())) as Description
const { parameters } = described.components
const operations = Object.entries(described.paths).map(([path, { get }]) => ({ path, ...get }))

test('the description has the version of OpenAPI that all tools support', () => {
  assert.equal(described.openapi, '3.1.0')
})

test('the ping is the only operation without a key', () => {
  const open = operations.filter(({ security }) => security?.length === 0)
  assert.deepEqual(
    open.map(({ operationId }) => operationId),
    ['ping'],
  )
})

test('every error has an example', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (status < '400') continue
      const shared = response.$ref?.split('/').at(-1)
      const { content } = shared === undefined ? response : described.components.responses[shared]!
      const examples = Object.keys(content?.['application/json']?.examples ?? {})
      assert.notEqual(examples.length, 0, `${operationId} ${status}`)
    }
  }
})

test('a success has JSON as its first content, and its other media types after it', () => {
  const types: Record<string, string[]> = {}
  for (const { operationId, responses } of operations) {
    const { content, description } = responses['200']!
    const [first, ...others] = Object.keys(content!)
    assert.equal(first, 'application/json', operationId)
    types[operationId] = others
    for (const type of others) assert.ok(description.includes(`\`${type}\``), type)
  }
  const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const tables = ['application/x-ndjson', 'text/csv', sheet]
  const positions = ['application/gpx+xml', 'application/vnd.google-earth.kml+xml']
  assert.deepEqual(types.listDays, tables)
  assert.deepEqual(types.listTrips, [...tables, 'application/geo+json'])
  assert.deepEqual(types.listPositions, [...tables, 'application/geo+json', ...positions])
  assert.deepEqual(types.listChanges, ['text/event-stream'])
  assert.deepEqual(types.getObject, [])
})

test('every response names the headers of all answers', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const shared = response.$ref?.split('/').at(-1)
      const { headers } = shared === undefined ? response : described.components.responses[shared]!
      const names = Object.keys(headers ?? {})
      for (const name of ['Cache-Control', 'Vary', 'X-Request-Id']) {
        assert.ok(names.includes(name), `${operationId} ${status} ${name}`)
      }
    }
  }
})

test('no id is negative', () => {
  const ids = Object.values(described.components.schemas).flatMap(({ properties }) =>
    properties?.id === undefined ? [] : [properties.id],
  )
  const { ObjectId, Geofences } = parameters
  for (const id of [...ids, ObjectId!.schema, Geofences!.schema.items!]) assert.equal(id.minimum, 0)
  assert.ok(ids.length > 4)
})

test('the pattern of times accepts exactly the forms that the server accepts', () => {
  const taken = [
    ...['2026-11-20', '20261120', '2026-11-20T10', '2026-11-20T10:30', '2026-11-20T10:30:00Z'],
    ...['2026-11-20T10:30:00.250+03:00', '2026-11-20T10:30:00,25-0500', '2026-11-20T10Z'],
    ...['20261120T100000Z', '20261120T1000+03', '20261120T10', '2026-11-20T10:30:00 03:00'],
  ]
  const refused = [
    ...['', 'today', '1763632800', '2026-11', '2026-1120', '2026-11-20 10:30', '20261120T10:30'],
    ...['2026-11-20T1030', '2026-11-20T10:30:00.', '2026-11-20T10:30:00z', '2026-11-20T10:30+3'],
  ]
  for (const { schema } of [parameters.FromTime!, parameters.ToTime!]) {
    const pattern = new RegExp(schema.pattern!, 'u')
    for (const text of [...taken, ...refused]) {
      const isTaken = (parseDate(text) ?? parseInstant(text)) !== undefined
      assert.equal(isTaken, taken.includes(text), `the server: ${text}`)
      assert.equal(pattern.test(text), isTaken, `the pattern: ${text}`)
    }
  }
})

test('an integrator finds a contact', () => {
  assert.deepEqual(described.info.contact, { name: 'The operator of this server' })
})

const WINDOW = `${RATE_WINDOW.requests} requests in any ${RATE_WINDOW.seconds} seconds`

test('the prose names every language, limit and error code', () => {
  const codes = JSON.stringify(described).match(/(PUBLIC|SUBSCRIPTION)\.\d{3}_\d{3}/g) ?? []
  for (const said of [...codes, ...LANGUAGES.map((language) => `\`${language}\``), WINDOW]) {
    assert.ok(described.info.description.includes(said), said)
  }
})

test('the prose describes how the data behave and how the API changes', () => {
  const { description, version } = described.info
  const headings: string[] = description.match(/^## .+$/gm) ?? []
  for (const heading of ['## The data over time', '## Client, sync and webhooks', '## Versions']) {
    assert.ok(headings.includes(heading), heading)
  }
  const subjects = ['One row for each moment', 'Late data', 'Retention', 'Trips']
  for (const subject of [...subjects, 'Latest position and newest row']) {
    assert.ok(description.includes(`**${subject}.**`), subject)
  }
  for (const term of ['`Deprecation`', '`Sunset`', '@fleetgate/client', 'fleetgate-pull']) {
    assert.ok(description.includes(term), term)
  }
  const newest = /^\| Version .*\n\|[ |-]+\n\| (\S+)/m.exec(description)?.[1]
  assert.equal(newest, version, 'the newest line of the changelog is the version')
})

test('an optional parameter has no example that tools would send by mistake', () => {
  for (const { name, ...rest } of Object.values(parameters)) {
    if (['If-None-Match', 'Accept-Language', 'cursor'].includes(name)) {
      assert.ok(!('example' in rest || 'examples' in rest), name)
    }
  }
})

type Problem = { location: { pointer: string }[] }

test('recommended lint rules find no error and no warning', async () => {
  const home = mkdtempSync(join(tmpdir(), 'redocly-'))
  try {
    const env = {
      ...process.env,
      HOME: home,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    }
    const lint = [REDOCLY, 'lint', '--extends=recommended', '--format=json', FILE]
    const { stdout } = await promisify(execFile)(process.execPath, lint, { cwd: home, env })
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: Problem[] }
    // The second scheme is described, but no operation names it: clients would send the key in both.
    const unexpected = problems.filter(
      ({ location }) => location[0]?.pointer !== '#/components/securitySchemes/bearer',
    )
    assert.deepEqual(unexpected, [])
    assert.deepEqual(totals, { errors: 0, warnings: 1, ignored: 0 })
  } finally {
    rmSync(home, { recursive: true })
  }
})
