import { nameOf, type Schema } from '../../acts/document-schema.ts'
import { ERROR, IMPORT_LINE, IMPORT_SUMMARY } from '../../acts/import-bodies.ts'
import { IMPORT_FORMATS } from '../../base/domain/import-formats.ts'
import { REQUEST_ID } from '../../base/http/listener-log.ts'
import { MEDIA_TYPES } from '../../read/formats/formats.ts'
import { referring } from '../api/documentation/openapi.ts'
import { SESSION_COOKIE } from './access/cookies.ts'
import { ADMIN_PREFIX, type AdminOperation } from './admin-api.ts'
import { MAP_TILES } from './map-tiles.ts'
import {
  parametersOf,
  RECORD_PAGES,
  REFUSALS,
  refusalsOf,
  SHARED_PARAMETERS,
} from './openapi-parts.ts'
import { OPERATIONS } from './operations/admin-operations.ts'

const REQUEST_ID_HEADER = {
  description:
    'The id of this request. For a status of 500 or 503, the log contains it with the failure.',
  schema: { type: 'string' },
  example: '5b0c6f2e9a41d7830c1be2f4',
}
const LOCATION_HEADER = {
  description: 'The next page: of the provider, or of the console.',
  schema: { type: 'string', format: 'uri-reference' },
}
const HEADERS = { [REQUEST_ID]: { $ref: `#/components/headers/${REQUEST_ID}` } }

const { withReferences, schemas } = referring(namedSchemas())

/** All named schemas of the operations, in the order of their use. */
function namedSchemas(): Record<string, object> {
  const found: Record<string, object> = {}
  function look(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const name = nameOf(value)
    if (name !== undefined && Object.hasOwn(found, name)) return
    if (name !== undefined) found[name] = value
    for (const part of Object.values(value)) look(part)
  }
  for (const { takes, answers } of OPERATIONS) {
    if (takes !== 'file') look(takes?.schema)
    if (answers !== null) look(schemaOf(answers))
  }
  look(IMPORT_LINE.schema)
  return found
}

function schemaOf(answers: NonNullable<AdminOperation['answers']>): Schema {
  return typeof answers === 'string' ? RECORD_PAGES[answers] : answers.schema
}

const FILE = {
  required: true,
  description: 'A file in one of the formats of the import.',
  content: Object.fromEntries(
    Object.entries(IMPORT_FORMATS).map(([format, { type }]) => [
      type,
      // A document of JSON may be an object or a list.
      format === 'json' || format === 'geojson' ? {} : { schema: { type: 'string' } },
    ]),
  ),
}

const TILES = { 'application/vnd.pmtiles': {} }

/** The description of the operator's API, OpenAPI 3.1. */
export function openapi(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = operationObject(operation)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fleetgate operator API',
      version: '1.0.0',
      summary: 'Everything that the console does, for programs',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: ADMIN_PREFIX, description: 'The admin listener' }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of `POST /tokens`, with one of the roles that the operation accepts.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE.name,
          description:
            'The cookie of a person who has signed in, with one of the roles that the operation accepts. Changes must come from the console’s origin. Over HTTPS, its name begins with `__Host-`.',
        },
      },
      headers: { [REQUEST_ID]: REQUEST_ID_HEADER },
      parameters: SHARED_PARAMETERS,
      requestBodies: { File: FILE },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([name, description]) => [name, refusal(description)]),
      ),
      schemas: schemas(),
    },
  }
}

const DESCRIPTION = `Everything that the console does, for programs: with a token as \`Authorization: Bearer\`.
Times are ISO 8601 in UTC with milliseconds, days \`YYYY-MM-DD\` in UTC. An error has a status and a
body with \`code\`, \`message\` and, for a wrong field, \`field\`. Every change goes into the audit log. The
\`security\` of an operation names the roles that it accepts, of a person (\`session\`) and of a token
(\`bearer\`). A role in an organization opens the paths of that organization; any other answers 404 there.`

function operationObject(operation: AdminOperation): object {
  const { id, tag, summary, takes, takesSignedForm } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(takes === 'file' && { requestBody: { $ref: '#/components/requestBodies/File' } }),
    ...(takes !== undefined &&
      takes !== 'file' && {
        requestBody: {
          required: true,
          content: takesSignedForm
            ? { 'application/x-www-form-urlencoded': { schema: withReferences(takes.schema) } }
            : json(withReferences(takes.schema)),
        },
      }),
    responses: responsesOf(operation),
  }
}

/** A session or a token with one of these roles, or any session. */
function securityOf({ who, isForPeople }: AdminOperation): object[] {
  if (who === 'everybody') return []
  if (who === 'people') return [{ session: [] }]
  const schemes = isForPeople === true ? ['session'] : ['session', 'bearer']
  return schemes.flatMap((scheme) => who.map((role) => ({ [scheme]: [role] })))
}

function responsesOf(operation: AdminOperation): object {
  const { status, answers } = operation
  return {
    [status]: {
      description: descriptionOf(operation),
      headers: status === 303 ? { ...HEADERS, Location: LOCATION_HEADER } : HEADERS,
      ...(operation === MAP_TILES && { content: TILES }),
      ...(answers !== null && { content: contentOf(operation, withReferences(schemaOf(answers))) }),
    },
    ...(operation === MAP_TILES && {
      206: {
        description: 'The range of bytes.',
        headers: HEADERS,
        content: TILES,
      },
      404: refusal('The server was started without such a file, or it is gone.'),
      416: refusal('The file has no such range; `Content-Range` has its size.'),
    }),
    ...refusalsOf(operation),
  }
}

function descriptionOf({ status, answers }: AdminOperation): string {
  if (status === 303) return 'The next page of the browser is in `Location`.'
  return answers === null ? 'Done.' : 'The requested data.'
}

function refusal(description: string): object {
  return { description, headers: HEADERS, content: json(withReferences(ERROR.schema)) }
}

function contentOf({ path, answers }: AdminOperation, schema: unknown): object {
  if (answers === IMPORT_SUMMARY) {
    // With `Accept: application/x-ndjson`, lines of progress come before the summary.
    return {
      ...json(schema),
      'application/x-ndjson': { schema: withReferences(IMPORT_LINE.schema) },
    }
  }
  if (path.endsWith('/live')) return { 'text/event-stream': { schema } }
  if (path.endsWith('.csv')) return { 'text/csv': { schema } }
  if (path.endsWith('.xlsx')) return { [MEDIA_TYPES.xlsx]: { schema } }
  if (path.endsWith('.geojson')) return { 'application/geo+json': { schema } }
  return json(schema)
}

function json(schema: unknown): object {
  return { 'application/json': { schema } }
}
