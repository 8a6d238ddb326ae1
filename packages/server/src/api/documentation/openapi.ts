import { readFileSync } from 'node:fs'
import { MEDIA_TYPES } from '../encode/formats/formats.ts'
import { errorResponse, errorResponses } from './error-responses.ts'
import { examples } from './examples.ts'
import { EXHAUSTED, headerReferences, headers, RATE } from './headers.ts'
import { type OperationDescription, operations, TAGS } from './operations.ts'
import { parameters } from './parameters.ts'
import { referring } from './references.ts'
import { named, type OperationId, successes } from './schemas.ts'

const { withReferences, schemas } = referring(named)

/** The description of the public API, OpenAPI 3.1. */
export function openapi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fleetgate API',
      version: '1.0.0',
      summary: 'Read-only access to the data of a fleet',
      description: readFileSync(new URL('description.md', import.meta.url), 'utf8'),
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/public/v1', description: 'This host' }],
    // Only one scheme: generated clients send the key by every scheme named here, and the server refuses
    // that.
    security: [{ bearer: [] }],
    tags: TAGS,
    paths: Object.fromEntries(
      Object.entries(operations).map(([id, operation]) => [
        operation.path,
        { get: operationObject(id as OperationId, operation) },
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same key in a header of its own. Send it in one of the two headers.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the organization, as a Bearer token.',
        },
      },
      parameters,
      headers,
      responses: errorResponses,
      schemas: schemas(),
    },
  }
}

function operationObject(id: OperationId, operation: OperationDescription): object {
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isPublic && { security: [] }),
    ...(operation.parameters.length > 0 && {
      parameters: operation.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    responses: responses(id, operation),
  }
}

/**
 * The media types of a success besides JSON. `content` lacks them: with several types in it, generators give the
 * result another type or read it as a stream, also for those who ask for JSON.
 */
function otherMediaTypes({ formats = [], isStream }: OperationDescription): string[] {
  const types = formats.map((format) => MEDIA_TYPES[format])
  const others = types.filter((type) => type !== MEDIA_TYPES.json)
  return isStream ? [...others, 'text/event-stream'] : others
}

function success(id: OperationId, operation: OperationDescription): object {
  const others = otherMediaTypes(operation)
  const names = others.map((type) => `\`${type}\``).join(', ')
  const hint = others.length === 0 ? '' : ` Also available as ${names}.`
  return {
    description: operation.success + hint,
    headers: headerReferences(operation.successHeaders),
    content: {
      'application/json': { schema: withReferences(successes[id]), example: examples[id] },
    },
    ...(others.length > 0 && { 'x-other-media-types': others }),
  }
}

function responses(id: OperationId, operation: OperationDescription): object {
  const { badRequests, errors, hasEntityTag, isPublic } = operation
  const mayExhaust = badRequests.some(({ errorCode }) => errorCode === 'PUBLIC.400_005')
  const shared = Object.entries(errors).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ])
  // JavaScript puts integer keys in ascending order, whatever the order of insertion.
  return {
    200: success(id, operation),
    ...(hasEntityTag && {
      304: {
        description: 'Nothing has changed since the answer that `If-None-Match` names.',
        headers: headerReferences(operation.successHeaders),
      },
    }),
    ...(badRequests.length > 0 && {
      400: errorResponse(
        isPublic
          ? 'The request is not well-formed.'
          : 'The message names the parameter and the rule.',
        isPublic ? [] : [...RATE, ...(mayExhaust ? EXHAUSTED : [])],
        badRequests,
      ),
    }),
    ...Object.fromEntries(shared),
  }
}
