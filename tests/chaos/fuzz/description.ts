import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of the OpenAPI document that the fuzzer uses. */
export type Description = {
  paths: Record<string, { get: DescribedOperation }>
  components: Record<string, Record<string, Json>>
}

export type DescribedOperation = {
  operationId: string
  security?: unknown[]
  parameters?: Reference[]
  responses: Record<string, Reference & DescribedResponse>
}

export type DescribedResponse = {
  headers?: Record<string, Reference>
  content?: Record<string, { schema: Json }>
}

export type Parameter = {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema: {
    type: string
    enum?: string[]
    minimum?: number
    maximum?: number
    items?: { enum?: string[]; oneOf?: unknown }
    maxItems?: number
  }
}
export type Reference = { $ref?: string }
/** A part of the document that is passed on unchanged. */
export type Json = ReturnType<typeof JSON.parse>

export const PREFIX = '/public/v1'
const FILE = join(import.meta.dirname, '../../../packages/server/openapi.json')

export function readDescription(): Description {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/** The target of a reference into the document, or the thing itself. */
export function resolved(description: Description, thing: Reference): Json {
  if (thing.$ref === undefined) return thing
  const path = thing.$ref.replace(/^#\//, '').split('/')
  return path.reduce((node: Json, name) => node[name], description)
}

export type FuzzOperation = {
  id: string
  path: string
  parameters: Parameter[]
  /** Whether it needs an active subscription. */
  isOfPositions: boolean
  /** Whether its answers have an entity tag. */
  hasTag: boolean
}

/**
 * The operations that require a key, with their parameters. Without `/changes`, whose streams do not end and whose
 * held requests take 25 seconds; the followers of this suite attack it.
 */
export function keyedOperations(description: Description): FuzzOperation[] {
  return Object.entries(description.paths)
    .filter(([, { get }]) => get.security === undefined && get.operationId !== 'listChanges')
    .map(([path, { get }]) => ({
      id: get.operationId,
      path,
      parameters: (get.parameters ?? []).map((each) => resolved(description, each)),
      isOfPositions: get.responses['403']?.$ref?.endsWith('/SubscriptionInactive') ?? false,
      hasTag: '304' in get.responses,
    }))
}
