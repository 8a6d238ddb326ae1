import * as doc from '../../acts/document-schema.ts'
import type { RecordType } from '../../base/domain/item-rules.ts'
import { bare } from '../../read/schemas/row-schemas.ts'
import type { AdminOperation } from './admin-api.ts'
import { OPERATIONS } from './operations/admin-operations.ts'

type Parameter = { name: string; in: 'path' | 'query'; description?: string }

function describedIn({ path, query }: AdminOperation): Parameter[] {
  return [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name: name!,
      in: 'path' as const,
      required: true,
      schema: { type: 'integer', minimum: 1 },
    })),
    ...Object.entries(query?.described ?? {}).map(
      ([name, { schema, description, isRequired, isJoined }]) => ({
        name,
        in: 'query' as const,
        ...(isRequired && { required: true }),
        ...(isJoined && { style: 'form', explode: false }),
        schema,
        description,
      }),
    ),
  ]
}

/** The parameters that several operations have, by their names in the description. Of two with one name, the first is shared. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = sharedParameters()

function sharedParameters(): Record<string, Parameter> {
  const seen = new Set<string>()
  const shared: Record<string, Parameter> = {}
  for (const parameter of OPERATIONS.flatMap(describedIn)) {
    const text = JSON.stringify(parameter)
    const key = keyOf(parameter)
    if (!seen.has(text)) {
      seen.add(text)
      continue
    }
    shared[key] ??= parameter
  }
  return shared
}

/** `ObjectId` of a path, `FromTime` of a query. */
function keyOf({ name, in: place }: Parameter): string {
  const words = [...name.split('_'), ...(place === 'path' ? ['id'] : [])]
  return words.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join('')
}

/** The parameters of an operation. Those that others have too are references. */
export function parametersOf(operation: AdminOperation): object[] {
  return describedIn(operation).map((parameter) => {
    const key = keyOf(parameter)
    const isShared = JSON.stringify(SHARED_PARAMETERS[key]) === JSON.stringify(parameter)
    return isShared ? { $ref: `#/components/parameters/${key}` } : parameter
  })
}

/** The descriptions of the responses that are errors, by their names in the description. */
export const REFUSALS = {
  WrongField: 'A field is missing, unknown or breaks its rule.',
  NotSignedIn: 'There is no valid session and no valid token.',
  WrongPassword: 'The password, the code or the link is wrong.',
  BeyondRole: 'The role does not include this, or the caller is not a person.',
  OtherSite: 'The request comes from a page of another site.',
  BeyondRoleOrOtherSite:
    'The role does not include this, the caller is not a person, or the request comes from a page of another site.',
  NotFound: 'Nothing has this id.',
  NameTaken: 'Another item has that name or ident.',
  Conflict: 'The message says why it cannot be done now.',
  TooSlow: 'The body came too slowly.',
  TooLarge: 'The body is too large.',
  TooManyAttempts: 'Too many attempts; `Retry-After` says when the next may be.',
  Unavailable: 'The server is temporarily unavailable.',
  UnavailableForFiles:
    'The server is temporarily unavailable, or too many files are read at once; `Retry-After` says when to try again.',
} as const

/** The errors of an operation by their status, as references. */
export function refusalsOf(operation: AdminOperation) {
  const { method, who, isLimited, takes, takesSignedForm, query, path, mayConflict } = operation
  const isOpen = who === 'everybody'
  const isRead = method === 'GET'
  const forbidden = isOpen ? 'OtherSite' : isRead ? 'BeyondRole' : 'BeyondRoleOrOtherSite'
  return {
    ...((takes ?? query) !== undefined && { 400: reference('WrongField') }),
    ...(!isOpen && { 401: reference('NotSignedIn') }),
    ...(isOpen && takes !== undefined && !takesSignedForm && { 401: reference('WrongPassword') }),
    ...(!(isOpen && isRead) && !takesSignedForm && { 403: reference(forbidden) }),
    ...(path.includes('{') && { 404: reference('NotFound') }),
    ...(mayConflict && { 409: reference('Conflict') }),
    ...(takes !== undefined && !takesSignedForm && { 409: reference('NameTaken') }),
    ...(takes !== undefined && { 408: reference('TooSlow'), 413: reference('TooLarge') }),
    ...(isLimited && { 429: reference('TooManyAttempts') }),
    503: reference(takes === 'file' ? 'UnavailableForFiles' : 'Unavailable'),
  }
}

function reference(name: keyof typeof REFUSALS): object {
  return { $ref: `#/components/responses/${name}` }
}

const FAILURE = doc.record(
  {
    kind: doc.text('`object`, `geofence` or `site`.'),
    id: doc.integer('Its id.'),
    failed_at: doc.instant('The last attempt.'),
    error: doc.text('The fault.'),
  },
  'An object whose records cannot be derived, or a place whose visits cannot be derived.',
)

function page(Noun: string, row: object): doc.Schema {
  const { schema } = doc.named(Noun, doc.plain<unknown>(row as doc.Schema))
  return doc.record(
    {
      items: doc.list(doc.plain(schema), 'By object id, then by start.'),
      derived_until: doc.instantOrNull(
        'The commit time up to which records are derived. Null: they are being derived for the first time, and the items are not all.',
      ),
      recomputing: doc.integer(
        'The objects of the organization whose stored positions are to be folded again. Their records follow.',
      ),
      failures: doc.list(
        FAILURE,
        'The first 20 objects and places of the organization whose records cannot be derived. They keep the records that they have. The server tries again, also when they change.',
      ),
      next: doc.textOrNull('The `cursor` of the next page. Null: there is none.'),
    },
    `A page of ${Noun.toLowerCase()}s.`,
    `${Noun}s`,
  ).schema
}

/** The answers with records. Their rows have the schemas of the public API, which no server loads. */
export const RECORD_PAGES: Record<RecordType, doc.Schema> = {
  trips: page('Trip', bare.trip),
  stops: page('Stop', bare.stop),
  visits: page('Visit', bare.visit),
  levels: page('Level', bare.level),
}
